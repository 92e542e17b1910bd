"""Whole traces without a trial's folder, one for each form that a reader knows."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from tests.discover import test_sessions as continued
from tests.fuzz.seeds import FIXTURES
from tests.traces import test_chat as chat
from tests.traces import test_claude_code_variants as variants
from tests.traces import test_codex as codex
from tests.traces import test_mapped as mapped
from tests.traces import test_openhands_events as openhands
from tests.traces import test_swe_agent as swe_agent


def _lines(*values: Any) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def _swe_agent() -> dict[str, bytes]:
    old = [
        swe_agent.old("open src/nest.py", swe_agent.WINDOW, "/heron", "/heron/src/nest.py"),
        swe_agent.old("grep -n EGGS src/nest.py", "2:EGGS = 3", "/heron"),
        swe_agent.old("submit", "", "/heron"),
    ]
    new = [
        swe_agent.new("cat src/nest.py", "EGGS = 3", "/heron"),
        swe_agent.new("find . -name '*.py'", "./src/nest.py", "/heron"),
        swe_agent.new("submit", "", None),
    ]
    made = {}
    for name, steps in (("old.traj", old), ("new.traj", new)):
        data = {"environment": "swe_main", "trajectory": steps, "history": [], "info": {}}
        made[name] = json.dumps(data).encode()
    return made


def _codex() -> dict[str, bytes]:
    parent = [
        codex.wrapped("session_meta", codex.META),
        codex.call("c1", "shell", {"command": ["bash", "-lc", "cat a.py"]}),
        codex.output("c1", json.dumps({"output": "x = 1\n", "metadata": {"exit_code": 0}})),
        codex.tokens(100, 5),
        codex.call("c2", "spawn_agent", {"message": "look"}),
        codex.output("c2", "{}"),
    ]
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "t-1"}}}
    child = [
        codex.wrapped("session_meta", {**codex.META, "id": "t-2", "source": spawn}),
        codex.call("c3", "shell", {"command": ["bash", "-lc", "sed -n 1,5p b.py"]}),
        codex.output("c3", "one\ntwo\n"),
    ]
    fork = [
        codex.wrapped("session_meta", {**codex.META, "id": "t-3", "forked_from_id": "t-1"}),
        *parent[1:4],
        codex.call("c9", "shell", {"command": ["rg", "-n", "x"]}),
        codex.output("c9", "a.py:1:x = 1"),
    ]
    printed = [
        {"type": "thread.started", "thread_id": "t-9"},
        {
            "type": "item.completed",
            "item": {
                "id": "item_1",
                "type": "command_execution",
                "command": "cat a.py",
                "aggregated_output": "x",
                "exit_code": 0,
                "status": "completed",
            },
        },
        {"type": "turn.completed", "usage": {"input_tokens": 10, "output_tokens": 2}},
    ]
    return {
        "rollout-1.jsonl": _lines(*parent),
        "rollout-2.jsonl": _lines(*child),
        "rollout-3.jsonl": _lines(*fork),
        "printed.jsonl": _lines(*printed),
    }


def _chats() -> dict[str, bytes]:
    rows = [
        {"instance_id": f"heron__heron-{number}", "messages": make(), "resolved": number % 2}
        for number, make in enumerate((chat.as_tools, chat.as_xml))
    ]
    return {"chats.jsonl": _lines(*rows), "chat.json": json.dumps(rows[0]).encode()}


def _openhands() -> dict[str, bytes]:
    events = [
        openhands.run(1, "cat nest.py", 10, 2),
        openhands.observed(2, 1, "EGGS = 3", "/heron"),
        openhands.run(3, "grep -rn EGGS .", 30, 4),
        openhands.observed(4, 3, "./nest.py:1:EGGS = 3", "/heron"),
    ]
    row = {"instance_id": "heron__heron-12", "history": events, "metrics": {}, "test_result": {}}
    return {"events.json": json.dumps(events).encode(), "output.jsonl": _lines(row, row)}


def _codex_days() -> dict[str, bytes]:
    """The same in folders of days: a subagent and a fork of another day, and a copy of a history."""
    files = _codex()
    days = ("2026/05/04", "2026/05/05", "2026/06/01", "2026/06/02")
    made = {f"{day}/{name}": files[name] for day, name in zip(days, sorted(files), strict=True)}
    made["2026/06/02/rollout-4.jsonl"] = files["rollout-1.jsonl"]
    return made


def _claude_code() -> dict[str, bytes]:
    """A project: a session, one that continues it, a subagent of each place, and its notes."""
    first = [continued.asked(0, "a"), *continued.step(1, "a"), *continued.step(2, "a")]
    inside = [line | {"isSidechain": True, "agentId": "x"} for line in continued.step(7, "a")]
    return {
        "a.jsonl": _lines(*first),
        "b.jsonl": _lines(*first, continued.asked(3, "b"), *continued.step(4, "b")),
        "all.jsonl": _lines(*variants.SESSION),
        "agent-x.jsonl": _lines(*inside),
        "a/subagents/agent-y.jsonl": _lines(*inside),
    }


def _of_trials() -> list[dict[str, bytes]]:
    """The traces of the readers' fixtures without their trial's folder."""
    made = []
    for trial in sorted((FIXTURES / "traces").iterdir()):
        files = {file.name: file.read_bytes() for file in trial.glob("agent/*") if file.is_file()}
        if files:
            made.append(files)
    return made


@cache
def folders() -> tuple[dict[str, bytes], ...]:
    """Folders of traces; those of one form lie together, as their harness leaves them."""
    own = (_swe_agent(), _codex(), _codex_days(), _claude_code(), _chats(), _openhands())
    return (
        *own,
        {"opencode.jsonl": mapped.OPENCODE_RUN, "chat.jsonl": mapped.CHAT_LINES},
        *_of_trials(),
    )
