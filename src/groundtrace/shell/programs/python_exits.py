"""Where a Python script ends itself with a message: `raise SystemExit("not found")`.

Scripts that change a file often look first whether it is as expected, and leave if not. There is no
traceback then, but the message says at which statement the script left. What it would have written
after that was not written (D146).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from groundtrace.shell.programs.python_flow import called
from groundtrace.shell.programs.python_said import lines_said, printed_lines, said_text
from groundtrace.shell.streams.said import Said, only_said

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
        if said and any(only_said([text], said) for text in lines if text.strip()):
            return line
    return None
