"""In which folder a persistent shell is after a command, with bash as the oracle."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.traces.kit.moves import folder_after

FOLDERS = ("a", "a/b", "a b", "c")
COMMANDS = [
    "ls",
    "cd a",
    "cd a && ls; cd ..",
    "cd a; cd b\nls",
    "cd 'a b'",
    'cd "a b" && true',
    "cd a && (cd b && ls)",
    "(cd a)",
    "cd $HOME",
    "cd -",
    "cd",
    "cd ~",
    "echo cd a",
    "echo 'cd a'; ls",
    "cat <<'END' > x\ncd a\nEND",
    "true && cd a",
    "false && cd a",
    "pushd a",
    "cd a || cd c",
    "cd nowhere",
    "cd nowhere && cd a",
    "cd a/../c/.",
    "cd ./a/b && cd ..",
    "if true; then cd a; fi",
    "cd a &",
    "ls | cd a",
    "cd a | ls",
    "cd -- c",
    "X=1 cd a",
    "cd a#b",
]


def in_bash(command: str, folder: Path) -> tuple[str, str]:
    """Directory and output of a real shell."""
    script = f"{command}\necho; echo @@ $PWD"
    ran = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"HOME": "/tmp", "PATH": "/usr/bin:/bin", "PWD": str(folder)},
    )
    output, _, place = ran.stdout.rpartition("@@ ")
    return place.strip(), output + ran.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_directory_that_is_told_is_where_bash_is(command: str, tmp_path: Path) -> None:
    for name in FOLDERS:
        (tmp_path / name).mkdir(exist_ok=True)
    place, output = in_bash(command, tmp_path)
    assert folder_after(command, str(tmp_path), output) in (place, None)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls", "/w"),
        ("cd a", "/w/a"),
        ("cd a && make", "/w/a"),
        ("cd /x/y/; cd ..", "/x"),
        ("cd a && (cd b && ls)", "/w/a"),
        ("echo 'cd a'", "/w"),
        ("cd $X", None),
        ("make && cd a", None),
    ],
)
def test_plain_moves_are_followed_and_others_are_not_known(
    command: str, expected: str | None
) -> None:
    assert folder_after(command, "/w") == expected


def test_an_unknown_start_is_known_again_after_an_absolute_move() -> None:
    assert folder_after("cd a", None) is None
    assert folder_after("cd /x && ls", None) == "/x"


@given(st.text(alphabet="cd ab/.&;|()'\"$\n<>-", max_size=40))
def test_nothing_raises(command: str) -> None:
    after = folder_after(command, "/w")
    assert after is None or after.startswith("/")
