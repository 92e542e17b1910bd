"""Claude Code's own folders: sessions, their subagents, junk beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.api import read_trace
from groundtrace.config import Settings
from groundtrace.discover.found import Skipped
from groundtrace.discover.loose import discover_loose
from groundtrace.discover.loose_items import LooseRun
from groundtrace.model import Trial
from groundtrace.storage import LocalFolder
from groundtrace.tools import view_calls
from groundtrace.traces.claude_code.reader import ClaudeCodeReader
from groundtrace.traces.kit.claims import Probe


def line(kind: str, content: Any, session: str = "s-1", **more: Any) -> str:
    base = {"type": kind, "sessionId": session, "isSidechain": False, "cwd": "/w", "uuid": "u"}
    message = {"id": f"m-{content}", "role": kind, "content": content}
    return json.dumps({**base, "timestamp": "2026-05-04T10:00:00Z", "message": message, **more})


def use(call_id: str, name: str, **given: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": call_id, "name": name, "input": given}]


def got(call_id: str, text: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": call_id, "content": text}]


def project(folder: Path, subagents: str) -> Path:
    """A session that starts one subagent, whose log lies in `subagents`."""
    (folder / subagents).mkdir(parents=True, exist_ok=True)
    session = [
        json.dumps({"type": "summary", "summary": "Fix it", "leafUuid": "x"}),
        line("assistant", use("t", "Task", prompt="look")),
        line("user", got("t", "done"), toolUseResult={"agentId": "a1b2", "status": "completed"}),
        line("assistant", use("r", "Read", file_path="/w/a.py")),
        line("user", got("r", "     1\tx")),
    ]
    inside = [
        line("assistant", use("g", "Read", file_path="/w/b.py"), isSidechain=True, agentId="a1b2"),
        line("user", got("g", "     1\ty"), isSidechain=True, agentId="a1b2"),
    ]
    (folder / "s-1.jsonl").write_text("\n".join(session))
    (folder / subagents / "agent-a1b2.jsonl").write_text("\n".join(inside))
    (folder / "agent-lost.jsonl").write_text(
        line("assistant", use("z", "Read", file_path="/w/z.py"), session="gone", isSidechain=True)
    )
    return folder / "s-1.jsonl"


@pytest.mark.parametrize("subagents", ["", "s-1/subagents"])
def test_subagents_follow_the_call_that_started_them(subagents: str, tmp_path: Path) -> None:
    trace, problems = read_trace(project(tmp_path, subagents))
    assert not problems
    assert [(c.call_id, c.agent) for c in trace.calls] == [("t", None), ("g", "t"), ("r", None)]


@pytest.mark.parametrize("subagents", ["", "s-1/subagents"])
def test_each_file_of_a_folder_is_a_trial_a_part_or_named_as_neither(
    subagents: str, tmp_path: Path
) -> None:
    project(tmp_path, subagents)
    (tmp_path / "notes.json").write_text('{"a": 1}')
    (tmp_path / "empty.jsonl").write_text("")
    found = list(discover_loose(LocalFolder(tmp_path), "run", LooseRun(), settings=Settings()))
    trials = {item.path for item in found if isinstance(item, Trial)}
    passed = {item.path: item.reason for item in found if isinstance(item, Skipped)}
    inside = f"{subagents}/agent-a1b2.jsonl".lstrip("/")
    assert trials == {"s-1.jsonl", "agent-lost.jsonl"}  # the session of the second is not there
    assert passed == {
        inside: "no trace: a part of s-1.jsonl",
        "notes.json": "no trace: JSON that no reader knows",
        "empty.jsonl": "no trace: empty",
    }


@pytest.mark.parametrize("cwd", ["project", "[REDACTED]", "~/work", "/home/user1/***"])
def test_relative_and_masked_directories_name_one_file_one_way(cwd: str, tmp_path: Path) -> None:
    path = tmp_path / "any.name"
    path.write_text(
        "\n".join(
            [
                line("assistant", use("1", "Read", file_path=f"{cwd}/src/a.py"), cwd=cwd),
                line("user", got("1", "     1\tx"), cwd=cwd),
                line("assistant", use("2", "Bash", command="cat src/a.py"), cwd=cwd),
                line("user", got("2", "x"), cwd=cwd),
            ]
        )
    )
    trace, _ = read_trace(path)
    names = [[ref.path for ref in view.refs] for view in view_calls(trace, Settings())]
    assert names == [[f"{cwd}/src/a.py"], [f"{cwd}/src/a.py"]]


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "calls"), [("full-session-five", 5), ("full-session-four", 27)])
def test_real_sessions_give_every_call_once(name: str, calls: int, corpus_next: Path) -> None:
    (file,) = (corpus_next / "claude-code/projects").glob(f"*/{name}.jsonl")
    expected: dict[str, str] = {}
    for text in file.read_text().splitlines():
        content = (json.loads(text).get("message") or {}).get("content")
        for block in content if isinstance(content, list) else ():
            if block["type"] == "tool_use":
                expected.setdefault(block["id"], block["name"])
    trace, problems = read_trace(file)
    assert not problems and len(expected) == calls
    assert [(c.call_id, c.name) for c in trace.calls] == list(expected.items())
    assert all(c.result is not None for c in trace.calls)


@pytest.mark.parametrize(
    "first",
    [
        {
            "parentUuid": None,
            "sessionId": "s",
            "type": "user",
            "message": {"role": "user", "parts": []},
        },
        {"parentUuid": None, "sessionId": "s", "type": "system", "systemPayload": {"uiEvent": {}}},
        {"type": "session.start", "data": {"kind": "tool_use"}},
        {"type": "context.append_loop_event", "event": {"tool_use": 1}},
    ],
)
def test_kin_of_its_format_are_not_read_as_sessions_without_calls(first: Any) -> None:
    probe = Probe("x.jsonl", json.dumps(first).encode())
    assert ClaudeCodeReader().recognise(probe) is None
