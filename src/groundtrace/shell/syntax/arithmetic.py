"""Shell arithmetic over known integers, such as `$((ln-15))`."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

_OPERATORS: dict[type[ast.AST], Callable[..., int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def arithmetic(body: str, value: Callable[[str], str | None]) -> int | None:
    """The value of a shell arithmetic expression over known integers, else None."""
    if len(body) > 200:
        return None

    def name(match: re.Match[str]) -> str:
        found = value(match[1])
        return found if found is not None and re.fullmatch(r"-?\d+", found) else "?"

    text = re.sub(r"\$?\{?\b([A-Za-z_]\w*)\}?", name, body).replace("/", "//")
    text = re.sub(r"\b0+(?=\d)", "", text)
    try:
        return _evaluate(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None


def _evaluate(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluate(node.operand))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluate(node.left), _evaluate(node.right))
    raise ValueError("not arithmetic")
