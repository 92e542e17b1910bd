"""The page of the study, README.md, from its tables: no number in it is typed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studies.swe_bench_verified.csv_tables import Row, Table, number
from studies.swe_bench_verified.tables import COMPLETE, FILES_ONLY

Tables = Mapping[str, Table]


def page(tables: Tables, answer: Sequence[str]) -> str:
    """The whole page. What needs two agents, prices or functions is left out without them."""
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
        *_inputs(tables),
    ]
    return "\n\n".join(parts) + "\n"


# --- the sections -------------------------------------------------------------------------------


def _short(tables: Tables) -> list[str]:
    names = _listed(
        [f"{row['agent']} solved {row['solved']} of {row['trials']}" for row in tables["totals"]]
    )
    agents = len(tables["totals"])
    who = (
        f"{NUMBERS.get(agents, str(agents))} coding agents worked on the same tasks"
        if agents > 1
        else "One coding agent worked on the tasks"
    )
    return [
        f"{who} of SWE-bench Verified: {names}. "
        "[groundtrace](../../docs/index.md) read in the logs which files and functions were shown to "
        f"{'them' if agents > 1 else 'it'}, and compared these with the code that the accepted fix changes.",
        "**In short**",
        "\n".join(
            [*_short_across(tables), *_short_same_task(tables), *_short_failed(tables)]
            or ["- No trial has both a verdict and a log that could be read."]
        ),
        "This is association, not cause: read [what may not be concluded](#what-may-not-be-concluded).",
    ]


def _short_across(tables: Tables) -> list[str]:
    if not tables["b_solved"]:
        return []
    whole = tables["b_solved"][0]
    if not whole["otherwise"] or not whole["found_all"]:
        which = "every relevant file" if whole["found_all"] else "not every relevant file"
        return [f"- **Across all trials: not known.** In each of them {which} was shown."]
    alike = (
        "That compares all tasks, hard and simple. Only tasks of the same difficulty and number of "
        "files are compared by odds, the solved trials for each failed one: where everything was shown "
        f"they are {_odds(whole)} times as high as otherwise{_crude(whole)}."
        if whole["odds_ratio"] is not None
        else "That compares all tasks, hard and simple."
    )
    return [
        f"- **Across all trials: {_word(whole, 'ci')}.** Where every file that the fix changes was "
        f"shown to the agent, {_of(whole, 'found_all_solved', 'found_all')} trials were solved, "
        f"otherwise {_of(whole, 'otherwise_solved', 'otherwise')}. The difference is "
        f"{_points(whole)}. {alike}"
    ]


def _short_same_task(tables: Tables) -> list[str]:
    rows = [row for row in tables["b_within"] if row["level"] == "files_shown"]
    if not tables["b_solved"] or not number(rows[0], "one_found_all"):
        return []
    whole, (everyone, *single) = tables["b_solved"][0], rows
    who = _listed([f"in {row['one_found_all']} that was {row['shown_all_to']}" for row in single])
    held = (
        f" With task and agent held fixed, the difference between nothing and everything shown is "
        f"{_slope(whole, 'within')}."
        if whole["within_slope"] is not None
        else ""
    )
    noun = (
        "tasks" if everyone["one_found_all"] == everyone["tasks"] else "pairs of trials of a task"
    )
    return [
        f"- **On the same task: {_word(whole, 'within')}.** In {everyone['one_found_all']} {noun} one "
        f"agent was shown everything and the other was not; {who}. Only the one that was shown "
        f"everything solved {everyone['only_finder_solved']} of these {noun.split()[0]}, only the "
        f"other one {everyone['only_other_solved']}.{held}"
    ]


def _short_failed(tables: Tables) -> list[str]:
    shown = [r for r in tables["a_found"] if (r["step"], r["verdict"]) == ("files_shown", "failed")]
    failed: Row = {name: sum(int(number(r, name)) for r in shown) for name in ("every", "n")}
    complete = [
        row
        for row in tables["c_chain"]
        if row["verdict"] == "failed" and row["place"] in (COMPLETE, FILES_ONLY)
    ]
    if not failed["n"]:
        return []
    return [
        f"- **Failed trials.** In {_of(failed, 'every', 'n')} failed trials every relevant file was "
        f"shown. In {sum(int(number(row, 'trials')) for row in complete)} of them no step is "
        "missing: everything that we can see was found and edited, and the tests still fail."
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
            [
                *("agent", "trials", "solved", "cost", "calls", "no verdict", "no trace"),
                *("no patch", "empty patch (of these solved)"),
            ],
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
                    f"{row['empty_patch']} ({row['empty_patch_solved']})",
                ]
                for row in rows
            ],
        ),
        "*No trace*: the published log is empty; these trials count only where no log is needed. "
        "*No patch*: nothing was published; the edited files are then those that the agent's calls "
        "wrote, and the edited functions are not known. *Empty patch*: what was published edits no "
        "file, often a text such as “No patch generated” in place of a patch. Such a trial counts as "
        "having edited nothing, in solved trials too, so the rows about edits are a little too low "
        "for an agent that has them.",
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
    missing = (
        "In some trials it is not known which needed functions were shown, so the rows of functions "
        f"have fewer trials. The reasons: {why}. [What these words "
        "mean](../../docs/guides/functions.md#when-a-number-is-missing). "
        if why
        else ""
    )
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
        f"{missing}Table: [a_found.csv](tables/a_found.csv), [a_unknown.csv](tables/a_unknown.csv).",
    ]


def _solved(tables: Tables) -> list[str]:
    if not tables["b_solved"]:
        return []
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
    rows = [row for row in tables["b_within"] if row["one_found_all"]]
    if not rows or not tables["b_solved"]:
        return []
    whole = tables["b_solved"][0]
    functions = next(
        (row for row in tables["f_choices"] if row["choice"] == "every needed function shown"), None
    )
    levels = {"files_shown": "relevant files", "functions_shown": "needed functions"}
    slopes = f"{_slope(whole, 'within')} for files"
    if whole["within_slope"] is None:
        slopes = "an unknown share for files"
    if functions is not None and functions["within_slope"] is not None:
        slopes += f" and {_slope(functions, 'within')} for functions"
    return [
        "### The same task, two agents",
        "Whether a task is simple moves both what is found and what is solved. So we look at pairs "
        "of trials of the same task in which one agent was shown everything and the other was not:",
        _markdown(
            [
                *("everything means", "shown to", "pairs", "one was shown all", "only it solved"),
                *("only the other", "both", "none"),
            ],
            [
                [
                    levels[str(row["level"])],
                    row["shown_all_to"],
                    row["pairs"],
                    row["one_found_all"],
                    row["only_finder_solved"],
                    row["only_other_solved"],
                    row["both_solved"],
                    row["none_solved"],
                ]
                for row in rows
            ],
        ),
        "If one agent is nearly always the one that was shown everything, a pair compares two agents "
        "as much as two states of knowledge: whatever else that agent does better counts too. With "
        "task and agent held fixed, the share of solved trials between nothing and everything shown "
        f"differs by {slopes}. Over the means of tasks, with nothing held fixed, it is "
        f"{_slope(whole, 'across')} for files. An interval that holds 0 leaves the question open; an "
        "end beyond 100 points is printed as 100, because a share cannot change by more. "
        "Table: [b_within.csv](tables/b_within.csv).",
    ]


def _chain(tables: Tables) -> list[str]:
    failed = [row for row in tables["c_chain"] if row["verdict"] == "failed"]
    agents = list(dict.fromkeys(str(row["agent"]) for row in failed))
    places = list(dict.fromkeys(str(row["place"]) for row in failed))
    cells = {(row["place"], row["agent"]): row for row in failed}
    if not any(number(row, "of") for row in failed):
        return []
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
    rows = [row for row in tables["d_looked_at"] if row["n"] or row["files_n"]]
    return [
        "## (d) How much is looked at that is not needed, and what does it cost?",
        _markdown(
            [
                *("agent", "verdict", "trials", "functions shown", "needed", "times", "median"),
                *("files shown that were needed", "characters shown from relevant files"),
            ],
            [
                [
                    row["agent"],
                    row["verdict"],
                    row["n"],
                    _decimal(row, "functions_shown", 1),
                    _decimal(row, "functions_needed", 1),
                    _decimal(row, "times", 0),
                    _decimal(row, "median_times", 0),
                    _share(row, "files_needed", "files_n"),
                    _share(row, "chars_needed", "chars_n"),
                ]
                for row in rows
            ],
        ),
        "*Times* is the sum of functions shown divided by the sum of functions needed, *median* the "
        "median over trials; shares are means over the trials in brackets. "
        "Table: [d_looked_at.csv](tables/d_looked_at.csv).",
        *_cost(tables),
    ]


def _cost(tables: Tables) -> list[str]:
    by_verdict = {row["group"]: row for row in tables["d_cost"] if row["by"] == "verdict"}
    priced = [str(row["agent"]) for row in tables["totals"] if row["cost_usd"] is not None]
    if not priced:
        return ["No agent's logs state a price."]
    everyone = len(priced) == len(tables["totals"])
    parts = [
        "Prices are those that the logs state."
        if everyone
        else f"Only the logs of {_listed(priced)} state a price."
    ]
    if "failed" in by_verdict and "solved" in by_verdict:
        failed, solved = by_verdict["failed"], by_verdict["solved"]
        parts.append(
            f"Failed trials cost {_dollars(failed, 'cost_usd')} of "
            f"{_dollars(by_verdict['all'], 'cost_usd')}: a failed trial "
            f"{_dollars(failed, 'mean_cost_usd')}, a solved one {_dollars(solved, 'mean_cost_usd')}."
        )
    quarters = [row for row in tables["d_cost"] if row["by"] == "functions shown"]
    if not quarters:
        return [" ".join(parts)]
    return [
        " ".join([*parts, "In quarters, by the number of functions shown:"]),
        _markdown(
            ["functions shown", "trials", "cost a trial", "calls a trial", "solved"],
            [
                [
                    row["group"],
                    row["n"],
                    _dollars(row, "mean_cost_usd"),
                    _decimal(row, "mean_calls", 0),
                    _percent(row, "solved", "n"),
                ]
                for row in quarters
            ],
        ),
        "Harder tasks take longer and show more, so this does not say that looking costs success. "
        "Table: [d_cost.csv](tables/d_cost.csv).",
    ]


def _paired(tables: Tables, answer: Sequence[str]) -> list[str]:
    words = {"found": "relevant files shown", "used": "relevant files read", "result": "solved"}
    rows = [
        row for row in tables["e_answer"] if row["question"] in words and row["delta"] is not None
    ]
    if not rows:
        return []
    return [
        "## (e) How do the agents differ?",
        "groundtrace's own paired answer, over the tasks that both have (“it” is the second agent of the table below):",
        "\n".join(f"> {line}\n>" for line in answer).removesuffix("\n>"),
        _markdown(
            [
                *("agents", "", "first", "second", "difference (simultaneous 95 % interval)"),
                *("verdict", "tasks better / same / worse"),
            ],
            [
                [
                    f"{row['baseline_agent']}, {row['agent']}",
                    words[str(row["question"])],
                    f"{100 * number(row, 'baseline'):.1f} %",
                    f"{100 * number(row, 'config'):.1f} %",
                    _points(row, "delta"),
                    row["verdict"],
                    f"{row['better']} / {row['same']} / {row['worse']}",
                ]
                for row in rows
            ],
        ),
        "The intervals of this table hold all together with 95 %. The agents may also differ in their models, so this compares two whole systems. The page of "
        "the run, with every metric: [report.md](report.md). "
        "Table: [e_answer.csv](tables/e_answer.csv).",
    ]


def _choices(tables: Tables) -> list[str]:
    if not tables["f_choices"]:
        return []
    drawn = any(row["ci_low"] is not None for row in tables["f_choices"])
    return [
        "## (f) How does the result move under other choices?",
        *["![The difference under each choice](figures/choices.svg)"] * drawn,
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
        "above says how many there are. If shell commands are ignored, an agent that works only in a shell was shown nothing at "
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
                        f"{row['agent']}: {_decimal(row, 'times', 0)} times (median "
                        f"{_decimal(row, 'median_times', 0)})"
                        for row in times
                    ),
                    "published, over 16,758 trajectories: functions that agents look at for each one that has to change; "
                    "here: functions of which at least one line was shown, against functions in "
                    "which the accepted fix changes lines",
                ],
            ],
        ),
        "We know both published figures only as others cite them: neither the papers nor their code "
        "were at hand, so we name no source that we could not check. They are about other agents and "
        "tasks.",
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
    whole = tables["b_solved"][0] if tables["b_solved"] else None
    agents = len(tables["totals"])
    return [
        "## What may not be concluded",
        "\n".join(
            [
                "- **Not a cause.** Nobody decided at random which files an agent was shown. A hard "
                "task is found less and solved less; an agent that understands a problem finds the "
                "file because it understands it.",
                f"- **{NUMBERS.get(agents, str(agents))} agent{'s' * (agents > 1)} only.** How much of "
                "a difference is the luck of a single trial can be seen only from several trials of "
                "one agent at one task. Agents differ in harness and model at once.",
                *_few(whole),
                "- **Verdicts as published.** Whether a trial is solved is what its makers' files "
                "say. We ran no tests.",
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


def _few(whole: Row | None) -> list[str]:
    if whole is None:
        return []
    return [
        f"- **Who misses something.** Everything here about missing files rests on "
        f"{whole['otherwise']} of {number(whole, 'otherwise') + number(whole, 'found_all'):.0f} "
        "trials, fewer in each row of a group. Only tasks in which agents differ say something "
        "about the same task."
    ]


NUMBERS = {1: "One", 2: "Two", 3: "Three", 4: "Four", 5: "Five"}

_PRINT = """## Print it again

```sh
python -m studies.swe_bench_verified DATA           # measures, then prints tables, figures, this page
python -m studies.swe_bench_verified                # prints them again from tables/trials.csv
```

DATA is a folder with a folder `AGENT/trajs` for each agent, the tasks `verified.jsonl` and bare repositories `repos/OWNER__NAME.git` with the tasks' base commits (without them nothing is known of functions). [trials.csv](tables/trials.csv) has one row per trial; all tables but the paired answer follow from it. groundtrace's own results, with a page for every trial, are then in `results/` (not part of the repository). Other agents' trials are studied in the same way: put their folders into DATA in place of these, write the page elsewhere with `--out`, and give `--reader` for a format that needs [a mapping](../../docs/guides/map-a-format.md).
"""

_SOURCES = {
    "mini-swe-agent-gemini-3-pro": "| `mini-swe-agent-gemini-3-pro/` (mini-swe-agent 1.15 with Gemini 3 Pro: trajectories, reports) | github.com/gruckion/mini-swe-agent at commit d12a71a, `swebench_results/20251118_gemini-3-pro-74pct` | MIT | `d49c7d6225bb90013e3a6efd852a3b484f81d063dcbf27072ee3488b4614b9c2` (tar.xz) |",
    "vorflux": "| `vorflux/` (trajectories, patches, list of solved tasks) | github.com/piyushhhxyz/vorflux-swe-benchmarks at commit 9e2acad, the folder below `evaluation/verified/` whose name begins with `20250519_` | MIT | `c358ce7d855c410c7a3e470e1afe51ad9687f5c601d0ae9b399850eec792edfc` (tar.xz) |",
}
"""Where the agents' folders come from."""

_TASKS_AND_REPOS = """| `verified.jsonl` (the 500 tasks: `instance_id`, `repo`, `base_commit`, `version`, `difficulty`, `patch`, `test_patch`) | SWE-bench/swe-bench-tasks at commit 3d07b46 | not stated | `37390001dfa74d04546c20988f21127e302020a5eb69aa896e8abd227a18ce2f` |
| `repos/` | the tasks' repositories on GitHub at their base commits; [bare clones](../../docs/guides/functions.md#repositories) are enough | each its own | – |

Our copies differ from the sources in one way: names of people, keys and hosts of packages are masked. Our `repos/` has no clone of pylint, and only the Python files that trials touched or patches change. [vorflux.toml](vorflux.toml) is [the mapping](../../docs/guides/map-a-format.md) that reads vorflux's format."""


def _inputs(tables: Tables) -> list[str]:
    """How to print it again; the table of sources only if they are the sources."""
    agents = [str(row["agent"]) for row in tables["totals"]]
    if not set(agents) <= set(_SOURCES):
        return [_PRINT.rstrip()]
    heads = "| input | source | licence | SHA-256 of the file as we had it |\n|---|---|---|---|"
    return [
        _PRINT.rstrip(),
        "\n".join([heads, *(_SOURCES[agent] for agent in agents), _TASKS_AND_REPOS]),
    ]


# --- numbers as words ---------------------------------------------------------------------------


def _markdown(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def _of(row: Row, part: str, whole: str) -> str:
    if not row[whole]:
        return "–"
    share = 100 * number(row, part) / number(row, whole)
    return f"{row[part]} of {row[whole]} ({share:.0f} %)"


def _decimal(row: Row, name: str, digits: int) -> str:
    return "–" if row[name] is None else f"{number(row, name):.{digits}f}"


def _share(row: Row, name: str, n: str) -> str:
    return "–" if row[name] is None else f"{100 * number(row, name):.0f} % ({row[n]})"


def _percent(row: Row, part: str, whole: str) -> str:
    return f"{100 * number(row, part) / number(row, whole):.0f} %"


def _points(row: Row, name: str = "difference") -> str:
    if row[name] is None:
        return "–"
    if row["ci_low"] is None or row["ci_high"] is None:
        return f"{_signed(100 * number(row, name))} points (no interval)"
    low, high = (_signed(100 * number(row, end)) for end in ("ci_low", "ci_high"))
    return f"{_signed(100 * number(row, name))} points ({low} to {high})"


def _slope(row: Row, name: str) -> str:
    if row[f"{name}_slope"] is None:
        return "–"
    middle = _signed(100 * number(row, f"{name}_slope"))
    if row[f"{name}_low"] is None or row[f"{name}_high"] is None:
        return f"{middle} points (no interval)"
    ends = (max(-1.0, min(1.0, number(row, f"{name}_{end}"))) for end in ("low", "high"))
    low, high = (_signed(100 * end) for end in ends)
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


def _crude(row: Row) -> str:
    """The odds ratio of the counts as they are, to read the adjusted one against."""
    sides = [
        (number(row, f"{side}_solved"), number(row, side)) for side in ("found_all", "otherwise")
    ]
    odds = [solved / (n - solved) for solved, n in sides if n > solved]
    if len(odds) < 2 or not odds[1]:
        return ""
    return f"; over all tasks alike it would be {odds[0] / odds[1]:.1f} times"


def _signed(value: float) -> str:
    return f"{value:+.0f}".replace("-", "\N{MINUS SIGN}").replace("+0", "0")


def _dollars(row: Row, name: str) -> str:
    return f"${number(row, name):,.2f}"


def _listed(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
