"""A line of a rollout of which only the time matters is read without its text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from groundtrace.api import read_trace
from groundtrace.traces.codex.lines import line_of, skim
from tests.traces.rollouts import META, call, event, item, output, tokens, wrapped

TIMES = st.sampled_from(["2026-05-04T10:00:00.000Z", "soon", 1777888800, None, {"a": 1}])
ITEMS = ["reasoning", "agent_reasoning", "agent_message", "user_message"]
OTHERS = ["message", "function_call", "token_count", "", "reasoning2"]
BODIES = st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3)
LINES = st.builds(
    lambda times, kind, item, body: {
        **times,
        "type": kind,
        "payload": {"type": item, **{key: v for key, v in body.items() if key != "type"}},
    },
    st.dictionaries(st.sampled_from(["timestamp", "created_at"]), TIMES),
    st.sampled_from(["response_item", "event_msg", "compacted"]),
    st.sampled_from(ITEMS + OTHERS),
    BODIES,
)


def packed(value: Any) -> bytes:
    """JSON without spaces, as Codex writes it."""
    return json.dumps(value, separators=(",", ":")).encode()


@given(value=LINES)
def test_it_says_what_the_whole_line_says(value: dict[str, Any]) -> None:
    found, whole = skim(packed(value)), line_of(value)
    assert (found is None) == (value["payload"]["type"] not in ITEMS)
    if found is not None:
        assert whole is not None
        assert found == replace(whole, body={})


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"response_item","payload":{"type":"reasoning"',
        b'{"type":"response_item","payload":{"type":"reasoning","x":NaN}}',
        b'{"type":["response_item"],"payload":{"type":"reasoning"}}',
        b'{"payload":{"type":"reasoning"}}',
        b'{"type": "response_item", "payload": {"type": "reasoning"}}',
        b'["payload":{"type":"reasoning"}]',
        b"",
    ],
)
def test_what_codex_would_not_write_is_left_to_others(line: bytes) -> None:
    assert skim(line) is None


def test_a_rollout_reads_the_same_with_and_without_spaces(tmp_path: Path) -> None:
    """With spaces, no line is taken for one of which only the time matters."""
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
    found = {}
    for name, separators in (("packed", (",", ":")), ("spaced", (", ", ": "))):
        (tmp_path / name).mkdir()
        file = tmp_path / name / "x.jsonl"
        file.write_text("".join(json.dumps(line, separators=separators) + "\n" for line in lines))
        found[name] = read_trace(file)
    trace, problems = found["packed"]
    assert not problems
    assert [(c.call_id, c.cumulative_tokens) for c in trace.calls] == [("a", 110)]
    assert [(p.kind, p.dropped) for p in trace.context_changes] == [("rollback", (0,))]
    assert found["packed"] == found["spaced"]
