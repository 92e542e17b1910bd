"""Damaged traces of every loose format: nothing raises, nothing is invented, losses are reported.

Each file is cut, gets wrong types, and loses members; then its metrics are computed.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.discover import FoundProblem, Skipped, discover
from groundtrace.documents.codec import encode
from groundtrace.metrics import evaluate
from groundtrace.model import Trial
from groundtrace.pipeline import TrialReading, read_trial
from groundtrace.runs.plan import WorkContext
from groundtrace.storage import place_at
from tests.discover.test_loose import trajectory
from tests.traces import test_chat, test_openhands_events, test_swe_agent

NOW = "2026-01-01T00:00:00Z"
CONTEXT = WorkContext(Settings(), None, NOW, True)
LONG = ("messages", "trajectory", "history", "trajectory_steps")
WRONG: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e308, 10**30, "", "x", "\ud800", "\x00", [], [1], [None], [[]], {},
    {"a": 1}, {"role": "assistant"}, "[]", '{"a":', "9" * 400, ["a", {"b": []}], "../../x",
)  # fmt: skip


def seeds() -> dict[str, list[Any]]:
    """Small files of our own: name to rows, of which a file that is no data set has one."""
    old, new, window = test_swe_agent.old, test_swe_agent.new, test_swe_agent.WINDOW
    info = {"exit_status": "submitted", "submission": "d", "model_stats": test_swe_agent.STATS}
    shown = [old("open nest.py", window, "/heron"), old("goto 2", window, "/heron", "/heron/n.py")]
    viewed = [new("cat a.py", "x", "/heron"), new("str_replace_editor view /heron", "x", "/heron")]
    around = {"environment": "heron__heron-12", "history": [], "info": info}
    tools = test_chat.as_tools()
    return {
        "m.traj.json": [json.loads(trajectory("heron__heron-12"))],
        "old.traj": [{**around, "trajectory": shown}],
        "new.traj": [{**around, "trajectory": viewed, "replay_config": "{}"}],
        "tries.traj": [{"attempts": [test_swe_agent.attempt("a", 1.0)] * 2}],
        "output.jsonl": [test_openhands_events.row(), test_openhands_events.row()],
        "events.jsonl": test_openhands_events.V1,
        "chats.jsonl": [
            {"instance_id": "a", "messages": tools},
            {"instance_id": "b", "messages": test_chat.as_xml()},
            {"instance_id": "c", "messages": test_chat.as_ticks(), "resolved": True},
        ],
        "log.json": [{"messages": [], "fncall_messages": tools, "response": {"choices": []}}],
    }


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every member of a value: what holds it, and its key."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


def mutated(rows: list[Any], rng: random.Random) -> list[Any]:
    """Rows with wrong types, missing members and members in another order."""
    rows = copy.deepcopy(rows)
    for _ in range(rng.choice((1, 1, 2, 6))):
        found = list(places(rows))
        if not found:
            break
        holder, key = rng.choice(found)
        way = rng.random()
        if way < 0.6:
            holder[key] = copy.deepcopy(rng.choice(WRONG))
        elif way < 0.8:
            del holder[key]
        elif isinstance(holder[key], str):
            holder[key] = holder[key][: rng.randrange(len(holder[key]) + 1)]
        elif isinstance(holder, list):
            rng.shuffle(holder)
    return rows


def written(rows: list[Any], name: str) -> bytes:
    if name.endswith(".jsonl"):
        return "\n".join(json.dumps(row) for row in rows).encode()
    return json.dumps(rows[0] if rows else None).encode()


def readings(folder: Path) -> tuple[dict[str, TrialReading], bool]:
    """Every trial of a folder up to its metrics, and whether anything was told or passed."""
    found: dict[str, TrialReading] = {}
    told = False
    for item in discover(place_at(folder), settings=Settings()):
        if isinstance(item, Trial):
            reading = read_trial(item, CONTEXT)
            assert encode(reading.document)
            assert encode(evaluate(reading.document, generated_at=NOW))
            found[item.path] = reading
            told = told or bool(reading.problems)
        else:
            told = told or isinstance(item, (FoundProblem, Skipped))
    return found, told


def calls(reading: TrialReading) -> list[Any]:
    return [(call.name, call.arguments) for call in reading.trace.calls]


def check(rows: list[Any], name: str, folder: Path, rng: random.Random, count: int) -> int:
    folder.mkdir()
    data = written(rows, name)
    (folder / name).write_bytes(data)
    whole = {path: calls(reading) for path, reading in readings(folder)[0].items()}
    seen = 0
    for _ in range(count):
        (folder / name).write_bytes(data[: rng.randrange(len(data))])
        found, told = readings(folder)
        assert found or told, "a cut file is a trial, or somebody says why it is none"
        for path, reading in found.items():
            if path in whole:
                assert calls(reading) == whole[path][: len(reading.trace.calls)]
        (folder / name).write_bytes(written(mutated(rows, rng), name))
        seen += len(readings(folder)[0])
    return seen


@pytest.mark.parametrize("name", seeds())
def test_damage_raises_nothing_and_invents_nothing(name: str, tmp_path: Path) -> None:
    assert check(seeds()[name], name, tmp_path / "runs", random.Random(name), 60)


def shortened(value: Any, rng: random.Random) -> Any:
    """A real trajectory with few of its steps, so that many damages can be tried."""
    if isinstance(value, dict):
        out = {}
        for key, item in value.items():
            if key in LONG and isinstance(item, list) and len(item) > 12:
                start = rng.randrange(2, len(item) - 8)
                item = [*item[:2], *item[start : start + 8]]
            out[key] = shortened(item, rng)
        return out
    if isinstance(value, list):
        return [shortened(item, rng) for item in value]
    return value[:3000] if isinstance(value, str) else value


@pytest.mark.corpus
def test_damaged_real_files_raise_nothing(corpus_next: Path, tmp_path: Path) -> None:
    patterns = (
        "*/mini-swe-agent/**/*.traj.json",
        "swe-agent/**/*.traj",
        "openhands/**/*.jsonl",
        "chat/*.jsonl",
    )
    files = sorted(path for pattern in patterns for path in corpus_next.glob(pattern))
    assert len(files) > 70
    seen = 0
    for number, path in enumerate(files):
        rng = random.Random(number)
        lines = path.read_bytes().splitlines() if path.suffix == ".jsonl" else [path.read_bytes()]
        rows = [shortened(json.loads(line), rng) for line in lines if line.strip()]
        if "kind" not in rows[0]:
            rows = rows[:2]
        seen += check(rows, path.name, tmp_path / str(number), rng, 4)
    assert seen
