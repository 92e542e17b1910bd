"""Real files of SWE-agent, OpenHands and data sets, counted by another program than the readers.

The counting here knows only where each format keeps what was executed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from groundtrace.api import read_trace
from groundtrace.config import Settings
from groundtrace.model import Trace
from groundtrace.tools import view_calls

pytestmark = pytest.mark.corpus


def rows(file: Path) -> Iterator[Any]:
    with file.open() as lines:
        yield from map(json.loads, lines)


def test_swe_agent_every_step_once_and_as_the_model_asked(corpus_next: Path) -> None:
    """The arguments of 1.x are held against the function calls that the history kept."""
    total = compared = 0
    for file in sorted((corpus_next / "swe-agent").rglob("*.traj")):
        data = json.loads(file.read_text())
        trace, problems = read_trace(file)
        assert not problems
        assert len(trace.calls) == len(data["trajectory"])
        asked = {
            call["id"]: call["function"]
            for message in data["history"]
            for call in message.get("tool_calls") or []
        }
        for step, call in zip(data["trajectory"], trace.calls, strict=True):
            if call.name == "bash":
                assert call.arguments["command"] == step["action"].strip()
            if call.call_id is not None:
                function = asked[call.call_id]
                assert (call.name, call.arguments) == (
                    function["name"],
                    json.loads(function["arguments"]),
                )
                compared += 1
        total += len(trace.calls)
    assert (total, compared) == (160, 76)


def test_rows_of_data_sets_once_and_in_order(corpus_next: Path) -> None:
    total = 0
    for name in ("r2e-gym", "swe-smith-xml"):
        file = corpus_next / "chat" / f"{name}.jsonl"
        for row in rows(file):
            task = row.get("instance_id") or row["ds"]["instance_id"]
            steps = [step["action"] for step in row.get("trajectory_steps", ())]
            replies = [m["content"] for m in row.get("messages", ()) if m["role"] == "assistant"]
            trace, problems = read_trace(f"{file}#{task}")
            assert not problems
            for call, text in zip(trace.calls, steps or replies, strict=True):
                assert f"<function={call.name}>" in text
            assert trace.stated.task == task
            assert trace.stated.reward == row.get("reward")
            total += len(trace.calls)
    assert total == 413 + 103


def accesses(trace: Trace) -> list[Any]:
    return [
        (call.name, call.arguments, view.category, view.failed, view.refs)
        for call, view in zip(trace.calls, view_calls(trace, Settings()), strict=True)
    ]


def test_one_trajectory_gives_the_same_events_as_steps_and_as_a_row(corpus_next: Path) -> None:
    for task in ("pandas-dev__pandas.95280573.pr_53652", "pydantic__pydantic.acb0f10f.pr_8316"):
        row, _ = read_trace(f"{corpus_next}/chat/swe-smith-xml.jsonl#{task}")
        steps, _ = read_trace(corpus_next / "swe-agent/1.0.1" / f"{task}.traj")
        # The answer to the last call, the submission, is not in the row.
        assert accesses(row)[:-1] == accesses(steps)[:-1]
        assert len(row.calls) == len(steps.calls)


def test_openhands_every_action_once_with_its_own_observation(corpus_next: Path) -> None:
    total = 0
    for name in ("output", "resolver-output"):
        file = corpus_next / "openhands/v0" / f"{name}.jsonl"
        for row in rows(file):
            issue = row.get("issue", {})
            task = row.get("instance_id") or f"{issue['owner']}__{issue['repo']}-{issue['number']}"
            history = row["history"]
            actions = [
                event
                for event in history
                if event.get("action") not in (None, "system", "message", "recall")
            ]
            trace, problems = read_trace(f"{file}#{task}")
            assert not problems
            assert len(trace.calls) == len(actions)
            seen = {event.get("cause"): event for event in history if "observation" in event}
            for action, call in zip(actions, trace.calls, strict=True):
                if "id" in action:
                    answer = seen.get(action["id"])
                    assert (call.result is None) == (answer is None)
                    if call.result is not None and answer is not None:
                        assert call.result.text == answer["content"].replace("\r\n", "\n")
            total += len(trace.calls)
    assert total == 131
    trace, problems = read_trace(corpus_next / "openhands/v1/events.jsonl")
    assert len(trace.calls) == 2
    assert [problem.kind for problem in problems] == ["orphan_results"]
