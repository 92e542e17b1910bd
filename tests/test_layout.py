"""The tests are one package: what they share is imported by its full name."""

from __future__ import annotations

import ast
from pathlib import Path

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
