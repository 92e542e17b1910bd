"""Expressions as functions give what the interpreter of JMESPath gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from typing import Any

import jmespath
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jmespath.exceptions import JMESPathError
from jmespath.visitor import TreeInterpreter

from groundtrace.base import tomlio
from groundtrace.traces.mapped.compiled import compiled
from groundtrace.traces.mapped.kinds import MAX_NAMES, Kinds
from groundtrace.traces.mapped.mapping import EXPRESSIONS as KEYS
from groundtrace.traces.mapped.named import MAX_VALUES, Place, follow, see

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


@given(_OBJECTS)
def test_what_remains_for_a_kind_gives_the_same(record: dict[str, Any]) -> None:
    """What a kind of record decides is exactly what the expression gives for the record."""
    for expression in EXPRESSIONS:
        parsed = jmespath.compile(expression).parsed
        kinds = Kinds({"fact": parsed, "calls": parsed}, frozenset({"fact"}))
        rests = kinds.rests(kinds.of(record))
        wanted = _outcome(_by_library(parsed), record)
        for key, nothing in (("fact", (None,)), ("calls", (None, False))):
            rest = rests.get(key)
            if rest is None:
                assert wanted[0] == "value" and any(wanted[1] is one for one in nothing), expression
                continue
            made = _outcome(rest.evaluate, record)
            assert (made, repr(made)) == (wanted, repr(wanted)), expression
            assert rest.can_fail or made[0] == "value", expression


@given(_OBJECTS)
def test_what_is_not_decoded_is_not_missed(record: dict[str, Any]) -> None:
    """An expression gives the same for a record that has only the members it can look at."""
    data = json.dumps(record).encode()
    for expression in EXPRESSIONS:
        parsed = jmespath.compile(expression).parsed
        place = Place()
        see(follow(parsed, [place]))
        try:
            part = msgspec.json.decode(data, type=place.type())
        except msgspec.ValidationError:
            continue  # such a record is decoded completely
        made, wanted = _outcome(_by_library(parsed), part), _outcome(_by_library(parsed), record)
        assert (made, repr(made)) == (wanted, repr(wanted)), expression


def test_members_that_no_expression_names_are_not_decoded() -> None:
    place = Place()
    see(follow(jmespath.compile("a[?b == 'x'].c").parsed, [place]))
    record = {"a": [{"b": "x", "c": {"d": 1}, "e": 2}], "f": 3}
    part = msgspec.json.decode(json.dumps(record).encode(), type=place.type())
    assert part == {"a": [{"b": "x", "c": {"d": 1}}]}


@pytest.mark.parametrize(
    ("expression", "record"),
    [
        (" | ".join(["(a || b)"] * 60), {"a": {"a": {"b": 1}, "b": [1]}, "b": {"a": 2}}),
        (".".join("a" * 300), {"a": {"a": {"a": 1}}}),
        ("a" + "[0]" * 300, {"a": [[1], 2]}),
        ("[a, b, c][*].a.b", {"a": {"a": {"b": 1}}, "b": {"a": 2}}),
    ],
)
def test_many_places_are_followed_within_limits(expression: str, record: Any) -> None:
    """Each `||` doubles the places, and a long path is as deep as it is long."""
    parsed = jmespath.compile(expression).parsed
    place = Place()
    see(follow(parsed, follow(parsed, [place])))
    assert place.size() < 40 * MAX_VALUES
    part = msgspec.json.decode(json.dumps(record).encode(), type=place.type())
    assert _by_library(parsed)(part) == _by_library(parsed)(record)


def test_a_kind_decides_the_conditions() -> None:
    trees = {
        "calls": jmespath.compile("type == 'call' && event").parsed,
        "answers": jmespath.compile("type == 'answer' && event").parsed,
        "model": jmespath.compile("model").parsed,
    }
    kinds = Kinds(trees)
    assert kinds.rests(kinds.of({"type": "call", "event": 1})).keys() == {"calls"}
    assert kinds.rests(kinds.of({"type": "other", "event": 1})).keys() == set()
    assert kinds.rests(kinds.of({"type": 1, "model": 1})).keys() == {"model"}
    assert kinds.of({"type": ["call"], "model": 1}) is None
    many = {"type": "other", **{str(number): 0 for number in range(MAX_NAMES)}}
    assert kinds.of(many) is None and kinds.rests(None).keys() == trees.keys()


def _bundled() -> list[str]:
    folder = resources.files("groundtrace.traces.mapped") / "bundled"
    mappings = [tomlio.loads(file.read_text()) for file in folder.iterdir()]
    return sorted({data[key] for data in mappings for key in KEYS if key in data})


@pytest.mark.parametrize("value", [{}, [], None, "x", 0, {"type": "message", "message": {}}])
def test_a_bundled_expression_gives_what_the_interpreter_gives(value: Any) -> None:
    assert _bundled()
    for expression in _bundled():
        _same(expression, value)
