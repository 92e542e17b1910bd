"""The syntax tree of a command, and the source text behind its nodes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_COMMAND = 200_000
"""Longer commands hold data, not control flow; what follows is left out."""


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
    return Tree(root, source, root.has_error)
