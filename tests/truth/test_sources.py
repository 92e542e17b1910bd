"""Every form of ground truth in task directories, and what the chain reads from it (D25–D29)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from groundtrace.model import GroundTruth, Task, TruthResult
from groundtrace.storage import LocalFolder
from groundtrace.truth import load_ground_truth

FIXTURES = Path(__file__).parents[1] / "fixtures" / "truth"

RECORD = "tests/ground_truth.json"


def load(name: str) -> TruthResult:
    return load_ground_truth(
        Task(name=name, benchmark="made_up", folder=LocalFolder(FIXTURES / name))
    )


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
            "/workspace/src/kept.go",
            "src/lined.go",
            "src/named.cc",
            "src/kept too.md",
            "./src/kept.go",
        ),
        problems=((RECORD, "directory_entry"), (RECORD, "bad_entry")),
    ),
    "broken-then-defects": Expected(
        ("source/filter.cc", "source/filter.h"),
        "tests/expected_defects.json",
        chunks=(
            ("source/filter.cc", 155, 157, "the delay is taken twice"),
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
    ),
    "oracle-chain-only": Expected(("butler::src/tray.rs",), "tests/oracle_answer.json", "medium"),
    "task-spec": Expected(
        ("wharf::client/v3/go.mod",),
        "tests/task_spec.json",
        "medium",
        symbols=(("client/v3/client.go", "Client", "wharf-io/wharf"),),
    ),
    "task-spec-chains-only": Expected(
        ("wharf::a.go", "pier::b.go"), "tests/task_spec.json", "medium"
    ),
    "task-toml": Expected(
        ("flagon::src/flagon/config.py", "flagon::src/flagon/scaffold.py"), "task.toml", "medium"
    ),
    "record-wins-over-task-toml": Expected(("src/this.py",)),
    "companion-only": Expected(("src/seen.py",), "tests/ground_truth_agent.json", "medium"),
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
        ("client.go",), symbols=(("client.go", "FromSpec", "wharf-io/wharf"),)
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
