"""What the agent handed in: its patch, with files named as in the ground truth, and its stated
context."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.model import StatedLines
from groundtrace.traces.mini_swe_agent.records import stated_context
from tests.conftest import Ran

Call = Callable[..., Ran]

PATCH = """diff --git a/src/Nest.py b/src/Nest.py
--- a/src/Nest.py
+++ b/src/Nest.py
@@ -1 +1 @@
-EGGS = 3
+EGGS = 4
diff --git a/src/new.py b/src/new.py
new file mode 100644
--- /dev/null
+++ b/src/new.py
@@ -0,0 +1 @@
+x = 1
diff --git a/src/old.py b/src/moved.py
similarity index 100%
rename from src/old.py
rename to src/moved.py
"""


def reply(text: str) -> list[dict[str, str]]:
    return [
        {"role": "assistant", "content": text},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\nx\n</output>"},
    ]


def trace(patch: str, *replies: str, status: str = "Submitted", cwd: str = "/testbed") -> str:
    info: dict[str, Any] = {
        "exit_status": status,
        "submission": patch,
        "mini_version": "1.17.3",
        "config": {"environment": {"cwd": cwd}},
    }
    messages = [{"role": "system", "content": "x"}]
    for text in ("THOUGHT: go\n\n```bash\ncat /testbed/src/nest.py\n```", *replies):
        messages += reply(text)
    return json.dumps(
        {
            "info": info,
            "messages": messages,
            "trajectory_format": "mini-swe-agent-1",
            "instance_id": "heron__heron-7",
        }
    )


def document(groundtrace: Call, folder: Path, text: str, row: dict[str, Any]) -> Any:
    (folder / "runs").mkdir()
    (folder / "runs" / "heron__heron-7.traj.json").write_text(text)
    (folder / "tasks.jsonl").write_text(json.dumps({"instance_id": "heron__heron-7", **row}))
    ran = groundtrace("normalize", folder / "runs", "--tasks", folder / "tasks.jsonl")
    assert ran.code == 0, ran.err
    (path,) = (folder / "runs").rglob("*.retrieval_events.json")
    return json.loads(path.read_text())


def test_files_of_the_patch_are_spelled_as_the_ground_truth_spells_them(
    groundtrace: Call, tmp_path: Path
) -> None:
    """Patches count from the repository's root, whatever the working directory was, and the
    ground truth may write the container's paths in another case."""
    row = {
        "repo": "heron/heron",
        "gold_context": [{"file": "/testbed/src/nest.py", "start_line": 1, "end_line": 2}],
        "patch": PATCH.partition("diff --git a/src/new")[0].replace("Nest", "nest"),
    }
    made = document(groundtrace, tmp_path, trace(PATCH, cwd="/testbed/src"), row)
    assert made["ground_truth"]["expected_edit_files"] == made["ground_truth"]["files"]
    assert made["submission"] == {
        "files": [
            made["ground_truth"]["files"][0],
            "src/new.py",
            "src/old.py",
            "src/moved.py",
        ],
        "new_files": ["src/new.py", "src/moved.py"],
        "source": "trace: info.submission",
        "old_names": ["src/nest.py", "src/new.py", "src/old.py"],
        "edit_chunks": [
            {"file": "src/nest.py", "line_start": 1, "line_end": 1, "annotation": None}
        ],
    }


@pytest.mark.parametrize(
    ("text", "status"), [("I could not do it.", "Submitted"), (PATCH, "LimitsExceeded")]
)
def test_words_and_the_text_of_a_run_that_failed_are_no_patch(
    groundtrace: Call, tmp_path: Path, text: str, status: str
) -> None:
    made = document(groundtrace, tmp_path, trace(text, status=status), {"patch": PATCH})
    assert "submission" not in made


def test_the_stated_context_is_read_and_resolved(groundtrace: Call, tmp_path: Path) -> None:
    """The harness shows a template first; only what the agent says counts, and the last block."""
    said = (
        "<PATCH_CONTEXT>\nFile: /testbed/src/nest.py\nLines: 1-2\n\n"
        "File: /testbed/src/wing.py\nLines: 7-9\n</PATCH_CONTEXT>\n\n```bash\nls\n```"
    )
    made = document(groundtrace, tmp_path, trace("", said), {"repo": "heron/heron", "patch": PATCH})
    assert made["final_context"] == [
        {"file": "src/Nest.py", "line_start": 1, "line_end": 2},
        {"file": "src/wing.py", "line_start": 7, "line_end": 9},
    ]


@pytest.mark.parametrize(
    ("block", "found"),
    [
        ("File: a.py\nLines: 3-5", [("a.py", 3, 5)]),
        ("  File: a.py \n  Lines: 3 - 5 \nLines: 8-8", [("a.py", 3, 5), ("a.py", 8, 8)]),
        ("File: a.py\nLines: 5-3", []),
        ("File: a.py\nLines: 0-3", []),
        ("File: a.py\nLines: <start_line>-<end_line>", []),
        ("Lines: 1-2", []),
        ("File: a.py\nLines: ٣-٥", []),
        ("File: a.py\nLines: 1-99999999999999999999", []),
        ("No context provided.", []),
    ],
)
def test_entries_of_a_block(block: str, found: list[tuple[str, int, int]]) -> None:
    text = f"<PATCH_CONTEXT>\n{block}\n</PATCH_CONTEXT>"
    assert stated_context(text) == tuple(StatedLines(*one) for one in found)


def test_a_block_that_is_cut_off_is_none_and_takes_nothing_back() -> None:
    whole = "<PATCH_CONTEXT>\nFile: a.py\nLines: 1-2\n</PATCH_CONTEXT>"
    assert stated_context(f"{whole} <PATCH_CONTEXT>\nFile: b.py\nLines: 1-2") == (
        StatedLines("a.py", 1, 2),
    )
    assert stated_context("File: a.py\nLines: 1-2") == ()


@given(st.text(alphabet="<>/PATCHCONTEXT_File:Lines 0123-\n", max_size=200))
def test_no_text_makes_it_fail(text: str) -> None:
    for found in stated_context(f"<PATCH_CONTEXT>{text}</PATCH_CONTEXT>"):
        assert found.path and 1 <= found.first <= found.last
