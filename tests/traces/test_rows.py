"""Rows of a file: each has an id of its own, and is found without reading those before it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.model import Problem
from groundtrace.storage import LocalFolder
from groundtrace.traces.kit import rows
from groundtrace.traces.kit.known import Known
from groundtrace.traces.kit.rows import Naming, find_row, named_rows


def name_of(row: Mapping[str, Any]) -> str | None:
    found = row.get("id")
    return found if isinstance(found, str) else None


BY_ID = Naming("by id", name_of)


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    rows._known.clear()
    rows.HELD.clear()
    yield
    rows._known.clear()
    rows.HELD.clear()


def written(folder: Path, data: bytes, name: str = "rows.jsonl") -> LocalFolder:
    (folder / name).write_bytes(data)
    return LocalFolder(folder)


LINES = b'\xef\xbb\xbf{"id": "a", "n": 1}\n\n  {"id": "b", "n": 2}\t\r\nnot JSON\n{"id": "a", "n": 3}\n{"n": 4}'
"""A mark at the start, blanks, a broken line, a repeated name and a row without a name."""
LIST = b' [ {"id": "a", "n": 1},\n {"id": "b", "n": 2}, {"id": "a", "n": 3} , {"n": 4, "x": "}]"} ]'


@pytest.mark.parametrize(
    ("data", "last"), [(LINES, "row-6"), (LIST, "row-4")], ids=["lines", "a list"]
)
def test_each_row_has_its_own_id_and_is_found_by_it(
    tmp_path: Path, data: bytes, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path, data)
    named = list(named_rows(folder, "rows.jsonl", BY_ID))
    assert [name for name, value in named if not isinstance(value, Problem)] == [
        *("a", "b", "a.2", last)
    ]
    rows.HELD.clear()  # as in a worker, which only has the places
    # From now on nothing but the row itself is read.
    monkeypatch.setattr(rows, "read_raw_rows", lambda *_: pytest.fail("all rows were read again"))
    for name, number in ((last, 4), ("a.2", 3), ("a", 1), ("b", 2)):
        found = find_row(folder, "rows.jsonl", name, BY_ID)
        assert not isinstance(found, Problem)
        assert found["n"] == number


def test_rows_that_nobody_named_are_found_too(tmp_path: Path) -> None:
    """A worker that was not forked knows no places; after one row it knows all."""
    folder = written(tmp_path, LINES)
    first = find_row(folder, "rows.jsonl", "b", BY_ID)
    assert not isinstance(first, Problem)
    assert first["n"] == 2
    assert set(next(iter(rows._known._values.values()))[0]) == {"a", "b", "a.2", "row-6"}


def test_a_row_that_is_not_there_is_told(tmp_path: Path) -> None:
    folder = written(tmp_path, LINES)
    for _ in range(2):
        missing = find_row(folder, "rows.jsonl", "c", BY_ID)
        assert isinstance(missing, Problem)
        assert "no row 'c'" in missing.reason


def test_without_an_id_only_a_single_row_is_taken(tmp_path: Path) -> None:
    several = find_row(written(tmp_path, LINES), "rows.jsonl", None, BY_ID)
    assert isinstance(several, Problem)
    assert "several rows" in several.reason
    assert find_row(written(tmp_path, b'{"n": 7}\n'), "rows.jsonl", None, BY_ID) == {"n": 7}
    empty = find_row(written(tmp_path, b""), "rows.jsonl", None, BY_ID)
    assert isinstance(empty, Problem)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    """Also one whose size and time are as before: the row at the place has another name."""
    path = tmp_path / "rows.jsonl"
    folder = written(tmp_path, b'{"id": "a", "n": 1}\n{"id": "b", "n": 2}\n')
    list(named_rows(folder, "rows.jsonl", BY_ID))
    before = os.stat(path)
    path.write_bytes(b'{"id": "b", "n": 3}\n{"id": "a", "n": 4}\n')
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    found = find_row(folder, "rows.jsonl", "a", BY_ID)
    assert not isinstance(found, Problem)
    assert found["n"] == 4
    path.write_bytes(b'{"id": "a", "n": 5, "more": 1}\n')
    found = find_row(folder, "rows.jsonl", "a", BY_ID)
    assert not isinstance(found, Problem)
    assert found["n"] == 5


def test_names_of_another_reader_are_not_mixed_up(tmp_path: Path) -> None:
    by_number = Naming("by number", lambda row: str(row["n"]))

    folder = written(tmp_path, b'{"id": "1", "n": 2}\n{"id": "2", "n": 1}\n')
    list(named_rows(folder, "rows.jsonl", BY_ID))
    list(named_rows(folder, "rows.jsonl", by_number))
    assert find_row(folder, "rows.jsonl", "1", BY_ID) == {"id": "1", "n": 2}
    assert find_row(folder, "rows.jsonl", "1", by_number) == {"id": "2", "n": 1}


def test_places_of_few_files_and_not_too_many_rows_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "_known", Known(2))
    monkeypatch.setattr(rows, "MAX_PLACES", 2)
    data = b'{"id": "a"}\n{"id": "b"}\n'
    for number in range(4):
        list(named_rows(written(tmp_path, data, f"{number}.jsonl"), f"{number}.jsonl", BY_ID))
    assert [key[1] for key in rows._known._values] == ["2.jsonl", "3.jsonl"]
    folder = written(tmp_path, data + b'{"id": "c"}\n', "more.jsonl")
    assert find_row(folder, "more.jsonl", "c", BY_ID) == {"id": "c"}
    assert "more.jsonl" not in [key[1] for key in rows._known._values]


ROW = st.fixed_dictionaries({"id": st.sampled_from(["a", "b", "a.2", ""]), "t": st.text()})


@given(st.lists(ROW, min_size=2, max_size=8), st.booleans(), st.booleans())
def test_every_row_is_found_as_it_was_named(
    tmp_path_factory: pytest.TempPathFactory, made: list[Any], is_list: bool, ascii_only: bool
) -> None:
    """In lines and in a list, whatever is in the texts."""
    texts = [json.dumps(row, ensure_ascii=ascii_only) for row in made]
    text = "[" + ",\n".join(texts) + "]" if is_list else "\n".join(texts)
    data = text.encode("utf-8", "surrogatepass")
    folder = written(tmp_path_factory.mktemp("rows"), data)
    named = [one for one in named_rows(folder, "rows.jsonl", BY_ID) if one.name is not None]
    assert len({one.name for one in named}) == len(made)
    for name, value in named:  # once by its place, and once as it was held
        rows.HELD.clear()
        assert find_row(folder, "rows.jsonl", name, BY_ID) == value
    list(named_rows(folder, "rows.jsonl", BY_ID))
    for name, value in named:
        assert find_row(folder, "rows.jsonl", name, BY_ID) == value


@given(st.lists(st.sampled_from(["a", "a.2", "a.2.2", "a.3", "b"]), max_size=12))
def test_no_name_is_given_twice(wanted: list[str]) -> None:
    """Also if a name looks like one with a number; a name that is new stays as it is."""
    names = rows.UniqueNames()
    given_names = [names.next(name) for name in wanted]
    assert len(set(given_names)) == len(wanted)
    assert all(made.startswith(name) for made, name in zip(given_names, wanted, strict=True))
    assert given_names[:1] == wanted[:1]
