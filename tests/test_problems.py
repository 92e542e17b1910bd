"""Every kind of problem is explained in one table, and the table holds no other (D38)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import groundtrace
from groundtrace import problems

PACKAGE = Path(groundtrace.__file__).parent
TAKES_KIND = {"Problem": 1, "_problem": 0, "problem": 0, "Refused": 0, "add": 0}
"""Functions that record a problem, with the place of the kind among their arguments."""


def literals(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.IfExp(body=body, orelse=other):
            yield from literals(body)
            yield from literals(other)


def used_in(tree: ast.AST) -> Iterator[str]:
    """Kinds named in a module: as arguments, or held in a variable `kind` that problems take."""
    held: set[str] = set()
    hands_over = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "kind" for target in node.targets
        ):
            held.update(literals(node.value))
        if isinstance(node, ast.Subscript) and "problems" in ast.dump(node.value):
            yield from literals(node.slice)
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else None
        name = node.func.id if isinstance(node.func, ast.Name) else name
        if name not in TAKES_KIND or (name == "add" and "notes" not in ast.dump(node.func)):
            continue
        place = TAKES_KIND[name]
        if name == "_problem" and isinstance(node.func, ast.Name):
            place = 1
        given = [keyword.value for keyword in node.keywords if keyword.arg == "kind"]
        for value in given or node.args[place : place + 1]:
            yield from literals(value)
            hands_over |= isinstance(value, ast.Name) and value.id == "kind"
    if hands_over:
        yield from held


def kinds_in_package() -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for kind in used_in(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(kind, str(path.relative_to(PACKAGE)))
    return found


def test_every_kind_that_the_package_uses_is_explained() -> None:
    missing = {k: v for k, v in kinds_in_package().items() if k not in problems.MEANINGS}
    assert missing == {}


def test_no_kind_is_explained_that_nothing_uses() -> None:
    assert sorted(set(problems.MEANINGS) - set(kinds_in_package())) == []


def test_kinds_stand_in_one_group_each_in_order() -> None:
    listed = [kind for group in problems.GROUPS.values() for kind in group]
    assert len(listed) == len(set(listed))
    for group in problems.GROUPS.values():
        assert list(group) == sorted(group)


def test_every_meaning_is_a_sentence() -> None:
    for meaning in problems.MEANINGS.values():
        assert meaning[0].isupper() or meaning.startswith("result.json")
        assert meaning.endswith(".")
