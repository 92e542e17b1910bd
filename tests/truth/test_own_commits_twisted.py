"""Histories that were rewritten, shared or picked: each session is right or refused, never wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundtrace.truth.own_commits import _is_same
from tests.truth.own_sessions import Repository, Sessions, files_of, why

QUIET = ("-c", "rebase.backend=merge")


def test_another_session_amended_the_commit(heron: Repository, sessions: Sessions) -> None:
    """The commit keeps the time of its author, and holds what was written an hour later."""
    sessions.add("first", heron.path, ("10:00", "nest.py"))
    heron.commit("10:10", "nest.py")
    sessions.add("second", heron.path, ("11:00", "wing.py"))
    heron.commit("11:05", "wing.py", amends="10:10")
    found = sessions.found(heron)
    assert "2 sessions" in why(found["first"])
    assert "2 sessions" in why(found["second"])


def test_the_same_file_was_amended_by_another_session(
    heron: Repository, sessions: Sessions
) -> None:
    sessions.add("first", heron.path, ("10:00", "nest.py"))
    sha = heron.commit("10:10", "nest.py")
    sessions.add(
        "printed", heron.path, ("10:05", "nest.py"), ("10:10", "git commit", f"[main {sha[:7]}] x")
    )
    sessions.add("second", heron.path, ("11:00", "nest.py"))
    heron.commit("11:05", "nest.py", amends="10:10")
    found = sessions.found(heron)
    assert {name: trial.task for name, trial in found.items()} == dict.fromkeys(found)


def test_a_fixup_took_the_commit_of_another_session(heron: Repository, sessions: Sessions) -> None:
    """Of two commits made one, the second still is in the reflog, alone."""
    sessions.add("first", heron.path, ("10:00", "nest.py"))
    heron.commit("10:10", "nest.py")
    sessions.add("second", heron.path, ("11:00", "wing.py"))
    own = heron.commit("11:05", "wing.py")
    heron.git("reset", "-q", "--soft", "HEAD~1")
    heron.git("commit", "-q", "--amend", "-m", "both", at="12:00", author="10:10")
    found = sessions.found(heron)
    assert "2 sessions" in why(found["first"])
    assert found["second"].task_name == f"heron@{own}"
    assert files_of(found["second"]) == ["wing.py"]


def test_a_rebase_is_no_amendment(heron: Repository, sessions: Sessions) -> None:
    """What another session wrote before the rebase, and threw away, is not in the commit."""
    heron.git("checkout", "-q", "-b", "eggs")
    sessions.add("rebased", heron.path, ("10:00", "egg.py"), branch="eggs")
    heron.commit("10:10", "egg.py")
    sessions.add("thrown away", heron.path, ("12:00", "egg.py"), branch="eggs")
    heron.git("checkout", "-q", "main")
    heron.commit("12:10", "wing.py")
    heron.git("checkout", "-q", "eggs")
    heron.git(*QUIET, "rebase", "-q", "main", at="12:30")
    found = sessions.found(heron)
    assert found["rebased"].task_name == f"heron@{heron.git('rev-parse', 'eggs')}"
    assert found["thrown away"].task is None


def test_a_rebase_that_resets_the_author_s_date(heron: Repository, sessions: Sessions) -> None:
    """The commit before it stays the session's own; it changes the same lines."""
    heron.git("checkout", "-q", "-b", "eggs")
    sessions.add("rebased", heron.path, ("10:00", "egg.py"), branch="eggs")
    own = heron.commit("10:10", "egg.py")
    heron.git("checkout", "-q", "main")
    heron.commit("12:10", "wing.py")
    heron.git("checkout", "-q", "eggs")
    heron.git(*QUIET, "rebase", "-q", "--reset-author-date", "main", at="2 12:30")
    trial = sessions.found(heron)["rebased"]
    assert trial.task_name == f"heron@{own}"
    assert files_of(trial) == ["egg.py"]
    heron.git("reflog", "expire", "--expire=all", "--all")
    heron.git("gc", "-q", "--prune=now")
    assert "holds what it wrote" in why(sessions.found(heron)["rebased"])


def test_picked_onto_two_branches(heron: Repository, sessions: Sessions) -> None:
    """Two commits of one session; the first was also picked for an older version, later."""
    heron.git("branch", "-q", "old")
    sessions.add("fixes", heron.path, ("10:00", "nest.py"), ("10:20", "wing.py"))
    one = heron.commit("10:10", "nest.py")
    last = heron.commit("10:30", "wing.py")
    heron.git("checkout", "-q", "old")
    heron.commit("11:00", "src/pond.py")
    heron.git("cherry-pick", one, at="11:30")
    trial = sessions.found(heron)["fixes"]
    assert trial.task_name == f"heron@{last}"
    assert files_of(trial) == ["nest.py", "wing.py"]


def test_picked_again_after_it_was_reverted(heron: Repository, sessions: Sessions) -> None:
    sessions.add("fixes", heron.path, ("10:00", "nest.py"))
    one = heron.commit("10:10", "nest.py")
    heron.git("revert", "--no-edit", one, at="11:00")
    heron.git("cherry-pick", one, at="11:30")
    trial = sessions.found(heron)["fixes"]
    assert trial.task_name == f"heron@{one}"
    assert files_of(trial) == ["nest.py"]


def test_commits_that_cancel_out(heron: Repository, sessions: Sessions) -> None:
    before = (heron.path / "nest.py").read_text()
    sessions.add("there and back", heron.path, ("10:00", "nest.py"), ("10:20", "nest.py"))
    heron.commit("10:10", "nest.py")
    (heron.path / "nest.py").write_text(before)
    heron.git("commit", "-qam", "back", at="10:30")
    assert "nothing" in why(sessions.found(heron)["there and back"])


def test_a_session_that_only_commits(heron: Repository, sessions: Sessions) -> None:
    """`Commit this, please` in a new session: the work came out of the one before."""
    sessions.add("worked", heron.path, ("10:00", "nest.py"), ("10:01", "wing.py"))
    sha = heron.commit("10:10", "nest.py", "wing.py")
    printed = f"[main {sha[:7]}] work"
    sessions.add("committed", heron.path, ("10:09", "git commit -am work", printed))
    found = sessions.found(heron)
    assert found["worked"].task_name == f"heron@{sha}"
    assert found["committed"].task is None


def test_a_session_commits_what_a_person_wrote(heron: Repository, sessions: Sessions) -> None:
    sha = heron.commit("10:10", "nest.py")
    sessions.add(
        "committed",
        heron.path,
        ("10:08", "wing.py"),
        ("10:09", "git commit nest.py -m x", f"[main {sha[:7]}] x"),
    )
    assert "wrote none of its files" in why(sessions.found(heron)["committed"])


def test_one_file_two_sessions_one_commit(heron: Repository, sessions: Sessions) -> None:
    sessions.add("one", heron.path, ("10:00", "nest.py"))
    sessions.add("two", heron.path, ("10:02", "nest.py"))
    heron.commit("10:30", "nest.py")
    found = sessions.found(heron)
    assert "2 sessions" in why(found["one"])
    assert "2 sessions" in why(found["two"])


def test_trees_side_by_side(heron: Repository, sessions: Sessions, tmp_path: Path) -> None:
    """Two agents at the same time, on the same file, in a tree each."""
    tree = heron.tree(tmp_path / "tree", "-b", "eggs")
    sessions.add("in main", heron.path, ("10:00", "nest.py"))
    sessions.add("in the tree", tree.path, ("10:01", "nest.py"), branch="eggs")
    own = heron.commit("10:10", "nest.py")
    other = tree.commit("10:20", "nest.py")
    found = sessions.found(heron)
    assert found["in main"].task_name == f"heron@{own}"
    assert found["in the tree"].task_name == f"heron@{other}"


def test_a_tree_whose_work_was_thrown_away(
    heron: Repository, sessions: Sessions, tmp_path: Path
) -> None:
    tree = heron.tree(tmp_path / "tree", "-b", "eggs")
    sessions.add("thrown away", tree.path, ("10:00", "nest.py"), branch="eggs")
    heron.commit("10:10", "nest.py")  # by hand, in the other tree
    assert sessions.found(heron)["thrown away"].task is None


def test_a_tree_without_a_branch(heron: Repository, sessions: Sessions, tmp_path: Path) -> None:
    tree = heron.tree(tmp_path / "tree", "--detach")
    sessions.add("detached", tree.path, ("10:00", "egg.py"), branch="HEAD")
    sha = tree.commit("10:10", "egg.py")
    trial = sessions.found(heron)["detached"]
    assert trial.task_name == f"heron@{sha}"
    assert files_of(trial) == ["egg.py"]


def test_a_tree_of_another_committer(heron: Repository, sessions: Sessions, tmp_path: Path) -> None:
    """Agents may commit under a name of their own, in a tree of their own."""
    heron.commit("09:00", "wing.py")
    tree = heron.tree(tmp_path / "tree", "-b", "eggs")
    sessions.add("agent", tree.path, ("10:00", "egg.py"), branch="eggs")
    (tree.path / "egg.py").write_text("four\n")
    identity = ("-c", "user.name=Agent", "-c", "user.email=agent@example.org")
    tree.git(*identity, "commit", "-qam", "four", at="10:10")
    assert files_of(sessions.found(heron)["agent"]) == ["egg.py"]


@pytest.mark.parametrize("folder", ["heron/src", "link", "link/src", "to-src"])
def test_folders_that_lead_into_the_repository(
    heron: Repository, sessions: Sessions, tmp_path: Path, folder: str
) -> None:
    (tmp_path / "link").symlink_to(heron.path)
    (tmp_path / "to-src").symlink_to(heron.path / "src")
    name = "nest.py" if folder == "link" else "pond.py"
    sessions.add("one", tmp_path / folder, ("10:00", name))
    path = "nest.py" if folder == "link" else "src/pond.py"
    heron.commit("10:10", path)
    trial = sessions.found(heron)["one"]
    assert files_of(trial) == [path]
    assert "wrote 1 of 1" in trial.evidence["task_name"]


@pytest.mark.parametrize("zone", ["+1400", "-1200", "+0530"])
def test_time_zones(heron: Repository, sessions: Sessions, zone: str) -> None:
    """git keeps seconds since the epoch; a zone beside them moves nothing."""
    sessions.add("one", heron.path, ("10:00", "nest.py"))
    sha = heron.commit("10:10", "nest.py", zone=zone)
    sessions.add("two", heron.path, ("10:20", "nest.py"))
    found = sessions.found(heron)
    assert found["one"].task_name == f"heron@{sha}"
    assert found["two"].task is None


def test_a_clock_that_is_off(heron: Repository, sessions: Sessions) -> None:
    """The commit seems to be made before its files were written; git printed it, so it was not."""
    sha = heron.commit("09:58", "nest.py")
    step = ("10:01", "git commit -am x", f"[main {sha[:7]}] x")
    sessions.add("printed", heron.path, ("09:50", "ls", ""), ("10:00", "nest.py"), step)
    sessions.add("only wrote", heron.path, ("10:05", "nest.py"))
    found = sessions.found(heron)
    assert found["printed"].task_name == f"heron@{sha}"
    assert found["only wrote"].task is None


def test_a_squash_of_two_sessions(heron: Repository, sessions: Sessions) -> None:
    heron.git("checkout", "-q", "-b", "eggs")
    sessions.add("one", heron.path, ("10:00", "egg.py"), branch="eggs")
    first = heron.commit("10:10", "egg.py")
    sessions.add("two", heron.path, ("10:20", "nest.py"), branch="eggs")
    second = heron.commit("10:30", "nest.py")
    heron.git("checkout", "-q", "main")
    heron.git("merge", "-q", "--squash", "eggs")
    heron.git("commit", "-q", "-m", "squash", at="11:00")
    found = sessions.found(heron)
    assert found["one"].task_name == f"heron@{first}"
    assert found["two"].task_name == f"heron@{second}"
    heron.git("branch", "-q", "-D", "eggs")
    heron.git("reflog", "expire", "--expire=all", "--all")
    heron.git("gc", "-q", "--prune=now")
    found = sessions.found(heron)
    assert "2 sessions" in why(found["one"])
    assert "2 sessions" in why(found["two"])


def test_spellings_of_a_remote() -> None:
    remote = "https://git.example.org/waders/heron"
    same = [
        *("git@git.example.org:waders/heron.git", "ssh://git@git.example.org:2222/waders/heron"),
        *(
            "https://me:secret@git.example.org/waders/Heron.git/",
            "git://git.example.org/waders/heron",
        ),
    ]
    others = [
        *("git@git.example.org:otters/heron.git", "https://git.example.org/waders/heron2"),
        *("heron", "", "/srv/git/heron.git"),
    ]
    assert [one for one in same if not _is_same(one, remote)] == []
    assert [one for one in others if _is_same(one, remote)] == []
