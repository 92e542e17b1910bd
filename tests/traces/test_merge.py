"""Several sources of one trial as one trace."""

from __future__ import annotations

import pytest

from groundtrace.model import Problem
from groundtrace.traces.kit.ledger import TokenCounts
from groundtrace.traces.kit.merge import merge
from groundtrace.traces.source import RawCall, Source
from tests.traces.trials import read


def test_trajectory_and_transcript_merge_without_loss_or_doubling() -> None:
    """D1, D11: the transcript's order; what only the trajectory knows follows its predecessor."""
    trace, problems = read("trajectory-and-transcript")
    assert not problems and trace.source == "merged"
    assert [call.call_id for call in trace.calls] == ["c2", "c3", "c1", "c4", "in"]
    by_id = {call.call_id: call for call in trace.calls}
    assert by_id["c1"].timestamp is not None, "times come from the trajectory"
    assert by_id["c1"].step_id == "2"
    assert by_id["c1"].cumulative_tokens == 33633
    assert by_id["c3"].cumulative_tokens is None, "its place among the model calls is not known"
    assert by_id["in"].is_subagent
    result = by_id["c4"].result
    assert result is not None and result.text == "x"
    assert result.data == {"noOutputExpected": False, "stdout": "x"}


def test_a_damaged_source_does_not_hide_a_good_one() -> None:
    trace, problems = read("damaged-transcript-good-trajectory")
    assert [call.call_id for call in trace.calls] == ["c1", "c2"]
    assert all(call.result is not None for call in trace.calls)
    assert all(call.cumulative_tokens is not None for call in trace.calls)
    assert any(problem.file == "agent/claude-code.txt" for problem in problems)


def test_stream_and_session_are_one_transcript() -> None:
    """D11: calls from the union, times and true output from the session, subagents from the stream."""
    trace, problems = read("stream-and-session")
    assert not problems and trace.source == "transcript"
    assert [call.call_id for call in trace.calls] == ["t1", "t2", "in1"]
    first, task, inner = trace.calls
    assert trace.first_timestamp is not None
    assert [call.timestamp - trace.first_timestamp for call in trace.calls if call.timestamp] == [
        0.0,
        2.0,
        3.0,
    ]
    assert first.cumulative_tokens == 1102 + 40
    assert task.cumulative_tokens == 1142 + 1111 + 50
    assert inner.cumulative_tokens == 2303 + 6
    assert first.result is not None and first.result.data["file"]["numLines"] == 1
    assert trace.usage.output_tokens == 95


def test_subagent_in_its_own_file_follows_the_call_that_started_it() -> None:
    """D1; totals after it are open, because its model calls are not in the session log (D9)."""
    trace, problems = read("subagent-in-its-own-file")
    assert not problems
    assert [(call.call_id, call.is_subagent) for call in trace.calls] == [
        ("t1", False),
        ("i1", True),
        ("t2", False),
    ]
    assert [call.cumulative_tokens for call in trace.calls] == [1142, None, None]


def test_command_output_is_read_when_there_is_no_better_copy() -> None:
    trace, problems = read("command-output-as-spare")
    assert len(trace.calls) == 1
    assert [problem.kind for problem in problems] == ["non_json_lines"]


def transcript(name: str, *calls: RawCall, rank: int = 0, **stated: bool) -> Source:
    made = Source(name, "transcript", name, [*calls], parsed=True, rank=rank, **stated)
    made.spawners = frozenset({"delegate"})
    return made


def test_the_order_is_that_of_the_source_of_the_lowest_rank() -> None:
    """Ranks are stated by the sources, whatever they are called."""
    second = transcript("x", RawCall("a", {}, "1"), RawCall("b", {}, "2"), rank=1)
    first = transcript("y", RawCall("b", {}, "2"), RawCall("a", {}, "1"))
    assert [call.name for call in merge([second, first], ()).calls] == ["b", "a"]


@pytest.mark.parametrize(("omits", "known"), [(True, [11, 11, None]), (False, [11, 11, 22])])
def test_totals_end_at_a_subagent_that_the_source_does_not_show(
    omits: bool, known: list[int | None]
) -> None:
    """D9: by the names of tools that the source itself says start one."""
    source = transcript("x", omits_subagents=omits)
    for number, name in enumerate(("read", "delegate", "read")):
        if number != 1:
            source.ledger.add(number, TokenCounts(10, 1))
        source.calls.append(RawCall(name, {}, str(number), position=source.ledger.position))
    assert [call.cumulative_tokens for call in merge([source], ()).calls] == known


def test_a_call_that_starts_a_subagent_has_no_time_of_its_answer() -> None:
    """D10: its answer comes minutes later."""
    calls = [RawCall(name, {}, name, answered_at=5.0) for name in ("delegate", "read")]
    assert [c.timestamp for c in merge([transcript("x", *calls)], ()).calls] == [None, 5.0]


@pytest.mark.parametrize(
    ("stated", "kind", "whole"),
    [
        ({"is_main_log": True}, None, True),
        ({"is_main_log": True}, "broken_line", False),
        ({"is_main_log": True}, "non_json_lines", True),
        ({}, None, False),
    ],
)
def test_spare_copies_are_left_alone_for_an_undamaged_main_log(
    stated: dict[str, bool], kind: str | None, whole: bool
) -> None:
    source = transcript("x", **stated)
    if kind is not None:
        source.problem(kind, "because")
    assert source.is_whole is whole


def two_sources(of_stream: int, of_trajectory: int) -> list[Source]:
    """One call of one model call, in a stream and in a trajectory, with its output tokens."""
    sources = []
    for kind, output in (("transcript", of_stream), ("trajectory", of_trajectory)):
        source = Source(f"agent/{kind}", kind, "", parsed=True)  # type: ignore[arg-type]
        source.ledger.add(f"{kind} 1", TokenCounts(100, output))
        path = {"file_path": f"{kind}.py"}
        source.calls.append(RawCall("Read", path, call_id="c1", position=1))
        sources.append(source)
    return sources


@pytest.mark.parametrize(("stream", "trajectory", "total"), [(3, 566, 666), (566, 3, 666)])
def test_tokens_of_a_trajectory_replace_a_placeholder(
    stream: int, trajectory: int, total: int
) -> None:
    """D194: a real stream had 3 output tokens where its trajectory states 566."""
    (call,) = merge(two_sources(stream, trajectory), ()).calls
    assert call.cumulative_tokens == total


def test_arguments_of_the_trajectory_win_and_the_difference_is_said() -> None:
    """D194: the specification prefers the trajectory for tool calls."""
    problems: list[Problem] = []
    (call,) = merge(two_sources(3, 3), (), problems).calls
    assert call.arguments == {"file_path": "trajectory.py"}
    assert [(problem.file, problem.kind) for problem in problems] == [
        ("agent/trajectory", "arguments_differ")
    ]
