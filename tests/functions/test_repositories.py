"""Repositories of `--repos`: found by name, read as objects, never trusted (D217)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundtrace.functions.objects import Objects
from groundtrace.functions.repositories import BaseTree, close_repositories, listed, open_tree
from groundtrace.functions.spans import MAX_BYTES
from groundtrace.model import Task, TaskRow
from tests.functions.repositories import git, repository

ONE = "def one():\n    return 1\n"


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    close_repositories()


def task(commit: str | None, repo: str = "owner/name", own: Path | None = None) -> Task:
    row = TaskRow("t.jsonl", 1, base_commit=commit, repository=None if own is None else str(own))
    return Task(name="t", benchmark="", folder=None, repos=(repo,), row=row)


def tree_of(commit: str, folder: Path, repo: str = "owner/name") -> BaseTree:
    opened = open_tree(task(commit, repo), [str(folder)])
    assert opened.tree is not None, opened
    return opened.tree


@pytest.mark.parametrize(
    "place", ["owner__name.git", "owner__name", "owner/name.git", "owner/name", "name.git", "name"]
)
@pytest.mark.parametrize("bare", [False, True])
def test_it_is_found_by_name(tmp_path: Path, place: str, bare: bool) -> None:
    commit = repository(tmp_path / "work", {"a.py": ONE})
    where = tmp_path / "repos" / place
    where.parent.mkdir(parents=True)
    if bare:
        git(tmp_path, "clone", "-q", "--bare", str(tmp_path / "work"), str(where))
    else:
        shutil.copytree(tmp_path / "work", where)
    tree = tree_of(commit, tmp_path / "repos")
    assert [span.name for span in tree.file("a.py").spans] == ["one"]
    for repo in ("https://github.com/owner/name.git", "github.com/owner/name"):
        assert open_tree(task(commit, repo), [str(tmp_path / "repos")]).tree is not None


@pytest.mark.parametrize("place", ["owner__name.git", "owner/name"])
def test_a_name_without_an_owner_finds_any_owner(tmp_path: Path, place: str) -> None:
    """Some data sets name `cli` for `cli/cli`; the commit says whether it is the right one."""
    repository(tmp_path / "other__name.git", {"b.py": ONE})
    commit = repository(tmp_path / place, {"a.py": ONE})
    assert tree_of(commit, tmp_path, "name").file("a.py").state == "known"


def test_one_repository_may_be_spelled_twice(tmp_path: Path) -> None:
    """The name of a trial's folder says `cli__cli`, the row of its task `cli`."""
    commit = repository(tmp_path / "owner__name", {"a.py": ONE})
    row = TaskRow("t.jsonl", 1, base_commit=commit)
    for repos, reason in (
        (("owner/name", "name"), None),
        (("name", "Owner/Name"), None),
        (("github.com/owner/name", "owner/name"), None),
        (("owner/name", "other"), "no_repository"),
        ((), "no_repository"),
    ):
        both = Task(name="t", benchmark="", folder=None, repos=repos, row=row)
        assert open_tree(both, [str(tmp_path)]).reason == reason, repos


def test_the_first_with_the_commit_is_used(tmp_path: Path) -> None:
    repository(tmp_path / "a" / "name", {"b.py": ONE})
    commit = repository(tmp_path / "b" / "owner__name", {"a.py": ONE})
    folders = [str(tmp_path / "a"), str(tmp_path / "b")]
    opened = open_tree(task(commit), folders)
    assert opened.tree is not None
    assert opened.tree.file("a.py").state == "known"
    assert open_tree(task("f" * 40), folders).reason == "commit_absent"
    assert open_tree(task(None), folders).reason == "commit_absent"
    assert open_tree(task(commit, "owner/other"), folders).reason == "no_repository"
    assert open_tree(None, folders).reason == "no_repository"
    for bad in ("HEAD", "--help", f"{commit}\ncontents {commit}", "zz" * 20):
        assert open_tree(task(bad), folders).reason == "commit_absent"


def test_an_abbreviated_commit_and_sha256(tmp_path: Path) -> None:
    commit = repository(tmp_path / "name", {"a.py": ONE})
    assert tree_of(commit[:10], tmp_path).file("a.py").state == "known"
    long = repository(tmp_path / "big", {"a.py": ONE}, hashes="sha256")
    assert len(long) == 64
    assert tree_of(long, tmp_path, "owner/big").file("a.py").state == "known"


def test_states_of_files(tmp_path: Path) -> None:
    folder = tmp_path / "name"
    folder.mkdir()
    os.symlink("a.py", folder / "link.py")
    repository(folder / "part.py", {"in.py": ONE})  # a submodule, whatever its name is like
    large = b"x = 1\n" * (MAX_BYTES // 6 + 1)
    commit = repository(
        folder,
        {
            "a.py": ONE,
            "notes.rst": "x",
            "b.py": b"\0\1",
            "deep/er/c.py": ONE,
            "k.kt": "fun a() {}",
            "big.py": large,
            "bad.py": "def one():\n    return 1\ndef (((\n",
        },
    )
    tree = tree_of(commit, tmp_path)
    assert {
        name: tree.file(name).state
        for name in (
            *("a.py", "notes.rst", "b.py", "deep/er/c.py", "deep/er", "deep/none.py", "a.py/x.py"),
            *(
                "part.py",
                "part.py/in.py",
                "link.py",
                "k.kt",
                "none.kt",
                "big.py",
                "bad.py",
                "",
                "/a.py",
                "../a.py",
            ),
        )
    } == {
        "a.py": "known",
        "notes.rst": "none",
        "b.py": "none",
        "deep/er/c.py": "known",
        "deep/er": "none",
        "deep/none.py": "absent",
        "a.py/x.py": "absent",
        "part.py": "absent",
        "part.py/in.py": "absent",
        "link.py": "absent",
        "k.kt": "no_grammar",
        "none.kt": "absent",
        "big.py": "missing",
        "bad.py": "known",
        "": "none",
        "/a.py": "absent",
        "../a.py": "absent",
    }
    assert sorted(problem.kind for problem in tree.problems) == ["code_not_read", "too_large"]


def test_a_file_with_too_many_functions_is_missing_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundtrace.functions.spans.MAX_FOUND", 1)
    tree = tree_of(repository(tmp_path / "name", {"a.py": ONE + ONE}), tmp_path)
    assert tree.file("a.py").state == "missing"
    assert [problem.kind for problem in tree.problems] == ["too_large"]


def test_a_missing_object_is_not_an_absent_file(tmp_path: Path) -> None:
    """As in a partial clone: the tree names the file, and git does not have its text."""
    folder = tmp_path / "name"
    commit = repository(folder, {"a.py": ONE, "sub/b.py": ONE + "\n"})
    for path in ("a.py", "sub"):
        name = git(folder, "rev-parse", f"HEAD:{path}")
        (folder / ".git/objects" / name[:2] / name[2:]).unlink()
    git(folder, "config", "remote.origin.url", f"ext::sh -c 'touch {tmp_path}/fetched'")
    git(folder, "config", "remote.origin.promisor", "true")
    git(folder, "config", "extensions.partialClone", "origin")
    git(folder, "config", "protocol.ext.allow", "always")
    tree = tree_of(commit, tmp_path)
    assert tree.file("a.py").state == "missing"
    assert tree.file("sub/b.py").state == "missing"
    assert tree.file("none.py").state == "absent"
    assert not (tmp_path / "fetched").exists()


def test_nothing_of_a_hostile_repository_counts_but_its_objects(tmp_path: Path) -> None:
    folder = tmp_path / "repos" / "name"
    commit = repository(folder, {"a.py": ONE, ".gitattributes": "*.py filter=evil diff=evil"})
    other = repository(tmp_path / "other", {"a.py": "def wrong():\n    pass\n"})
    git(folder, "fetch", "-q", str(tmp_path / "other"), "HEAD")
    git(folder, "replace", commit, other)
    mark = tmp_path / "ran"
    evil = f"touch {mark}"
    for key in (
        *("filter.evil.smudge", "filter.evil.process", "diff.evil.textconv", "core.fsmonitor"),
        *("core.sshCommand", "core.gitProxy", "core.pager", "core.alternateRefsCommand"),
        "alias.cat-file",
    ):
        git(folder, "config", key, f"!{evil}" if key.startswith("alias") else evil)
    (folder / ".git" / "config").open("a").write("[include]\n\tpath = /nowhere/config\n[broken\n")
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        hook = folder / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\n{evil}\n")
        hook.chmod(0o755)
    before = {path: path.stat().st_mtime_ns for path in sorted(folder.rglob("*"))}
    assert [one.name for one in tree_of(commit, tmp_path / "repos").file("a.py").spans] == ["one"]
    assert not mark.exists()
    assert {path: path.stat().st_mtime_ns for path in sorted(folder.rglob("*"))} == before


@pytest.mark.parametrize("way", ["alternates", "gitfile", "objects", "commondir", "second"])
def test_it_may_not_lead_to_other_folders(tmp_path: Path, way: str) -> None:
    """A repository that a stranger packed must not show what lies elsewhere on this machine."""
    commit = repository(tmp_path / "secret", {"a.py": ONE})
    folder = tmp_path / "repos" / "name"
    objects = tmp_path / "secret/.git/objects"
    if way == "gitfile":
        folder.mkdir(parents=True)
        (folder / ".git").write_text(f"gitdir: {tmp_path}/secret/.git\n")
    else:
        repository(folder, {"b.py": ONE})
        if way == "alternates":
            (folder / ".git/objects/info/alternates").write_text(f"{objects}\n")
        elif way == "second":
            near = tmp_path / "repos" / "near"
            repository(near, {"c.py": ONE})
            (near / ".git/objects/info/alternates").write_text(f"{objects}\n")
            (folder / ".git/objects/info/alternates").write_text(f"{near}/.git/objects\n")
        elif way == "commondir":
            (folder / ".git/commondir").write_text(f"{tmp_path}/secret/.git\n")
        else:
            shutil.rmtree(folder / ".git/objects")
            os.symlink(objects, folder / ".git/objects")
    opened = open_tree(task(commit), [str(tmp_path / "repos")])
    assert opened.tree is None
    assert [problem.kind for problem in opened.problems] == ["repository_not_used"]
    allowed = open_tree(task(commit), [str(tmp_path / "repos"), str(tmp_path / "secret")])
    assert allowed.tree is not None, "unless the user named that folder too"


def test_the_repository_of_a_task_from_history_is_the_users_own(tmp_path: Path) -> None:
    """A second work tree lies beside its repository."""
    commit = repository(tmp_path / "main", {"a.py": ONE})
    git(tmp_path / "main", "worktree", "add", "-q", "--detach", str(tmp_path / "second"))
    opened = open_tree(task(commit, own=tmp_path / "second"), [])
    assert opened.tree is not None
    assert opened.tree.file("a.py").state == "known"


def test_the_process_is_one_and_can_be_lost(tmp_path: Path) -> None:
    commit = repository(tmp_path / "name", {"a.py": ONE, "b.py": ONE + "# x\n"})
    objects = Objects(tmp_path / "name/.git/objects")
    assert objects.info(commit) is not None
    process = objects._process
    assert objects.contents(commit, 10_000) is not None
    assert objects._process is process
    assert objects.contents(commit, 3) is None, "larger than the limit"
    objects.close()
    assert objects.info(commit) is not None, "a new process is started"
    objects.close()
    assert objects.info("not a name") is None


def test_what_a_folder_holds_is_part_of_the_fingerprint(tmp_path: Path) -> None:
    repository(tmp_path / "owner" / "name", {"a.py": ONE})
    repository(tmp_path / "bare", {"a.py": ONE})
    assert listed(str(tmp_path)) == ["bare", "owner", "owner/name"]
    assert listed(str(tmp_path / "none")) == []


def test_a_language_without_its_grammar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = repository(tmp_path / "name", {"a.go": "package p\nfunc A() { }\n"})
    monkeypatch.setattr("groundtrace.functions.spans.grammar_of", lambda _: None)
    tree = tree_of(commit, tmp_path)
    assert tree.file("a.go").state == "no_grammar"
    assert [problem.kind for problem in tree.problems] == ["grammar_missing"]
    assert "groundtrace[functions]" in tree.problems[0].reason
