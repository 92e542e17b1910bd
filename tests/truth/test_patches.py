"""Patches: which files they touch (D27). Git is the oracle."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import astuple

from groundtrace.truth import patches
from groundtrace.truth.patches import edits, evidence, read_patch, unquote

LETTERS = {"A": "added", "D": "deleted", "M": "modified", "T": "modified", "R": "renamed"}


def git(folder: Path, *arguments: str) -> bytes:
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{
            f"GIT_{who}_{what}": "x@y"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    }
    command = ["git", "-c", "core.autocrlf=false", "-c", "gc.auto=0", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True
    ).stdout


def start(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    for name, content in files.items():
        put(folder, name, content)
    commit(folder)


def put(folder: Path, name: str, content: bytes) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "state")


def what_git_says(folder: Path, *flags: str) -> set[tuple[str, str, str | None]]:
    """`git diff --name-status`, NUL-separated so that no name is quoted."""
    fields = git(folder, "diff", "--name-status", "-z", "-M", *flags, "HEAD~1", "HEAD").split(b"\0")
    said = set()
    place = 0
    while place < len(fields) - 1:
        letter = fields[place].decode()[:1]
        names = [name.decode() for name in fields[place + 1 : place + (3 if letter == "R" else 2)]]
        said.add((names[-1], LETTERS[letter], names[0] if letter == "R" else None))
        place += 1 + len(names)
    return said


def what_we_say(text: str) -> set[tuple[str, str, str | None]]:
    result = read_patch(text)
    assert result.faults == ()
    said: dict[str, tuple[str, str, str | None]] = {}
    for path, status, old in map(astuple, result.files):
        # A file that becomes a link is deleted and added again; git calls that one change.
        said[path] = (path, "modified" if path in said else status, old)
    return set(said.values())


LONG = b"".join(b"line %d of a file\n" % number for number in range(40))
TRAP = b"-- a/not/a/file.py\n++ b/not/a/file.py\n@@ -1 +1 @@\ndiff --git a/x b/x\n"


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A repository whose last commit does everything that a patch can do."""
    folder = tmp_path / "repo"
    start(
        folder,
        {
            "src/plain.py": LONG,
            "src/gone.py": LONG + b"gone\n",
            "src/moved.py": LONG + b"moved\n",
            "src/moved and changed.py": LONG + b"moved and changed\n",
            "docs/with blank.md": b"a\n",
            "docs/umlaut-ä.md": b"a\n",
            'docs/quote".md': b"a\n",
            "docs/back\\slash.md": b"a\n",
            "docs/tab\there.md": b"a\n",
            "b/in b.txt": b"a\n",
            "a/in a.txt": b"a\n",
            "trap.txt": b"before\n" + TRAP + b"after\n",
            "crlf.txt": b"one\r\ntwo\r\n",
            "no-newline.txt": b"one",
            "separators.txt": b"form\x0cfeed\x0bhere\x1c\n",
            "image.bin": bytes(range(256)),
            "old.bin": bytes(range(255, -1, -1)),
            "empty-gone": b"",
            "run.sh": b"#!/bin/sh\n",
            "Makefile": b"all:\n",
            "becomes-link": b"text\n",
        },
    )
    for name in ("src/gone.py", "old.bin", "empty-gone", "becomes-link"):
        (folder / name).unlink()
    put(
        folder, "src/plain.py", LONG.replace(b"line 7 ", b"line seven ").replace(b"line 30 ", b"x ")
    )
    git(folder, "mv", "src/moved.py", "src/new name.py")
    put(folder, "src/changed.py", LONG + b"moved and changed too\n")
    (folder / "src/moved and changed.py").unlink()
    for name in ("with blank.md", "umlaut-ä.md", 'quote".md', "back\\slash.md", "tab\there.md"):
        put(folder, f"docs/{name}", b"b\n")
    put(folder, "b/in b.txt", b"b\n")
    put(folder, "a/in a.txt", b"b\n")
    put(folder, "b/new.txt", b"new\n")
    put(folder, "trap.txt", b"before\nafter\n")
    put(folder, "crlf.txt", b"one\r\n2\r\n")
    put(folder, "no-newline.txt", b"two")
    put(folder, "separators.txt", b"form\x0c--- a/x\x0b\n")
    put(folder, "image.bin", bytes(range(1, 256)))
    put(folder, "new.bin", bytes(range(10)) * 3)
    put(folder, "empty new", b"")
    put(folder, "new.py", b"print()\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "becomes-link").symlink_to("Makefile")
    commit(folder)
    return folder


@pytest.mark.parametrize(
    "flags",
    [
        (),
        ("--binary",),
        ("--no-prefix",),
        ("--src-prefix=i/", "--dst-prefix=w/"),
        ("--src-prefix=old/", "--dst-prefix=new/"),
        ("--full-index", "-U0"),
        ("-U25",),
        ("-W",),
    ],
    ids=" ".join,
)
def test_a_patch_touches_what_git_says(changed: Path, flags: tuple[str, ...]) -> None:
    """Every kind of change, with every form of prefix, gives git's names and kinds of change."""
    text = git(changed, "diff", "-M", *flags, "HEAD~1", "HEAD").decode("utf-8", errors="replace")
    assert what_we_say(text) == what_git_says(changed)


def test_without_rename_detection_a_move_is_a_deletion_and_an_addition(changed: Path) -> None:
    text = git(changed, "diff", "--no-renames", "HEAD~1", "HEAD").decode("utf-8", errors="replace")
    assert what_we_say(text) == what_git_says(changed, "--no-renames")


def test_a_patch_with_windows_line_ends_has_the_same_files(changed: Path) -> None:
    text = git(changed, "diff", "-M", "HEAD~1", "HEAD").decode("utf-8", errors="replace")
    assert what_we_say(text.replace("\n", "\r\n")) == what_git_says(changed)


def test_a_mailed_patch_is_read_past_its_letter_and_signature(changed: Path) -> None:
    text = git(changed, "format-patch", "-1", "--stdout").decode("utf-8", errors="replace")
    assert what_we_say(text) == what_git_says(changed)


def test_a_cut_patch_keeps_the_files_before_the_cut_and_invents_none(changed: Path) -> None:
    """Gold patches come cut off; a name cut in two must not become a file."""
    text = git(changed, "diff", "-M", "HEAD~1", "HEAD").decode("utf-8", errors="replace")
    whole = set(edits(read_patch(text).files))
    before = 0
    for end in range(0, len(text), 3):
        names = set(edits(read_patch(text[:end]).files))
        assert names <= whole
        assert len(names) >= before - 1  # the file that is being cut may come and go
        before = max(before, len(names))
    assert read_patch(text[: text.rindex("@@") + 20]).faults


def test_a_cut_plain_diff_invents_no_name() -> None:
    """Without git's header the only name may be the one that was cut in two."""
    text = "--- a/src/x.c\n+++ b/src/x.c\n@@ -1 +1 @@\n-a\n+b\n--- a/src/longer.c\n+++ b/src/longer.c\n"
    for end in range(text.index("--- a/src/longer.c"), len(text)):
        result = read_patch(text[:end])
        assert edits(result.files) == ["src/x.c"]
    assert result.faults == ("line 6: a header that names no file",)


NAME = st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="/\0"), min_size=1, max_size=12
).filter(
    lambda name: name not in (".", "..") and len(name.encode()) < 100 and name.lower() != ".git"
)
OPERATION = st.sampled_from(["change", "delete", "rename", "rename and change", "chmod", "keep"])


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    existing=st.dictionaries(NAME, OPERATION, min_size=1, max_size=6),
    new=st.lists(NAME, max_size=3),
)
def test_any_names_are_read_as_git_means_them(
    tmp_path_factory: pytest.TempPathFactory, existing: dict[str, str], new: list[str]
) -> None:
    """Names with quotes, tabs, newlines, arrows and other scripts survive git's quoting."""
    folder = tmp_path_factory.mktemp("names")
    start(folder, {f"d/{name}": LONG + name.encode() for name in existing})
    for number, (name, operation) in enumerate(existing.items()):
        path = folder / "d" / name
        if operation.startswith("rename"):
            put(folder, f"r{number}/{name}", path.read_bytes())
            path.unlink()
            path = folder / f"r{number}" / name
        if "change" in operation:
            path.write_bytes(path.read_bytes().replace(b"line 9 ", b"line nine "))
        if operation == "delete":
            path.unlink()
        if operation == "chmod":
            path.chmod(0o755)
    for name in new:
        put(folder, f"new/{name}", b"new\n")
    commit(folder)
    text = git(folder, "diff", "-M", "HEAD~1", "HEAD").decode("utf-8", errors="replace")
    if text:
        assert what_we_say(text) == what_git_says(folder)


def test_new_files_are_edited_but_are_no_evidence_and_a_rename_is_found_by_its_old_name() -> None:
    """D53: nobody can find a file by a name that it gets only later."""
    text = (
        "diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n"
        "diff --git a/made.py b/made.py\nnew file mode 100644\nindex 0000000..e69de29\n"
        "diff --git a/kept.py b/copy.py\nsimilarity index 100%\ncopy from kept.py\ncopy to copy.py\n"
        "diff --git a/gone.py b/gone.py\ndeleted file mode 100644\nindex e69de29..0000000\n"
    )
    files = read_patch(text).files
    assert evidence(files) == ["old.py", "gone.py"]
    assert edits(files) == ["old.py", "new.py", "made.py", "copy.py", "gone.py"]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("--- a/src/x.c\n+++ b/src/x.c\n", ("src/x.c", "modified")),
        ("--- src/x.c\n+++ src/x.c\n", ("src/x.c", "modified")),
        (
            "--- old/src/x.c\t2024-01-01 00:00:00\n+++ new/src/x.c\t2024-01-02 00:00:00\n",
            ("src/x.c", "modified"),
        ),
        ("--- src/x.c.orig\n+++ src/x.c\n", ("src/x.c", "modified")),
        ("--- a/src/x.c.orig\n+++ b/src/x.c\n", ("src/x.c", "modified")),
        ("--- /dev/null\n+++ b/src/x.c\n", ("src/x.c", "added")),
        (
            "--- a/src/x.c\t1970-01-01 00:00:00.000000000 +0000\n+++ b/src/x.c\n",
            ("src/x.c", "added"),
        ),
        ("--- a/src/x.c\n+++ /dev/null\n", ("src/x.c", "deleted")),
        (
            "Index: src/x.c\n=====\n--- src/x.c\t(revision 4)\n+++ src/x.c\t(working copy)\n",
            ("src/x.c", "modified"),
        ),
    ],
)
def test_plain_diffs_have_no_git_header(header: str, expected: tuple[str, str]) -> None:
    result = read_patch(header + "@@ -1 +1 @@\n-a\n+b\n")
    assert [(file.path, file.status) for file in result.files] == [expected]
    assert result.faults == ()


def test_a_submodule_is_no_file() -> None:
    """A pointer to a commit cannot be opened (D5)."""
    text = (
        "diff --git a/vendor/lib b/vendor/lib\nindex 1111111..2222222 160000\n"
        "--- a/vendor/lib\n+++ b/vendor/lib\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n"
    )
    assert read_patch(text).files == ()


@pytest.mark.parametrize(
    "text", ["", "hello", "diff --git ", "@@ -1 +1 @@\n", "--- \n+++ \n@@ -0,0 +0,0 @@"]
)
def test_what_is_no_patch_gives_no_files_and_a_fault(text: str) -> None:
    result = read_patch(text)
    assert result.files == ()
    assert result.faults


@given(st.text(max_size=300) | st.lists(st.sampled_from(
    ["diff --git a/x b/x", 'diff --git "a/\\303" b/x', "--- a/x", "+++ b/x", '+++ "b/', "@@ -1,9 +1 @@",
     "@@ -1,99999999999999999999 +1 @@", "rename from ", "rename to y", "-", "+", " ", "new file mode 160000"]
)).map("\n".join))  # fmt: skip
def test_nothing_makes_the_reader_raise(text: str) -> None:
    assert all(file.path and "\n" not in file.path for file in read_patch(text).files)


def test_quoted_names_are_bytes_in_octal() -> None:
    assert unquote(r"docs/\303\244\"\\\t.md") == 'docs/ä"\\\t.md'


def test_a_patch_of_very_many_lines_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patches, "MAX_LINES", 12)
    patch = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n"
    assert [file.path for file in read_patch(2 * patch).files] == ["f"]
    refused = read_patch(3 * patch)
    assert (refused.files, refused.faults) == ((), ("more than 12 lines; none of them is used",))
