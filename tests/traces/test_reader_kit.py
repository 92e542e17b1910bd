"""The checklist for readers: ours pass it, and a reader that breaks a rule does not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from groundtrace import testing
from groundtrace.model import ToolResult
from groundtrace.storage import Folder
from groundtrace.testing import Case, check_reader
from groundtrace.traces.claude_code.reader import ClaudeCodeReader
from groundtrace.traces.codex.reader import CodexReader
from groundtrace.traces.cursor.reader import CursorReader
from groundtrace.traces.gemini.reader import GeminiReader
from groundtrace.traces.inspect_ai.reader import InspectReader
from groundtrace.traces.mini_swe_agent.reader import MiniSweAgentReader
from groundtrace.traces.source import Keep, Probe, RawCall, Reader, Recognised, Source
from tests.traces import test_codex as codex
from tests.traces import test_gemini as gemini
from tests.traces import test_inspect_ai as inspect_ai

LONG = "line\n" * 200


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


ROLLOUT = lines(
    codex.wrapped("session_meta", codex.META),
    codex.wrapped("turn_context", {"cwd": "/w", "model": "m"}),
    codex.tokens(100, 10),
    codex.call("a", "shell", {"command": ["bash", "-lc", "cat a.py"]}),
    codex.output("a", json.dumps({"output": LONG, "metadata": {"exit_code": 0}})),
    codex.item("custom_tool_call", call_id="b", name="apply_patch", input=codex.PATCH),
    codex.item("custom_tool_call_output", call_id="b", output="Success. Updated"),
    codex.call("c", "exec_command", {"cmd": "ls"}),
)
SESSION = lines(
    {"type": "user", "sessionId": "s", "isSidechain": False, "cwd": "/w", "message": {"role": "user", "content": "go"}},
    {"type": "assistant", "sessionId": "s", "isSidechain": False, "message": {"id": "m", "role": "assistant",
     "content": [{"type": "tool_use", "id": "a", "name": "Read", "input": {"file_path": "/w/a"}}]}},
    {"type": "user", "sessionId": "s", "isSidechain": False, "message": {"role": "user",
     "content": [{"type": "tool_result", "tool_use_id": "a", "content": LONG}]}},
)  # fmt: skip
CURSOR = lines(
    {"type": "system", "subtype": "init", "cwd": "/w", "model": "m"},
    {"type": "tool_call", "subtype": "started", "call_id": "a", "tool_call": {"readToolCall": {"args": {"path": "/w/a"}}}},
    {"type": "tool_call", "subtype": "completed", "call_id": "a", "tool_call": {"readToolCall": {
     "args": {"path": "/w/a"}, "result": {"success": {"content": LONG}}}}},
)  # fmt: skip
GEMINI_MESSAGES = (
    gemini.said(
        "m1",
        gemini.call("a", "read_file", {"file_path": "/w/a"}, response={"output": LONG}),
        gemini.call("b", "write_file", {"file_path": "/w/b", "content": LONG}),
    ),
    gemini.said("m2", gemini.call("c", "glob", {"pattern": "*"}, "executing", result=None)),
)
GEMINI_CALLS = (("a", "read_file", True), ("b", "write_file", True), ("c", "glob", False))
GEMINI = json.dumps({**gemini.HEADER, "messages": GEMINI_MESSAGES}).encode()
INSPECT_SAMPLE = inspect_ai.sample(
    *inspect_ai.EVENTS, inspect_ai.tool("d", "bash", {"cmd": "cat x"}, LONG)
)
INSPECT_CALLS = (
    ("c1", "bash", True),
    ("c2", "text_editor", True),
    ("c3", "submit", True),
    ("d", "bash", True),
)
INSPECT = json.dumps({**inspect_ai.HEADER, "samples": [INSPECT_SAMPLE]}).encode()
MINI = json.dumps(
    {
        "trajectory_format": "mini-swe-agent-1",
        "info": {"exit_status": "Submitted", "mini_version": "1.15.0"},
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "look\n```bash\ncat a.py\n```"},
            {"role": "user", "content": f"<returncode>0</returncode>\n<output>\n{LONG}</output>"},
        ],
    }
).encode()


@pytest.mark.parametrize(
    ("reader", "case"),
    [
        (
            CodexReader(),
            Case(
                "x.jsonl",
                ROLLOUT,
                (("a", "shell", True), ("b", "apply_patch", True), ("c", "exec_command", False)),
            ),
        ),
        (
            CodexReader(),
            Case(
                "codex.log",
                lines(*codex.EXEC),
                (
                    ("item_0", "command_execution", True),
                    ("item_1", "file_change", True),
                    ("item_2", "search", True),
                    ("item_3", "command_execution", True),
                ),
            ),
        ),
        (ClaudeCodeReader(), Case("s.jsonl", SESSION, (("a", "Read", True),))),
        (CursorReader(), Case("c.jsonl", CURSOR, (("a", "readToolCall", True),))),
        (MiniSweAgentReader(), Case("a.traj.json", MINI, ((None, "bash", True),))),
        (GeminiReader(), Case("session.json", GEMINI, GEMINI_CALLS)),
        (
            GeminiReader(),
            Case("session.jsonl", lines(gemini.HEADER, *GEMINI_MESSAGES), GEMINI_CALLS),
        ),
        (
            GeminiReader(),
            Case(
                "gemini.log",
                lines(*gemini.STREAM),
                (
                    ("a", "read_file", False),
                    ("b", "run_shell_command", True),
                    ("c", "read_file", True),
                ),
            ),
        ),
        (InspectReader(), Case("log.json", INSPECT, INSPECT_CALLS)),
        (
            InspectReader(),
            Case("log.eval", inspect_ai.eval_bytes(INSPECT_SAMPLE), INSPECT_CALLS, is_text=False),
        ),
    ],
    ids=[
        "codex",
        "codex-exec",
        "claude-code",
        "cursor",
        "mini-swe-agent",
        "gemini",
        "gemini-jsonl",
        "gemini-stream",
        "inspect-json",
        "inspect-eval",
    ],
)
def test_own_readers_pass(reader: Reader, case: Case, tmp_path: Path) -> None:
    assert testing.CHECKS
    check_reader(reader, case, tmp_path)


def test_the_reader_of_the_guide_passes(tmp_path: Path) -> None:
    guide = Path(__file__).parents[2] / "docs/guides/add-a-harness.md"
    blocks = re.findall(r"```python(?: title=\S+)?\n(.*?)```", guide.read_text(), re.DOTALL)
    reader, test = (b for b in blocks if "class OrioleReader" in b or "check_reader(" in b)
    (tmp_path / "oriole_reader.py").write_text(reader)
    (tmp_path / "test_oriole.py").write_text(test)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_oriole.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0 and "1 passed" in ran.stdout, ran.stdout


class Careless:
    """A reader that keeps no rule but its own format."""

    name = "careless"
    patterns: tuple[str, ...] = ("agent/x",)
    mistake = ""

    def recognise(self, probe: Probe) -> Recognised | None:
        is_own = self.mistake == "claims" or probe.head.startswith(b'{"careless"')
        return Recognised("marker", "careless") if is_own else None

    def read(self, folder: Folder, path: str, keep: Keep) -> Source:
        source = Source(path, "transcript", "careless", parsed=True)
        for line in folder.read(path).decode(errors="replace").splitlines():
            try:
                entry = json.loads(line)
                if "careless" in entry:
                    continue
                text = (
                    entry["output"] if self.mistake == "memory" else keep.text(entry["output"])[0]
                )
                name = entry["tool"] if isinstance(entry["tool"], str) and entry["tool"] else "?"
                call = RawCall(name, {}, entry["id"], result=ToolResult(text))
                source.calls.append(call)
                if self.mistake == "twice":
                    source.calls.append(call)
            except (ValueError, TypeError, KeyError, AttributeError):
                if self.mistake == "raises":
                    raise
        return source


@pytest.mark.parametrize("mistake", ["claims", "memory", "twice", "raises"])
def test_a_mistake_is_found(mistake: str, tmp_path: Path) -> None:
    reader = Careless()
    reader.mistake = mistake
    data = lines({"careless": 1}, {"id": "a", "tool": "t", "output": LONG})
    with pytest.raises((AssertionError, ValueError, TypeError, KeyError, AttributeError)):
        check_reader(reader, Case("x", data, (("a", "t", True),)), tmp_path)
