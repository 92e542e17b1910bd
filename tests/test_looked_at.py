"""What an agent looked at, counted by hand on a session without ground truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conftest import Ran
from tests.traces import test_codex as codex


def shell(call_id: str, command: str, text: str, code: int = 0) -> list[dict[str, Any]]:
    answer = json.dumps({"output": text, "metadata": {"exit_code": code}})
    asked = codex.call(call_id, "shell", {"command": ["bash", "-lc", command]})
    return [asked, codex.output(call_id, answer)]


def test_a_session_without_ground_truth(tmp_path: Path, groundtrace: Any) -> None:
    lines = [
        codex.wrapped("session_meta", codex.META),
        *shell("1", "cat a.py", "12345\n"),
        *shell("2", "cat a.py", "12345\n"),  # the same again
        codex.item("custom_tool_call", call_id="3", name="apply_patch", input=codex.PATCH),
        codex.item("custom_tool_call_output", call_id="3", output="Success. Updated"),
        *shell("4", "cat a.py", "54321\n"),  # changed since: no repeat
        *shell("5", "rg -n x", "b.py:1:x\nc.py:2:x\n"),
        *shell("6", "cat gone.py", "cat: gone.py: No such file or directory\n", 1),
    ]
    path = codex.write(tmp_path / "s.jsonl", lines)
    ran: Ran = groundtrace("explain", path, "--json")
    seen = json.loads(ran.out)["looked_at"]
    assert {key: seen[key] for key in list(seen)[:7]} == {
        "calls": 6,
        "failed": 1,
        "unanswered": 0,
        "repeated_reads": 1,
        "files_read": 1,
        "files_searched": 2,
        "files_written": 1,
    }
    first = seen["files"][0]
    assert first["file"].endswith("a.py")
    assert (first["reads"], first["writes"], first["shown_chars"]) == (3, 1, 18)
    # Two files share the answer of the search; its lines say how much each took.
    assert [row["shown_chars"] for row in seen["files"][1:]] == [9, 9]
    ran = groundtrace("explain", path)
    assert "1 file read, 2 searched, 1 written; 1 read repeated; 1 call failed" in ran.out
