"""Names from records as file names: nothing leaves the output folder, nothing collides (D37)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.base.safe_names import MAX_LENGTH, document_stem, safe_name, safe_names

PLAIN = [
    "baseline-local-direct",
    "mcp_only",
    "instance_NodeBB__NodeBB-04998908ba6721d64eba79ae3b65a351dcfbc5b5-vnan",
    "druid--druid-26.0.0",
    "a" * MAX_LENGTH,
]
HOSTILE = [
    "../../etc/x", "/etc/passwd", "..", ".", "", "a/b", "a\\b", "a\0b", "a\nb", "x" * 300, ".hidden",
    "dot.", "con", "NUL.txt", "a b", "é", "\ud800", "a~0123456789abcdef", "🙂" * 200, "C:x",
]  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_plain_names_stay(name: str) -> None:
    """Paths read as users expect."""
    assert safe_name(name) == name


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_become_one_file_inside(tmp_path: Path, name: str) -> None:
    """One component, below the folder, short enough for any suffix."""
    spelled = safe_name(name)
    path = tmp_path / f"{spelled}.retrieval_events.json"
    assert path.resolve().parent == tmp_path.resolve()
    path.write_text("x")
    assert spelled != name
    assert "~" in spelled


def test_names_that_differ_only_in_case_are_apart_in_one_folder() -> None:
    """Also on file systems that ignore case; the same every time."""
    spelled = safe_names(["Foo", "foo", "FOO", "bar"])
    assert len({s.casefold() for s in spelled.values()}) == 4
    assert spelled["bar"] == "bar"
    assert safe_names(["foo", "bar", "FOO", "Foo"]) == spelled


def test_the_stem_of_documents() -> None:
    """The plain task, or task and trial where all trials are written (D32)."""
    assert document_stem("a-1") == "a-1"
    assert document_stem("a-1", "a-1__AbC") == "a-1.a-1__AbC"
    assert "/" not in document_stem("a/1", "x")


@given(st.lists(st.text(), unique=True))
def test_spellings_are_safe_and_never_shared(names: list[str]) -> None:
    """For any names at all."""
    spelled = [safe_name(name) for name in names]
    assert len(set(spelled)) == len(names)
    for spelling in spelled:
        assert spelling not in {"", ".", ".."}
        assert not set(spelling) & set("/\\\0\n:")
        assert len(spelling.encode()) <= MAX_LENGTH
