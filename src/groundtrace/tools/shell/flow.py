"""How the commands of one statement hang together: pipes, `&&`, `||`, redirections behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from groundtrace.tools.shell.found import Names, Search
from groundtrace.tools.shell.listing import Listing
from groundtrace.tools.shell.parts import Content, Part, Write

if TYPE_CHECKING:
    from tree_sitter import Node

Parts = list[Part]


class Stage(msgspec.Struct):
    """One command of a pipe, with its redirections."""

    node: Node | None
    marks: list[Node] = msgspec.field(default_factory=list)


_JOINTS = {"|": "|", "|&": "|", "&&": "&&", "||": "||"}
_FLOWS = {"pipeline", "list", "redirected_statement"}


def flat(node: Node) -> list[Stage | str]:
    """Stages and what joins them, in the order of the source.

    The grammar nests `a | b && c < f` in ways that bash does not, such as `(a | (b && c)) < f`.
    The order of the words is right in all of them, and it is all that the shell goes by.
    """
    items: list[Stage | str] = []
    body = node.child_by_field_name("body") if node.type == "redirected_statement" else None
    for child in node.children:
        kind = child.type
        if kind in _JOINTS:
            items.append(_JOINTS[kind])
        elif kind.endswith("_redirect"):
            last = next((item for item in reversed(items) if isinstance(item, Stage)), None)
            if last is None:
                last = Stage(None)
                items.append(last)
            last.marks.append(child)
        elif kind in _FLOWS:
            items.extend(flat(child))
        elif (child.is_named and kind != "comment") or child == body:
            items.append(Stage(child))
    return items


def joined(parts: Parts, operator: str, following: Parts) -> Parts:
    """`a && b` or `a || b`: whether b ran depends on what a printed, where that tells."""
    if not parts:
        return following
    last = parts[-1]
    telling = last if isinstance(last, Search | Names | Listing | Content) else None
    for part in following:
        if operator == "||":
            part.fallback = True
            part.unless = part.unless or (telling if len(parts) == 1 else None)
        else:
            part.maybe = True
            if telling is not None and not isinstance(last, Content):
                part.guard = part.guard or telling
    if operator == "||":
        # What is written only after a failure is not known to have been written.
        following = [part for part in following if not isinstance(part, Write)]
    return parts + following


def perhaps(parts: Parts) -> Parts:
    """Parts of a branch or of a loop that may not have run."""
    for part in parts:
        part.maybe = True
    return parts
