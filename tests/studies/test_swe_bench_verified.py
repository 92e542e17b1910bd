"""The study on SWE-bench Verified: page, tables and figures belong together and to the raw data."""

from __future__ import annotations

import csv
import os
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from studies.swe_bench_verified import measure
from studies.swe_bench_verified.__main__ import HERE, printed
from studies.swe_bench_verified.csv_tables import Row, Table, csv_text, read_csv
from studies.swe_bench_verified.tables import COMPLETE, FILES_ONLY, association, chain, within
from tests.functions import ast_oracle
from tests.studies.raw_figures import MINI, VORFLUX, Raw

TABLES = HERE / "tables"
MEASURED = {"tables/trials.csv", "tables/e_answer.txt", "report.md"}


def trials() -> list[dict[str, str]]:
    """The rows of trials.csv as texts."""
    with (TABLES / "trials.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


# --- without the data ---------------------------------------------------------------------------


def test_page_tables_and_figures_are_what_the_trials_give() -> None:
    expected = printed(TABLES)
    there = {
        str(path.relative_to(HERE))
        for path in HERE.rglob("*")
        if path.suffix in {".csv", ".svg", ".md", ".txt"} and "results" not in path.parts
    }
    assert there == set(expected) | MEASURED
    for name, text in expected.items():
        assert (HERE / name).read_text(encoding="utf-8") == text, name


def test_the_page_says_what_plain_counting_of_the_trials_gives() -> None:
    page = (HERE / "README.md").read_text(encoding="utf-8")
    known = [row for row in trials() if row["files_shown"]]
    every = Counter((float(row["files_shown"]) == 1, row["solved"]) for row in known)
    assert f"{every[True, '1.0']} of {every[True, '1.0'] + every[True, '0.0']} (84 %)" in page
    assert f"{every[False, '1.0']} of {every[False, '1.0'] + every[False, '0.0']} (42 %)" in page
    cost = sum(float(row["cost_usd"]) for row in trials() if row["cost_usd"])
    assert f"${cost:.2f}" == "$229.98" and "$229.98" in page
    assert "371 of 500" in page and "442 of 500" in page


def test_a_changed_trial_changes_the_page(tmp_path: Path) -> None:
    for name in ("trials.csv", "e_answer.csv", "e_answer.txt"):
        (tmp_path / name).write_bytes((TABLES / name).read_bytes())
    rows = read_csv(tmp_path / "trials.csv")
    first = next(row for row in rows if row["solved"] == 1 and row["files_shown"] == 1)
    first["solved"] = 0
    (tmp_path / "trials.csv").write_text(csv_text(rows), encoding="utf-8")
    page = printed(tmp_path)["README.md"]
    assert "782 of 928" in page and "783 of 928 (" not in page
    assert "370 of 500" in page


def test_the_answer_and_the_tables_agree() -> None:
    words = (TABLES / "e_answer.txt").read_text(encoding="utf-8")
    whole = read_csv(TABLES / "b_solved.csv")[0]
    assert f"{whole['found_all_solved']} of {whole['found_all']} trials were solved" in words
    assert f"otherwise {whole['otherwise_solved']} of {whole['otherwise']}" in words


def test_the_mapping_is_the_one_of_the_guide() -> None:
    guide = (HERE.parents[1] / "docs/guides/map-a-format.md").read_text(encoding="utf-8")
    block = re.search(r"```toml title=vorflux\.toml\n(.*?)```", guide, re.DOTALL)
    assert block is not None
    assert (HERE / "vorflux.toml").read_text(encoding="utf-8") == block[1]


def _trial(agent: str, task: str, solved: int, **given: float | None) -> Row:
    steps = ("files_met", "files_shown", "functions_shown", "files_edited", "functions_edited")
    return {
        "agent": agent,
        "task": task,
        "trial": task,
        "repo": "heron",
        "difficulty": "1-4 hours",
        "relevant_files": 2,
        "solved": solved,
        **dict.fromkeys(steps, 1.0),
        **given,
    }


def test_the_chain_breaks_at_the_first_missing_step() -> None:
    made = [
        _trial("a", "t1", 0, files_met=0.5, files_shown=0.5, functions_edited=0.0),
        _trial("a", "t2", 0, functions_shown=0.5, files_edited=0.5),
        _trial("a", "t3", 0, functions_shown=None, files_edited=0.5),
        _trial("a", "t4", 0, functions_shown=None),
        _trial("a", "t5", 0),
        _trial("a", "t6", 0, files_met=None, files_shown=None),
        _trial("a", "t7", 1),
    ]
    counts = {row["place"]: row["trials"] for row in chain(made) if row["verdict"] == "failed"}
    assert list(counts.values()) == [1, 0, 1, 1, 0, 1, 1, 1]
    assert counts[COMPLETE] == counts[FILES_ONLY] == 1


def test_pairs_of_a_task_count_only_if_one_agent_found_everything() -> None:
    made = [
        *(_trial("a", "t1", 1), _trial("b", "t1", 0, files_shown=0.5)),
        *(_trial("a", "t2", 1, files_shown=0.0), _trial("b", "t2", 0)),
        *(_trial("a", "t3", 1, files_shown=0.5), _trial("b", "t3", 1)),
        *(_trial("a", "t4", 0), _trial("b", "t4", 1)),
        *(_trial("a", "t5", 0), _trial("b", "t5", 1, files_shown=None)),
    ]
    files, of_a, of_b = within(made)[:3]
    assert files == {
        "level": "files_shown",
        "shown_all_to": "any agent",
        "pairs": 4,
        "tasks": 3,
        "one_found_all": 3,
        "only_finder_solved": 1,
        "only_other_solved": 1,
        "both_solved": 1,
        "none_solved": 0,
    }
    assert (of_a["shown_all_to"], of_a["one_found_all"], of_a["only_finder_solved"]) == ("a", 1, 1)
    assert (of_b["shown_all_to"], of_b["one_found_all"], of_b["only_other_solved"]) == ("b", 2, 1)


def test_a_trial_without_a_value_is_on_neither_side() -> None:
    made: Table = [
        _trial("a", f"t{i}", i % 2, files_shown=shown)
        for i, shown in enumerate((1.0, 1.0, 0.5, None, 0.0))
    ]
    row = association(made, "files_shown")
    assert row is not None
    assert (row["found_all"], row["found_all_solved"]) == (2, 1)
    assert (row["otherwise"], row["otherwise_solved"]) == (2, 0)


def _of_mini(rows: Table) -> Table:
    return [row for row in rows if row["agent"] == MINI]


def _third_agent(rows: Table) -> Table:
    return [*rows, *(row | {"agent": "zeta"} for row in _of_mini(rows)[:40])]


def _two_attempts(rows: Table) -> Table:
    return [*rows, *(row | {"trial": f"{row['trial']}.2"} for row in _of_mini(rows))]


def _without(*names: str) -> Callable[[Table], Table]:
    return lambda rows: [row | dict.fromkeys(names) for row in rows]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (_of_mini, "One coding agent worked on the tasks"),
        (_third_agent, "Three coding agents worked on the same tasks"),
        (_two_attempts, "pairs of trials of a task one agent was shown everything"),
        (_without("cost_usd"), "No agent's logs state a price."),
        (_without("solved"), "No trial has both a verdict and a log that could be read."),
        (_without("files_met", "files_shown", "files_read"), "No trial has both"),
        (_without("functions_shown", "functions_looked_at"), "371 of 500"),
        (_without("difficulty", "repo", "relevant_files"), "371 of 500"),
        (lambda rows: [row | {"solved": 1} for row in rows], "500 of 500"),
        (lambda rows: [row | {"files_shown": 1.0} for row in rows], "371 of 500"),
        (lambda rows: rows[:3], "of 3"),
    ],
)
def test_other_sets_of_trials_have_a_page(
    changed: Callable[[Table], Table], words: str, tmp_path: Path
) -> None:
    rows = changed(read_csv(TABLES / "trials.csv"))
    (tmp_path / "trials.csv").write_text(csv_text(rows), encoding="utf-8")
    agents = {row["agent"] for row in rows}
    for name in ("e_answer.csv", "e_answer.txt"):
        (tmp_path / name).write_bytes((TABLES / name).read_bytes() if len(agents) > 1 else b"")
    page = printed(tmp_path)["README.md"]
    assert words in page
    assert "None" not in page and "nan" not in page
    assert ("How do the agents differ" in page) == (len(agents) > 1)


# --- with the data ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def raw() -> Raw:
    folder = os.environ.get("GROUNDTRACE_STUDY", "")
    if not folder:
        pytest.skip("GROUNDTRACE_STUDY is not set")
    if not (Path(folder) / MINI / "trajs").is_dir():
        pytest.skip(f"{folder} holds no unpacked trials")
    return Raw(Path(folder))


def test_verdicts_and_cost_are_those_of_the_raw_files(raw: Raw) -> None:
    own = {(row["agent"], row["task"]): row["solved"] == "1.0" for row in trials()}
    assert own == raw.verdicts
    totals = {row["agent"]: row for row in read_csv(TABLES / "totals.csv")}
    assert totals[MINI]["solved"] == sum(raw.verdicts[MINI, task] for task in raw.tasks) == 371
    assert (
        totals[VORFLUX]["solved"] == sum(raw.verdicts[VORFLUX, task] for task in raw.tasks) == 442
    )
    assert totals[MINI]["cost_usd"] == pytest.approx(sum(raw.costs().values()))
    failed = next(row for row in read_csv(TABLES / "d_cost.csv") if row["group"] == "failed")
    spent = sum(cost for task, cost in raw.costs().items() if not raw.verdicts[MINI, task])
    assert failed["cost_usd"] == pytest.approx(spent)


def test_tasks_that_only_one_agent_solved(raw: Raw) -> None:
    row = next(row for row in read_csv(TABLES / "e_answer.csv") if row["question"] == "result")
    flips = raw.flips()
    assert (row["better"], row["worse"]) == (flips[False, True], flips[True, False])
    assert row["same"] == flips[True, True] + flips[False, False]


def test_difficulty_and_number_of_files(raw: Raw) -> None:
    by_group = {row["group"]: row for row in read_csv(TABLES / "b_solved.csv")}
    for difficulty, count in raw.solved_by("difficulty").items():
        row = by_group[difficulty]
        assert count == int(str(row["found_all_solved"])) + int(str(row["otherwise_solved"]))
    for row in trials():
        assert int(row["relevant_files"]) == len(raw.gold_files(row["task"])), row["task"]


def test_calls_of_vorflux(raw: Raw) -> None:
    totals = {row["agent"]: row for row in read_csv(TABLES / "totals.csv")}
    assert totals[VORFLUX]["calls"] == sum(map(len, raw.entries.values()))
    assert totals[VORFLUX]["no_trace"] == sum(not calls for calls in raw.entries.values())


def test_edited_files_are_those_of_the_patches(raw: Raw) -> None:
    own = {(row["agent"], row["task"]): row for row in trials()}
    without_log = {(VORFLUX, task) for task, calls in raw.entries.items() if not calls}
    assert {key for key, row in own.items() if row["edited_from"] in {"writes", ""}} == without_log
    assert all(own[key]["files_edited"] == "0.0" for key in raw.no_patch() - without_log)
    edited = {key for key, row in own.items() if row["files_edited"] == "1.0"} - raw.no_patch()
    assert edited == raw.all_edited() - without_log


def test_files_that_a_tool_for_reading_returned_were_shown(raw: Raw) -> None:
    own = {row["task"]: row["files_shown"] for row in trials() if row["agent"] == VORFLUX}
    surely = {task for task in raw.surely_shown() if raw.entries[task]}
    assert len(surely) > 300
    assert {task: own[task] for task in surely if own[task] != "1.0"} == {}


def test_files_that_a_command_printed_were_shown(raw: Raw) -> None:
    own = {row["task"]: row["files_shown"] for row in trials() if row["agent"] == MINI}
    surely = raw.surely_shown_by_shell()
    assert len(surely) > 200
    assert {task: own[task] for task in surely if own[task] != "1.0"} == {}


def test_logs_of_other_tasks_name_no_file_of_the_patch(raw: Raw) -> None:
    """Two logs of vorflux are exchanged: each is about the other's task."""
    own = {(row["agent"], row["task"]) for row in read_csv(TABLES / "f_other_log.csv")}
    assert own == {(VORFLUX, task) for task in raw.logs_of_other_tasks()}


def test_no_file_was_met_that_the_log_does_not_name(raw: Raw) -> None:
    own = {row["task"]: row for row in trials() if row["agent"] == MINI}
    for task, log in raw.logs.items():
        text = "\n".join(str(message["content"]) for message in log["messages"])
        named = sum(file.rpartition("/")[2] in text for file in raw.gold_files(task))
        most = named / len(raw.gold_files(task))
        assert float(own[task]["files_met"]) <= most + 1e-9, task


def test_needed_functions_are_those_that_ast_finds(raw: Raw) -> None:
    own = {row["task"]: row["functions_needed"] for row in trials() if row["agent"] == MINI}
    checked = 0
    for task in random.Random(0).sample(sorted(own), 20):
        row = raw.tasks[task]
        if not own[task] or not all(path.endswith(".py") for path in raw.gold_files(task)):
            continue
        repository = raw.data / "repos" / f"{row['repo'].replace('/', '__')}.git"
        paths = ast_oracle.paths_of(row["patch"])
        texts = {path: ast_oracle.text_at(repository, row["base_commit"], path) for path in paths}
        patch = ast_oracle.fitting(row["patch"], texts)
        assert float(own[task]) == len(ast_oracle.changed(patch, texts)), task
        checked += 1
    assert checked > 10


def test_a_part_of_the_study_measured_again_is_the_same(raw: Raw, tmp_path: Path) -> None:
    measure.evaluate(raw.data, tmp_path, only="psf__requests-*")
    again = csv_text(measure.trials(raw.data, tmp_path)).splitlines()
    stored = (TABLES / "trials.csv").read_text(encoding="utf-8").splitlines()
    assert again == [stored[0], *(line for line in stored if ",psf__requests-" in line)]
    assert len(again) == 17
