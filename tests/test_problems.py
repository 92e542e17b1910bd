"""One table explains every kind of problem, and has no other kinds (D38)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

import groundtrace
from groundtrace import problems
from groundtrace.model import Problem, ReadResult, Trial

PACKAGE = Path(groundtrace.__file__).parent
TAKES_KIND = {"Problem": 1, "_problem": 0, "problem": 0, "RefusedEntry": 0, "add": 0}
"""Functions that record a problem, with the place of the kind among their arguments."""


def literals(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.IfExp(body=body, orelse=other):
            yield from literals(body)
            yield from literals(other)


def is_kind(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "kind"


def used_in(tree: ast.AST) -> Iterator[str]:
    """Kinds named in a module: as arguments, or held in a variable `kind` that problems take."""
    held: set[str] = set()
    hands_over = False
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and node.value is not None and is_kind(node.target):
            held.update(literals(node.value))
        if isinstance(node, ast.Assign) and any(map(is_kind, node.targets)):
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


def test_what_is_declared_for_the_type_checker_is_what_is_explained() -> None:
    declared = get_args(problems.DeclaredKind)
    assert len(declared) == len(set(declared))
    assert set(declared) == set(problems.MEANINGS)


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


def test_the_search_for_kinds_finds_every_way_to_name_one() -> None:
    """The tests above are worth what this search finds."""
    module = """
problems.append(Problem(path, "positional", "why"))
Problem(file=path, kind="keyword", reason="why")
Problem(path, "either" if cut else "or", "why")
kind: ProblemKind = "held" if cut else "held_too"
source.problem(kind, "why")
notes.add("noted", "why")
run.problems["counted"] += 1
groups.add("no kind")
"""
    named = {"positional", "keyword", "either", "or", "held", "held_too", "noted", "counted"}
    assert set(used_in(ast.parse(module))) == named


def test_the_package_itself_brings_no_kind_past_the_list() -> None:
    """`PluginKind` is for other packages: used here, it would hide a kind from the type checker."""
    uses = [
        path.name
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        if isinstance(node.func, ast.Name) and node.func.id == "PluginKind"
    ]
    assert uses == []


def test_a_kind_of_another_package_is_counted_under_its_own_name(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third party's reader knows losses that groundtrace has no word for."""
    from groundtrace import pipeline

    real = pipeline.read_trace_of

    def read_with_loss(trial: Trial, *rest: Any) -> ReadResult:
        trace, met = real(trial, *rest)
        kind = problems.PluginKind("oriole_cut")
        return ReadResult(trace, (*met, Problem("agent/oriole.jsonl", kind, "cut off")))

    monkeypatch.setattr(pipeline, "read_trace_of", read_with_loss)
    trial = next((sample / "runs").rglob("mcp_rate*"))
    events = groundtrace.evaluate_trial(trial, tasks=sample / "benchmarks").events
    assert events.coverage.problems["oriole_cut"] == 1
