"""Where a Python script ends itself with a message: `raise SystemExit("not found")`.

Scripts that change a file often look first whether it is as expected, and leave if not. There is no
traceback then, but the message says at which statement the script left. What it would have written
after that was not written (D146).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from groundtrace.shell.programs.python_flow import Flow, called, printed_by, printed_values
from groundtrace.shell.streams.part import Said, are_own_words
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


Exits = tuple[tuple[int, Said], ...]
"""Lines of a script that end it, and what it prints right before that."""
_BLOCKS = ("body", "orelse", "finalbody")
_EXITS = frozenset(["exit", "_exit", "quit", "SystemExit"])


def exits_of(nodes: Sequence[ast.AST]) -> Exits:
    """The statements that end a script and print constant words."""
    found: list[tuple[int, Said]] = []
    for node in nodes:
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list):
                found.extend(_of_block(block))
    return tuple(found)


def _of_block(block: Sequence[ast.AST]) -> Iterator[tuple[int, Said]]:
    words: Said = ()
    for statement in block:
        call = _call(statement)
        if call is not None and called(call) in _EXITS:
            own = tuple(said for value in call.args if _is_text(value) for said in _lines(value))
            if own or words:
                yield call.lineno, own or words
        elif call is not None and called(call) == "print":
            words = tuple(printed_lines(call))
        else:
            words = ()


def _is_text(value: ast.expr) -> bool:
    """Whether the script ends with a message; a number is an exit code."""
    return not isinstance(value, ast.Constant) or isinstance(value.value, str)


def _lines(value: ast.expr) -> Iterator[tuple[str, str]]:
    return lines_said(said_text(value))


def _call(statement: ast.AST) -> ast.Call | None:
    value = statement.exc if isinstance(statement, ast.Raise) else None
    value = statement.value if isinstance(statement, ast.Expr) else value
    return value if isinstance(value, ast.Call) else None


def left_at(exits: Exits, lines: Sequence[str]) -> int | None:
    """The line at which a script ended itself, by the words in its output."""
    for line, said in exits:
        if said and any(are_own_words([text], said) for text in lines if text.strip()):
            return line
    return None
