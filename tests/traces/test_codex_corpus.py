"""Real rollouts of Codex, counted by another program than the reader.

The counting here knows only which items are calls, and that the last total is the session's.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundtrace.api import read_trace

pytestmark = pytest.mark.corpus

CALLS = {"function_call", "custom_tool_call", "local_shell_call", "web_search_call"}


@pytest.mark.parametrize(
    ("part", "number", "calls"),
    [("codex/0.40", 4, 257), ("codex/0.47", 1, 18), ("codex/0.66", 5, 5)],
)
def test_every_call_once_in_order_with_its_answer(
    part: str, number: int, calls: int, corpus_next: Path
) -> None:
    files = sorted((corpus_next / part).glob("*.jsonl"))
    assert len(files) == number
    total = 0
    for file in files:
        items = [json.loads(line)["payload"] for line in file.read_text().splitlines()]
        expected = [i["call_id"] for i in items if i.get("type") in CALLS]
        answers = {
            i["call_id"]: i["output"] for i in items if i.get("type", "").endswith("_output")
        }
        trace, problems = read_trace(file)
        assert not problems
        assert [call.call_id for call in trace.calls] == expected
        for call in trace.calls:
            told = answers[call.call_id]
            text = json.loads(told)["output"] if told.startswith('{"output"') else told
            assert call.result is not None and text.endswith(call.result.text)
        infos = [i["info"] for i in items if i.get("type") == "token_count" and i["info"]]
        if infos:
            last = infos[-1]["total_token_usage"]
            assert trace.usage.input_tokens == last["input_tokens"]
            assert trace.usage.output_tokens == last["output_tokens"]
            sums = [call.cumulative_tokens for call in trace.calls]
            assert None not in sums and sums == sorted(sums)  # type: ignore[type-var]
        total += len(expected)
    assert total == calls
