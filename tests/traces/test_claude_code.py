"""Claude Code's stream and session logs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundtrace.model import ReadResult
from groundtrace.storage import folder_at
from groundtrace.traces.claude_code.trace import read as read_lines
from groundtrace.traces.kit.keep import Keep
from tests.traces.trials import read


def ids(result: ReadResult) -> list[str | None]:
    return [call.call_id for call in result.trace.calls]


def test_one_message_over_many_lines_counts_its_usage_once() -> None:
    """D9: three lines of m1 repeat one usage; the totals are 1,105 and then 1,105 + 1,156."""
    trace, problems = read("stream-one-message-over-many-lines")
    assert not problems
    assert [call.call_id for call in trace.calls] == ["toolu_a", "toolu_b", "toolu_c"]
    assert [call.cumulative_tokens for call in trace.calls] == [1105, 1105, 2261]
    assert trace.usage.input_tokens == 3 + 150 + 2100
    assert trace.usage.output_tokens == 700
    assert trace.usage.output_tokens_source == "modelUsage"
    assert trace.usage.cost_usd == 0.25
    assert (trace.harness, trace.harness_version) == ("claude-code", "2.1.87")
    assert (trace.model, trace.cwd) == ("claude-haiku-4-5", "/workspace")
    assert trace.mcp_servers == ("sourcegraph",)
    assert trace.source == "transcript" and trace.has_transcript and not trace.has_trajectory


def test_parallel_calls_answered_out_of_order_keep_their_own_results() -> None:
    trace, _ = read("stream-one-message-over-many-lines")
    texts = {call.call_id: call.result.text for call in trace.calls if call.result}
    assert texts == {"toolu_a": "Found 1 file\na.py", "toolu_b": "1\tb", "toolu_c": "a.py"}


def test_results_of_every_shape() -> None:
    """Strings, lists, errors marked three ways, structured results, no answer at all."""
    trace, _ = read("stream-result-shapes")
    by_id = {call.call_id: call for call in trace.calls}
    results = {key: call.result for key, call in by_id.items()}
    assert results["t1"] is not None and results["t1"].text == ""
    assert results["t2"] is not None and results["t2"].text == "answer\nagentId: 1"
    assert results["t3"] is not None and results["t3"].is_error
    assert results["t4"] is not None and results["t4"].is_error
    assert results["t5"] is not None and results["t5"].data["filenames"] == ["a.py"]
    assert not results["t5"].is_error
    assert results["t6"] is None
    assert results["t7"] is not None and results["t7"].is_error
    assert results["t7"].text == "part of it"


def test_subagents_calls_appear_where_they_are() -> None:
    """D1: not grouped; a background Bash is no subagent."""
    trace, problems = read("stream-subagents")
    assert not problems
    assert [(call.call_id, call.is_subagent) for call in trace.calls] == [
        ("toolu_task", False),
        ("toolu_in1", True),
        ("toolu_in2", True),
        ("toolu_bg", False),
        ("toolu_last", False),
    ]


def test_main_thread_input_leaves_subagents_out_and_cumulative_tokens_do_not() -> None:
    trace, _ = read("stream-subagents")
    assert trace.usage.input_tokens == 3 * 1102
    assert trace.calls[-1].cumulative_tokens == 5 * 1103


def test_times_from_result_lines_where_calls_have_none() -> None:
    """D10: a recorded time, never for the call that started a subagent: its result comes late."""
    trace, _ = read("stream-subagents")
    start = trace.first_timestamp
    assert start is not None
    offsets = [None if call.timestamp is None else call.timestamp - start for call in trace.calls]
    assert offsets == [None, 1.0, 2.0, 4.0, 5.0]


def test_persisted_output_keeps_the_preview_and_the_path() -> None:
    """D4: a preview counts for what it shows."""
    trace, _ = read("stream-persisted-output")
    first, _, third = (call.result for call in trace.calls)
    assert first is not None and first.text == "a.py:1:x\nb.py:2:x"
    assert first.persisted_path == "/home/agent/.claude/projects/p/s1/tool-results/t1.txt"
    assert third is not None and third.text == ""
    assert third.persisted_path == "/home/agent/t3.txt"
    assert trace.calls[2].server == "sourcegraph"


def test_noise_is_counted_and_a_cut_last_line_loses_only_itself() -> None:
    trace, problems = read("stream-noise-and-cut-line")
    assert ids(ReadResult(trace, problems)) == ["t1", "t2"]
    assert trace.calls[0].result is not None and trace.calls[1].result is None
    kinds = {problem.kind: problem for problem in problems}
    assert "3 lines" in kinds["non_json_lines"].reason
    assert kinds["non_json_lines"].line == 1
    assert kinds["truncated_line"].line == 8
    assert kinds["truncated_line"].lost_calls == 0


def test_entries_that_are_calls_themselves() -> None:
    trace, _ = read("stream-top-level-entries")
    assert [(call.name, call.result and call.result.text) for call in trace.calls] == [
        ("Read", "1\ta"),
        ("Bash", "a.py"),
    ]
    assert trace.calls[0].timestamp == 1772359200.0


def test_a_single_result_line_is_a_transcript_without_calls() -> None:
    trace, _ = read("stream-single-result")
    assert trace.readable and trace.has_transcript and not trace.calls
    assert trace.usage.output_tokens == 9
    assert trace.usage.output_tokens_source == "result.usage"


def test_synthetic_messages_are_ignored() -> None:
    trace, _ = read("stream-synthetic-message")
    assert len(trace.calls) == 1 and trace.usage.input_tokens == 1102


def test_session_log_in_its_own_dialect() -> None:
    """The last line of a message has its true output; output tokens come from there."""
    trace, problems = read("session-log")
    assert not problems
    assert [call.cumulative_tokens for call in trace.calls] == [1342, 1342]
    assert (trace.usage.output_tokens, trace.usage.output_tokens_source) == (240, "session")
    read_call, grep_call = trace.calls
    assert read_call.result is not None and read_call.result.data["file"]["startLine"] == 1
    assert grep_call.result is not None and grep_call.result.text == "No files found"
    assert read_call.timestamp is not None and trace.first_timestamp is not None
    assert read_call.timestamp - trace.first_timestamp == 2.0
    assert read_call.cwd == "/workspace"


@pytest.mark.parametrize(("begun", "expected"), [(1, 901), (2, None)])
def test_one_interrupted_reply_in_ten_leaves_the_total(
    tmp_path: Path, begun: int, expected: int | None
) -> None:
    """Ten replies, of which one or two only began: 9 × 100 tokens and the 1 of a first moment."""
    lines = []
    for number in range(10):
        stop, output = (None, 1) if number < begun else ("end_turn", 100)
        message = {
            "id": f"m{number}",
            "role": "assistant",
            "content": [{"type": "text", "text": "done"}],
            "stop_reason": stop,
            "usage": {"input_tokens": 9, "output_tokens": output},
        }
        lines.append({"type": "assistant", "sessionId": "s", "message": message})
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    source = read_lines(folder_at(str(tmp_path)), "s.jsonl", Keep())
    assert source.usage.output_tokens == expected
    assert len(source.notes) == 1 and f"{begun} of 10 replies" in source.notes[0]


@pytest.mark.parametrize(
    ("stops", "outputs", "expected"),
    [
        ((None, None), (1, 1), None),  # as 2.0.27 writes all of them
        ((None, "tool_use"), (1, 240), 240),
        ((None, None), (1, 240), 240),
        (("end_turn",), (7,), 7),
        (("absent",), (7,), 7),
    ],
)
def test_output_tokens_of_replies_that_go_on(
    tmp_path: Path, stops: tuple[str | None, ...], outputs: tuple[int, ...], expected: int | None
) -> None:
    """A log that was written before replies ended has the tokens of their first moment: one token
    for 2,600 characters."""
    lines = []
    for number, (stop, output) in enumerate(zip(stops, outputs, strict=True)):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"file_path": "/a"}}
        message = {
            "id": "m1",
            "role": "assistant",
            "content": [use],
            "usage": {"input_tokens": 9, "output_tokens": output},
        }
        message |= {} if stop == "absent" else {"stop_reason": stop}
        lines.append({"type": "assistant", "sessionId": "s", "message": message})
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    source = read_lines(folder_at(str(tmp_path)), "s.jsonl", Keep())
    assert source.usage.output_tokens == expected
    assert source.usage.input_tokens == 9
    assert bool(source.notes) == (expected is None)
