"""Real trials, if there are any: each call once, in order, with its result."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from groundtrace.storage import LocalFolder
from groundtrace.traces import read_trace

pytestmark = pytest.mark.corpus

INPUT_EXCEPTIONS = {"dep-traversal-001__e127c0b": 49_024}
"""Trials whose `result.usage` leaves out a model call that the stream shows.

Here it is the last message (1 + 49,023 tokens read from the cache), which `modelUsage` of the same
line does count: the stream's sum is right.
"""


def trials() -> list[Path]:
    root = os.environ.get("GROUNDTRACE_CORPUS")
    if not root:
        pytest.skip("GROUNDTRACE_CORPUS is not set")
    return sorted(path.parent for path in Path(root).glob("runs/**/agent"))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().split("\n") if line.strip()]


def blocks(event: dict[str, Any]) -> list[dict[str, Any]]:
    content = (event.get("message") or {}).get("content")
    return content if isinstance(content, list) else []


def test_stream_calls_once_in_order_with_their_results() -> None:
    for trial in trials():
        stream = trial / "agent" / "claude-code.txt"
        if not stream.exists():
            continue
        events = lines(stream)
        expected = [
            (block["id"], block["name"], block["input"], bool(event["parent_tool_use_id"]))
            for event in events
            for block in blocks(event)
            if block["type"] == "tool_use"
        ]
        answers = {
            block["tool_use_id"]: block["content"]
            for event in events
            for block in blocks(event)
            if block["type"] == "tool_result"
        }
        trace, problems = read_trace(LocalFolder(trial))
        found = [(c.call_id, c.name, dict(c.arguments), c.is_subagent) for c in trace.calls]
        assert found == expected, trial
        assert not problems
        for call in trace.calls:
            answer = answers[call.call_id]
            assert call.result is not None
            if isinstance(answer, str):
                assert call.result.text == answer
        totals = [call.cumulative_tokens for call in trace.calls]
        assert None not in totals and totals == sorted(totals, key=lambda total: total or 0)


def test_main_thread_input_equals_the_result_line() -> None:
    """D9; the exceptions are named above."""
    for trial in trials():
        stream = trial / "agent" / "claude-code.txt"
        if not stream.exists():
            continue
        usage = next(event["usage"] for event in lines(stream) if event["type"] == "result")
        keys = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        stated = sum(usage[key] for key in keys) + INPUT_EXCEPTIONS.get(trial.name, 0)
        assert read_trace(LocalFolder(trial)).trace.usage.input_tokens == stated, trial


def test_trajectory_alone_agrees_with_the_transcript_on_input(tmp_path: Path) -> None:
    """D9: collapsing repeated usage gives what de-duplication by message id gives."""
    merged = 0
    for trial in trials():
        path = trial / "agent" / "trajectory.json"
        if not path.exists():
            continue
        trace, _ = read_trace(LocalFolder(trial))
        alone = tmp_path / trial.name / "agent"
        alone.mkdir(parents=True)
        (alone / "trajectory.json").write_bytes(path.read_bytes())
        from_trajectory, _ = read_trace(LocalFolder(alone.parent))
        if trace.source == "merged":
            merged += 1
            assert from_trajectory.usage.input_tokens == trace.usage.input_tokens
            ids = {call.call_id for call in trace.calls}
            assert len(ids) == len(trace.calls)
            assert ids == {call.call_id for call in from_trajectory.calls}
            assert all(call.timestamp and call.step_id for call in trace.calls)
