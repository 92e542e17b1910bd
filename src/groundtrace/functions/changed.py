"""Which functions a patch changes, at the commit before it (D216).

A removed line belongs to the innermost function that holds it, an insertion to the innermost function
that holds both lines around it. Class bodies, module level and functions that the patch creates give
none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from groundtrace.base.jsonio import clean_text
from groundtrace.functions.repositories import BaseTree
from groundtrace.functions.spans import Span, innermost
from groundtrace.model import PatchHunk

WHY_UNKNOWN = {"missing": "file_absent", "no_grammar": "no_grammar"}
"""State of a file to the reason why its functions are not known."""


class PlacedFunction(NamedTuple):
    """A function and its file."""

    file: str
    """From the top of the repository."""
    span: Span


class ChangedFunctions(NamedTuple):
    """The functions that a patch changes, or why they are not known."""

    functions: tuple[PlacedFunction, ...] = ()
    reason: str | None = None


def functions_changed(tree: BaseTree, hunks: Iterable[PatchHunk]) -> ChangedFunctions:
    """The functions that the hunks of a patch change, in the order of the patch."""
    by_file: dict[str, list[PatchHunk]] = {}
    for hunk in hunks:
        by_file.setdefault(hunk.path, []).append(hunk)
    found: dict[PlacedFunction, None] = {}
    reason: str | None = None
    for path, of_file in by_file.items():
        file = tree.file(path)
        if file.state == "none":
            continue
        if file.state != "known":
            reason = reason or WHY_UNKNOWN.get(file.state, "patch_does_not_fit")
        elif not _fits(of_file, tree.text(file)):
            reason = reason or "patch_does_not_fit"
        else:
            for hunk in of_file:
                found.update(
                    (PlacedFunction(path, span), None) for span in _changed(hunk, file.spans)
                )
    return ChangedFunctions(() if reason else tuple(found), reason)


def _changed(hunk: PatchHunk, spans: Sequence[Span]) -> list[Span]:
    lines = [
        *((line, line) for first, last in hunk.removed for line in range(first, last + 1)),
        *((following - 1, following) for following in hunk.inserted),
    ]
    held = [innermost(spans, first, last) for first, last in sorted(lines)]
    return [span for span in held if span is not None]


def _fits(hunks: Iterable[PatchHunk], lines: Sequence[bytes]) -> bool:
    """Whether the file has the old lines of the hunks where the patch says."""
    for hunk in hunks:
        here = lines[hunk.first - 1 : hunk.first - 1 + len(hunk.old)]
        if len(here) != len(hunk.old):
            return False
        if not all(map(_same, hunk.old, here)):
            return False
    return True


def _same(stated: str, line: bytes) -> bool:
    """Programs that store patches drop blanks at ends of lines and replace what is not UTF-8."""
    text = clean_text(line.decode("utf-8", errors="replace"))
    return stated.rstrip() == text.rstrip() or "\ufffd" in stated or "\ufffd" in text
