"""A folder that was listed at once answers as the folder did at that moment."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.runs.state import files_mark
from groundtrace.storage import Folder, LocalFolder
from groundtrace.storage.listed import MAX_LISTED, ListedFolder, listed

PATHS = st.lists(
    st.lists(st.sampled_from(["a", "b", "c.json", "d e", "é"]), min_size=1, max_size=4).map(
        "/".join
    ),
    max_size=12,
)


def made(folder: Path, paths: list[str]) -> Path:
    """Files at these paths; a path that is a folder already, or lies below a file, is left out."""
    folder.mkdir(exist_ok=True)
    for path in paths:
        file = folder / path
        if file.exists() or any(parent.is_file() for parent in file.parents):
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path)
    return folder


def everything(folder: Folder) -> list[object]:
    """All answers about a folder and what is below it."""
    answers: list[object] = [folder.name, folder.url, folder.exists()]
    answers += [list(folder.entries()), list(folder.kinds()), files_mark(folder)]
    for entry in folder.entries():
        answers += [folder.stat(entry.name), folder.has_file(entry.name)]
        below = folder.folder(entry.name)
        if entry.kind == "file":
            answers += [folder.read(entry.name), list(below.entries())]
        else:
            answers += everything(below)
            answers += [folder.stat(f"{entry.name}/{inner.name}") for inner in below.entries()]
    return answers


@given(paths=PATHS)
def test_it_answers_like_the_folder_itself(
    paths: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    plain = LocalFolder(made(tmp_path_factory.mktemp("trial"), paths))
    at_once = listed(plain)
    assert isinstance(at_once, ListedFolder)
    assert everything(at_once) == everything(plain)
    for without in (frozenset[str](), frozenset({"b"})):
        assert at_once.everything(without) == plain.everything(without)
        assert listed(plain, without).everything(without) == plain.everything(without)
    for name in ("missing", "a/missing", "missing/a", "", ".", "..", "a/..", "a//b", "/a"):
        assert at_once.stat(name) == plain.stat(name), name
        assert at_once.folder(name).url == plain.folder(name).url
        assert at_once.folder(name).exists() == plain.folder(name).exists()


def test_it_goes_to_another_process(tmp_path: Path) -> None:
    at_once = listed(LocalFolder(made(tmp_path / "trial", ["agent/a", "result.json"])))
    assert everything(pickle.loads(pickle.dumps(at_once))) == everything(at_once)


CHANGES = {
    "a new file": lambda trial: (trial / "agent/b").write_text("new"),
    "another content": lambda trial: (trial / "agent/a").write_text("longer than before"),
    "another time": lambda trial: os.utime(trial / "result.json", (1, 1)),
    "a file less": lambda trial: (trial / "result.json").unlink(),
    "a new folder": lambda trial: (trial / "verifier").mkdir(),
    "a link": lambda trial: (trial / "link").symlink_to(trial / "agent/a"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_later_is_noticed_but_not_shown(tmp_path: Path, change: str) -> None:
    at_once = listed(LocalFolder(made(tmp_path / "trial", ["agent/a", "result.json"])))
    assert isinstance(at_once, ListedFolder)
    before = [*at_once.entries(), *at_once.folder("agent").entries()]
    assert at_once.is_as_listed()
    CHANGES[change](tmp_path / "trial")
    assert not at_once.is_as_listed()
    assert [*at_once.entries(), *at_once.folder("agent").entries()] == before


def test_a_trial_of_a_listed_run_changes_alone(tmp_path: Path) -> None:
    """The run is listed at once, and each of its trials is compared after it was read."""
    made(tmp_path / "run", ["one/agent/a", "two/agent/a"])
    run = listed(LocalFolder(tmp_path / "run"))
    one, two = run.folder("one"), run.folder("two")
    assert isinstance(one, ListedFolder)
    assert isinstance(two, ListedFolder)
    (tmp_path / "run/one/agent/b").write_text("new")
    assert not one.is_as_listed()
    assert two.is_as_listed()
    (tmp_path / "run/two").rename(tmp_path / "elsewhere")
    (tmp_path / "run/two").symlink_to(tmp_path / "elsewhere")
    assert not two.is_as_listed()


def test_folders_that_are_left_out_may_change(tmp_path: Path) -> None:
    """Results are written into a trial's folder if that is the run."""
    plain = LocalFolder(made(tmp_path / "trial", ["agent/a", "retrieval_events/b"]))
    at_once = listed(plain, frozenset({"retrieval_events"}))
    assert isinstance(at_once, ListedFolder)
    assert [entry.name for entry in at_once.entries()] == ["agent"]
    (tmp_path / "trial/retrieval_events/c").write_text("a result")
    assert at_once.is_as_listed()


def test_a_file_that_became_a_link_is_not_opened(tmp_path: Path) -> None:
    """The listing says that it is a file of the trial; by now it is one from elsewhere."""
    at_once = listed(LocalFolder(made(tmp_path / "trial", ["agent/a"])))
    secret = tmp_path / "secret"
    secret.write_text("of somebody else")
    (tmp_path / "trial/agent/a").unlink()
    (tmp_path / "trial/agent/a").symlink_to(secret)
    with pytest.raises(OSError, match="symbolic links"):
        at_once.read("agent/a")
    with pytest.raises(OSError, match="symbolic links"):
        at_once.open("agent/a")


@pytest.mark.parametrize("link", ["agent/link", "link", "agent/deep/link"])
def test_a_folder_with_a_link_is_not_listed_at_once(tmp_path: Path, link: str) -> None:
    """Where a link leads, and whether it may be followed, is asked for each file."""
    plain = LocalFolder(made(tmp_path / "trial", ["agent/deep/a"]))
    (tmp_path / "trial" / link).symlink_to(tmp_path / "trial/agent/deep/a")
    assert listed(plain) is plain


def test_neither_is_a_very_large_one_nor_one_that_is_gone(tmp_path: Path) -> None:
    many = made(tmp_path / "many", [f"file{number}" for number in range(MAX_LISTED + 1)])
    for folder in (LocalFolder(many), LocalFolder(tmp_path / "gone")):
        assert listed(folder) is folder
    assert listed(LocalFolder(many), most=MAX_LISTED + 1) is not many
