"""Which functions a patch changes, at the commit before it (D216).

A removed line belongs to the innermost function that holds it, an insertion to the innermost function
that holds both lines around it. Class bodies, module level and functions that the patch creates give
none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from groundtrace.base.jsonio import clean_text
from groundtrace.functions.repositories import BaseTree
from groundtrace.functions.spans import Nested, Span
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
        elif (placed := _placed(of_file, tree.text(file).split(b"\n"))) is None:
            reason = reason or "patch_does_not_fit"
        else:
            nested = Nested(file.spans)
            for hunk in placed:
                found.update((PlacedFunction(path, span), None) for span in _changed(hunk, nested))
    return ChangedFunctions(() if reason else tuple(found), reason)


def _changed(hunk: PatchHunk, nested: Nested) -> list[Span]:
    lines = [
        *((line, line) for first, last in hunk.removed for line in range(first, last + 1)),
        *((following - 1, following) for following in hunk.inserted),
    ]
    held = [nested.innermost(first, last) for first, last in sorted(lines)]
    return [span for span in held if span is not None]


def _placed(hunks: Sequence[PatchHunk], lines: Sequence[bytes]) -> list[PatchHunk] | None:
    """The hunks where git would apply them; None if it would not.

    Patches of data sets were made from other commits now and then: `git apply` takes a hunk to the
    nearest place that has its old lines, so the program that judges the patch does.
    """
    if all(_fits(hunk, lines) for hunk in hunks):
        return list(hunks)
    texts = [_plain(line) for line in lines]
    found: list[PatchHunk] = []
    taken: list[range] = []
    for hunk in hunks:
        old = [line.rstrip() for line in hunk.old]
        for at in _places(hunk, texts):
            here = range(at, at + len(old))
            if all(map(_same, old, texts[at - 1 : here.stop - 1])) and all(
                here.stop <= one.start or one.stop <= here.start for one in taken
            ):
                break
        else:
            return None
        taken.append(here)
        found.append(_moved(hunk, at - hunk.first))
    return found


def _fits(hunk: PatchHunk, lines: Sequence[bytes]) -> bool:
    """Whether the file has the old lines of a hunk where the patch says."""
    here = lines[hunk.first - 1 : hunk.first - 1 + len(hunk.old)] if hunk.first else []
    return len(here) == len(hunk.old) and all(
        _same(old.rstrip(), _plain(line)) for old, line in zip(hunk.old, here, strict=True)
    )


def _places(hunk: PatchHunk, texts: Sequence[str]) -> Iterator[int]:
    """Lines at which a hunk may begin: the stated one, then others, near ones first.

    A hunk without a line behind its change belongs to the end of the file, one that begins with the
    first line to its beginning, as git has it.
    """
    last = len(texts) - len(hunk.old) + 1
    if 1 <= hunk.first <= last:
        yield hunk.first
    changed = [*(one for run in hunk.removed for one in run), *(n - 1 for n in hunk.inserted)]
    if hunk.first <= 1:
        return
    if max(changed, default=0) >= hunk.first + len(hunk.old) - 1:
        yield last - (texts[-1:] == [""])
        return
    for distance in range(1, max(hunk.first, last)):
        for at in (hunk.first + distance, hunk.first - distance):
            if 1 <= at <= last:
                yield at


def _moved(hunk: PatchHunk, by: int) -> PatchHunk:
    if not by:
        return hunk
    return replace(
        hunk,
        removed=tuple((first + by, last + by) for first, last in hunk.removed),
        inserted=tuple(following + by for following in hunk.inserted),
        first=hunk.first + by,
    )


def _plain(line: bytes) -> str:
    return clean_text(line.decode("utf-8", errors="replace")).rstrip()


def _same(stated: str, text: str) -> bool:
    """Programs that store patches drop blanks at ends of lines and replace what is not UTF-8."""
    return stated == text or "\ufffd" in stated or "\ufffd" in text
