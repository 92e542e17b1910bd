"""Real files of Gemini CLI, Inspect and the mapped formats, counted by another program than the readers.

The counting here knows only where in a file its calls are.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from groundtrace.api import read_trace
from groundtrace.config import Settings
from groundtrace.model import Trace

pytestmark = pytest.mark.corpus
GUIDE = Path(__file__).parents[2] / "docs/guides/map-a-format.md"
Counted = list[tuple[Any, Any]]


def rows(file: Path) -> Iterator[Any]:
    yield from (json.loads(line) for line in file.read_text().splitlines() if line.strip())


def gemini(file: Path) -> Counted:
    messages = rows(file) if file.suffix == ".jsonl" else json.loads(file.read_text())["messages"]
    return [(c["id"], c["name"]) for m in messages for c in m.get("toolCalls") or []]


def pi(file: Path) -> Counted:
    replies = (row["message"] for row in rows(file) if row["type"] == "message")
    ran = [m for m in replies if m["role"] == "assistant" and m["stopReason"] not in ("aborted", "error")]  # fmt: skip
    return [(b["id"], b["name"]) for m in ran for b in m["content"] if b["type"] == "toolCall"]


def trae(file: Path) -> Counted:
    steps = json.loads(file.read_text())["agent_steps"]
    return [(c["call_id"], c["name"]) for step in steps for c in step["tool_calls"] or []]


def kimi(file: Path) -> Counted:
    events = (row.get("event") or {} for row in rows(file))
    return [(e["toolCallId"], e["name"]) for e in events if e.get("type") == "tool.call"]


def qwen(file: Path) -> Counted:
    parts = (p for row in rows(file) for p in (row.get("message") or {}).get("parts", []))
    return [(p["functionCall"]["id"], p["functionCall"]["name"]) for p in parts if "functionCall" in p]  # fmt: skip


def named(trace: Trace) -> Counted:
    return [(call.call_id, call.name) for call in trace.calls]


@pytest.mark.parametrize(
    ("pattern", "count", "files", "calls"),
    [
        ("gemini/*.json", gemini, 8, 36),
        ("shapes/gemini/[ls][am]*.json", gemini, 2, 2),
        ("shapes/gemini/*.jsonl", gemini, 1, 1),
        ("pi/*.jsonl", pi, 1, 373),
        ("trae/*/trajectory.json", trae, 3, 108),
        ("shapes/kimi/*.jsonl", kimi, 3, 21),
        ("shapes/qwen/*[1-4].jsonl", qwen, 4, 2),
    ],
)
def test_every_call_once_and_in_order(
    pattern: str, count: Callable[[Path], Counted], files: int, calls: int, corpus_next: Path
) -> None:
    found = sorted(corpus_next.glob(pattern))
    assert len(found) == files
    total = 0
    for file in found:
        trace, problems = read_trace(file)
        assert not problems, file
        assert named(trace) == count(file)
        total += len(trace.calls)
    assert total == calls


@pytest.mark.parametrize(
    ("name", "samples", "calls"), [("small.eval", 6, 76), ("ctf.eval", 15, 121)]
)
def test_every_sample_of_an_archive(name: str, samples: int, calls: int, corpus_next: Path) -> None:
    file = corpus_next / "inspect" / name
    total = seen = 0
    with zipfile.ZipFile(file) as archive:
        members = [n for n in archive.namelist() if n.startswith("samples/")]
        for member in members:
            sample = json.loads(archive.read(member))
            expected = [(e["id"], e["function"]) for e in sample["events"] if e["event"] == "tool"]
            key = member.removeprefix("samples/").removesuffix(".json")
            trace, problems = read_trace(f"{file}#{key}")
            assert not problems and named(trace) == expected
            stated = sum(u["total_tokens"] for u in sample["model_usage"].values())
            assert (trace.usage.input_tokens or 0) + (trace.usage.output_tokens or 0) == stated
            assert trace.stated.reward is not None
            seen, total = seen + 1, total + len(expected)
    assert (seen, total) == (samples, calls)


def test_the_mapping_of_the_guide_reads_the_files_that_it_is_about(corpus_next: Path) -> None:
    block = re.search(r"```toml title=vorflux\.toml\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert block is not None and len(block[1].strip().splitlines()) <= 15
    settings = Settings(readers=(("vorflux.toml", block[1]),))
    files = sorted((corpus_next / "swebench/vorflux/trajs").glob("*.json"))
    assert len(files) == 8
    total = 0
    for file in files:
        data = json.loads(file.read_text())
        expected = [(None, e["tool"]) for e in data["trajectory"] if e["type"] == "tool_call"]
        trace, problems = read_trace(file, settings=settings)
        assert not problems and named(trace) == expected
        assert trace.stated.task == data["instance_id"] == file.stem
        assert all(call.result is not None and call.timestamp for call in trace.calls)
        total += len(expected)
    assert total == 515
