"""Sessions find the commits that came out of them, in real repositories that git makes here."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from groundtrace.errors import InputError
from groundtrace.truth import own_commits
from groundtrace.truth.definitions import load_tasks
from tests.truth.own_sessions import Repository, Sessions, clock, files_of, why


def test_a_commit_during_and_one_after_the_session(heron: Repository, sessions: Sessions) -> None:
    sessions.add("during", heron.path, ("10:00", "nest.py"), ("10:20", "nest.py"))
    sha = heron.commit("10:10", "nest.py", "wing.py")
    sessions.add("after", heron.path, ("12:00", "egg.py"))
    later = heron.commit("13:30", "egg.py")
    found = sessions.found(heron)
    assert found["during"].task_name == f"heron@{sha}"
    assert files_of(found["during"]) == ["nest.py", "wing.py"]
    assert found["after"].task_name == f"heron@{later}"
    said = found["after"].evidence["task_name"]
    assert "90 minutes after its last call" in said
    assert "wrote 1 of 1 files in it" in said
    assert "branch main" in said


def test_several_commits_are_one_change(heron: Repository, sessions: Sessions) -> None:
    sessions.add("long", heron.path, ("10:00", "nest.py"), ("10:30", "src/pond.py"))
    heron.commit("10:10", "nest.py")
    heron.commit("10:20", "wing.py")  # by hand, of a file that the session never wrote
    last = heron.commit("10:40", "src/pond.py", "nest.py")
    trial = sessions.found(heron)["long"]
    assert trial.task_name == f"heron@{last}"
    assert files_of(trial) == ["nest.py", "src/pond.py"]


def test_without_a_commit_there_is_no_truth(heron: Repository, sessions: Sessions) -> None:
    sessions.add("nothing", heron.path, ("10:00", "ls", "nest.py"))
    sessions.add("thrown away", heron.path, ("11:00", "wing.py"))
    sessions.add("too late", heron.path, ("12:00", "egg.py"))
    heron.commit("18:30", "egg.py")
    found = sessions.found(heron)
    assert why(found["nothing"]) == "it wrote no file of heron"
    assert why(found["thrown away"]) == "no commit of heron holds what it wrote"
    assert why(found["too late"]) == "no commit of heron holds what it wrote"
    assert sessions.found(heron, within=7.0)["too late"].task is not None


def test_a_commit_of_two_sessions_belongs_to_neither(heron: Repository, sessions: Sessions) -> None:
    sessions.add("one", heron.path, ("10:00", "nest.py"))
    sessions.add("two", heron.path, ("10:30", "wing.py"))
    heron.commit("11:00", "nest.py", "wing.py")
    found = sessions.found(heron)
    assert "2 sessions" in why(found["one"])
    assert "2 sessions" in why(found["two"])


def test_what_was_committed_before_is_no_longer_pending(
    heron: Repository, sessions: Sessions
) -> None:
    """Both wrote nest.py, but the first one's write was committed before the second began."""
    sessions.add("first", heron.path, ("10:00", "nest.py"))
    one = heron.commit("10:05", "nest.py")
    sessions.add("second", heron.path, ("10:30", "nest.py"))
    two = heron.commit("10:45", "nest.py")
    found = sessions.found(heron)
    assert found["first"].task_name == f"heron@{one}"
    assert found["second"].task_name == f"heron@{two}"


def test_a_commit_that_git_printed_is_the_sessions(heron: Repository, sessions: Sessions) -> None:
    sessions.add("left behind", heron.path, ("09:50", "wing.py"))
    sha = heron.commit("10:10", "nest.py", "wing.py")
    printed = f"[main {sha[:7]}] work\n 2 files changed"
    sessions.add(
        "made it", heron.path, ("10:00", "nest.py"), ("10:10", "git commit -am work", printed)
    )
    found = sessions.found(heron)
    assert found["made it"].task_name == f"heron@{sha}"
    assert "printed in the session" in found["made it"].evidence["task_name"]
    assert found["left behind"].task is None


def test_amended_commits_are_one(heron: Repository, sessions: Sessions) -> None:
    sessions.add("amends", heron.path, ("10:00", "nest.py"))
    heron.commit("10:10", "nest.py")
    (heron.path / "egg.py").write_text("four\n")
    heron.git("add", "-A")
    heron.git("commit", "-q", "--amend", "-m", "better", at="2 09:00", author="10:10")
    trial = sessions.found(heron)["amends"]
    assert trial.task_name == f"heron@{heron.git('rev-parse', 'HEAD')}"
    assert files_of(trial) == ["egg.py", "nest.py"]


def test_rebased_commits_are_found_by_their_authors_time(
    heron: Repository, sessions: Sessions
) -> None:
    heron.git("checkout", "-q", "-b", "eggs")
    sessions.add("rebased", heron.path, ("10:00", "egg.py"), branch="eggs")
    heron.commit("10:10", "egg.py")
    heron.git("checkout", "-q", "main")
    heron.commit("1 12:00", "wing.py")
    heron.git("checkout", "-q", "eggs")
    heron.git("-c", "rebase.backend=merge", "rebase", "-q", "main", at="2 08:00", author="10:10")
    trial = sessions.found(heron)["rebased"]
    assert trial.task_name == f"heron@{heron.git('rev-parse', 'eggs')}"
    assert files_of(trial) == ["egg.py"]
    assert "branch eggs" in trial.evidence["task_name"]


def test_a_squash_takes_what_no_other_commit_holds(heron: Repository, sessions: Sessions) -> None:
    """Without the branch's own commits the squash is the session's; with them it adds nothing."""
    heron.git("checkout", "-q", "-b", "eggs")
    sessions.add("squashed", heron.path, ("10:00", "egg.py"), ("10:20", "nest.py"), branch="eggs")
    heron.commit("10:10", "egg.py")
    own = heron.commit("10:30", "nest.py")
    heron.git("checkout", "-q", "main")
    heron.git("merge", "-q", "--squash", "eggs")
    heron.git("commit", "-q", "-m", "squash", at="11:00")
    trial = sessions.found(heron)["squashed"]
    assert trial.task_name == f"heron@{own}"
    assert files_of(trial) == ["egg.py", "nest.py"]
    heron.git("branch", "-q", "-D", "eggs")
    heron.git("reflog", "expire", "--expire=all", "--all")
    heron.git("gc", "-q", "--prune=now")
    trial = sessions.found(heron)["squashed"]
    assert trial.task_name == f"heron@{heron.git('rev-parse', 'main')}"
    assert files_of(trial) == ["egg.py", "nest.py"]


def test_commits_that_only_the_reflog_holds(heron: Repository, sessions: Sessions) -> None:
    heron.git("checkout", "-q", "-b", "gone")
    sessions.add("undone", heron.path, ("10:00", "egg.py"), branch="gone")
    sha = heron.commit("10:10", "egg.py")
    heron.git("checkout", "-q", "main")
    heron.git("branch", "-q", "-D", "gone")
    assert sessions.found(heron)["undone"].task_name == f"heron@{sha}"


def test_merges_hold_nothing_of_their_own(heron: Repository, sessions: Sessions) -> None:
    heron.git("checkout", "-q", "-b", "eggs")
    heron.commit("09:00", "wing.py")
    heron.git("checkout", "-q", "main")
    sessions.add("merges", heron.path, ("10:00", "nest.py"))
    sha = heron.commit("10:10", "nest.py")
    heron.git("merge", "-q", "--no-ff", "-m", "merge", "eggs", at="10:20")
    trial = sessions.found(heron)["merges"]
    assert trial.task_name == f"heron@{sha}"
    assert files_of(trial) == ["nest.py"]


def test_a_second_work_tree(heron: Repository, sessions: Sessions, tmp_path: Path) -> None:
    heron.git("worktree", "add", "-q", "-b", "eggs", str(tmp_path / "tree"))
    tree = tmp_path / "tree"
    sessions.add("in the tree", tree, ("10:00", "egg.py"), branch="eggs")
    (tree / "egg.py").write_text("four\n")
    heron.git("-C", str(tree), "commit", "-qam", "four", at="10:05")
    assert files_of(sessions.found(heron)["in the tree"]) == ["egg.py"]


def test_two_repositories(heron: Repository, sessions: Sessions, tmp_path: Path) -> None:
    otter = Repository(tmp_path / "otter")
    otter.commit("08:00", "paw.py")
    sessions.add("in heron", heron.path, ("10:00", "nest.py"))
    sha = heron.commit("10:05", "nest.py")
    sessions.add("in otter", otter.path, ("11:00", "paw.py"))
    other = otter.commit("11:05", "paw.py")
    sessions.add("elsewhere", "/somewhere/else", ("12:00", "nest.py"))
    sessions.add("nowhere", None, ("12:30", "ls", ""))
    found = sessions.found(heron, otter)
    assert found["in heron"].task_name == f"heron@{sha}"
    assert found["in otter"].task_name == f"otter@{other}"
    assert why(found["elsewhere"]) == "it ran in none of the repositories"
    assert why(found["nowhere"]) == "nothing says where it ran"


def test_commits_in_two_repositories_are_ambiguous(
    heron: Repository, sessions: Sessions, tmp_path: Path
) -> None:
    otter = Repository(tmp_path / "heron" / "otter")  # a repository inside the other
    otter.commit("08:00", "paw.py")
    sessions.add("both", otter.path, ("10:00", "paw.py"), ("10:01", "../nest.py"))
    otter.commit("10:05", "paw.py")
    (heron.path / "nest.py").write_text("x\n")
    heron.git("commit", "-qam", "x", at="10:06")
    assert "came out of it" in why(sessions.found(heron, otter)["both"])


def test_commits_of_others_that_were_fetched(heron: Repository, sessions: Sessions) -> None:
    sessions.add("mine", heron.path, ("10:00", "nest.py"))
    heron.git("checkout", "-q", "-b", "theirs")
    (heron.path / "nest.py").write_text("theirs\n")
    identity = ("-c", "user.name=Other", "-c", "user.email=other@example.org")
    heron.git(*identity, "commit-tree", "-m", "x", heron.git("write-tree"), at="10:02")
    tree = heron.git("rev-parse", "HEAD^{tree}")
    heron.git("checkout", "-q", "-f", "main")
    theirs = heron.git(*identity, "commit-tree", tree, "-p", "main", "-m", "theirs", at="10:03")
    heron.git("update-ref", "refs/remotes/origin/main", theirs)
    sha = heron.commit("10:10", "nest.py")
    assert sessions.found(heron)["mine"].task_name == f"heron@{sha}"


def test_a_remote_stands_for_a_folder_on_another_machine(
    heron: Repository, sessions: Sessions
) -> None:
    heron.git("remote", "add", "origin", "git@git.example.org:waders/heron.git")
    line = {
        "timestamp": "2026-05-04T10:00:00.000Z",
        "type": "session_meta",
        "payload": {
            "id": "a1",
            "cwd": "/home/other/heron",
            "cli_version": "0.66.0",
            "originator": "codex_cli",
            "git": {"repository_url": "https://git.example.org/waders/heron", "branch": "main"},
        },
    }
    patch = "*** Begin Patch\n*** Update File: nest.py\n@@\n-a\n+b\n*** End Patch"
    call = {
        "timestamp": "2026-05-04T10:00:05.000Z",
        "type": "response_item",
        "payload": {
            "type": "custom_tool_call",
            "name": "apply_patch",
            "call_id": "c1",
            "input": patch,
        },
    }
    answer = {
        "timestamp": "2026-05-04T10:00:06.000Z",
        "type": "response_item",
        "payload": {
            "type": "custom_tool_call_output",
            "call_id": "c1",
            "output": "Success. Updated the following files:\nM nest.py\n",
        },
    }
    text = "".join(json.dumps(one) + "\n" for one in (line, call, answer))
    (sessions.path / "rollout-2026-05-04T10-00-00-a1.jsonl").write_text(text)
    sha = heron.commit("10:10", "nest.py")
    (trial,) = sessions.found(heron).values()
    assert trial.task_name == f"heron@{sha}"
    assert "names its remote" in trial.evidence["task_name"]


def test_sessions_have_titles_and_every_problem_is_a_kind(
    heron: Repository, sessions: Sessions
) -> None:
    sessions.add("do the eggs", heron.path, ("10:00", "egg.py"))
    assert sessions.found(heron)["do the eggs"].title == "Please do do the eggs"


def test_a_session_longer_than_a_day(heron: Repository, sessions: Sessions) -> None:
    sessions.add("long", heron.path, ("10:00", "egg.py"), ("2 10:00", "nest.py"))
    sha = heron.commit("1 23:00", "egg.py")
    trial = sessions.found(heron)["long"]
    assert trial.task_name == f"heron@{sha}"
    assert "while it ran" in trial.evidence["task_name"]


def test_repositories_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    for name in ("plain", "missing"):
        with pytest.raises(InputError, match="git:"):
            load_tasks([f"git:{tmp_path / name}"])


def test_an_empty_and_a_shallow_repository(
    heron: Repository, sessions: Sessions, tmp_path: Path
) -> None:
    empty = Repository(tmp_path / "empty")
    sessions.add("in empty", empty.path, ("10:00", "a.py"))
    sessions.add("in heron", heron.path, ("10:00", "nest.py"))
    heron.commit("10:10", "nest.py")
    subprocess.run(
        ["git", "clone", "-q", "--depth=1", f"file://{heron.path}", str(tmp_path / "shallow")],
        check=True,
    )
    found = sessions.found(empty)
    assert why(found["in empty"]) == "no commit of empty holds what it wrote"
    shallow = Repository.__new__(Repository)
    shallow.path = tmp_path / "shallow"
    sessions.add("in shallow", shallow.path, ("10:00", "nest.py"))
    assert "is missing" in why(sessions.found(shallow)["in shallow"])


def test_the_first_commit_of_a_repository(sessions: Sessions, tmp_path: Path) -> None:
    fresh = Repository(tmp_path / "fresh")
    sessions.add("begins", fresh.path, ("10:00", "a.py"))
    sha = fresh.commit("10:05", "a.py")
    assert sessions.found(fresh)["begins"].task_name == f"fresh@{sha}"


def test_nothing_of_the_repository_runs(heron: Repository, sessions: Sessions) -> None:
    trap = heron.path.parent / "ran"
    script = heron.path.parent / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {trap}\n")
    script.chmod(0o755)
    sessions.add("one", heron.path, ("10:00", "nest.py"))
    heron.commit("10:05", "nest.py")
    for name in ("core.fsmonitor", "diff.external", "gpg.program", "core.pager"):
        heron.git("config", name, str(script))
    heron.git("config", "log.showSignature", "true")
    heron.git("config", "core.hooksPath", str(heron.path.parent))
    assert sessions.found(heron)["one"].task is not None
    assert not trap.exists()


def test_configurations_by_use(heron: Repository, sessions: Sessions) -> None:
    sessions.add("plain", heron.path, ("10:00", "nest.py"))
    text = (sessions.path / "plain.jsonl").read_text()
    (sessions.path / "search.jsonl").write_text(
        text.replace('"Write"', '"mcp__sourcegraph__keyword_search"').replace("m1", "m9")
    )
    by = {
        "mcp": {"plain": "without-mcp", "search": "with-mcp"},
        "tool:sourcegraph": {"plain": "without-sourcegraph", "search": "with-sourcegraph"},
        "tool:write": {"plain": "with-write", "search": "without-write"},
        "branch": {"plain": "main", "search": "main"},
        "model": {"plain": "wader-1", "search": "wader-1"},
        "harness": {"plain": "claude-code", "search": "claude-code"},
    }
    for how, names in by.items():
        found = sessions.found(heron, config_by=how)
        assert {name: trial.config_name for name, trial in found.items()} == names


def test_only_the_window_of_a_long_history_is_listed(
    heron: Repository, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """3,000 commits, one an hour up to the day of the tests: only those since the session are read."""
    start = int(clock("00:00")) - 3000 * 3600
    stream = "".join(
        f"commit refs/heads/old\ncommitter W <w@example.org> {start + 3600 * i} +0000\ndata 1\nx\n"
        f"M 100644 inline f{i % 50}.py\ndata 5\n{i:04}\n\n"
        for i in range(3000)
    )
    subprocess.run(
        ["git", "-C", str(heron.path), "fast-import", "--quiet"], input=stream.encode(), check=True
    )
    sessions.add("one", heron.path, ("10:00", "nest.py"))
    made = heron.commit("10:05", "nest.py")
    listed: list[str] = []
    run_git = own_commits.run_git

    def counted(repo: Path, words: list[str], **more: Any) -> bytes:
        said = run_git(repo, words, **more)
        if words[0] == "rev-list":
            listed.extend(line for line in said.decode().splitlines() if line.count("\0") == 4)
        return said

    monkeypatch.setattr(own_commits, "run_git", counted)
    found = sessions.found(heron)["one"]
    assert found.task is not None and made in found.task.name
    assert 1 <= len(listed) <= 4, "each list holds the commit of the session, and nothing older"
