"""Events of OpenHands and lines of Cursor are the same decoded with only the needed members."""

from __future__ import annotations

import json
from typing import Any
from unittest import mock

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundtrace.base.times import parse_time
from groundtrace.traces.cursor import trace as cursor_trace
from groundtrace.traces.cursor.reader import CursorReader
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.openhands import actions
from groundtrace.traces.openhands import trace as openhands_trace
from groundtrace.traces.openhands.reader import OpenHandsReader
from tests.traces.test_typed_documents import LISTS, ODD, OneFile, both, listed, members, said

# --- OpenHands ------------------------------------------------------------------------------

ASKED = {"id": "c1", "function": {"name": "execute_bash", "arguments": LISTS}}
ACTION = members(
    id=st.sampled_from((1, 2)),
    timestamp=st.just("2026-05-04T10:00:00"),
    source=st.sampled_from(("agent", "user")),
    action=st.sampled_from(("run", "recall", "run_ipython", "mcp", "edit")),
    args=st.sampled_from(({"command": "cd src"}, {"code": "open_file('/a.py')"}, {"name": "find"})),
    command=st.just("ls"),
    llm_metrics=members(
        accumulated_token_usage=members(prompt_tokens=st.just(9), completion_tokens=st.just(4))
    ),
    tool_call_metadata=members(
        function_name=st.just("execute_bash"),
        tool_call_id=st.just("c1"),
        model_response=members(
            id=st.just("r1"),
            usage=members(prompt_tokens=st.just(9), completion_tokens=st.just(4)),
            choices=listed(members(message=members(tool_calls=listed(st.just(ASKED))))),
        ),
    ),
)
OBSERVATION = members(
    id=st.just(3),
    cause=st.sampled_from((1, 2)),
    observation=st.sampled_from(("run", "run_ipython", "error")),
    content=st.sampled_from(("a.py\r\nroot@nest:/heron # ", "ERROR: no", [{"text": "a.py"}])),
    exit_code=st.just(1),
    success=st.booleans(),
    extras=members(
        metadata=members(exit_code=st.just(0), working_dir=st.just("/heron")), exit_code=st.just(2)
    ),
)
SDK = members(
    kind=st.sampled_from(("ActionEvent", "ObservationEvent", "AgentErrorEvent")),
    id=st.just("e1"),
    action_id=st.just("e1"),
    tool_name=st.just("terminal"),
    tool_call_id=st.just("c1"),
    tool_call=members(name=st.just("terminal"), arguments=st.just(LISTS)),
    action=st.just({"kind": "TerminalAction", "command": "ls"}),
    observation=members(content=st.just([{"text": "a.py"}]), exit_code=st.just(1)),
    error=st.just("no"),
) | st.just(
    {
        "kind": "ConversationStateUpdateEvent",
        "key": "stats",
        "value": {"usage_to_metrics": {"agent": {"accumulated_cost": 2}}},
    }
)
TOLD = ACTION | OBSERVATION | SDK


# Running totals that are empty do not count, so the usage of the reply does.
NO_TOTALS = {
    "action": "think",
    "args": {"thought": "x"},
    "llm_metrics": {"accumulated_token_usage": {}},
    "tool_call_metadata": {
        "function_name": "think",
        "model_response": {"id": "r1", "usage": {"prompt_tokens": 9, "completion_tokens": 4}},
    },
}
# An empty state of the shell does not count, so the prompt in the text does.
RUN = {"id": 1, "action": "run", "args": {"command": "ls"}}
NO_STATE = {
    "id": 2,
    "cause": 1,
    "observation": "run",
    "content": "a.py\nroot@nest:/heron # ",
    "extras": {"metadata": {}},
}
# An action that is no call by its name is one by its function.
CONDENSED = {
    "action": "condensation",
    "tool_call_metadata": {"function_name": "request_condensation"},
    "path": "/heron",
}


@example({"history": [NO_TOTALS]})
@example({"history": [RUN, NO_STATE]})
@example({"history": [CONDENSED]})
@given(members(history=listed(TOLD | st.lists(TOLD, max_size=2)), instance_id=st.just("a__b-1")))
def test_a_row_of_openhands_is_the_same_as_types(row: dict[str, Any]) -> None:
    both(OpenHandsReader(), row, (openhands_trace, "row_in"))
    both(OpenHandsReader(), row, (openhands_trace, "row_in"), (openhands_trace, "row_of"))


@given(listed(TOLD))
def test_a_log_of_openhands_is_the_same_as_types(events: list[Any]) -> None:
    both(OpenHandsReader(), events, (openhands_trace, "event_in"))


@pytest.mark.parametrize(
    "event", [{"action": "run", "command": "ls"}, {"action": "run", "args": 7}]
)
def test_arguments_of_old_events_are_members_of_the_event(event: dict[str, Any]) -> None:
    """Then all members of the event are needed, so that it is decoded completely."""
    data = json.dumps({"history": [{**event, "path": "/heron"}]}).encode()
    (call,) = OpenHandsReader().read(OneFile(data), "x.json", Keep()).calls
    assert call.arguments["path"] == "/heron"


def test_a_key_that_is_not_unicode_is_no_crash() -> None:
    """Only the complete decoding reads it, and a decoded row with such a key has no types."""
    row = {"\ud800": 1, "history": [{"action": "run", "args": {"command": "ls"}}]}
    source = OpenHandsReader().read(OneFile(json.dumps(row).encode()), "x.json", Keep())
    assert [call.name for call in source.calls] == ["execute_bash"] and not source.problems


PIECES = ("\n", "\r\n", "\r", " ", "\x1c", "\u2028", "a", "@", ":", "#", "nest@heron:/src # ", " $")


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_a_prompt_at_the_end_is_the_one_that_a_search_finds(text: str) -> None:
    found, expected = actions._prompt(text), actions._PROMPT.search(text)
    assert (found and (found.span(), found[1])) == (expected and (expected.span(), expected[1]))


# --- Cursor ---------------------------------------------------------------------------------

BODY = members(
    args=st.sampled_from(({"command": "ls"}, LISTS, {"name": "find", "args": {"q": "nest"}})),
    result=members(success=members(stdout=st.just("a.py"), stderr=st.just("no"))),
    name=st.just("shell"),
    arguments=st.just(LISTS),
)
STAMPS = st.sampled_from((1778000000000, 1778000001000, 1778000002, 99, 10**15, 1.778e12, None))
TEXTS = st.sampled_from((None, "2026-05-04T10:00:00Z", "2026-06-04T10:00:00Z", 7))
LINE = members(
    type=st.sampled_from(("tool_call", "thinking", "system")),
    subtype=st.sampled_from(("started", "completed")),
    call_id=st.sampled_from(("c1", "c2")),
    timestamp_ms=STAMPS,
    timestamp=TEXTS,
    tool_call=st.dictionaries(
        st.sampled_from(("shellToolCall", "mcpToolCall", "function", "note")), BODY | ODD
    ),
)


def in_lines(lines: list[Any]) -> bytes:
    return "\n".join(json.dumps(line) for line in lines).encode()


@given(listed(LINE))
def test_lines_of_cursor_are_the_same_as_types(lines: list[Any]) -> None:
    usual = said(CursorReader(), in_lines(lines))
    refused = mock.Mock(side_effect=msgspec.DecodeError)
    with mock.patch.object(cursor_trace, "decode_line", refused):
        assert said(CursorReader(), in_lines(lines)) == usual


@example([(1778000000000, None), (10**15, "2026-05-04T10:00:00Z")])
@example([(1778000002, None), (1778000000000, None)])
@given(st.lists(st.tuples(STAMPS, TEXTS), max_size=6))
def test_the_earliest_time_of_cursor_counts_wherever_it_is(stated: list[tuple[Any, Any]]) -> None:
    lines = [{"type": "thinking", "timestamp_ms": ms, "timestamp": text} for ms, text in stated]
    moments = [parse_time(ms) or parse_time(text) for ms, text in stated]
    source = CursorReader().read(OneFile(in_lines(lines)), "x.jsonl", Keep())
    assert source.first_timestamp == min(filter(None, moments), default=None)
