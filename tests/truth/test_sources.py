"""Every form of ground truth in task directories, and what the chain reads from it (D25–D29)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest

from groundtrace.config import TruthSourceName
from groundtrace.model import GroundTruth, Task, TruthResult
from groundtrace.storage import LocalFolder
from groundtrace.truth import load_ground_truth
from groundtrace.truth.sources import ON_REQUEST, SOURCES

FIXTURES = Path(__file__).parents[1] / "fixtures" / "truth"

RECORD = "tests/ground_truth.json"


def load(name: str, *chosen: str) -> TruthResult:
    """The truth of a fixture, from every source unless some are chosen."""
    task = Task(name=name, benchmark="made_up", folder=LocalFolder(FIXTURES / name))
    return load_ground_truth(task, None, chosen or ("all",))


@dataclass(frozen=True)
class Expected:
    """What a task directory must give."""

    files: tuple[str, ...]
    source: str | None = RECORD
    confidence: str | None = "high"
    edits: tuple[str, ...] = ()
    edits_from: tuple[str, str] | None = None
    chunks: tuple[tuple[str, int, int, str | None], ...] = ()
    symbols: tuple[tuple[str, str, str | None], ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    """File and kind, in order."""


UNKNOWN = (RECORD, "no_ground_truth")
BY_SPEC = ("tests/task_spec.json", "medium")
BY_ORACLE = ("tests/oracle_answer.json", "medium")
"""Whoever is compared with an oracle is asked for an answer: no edit is expected (D193)."""

EXPECTED = {
    "plain-list": Expected(("lib/store.py", "lib/index.py")),
    "curated": Expected(
        ("lib/parcel/packer.py", "lib/parcel/labels.py"),
        symbols=(("lib/parcel/packer.py", "Packer.pack", None),),
    ),
    "curated-several-repositories": Expected(
        ("brewery::kettle/boil.go", "tap-client::pour.go"),
        symbols=(("kettle/boil.go", "Boil", "sg-evals/brewery--4d2f9a01"),),
    ),
    "hand-made-with-root-cause": Expected(
        ("orchard/db/rows.py", "orchard/db/locks.py", "tests/db/test_locks.py")
    ),
    "repository-as-first-folder": Expected(("weir/clients/gate.java", "sluice/core/Flow.java")),
    "rubric-with-literal-patterns": Expected(
        ("pkg/apis/port/v2/kinds.go", "dock/berth.go"), problems=((RECORD, "regex_pattern"),)
    ),
    "rubric-without-paths": Expected(
        (),
        None,
        None,
        problems=(
            (RECORD, "regex_pattern"),
            (RECORD, "no_file_list"),
            ("instruction.md", "no_file_list"),
            UNKNOWN,
        ),
    ),
    "tuples": Expected(
        ("lamp::source/lens/beam.cc", "foghorn::src/horn.cc"),
        symbols=(
            ("source/lens/beam.cc", "Beam::turn", "lighthouse/lamp"),
            ("src/horn.cc", "blow", "sg-evals/foghorn--v1.2.0"),
            ("source/lens/beam.cc", "Beam::stop", "lighthouse/lamp"),
        ),
    ),
    "single-function": Expected(
        ("source/lens/request.cc",), symbols=(("source/lens/request.cc", "onReady", None),)
    ),
    "single-function-id-only": Expected(
        ("source/lens/request.cc",), symbols=(("source/lens/request.cc", "onReady", None),)
    ),
    "performance": Expected(
        ("statpack/core/order.py",), symbols=(("statpack/core/order.py", "median", None),)
    ),
    "question": Expected(
        ("abacus::src/bead.py",),
        "tests/oracle_answer.json",
        "medium",
        edits_from=BY_ORACLE,
        problems=((RECORD, "no_file_list"),),
    ),
    "whole-repository-context": Expected(
        (), None, None, problems=((RECORD, "no_file_list"), UNKNOWN)
    ),
    "python-literal": Expected(("Kiosk/src/app.js", "Kiosk/src/menu.js", "Kiosk/src/pay.js")),
    "python-call": Expected((), None, None, problems=((RECORD, "no_file_list"), UNKNOWN)),
    "required-and-sufficient": Expected(
        ("gears::gears/Cargo.toml", "Cargo.lock", "clockwork::src/shaft.rs")
    ),
    "required-and-sufficient-nested": Expected(("clockwork::src/dial.rs",)),
    "fix-files": Expected(("srv/queue.go", "srv/queue_test.go")),
    "affected-by-repository": Expected(
        ("mint::coin.proto", "till::till/count.py", "safe::vault/open.py")
    ),
    "error-chain": Expected(("kiln::heat/ctl.go", "fire/door.go")),
    "buggy-files": Expected(("net/pump/valve.c",)),
    "drift-points": Expected(("src/conf/base.py", "src/conf/env.py")),
    "dead-code": Expected(("src/old/unused.ts",)),
    "directories-and-other-entries": Expected(
        (
            "src/kept.go",
            "src/lined.go",
            "src/named.cc",
            "src/kept too.md",
        ),
        problems=((RECORD, "directory_entry"), (RECORD, "bad_entry")),
    ),
    "broken-then-defects": Expected(
        ("source/filter.cc", "source/filter.h"),
        "tests/expected_defects.json",
        chunks=(
            ("source/filter.cc", 155, 157, "bug: the delay is taken twice"),
            ("source/filter.cc", 201, 201, "wrong sign"),
        ),
        problems=(
            (RECORD, "broken_json"),
            ("tests/expected_defects.json", "chunk_without_lines"),
        ),
    ),
    "empty-list-then-changes": Expected(
        ("src/ferry/client/v3/client.go", "src/ferry/deck.go"),
        "tests/expected_changes.json",
        edits=("src/ferry/client/v3/client.go", "src/ferry/deck.go"),
        edits_from=("tests/expected_changes.json", "high"),
        problems=((RECORD, "no_file_list"),),
    ),
    "single-change-with-lines": Expected(
        ("src/handle.go",),
        "tests/expected_changes.json",
        edits=("src/handle.go",),
        edits_from=("tests/expected_changes.json", "high"),
        chunks=(("src/handle.go", 200, 250, "close the handle"),),
    ),
    "defects-in-an-object": Expected(
        ("web/form.ts",),
        "tests/expected_defects.json",
        chunks=(("web/form.ts", 3, 9, "lost update"),),
    ),
    "patch": Expected(
        ("GNUmakefile", "scan/match.go"),
        "tests/reference_fix.patch",
        edits=("GNUmakefile", "scan/match.go", "scan/added.go"),
        edits_from=("tests/reference_fix.patch", "high"),
    ),
    "patch-with-a-record": Expected(
        ("scan/match.go", "scan/table.go"),
        edits=("GNUmakefile", "scan/match.go", "scan/added.go"),
        edits_from=("tests/expected.diff", "high"),
    ),
    "patch-under-another-name": Expected(
        ("GNUmakefile", "scan/match.go"),
        "tests/expected.patch",
        edits=("GNUmakefile", "scan/match.go", "scan/added.go"),
        edits_from=("tests/expected.patch", "high"),
    ),
    "patch-that-only-adds": Expected(
        ("scan/match.go",),
        "instruction.md",
        "medium",
        edits=("scan/added.go",),
        edits_from=("tests/reference_fix.patch", "high"),
        problems=(("tests/reference_fix.patch", "no_file_list"),),
    ),
    "patch-cut-off": Expected(
        ("GNUmakefile", "scan/match.go"),
        "tests/reference_fix.patch",
        edits=("GNUmakefile", "scan/match.go"),
        edits_from=("tests/reference_fix.patch", "high"),
        problems=(("tests/reference_fix.patch", "bad_patch"),),
    ),
    "patch-in-config": Expected(
        ("GNUmakefile", "scan/match.go"),
        "tests/config.json",
        edits=("GNUmakefile", "scan/match.go", "scan/added.go"),
        edits_from=("tests/config.json", "high"),
    ),
    "config-without-patch": Expected((), None, None, problems=(UNKNOWN,)),
    "solve-script": Expected(
        ("build/run.sh", "src/pump.cc"),
        "solution/solve.sh",
        "medium",
        edits=("build/run.sh", "src/pump.cc", "src/fresh.cc"),
        edits_from=("solution/solve.sh", "medium"),
    ),
    "solve-script-cut-off": Expected(
        ("src/pump.cc",),
        "solution/solve.sh",
        "medium",
        edits=("src/pump.cc",),
        edits_from=("solution/solve.sh", "medium"),
        problems=(("solution/solve.sh", "bad_patch"),),
    ),
    "solve-script-without-patch": Expected(
        (), None, None, problems=(("solution/solve.sh", "no_file_list"), UNKNOWN)
    ),
    "named-in-instruction": Expected(
        ("src/web/forms/label.cs", "src/web/forms/member.cs"), "instruction.md", "medium"
    ),
    "bare-names-in-instruction": Expected(
        ("pkg/ledger/book.go", "pkg/ledger/page.go"),
        "instruction.md",
        "low",
        problems=(("instruction.md", "no_file_list"),),
    ),
    "inspected-by-test-script": Expected(
        ("src/ledger/post.py", "src/ledger/book.py"),
        "tests/test.sh",
        "low",
        problems=(("instruction.md", "no_file_list"),),
    ),
    "oracle-answer": Expected(
        ("servant::Cargo.toml", "butler::src/tray.rs"),
        "tests/oracle_answer.json",
        "medium",
        symbols=(("src/tray.rs", "Tray.carry", "sg-evals/butler--v2.0"),),
        edits_from=BY_SPEC,
    ),
    "oracle-chain-only": Expected(
        ("butler::src/tray.rs",), "tests/oracle_answer.json", "medium", edits_from=BY_ORACLE
    ),
    "task-spec": Expected(
        ("wharf::client/v3/go.mod",),
        "tests/task_spec.json",
        "medium",
        symbols=(("client/v3/client.go", "Client", "wharf-io/wharf"),),
        edits_from=BY_SPEC,
    ),
    "task-spec-chains-only": Expected(
        ("wharf::a.go", "pier::b.go"), "tests/task_spec.json", "medium", edits_from=BY_SPEC
    ),
    "task-toml": Expected(
        ("flagon::src/flagon/config.py", "flagon::src/flagon/scaffold.py"), "task.toml", "medium"
    ),
    "record-wins-over-task-toml": Expected(("src/this.py",)),
    "companion-only": Expected(("src/seen.py",), "tests/ground_truth_agent.json", "low"),
    "companion-disagrees": Expected(("src/verified.py",)),
    "placeholder-chunks-in-annotation": Expected(
        ("src/Label.cs",),
        problems=((RECORD, "placeholder_chunk"), (RECORD, "placeholder_edits")),
    ),
    "placeholder-chunks-in-text": Expected(
        ("net/sock.c",),
        chunks=(("net/sock.c", 700, 744, "the caller"),),
        symbols=(("net/sock.c", "sock_reuse", None),),
        problems=((RECORD, "placeholder_chunk"), (RECORD, "placeholder_edits")),
    ),
    "placeholder-chunks-unmarked": Expected(
        ("proto/http/channel.cpp",), problems=((RECORD, "placeholder_chunk"),)
    ),
    "curated-chunks": Expected(
        ("src/seen.py", "src/also.py"),
        edits=("src/seen.py",),
        edits_from=(RECORD, "medium"),
        chunks=(("src/seen.py", 1, 50, "imports"), ("src/seen.py", 90, 120, "the loop")),
        problems=((RECORD, "chunk_without_lines"),),
    ),
    "chunks-from-defects": Expected(
        ("source/filter.cc", "source/filter.h"), chunks=(("source/filter.cc", 155, 157, "twice"),)
    ),
    "symbols-from-task-spec": Expected(
        ("client.go",),
        symbols=(("client.go", "FromSpec", "wharf-io/wharf"),),
        edits_from=BY_SPEC,
    ),
    "nothing": Expected((), None, None, problems=(UNKNOWN,)),
}


def test_every_fixture_has_an_expectation() -> None:
    assert {path.name for path in FIXTURES.iterdir() if path.is_dir()} == set(EXPECTED)


def parts(truth: GroundTruth) -> dict[str, object]:
    edits_from = None
    if truth.expected_edit_files_source is not None:
        edits_from = (truth.expected_edit_files_source, truth.expected_edit_files_confidence)
    return {
        "files": tuple(file.spelling for file in truth.files),
        "source": truth.source,
        "confidence": truth.confidence,
        "edits": tuple(file.spelling for file in truth.expected_edit_files),
        "edits_from": edits_from,
        "chunks": tuple((c.file, c.line_start, c.line_end, c.annotation) for c in truth.chunks),
        "symbols": tuple((s.file, s.symbol, s.repo) for s in truth.symbols),
    }


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_task_directory_gives(name: str) -> None:
    result = load(name)
    expected = EXPECTED[name]
    said = parts(result.truth)
    assert said == {key: getattr(expected, key) for key in said}
    assert [(problem.file, problem.kind) for problem in result.problems] == list(expected.problems)


def test_a_named_repository_is_kept_raw_beside_the_short_spelling() -> None:
    """`spelling` is for people and D17, `repo` for `paths`, which alone reduces names (D14)."""
    first, second = load("tuples").truth.files
    assert (first.spelling, first.path, first.repo) == (
        "lamp::source/lens/beam.cc",
        "source/lens/beam.cc",
        "lighthouse/lamp",
    )
    assert (second.path, second.repo) == ("src/horn.cc", "sg-evals/foghorn--v1.2.0")


def test_a_path_and_symbol_is_not_a_repository_and_path() -> None:
    """In `function_id` the `::` comes after a path."""
    (file,) = load("single-function-id-only").truth.files
    assert (file.path, file.repo) == ("source/lens/request.cc", None)


def test_problems_name_the_file_and_say_why() -> None:
    problems = {problem.kind: str(problem) for problem in load("broken-then-defects").problems}
    assert problems["broken_json"].startswith("tests/ground_truth.json: not valid JSON at line 1:")
    (problem, _) = load("whole-repository-context").problems
    assert "context_files" in problem.reason
    _, several = load("directories-and-other-entries").problems
    assert several.reason.endswith("(and 5 more like it)")


@pytest.mark.parametrize("name", ["oracle-answer", "task-spec", "companion-only", "question"])
def test_oracles_and_truth_of_agents_count_only_on_request(name: str) -> None:
    """D192: the specification leaves them out; their symbols stay, and the reason is said."""
    every, default = load(name), load(name, "default")
    source = every.truth.source
    assert source in ON_REQUEST
    assert (default.truth.files, default.truth.source, default.truth.confidence) == ((), None, None)
    assert default.truth.symbols == every.truth.symbols
    off = [problem.file for problem in default.problems if problem.kind == "truth_source_off"]
    assert source in off
    assert load(name, "default", source).truth == load(name, source).truth == every.truth


def test_a_chosen_source_is_the_only_one() -> None:
    """Names alone choose just these; `default` keeps the specification's."""
    assert load("companion-disagrees", "tests/ground_truth_agent.json").truth.source == (
        "tests/ground_truth_agent.json"
    )
    assert load("companion-disagrees", "default").truth.source == RECORD


def test_truth_that_an_agent_made_has_low_confidence() -> None:
    made = {source.path: source.confidence for source in SOURCES if "agent" in source.path}
    assert set(made.values()) == {"low"}


def test_the_names_of_the_option_are_those_of_the_sources() -> None:
    names = [name for name in get_args(TruthSourceName) if name not in ("default", "all")]
    assert set(names) == {source.path for source in SOURCES} - {"test.patch"}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('[artifacts]\nrequired = ["answer"]\noptional = ["code_patch"]', True),
        ('[artifacts]\nrequired = ["incident_report"]', True),
        ('[artifacts]\nrequired = ["answer", "code_patch"]', False),
        ("[artifacts]\nrequired = []", False),
        ("[artifacts]\nrequired = [3]", False),
        ('[task]\nverification_modes = ["artifact"]', True),
        ('[task]\nverification_modes = ["artifact", "direct"]', False),
        ('[task]\ncategory = "fix"', False),
    ],
)
def test_a_definition_can_ask_for_an_answer(tmp_path: Path, text: str, answer: bool) -> None:
    """D193: only what is required counts; an artifact that can be a change is one."""
    (tmp_path / "task.toml").write_text(text)
    (tmp_path / "tests").mkdir()
    (tmp_path / RECORD).write_text('["src/a.py"]')
    truth, _ = load_ground_truth(Task("t", "s", LocalFolder(tmp_path)))
    assert truth.expected_edit_files == ()
    assert (truth.expected_edit_files_source == "task.toml") is answer
    (tmp_path / "tests/expected_changes.json").write_text('{"expected_files": ["src/a.py"]}')
    known, _ = load_ground_truth(Task("t", "s", LocalFolder(tmp_path)))
    assert known.expected_edit_files_source == "tests/expected_changes.json"


def test_a_defect_keeps_its_type(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    defect = {"file": "a.py", "line_start": 2, "line_end": 3, "defect_type": "race"}
    for more, said in (
        ({}, "race"),
        ({"description": "two writers"}, "race: two writers"),
        ({"type": "bug", "severity": "critical"}, "race"),
    ):
        (tmp_path / "tests/expected_defects.json").write_text(json.dumps([{**defect, **more}]))
        truth, _ = load_ground_truth(Task("t", "s", LocalFolder(tmp_path)))
        assert truth.chunks[0].annotation == said
    (tmp_path / "tests/expected_defects.json").write_text(
        json.dumps([{"id": "d1", "file": "a.py", "line_start": 2, "line_end": 3, "type": "bug"}])
    )
    truth, _ = load_ground_truth(Task("t", "s", LocalFolder(tmp_path)))
    assert truth.chunks[0].annotation == "bug"
