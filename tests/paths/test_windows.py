"""Windows paths: drives, shares, mixed slashes, case, WSL and Git Bash (D180)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.answers.places import absolute, locate
from groundtrace.paths import clean_path
from groundtrace.paths.lexical import clean_folder
from groundtrace.paths.windows import (
    OneCase,
    as_shown,
    is_drive,
    is_rooted,
    rooted,
    spelled_beside,
)
from tests.paths.worlds import World


@pytest.mark.parametrize(
    ("written", "form", "shown"),
    [
        (r"C:\Users\u\cap\a.md", "/c:/Users/u/cap/a.md", "C:/Users/u/cap/a.md"),
        ("c:/Users/u/cap/a.md", "/c:/Users/u/cap/a.md", "C:/Users/u/cap/a.md"),
        (r"C:/Users\u/cap\a.md", "/c:/Users/u/cap/a.md", "C:/Users/u/cap/a.md"),
        (r"C:\\Users\\u\.\x\..\a.md", "/c:/Users/u/a.md", "C:/Users/u/a.md"),
        ("/C:/Users/u/a.md", "/c:/Users/u/a.md", "C:/Users/u/a.md"),
        (r"\\?\C:\deep\a.md", "/c:/deep/a.md", "C:/deep/a.md"),
        (r"\\Server\share\d\a.md", r"/\\server/share/d/a.md", r"\\server/share/d/a.md"),
        (r"\\?\UNC\server\share\a.md", r"/\\server/share/a.md", r"\\server/share/a.md"),
        (r"\\wsl$\Ubuntu\home\u\a.md", "/home/u/a.md", "/home/u/a.md"),
        (r"\\wsl.localhost\Ubuntu\home\u\a.md", "/home/u/a.md", "/home/u/a.md"),
    ],
)
def test_a_drive_or_a_share_has_one_form(written: str, form: str, shown: str) -> None:
    assert clean_path(written) == form
    assert as_shown(form) == shown
    assert clean_path(shown) == form


@pytest.mark.parametrize(
    "written", ["src/a.py", "/c/a.py", "a\\b.c", "c:a.py", "/mnt/c/a", "ab:/c"]
)
def test_other_paths_are_unchanged(written: str) -> None:
    """Only beside a drive do `/c` and a backslash mean what they mean on Windows."""
    assert rooted(written) == written
    assert not is_drive(written)
    assert not is_rooted(written)
    assert spelled_beside(written, "/home/u") == written


@pytest.mark.parametrize(
    ("written", "form"),
    [
        (r"src\a.py", "src/a.py"),
        ("/c/Users/u/a.py", "/c:/Users/u/a.py"),
        ("/mnt/c/Users/u/a.py", "/c:/Users/u/a.py"),
        ("/cygdrive/D/a.py", "/d:/a.py"),
        ("/usr/bin/env", "/usr/bin/env"),
        ("/code/a.py", "/code/a.py"),
        (r"\temp\a.py", "/c:/temp/a.py"),
    ],
)
def test_beside_a_drive_other_spellings_are_read_too(written: str, form: str) -> None:
    assert spelled_beside(written, "/c:/Users/u") == form


@pytest.mark.parametrize(
    "cwd", [r"C:\Users\u\cap", "c:/users/U/cap/", r"c:\Users\u\cap", "C:/Users/u/cap"]
)
@pytest.mark.parametrize(
    "path",
    [
        r"C:\Users\u\cap\economy.md",
        "c:/users/u/CAP/economy.md",
        "/c/Users/u/cap/economy.md",
        "/mnt/c/Users/u/cap/economy.md",
        "economy.md",
        r".\economy.md",
    ],
)
def test_a_file_in_the_working_directory_is_relative_to_it(cwd: str, path: str) -> None:
    world = World(path, truth=("economy.md",), repos=("u/cap",), cwd=cwd)
    assert world.files() == ["economy.md"]
    assert world.hits() == ["economy.md"]


def test_several_spellings_are_one_file_in_the_case_that_was_met_first() -> None:
    world = World(r"C:\w\Src\A.py", "c:/W/src/a.py", "/c/w/SRC/a.PY", r"D:\w\Src\A.py", cwd=r"C:\w")
    assert world.files() == ["Src/A.py", "Src/A.py", "Src/A.py", "D:/w/Src/A.py"]


def test_a_share_is_a_root_like_a_drive() -> None:
    world = World(
        r"\\srv\team\repo\src\a.py", "//other/a.py", truth=("src/a.py",), repos=("o/repo",),
        cwd=r"\\SRV\team\repo",
    )  # fmt: skip
    assert world.hits() == ["src/a.py", None]


@pytest.mark.parametrize("cwd", ["C:\\", r"C:\Users\u"])
def test_a_drive_and_a_home_are_no_roots(cwd: str) -> None:
    world = World(r"C:\Users\u\notes\a.md", truth=("a.md", "notes/a.md"), repos=("o/r",), cwd=cwd)
    assert world.hits() == [None]
    assert world.files() == ["C:/Users/u/notes/a.md"]


def test_on_another_system_a_folder_of_one_letter_is_a_folder() -> None:
    world = World("/c/w/a.py", "/mnt/c/w/a.py", "b\\c.py", truth=("a.py",), cwd="/c/w")
    assert world.files() == ["a.py", "/mnt/c/w/a.py", "b\\c.py"]


def test_names_in_answers_are_joined_to_a_drive() -> None:
    cwd = "/c:/Users/u/cap"
    assert absolute(r"docs\a.md", cwd) == "/c:/Users/u/cap/docs/a.md"
    assert absolute(r"..\b.md", cwd) == "/c:/Users/u/b.md"
    assert absolute(r"C:\x\a.md", None) == "/c:/x/a.md"
    assert absolute("file:///C:/x/a.md", None) == "/c:/x/a.md"
    assert locate(r"docs\a.md", cwd, f"{cwd}/docs") == f"{cwd}/docs/a.md"
    assert locate(r"a.md", cwd, f"{cwd}/docs") == f"{cwd}/docs/a.md"
    assert locate(r"c:\x\a.md", cwd, f"{cwd}/docs") == "/c:/x/a.md"


_NAMES = st.text(alphabet="aB. \\ÄİßK", min_size=1, max_size=6).filter(
    lambda name: name.strip(". \\") != "" and not name.startswith("\\") and not name.endswith("\\")
)
_DRIVES = st.sampled_from("cCdZ")
_PARTS = st.lists(_NAMES, min_size=1, max_size=4)


@given(_DRIVES, _PARTS)
def test_law_all_spellings_of_a_drive_are_one_path(drive: str, parts: list[str]) -> None:
    """The form is found in any mix of slashes, is absolute, and is read back as itself."""
    forward = f"{drive}:/{'/'.join(parts)}"
    form = clean_path(forward)
    assert form == clean_path(forward.replace("/", "\\")) == clean_path(f"/{forward}")
    if form is not None:
        assert form.startswith("/")
        assert clean_path(form) == clean_path(as_shown(form)) == form
        assert clean_folder(as_shown(form)) == form


@given(_DRIVES, _PARTS, st.data())
def test_law_the_case_of_a_windows_path_says_nothing(
    drive: str, parts: list[str], data: st.DataObject
) -> None:
    """Whatever case a path has, it is the file that it was before."""
    path = f"{drive}:/w/{'/'.join(parts)}"
    again = "".join(
        c.swapcase() if len(c.swapcase()) == 1 and c.swapcase().lower() == c.lower()
        and data.draw(st.booleans()) else c
        for c in path
    )  # fmt: skip
    world = World(path, again, cwd=f"{drive}:\\w")
    first, second = world.files()
    assert first == second


@given(_PARTS, _PARTS)
def test_law_a_file_lies_below_the_working_directory_as_on_other_systems(
    above: list[str], below: list[str]
) -> None:
    """A drive changes nothing about which part of a path is relative to the working directory."""
    clean = ["x" + part.replace("\\", "").strip(". ") + "x" for part in (*above, *below)]
    folder, name = "/".join(clean[: len(above)]), "/".join(clean[len(above) :])
    drive = World(f"Q:/w/{folder}/{name}", cwd=f"q:\\w\\{folder}")
    other = World(f"/q/w/{folder}/{name}", cwd=f"/q/w/{folder}")
    assert drive.files() == other.files() == [name]


@given(st.lists(st.text(alphabet="aAbB", min_size=1, max_size=2), min_size=1, max_size=8))
def test_law_one_case_is_idempotent_and_changes_only_case(names: list[str]) -> None:
    case = OneCase()
    for name in names:
        path = f"/c:/{name}/{name}/f"
        once = case.of(path)
        assert once.lower() == path.lower()
        assert case.of(once) == once
        assert case.of(path.swapcase().replace("/C:", "/c:")).lower() == once.lower()


def test_the_directory_in_another_case_is_still_a_folder() -> None:
    """A path can lead back to it: `C:\\W\\src\\..` was a file named `C:/W`."""
    world = World("c:/w/a.py", "C:\\W\\src\\..", "C:\\W", cwd="c:\\w")
    assert world.files() == ["a.py", None, None]
