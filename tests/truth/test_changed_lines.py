"""Lines that a patch changes (D55), with git's own hunks without context as the oracle."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import astuple

from groundtrace.truth.patches import read_patch

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+", re.MULTILINE)


def diff(folder: Path, old: list[str], new: list[str], context: int) -> str:
    (folder / "old").mkdir(exist_ok=True)
    (folder / "new").mkdir(exist_ok=True)
    (folder / "old/a.txt").write_text("".join(old))
    (folder / "new/a.txt").write_text("".join(new))
    flags = ["--no-index", "--no-ext-diff", f"-U{context}", "old/a.txt", "new/a.txt"]
    return subprocess.run(
        ["git", "diff", *flags], cwd=folder, capture_output=True, text=True, check=False
    ).stdout


def what_git_says(folder: Path, old: list[str], new: list[str]) -> list[tuple[int, int]]:
    runs = []
    for start, count in HUNK.findall(diff(folder, old, new, 0)):
        first, number = int(start), 1 if count == "" else int(count)
        if number:
            runs.append((first, first + number - 1))
        elif old:
            runs.append((max(1, first), min(len(old), first + 1)))
    return sorted(runs)


@pytest.mark.parametrize("seed", range(30))
def test_runs_of_removed_lines_and_places_of_insertions(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    old = [f"line {n}\n" for n in range(rng.randrange(1, 40))]
    new = list(old)
    for _ in range(rng.randrange(1, 6)):
        place = rng.randrange(len(new) + 1)
        if rng.random() < 0.5:
            new[place:place] = [f"new {rng.random()}\n" for _ in range(rng.randrange(1, 3))]
        else:
            del new[place : place + rng.randrange(1, 4)]
    changed = read_patch(diff(tmp_path, old, new, 3)).changed
    assert [(c.first, c.last) for c in changed] == what_git_says(tmp_path, old, new)


def test_context_never_counts() -> None:
    text = "--- a/x.py\n+++ b/x.py\n@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+D\n e\n f\n g\n"
    assert [(c.path, c.first, c.last) for c in read_patch(text).changed] == [("x.py", 4, 4)]


def test_an_insertion_at_the_end_gives_the_last_line_alone() -> None:
    text = "--- a/x.py\n+++ b/x.py\n@@ -2,2 +2,3 @@\n b\n c\n+d\n"
    assert [(c.first, c.last) for c in read_patch(text).changed] == [(3, 3)]


def test_without_context_only_lines_that_are_shown_to_exist_count() -> None:
    """Nothing says that line 6 exists, until a later hunk of the file does."""
    head = "--- a/x.py\n+++ b/x.py\n"
    one = "@@ -5,0 +6 @@\n+new\n"
    assert [(c.first, c.last) for c in read_patch(head + one).changed] == [(5, 5)]
    more = "@@ -9 +10 @@\n-old\n+new\n"
    assert [(c.first, c.last) for c in read_patch(head + one + more).changed] == [(5, 6), (9, 9)]


def test_a_missing_line_end_is_no_line() -> None:
    text = (
        "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
        "\\ No newline at end of file\n"
    )
    assert [(c.first, c.last) for c in read_patch(text).changed] == [(2, 2)]


def test_new_files_have_no_old_lines_and_a_deleted_one_has_all() -> None:
    text = (
        "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x\n"
        "diff --git a/g.py b/g.py\ndeleted file mode 100644\n--- a/g.py\n+++ /dev/null\n"
        "@@ -1,2 +0,0 @@\n-x\n-y\n"
    )
    assert [astuple(c) for c in read_patch(text).changed] == [("g.py", 1, 2)]
