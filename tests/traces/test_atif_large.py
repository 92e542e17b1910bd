"""Trajectories that are read step by step give the same as decoding them at once."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from groundtrace.storage import LocalFolder
from groundtrace.traces import read_trace
from groundtrace.traces.atif import records as atif_large
from groundtrace.traces.atif import trace as atif
from tests.traces.trials import FIXTURES

TRAJECTORIES = sorted(path for path in FIXTURES.rglob("trajectory.json") if path.stat().st_size)


@pytest.mark.parametrize("chunk", [7, 64, 1 << 20])
@pytest.mark.parametrize("path", TRAJECTORIES, ids=lambda path: path.parts[-3])
def test_step_by_step_equals_whole(
    path: Path, chunk: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = LocalFolder(path.parent.parent)
    whole = read_trace(folder)
    monkeypatch.setattr(atif, "LARGE", 1)
    monkeypatch.setattr(atif_large, "CHUNK", chunk)
    large = read_trace(folder)
    if "wrong-types" in str(path):
        # Elements that are no objects are skipped, which moves the places of the rest.
        assert large.trace.calls == whole.trace.calls
        return
    assert large == whole


def test_cut_anywhere_never_raises_and_keeps_the_steps_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(atif_large, "CHUNK", 50)
    data = (FIXTURES / "openhands-parallel-calls/agent/trajectory.json").read_bytes()
    whole = atif_large.load_large(io.BytesIO(data)).steps
    for place in range(0, len(data), 97):
        steps = atif_large.load_large(io.BytesIO(data[:place])).steps
        intact = [step for step in steps if isinstance(step, atif_large.Step)]
        assert intact == whole[: len(intact)]
        assert len(intact) >= data[:place].count(b"\n    },\n    {")


def test_long_texts_and_long_steps_are_cut_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atif_large, "LONG", 20)
    monkeypatch.setattr(atif_large, "MAX_STEP", 4000)
    monkeypatch.setattr(atif_large, "CHUNK", 100)
    call = '{"tool_call_id": "a", "function_name": "Read", "arguments": {}}'
    text = "one\\ntwo\\nthree and more than twenty"
    first = f'{{"step_id": 1, "source": "agent", "tool_calls": [{call}], "message": "{text}"}}'
    second = first.replace(text, "x" * 9000)
    data = f'{{"steps": [{first}, {second}, {first}], "agent": {{"name": "n"}}}}'.encode()
    loaded = atif_large.load_large(io.BytesIO(data))
    kinds = [type(step).__name__ for step in loaded.steps]
    assert kinds == ["Step", "Damage", "Step"]
    assert loaded.steps[0].message == "one\ntwo\n"  # type: ignore[union-attr]
    assert "2 long texts" in loaded.reason and loaded.agent == {"name": "n"}
