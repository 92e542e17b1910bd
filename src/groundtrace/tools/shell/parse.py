"""The syntax tree of a command, and the source text behind its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_COMMAND = 200_000
"""Longer commands hold data, not control flow; what follows is left out."""

MAX_REPAIRS = 8
"""Times that a tree is mended where the grammar ran lines together."""


class Tree(NamedTuple):
    """A parsed command."""

    root: Node
    source: bytes
    broken: bool
    """Some part of it is not valid bash."""

    def text(self, node: Node) -> str:
        """Source of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")


@cache
def _parser() -> Parser:
    from tree_sitter import Language, Parser
    from tree_sitter_bash import language

    return Parser(Language(language()))


def parse(command: str) -> Tree:
    """The tree of `command`; a broken command still has a tree of its readable parts."""
    source = command[:MAX_COMMAND].encode("utf-8", "replace")
    root = _parser().parse(source).root_node
    if b"\n" in source:
        for _ in range(MAX_REPAIRS):
            breaks = list(_lost_breaks(root, source))
            if not breaks:
                break
            source = _with_breaks(source, breaks)
            root = _parser().parse(source).root_node
    return Tree(root, source, root.has_error)


def _lost_breaks(root: Node, source: bytes) -> Iterator[int]:
    """Ends of lines that the grammar took for blanks between the arguments of one command.

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
            # Not `end_point.row`: tree-sitter 0.26 gives that number away without owning it, and
            # a command of more than 256 lines brought the interpreter down.
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
