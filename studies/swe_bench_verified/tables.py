"""The questions of the study as tables, from one row per trial.

Shares are plain counts. Differences, slopes and their intervals are groundtrace's own
(`groundtrace.impact.linked`): tasks of one repository are alike, and the intervals count that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise
from statistics import mean, median, quantiles

from groundtrace.documents.answer import Linked, Strata
from groundtrace.impact.linked import association_with
from groundtrace.impact.observations import Observation, ObservedValues, WhyAbsent
from studies.swe_bench_verified.csv_tables import Row, Table, Value, number

SEED = 0
DIFFICULTIES = ("<15 min fix", "15 min - 1 hour", "1-4 hours", ">4 hours")
"""Times that people were thought to need, from the data set."""
FILES = {"1 file": (1, 1), "2 files": (2, 2), "3 and more": (3, 10**6)}
VERDICTS = {"solved": 1, "failed": 0}
ALL = "any agent"

Trials = Sequence[Row]


def all_tables(trials: Trials, answer: Table) -> dict[str, Table]:
    """Every table of the page, by the name of its file."""
    return {
        "totals": totals(trials),
        "a_unknown": unknown(trials),
        "a_found": found(trials),
        "b_solved": solved(trials),
        "b_within": within(trials),
        "c_chain": chain(trials),
        "d_looked_at": looked_at(trials),
        "d_cost": cost(trials),
        "e_answer": answer,
        "f_choices": choices(trials),
        "f_other_log": other_log(trials),
    }


# --- what there is ------------------------------------------------------------------------------


def totals(trials: Trials) -> Table:
    """Trials, solved ones, cost and what has no value, for each agent."""
    return [
        {
            "agent": agent,
            "trials": len(own),
            "solved": _count(own, lambda t: t["solved"] == 1),
            "no_verdict": _count(own, lambda t: t["solved"] is None),
            "no_trace": _count(own, lambda t: t["files_shown"] is None),
            "no_functions": _count(own, lambda t: t["functions_shown"] is None),
            "no_patch": _count(own, lambda t: t["edited_from"] in ("writes", None)),
            "empty_patch": _count(own, _edited_nothing),
            "empty_patch_solved": _count(own, lambda t: _edited_nothing(t) and t["solved"] == 1),
            "calls": sum(int(number(t, "calls")) for t in own),
            "cost_usd": _total(own, "cost_usd"),
        }
        for agent, own in _by_agent(trials)
    ]


def _edited_nothing(trial: Row) -> bool:
    """Whether a patch was published that edits no file, such as a text in place of a patch."""
    published = trial["edited_from"] not in ("writes", None)
    return published and trial["files_edited"] == 0 and trial["edits_needed"] is None


def unknown(trials: Trials) -> Table:
    """Why it is not known which needed functions were shown."""
    return [
        {"agent": agent, "reason": reason, "trials": count}
        for agent, own in _by_agent(trials)
        for reason, count in sorted(
            Counter(str(t["functions_unknown"]) for t in own if t["functions_unknown"]).items()
        )
    ]


# --- (a) how often is the right code met, shown, edited -----------------------------------------


def found(trials: Trials) -> Table:
    """Trials in which every, any and no relevant file or function got to a step."""
    steps = ("files_met", "files_shown", "files_edited", "functions_shown", "functions_edited")
    return [
        {
            "agent": agent,
            "verdict": verdict,
            "step": step,
            "n": len(values),
            "every": sum(value >= 1 for value in values),
            "some": sum(value > 0 for value in values),
            "mean": mean(values),
        }
        for step in steps
        for agent, own in _by_agent(trials)
        for verdict, some in _by_verdict(own)
        if (values := [number(t, step) for t in some if t[step] is not None])
    ]


# --- (b) solved where every relevant file was shown, and where not ------------------------------


def solved(trials: Trials) -> Table:
    """Solved trials by whether every relevant file was shown: all, by agent, by kind of task."""
    groups: dict[tuple[str, str], Trials] = {("all", "all trials"): trials}
    groups |= {("agent", agent): own for agent, own in _by_agent(trials)}
    groups |= {
        ("difficulty", name): [t for t in trials if t["difficulty"] == name]
        for name in DIFFICULTIES
    }
    groups |= {
        ("relevant files", name): [
            t for t in trials if t["relevant_files"] and low <= number(t, "relevant_files") <= high
        ]
        for name, (low, high) in FILES.items()
    }
    return [
        {"by": by, "group": name, **link}
        for (by, name), some in groups.items()
        if (link := association(some, "files_shown")) is not None
    ]


def within(trials: Trials) -> Table:
    """Tasks in which one agent was shown every relevant file, or function, and another not.

    One row for all pairs of trials of a task, and one for each agent that was shown everything.
    """
    return [row for level in ("files_shown", "functions_shown") for row in _within(trials, level)]


def _within(trials: Trials, level: str) -> Table:
    tasks: dict[Value, list[Row]] = {}
    for trial in trials:
        if trial[level] is not None and trial["solved"] is not None:
            tasks.setdefault(trial["task"], []).append(trial)
    pairs = [
        (one, other)
        for own in tasks.values()
        for one, other in combinations(own, 2)
        if one["agent"] != other["agent"]
    ]
    found: dict[str, list[tuple[bool, bool]]] = {ALL: []}
    of_tasks: dict[str, set[Value]] = {ALL: set()}
    for pair in pairs:
        finder, other = sorted(pair, key=lambda t: number(t, level) >= 1, reverse=True)
        if number(finder, level) >= 1 > number(other, level):
            for agent in (ALL, str(finder["agent"])):
                both = (finder["solved"] == 1, other["solved"] == 1)
                found.setdefault(agent, []).append(both)
                of_tasks.setdefault(agent, set()).add(finder["task"])
    return [
        {
            "level": level,
            "shown_all_to": agent,
            "pairs": len(pairs),
            "tasks": len(of_tasks[agent]),
            "one_found_all": len(verdicts),
            "only_finder_solved": verdicts.count((True, False)),
            "only_other_solved": verdicts.count((False, True)),
            "both_solved": verdicts.count((True, True)),
            "none_solved": verdicts.count((False, False)),
        }
        for agent, verdicts in [(ALL, found.pop(ALL)), *sorted(found.items())]
    ]


# --- (c) where the chain breaks -----------------------------------------------------------------

STEPS = {
    "files_met": "a relevant file was never met",
    "files_shown": "all files met, one not shown",
    "functions_shown": "all files shown, a needed function not",
    "files_edited": "all shown, a relevant file not edited",
    "functions_edited": "all files edited, a needed function not",
}
"""The steps of the chain, in order, and what it is called if it breaks there."""
COMPLETE = "everything found and edited"
FILES_ONLY = "files found and edited, functions not known"
UNKNOWN = "no trace"


def chain(trials: Trials) -> Table:
    """The first step that a trial did not complete, for each agent and verdict.

    If a step of functions has no value, the next step decides.
    """
    places = [*STEPS.values(), COMPLETE, FILES_ONLY, UNKNOWN]
    return [
        {
            "agent": agent,
            "verdict": verdict,
            "place": place,
            "trials": [_broken(trial) for trial in some].count(place),
            "of": len(some),
        }
        for agent, own in _by_agent(trials)
        for verdict, some in _by_verdict(own)
        for place in places
    ]


def _broken(trial: Row) -> str:
    if trial["files_met"] is None:
        return UNKNOWN
    unknown = any(trial[step] is None for step in STEPS)
    end = FILES_ONLY if unknown else COMPLETE
    return next((words for step, words in STEPS.items() if _below_one(trial[step])), end)


def _below_one(value: Value) -> bool:
    return isinstance(value, int | float) and value < 1


# --- (d) what is looked at and not needed, and its price ----------------------------------------


def looked_at(trials: Trials) -> Table:
    """Functions and files that were shown, against those that were needed."""
    rows: Table = []
    for agent, own in _by_agent(trials):
        for verdict, some in [("all", own), *_by_verdict(own)]:
            both = [
                t for t in some if t["functions_looked_at"] is not None and t["functions_needed"]
            ]
            shown, needed = (
                [number(t, name) for t in both]
                for name in ("functions_looked_at", "functions_needed")
            )
            files, chars = (
                [number(t, name) for t in some if t[name] is not None]
                for name in ("shown_files_needed", "shown_chars_needed")
            )
            rows.append(
                {
                    "agent": agent,
                    "verdict": verdict,
                    "n": len(both),
                    "functions_shown": _mean(shown),
                    "functions_needed": _mean(needed),
                    "times": sum(shown) / sum(needed) if needed else None,
                    "median_times": median(s / n for s, n in zip(shown, needed, strict=True))
                    if needed
                    else None,
                    "files_n": len(files),
                    "files_needed": _mean(files),
                    "chars_n": len(chars),
                    "chars_needed": _mean(chars),
                }
            )
    return rows


def cost(trials: Trials) -> Table:
    """Trials with a price, in quarters by the number of functions that were shown."""
    priced = [t for t in trials if t["cost_usd"] is not None]
    rows = [
        _cost_row("verdict", verdict, some)
        for verdict, some in [("all", priced), *_by_verdict(priced)]
        if some
    ]
    counted = [t for t in priced if t["functions_looked_at"] is not None]
    if len(counted) >= 4:
        cuts = quantiles([number(t, "functions_looked_at") for t in counted], n=4)
        bounds = [float("-inf"), *cuts, float("inf")]
        for low, high in pairwise(bounds):
            some = [t for t in counted if low < number(t, "functions_looked_at") <= high]
            if some:
                shown = [int(number(t, "functions_looked_at")) for t in some]
                name = f"{min(shown)} to {max(shown)}"
                rows.append(_cost_row("functions shown", name, some))
    return rows


def _cost_row(by: str, group: str, trials: Trials) -> Row:
    spent = [number(t, "cost_usd") for t in trials]
    return {
        "by": by,
        "group": group,
        "n": len(trials),
        "cost_usd": sum(spent),
        "mean_cost_usd": mean(spent),
        "mean_calls": mean(number(t, "calls") for t in trials),
        "solved": _count(trials, lambda t: t["solved"] == 1),
    }


# --- (f) the same result under other choices ----------------------------------------------------


def choices(trials: Trials) -> Table:
    """The main result again, under each choice that could be argued."""
    found_any = [t | {"any": _any(t["files_shown"])} for t in trials]
    lost = [t if t["solved"] is not None else t | {"solved": 0} for t in trials]
    unseen = [t if t["files_shown"] is not None else t | {"files_shown": 0} for t in trials]
    sure = [t for t in trials if not _of_other_task(t)]
    made: dict[str, tuple[Trials, str]] = {
        "every relevant file shown (as above)": (trials, "files_shown"),
        "met, at least by name": (trials, "files_met"),
        "read, not only found by a search": (trials, "files_read"),
        "at least one relevant file shown": (found_any, "any"),
        "every needed function shown": (trials, "functions_shown"),
        "every relevant file edited": (trials, "files_edited"),
        "every needed function edited": (trials, "functions_edited"),
        "shell commands ignored": (trials, "files_shown_without_shell"),
        "trials without a verdict count as failed": (lost, "files_shown"),
        "trials without a trace count as not shown": (unseen, "files_shown"),
        "without the logs of other tasks (see below)": (sure, "files_shown"),
    }
    return [
        {"choice": choice, **link}
        for choice, (some, column) in made.items()
        if (link := association(some, column)) is not None
    ]


def other_log(trials: Trials) -> Table:
    """Trials whose patch edits relevant files although their log meets none of them."""
    return [
        {name: t[name] for name in ("agent", "task", "solved", "files_met", "files_edited")}
        for t in trials
        if _of_other_task(t)
    ]


def _of_other_task(trial: Row) -> bool:
    """Read by hand: these logs are about another task of the same repository."""
    edited = trial["files_edited"]
    return trial["files_met"] == 0 and isinstance(edited, int | float) and edited > 0


def _any(value: Value) -> Value:
    return None if value is None else int(isinstance(value, int | float) and value > 0)


# --- groundtrace's own statistics ---------------------------------------------------------------


def association(trials: Trials, column: str) -> Row | None:
    """How being solved goes with a column: counts, difference, odds ratio, slopes.

    None if no trial has both.
    """
    observed = [_observation(t, column) for t in trials if t[column] is not None]
    link = association_with(column, observed, SEED)
    if link is None:
        return None
    by_found = link.by_found
    strata = by_found.strata if isinstance(by_found.strata, Strata) else None
    return {
        "found_all": by_found.shown_all.n,
        "found_all_solved": by_found.shown_all.solved,
        "otherwise": by_found.otherwise.n,
        "otherwise_solved": by_found.otherwise.solved,
        "difference": by_found.difference,
        "ci_low": by_found.ci_low,
        "ci_high": by_found.ci_high,
        "odds_ratio": None if strata is None else strata.odds_ratio,
        "odds_low": None if strata is None else strata.ci_low,
        "odds_high": None if strata is None else strata.ci_high,
        **_slope("across", link.across),
        **_slope("within", link.within),
    }


def _slope(name: str, linked: Linked) -> Row:
    return {
        f"{name}_tasks": linked.n,
        f"{name}_slope": linked.slope,
        f"{name}_low": linked.ci_low,
        f"{name}_high": linked.ci_high,
    }


def _observation(trial: Row, column: str) -> Observation:
    """A row of trials.csv as groundtrace's statistics take it."""
    values = {column: number(trial, column)}
    if trial["solved"] is not None:
        values["reward"] = number(trial, "solved")
    agent, task, trial_name = (str(trial[name]) for name in ("agent", "task", "trial"))
    return Observation(
        run_id="study",
        config_name=agent,
        task_name=task,
        trial_name=trial_name,
        task=task,
        benchmark=None,
        trial_key=f"{agent}/{task}/{trial_name}",
        model=None,
        harness=None,
        harness_version=None,
        repo=None if trial["repo"] is None else str(trial["repo"]),
        clock=None,
        confidence=None,
        unknown_calls=0,
        values=_observed(values),
        is_copy=False,
        why=WhyAbsent((), None),
        relevant_files=int(number(trial, "relevant_files")) if trial["relevant_files"] else 0,
        difficulty=None if trial["difficulty"] is None else str(trial["difficulty"]),
    )


def _observed(values: Mapping[str, float]) -> ObservedValues:
    return ObservedValues({name: place for place, name in enumerate(values)}, values.values())


# --- small things -------------------------------------------------------------------------------


def agents_of(trials: Trials) -> list[str]:
    """The agents, by name; the first is the baseline."""
    return sorted({str(t["agent"]) for t in trials})


def _by_agent(trials: Trials) -> list[tuple[str, Trials]]:
    return [(name, [t for t in trials if t["agent"] == name]) for name in agents_of(trials)]


def _by_verdict(trials: Trials) -> list[tuple[str, Trials]]:
    return [
        (name, [t for t in trials if t["solved"] == solved]) for name, solved in VERDICTS.items()
    ]


def _count(trials: Trials, wanted: Callable[[Row], bool]) -> int:
    return sum(map(wanted, trials))


def _mean(values: Sequence[float]) -> float | None:
    return mean(values) if values else None


def _total(trials: Trials, name: str) -> float | None:
    values = [number(t, name) for t in trials if t[name] is not None]
    return sum(values) if values else None
