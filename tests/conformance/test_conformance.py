"""The conformance table names real tests and has no empty cell. Also tests of demands that no other
test covers."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from groundtrace import evaluate_trial
from groundtrace.cli.group import COMMANDS
from groundtrace.config import Settings
from groundtrace.documents import KINDS
from groundtrace.documents.schema import schema
from groundtrace.model import ToolCall, Trace
from groundtrace.tools import view_calls
from groundtrace.truth.sources import EDIT_SOURCES, SOURCES
from tests.conftest import Ran
from tests.whole_runs import run, shrink

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "conformance.md"


def rows() -> list[list[str]]:
    """Rows of every table on the page, heads and rules aside."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] != "requirement" and set(row[0]) != {"-"}]


def defined_tests() -> set[str]:
    return {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_no_cell_is_empty_and_every_named_test_exists() -> None:
    defined = defined_tests()
    assert len(rows()) > 40
    for row in rows():
        assert len(row) == 2 and all(row), row
        named = re.findall(r"`(test_\w+)`", row[1])
        assert named, f"no test holds: {row[0]}"
        assert [name for name in named if name not in defined] == [], row[0]


EVENTS_FIELDS = {
    "Provenance": "run_id batch_timestamp task_name trial_name config_name benchmark model",
    "Coverage": "has_trajectory has_transcript has_ground_truth has_chunk_ground_truth trace_source"
    " degraded_reason ground_truth_source ground_truth_confidence",
    "GroundTruthSection": "files symbols chunks expected_edit_files expected_edit_files_source"
    " expected_edit_files_confidence",
    "Symbol": "file symbol repo",
    "Chunk": "file line_start line_end annotation",
    "Event": "step_index timestamp tool_name tool_category is_mcp arguments target_files"
    " target_symbols hits_ground_truth matched_ground_truth_files is_subagent cumulative_tokens"
    " elapsed_seconds",
    "EventSummary": "total_events mcp_events local_events unique_files_accessed"
    " ground_truth_files_hit ground_truth_files_total first_ground_truth_hit_step"
    " events_by_category",
}


def test_documents_have_every_field_of_the_specification() -> None:
    made = schema("retrieval_events")
    sections = "schema_version provenance coverage ground_truth events summary"
    assert set(sections.split()) <= set(made["properties"])
    assert "summary" not in made["required"]
    for record, names in EVENTS_FIELDS.items():
        assert set(names.split()) <= set(made["$defs"][record]["properties"]), record


@pytest.mark.parametrize(
    ("tool", "arguments", "category"),
    [
        ("Read", {}, "file_read"),
        ("mcp__sourcegraph__sg_read_file", {"repo": "r", "path": "p"}, "file_read"),
        ("Glob", {"pattern": "*.go"}, "file_search"),
        ("mcp__sourcegraph__sg_list_files", {"repo": "r"}, "file_search"),
        ("mcp__sourcegraph__sg_find_references", {}, "symbol_navigation"),
        ("mcp__sourcegraph__sg_go_to_definition", {}, "symbol_navigation"),
        ("Grep", {"pattern": "x"}, "code_search"),
        ("Grep", {"path": "/workspace"}, "file_search"),
        ("mcp__sourcegraph__sg_keyword_search", {}, "code_search"),
        ("mcp__sourcegraph__sg_nls_search", {}, "code_search"),
        ("mcp__sourcegraph__sg_commit_search", {}, "commit_search"),
        ("mcp__sourcegraph__sg_diff_search", {}, "commit_search"),
        ("mcp__sourcegraph__sg_compare_revisions", {}, "commit_search"),
        ("mcp__sourcegraph__sg_deepsearch", {}, "deep_search"),
        ("mcp__sourcegraph__sg_deepsearch_read", {}, "deep_search"),
        ("Write", {}, "file_write"),
        ("Edit", {}, "file_write"),
        ("Bash", {"command": "ls"}, "other"),
        ("Task", {}, "other"),
        ("mcp__sourcegraph__sg_list_repos", {}, "other"),
        ("mcp__sourcegraph__sg_get_contributor_repos", {}, "other"),
    ],
)
def test_categories_are_those_of_the_specification(
    tool: str, arguments: dict[str, str], category: str
) -> None:
    """The whole table of the specification; Grep by its arguments (D2)."""
    (view,) = view_calls(Trace(calls=(ToolCall(tool, arguments),)), Settings())
    assert view.category == category
    assert view.is_mcp == tool.startswith("mcp__")


def test_the_chain_of_sources_is_the_specifications() -> None:
    """Its six steps with their confidence, in order; ours come after, or beside a step (D25)."""
    steps = [
        ("tests/ground_truth.json", "high"),
        ("tests/expected_defects.json", "high"),
        ("tests/expected_changes.json", "high"),
        ("tests/reference_fix.patch", "high"),
        ("tests/expected.diff", "high"),
        ("solution/solve.sh", "medium"),
        ("instruction.md", "medium"),
        ("instruction.md", "low"),
        ("tests/test.sh", "low"),
    ]
    chain = [(source.path, source.confidence) for source in SOURCES]
    assert [step for step in chain if step in steps] == steps
    last = chain.index(steps[-1])
    beside = {path for path, _ in chain[:last]} - {path for path, _ in steps}
    assert beside == {"tests/expected.patch", "tests/config.json", "gold.patch", "test.patch"}


def test_every_source_that_the_specification_does_not_name_is_named_in_a_decision() -> None:
    """Whoever checks a number against the chain must be able to read where it departs."""
    decisions = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "reference" / "ground-truth.md").read_text(encoding="utf-8")
    specification = SPECIFICATION_SOURCES.split()
    for source in SOURCES:
        assert f"`{source.path}`" in page
        if source.path not in specification:
            assert f"`{source.path}`" in decisions, source.path
    stated = [path for path in EDIT_SOURCES if path not in EDITS_OF_THE_SPECIFICATION.split()]
    assert stated == ["tests/config.json", "gold.patch", "tests/ground_truth.json"]
    assert all(f"`{path}`" in decisions for path in stated)


SPECIFICATION_SOURCES = (
    "tests/ground_truth.json tests/expected_defects.json tests/expected_changes.json"
    " tests/reference_fix.patch tests/expected.diff solution/solve.sh instruction.md tests/test.sh"
)
EDITS_OF_THE_SPECIFICATION = (
    "tests/expected_changes.json tests/reference_fix.patch tests/expected.diff"
    " tests/expected.patch solution/solve.sh"
)


def test_files_stand_where_the_specification_says(
    groundtrace: Callable[..., Ran], sample: Path
) -> None:
    run(groundtrace, shrink(sample))
    evaluated = sample / "runs/official"
    (made,) = [path for path in evaluated.iterdir() if path.name != "retrieval_events_aggregate"]
    events = made / "retrieval_events"
    assert (events / "run_retrieval_summary.json").is_file()
    documents = sorted(events.glob("*/*.retrieval_events.json"))
    assert documents
    for path in documents:
        named = json.loads(path.read_bytes())["provenance"]
        assert path.parent.name == named["config_name"]
        assert path.name == f"{named['task_name']}.retrieval_events.json"
        assert path.with_name(f"{named['task_name']}.retrieval_metrics.json").is_file()


def test_nothing_ranks_gates_or_scores() -> None:
    """No document has a field, and no command a name, for what the specification rules out."""
    ruled_out = re.compile(
        r"\brank(ing|ed)?\b|leaderboard|composite|\bgat(e|ing)\b|\bscore\b|roi\b"
    )
    names = set(COMMANDS)
    for kind in KINDS:
        made = schema(kind)
        for record in (made, *made["$defs"].values()):
            names.update(record["properties"])
    # A metric's name, and the list that an agent itself ranked: nothing here ranks agents.
    names -= {"map_score", "ranking"}
    words = {name: name.replace("_", " ") for name in names}
    assert [name for name, text in words.items() if ruled_out.search(text)] == []


def test_bad_retrieval_is_no_error(
    groundtrace: Callable[..., Ran], sample: Path, tmp_path: Path
) -> None:
    """An agent that found nothing of what it should have is a result, not a failure."""
    registry = tmp_path / "truth.json"
    tasks = {path.name: ["no/such/file.go"] for path in sample.glob("benchmarks/*/*")}
    registry.write_text(json.dumps(tasks))
    ran = groundtrace("run", sample / "runs/official", "--ground-truth", registry)
    assert ran.code == 0, ran.err


@pytest.mark.parametrize(
    ("removed", "source"),
    [("claude-code.txt", "trajectory"), ("trajectory.json", "transcript"), (None, "merged")],
)
def test_one_source_alone_gives_the_events(removed: str | None, source: str, sample: Path) -> None:
    """Degraded mode: what one source lacks costs no event that the other has."""
    trial = next(sample.glob("runs/*/*/baseline*/*/quay-timeout-fix-001__*"))
    if removed is not None:
        (trial / "agent" / removed).unlink()
    document = evaluate_trial(trial, tasks=sample / "benchmarks").events
    assert document.coverage.trace_source == source
    assert document.coverage.has_trajectory is (removed != "trajectory.json")
    assert document.coverage.has_transcript is (removed != "claude-code.txt")
    assert [event.tool_name for event in document.events] == [
        "TodoWrite",
        "Bash",
        "Read",
        "Bash",
        "Edit",
        "Bash",
    ]
