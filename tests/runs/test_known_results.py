"""What is known about output folders holds until something is written into them."""

from __future__ import annotations

import pickle
from pathlib import Path

from groundtrace.runs.state import FolderSeen, KnownResults, State
from groundtrace.storage import LocalFolder


def folder(tmp_path: Path, name: str) -> LocalFolder:
    (tmp_path / name).mkdir()
    (tmp_path / name / "outcomes.json").write_text("{}")
    return LocalFolder(tmp_path / name)


def test_a_folder_is_known_until_it_is_forgotten(tmp_path: Path) -> None:
    known, one = KnownResults(10), folder(tmp_path, "one")
    marks = one.file_marks()
    known.keep(one, State(left_out=["gone"]), marks)
    (tmp_path / "one/later.json").write_text("{}")
    assert known.look_at(one) == FolderSeen(State(left_out=["gone"]), marks)
    known.forget(one)
    assert known.get(one) is None
    assert known.look_at(one).marks.keys() == {"outcomes.json", "later.json"}
    known.forget(one)


def test_only_so_many_files_are_remembered(tmp_path: Path) -> None:
    known, one, two = KnownResults(1), folder(tmp_path, "one"), folder(tmp_path, "two")
    known.keep(one, State(), one.file_marks())
    known.keep(two, State(), two.file_marks())
    assert known.get(one) is not None
    assert known.get(two) is None
    known.forget(one)
    known.keep(two, State(), two.file_marks())
    assert known.get(two) is not None


def test_stages_that_are_called_alone_remember_nothing_and_neither_do_workers(
    tmp_path: Path,
) -> None:
    one = folder(tmp_path, "one")
    known = KnownResults()
    known.keep(one, State(), one.file_marks())
    assert known.get(one) is None
    full = KnownResults(10)
    full.keep(one, State(), one.file_marks())
    assert pickle.loads(pickle.dumps(full)).get(one) is None
