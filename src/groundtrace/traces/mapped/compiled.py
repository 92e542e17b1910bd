"""Parsed JMESPath expressions as functions of Python.

The interpreter of the library looks up the method of every node for every value: half of the time
of a trace that is read by a mapping. Here that happens once for an expression. Kinds of nodes that
no function is made for are left to the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jmespath.functions import Functions
from jmespath.visitor import TreeInterpreter, _is_comparable

Node = Mapping[str, Any]
Evaluate = Callable[[Any], Any]

_INTERPRETER = TreeInterpreter()
_FUNCTIONS = Functions()
_NUMBERS = frozenset({int, float})
"""Types of numbers: 0 is true in JMESPath, but true and false are no numbers."""


def compiled(node: Node) -> Evaluate:
    """A function that gives what the interpreter gives for a value."""
    make = _MAKERS.get(node["type"])
    return _interpreted(node) if make is None else make(node)


def _interpreted(node: Node) -> Evaluate:
    return lambda value: _INTERPRETER.visit(node, value)


def _children(node: Node) -> list[Evaluate]:
    return [compiled(child) for child in node["children"]]


def _same(_node: Node) -> Evaluate:
    return lambda value: value


def _literal(node: Node) -> Evaluate:
    literal = node["value"]
    return lambda _value: literal


def _field(node: Node) -> Evaluate:
    name = node["value"]
    return lambda value: value.get(name) if isinstance(value, dict) else None


def _index(node: Node) -> Evaluate:
    place = node["value"]

    def evaluate(value: Any) -> Any:
        try:
            return value[place] if isinstance(value, list) else None
        except IndexError:
            return None

    return evaluate


def _chain(node: Node) -> Evaluate:
    """Each child on what the one before it gave."""
    children = node["children"]
    if all(child["type"] == "field" for child in children):
        return _path([child["value"] for child in children])
    steps = [compiled(child) for child in children]

    def evaluate(value: Any) -> Any:
        for step in steps:
            value = step(value)
        return value

    return evaluate


def _path(names: Sequence[str]) -> Evaluate:
    """One name inside the other. Nearly all paths have two or three names; without a loop for these,
    and for two operands of `&&`, reading takes 4 % less."""
    if len(names) == 2:
        return _path_of_two(*names)
    if len(names) == 3:
        return _path_of_three(*names)

    def evaluate(value: Any) -> Any:
        for name in names:
            if not isinstance(value, dict):
                return None
            value = value.get(name)
        return value

    return evaluate


def _path_of_two(first: str, second: str) -> Evaluate:
    def evaluate(value: Any) -> Any:
        if isinstance(value, dict):
            inner = value.get(first)
            if isinstance(inner, dict):
                return inner.get(second)
        return None

    return evaluate


def _path_of_three(first: str, second: str, third: str) -> Evaluate:
    def evaluate(value: Any) -> Any:
        if isinstance(value, dict):
            outer = value.get(first)
            if isinstance(outer, dict):
                inner = outer.get(second)
                if isinstance(inner, dict):
                    return inner.get(third)
        return None

    return evaluate


def _operands(node: Node) -> list[Evaluate]:
    """The operands of `a && b && c`, which is parsed as a tree with two operands at each level."""
    kind, rest = node["type"], node
    last: list[Evaluate] = []
    while rest["type"] == kind:
        rest, operand = rest["children"]
        last.append(compiled(operand))
    return [compiled(rest), *reversed(last)]


def _and(node: Node) -> Evaluate:
    operands = _operands(node)
    if len(operands) == 2:
        return _and_of_two(*operands)

    def evaluate(value: Any) -> Any:
        found = None
        for operand in operands:
            found = operand(value)
            if not found and type(found) not in _NUMBERS:
                return found
        return found

    return evaluate


def _and_of_two(first: Evaluate, second: Evaluate) -> Evaluate:
    def evaluate(value: Any) -> Any:
        found = first(value)
        return second(value) if found or type(found) in _NUMBERS else found

    return evaluate


def _or(node: Node) -> Evaluate:
    operands = _operands(node)

    def evaluate(value: Any) -> Any:
        found = None
        for operand in operands:
            found = operand(value)
            if found or type(found) in _NUMBERS:
                return found
        return found

    return evaluate


def _comparator(node: Node) -> Evaluate:
    """Equality with a text, true or false; in other comparisons 0 and 1 are special."""
    compared = equality(node)
    if compared is None:
        return _comparison(node)
    operand, literal, is_equal = compared
    other = compiled(operand)
    if isinstance(literal, bool):  # 0 and 1 are equal to them in Python, but not in JSON
        if is_equal:
            return lambda value: other(value) is literal
        return lambda value: other(value) is not literal
    if not is_equal:
        return lambda value: other(value) != literal
    if operand["type"] == "field":
        name = operand["value"]
        return lambda value: isinstance(value, dict) and value.get(name) == literal
    return lambda value: other(value) == literal


def _comparison(node: Node) -> Evaluate:
    """Any other comparison, by the library's own operators; only numbers and texts have an order."""
    first, second = _children(node)
    compare = TreeInterpreter.COMPARATOR_FUNC[node["value"]]
    if node["value"] in ("eq", "ne"):
        return lambda value: compare(first(value), second(value))

    def evaluate(value: Any) -> Any:
        left, right = first(value), second(value)
        return compare(left, right) if _is_comparable(left) and _is_comparable(right) else None

    return evaluate


def equality(node: Node) -> tuple[Node, str | bool, bool] | None:
    """The operand that is compared with a text, true or false, that literal, and whether it must be
    equal (`==`) or not (`!=`); None if a node is anything else."""
    if node["type"] != "comparator" or node["value"] not in ("eq", "ne"):
        return None
    first, second = node["children"]
    if first["type"] == "literal":
        first, second = second, first
    if first["type"] == "literal" or second["type"] != "literal":
        return None
    literal = second["value"]
    return (first, literal, node["value"] == "eq") if isinstance(literal, str | bool) else None


def _filter(node: Node) -> Evaluate:
    listed, shown, wanted = _children(node)

    def evaluate(value: Any) -> Any:
        elements = listed(value)
        if not isinstance(elements, list):
            return None
        found = []
        for element in elements:
            is_wanted = wanted(element)
            if is_wanted or type(is_wanted) in _NUMBERS:
                one = shown(element)
                if one is not None:
                    found.append(one)
        return found

    return evaluate


def _projection(node: Node) -> Evaluate:
    listed, shown = _children(node)

    def evaluate(value: Any) -> Any:
        elements = listed(value)
        if not isinstance(elements, list):
            return None
        return [one for one in map(shown, elements) if one is not None]

    return evaluate


def _list(node: Node) -> Evaluate:
    members = _children(node)

    def evaluate(value: Any) -> Any:
        if value is None:
            return None
        found = []
        for member in members:  # a comprehension is a function of its own, which takes as long
            found.append(member(value))
        return found

    return evaluate


def _function(node: Node) -> Evaluate:
    name, arguments = node["value"], _children(node)
    call = _FUNCTIONS.call_function
    if name == "sum" and len(arguments) == 1:
        return _sum(arguments[0])
    return lambda value: call(name, [argument(value) for argument in arguments])


def _sum(listed: Evaluate) -> Evaluate:
    """Plain numbers are added here; the library's checks take ten times as long."""

    def evaluate(value: Any) -> Any:
        numbers = listed(value)
        if type(numbers) is list and _NUMBERS.issuperset(map(type, numbers)):
            return sum(numbers)
        return _FUNCTIONS.call_function("sum", [numbers])

    return evaluate


_MAKERS: Mapping[str, Callable[[Node], Evaluate]] = {
    "and_expression": _and,
    "comparator": _comparator,
    "current": _same,
    "field": _field,
    "filter_projection": _filter,
    "function_expression": _function,
    "identity": _same,
    "index": _index,
    "index_expression": _chain,
    "literal": _literal,
    "multi_select_list": _list,
    "or_expression": _or,
    "pipe": _chain,
    "projection": _projection,
    "subexpression": _chain,
}
"""Kind of a node to what makes its function."""
