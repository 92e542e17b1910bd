"""The page of the study, README.md, from its tables: no number in it is typed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studies.swe_bench_verified.csv_tables import Row, Table, number
from studies.swe_bench_verified.tables import COMPLETE, FILES_ONLY

Tables = Mapping[str, Table]


def page(tables: Tables, answer: Sequence[str]) -> str:
    """The whole page."""
    parts = [
        "<!-- Printed by `python -m studies.swe_bench_verified`; do not edit. -->",
        "# Does finding the right code go with solving the task?",
        *_short(tables),
        *_data(tables),
        *_found(tables),
        *_solved(tables),
        *_within(tables),
        *_chain(tables),
        *_looked_at(tables),
        *_paired(tables, answer),
        *_choices(tables),
        *_published(tables),
        *_limits(tables),
        INPUTS,
    ]
    return "\n\n".join(parts) + "\n"


# --- the sections -------------------------------------------------------------------------------


def _short(tables: Tables) -> list[str]:
    whole, within = tables["b_solved"][0], tables["b_within"][0]
    names = _listed(
        [f"{row['agent']} solved {row['solved']} of {row['trials']}" for row in tables["totals"]]
    )
    shown = [r for r in tables["a_found"] if (r["step"], r["verdict"]) == ("files_shown", "failed")]
    failed: Row = {name: sum(int(number(r, name)) for r in shown) for name in ("every", "n")}
    complete = [
        row
        for row in tables["c_chain"]
        if row["verdict"] == "failed" and row["place"] in (COMPLETE, FILES_ONLY)
    ]
    return [
        f"Two coding agents worked on the same tasks of SWE-bench Verified: {names}. "
        "[groundtrace](../../docs/index.md) read in their logs which files and functions they were "
        "shown, and compared these with the code that the accepted fix changes.",
        "**In short**",
        "\n".join(
            [
                f"- **Across all trials: {_word(whole, 'ci')}.** Where every file that the fix changes was shown to "
                f"the agent, {_of(whole, 'found_all_solved', 'found_all')} trials were solved, "
                f"otherwise {_of(whole, 'otherwise_solved', 'otherwise')}. The difference is "
                f"{_points(whole)}. Among tasks of the same difficulty and size, the odds of being "
                f"solved are {_odds(whole)} times as high.",
                "- **On the same task: "
                f"{_word(whole, 'within')}.** In {within['one_found_all']} tasks one agent was shown "
                "everything and the other was not: only the first one solved "
                f"{within['only_finder_solved']} of them, only the second one "
                f"{within['only_other_solved']}. With task and agent held fixed, the difference "
                f"between nothing and everything shown is {_slope(whole, 'within')}.",
                "- **Failed trials.** In "
                f"{_of(failed, 'every', 'n')} failed trials every relevant file was shown. In "
                f"{sum(int(number(row, 'trials')) for row in complete)} of them no step is missing: "
                "everything that we can see was found and edited, and the tests still fail.",
            ]
        ),
        "This is association, not cause: read [what may not be concluded](#what-may-not-be-concluded).",
    ]


def _data(tables: Tables) -> list[str]:
    rows = tables["totals"]
    return [
        "## What was counted",
        "A *trial* is one agent's attempt at one task. It is *solved* if the tests of SWE-bench "
        "pass. *Relevant files* are the files that the accepted fix changes and that were there "
        "before; *needed functions* are the functions in which it changes lines. A file is *met* if "
        "a search, a listing or a read returned its name or its content, *shown* if content came "
        "back, and *edited* if it is in the submitted patch. Names in the output of tests and in "
        "error messages do not count. A function is shown if at least one of its lines was.",
        _markdown(
            ["agent", "trials", "solved", "cost", "calls", "no verdict", "no trace", "no patch"],
            [
                [
                    row["agent"],
                    row["trials"],
                    row["solved"],
                    "not recorded" if row["cost_usd"] is None else _dollars(row, "cost_usd"),
                    f"{row['calls']:,}",
                    row["no_verdict"],
                    row["no_trace"],
                    row["no_patch"],
                ]
                for row in rows
            ],
        ),
        "*No trace*: the published log is empty; these trials count only where no log is needed. "
        "*No patch*: nothing was published; the edited files are then those that the agent's calls "
        "wrote, and the edited functions are not known. A text that was published in place of a patch "
        "(“No patch generated”) counts as having edited nothing, in solved trials too, so the rows about "
        "edits are a little too low where an agent published such texts.",
    ]


def _found(tables: Tables) -> list[str]:
    words = {
        "files_met": "relevant files met",
        "files_shown": "relevant files shown",
        "files_edited": "relevant files edited",
        "functions_shown": "needed functions shown",
        "functions_edited": "needed functions edited",
    }
    reasons: dict[str, list[str]] = {}
    for row in tables["a_unknown"]:
        reasons.setdefault(str(row["agent"]), []).append(f"{row['trials']} `{row['reason']}`")
    why = "; ".join(f"{agent}: {', '.join(words)}" for agent, words in reasons.items())
    return [
        "## (a) How often is the right code found?",
        _markdown(
            ["step", "agent", "verdict", "trials", "every one", "at least one"],
            [
                [
                    words[str(row["step"])],
                    row["agent"],
                    row["verdict"],
                    row["n"],
                    _percent(row, "every", "n"),
                    _percent(row, "some", "n"),
                ]
                for row in tables["a_found"]
            ],
        ),
        "In some trials it is not known which needed functions were shown, so the rows of functions "
        "have fewer trials. The reasons: "
        f"{why}. [What these words mean](../../docs/guides/functions.md#when-a-number-is-missing). "
        "Table: [a_found.csv](tables/a_found.csv), [a_unknown.csv](tables/a_unknown.csv).",
    ]


def _solved(tables: Tables) -> list[str]:
    return [
        "## (b) Are tasks solved more often where everything was shown?",
        "![Solved trials by whether every relevant file was shown](figures/solved.svg)",
        "Blue: every relevant file was shown. Orange: at least one was not.",
        _markdown(
            ["trials", "all shown: solved", "otherwise: solved", "difference (95 % interval)"],
            [
                [
                    row["group"] if row["by"] == "all" else f"{row['by']}: {row['group']}",
                    _of(row, "found_all_solved", "found_all"),
                    _of(row, "otherwise_solved", "otherwise"),
                    _points(row),
                ]
                for row in tables["b_solved"]
            ],
        ),
        "The intervals take into account that tasks of one repository are alike. Rows with few "
        "trials in a column show little: read the counts first. "
        "Table: [b_solved.csv](tables/b_solved.csv).",
    ]


def _within(tables: Tables) -> list[str]:
    whole = tables["b_solved"][0]
    functions = next(
        row for row in tables["f_choices"] if row["choice"] == "every needed function shown"
    )
    levels = {"files_shown": "relevant files", "functions_shown": "needed functions"}
    return [
        "### The same task, two agents",
        "Whether a task is simple moves both what is found and what is solved. So we look at tasks "
        "in which one agent was shown everything and the other was not:",
        _markdown(
            [
                "everything means",
                "pairs",
                "one was shown all",
                "only it solved",
                "only the other",
                "both",
                "none",
            ],
            [
                [
                    levels[str(row["level"])],
                    row["pairs"],
                    row["one_found_all"],
                    row["only_finder_solved"],
                    row["only_other_solved"],
                    row["both_solved"],
                    row["none_solved"],
                ]
                for row in tables["b_within"]
            ],
        ),
        "With task and agent held fixed, the share of solved trials between nothing and everything "
        f"shown differs by {_slope(whole, 'within')} for files and {_slope(functions, 'within')} for "
        f"functions. Over the means of tasks, with nothing held fixed, it is "
        f"{_slope(whole, 'across')} for files. An interval that holds 0 leaves the question open. "
        "Table: [b_within.csv](tables/b_within.csv).",
    ]


def _chain(tables: Tables) -> list[str]:
    failed = [row for row in tables["c_chain"] if row["verdict"] == "failed"]
    agents = list(dict.fromkeys(str(row["agent"]) for row in failed))
    places = list(dict.fromkeys(str(row["place"]) for row in failed))
    cells = {(row["place"], row["agent"]): row for row in failed}
    return [
        "## (c) Where does the chain break in failed trials?",
        "![The first step that a trial did not complete](figures/chain.svg)",
        _markdown(
            ["first step that is missing", *agents],
            [
                [place, *(_of(cells[place, agent], "trials", "of") for agent in agents)]
                for place in places
            ],
        ),
        "A trial that did everything in this table can still have a wrong edit. And solved trials "
        "also have missing steps (see the figure): the accepted fix is one solution, not the only "
        "one. Table: [c_chain.csv](tables/c_chain.csv).",
    ]


def _looked_at(tables: Tables) -> list[str]:
    costs = tables["d_cost"]
    by_verdict = {row["group"]: row for row in costs if row["by"] == "verdict"}
    return [
        "## (d) How much is looked at that is not needed, and what does it cost?",
        _markdown(
            [
                "agent",
                "verdict",
                "trials",
                "functions shown",
                "needed",
                "times",
                "median",
                "files shown that were needed",
                "characters shown from relevant files",
            ],
            [
                [
                    row["agent"],
                    row["verdict"],
                    row["n"],
                    f"{number(row, 'functions_shown'):.1f}",
                    f"{number(row, 'functions_needed'):.1f}",
                    f"{number(row, 'times'):.0f}",
                    f"{number(row, 'median_times'):.0f}",
                    f"{100 * number(row, 'files_needed'):.0f} % ({row['files_n']})",
                    f"{100 * number(row, 'chars_needed'):.0f} % ({row['chars_n']})",
                ]
                for row in tables["d_looked_at"]
            ],
        ),
        "*Times* is the sum of functions shown divided by the sum of functions needed, *median* the "
        "median over trials; shares are means over the trials in brackets. "
        "Table: [d_looked_at.csv](tables/d_looked_at.csv).",
        f"Only one agent's logs state a price. Its failed trials cost "
        f"{_dollars(by_verdict['failed'], 'cost_usd')} of "
        f"{_dollars(by_verdict['all'], 'cost_usd')}: a failed trial "
        f"{_dollars(by_verdict['failed'], 'mean_cost_usd')}, a solved one "
        f"{_dollars(by_verdict['solved'], 'mean_cost_usd')}. In quarters, by the number of "
        "functions shown:",
        _markdown(
            ["functions shown", "trials", "cost a trial", "calls a trial", "solved"],
            [
                [
                    row["group"],
                    row["n"],
                    _dollars(row, "mean_cost_usd"),
                    f"{number(row, 'mean_calls'):.0f}",
                    _percent(row, "solved", "n"),
                ]
                for row in costs
                if row["by"] == "functions shown"
            ],
        ),
        "Harder tasks take longer and show more, so this does not say that looking costs success. "
        "Table: [d_cost.csv](tables/d_cost.csv).",
    ]


def _paired(tables: Tables, answer: Sequence[str]) -> list[str]:
    words = {"found": "relevant files shown", "used": "relevant files read", "result": "solved"}
    return [
        "## (e) How do the two agents differ?",
        "groundtrace's own paired answer, over the tasks that both have:",
        "\n".join(f"> {line}\n>" for line in answer).removesuffix("\n>"),
        _markdown(
            [
                "",
                *(str(row["agent"]) for row in tables["totals"]),
                "difference (simultaneous 95 % interval)",
                "verdict",
                "tasks better / same / worse",
            ],
            [
                [
                    words[str(row["question"])],
                    f"{100 * number(row, 'baseline'):.1f} %",
                    f"{100 * number(row, 'config'):.1f} %",
                    _points(row, "delta"),
                    row["verdict"],
                    f"{row['better']} / {row['same']} / {row['worse']}",
                ]
                for row in tables["e_answer"]
                if row["question"] in words and row["delta"] is not None
            ],
        ),
        "The agents also differ in their models, so this compares two whole systems. The page of "
        "the run, with every metric: [report.md](report.md). "
        "Table: [e_answer.csv](tables/e_answer.csv).",
    ]


def _choices(tables: Tables) -> list[str]:
    return [
        "## (f) How does the result move under other choices?",
        "![The difference under each choice](figures/choices.svg)",
        _markdown(
            [
                "“everything found” means",
                "then solved",
                "otherwise solved",
                "difference (95 % interval)",
                "odds ratio, similar tasks",
                "same task and agent held fixed",
            ],
            [
                [
                    row["choice"],
                    _of(row, "found_all_solved", "found_all"),
                    _of(row, "otherwise_solved", "otherwise"),
                    _points(row),
                    _odds(row),
                    _slope(row, "within"),
                ]
                for row in tables["f_choices"]
            ],
        ),
        "A trial without a verdict or without a log can be counted in either way; the table of trials "
        "above says how many there are. If shell commands are ignored, the agent that works only in a shell was shown nothing at "
        "all, so that row compares two agents rather than two states of knowledge. It is here "
        "because tools that look only at calls of search and read tools would report it. "
        "Table: [f_choices.csv](tables/f_choices.csv).",
    ]


def _published(tables: Tables) -> list[str]:
    files = [
        row
        for row in tables["a_found"]
        if row["step"] == "files_shown" and row["verdict"] == "failed"
    ]
    times = [row for row in tables["d_looked_at"] if row["verdict"] == "all"]
    return [
        "## Beside published figures",
        _markdown(
            ["figure", "published", "here", "definitions"],
            [
                [
                    "failed trials that reach the right file",
                    "72–81 %",
                    "; ".join(
                        f"{row['agent']}: every one {_percent(row, 'every', 'n')}, at least one "
                        f"{_percent(row, 'some', 'n')}"
                        for row in files
                    ),
                    "published: the right files are identified in failed trajectories of other "
                    "agents; here: their content was shown",
                ],
                [
                    "functions looked at, against functions needed",
                    "22 times",
                    "; ".join(
                        f"{row['agent']}: {number(row, 'times'):.0f} times (median "
                        f"{number(row, 'median_times'):.0f})"
                        for row in times
                    ),
                    "published: functions that agents look at for each one that has to change; "
                    "here: functions of which at least one line was shown, against functions in "
                    "which the accepted fix changes lines",
                ],
            ],
        ),
        "We know the published figures from citations, not from their code, and they are about "
        "other agents and tasks. They are of the same order as ours; more cannot be said.",
    ]


def _other_logs(tables: Tables) -> str:
    rows = tables["f_other_log"]
    if not rows:
        return ""
    names = _listed([f"{row['task']} ({row['agent']})" for row in rows])
    return (
        f"In {len(rows)} trials the patch edits relevant files although the log meets none: {names}. "
        "Such a log seems to be of another task. They count as published; (f) has the result "
        "without them. "
    )


def _limits(tables: Tables) -> list[str]:
    whole = tables["b_solved"][0]
    return [
        "## What may not be concluded",
        "\n".join(
            [
                "- **Not a cause.** Nobody decided at random which files an agent was shown. A hard "
                "task is found less and solved less; an agent that understands a problem finds the "
                "file because it understands it.",
                "- **Two agents only**, each with one trial per task. How much of a difference is "
                "luck of a single trial cannot be seen from one trial. The agents differ in "
                "harness and model at once.",
                "- **Few trials miss something.** Everything here about missing files rests on "
                f"{whole['otherwise']} of {number(whole, 'otherwise') + number(whole, 'found_all'):.0f} "
                "trials, fewer in each row of a group. Only tasks in which the two agents differ say "
                "something about the same task.",
                "- **Public tasks.** The repositories, their fixes and the tasks are public and may "
                "be in the training data of the models. An agent can then edit a file that it has "
                "not looked at, and finding is easier than in code that nobody knows.",
                "- **One right answer of many.** Relevant is what the accepted fix changes. Some "
                "trials are solved without it.",
                f"- **Logs as published.** {_other_logs(tables)}What an agent saw and its log does not say is not counted; "
                "the answer above says how many calls are of unknown tools.",
            ]
        ),
    ]


INPUTS = """## Print it again

```sh
python -m studies.swe_bench_verified DATA           # measures, then prints tables, figures, this page
python -m studies.swe_bench_verified                # prints them again from tables/trials.csv
```

DATA is a folder with a folder `AGENT/trajs` for each agent, the tasks `verified.jsonl` and bare repositories `repos/OWNER__NAME.git` with the tasks' base commits. [trials.csv](tables/trials.csv) has one row per trial; all tables but the paired answer follow from it. groundtrace's own results, with a page for every trial, are then in `results/` (not part of the repository). Another agent's trials can be studied in the same way: put its folder into DATA in place of one of these.

| input | source | licence | SHA-256 of the file as we had it |
|---|---|---|---|
| `mini-swe-agent-gemini-3-pro/` (mini-swe-agent 1.15 with Gemini 3 Pro: trajectories, reports) | github.com/gruckion/mini-swe-agent at commit d12a71a, `swebench_results/20251118_gemini-3-pro-74pct` | MIT | `d49c7d6225bb90013e3a6efd852a3b484f81d063dcbf27072ee3488b4614b9c2` (tar.xz) |
| `vorflux/` (trajectories, patches, list of solved tasks) | github.com/piyushhhxyz/vorflux-swe-benchmarks at commit 9e2acad, `evaluation/verified/20250519_…` | MIT | `c358ce7d855c410c7a3e470e1afe51ad9687f5c601d0ae9b399850eec792edfc` (tar.xz) |
| `verified.jsonl` (the 500 tasks: `instance_id`, `repo`, `base_commit`, `version`, `difficulty`, `patch`, `test_patch`) | SWE-bench/swe-bench-tasks at commit 3d07b46 | not stated | `37390001dfa74d04546c20988f21127e302020a5eb69aa896e8abd227a18ce2f` |
| `repos/` | the tasks' repositories on GitHub at their base commits; [bare clones](../../docs/guides/functions.md#repositories) are enough | each its own | – |

Our copies differ from the sources in one way: names of people, keys and hosts of packages are masked. Our `repos/` has no clone of pylint, and only the Python files that trials touched or patches change. [vorflux.toml](vorflux.toml) is [the mapping](../../docs/guides/map-a-format.md) that reads vorflux's format."""


# --- numbers as words ---------------------------------------------------------------------------


def _markdown(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def _of(row: Row, part: str, whole: str) -> str:
    if not row[whole]:
        return "–"
    share = 100 * number(row, part) / number(row, whole)
    return f"{row[part]} of {row[whole]} ({share:.0f} %)"


def _percent(row: Row, part: str, whole: str) -> str:
    return f"{100 * number(row, part) / number(row, whole):.0f} %"


def _points(row: Row, name: str = "difference") -> str:
    if row[name] is None:
        return "–"
    low, high = (_signed(100 * number(row, end)) for end in ("ci_low", "ci_high"))
    return f"{_signed(100 * number(row, name))} points ({low} to {high})"


def _slope(row: Row, name: str) -> str:
    if row[f"{name}_slope"] is None:
        return "–"
    middle = _signed(100 * number(row, f"{name}_slope"))
    if row[f"{name}_low"] is None or row[f"{name}_high"] is None:
        return f"{middle} points (no interval)"
    low, high = (_signed(100 * number(row, f"{name}_{end}")) for end in ("low", "high"))
    return f"{middle} points ({low} to {high})"


def _word(row: Row, name: str) -> str:
    """What an interval says."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if low is None or high is None:
        return "not known"
    if number(row, f"{name}_low") > 0:
        return "yes"
    return "the other way round" if number(row, f"{name}_high") < 0 else "open"


def _odds(row: Row) -> str:
    if row["odds_ratio"] is None:
        return "–"
    low, high = (number(row, end) for end in ("odds_low", "odds_high"))
    return f"{number(row, 'odds_ratio'):.1f} ({low:.1f} to {high:.1f})"


def _signed(value: float) -> str:
    return f"{value:+.0f}".replace("-", "\N{MINUS SIGN}").replace("+0", "0")


def _dollars(row: Row, name: str) -> str:
    return f"${number(row, name):,.2f}"


def _listed(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
