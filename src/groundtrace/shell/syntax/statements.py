"""The order of the commands of one statement in the source, and what a loop goes over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from groundtrace.base.patterns import regex

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
    torn = -1
    for child in node.children:
        kind = child.type
        if kind == "ERROR" and items and child.end_byte - child.start_byte == len("<<"):
            torn = child.end_byte  # of `> a <<< "text"` the grammar reads `< "text"`
        elif child.start_byte == torn and kind == "file_redirect":
            continue
        elif kind in _JOINTS:
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


# --- what a loop goes over ------------------------------------------------------------------------

_READ = regex(r"(?:IFS=\S*\s+)?read\b((?:\s+-\w+(?:\s+(?:''|\"\"|\$'[^']*'))?)*)((?:\s+\w+)*)")
_COUNTED = regex(
    r"for\s*\(\(\s*(?P<name>\w+)\s*=\s*(?P<low>[0-9]{1,9})\s*;\s*\w+\s*(?P<sign><=?)\s*(?P<high>[0-9]{1,9})\s*;"
    r"\s*\w+\s*(?:\+\+|\+=\s*(?P<step>[0-9]{1,9}))\s*\)\)"
)


class Counter(msgspec.Struct, frozen=True):
    """The variable of a counting loop and its values."""

    name: str
    values: range


def read_names(condition: str) -> list[str] | None:
    """Variables of `while read a b`; None if the loop reads nothing."""
    read = _READ.match(condition)
    return None if read is None else read[2].split() or ["REPLY"]


def counted(source: str) -> Counter | None:
    """`for ((i=1; i<=9; i++))`; None for loops that count in another way."""
    head = _COUNTED.match(source)
    if head is None:
        return None
    stop = int(head["high"]) + (head["sign"] == "<=")
    return Counter(head["name"], range(int(head["low"]), stop, int(head["step"] or 1) or 1))
