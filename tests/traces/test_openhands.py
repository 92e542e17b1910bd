"""OpenHands' ways of writing a trajectory, undone."""

from __future__ import annotations

from groundtrace.base.mcp import UNKNOWN_SERVER
from groundtrace.config import Settings
from groundtrace.tools import view_calls
from tests.traces.trials import read


def test_openhands_arguments_of_parallel_calls_come_from_the_message() -> None:
    """Every call after the first of one model answer was written with the first one's arguments."""
    trace, problems = read("openhands-parallel-calls")
    arguments = {call.step_id: dict(call.arguments) for call in trace.calls}
    assert arguments["3"] == {"query": "repo:^x$ it's"}
    assert arguments["4"] == {"command": "ls a", "security_risk": "LOW"}
    assert arguments["5"] == {"command": "ls b"}
    assert arguments["6"] == {"command": "view", "path": "/workspace/c.py"}
    assert arguments["7"]["view_range"] == [5, 9]
    assert arguments["8"] == {"command": "view", "path": "/workspace/e.py"}
    assert arguments["13"] == {}
    assert [problem.kind for problem in problems] == ["arguments_lost"]
    assert any("4 calls' arguments" in note for note in trace.evidence)


def test_openhands_mcp_results_are_unwrapped() -> None:
    trace, _ = read("openhands-parallel-calls")
    found = {call.step_id: call.result for call in trace.calls}
    assert found["2"] is not None and found["2"].text == '{"files":[]}'
    assert found["10"] is not None and found["10"].text == "repository not found"
    assert {step for step, result in found.items() if result and result.is_error} == {"9", "10"}
    assert found["14"] is None


def test_what_openhands_does_not_bring_is_mcp_and_the_tool_table_tells_the_server() -> None:
    """Names are bare, and a reader knows no server's tools."""
    trace, _ = read("openhands-parallel-calls")
    servers = {call.step_id: call.server for call in trace.calls if call.server}
    assert servers == dict.fromkeys(("2", "3", "10", "12"), UNKNOWN_SERVER)
    views = view_calls(trace, Settings())
    found = {call.step_id: view for call, view in zip(trace.calls, views, strict=True)}
    assert {step: found[step].tool for step in ("2", "3", "10")} == {
        "2": "sourcegraph.list_files",
        "3": "sourcegraph.keyword_search",
        "10": "sourcegraph.read_file",
    }
    assert all(found[step].is_mcp for step in ("2", "3", "10"))
    assert not found["4"].is_mcp


def test_openhands_tokens_as_given_and_ids_that_repeat() -> None:
    trace, _ = read("openhands-parallel-calls")
    assert [call.cumulative_tokens for call in trace.calls[:3]] == [9060, 9060, 18120]
    assert [call.step_id for call in trace.calls if call.call_id == "toolu_01"] == ["2", "9"]
    assert trace.usage.output_tokens == 360 and trace.usage.cost_usd == 0.06
    assert trace.calls[0].timestamp == trace.first_timestamp + 2.743979  # type: ignore[operator]
