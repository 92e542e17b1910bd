"""What a Python script says in its own words: lines that hold nothing of the files it opens.

A script that changes a file often prints the file's text only if something is wrong, and `Done` if
all is well. If every line of the output is one of its own words, no text of a file was shown (D142).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from groundtrace.shell.programs.python_flow import Flow, called, printed_by, printed_values
from groundtrace.shell.streams.said import Said
from groundtrace.shell.syntax.holes import HOLE

MAX_SAID = 200
"""How many lines are kept; a script that says more is not judged by its words."""


def said_by(nodes: Sequence[ast.AST], flow: Flow) -> Said | None:
    """The lines that a script prints whatever its files hold; None if there are too many."""
    said: dict[tuple[str, str], None] = {}
    for node in nodes:
        if isinstance(node, ast.Call) and not printed_by(node, flow):
            said.update(dict.fromkeys(printed_lines(node)))
    return tuple(said) if len(said) <= MAX_SAID else None


def printed_lines(node: ast.Call) -> Iterator[tuple[str, str]]:
    """How each line that a call prints begins and ends. What stands between is not known."""
    values = printed_values(node)
    if not values or any(isinstance(value, ast.Starred) for value in values):
        return
    separator = " "
    for keyword in node.keywords:
        if keyword.arg in ("sep", "end"):
            separator = HOLE
    joint = "" if called(node) in ("write", "writelines") else separator
    yield from lines_said(joint.join(map(said_text, values)))


def lines_said(text: str) -> Iterator[tuple[str, str]]:
    """How each line of a text with holes begins and ends."""
    for line in text.split("\n"):
        line = line.strip()
        start, hole, rest = line.partition(HOLE)
        end = rest.rpartition(HOLE)[2] if hole else line
        if start.strip() and (not hole or len(start.strip()) > 2):
            yield start, end


def said_text(value: ast.expr) -> str:
    """The text of a value, with holes for what is not known."""
    if isinstance(value, ast.Constant):
        return str(value.value)
    if isinstance(value, ast.JoinedStr):
        return "".join(map(said_text, value.values))
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return said_text(value.left) + said_text(value.right)
    return HOLE
