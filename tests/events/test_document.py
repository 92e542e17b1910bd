"""The events document (D1, D4, D7–D12, D17, D37, D38) and its degraded modes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, structs

from groundtrace.config import Settings
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.versions import events_as
from groundtrace.events import build_document
from groundtrace.model import (
    CallView,
    FileRef,
    GroundTruth,
    Outcome,
    Problem,
    ToolCall,
    ToolResult,
    Trace,
    Trial,
    TruthChunk,
    TruthFile,
    TruthSymbol,
)
from tests.events.trials import trial

START = 1_770_000_000.0
"""2026-02-02T02:40:00Z"""


TRUTH = GroundTruth(
    files=(TruthFile("src/flask/App.py", "src/flask/App.py"), TruthFile("setup.py", "setup.py")),
    source="tests/ground_truth.json",
    confidence="high",
)


def call(name: str = "Read", at: float | None = None, **arguments: Any) -> ToolCall:
    timestamp = None if at is None else START + at
    return ToolCall(
        name=name,
        arguments=arguments,
        call_id=f"id-{name}",
        timestamp=timestamp,
        result=ToolResult("shown"),
    )


def view(*refs: FileRef, **changes: Any) -> CallView:
    return CallView(**{"category": "file_read", "tool": "Read", "refs": refs, **changes})


def trace(*calls: ToolCall, **changes: Any) -> Trace:
    base = Trace(calls=calls, source="transcript", has_transcript=True)
    return replace(base, **changes)


def document(
    calls: list[ToolCall] | None = None,
    views: list[CallView] | None = None,
    *,
    of: Trial | None = None,
    truth: GroundTruth = TRUTH,
    problems: tuple[Problem, ...] = (),
    version: str = "1.1",
    **changes: Any,
) -> EventsDocument:
    calls = calls or []
    views = views if views is not None else [view() for _ in calls]
    settings = Settings(schema_version=version)
    return build_document(of or trial(), trace(*calls, **changes), views, truth, problems, settings)


def read(path: str, start: int | None = None, end: int | None = None) -> FileRef:
    return FileRef(path, "read", line_start=start, line_end=end)


# --- events ----------------------------------------------------------------------------------


def test_every_call_is_an_event_in_its_place() -> None:
    """D1."""
    made = document(
        [call("Read"), call("TodoWrite"), call("mcp__sourcegraph__keyword_search")],
        [
            view(),
            view(category="other", tool="TodoWrite"),
            view(category="code_search", is_mcp=True),
        ],
    )
    assert [event.step_index for event in made.events] == [0, 1, 2]
    assert [event.tool_category for event in made.events] == ["file_read", "other", "code_search"]
    assert made.events[2].tool_name == "mcp__sourcegraph__keyword_search"
    assert made.events[2].is_mcp


def test_accesses_are_one_per_file_kind_and_lines_and_targets_one_per_file() -> None:
    """D7."""
    path = "/workspace/src/flask/app.py"
    made = document(
        [call()],
        [
            view(
                read(path, 1, 20),
                read(path, 1, 20),
                read(path, 40, 60),
                FileRef(path, "written"),
                FileRef("/workspace/src/flask/", "surfaced"),
                FileRef("/workspace/README", "surfaced"),
            )
        ],
    )
    event = made.events[0]
    assert event.target_files == ["src/flask/App.py", "README"]
    assert event.accesses is not UNSET
    assert [(a.file, a.kind, a.line_start, a.line_end) for a in event.accesses] == [
        ("src/flask/app.py", "read", 1, 20),
        ("src/flask/app.py", "read", 40, 60),
        ("src/flask/app.py", "written", UNSET, UNSET),
        ("README", "surfaced", UNSET, UNSET),
    ]
    assert all(a.repo == "flask" for a in event.accesses)


def test_matched_files_are_spelled_as_the_ground_truth_spells_them() -> None:
    """D17: targets and matches have the entry's spelling, accesses keep the trace's."""
    made = document([call()], [view(read("/workspace/src/flask/app.py"))])
    event = made.events[0]
    assert event.target_files == event.matched_ground_truth_files == ["src/flask/App.py"]
    assert event.accesses is not UNSET
    assert [access.file for access in event.accesses] == ["src/flask/app.py"]
    assert event.hits_ground_truth
    assert made.summary is not UNSET
    assert made.summary.ground_truth_files_hit == 1
    assert made.summary.ground_truth_files_total == 2


def test_a_write_hits_too() -> None:
    made = document([call("Write")], [view(FileRef("/workspace/setup.py", "written"))])
    assert made.events[0].matched_ground_truth_files == ["setup.py"]


def test_impossible_lines_are_left_out() -> None:
    made = document([call()], [view(read("/workspace/a", 9, 3), read("/workspace/b", 0, -1))])
    accesses = made.events[0].accesses
    assert accesses is not UNSET
    assert all(a.line_start is UNSET and a.line_end is UNSET for a in accesses)


def test_summary_counts_what_the_events_say() -> None:
    made = document(
        [call(), call(), call()],
        [
            view(read("/workspace/a.py"), read("/workspace/b.py")),
            view(read("/workspace/a.py"), is_mcp=True),
            view(read("/workspace/setup.py"), category="other", tool="Bash"),
        ],
    )
    summary = made.summary
    assert summary is not UNSET
    assert (summary.total_events, summary.mcp_events, summary.local_events) == (3, 1, 2)
    assert summary.unique_files_accessed == 3
    assert summary.first_ground_truth_hit_step == 2
    assert summary.events_by_category == {"file_read": 2, "other": 1}


# --- arguments ---------------------------------------------------------------------------------


def test_only_salient_arguments_are_kept_short_masked_and_of_known_types() -> None:
    """D39, and no file contents in documents."""
    made = document(
        [
            call(
                "Bash",
                command="curl -H 'Authorization: token abcdef123456' x",
                content="whole file",
                description="why",
                pattern="x" * 5000,
                view_range=[1, 20],
                limit=float("nan"),
                offset=2**70,
                path={"not": "text"},
                query=None,
            )
        ]
    )
    kept = made.events[0].arguments
    assert sorted(kept) == ["command", "pattern", "view_range"]
    assert "abcdef123456" not in str(kept["command"])
    assert str(kept["pattern"]).endswith("… [5000 characters in all]")
    assert kept["view_range"] == [1, 20]


def test_long_lists_are_cut_and_say_so() -> None:
    made = document([call("x", paths=[f"{n}.py" for n in range(90)])])
    kept = made.events[0].arguments["paths"]
    assert isinstance(kept, list)
    assert len(kept) == 51
    assert kept[-1] == "… [90 items in all]"


def test_lone_surrogates_can_be_written() -> None:
    broken = "a\ud800b"
    made = document(
        [call(broken, path=broken)],
        [view(read(f"/workspace/{broken}.py"), symbols=(broken,))],
        of=trial(task_name=broken),
    )
    assert msgspec.json.encode(made)


# --- times (D9, D10) ------------------------------------------------------------------------------


def test_elapsed_counts_from_the_recorded_start_of_the_agent() -> None:
    started = trial(outcome=Outcome(agent_started_at=START - 30))
    made = document([call(at=0), call(at=1.5), call()], of=started, first_timestamp=START)
    assert [event.elapsed_seconds for event in made.events] == [30.0, 31.5, None]
    assert made.coverage.elapsed_origin == "agent_execution"
    assert made.events[1].timestamp == "2026-02-02T02:40:01.500Z"


@pytest.mark.parametrize("started", [START + 1, START - 3601, None])
def test_a_start_that_cannot_be_is_not_used(started: float | None) -> None:
    """D10: later than the trace, or more than an hour before it."""
    made = document(
        [call(at=5)], of=trial(outcome=Outcome(agent_started_at=started)), first_timestamp=START
    )
    assert made.events[0].elapsed_seconds == 5.0
    assert made.coverage.elapsed_origin == "first_timestamp"


def test_no_call_lies_before_the_origin() -> None:
    made = document([call(at=-4), call(at=0)], first_timestamp=START)
    assert [event.elapsed_seconds for event in made.events] == [0.0, 4.0]


def test_without_times_nothing_is_estimated() -> None:
    made = document([call()], of=trial(outcome=Outcome(agent_started_at=START)))
    assert made.events[0].elapsed_seconds is None
    assert made.events[0].timestamp is None
    assert made.coverage.elapsed_origin is None


def test_impossible_times_and_tokens_are_unknown() -> None:
    odd = structs.replace(call(), timestamp=float("inf"), cumulative_tokens=-3)
    made = document([odd, structs.replace(call(), timestamp=1e300)])
    assert made.events[0].timestamp is None
    assert made.events[0].cumulative_tokens is None
    assert made.events[1].timestamp is None


# --- degraded modes -----------------------------------------------------------------------------


def test_no_trace() -> None:
    made = document(source=None, has_transcript=False)
    assert made.events == []
    assert made.coverage.trace_source is None
    assert made.coverage.degraded_reason is not None
    assert "neither a trajectory nor a transcript" in made.coverage.degraded_reason


def test_an_empty_trace_is_told_from_no_trace() -> None:
    """D19: metrics tell them by `trace_source`."""
    made = document()
    assert made.events == []
    assert made.coverage.trace_source == "transcript"
    assert made.coverage.degraded_reason == "the trace holds no tool call that could be read"


def test_a_whole_trace_is_not_degraded() -> None:
    assert document([call()]).coverage.degraded_reason is None


def test_no_ground_truth() -> None:
    made = document([call()], [view(read("/workspace/setup.py"))], truth=GroundTruth())
    assert made.ground_truth.files == []
    assert not made.coverage.has_ground_truth
    assert not made.events[0].hits_ground_truth
    assert made.coverage.ground_truth_source is None
    assert "the task's definition names no files" in (made.coverage.degraded_reason or "")
    unknown = document([call()], of=trial(task=None), truth=GroundTruth())
    assert "no definition of the task" in (unknown.coverage.degraded_reason or "")


def test_no_chunks_means_that_the_section_is_absent() -> None:
    made = document([call()])
    assert not made.coverage.has_chunk_ground_truth
    assert made.ground_truth.chunks is UNSET
    assert made.ground_truth.symbols is UNSET
    assert made.ground_truth.expected_edit_files is UNSET


def test_losses_are_said_in_words_and_counted() -> None:
    """D38."""
    problems = (
        Problem("agent/claude-code.txt", "broken_line", "cut", line=3, lost_calls=2),
        Problem("agent/trajectory.json", "trimmed_result", "cut"),
        Problem("agent/claude-code.txt", "non_json_lines", "standard error"),
        Problem("tests/ground_truth.json", "bad_entry", "a folder"),
    )
    coverage = document([call()], problems=problems).coverage
    assert coverage.degraded_reason == (
        "tool calls lost: broken_line 2; parts of the trace could not be read: trimmed_result 1"
    )
    assert coverage.problems == {
        "bad_entry": 1,
        "broken_line": 1,
        "non_json_lines": 1,
        "trimmed_result": 1,
    }


RECORD_PROBLEMS = (
    Problem("result.json", "bad_cost", "no amount"),
    Problem("result.json", "bad_time", "no time"),
    Problem("result.json", "no_task", "no definition"),
    Problem("config.json", "config_disagrees", "two names"),
    Problem("task_metrics.json", "broken_json", "not JSON"),
)


def test_problems_of_records_do_not_degrade_a_trace() -> None:
    """D61: a cost that cannot be read takes nothing away from the events."""
    files = ("config.json", "result.json", "task_metrics.json", "agent/claude-code.txt")
    coverage = document([call()], of=trial(files=files), problems=RECORD_PROBLEMS).coverage
    assert coverage.degraded_reason is None
    assert coverage.problems == {problem.kind: 1 for problem in RECORD_PROBLEMS}
    hidden = Problem("agent", "unlisted_folder", "cannot be listed")
    made = document([call()], of=trial(files=files), problems=(*RECORD_PROBLEMS, hidden))
    assert made.coverage.degraded_reason == (
        "parts of the trace could not be read: unlisted_folder 1"
    )


def test_a_call_in_flight_is_said() -> None:
    """D61: a trace that ends before an answer is incomplete, though every line of it is whole."""
    cut = structs.replace(call(), result=None)
    made = document([call(), call(), cut])
    assert made.coverage.degraded_reason == "the trace has no result for 1 of 3 tool calls"
    assert made.coverage.calls_unanswered == 1


def test_subagents_whose_calls_are_missing_are_said() -> None:
    """A trajectory keeps none of a subagent's calls: what it read cannot be seen."""
    started = view(category="other", tool="Task")
    made = document([call("Agent")], [started])
    assert "subagent" in (made.coverage.degraded_reason or "")
    assert made.coverage.subagents_unseen == 1
    inner = structs.replace(call(), is_subagent=True)
    whole = document([call("Agent"), inner], [started, view()])
    assert whole.coverage.degraded_reason is None


# --- ground truth section ----------------------------------------------------------------------------


def test_chunks_and_edit_files_are_spelled_like_the_files_that_they_are() -> None:
    truth = replace(
        TRUTH,
        symbols=(TruthSymbol("src/flask/App.py", "Flask.run"),),
        chunks=(TruthChunk("./src/flask/app.py", 3, 9, "off by one"),),
        expected_edit_files=(TruthFile("SETUP.py", "SETUP.py"), TruthFile("new.py", "new.py")),
        expected_edit_files_source="tests/expected.diff",
        expected_edit_files_confidence="high",
    )
    section = document([call()], truth=truth).ground_truth
    assert section.chunks is not UNSET
    assert section.chunks[0].file == "src/flask/App.py"
    assert section.expected_edit_files == ["setup.py", "new.py"]
    assert section.expected_edit_files_source == "tests/expected.diff"


def test_an_empty_list_of_edits_is_told_from_an_unknown_one() -> None:
    """D58: a source that states an empty list expects no edit; without one nothing is known."""
    none = replace(
        TRUTH,
        expected_edit_files_source="tests/ground_truth.json",
        expected_edit_files_confidence="medium",
    )
    section = document([call()], truth=none).ground_truth
    assert section.expected_edit_files == []
    assert section.expected_edit_files_source == "tests/ground_truth.json"
    unknown = document([call()], truth=TRUTH).ground_truth
    assert unknown.expected_edit_files is UNSET
    assert unknown.expected_edit_files_source is UNSET


# --- versions and bytes ----------------------------------------------------------------------------


def test_version_1_0_has_none_of_the_later_fields() -> None:
    """D12."""
    whole = document([call()], [view(read("/workspace/setup.py"))])
    made = events_as(whole, "1.0", generated_at="2026-01-01T00:00:00Z")
    text = msgspec.json.encode(made).decode()
    assert made.schema_version == "1.0"
    for name in ("call_id", "accesses", "elapsed_origin", '"problems"'):
        assert name not in text
    assert made.events[0].matched_ground_truth_files == ["setup.py"]


def test_version_1_0_is_the_published_one() -> None:
    """D59: its schema requires a time of making and a suite that is text."""
    whole = document([call()], of=trial(benchmark=None))
    then = "2026-01-01T00:00:00Z"
    made = events_as(whole, "1.0", generated_at=then)
    assert (made.generated_at, made.provenance.benchmark) == (then, "")
    known = events_as(document(of=trial(benchmark="s")), "1.0", generated_at=then)
    assert known.provenance.benchmark == "s"
    for version in ("1.1", "1.2", "1.3"):
        later = events_as(whole, version, generated_at=then)
        assert (later.generated_at, later.provenance.benchmark) == (then, "")


_JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.lists(st.one_of(st.integers(), st.text(max_size=5), st.none()), max_size=3),
)
_CALLS = st.builds(
    ToolCall,
    name=st.text(max_size=10),
    arguments=st.dictionaries(st.sampled_from(["path", "command", "query", "limit", "x"]), _JUNK),
    call_id=st.none() | st.text(max_size=5),
    timestamp=st.none() | st.floats(),
    cumulative_tokens=st.none() | st.integers(),
)
_REFS = st.builds(
    FileRef,
    path=st.text(alphabet="ab/.\x00\ud800 *", max_size=12),
    kind=st.sampled_from(["read", "matched", "surfaced", "written"]),
    repo=st.none() | st.text(alphabet="ab/-\ud800", max_size=8),
    line_start=st.none() | st.integers(),
    line_end=st.none() | st.integers(),
    from_diff=st.booleans(),
)


@given(
    st.lists(st.tuples(_CALLS, st.lists(_REFS, max_size=3)), max_size=4),
    st.lists(st.text(alphabet="ab/.:\ud800", max_size=10), max_size=3),
    st.none() | st.text(max_size=8),
    st.sampled_from(["1.0", "1.1"]),
)
def test_any_input_gives_a_valid_document_and_the_same_bytes(
    steps: list[tuple[ToolCall, list[FileRef]]], files: list[str], cwd: str | None, version: str
) -> None:
    """D37."""
    truth = GroundTruth(files=tuple(TruthFile(text, text) for text in files))
    calls = [made for made, _ in steps]
    views = [view(*refs) for _, refs in steps]
    first = document(calls, views, truth=truth, cwd=cwd, version=version)
    raw = msgspec.json.encode(first)
    assert msgspec.json.decode(raw, type=EventsDocument) == first
    again = document(calls, views, truth=truth, cwd=cwd, version=version)
    assert msgspec.json.encode(again) == raw
    for event in first.events:
        assert set(event.matched_ground_truth_files) <= set(first.ground_truth.files)
        assert event.hits_ground_truth == bool(event.matched_ground_truth_files)
