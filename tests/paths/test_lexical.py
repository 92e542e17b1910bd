"""Paths as text (D5, D13)."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from groundtrace.paths import clean_path
from groundtrace.paths.lexical import clean_folder, without_diff_prefix
from groundtrace.paths.windows import rooted


@pytest.mark.parametrize(
    ("written", "clean"),
    [
        ("./src//a.py", "src/a.py"),
        ("/workspace/x/../y/./a.c", "/workspace/y/a.c"),
        ("/../a", "/a"),
        ("../a", "../a"),
        ("a/../../b", "../b"),
        ("Makefile", "Makefile"),
        ("pages/[id].tsx", "pages/[id].tsx"),
        ("docs/Read me.md", "docs/Read me.md"),
        ("src/Foo$Bar.java", "src/Foo$Bar.java"),
        ("a\\b.c", "a\\b.c"),
    ],
)
def test_paths_are_cleaned_by_text_alone(written: str, clean: str) -> None:
    assert clean_path(written) == clean


@pytest.mark.parametrize(
    "written",
    [
        *("", " ", ".", "..", "/", "src/", "src/**/*.py", "a?.c", "https://x.org/a.py"),
        *("a\nb", "a\x00", "/dev/null", "x/..", "a" * 5000),
    ],
)
def test_folders_urls_globs_and_devices_are_no_files(written: str) -> None:
    """D5."""
    assert clean_path(written) is None


@given(st.text(alphabet="ab./ \\-~é", max_size=30))
@example("./ ")
@example("/./dev/null")
@example("\\\\server//share")
def test_cleaning_is_idempotent(text: str) -> None:
    """D13."""
    clean = clean_path(text)
    assert clean is None or clean_path(clean) == clean


@given(st.text(alphabet="aB./", max_size=30))
def test_cleaning_keeps_case(text: str) -> None:
    """D8: only comparison is lower-case."""
    assert (clean_path(text.lower()) or "") == (clean_path(text) or "").lower()


def test_folders_keep_their_root() -> None:
    assert clean_folder("/workspace/") == "/workspace"
    assert clean_folder("/") == "/"
    assert clean_folder("flask/") == "flask"
    assert clean_folder("\x00") is None


def test_diff_prefixes_are_taken_off_once() -> None:
    """D13."""
    assert without_diff_prefix("a/src/x.c") == "src/x.c"
    assert without_diff_prefix("b/b/x.c") == "b/x.c"
    assert without_diff_prefix("src/a/x.c") == "src/a/x.c"
    assert without_diff_prefix("a/") == "a/"


@given(st.text(alphabet="ab/.:*?devDEV\x00\n~ \u2028", max_size=12))
def test_the_short_ways_of_cleaning_agree_with_the_long_one(path: str) -> None:
    """Clean paths are told by plain text; the rules are those of the pattern and the components."""
    assume(rooted(path) == path)  # no drive of Windows
    refused = re.search(r"(?i)[*?\x00-\x1f\x7f]|^[a-z][a-z0-9+.-]*://|^/dev/", path)
    kept: list[str] = []
    for part in path.split("/"):
        if part == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif part not in ("", ".") and (part != ".." or not path.startswith("/")):
            kept.append(part)
    expected: str | None = ("/" if path.startswith("/") else "") + "/".join(kept)
    if (
        refused
        or not path.strip()
        or path.endswith("/")
        or not kept
        or kept[-1] == ".."
        or (expected is not None and re.search(r"(?i)^[a-z][a-z0-9+.-]*://|^/dev/", expected))
    ):
        expected = None
    if expected is not None and not expected.strip():
        expected = None
    assert clean_path(path) == expected
