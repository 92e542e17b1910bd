"""Codex's subagents and forks: which calls belong to which thread."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from groundtrace.api import read_trace
from groundtrace.config import Settings
from groundtrace.discover.found import Skipped
from groundtrace.discover.loose import discover_loose
from groundtrace.discover.loose_items import LooseRun
from groundtrace.model import Trial
from groundtrace.storage import LocalFolder
from groundtrace.traces import read_trace as read_folder
from groundtrace.traces.codex.reader import CodexReader
from groundtrace.traces.kit.loose import read_trace_of, recognise
from tests.traces.rollouts import META, call, output, read, tokens, wrapped, write


def spawned(thread: str, parent: str) -> dict[str, Any]:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": parent, "depth": 1}}}
    return wrapped("session_meta", {**META, "id": thread, "source": source}, 5)


class TestKin:
    def family(self, folder: Path) -> Path:
        lines = [
            wrapped("session_meta", META),
            *(call("a", "shell", {"command": ["ls"]}), output("a", "x")),
            *(call("s", "spawn_agent", {"message": "go"}), output("s", '{"agent_id": "t-2"}')),
            *(call("b", "shell", {"command": ["ls"]}), output("b", "x")),
        ]
        child = [spawned("t-2", "t-1"), call("k", "shell", {"command": ["ls"]}), output("k", "x")]
        grandchild = [spawned("t-3", "t-2"), call("g", "shell", {"command": ["ls"]})]
        write(folder / "child.jsonl", child)
        write(folder / "grandchild.jsonl", grandchild)
        return write(folder / "parent.jsonl", lines)

    def test_subagents_are_read_with_their_parent(self, tmp_path: Path) -> None:
        trace, problems = read_trace(self.family(tmp_path))
        assert not problems
        assert [(c.call_id, c.agent) for c in trace.calls] == [
            ("a", None), ("s", None), ("k", "s"), ("b", None), ("g", "t-3"),
        ]  # fmt: skip

    def test_a_subagent_is_no_trial_unless_it_is_alone_or_named(self, tmp_path: Path) -> None:
        self.family(tmp_path)
        folder, readers = LocalFolder(tmp_path), (CodexReader(),)
        assert recognise(folder, "child.jsonl", readers)[1] == "a part of parent.jsonl"
        assert recognise(folder, "child.jsonl", readers, named=True)[0] is not None
        (tmp_path / "parent.jsonl").unlink()
        assert recognise(folder, "child.jsonl", readers)[0] is not None
        trace, _ = read_trace(tmp_path / "child.jsonl")
        assert [(c.call_id, c.is_subagent) for c in trace.calls] == [("k", False), ("g", True)]

    def days(self, sessions: Path) -> tuple[Path, Path, Path]:
        """A thread of one day, its subagent after midnight, and that one's a month later."""
        places = [sessions / day for day in ("2026/04/30", "2026/05/01", "2026/06/02")]
        names = ("parent.jsonl", "child.jsonl", "grandchild.jsonl")
        for place in places:
            place.mkdir(parents=True)
        self.family(places[0])
        for place, name in zip(places[1:], names[1:], strict=True):
            (places[0] / name).rename(place / name)
        one, two, three = (p / n for p, n in zip(places, names, strict=True))
        return one, two, three

    def test_a_subagent_of_another_day_belongs_to_its_parent(self, tmp_path: Path) -> None:
        parent, _, _ = self.days(tmp_path / "sessions")
        (parent.parent / "other.jsonl").write_text(
            json.dumps(wrapped("session_meta", {**META, "id": "t-7"})) + "\n"
            + json.dumps(call("o", "shell", {"command": ["ls"]})) + "\n"
        )  # fmt: skip
        trace, problems = read_trace(parent)
        assert not problems
        assert [c.call_id for c in trace.calls] == ["a", "s", "k", "b", "g"]
        found = list(discover_loose(LocalFolder(tmp_path), "run", LooseRun(), settings=Settings()))
        trials = [item.path for item in found if isinstance(item, Trial)]
        assert trials == [
            "sessions/2026/04/30/other.jsonl",
            "sessions/2026/04/30/parent.jsonl",
        ]
        assert {item.path: item.reason for item in found if isinstance(item, Skipped)} == {
            "sessions/2026/05/01/child.jsonl": "no trace: a part of ../../04/30/parent.jsonl",
            "sessions/2026/06/02/grandchild.jsonl": "no trace: a part of ../../05/01/child.jsonl",
        }
        (trial,) = [t for t in found if isinstance(t, Trial) and "parent" in t.path]
        assert len(read_trace_of(trial).trace.calls) == 5

    def test_in_a_trial_too(self, tmp_path: Path) -> None:
        self.days(tmp_path / "agent" / "sessions")
        for file in tmp_path.rglob("*.jsonl"):
            file.rename(file.with_name(f"rollout-{file.name}"))
        trace, problems = read_folder(LocalFolder(tmp_path))
        assert not problems
        assert [(c.call_id, c.is_subagent) for c in trace.calls] == [
            ("a", False), ("s", False), ("k", True), ("b", False), ("g", True),
        ]  # fmt: skip

    def test_a_run_of_one_day_takes_nothing_of_another(self, tmp_path: Path) -> None:
        """What is outside of RUNS is not read."""
        _, child, _ = self.days(tmp_path / "sessions")
        folder = LocalFolder(child.parent)
        found = list(discover_loose(folder, "run", LooseRun(), settings=Settings()))
        (trial,) = [item for item in found if isinstance(item, Trial)]
        assert [c.call_id for c in read_trace_of(trial).trace.calls] == ["k"]

    def test_a_subagent_that_appears_later_is_found(self, tmp_path: Path) -> None:
        """The index of a tree is made again when a file was added."""
        parent, child, _ = self.days(tmp_path / "sessions")
        text = child.read_text()
        child.unlink()
        time.sleep(0.15)
        assert len(read_trace(parent)[0].calls) == 3
        assert len(read_trace(parent)[0].calls) == 3
        child.write_text(text)
        assert len(read_trace(parent)[0].calls) == 5

    def test_a_fork_of_another_day_repeats_no_call(self, tmp_path: Path) -> None:
        first = [wrapped("session_meta", META), call("a", "shell", {"command": ["ls"]})]
        for day in ("03", "04"):
            (tmp_path / "2026/05" / day).mkdir(parents=True)
        write(tmp_path / "2026/05/03/origin.jsonl", first)
        meta = wrapped("session_meta", {**META, "id": "t-9", "forked_from_id": "t-1"})
        own = call("b", "shell", {"command": ["ls"]})
        fork = write(tmp_path / "2026/05/04/fork.jsonl", [meta, *first, own])
        trace, _ = read_trace(fork)
        assert [c.call_id for c in trace.calls] == ["b"]

    def test_a_fork_repeats_no_call(self, tmp_path: Path) -> None:
        """D87: calls of the file that it was forked from count there, with their tokens."""
        first = [wrapped("session_meta", META), tokens(100, 10)]
        first += [call("a", "shell", {"command": ["ls"]}), output("a", "x")]
        own = [tokens(300, 30), call("b", "shell", {"command": ["ls"]}), output("b", "x")]
        write(tmp_path / "origin.jsonl", first)
        meta = wrapped("session_meta", {**META, "id": "t-9", "forked_from_id": "t-1"})
        trace, _ = read(tmp_path, [meta, *first, *own], "fork.jsonl")
        assert [(c.call_id, c.cumulative_tokens) for c in trace.calls] == [("b", 220)]
        assert trace.usage.output_tokens == 20
        (tmp_path / "origin.jsonl").unlink()
        trace, _ = read_trace(tmp_path / "fork.jsonl")
        assert [c.call_id for c in trace.calls] == ["a", "b"]
