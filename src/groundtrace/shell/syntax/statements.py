"""The order of the commands of one statement in the source: pipes, `&&`, `||`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from tree_sitter import Node


class Stage(msgspec.Struct):
    """One command of a pipe, with its redirections."""

    node: Node | None
    """The command in the tree; None if `words` holds it, or if there are only redirections."""
    marks: list[Node] = msgspec.field(default_factory=list)
    """Its redirections."""
    words: list[str] = msgspec.field(default_factory=list)
    """A command of plain words (`syntax.plain`)."""
    quiet: bool = False
    """Plain words followed by `2>/dev/null`."""
    merged: bool = False
    """Plain words followed by `2>&1`."""


_JOINTS = {"|": "|", "|&": "|", "&&": "&&", "||": "||"}
_FLOWS = {"pipeline", "list", "redirected_statement"}


def flat(node: Node) -> list[Stage | str]:
    """Stages and the operators between them, in the order of the source.

    The grammar nests `a | b && c < f` in ways that bash does not, such as `(a | (b && c)) < f`. The
    order of the words is always right, and the shell uses only the order.
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
