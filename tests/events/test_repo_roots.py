"""Whole sessions whose clone lies below the working directory, or on Windows (D180 to D184)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran

Call = Callable[..., Ran]
TASK = "lakeside__heron-7"
QUERY = "heron/db/query.py"


class Session:
    """A session of Claude Code, written line by line."""

    def __init__(self, cwd: str) -> None:
        self.cwd = cwd
        self.lines: list[str] = []

    def call(self, name: str, answer: str, cwd: str | None = None, **given: Any) -> Session:
        number = f"toolu_{len(self.lines)}"
        use = [{"type": "tool_use", "id": number, "name": name, "input": given}]
        got = [{"type": "tool_result", "tool_use_id": number, "content": answer}]
        for kind, content in (("assistant", use), ("user", got)):
            self.lines.append(
                json.dumps(
                    {
                        "type": kind,
                        "sessionId": "s-1",
                        "isSidechain": False,
                        "cwd": cwd or self.cwd,
                        "uuid": f"u-{len(self.lines)}",
                        "timestamp": "2026-05-04T10:00:00Z",
                        "message": {"id": f"m-{number}", "role": kind, "content": content},
                    }
                )
            )
        return self

    def ask(self, prompt: str) -> Session:
        message = {"role": "user", "content": prompt}
        line = {
            "type": "user",
            "sessionId": "s-1",
            "cwd": self.cwd,
            "uuid": "u",
            "message": message,
        }
        self.lines.append(json.dumps(line))
        return self

    def document(self, groundtrace: Call, folder: Path, **row: Any) -> Any:
        (folder / "runs").mkdir()
        (folder / "runs" / f"{TASK}.jsonl").write_text("\n".join(self.lines))
        task = {"instance_id": TASK, "repo": "lakeside/heron", "patch": patch_of(QUERY), **row}
        (folder / "tasks.jsonl").write_text(json.dumps(task))
        ran = groundtrace("normalize", folder / "runs", "--tasks", folder / "tasks.jsonl")
        assert ran.code == 0, ran.err
        (path,) = (folder / "runs").rglob("*.retrieval_events.json")
        return json.loads(path.read_text())


def patch_of(*paths: str) -> str:
    return "".join(
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n"
        for path in paths
    )


def kinds(document: Any) -> Iterator[tuple[str, str]]:
    for event in document["events"]:
        for access in event["accesses"]:
            if "ground_truth_file" in access:
                yield access["kind"], access["file"]


@pytest.mark.parametrize("cwd", ["/home/u/swebench_9_15", "swebench_9_15", "~/swebench_9_15"])
def test_a_session_that_starts_above_the_clone(groundtrace: Call, tmp_path: Path, cwd: str) -> None:
    clone = f"{cwd}/testbed"
    session = (
        Session(cwd)
        .call("Bash", "abc123 Fix", command="cd testbed && git log --oneline -1")
        .call("Bash", f"testbed/{QUERY}:3:class Query", command="grep -rn 'class Query' testbed")
        .call("Read", "     1\timport os", file_path=f"{clone}/{QUERY}")
        .call("Edit", "ok", file_path=f"{clone}/{QUERY}", old_string="a", new_string="b")
        .call("Read", "     1\tnotes", file_path=f"{cwd}/notes.md")
    )
    made = session.document(groundtrace, tmp_path)
    assert list(kinds(made)) == [("matched", QUERY), ("read", QUERY), ("written", QUERY)]
    (root,) = (root for root in made["provenance"]["repo_roots"] if "votes" in root)
    assert root["path"] in (clone, "testbed")
    assert root["repo"] == "heron"
    assert "git ran there" in root["evidence"]
    assert made["coverage"]["unmatched_suffixes"] == 0
    said = groundtrace("explain", TASK, tmp_path / "runs", "--tasks", tmp_path / "tasks.jsonl")
    assert f"repository: {root['path']} is heron: 1 relevant file at its place" in said.out
    assert f"({root['votes']} votes)" in said.out


@pytest.mark.parametrize(
    ("prompt", "is_found"),
    [
        ("The repository is in /home/u/jobs/x1/work. Mend the query.", True),
        ("Mend the query. The code was cloned to `work` for you.", True),
        ("The repository is in /home/u/jobs/x1/other.", False),
        ("Mend the query in the code.", False),
    ],
)
def test_a_prompt_that_says_where_the_code_is(
    groundtrace: Call, tmp_path: Path, prompt: str, is_found: bool
) -> None:
    """One relevant file at its place is not enough; with the user's word it is."""
    session = Session("/home/u/jobs/x1").ask(prompt)
    session.call("Read", "     1\timport os", file_path=f"/home/u/jobs/x1/work/{QUERY}")
    made = session.document(groundtrace, tmp_path)
    assert list(kinds(made)) == ([("read", QUERY)] if is_found else [])
    assert made["coverage"]["unmatched_suffixes"] == (0 if is_found else 1)
    if is_found:
        (root,) = (root for root in made["provenance"]["repo_roots"] if "votes" in root)
        assert "the prompt says that the code is there" in root["evidence"]


def test_git_that_failed_shows_no_repository(groundtrace: Call, tmp_path: Path) -> None:
    no_git = "fatal: not a git repository (or any of the parent directories): .git"
    session = (
        Session("/home/u/work")
        .call("Bash", no_git, command="cd unpacked && git status")
        .call("Bash", no_git, command="git -C /home/u/work/unpacked status")
        .call("Read", "     1\timport os", file_path=f"/home/u/work/unpacked/{QUERY}")
    )
    made = session.document(groundtrace, tmp_path)
    assert not list(kinds(made))
    assert made["coverage"]["unmatched_suffixes"] == 1


@pytest.mark.parametrize(
    ("command", "answer", "found"),
    [
        ("git clone https://github.com/lakeside/heron w", "Cloning into 'w'...", True),
        ("git clone --depth 1 -b main git@github.com:lakeside/heron.git w", "", True),
        ("git clone https://github.com/someone/heron w", "Cloning into 'w'...", False),
        ("git clone https://github.com/lakeside/heron w", "fatal: could not read", False),
        ("git worktree add w", "Preparing worktree (new branch 'w')", False),
        ("cd w && git rev-parse --show-toplevel", "/home/u/work/w", True),
        ("cd w && git rev-parse --show-toplevel", "/home/u/work", False),
        ("git -C w status --short", " M heron/urls.py", True),
        ("cd w/heron && git diff --stat", " heron/urls.py | 2 +-", True),
        ("ls w", "heron  setup.py", False),
    ],
)
def test_what_git_shows_about_a_folder(
    groundtrace: Call, tmp_path: Path, command: str, answer: str, found: bool
) -> None:
    session = (
        Session("/home/u/work")
        .call("Bash", answer, command=command)
        .call("Read", "     1\timport os", file_path=f"/home/u/work/w/{QUERY}")
    )
    made = session.document(groundtrace, tmp_path)
    assert list(kinds(made)) == ([("read", QUERY)] if found else [])


def test_a_harness_whose_directory_moves(groundtrace: Call, tmp_path: Path) -> None:
    """Claude Code writes the directory of its shell on each line."""
    start, clone = "/home/u/work", "/home/u/work/code"
    session = (
        Session(start)
        .call("Bash", "", command="cd code")
        .call("Bash", f"{QUERY}:3:class Query", cwd=clone, command="grep -rn 'class Query' heron")
    )
    assert list(kinds(session.document(groundtrace, tmp_path))) == [("matched", QUERY)]


@pytest.mark.parametrize("cwd", [r"C:\Users\u\heron", r"c:\users\u\heron", "C:/Users/u/heron"])
def test_a_session_on_windows(groundtrace: Call, tmp_path: Path, cwd: str) -> None:
    windows = QUERY.replace("/", "\\")
    session = (
        Session(cwd)
        .call("Read", "     1\timport os", file_path=f"C:\\Users\\u\\heron\\{windows}")
        .call("Grep", f"Found 1 file\n{windows}", pattern="Query")
        .call("Grep", f"{windows}:3:class Query", pattern="class", output_mode="content")
        .call("Glob", f"C:\\Users\\u\\heron\\{windows}", pattern="**/query.py")
        .call("Bash", "import os", command=f"cat /c/Users/u/heron/{QUERY}")
        .call("Bash", "import os", command=f"cat '{cwd}/{QUERY}'")
        .call("Bash", f"{QUERY}:3:class Query", command="grep -rn 'class Query' heron")
        .call("Bash", "import os", command='cd "C:\\Users\\u\\heron\\heron" && cat db/query.py')
        .call("Read", "     1\tnotes", file_path="C:\\Users\\u\\other\\notes.md")
    )
    made = session.document(groundtrace, tmp_path)
    assert [kind for kind, file in kinds(made) if file == QUERY] == [
        *("read", "surfaced", "matched", "surfaced", "read", "read", "matched", "read"),
    ]
    (other,) = made["events"][-1]["target_files"]
    assert other.lower() == "c:/users/u/other/notes.md"


@pytest.mark.parametrize(
    "workdir", [r"C:\Users\u\cap", "c:/Users/u/cap", r"C:\users\U\cap\docs\.."]
)
@pytest.mark.parametrize("cwd", [r"C:\Users\u\cap", r"D:\elsewhere"])
def test_the_directory_of_a_command_keeps_its_backslashes(
    groundtrace: Call, tmp_path: Path, cwd: str, workdir: str
) -> None:
    call = {
        "type": "function_call",
        "name": "shell_command",
        "arguments": json.dumps({"command": "cat economy.md", "workdir": workdir}),
        "call_id": "c1",
    }
    answer = "Exit code: 0\nWall time: 0.1 seconds\nOutput:\ncoins"
    lines = [
        {"type": "session_meta", "payload": {"id": "s", "cwd": cwd, "cli_version": "0.66.0"}},
        {"type": "response_item", "payload": call},
        {
            "type": "response_item",
            "payload": {"type": "function_call_output", "call_id": "c1", "output": answer},
        },
    ]
    text = "\n".join(json.dumps({"timestamp": "2026-05-04T10:00:00Z", **line}) for line in lines)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "rollout-2026-05-04T10-00-00-s.jsonl").write_text(text)
    assert groundtrace("normalize", tmp_path / "runs").code == 0
    (path,) = (tmp_path / "runs").rglob("*.retrieval_events.json")
    (event,) = json.loads(path.read_text())["events"]
    (file,) = event["target_files"]
    outside = "c:/users/u/cap/economy.md"
    assert file.lower() == ("economy.md" if cwd.startswith("C") else outside)


def test_the_specification_s_rule_gives_the_same_recall(groundtrace: Call, tmp_path: Path) -> None:
    """Recall by text, from targets and relevant files of a document of version 1.0 alone."""
    row = {
        "gold_context": [
            {"file": f"heron::{QUERY}", "start_line": 1, "end_line": 2},
            {"file": "/testbed/heron/Urls.py", "start_line": 1, "end_line": 2},
        ]
    }
    session = (
        Session("/workspace")
        .call("Read", "     1\timport os", file_path=f"/workspace/heron/{QUERY}")
        .call("Read", "     1\timport os", file_path="/workspace/heron/heron/urls.py")
        .call("Read", "     1\timport os", file_path="/workspace/heron/heron/other.py")
    )
    made = session.document(groundtrace, tmp_path, **row)
    targets = {file for event in made["events"] for file in event["target_files"]}
    relevant = set(made["ground_truth"]["files"])
    assert len(targets & relevant) == made["summary"]["ground_truth_files_hit"] == 2
    assert made["summary"]["unique_files_accessed"] == len(targets) == 3
