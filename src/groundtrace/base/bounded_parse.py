"""Syntax trees of hostile text in bounded work.

Where a text is not valid, tree-sitter may look for the end of something at each character and read
the whole rest: 200 KB of NUL and dashes took minutes, inside one call that no signal ends. So it
gets the text in pieces, and the pieces that it asks for are counted. The count depends on the text
alone, not on the machine. (A `progress_callback` would count too; tree-sitter 0.26 crashes with it.)

At each piece a limit of time counts too: errors may cost time without reading, so the limit of the
trial holds, and callers may set one for a text.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from typing import TYPE_CHECKING

from groundtrace.base.limit import held

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Point

SHORT = 4096
"""Bytes of a text that is parsed without counting: the worst that was found took 0.07 seconds."""
_PIECE = 1024
_MANY = 16
"""How often a piece is read where the parser looks for an end that is not there; in valid text five
times at most."""
MAX_READS = 32_768
"""Pieces that may be read: about 0.3 seconds. In addition, each piece may be read `_MANY` times."""


def bounded_tree(
    parser: Parser, source: bytes, *, seconds: float = math.inf, counted: bool = True
) -> tuple[Node, bytes]:
    """The tree of a text, and the text: cut where following it would take too much work.

    After this much processor time the text ends; who sets a time must name what is missing. Grammars
    that go back at each line, as Python's, read too often to be counted.
    """
    if len(source) <= SHORT:  # nearly every text
        return parser.parse(source).root_node, source
    ends = time.thread_time() + seconds
    while len(source) > SHORT:
        root, cut, is_followed = _counted(parser, source, ends, counted)
        source = source[:cut].decode("utf-8", "ignore").encode() if cut < len(source) else source
        if is_followed:
            return root, source
    return parser.parse(source).root_node, source


def _counted(parser: Parser, source: bytes, ends: float, counted: bool) -> tuple[Node, int, bool]:
    """The tree, how much of the text counts, and whether the tree is that of this much."""
    reads: Counter[int] = Counter()
    pieces: dict[int, bytes] = {}  # tree-sitter 0.26 never frees one: 30 KB of `<<E` lost 40 MB
    most = MAX_READS + _MANY * (len(source) // _PIECE)
    done = furthest = 0
    is_late = is_parsed = False

    with held() as is_over:

        def piece(offset: int, _point: Point) -> bytes:
            nonlocal done, furthest, is_late
            text = pieces.get(offset)
            if text is None:
                text = pieces[offset] = source[offset : offset - offset % _PIECE + _PIECE]
            if is_parsed:  # a node asks for its text, and would ask for ever without it
                return text
            done += 1
            if (
                offset >= furthest or done % 64 == 0
            ):  # asking for the time takes long on some systems
                furthest = max(furthest, offset + _PIECE)
                is_late = is_late or time.thread_time() > ends
            if is_late or is_over() or (counted and done > most):
                return b""  # as if the text ended here: the parser stops soon
            reads[offset // _PIECE] += 1
            return text

        root = parser.parse(piece).root_node
        is_parsed = True
    if is_late:
        return root, min(max(reads, default=0) * _PIECE, len(source) - 1), True
    if not counted or done <= most:
        return root, len(source), True
    hard = min((at for at, times in reads.items() if times > _MANY), default=0)
    return root, max(SHORT, min(hard * _PIECE, len(source) // 2)), False
