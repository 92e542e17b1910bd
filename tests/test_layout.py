"""The tests are one package: what they share is imported by its full name. Folders of one kind have
the same modules."""

from __future__ import annotations

import ast
from pathlib import Path

import groundtrace

TESTS = Path(__file__).parent


def test_every_folder_with_tests_is_part_of_the_package() -> None:
    """Elsewhere pytest puts the folder itself on the path, and two files of one name clash."""
    folders = {path.parent for path in TESTS.rglob("*.py") if "fixtures" not in path.parts}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_no_test_changes_the_path_of_imports() -> None:
    changed = [
        str(path.relative_to(TESTS))
        for path in TESTS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "path"
        if isinstance(node.value, ast.Name) and node.value.id == "sys"
    ]
    assert changed == []


TRACES = Path(groundtrace.__file__).parent / "traces"
EVERY = {"__init__", "reader", "records", "trace"}
IN_PLACE_OF_RECORDS = {"mapped": "mapping"}
"""A format whose records the user describes."""


def test_every_format_has_the_same_modules_and_at_most_two_more() -> None:
    """`dialect` is about ATIF that the harness writes, not about the format of the folder."""
    formats = sorted(path.parent for path in TRACES.glob("*/reader.py"))
    assert len(formats) > 15
    for folder in formats:
        names = {path.stem for path in folder.glob("*.py")} - {"dialect"}
        records = IN_PLACE_OF_RECORDS.get(folder.name, "records")
        every = EVERY - {"records"} | {records}
        assert every <= names, f"{folder.name}: {sorted(every - names)} missing"
        more = sorted(names - every)
        assert len(more) <= 2, f"{folder.name}: {more}"
