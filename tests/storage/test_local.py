"""Folders on disk: nothing outside the root is read or written, nothing is lost silently."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from groundtrace.errors import InputError, OutputError
from groundtrace.storage import Folder, LocalFolder, TooLargeError, folder_at, open_folder
from tests.conftest import Ran

Call = Callable[..., Ran]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "in/side").mkdir(parents=True)
    (folder / "in/side/a.txt").write_text("a")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.txt").write_text("secret")
    return folder


def kinds(folder: LocalFolder) -> dict[str, str]:
    return {entry.name: entry.kind for entry in folder.entries()}


def test_links_that_leave_the_root_are_neither_followed_nor_read(root: Path) -> None:
    (root / "in/out").symlink_to(root.parent / "outside")
    (root / "in/secret").symlink_to(root.parent / "outside/secret.txt")
    (root / "in/other").symlink_to("side")
    (root / "in/up").symlink_to("..")
    (root / "in/broken").symlink_to("nowhere")
    os.mkfifo(root / "in/pipe")
    folder = LocalFolder(root).folder("in")
    assert kinds(folder) == {
        "broken": "other",
        "other": "folder",
        "out": "escape",
        "pipe": "other",
        "secret": "escape",
        "side": "folder",
        "up": "escape",
    }
    for name in ("secret", "out/secret.txt", "../../outside/secret.txt", "side/../../x", "a\0b"):
        assert folder.stat(name) is None, name
        with pytest.raises(OSError, match="no such file"):
            folder.open(name)
    assert folder.read("other/a.txt") == b"a"
    assert folder.read("side/../side/a.txt") == b"a"
    with pytest.raises(OSError, match="not a regular file"):
        folder.open("pipe")


def test_a_folder_behind_a_link_that_leaves_stays_outside(root: Path) -> None:
    (root / "out").symlink_to(root.parent / "outside")
    behind = LocalFolder(root).folder("out")
    assert behind.stat("secret.txt") is None
    assert behind.folder("deeper").stat("x") is None
    with pytest.raises(OutputError, match="leaves"):
        behind.write("new.txt", b"x")
    assert os.listdir(root.parent / "outside") == ["secret.txt"]


def test_a_root_that_is_a_link_itself_is_the_users_choice(root: Path) -> None:
    (root.parent / "link").symlink_to(root)
    folder = LocalFolder(root.parent / "link")
    assert folder.folder("in").read("side/a.txt") == b"a"
    folder.write("new/file.txt", b"x")
    assert (root / "new/file.txt").read_bytes() == b"x"


def test_files_are_read_whole_up_to_a_limit(root: Path) -> None:
    folder = LocalFolder(root)
    assert folder.read("in/side/a.txt", 1) == b"a"
    with pytest.raises(TooLargeError):
        folder.read("in/side/a.txt", 0)


def test_a_stamp_changes_with_content_mode_and_time(root: Path) -> None:
    folder = LocalFolder(root)
    path = root / "in/side/a.txt"

    def mark() -> str:
        entry = folder.stat("in/side/a.txt")
        assert entry is not None
        return entry.mark

    seen = [mark()]
    before = path.stat()
    path.write_text("b")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    seen.append(mark())
    path.chmod(0o640)
    seen.append(mark())
    assert len(set(seen)) == 3
    assert mark() == seen[-1]


def test_writing_replaces_whole_files_and_gives_the_new_mark(root: Path) -> None:
    folder = LocalFolder(root)
    for data in (b"one", b"three"):
        written = folder.write("deep/er/file.json", data)
        assert (root / "deep/er/file.json").read_bytes() == data
        assert folder.stat("deep/er/file.json") == written
    assert os.listdir(root / "deep/er") == ["file.json"]


def test_folders_travel_between_processes(root: Path) -> None:
    folder = LocalFolder(root).folder("in")
    again = pickle.loads(pickle.dumps(folder))
    assert (again.url, again.name) == (folder.url, "in")
    assert again.read("side/a.txt") == b"a"


def test_relative_places_stay_relative(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    assert folder_at(".").name == "root"
    assert folder_at(".").folder("in").url == "in"
    assert folder_at("in/").folder("side").read("a.txt") == b"a"


def test_a_missing_folder_and_a_file_in_its_place_are_told_apart(root: Path) -> None:
    assert list(LocalFolder(root / "none").entries()) == []
    with pytest.raises(InputError, match="no such folder"):
        open_folder(root / "none")
    with pytest.raises(InputError, match="a file, where a folder is expected"):
        open_folder(root / "in/side/a.txt")
    with pytest.raises(InputError, match="not a kind of store"):
        folder_at("ftp://host/x")


@pytest.fixture
def forbid(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Names of folders that cannot be listed; permissions do not stop root, so they are played."""
    names: set[str] = set()
    scandir = os.scandir

    def refusing(path: Any = ".") -> Any:
        if os.path.basename(str(path)) in names:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    yield names


def test_a_folder_that_cannot_be_listed_says_so(root: Path, forbid: set[str]) -> None:
    forbid.add("side")
    (entry,) = LocalFolder(root).folder("in/side").entries()
    assert (entry.kind, entry.stamp) == ("unlisted", "Permission denied")
    with pytest.raises(InputError, match=r"cannot be listed \(Permission denied\)"):
        open_folder(root / "in/side")


def test_trials_in_a_folder_that_cannot_be_listed_are_counted_as_a_problem(
    groundtrace: Call, sample: Path, forbid: set[str]
) -> None:
    """D38: a configuration that nobody may read must not look like one that was never run."""
    forbid.add("mcp-remote-direct")
    runs = sample / "runs/official"
    flags = ("--tasks", sample / "benchmarks", "--jobs", 1)
    ran = groundtrace("normalize", runs, *flags)
    assert ran.code == 1 and "mcp-remote-direct: the folder cannot be listed" in ran.err
    for outcomes in runs.rglob("outcomes.json"):
        assert json.loads(outcomes.read_text())["problems"] == {"unlisted_folder": 1}
    forbid.clear()
    assert "12 documents written, 12 unchanged" in groundtrace("normalize", runs, *flags).out


def test_traces_in_a_folder_that_cannot_be_listed_are_a_problem_of_the_trial(
    groundtrace: Call, sample: Path, forbid: set[str]
) -> None:
    forbid.add("agent")
    runs = sample / "runs/official"
    flags = ("--tasks", sample / "benchmarks", "--jobs", 1, "--only", "quay-*")
    groundtrace("normalize", runs, *flags)
    for path in runs.rglob("quay-*.retrieval_events.json"):
        coverage = json.loads(path.read_text())["coverage"]
        assert coverage["trace_source"] is None
        assert "unlisted_folder" in json.dumps(coverage)
    forbid.clear()
    assert "2 documents written, 0 unchanged" in groundtrace("normalize", runs, *flags).out


@pytest.mark.parametrize("link", [None, "link", "config/link", "linked"])
def test_marks_of_files_are_those_of_their_entries(tmp_path: Path, link: str | None) -> None:
    """With and without a link, which only the general way follows."""
    for name in ("a.json", ".state.json", "config/b.json", "config/deep/c.json", "z/d.json"):
        (tmp_path / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "out" / name).write_text(name)
    if link is not None:
        target = tmp_path / "out" / ("config" if link == "linked" else "a.json")
        (tmp_path / "out" / link).symlink_to(target)
    folder = LocalFolder(tmp_path / "out")
    marks = folder.file_marks()
    assert marks == Folder.file_marks(folder)
    names = {".state.json", "a.json", "config/b.json", "z/d.json"}
    linked = {"linked/b.json"} if link == "linked" else {link} if link else set()
    assert set(marks) == names | linked


def test_a_folder_that_is_not_there_has_no_marks(tmp_path: Path) -> None:
    assert LocalFolder(tmp_path / "gone").file_marks() == {}
