"""`tokens_share`: the sum over model calls, divided by the total that the trace states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.traces.trials import read_bytes


def stream(model_usage: dict[str, Any]) -> bytes:
    """A Claude Code stream of two model calls: 100 + 10 and 150 + 50 + 20 tokens."""
    usages = (
        {"input_tokens": 100, "output_tokens": 10},
        {"input_tokens": 50, "cache_read_input_tokens": 150, "output_tokens": 20},
    )
    lines: list[dict[str, Any]] = [{"type": "system", "subtype": "init", "cwd": "/workspace"}]
    for number, usage in enumerate(usages):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Read"}
        content = [{**call, "input": {"file_path": "/workspace/a.py"}}]
        message = {"id": f"m{number}", "role": "assistant", "content": content, "usage": usage}
        lines.append({"type": "assistant", "message": message})
    lines.append({"type": "result", "modelUsage": {"m": model_usage}})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def counts(total: int) -> dict[str, int]:
    """A model's usage that adds up to `total`."""
    names = ("inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens")
    return {**dict.fromkeys(names, 10), "outputTokens": total - 30}


@pytest.mark.parametrize(("stated", "share"), [(330, 1.0), (440, 0.75), (660, 0.5)])
def test_a_transcripts_share(stated: int, share: float, tmp_path: Path) -> None:
    trace, _ = read_bytes(tmp_path, "claude-code.txt", stream(counts(stated)))
    assert trace.tokens_share == share


def test_no_share_where_a_count_is_missing(tmp_path: Path) -> None:
    trace, _ = read_bytes(tmp_path, "claude-code.txt", stream({"inputTokens": 330}))
    assert trace.tokens_share is None


def trajectory(prompt: int | None, completion: int | None, *, last: bool = True) -> bytes:
    """An ATIF trajectory of two steps with 100 + 10 and 200 + 20 tokens."""
    steps = []
    for number, (asked, said) in enumerate(((100, 10), (200, 20)), start=1):
        call = {"tool_call_id": f"c{number}", "function_name": "execute_bash"}
        step: dict[str, Any] = {
            "step_id": number,
            "source": "agent",
            "tool_calls": [{**call, "arguments": {"command": "ls"}}],
        }
        if last or number == 1:
            step["metrics"] = {"prompt_tokens": asked, "completion_tokens": said}
        steps.append(step)
    document = {
        "schema_version": "ATIF-v1.2",
        "agent": {"name": "openhands", "version": "1"},
        "steps": steps,
        "final_metrics": {"total_prompt_tokens": prompt, "total_completion_tokens": completion},
    }
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("prompt", "completion", "share"), [(300, 30, 1.0), (600, 60, 0.5), (None, 30, None)]
)
def test_a_trajectorys_share(
    prompt: int | None, completion: int | None, share: float | None, tmp_path: Path
) -> None:
    trace, _ = read_bytes(tmp_path, "trajectory.json", trajectory(prompt, completion))
    assert trace.tokens_share == share


def test_a_step_without_counts_adds_nothing(tmp_path: Path) -> None:
    trace, _ = read_bytes(tmp_path, "trajectory.json", trajectory(300, 30, last=False))
    assert trace.tokens_share == (100 + 10) / (300 + 30)
