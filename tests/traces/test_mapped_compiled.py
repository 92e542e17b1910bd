"""Expressions as functions give what the interpreter of JMESPath gives."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from typing import Any

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jmespath.exceptions import JMESPathError
from jmespath.visitor import TreeInterpreter

from groundtrace.base import tomlio
from groundtrace.traces.mapped.compiled import compiled
from groundtrace.traces.mapped.mapping import EXPRESSIONS as KEYS

EXPRESSIONS = (
    "a", "a.b", "a.b.c", "@", "a[0]", "a[-1].b", "a[1:3]", "a[]", "a[].b", "a[*].b", "a.*", "*.b",
    "a[?b]", "a[?b == 'x']", "a[?b == 'x'].c", "a[?b != `1`].c | [0]", "a || b", "a && b", "!a",
    "a && b && c", "a || b || 'x'", "a == 'x'", "'x' == a", "a != 'x'", "'' == a", "a == `1`",
    "a == `true`", "a == b", "a != b", "a < b", "a >= `1`", "[a, b]", "{x: a, y: b.c}", "[a, b][]",
    "length(@)", "keys(@)", "sum([a, b])", "a && sum([a, b])", "to_string(a)", "not_null(a, b, c)",
    "join(',', a)", "max_by(a, &b)", "sort_by(a, &b)[0]", "map(&b, a)", "a | b", "(a || b).c",
    "`null`", "`[1, 2]`", "a[?contains(@, 'x')]", "type(a) == 'string' && a", "a.b == 'x' && c",
    "a == `false`", "a != `true`", "a == 'x' && b || c", "a == 'x' || b == 'x'", "a != 'x' && b.c",
    "(a == 'x' && b) || (a != 'b c' && c.a) || `null`", "a.b == 'x' && a", "a == 'x' && keys(b)",
    "a[?b == 'x' && c != 'a'].b", "a == 'x' && sum([b.a, c.b])", "a.[b, c]", "a[?b].b | [0]",
)  # fmt: skip
"""Every kind of node, most of them in more than one place."""

_SCALARS = st.sampled_from([None, True, False, 0, 1, 0.0, 1.0, -2, 3.5, "", "x", "a", "b c"])
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=12,
)

_OBJECTS = st.dictionaries(st.sampled_from("abc"), _VALUES, max_size=3)


def _outcome(evaluate: Any, value: Any) -> tuple[str, Any]:
    try:
        return "value", evaluate(value)
    except (JMESPathError, TypeError, ValueError, KeyError, AttributeError) as error:
        return type(error).__name__, str(error)


def _by_library(tree: Any) -> Callable[[Any], Any]:
    return lambda value: TreeInterpreter().visit(tree, value)


def _same(expression: str, value: Any) -> None:
    parsed = jmespath.compile(expression).parsed
    wanted = _outcome(_by_library(parsed), value)
    made = _outcome(compiled(parsed), value)
    # True == 1 in Python, and not in JSON.
    assert (made, repr(made)) == (wanted, repr(wanted)), expression


@given(_VALUES)
def test_an_expression_gives_what_the_interpreter_gives(value: Any) -> None:
    for expression in EXPRESSIONS:
        _same(expression, value)


def _bundled() -> list[str]:
    folder = resources.files("groundtrace.traces.mapped") / "bundled"
    mappings = [tomlio.loads(file.read_text()) for file in folder.iterdir()]
    return sorted({data[key] for data in mappings for key in KEYS if key in data})


@pytest.mark.parametrize("value", [{}, [], None, "x", 0, {"type": "message", "message": {}}])
def test_a_bundled_expression_gives_what_the_interpreter_gives(value: Any) -> None:
    assert _bundled()
    for expression in _bundled():
        _same(expression, value)
