"""Lines of a rollout are decoded with only the members that are needed; this changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.api import read_trace
from groundtrace.traces.codex.records import CALLS, ENDS, OUTPUTS, Body, decode_line, line_of
from tests.traces.rollouts import META, call, event, item, output, tokens, wrapped

KINDS = ["response_item", "event_msg", "turn_context", "compacted", "session_meta", "world_state"]
ITEMS = [*sorted(CALLS | OUTPUTS | ENDS), "reasoning", "message", "token_count", "user_message", ""]
ODD = st.sampled_from([None, True, 0, 7, 2.5, "", "x", [], {}, ["a"], {"a": 1}])
COUNTS = st.fixed_dictionaries({"input_tokens": ODD, "output_tokens": ODD}) | ODD
MEMBERS: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(set(Body.__struct_fields__) - {"type"}, ODD),
    "info": st.fixed_dictionaries({"total_token_usage": COUNTS, "last_token_usage": COUNTS}) | ODD,
    "encrypted_content": ODD,
}
LINES = st.fixed_dictionaries(
    {
        "type": st.sampled_from(KINDS),
        "payload": st.fixed_dictionaries(
            {}, optional={"type": st.sampled_from(ITEMS) | ODD, **MEMBERS}
        ),
    },
    optional={"timestamp": ODD, "created_at": ODD},
)


@given(LINES)
def test_a_line_says_what_it_says_decoded_completely(value: dict[str, Any]) -> None:
    found, whole = decode_line(json.dumps(value).encode()), line_of(value)
    assert whole is not None and whole.members == value["payload"]
    if found is not None:
        assert (found.kind, found.stamp) == (whole.kind, whole.stamp)
        assert found.body == whole.body


@given(LINES)
def test_a_line_of_which_all_members_are_needed_is_decoded_completely(
    value: dict[str, Any],
) -> None:
    found = decode_line(json.dumps(value).encode())
    if value["type"] in ("session_meta", "compacted") or str(value["payload"].get("type")) in ENDS:
        assert found is None


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"response_item","payload":{"type":"reasoning"',
        b'{"type":"response_item","payload":{"type":"reasoning","x":NaN}}',
        b'{"type":["response_item"],"payload":{"type":"reasoning"}}',
        b'{"type":"response_item","payload":{"type":["reasoning"]}}',
        b'{"type":"response_item","payload":["reasoning"]}',
        b'{"payload":{"type":"reasoning"}}',
        b'{"type":"reasoning","summary":[]}',
        b'["payload":{"type":"reasoning"}]',
        b"",
    ],
)
def test_a_line_of_another_form_is_left_to_others(line: bytes) -> None:
    assert decode_line(line) is None


def test_a_rollout_says_the_same_if_it_is_decoded_completely(tmp_path: Path) -> None:
    """Only the complete decoding reads NaN."""
    lines = [
        wrapped("session_meta", META),
        wrapped("event_msg", {"type": "user_message", "message": "go"}, 1),
        wrapped("response_item", {"type": "reasoning", "encrypted_content": "eHl6"}, 2),
        event("agent_reasoning", text="look at x"),
        *(tokens(100, 10), call("a", "shell", {"command": ["cat", "x.py"]}), output("a", "x\n")),
        item("message", role="assistant", content=[{"type": "output_text", "text": "done"}]),
        wrapped("event_msg", {"type": "agent_message", "message": "done"}, 40),
        event("thread_rolled_back", num_turns=1),
    ]
    assert all(decode_line(json.dumps(line).encode()) is not None for line in lines[1:])
    found = {}
    for name, start in (("needed", "{"), ("complete", '{"ignored": NaN, ')):
        (tmp_path / name).mkdir()
        file = tmp_path / name / "x.jsonl"
        file.write_text("".join(f"{start}{json.dumps(line)[1:]}\n" for line in lines))
        found[name] = read_trace(file)
    trace, problems = found["needed"]
    assert not problems
    assert [(c.call_id, c.cumulative_tokens) for c in trace.calls] == [("a", 110)]
    assert [(p.kind, p.dropped) for p in trace.context_changes] == [("rollback", (0,))]
    assert found["needed"] == found["complete"]
