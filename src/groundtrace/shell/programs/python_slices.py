"""Which lines of a file a Python script prints, if it selects them by constant numbers.

`lines = open(f).readlines()` followed by `lines[9:20]`, `lines[4]` or `for i in range(9, 20)` with
`lines[i]`: agents write such scripts instead of sed. A script that selects by text gives nothing.
"""

from __future__ import annotations

import ast

Ranges = tuple[tuple[int, int], ...]
"""Lines from 1, both ends included, in the order of the script."""
_SPLITTERS = {"readlines", "splitlines", "split"}
_CHOOSING = (ast.If, ast.IfExp, ast.While, ast.Try, ast.Break, ast.Continue)


def python_ranges(tree: ast.AST) -> Ranges | None:
    """The lines selected; None if they depend on more than constants."""
    nodes = list(ast.walk(tree))
    if any(isinstance(node, _CHOOSING) for node in nodes):
        return None
    if any(isinstance(node, ast.comprehension) and node.ifs for node in nodes):
        return None
    names = {
        node.targets[0].id
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and _is_lines(node.value)
    }
    counters = _counters(nodes)
    taken: list[tuple[int, int, int, int]] = []
    used = 0
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load):
            used += 1
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            used -= sum(isinstance(a, ast.Name) and a.id in names for a in node.args)
        if not isinstance(node, ast.Subscript):
            continue
        whole = isinstance(node.value, ast.Name) and node.value.id in names
        if not whole and not _is_lines(node.value):
            continue
        used -= whole
        span = _span(node.slice, counters)
        if span is None:
            return None
        taken.append((node.lineno, node.col_offset, *span))
    if used or not taken:
        return None
    return tuple((low, high) for _, _, low, high in sorted(taken))


def _is_lines(node: ast.expr) -> bool:
    """Whether an expression is a file's text split into lines."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr not in _SPLITTERS:
        return False
    if node.func.attr == "split":
        first = node.args[0] if node.args else None
        return isinstance(first, ast.Constant) and first.value == "\n"
    return True


def _counters(nodes: list[ast.AST]) -> dict[str, tuple[int, int]]:
    """Loop variables over constant ranges: the first value, and the value after the last."""
    found: dict[str, tuple[int, int]] = {}
    for node in nodes:
        if not isinstance(node, ast.For | ast.comprehension) or not isinstance(
            node.target, ast.Name
        ):
            continue
        call = node.iter
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id == "range"
            and 1 <= len(call.args) <= 2
        ):
            continue
        bounds = [_number(argument) for argument in call.args]
        if len(bounds) == 1:
            bounds.insert(0, 0)
        low, high = bounds
        if low is not None and high is not None:
            found[node.target.id] = (low, high)
    return found


def _number(node: ast.expr | None) -> int | None:
    """A whole number, also as the minimum of a number and the length."""
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value >= 0:
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "min":
        known = [number for number in map(_number, node.args) if number is not None]
        return known[0] if len(known) == 1 and len(node.args) == 2 else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        left, right = _number(node.left), _number(node.right)
        if left is None or right is None:
            return None
        return left + right if isinstance(node.op, ast.Add) else left - right
    return None


def _span(index: ast.expr, counters: dict[str, tuple[int, int]]) -> tuple[int, int] | None:
    if isinstance(index, ast.Slice):
        low = 0 if index.lower is None else _number(index.lower)
        high = _number(index.upper)
        if index.step is not None or low is None or high is None or high <= low:
            return None
        return low + 1, high
    if isinstance(index, ast.Name):
        counted = counters.get(index.id)
        return None if counted is None else (counted[0] + 1, counted[1])
    if isinstance(index, ast.BinOp) and isinstance(index.left, ast.Name):
        counted, step = counters.get(index.left.id), _number(index.right)
        if counted is None or step is None or not isinstance(index.op, ast.Sub):
            return None
        return counted[0] - step + 1, counted[1] - step
    number = _number(index)
    return None if number is None else (number + 1, number + 1)
