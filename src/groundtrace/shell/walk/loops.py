"""Loops over words that the command shows, and over words that only the output shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from groundtrace.base.patterns import regex
from groundtrace.shell.align.loop import Loop, heading_of
from groundtrace.shell.programs.call import Shell
from groundtrace.shell.streams.conditions import perhaps
from groundtrace.shell.streams.part import Parts
from groundtrace.shell.streams.text import Text
from groundtrace.shell.streams.word import MAX_WORDS, Word
from groundtrace.shell.syntax.holes import HOLE, has_hole
from groundtrace.shell.syntax.statements import counted, read_names
from groundtrace.shell.walk.expansion import expand_all
from groundtrace.shell.walk.flow import Statement

if TYPE_CHECKING:
    from tree_sitter import Node


def _for(shell: Shell, node: Node, stdin: Parts | None) -> Parts:
    variable, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
    if variable is None or body is None:
        return []
    values = node.children_by_field_name("value")
    # `for f; do` goes over the arguments of the script.
    words = expand_all(shell, values) if values else shell.env.variables.get("@", ())
    name = shell.env.tree.text(variable)
    return _each(shell, words, name, lambda: shell.run(body, stdin))


def _each(shell: Shell, words: Sequence[Word], name: str, body: Callable[[], Parts]) -> Parts:
    """`body` for every word; unknown words make a loop of unknown length."""
    parts: Parts = []
    globs = tuple(word.text for word in words if word.glob)
    for word in words[:MAX_WORDS]:
        if word.known or (word.stream is None and not word.glob and word.text != HOLE):
            shell.change(shell.env.holding({name: (word,)}))
            parts.extend(body())
        elif not word.glob:
            parts.append(shell.loop([name], list(word.stream or ()), body))
        elif word.text == globs[0]:
            # The rounds of several patterns look alike, so they are one loop.
            parts.append(shell.loop([name], [], body, globs))
    return parts


def unknown_loop(
    shell: Shell,
    names_of: Sequence[str],
    source: Parts,
    body: Callable[[], Parts],
    globs: tuple[str, ...] = (),
) -> Loop:
    """A loop over words that only the output shows.

    The body is followed with a hole for the word. If it prints the word in a separator, the output
    shows every word that it may have had, and the body is followed for each of them.
    """
    hole = shell.hole()
    env = shell.env.holding(dict.fromkeys(names_of, (Word(HOLE),)))

    def bound(value: str) -> Parts:
        with shell.inside(env.holding({names_of[0]: (Word(value),)})):
            return body()

    template = tuple(bound(hole))
    loop = Loop(
        template=template,
        source=tuple(source),
        globs=globs,
        cwd=env.cwd,
        heading=heading_of(template, hole),
        repeats_lines=repeats(template, hole),
    )
    rounds = {word: tuple(bound(word)) for word in loop.words_in(shell.lines)}
    return replace(loop, rounds=rounds) if rounds else loop


def repeats(template: Sequence[object], hole: str) -> bool:
    """Whether every round prints the line that it read, and nothing else."""
    only = template[0] if len(template) == 1 else None
    return isinstance(only, Text) and only.lines == (hole,) and not only.unended


def _while(shell: Shell, node: Node, stdin: Parts | None) -> Parts:
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    if body is None:
        return []
    names = read_names(shell.env.tree.text(condition)) if condition is not None else None
    if names is None:
        before = shell.run(condition, stdin) if condition is not None else []
        return before + perhaps(shell.run(body, stdin))
    run_body = lambda: shell.run(body)  # noqa: E731
    if stdin and all(isinstance(part, Text) for part in stdin):
        lines = [line for part in stdin if isinstance(part, Text) for line in part.lines]
        if not any(has_hole(line) for line in lines):
            return _each_line(shell, lines, names, run_body)
    loop = shell.loop(names, stdin or [], run_body)
    if _CONDITION.search(shell.env.tree.text(body)):
        return [replace(loop, chooses=True)]
    if stdin and len(names) == 1 and loop.repeats_lines:
        return stdin
    return [loop]


_CONDITION = regex(r"&&|\|\||\b(?:if|case|continue|break)\b")
"""What may leave out a line: `[ $n -ge 15 ] && echo "$n: $line"`."""


def _each_line(
    shell: Shell, lines: Sequence[str], names: Sequence[str], body: Callable[[], Parts]
) -> Parts:
    parts: Parts = []
    for line in lines[:MAX_WORDS]:
        pieces = [*line.split(None, len(names) - 1), *("" for _ in names)]
        words = {name: (Word(piece),) for name, piece in zip(names, pieces, strict=False)}
        shell.change(shell.env.holding(words))
        parts.extend(body())
    return parts


def _c_for(shell: Shell, node: Node, stdin: Parts | None) -> Parts:
    body = node.child_by_field_name("body")
    if body is None:
        return []
    counter = counted(shell.env.tree.text(node))
    if counter is None:
        return perhaps(shell.run(body, stdin))
    words = [Word(str(value)) for value in counter.values[:MAX_WORDS]]
    return _each(shell, words, counter.name, lambda: shell.run(body, stdin))


STATEMENTS: Mapping[str, Statement] = {
    "for_statement": _for,
    "while_statement": _while,
    "c_style_for_statement": _c_for,
}
"""The function for each kind of loop."""
