"""The syntax tree of a command, and the source text behind its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import msgspec

from groundtrace.base.bounded_parse import bounded_tree
from groundtrace.base.patterns import regex
from groundtrace.shell.syntax.plain import plain_statements
from groundtrace.shell.syntax.statements import Stage

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


MAX_COMMAND = 200_000
"""Longer commands hold data, not control flow; the rest is left out."""
MAX_HARD = 3000
"""Limit for operators and opening characters in one command, without data in here-documents. For an
invalid command the parser takes time that grows with the square of their number: `a|a|a…` and
`$&&$&&…` of 50 KB took minutes. What follows is left out."""
MAX_SECONDS = 5.0
"""Processor time for one command of which neither the operators nor the reads are too many. No real
command came near; what follows is left out, and a problem says so."""
MAX_REPAIRS = 8
"""How often a tree is repaired where the grammar joined two lines."""


class Tree(msgspec.Struct, frozen=True):
    """A parsed command."""

    root: Node | None
    """The tree; None for a command that needs no tree."""
    source: bytes
    broken: bool
    """Some part of it is not valid bash, or was left out."""
    plain: str | None = None
    """The source as text, if every character is one byte."""
    statements: Sequence[Sequence[Stage | str]] = ()
    """The statements of a command that needs no tree."""

    def text(self, node: Node) -> str:
        """Source of a node."""
        if self.plain is not None:
            return self.plain[node.start_byte : node.end_byte]
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")


@cache
def _parser() -> Parser:
    from tree_sitter import Language, Parser
    from tree_sitter_bash import language

    return Parser(Language(language()))


def parse(command: str) -> Tree:
    """The tree of `command`; a broken command still has a tree of its readable parts."""
    statements = plain_statements(command)
    if statements is not None:
        return Tree(None, b"", False, command, statements)
    return parse_by_grammar(command)


def parse_by_grammar(command: str) -> Tree:
    """The same, always with a tree."""
    followed = _bounded(command[:MAX_COMMAND])
    given = followed.encode("utf-8", "replace")
    root, source = bounded_tree(_parser(), given, seconds=MAX_SECONDS)
    is_hard = len(source) < len(given)
    if not is_hard and _COMPARES.search(source):
        for _ in range(MAX_REPAIRS):
            words = list(_lost_words(root, source))
            if not words:
                break
            root, source = bounded_tree(_parser(), _with_words_quoted(source, words))
    if not is_hard and b"\n" in source:
        for _ in range(MAX_REPAIRS):
            breaks = list(_lost_breaks(root, source))
            if not breaks:
                break
            root, source = bounded_tree(_parser(), _with_breaks(source, breaks))
    is_cut = is_hard or len(followed) < len(command)
    plain = source.decode("ascii") if source.isascii() else None
    return Tree(root, source, root.has_error or is_cut, plain)


_HARD = regex(
    r"""["']{2}|[|<&;$({[`\x00-\x08\x0b-\x1f\u2028\u2029]|=~|(?<!\S)==(?!\S)|\b(?:if|for|case|while|until)\b"""
)
_HEREDOC = regex(r"<<-?\s*[\'\"\\]?(\w+)")
_HARD_IN_DATA = regex(rf"\0|{_HEREDOC.pattern}")


def _bounded(command: str) -> str:
    """The command without the end that the parser cannot parse in bounded time."""
    if len(command) <= MAX_HARD:
        return command
    return command[: next(islice(_hard_places(command), MAX_HARD, None), len(command))]


def _hard_places(command: str) -> Iterator[int]:
    """Positions that make the parser work hard.

    Data in a here-document does not, except NUL and what looks like another here-document.
    """
    position = 0
    end: str | None = None
    for line in command.split("\n"):
        pattern = _HARD if end is None else _HARD_IN_DATA
        for found in pattern.finditer(line):
            yield position + found.start()
        if end is None:
            opened = _HEREDOC.search(line)
            end = None if opened is None else opened[1]
        elif line.strip() == end:
            end = None
        position += len(line) + 1


_COMPARES = regex(rb"=[=~](?<!\S..)(?=[\s;&|]|$)")
"""`==` as a word of its own, or `=~`."""


def _lost_words(root: Node, source: bytes) -> Iterator[tuple[int, int]]:
    """Words that the grammar took for an operator of `[[ … ]]`.

    It does so in `echo == $f ==`, and loses everything that follows in the loop.
    """
    tests = b"[[" in source or b"((" in source
    stack = [root]
    while stack:
        node = stack.pop()
        for child in node.children:
            if child.type in ("==", "=~"):
                if node.type == "command" or (node.type == "ERROR" and not tests):
                    yield child.start_byte, child.end_byte
            elif child.child_count and _COMPARES.search(source, child.start_byte, child.end_byte):
                stack.append(child)


def _with_words_quoted(source: bytes, words: Sequence[tuple[int, int]]) -> bytes:
    pieces: list[bytes] = []
    position = 0
    for start, end in sorted(set(words)):
        pieces += [source[position:start], b"'", source[start:end], b"'"]
        position = end
    return b"".join([*pieces, source[position:]])


def _lost_breaks(root: Node, source: bytes) -> Iterator[int]:
    """Line ends that the grammar took for blanks between the arguments of one command.

    It does so in `head -5\ncat b 2>/dev/null | grep x`, where a pipe follows a redirection.
    """
    stack = [root]
    while stack:
        node = stack.pop()
        children = node.children
        if node.type == "command":
            for before, after in pairwise(children):
                if after.start_byte - before.end_byte > 0:
                    gap = source[before.end_byte : after.start_byte]
                    if b"\n" in gap.replace(b"\\\n", b""):
                        yield before.end_byte
        for child in children:
            # Not `end_point.row`: tree-sitter 0.26 returns that number without owning it, and a
            # command of more than 256 lines crashed the interpreter.
            spans_lines = source.find(b"\n", child.start_byte, child.end_byte) >= 0
            if spans_lines and child.child_count:
                stack.append(child)


def _with_breaks(source: bytes, breaks: Iterable[int]) -> bytes:
    pieces: list[bytes] = []
    position = 0
    for at in sorted(set(breaks)):
        pieces += [source[position:at], b";"]
        position = at
    return b"".join([*pieces, source[position:]])
