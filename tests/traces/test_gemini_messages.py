"""Sessions of Gemini CLI are decoded with only the members that are needed; this changes nothing."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.storage import LocalFolder
from groundtrace.traces.gemini.reader import GeminiReader
from groundtrace.traces.gemini.records import message_in, session_in
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.source import Source

TIME = "2026-05-04T10:00:01.000Z"
ODD = st.sampled_from(
    [None, True, 0, 7, 2.5, "", "x", TIME, "Output: a\nExit Code: 3", [], {}, ["a"], [{}], {"a": 1}]
)
ANSWER = st.sampled_from(
    [
        None,
        "plain",
        [{"text": "a part"}, "b"],
        [{"inlineData": {}}],
        [{"functionResponse": {"response": {"output": "Output: one\nExit Code: 2"}}}],
        [{"functionResponse": {"response": {"output": "one\ntwo\n"}}}],
        [{"functionResponse": {"response": {"error": "no such file"}}}],
        [{"functionResponse": {"response": {"content": [{"text": "of a server"}]}}}],
    ]
)
CALL = st.fixed_dictionaries(
    {"id": st.sampled_from(["a", "b-1777888801500-c", "c"])},
    optional={
        "name": st.sampled_from(["read_file", "run_shell_command", "mcp__s__t"]) | ODD,
        "args": st.sampled_from([{"command": "ls"}, {"file_path": "/w/a", "offset": 3}]) | ODD,
        "status": st.sampled_from(["success", "error", "cancelled"]) | ODD,
        "result": ANSWER | ODD,
        "resultDisplay": ODD,
        "timestamp": ODD,
        "agentId": ODD,
        "description": ODD,
    },
)
MESSAGE = st.fixed_dictionaries(
    {"id": st.sampled_from(["m1", "m2", "m3"]) | ODD},
    optional={
        "type": st.sampled_from(["gemini", "user", "message_update"]) | ODD,
        "timestamp": ODD,
        "model": ODD,
        "tokens": st.fixed_dictionaries({"input": ODD, "output": ODD, "cached": ODD}) | ODD,
        "toolCalls": st.lists(CALL | ODD, max_size=3) | ODD,
        "thoughts": ODD,
        "$set": st.just({"lastUpdated": TIME}),
    },
)
HEADER = {"sessionId": "s", "projectHash": "0", "startTime": TIME}


def source_of(text: str, name: str) -> Source:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_text(text)
        return GeminiReader().read(LocalFolder(folder), name, Keep())


def texts(value: Any) -> tuple[str, str]:
    """An object as JSON, and the same with a member that only the complete decoding can read."""
    plain = json.dumps(value)
    return plain, '{"ignored": NaN, ' + plain[1:]


@given(st.lists(MESSAGE, min_size=1, max_size=4))
def test_a_session_says_the_same_if_it_is_decoded_completely(messages: list[Any]) -> None:
    plain, complete = texts({**HEADER, "messages": messages})
    assert session_in(complete.encode()) is None
    assert source_of(plain, "s.json") == source_of(complete, "s.json")


@given(st.lists(MESSAGE, min_size=1, max_size=4))
def test_lines_say_the_same_if_they_are_decoded_completely(messages: list[Any]) -> None:
    pairs = [texts(message) for message in messages]
    assert all(message_in(complete.encode()) is None for _, complete in pairs)
    first = json.dumps(HEADER)
    plain, complete = ("\n".join([first, *rows]) for rows in zip(*pairs, strict=True))
    assert source_of(plain, "s.jsonl") == source_of(complete, "s.jsonl")


@pytest.mark.parametrize(
    "member", ["$rewindTo", "$set", "projectHash", "session_id", "tool_name", "tool_id"]
)
def test_a_line_with_a_member_of_another_kind_of_line_is_not_taken_as_a_message(
    member: str,
) -> None:
    message = {"id": "m", "type": "gemini"}
    assert message_in(json.dumps(message).encode()) is not None
    assert message_in(json.dumps({**message, member: None}).encode()) is None
