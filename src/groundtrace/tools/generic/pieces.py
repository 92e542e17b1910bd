"""Pieces of files that an answer holds, and how much of an answer is looked at."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

import msgspec

from groundtrace.answers.file_names import looks_like_folder, usable
from groundtrace.answers.fold import FilesWithLines
from groundtrace.base.cut_json import CutText
from groundtrace.base.patterns import regex
from groundtrace.model import FileRef

MAX_FILES = 10_000
"""How many files of one answer are read; no answer that a model reads has more."""
MAX_CHARACTERS = 4_000_000
"""How many characters of one answer are read."""
MAX_VALUES = 200_000
"""How many values of one JSON answer are read."""
MAX_DEPTH = 40
"""How many levels of a JSON answer are read."""
LONGEST_LINE = 4096
"""How many characters of a line are searched for a path."""

Lines = tuple[int, int]
"""First and last line."""


class Piece(msgspec.Struct, frozen=True):
    """One file in an answer, with what was shown of it."""

    path: str
    """As the answer spells it."""
    repo: str | None = None
    """Repository that the answer names beside it."""
    lines: Lines | None = None
    """First and last line, if known."""
    shown: bool = False
    """Content was shown."""
    opened: bool = False
    """The call asked for this content itself, so it is not a match: a hunk of a diff."""
    from_diff: bool = False
    """The path comes from a diff."""


_DRIVE = regex(r"[A-Za-z]:[\\/]")
_BAD = frozenset('*?"<>|{}\n\r\t\0')
_ANCHOR = regex(r"(?:#L?|:L?)(\d{1,9})(?:[-:]L?(\d{1,9}))?\Z")


def is_drive(path: str) -> bool:
    """Whether a path begins with a drive letter (`C:\\`)."""
    return _DRIVE.match(path) is not None


def path_of(value: Any) -> str:
    """The path in a value: a text, or a decoded `file:` URI; empty if it is neither.

    A string that the harness cut is not a complete name.
    """
    if not isinstance(value, str) or isinstance(value, CutText) or len(value) > LONGEST_LINE:
        return ""
    path = value.strip()
    if path.startswith("file://"):
        path = unquote(path.removeprefix("file://").removeprefix("localhost"))
        path = path[1:] if is_drive(path[1:]) else path
    return path


def split_anchor(path: str) -> tuple[str, Lines | None]:
    """A path without `#L30-L31` or `:14-16` at its end, and these lines."""
    match = _ANCHOR.search(path[-32:])
    if match is None:
        return path, None
    start = int(match[1])
    end = int(match[2] or start)
    head = path[: len(path) - len(match[0])]
    return head, (start, end) if 1 <= start <= end else None


def may_be_file(path: str) -> bool:
    """Whether a text can be the path of a file at all: not a URL, glob, folder or sentence."""
    inside = path[2:] if is_drive(path) else path
    return usable(path) and ":" not in inside and not _BAD.intersection(inside)


def is_file(path: str, *, sure: bool = False) -> bool:
    """Whether a text is the path of a file.

    `sure`: the answer says that it is a file. Otherwise the name decides (D5).
    """
    name = path.replace("\\", "/")
    if not may_be_file(path) or not any(c.isalnum() for c in posixpath.basename(name)):
        return False
    return sure or not looks_like_folder(name)


def lines_of(start: int | None, end: int | None) -> Lines | None:
    """A range of lines; None if the numbers are not a range."""
    if start is None or start < 1:
        return None
    return (start, end) if end is not None and end >= start else (start, start)


def bounded(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces of the first `MAX_FILES` files."""
    known: set[tuple[str | None, str]] = set()
    for piece in pieces:
        key = (piece.repo, piece.path)
        if key not in known:
            if len(known) >= MAX_FILES:
                continue
            known.add(key)
        yield piece


def refs_of(pieces: Iterable[Piece], rule: str, *, read: bool) -> tuple[FileRef, ...]:
    """One reference per file: `read` if the call asked for the content itself, else `matched`."""
    matched = FilesWithLines("matched", rule, bare_kind="surfaced")
    opened = FilesWithLines("read", rule, bare_kind="surfaced")
    for piece in pieces:
        spans = opened if read or piece.opened else matched
        start, end = piece.lines or (None, None)
        spans.add(
            piece.path,
            start,
            end,
            repo=piece.repo,
            shown=piece.shown,
            from_diff=piece.from_diff,
        )
    refs = (*opened.refs(), *matched.refs())
    # A file that is in the answer with and without lines is one file; its bare name adds nothing.
    shown = {(ref.repo, ref.path) for ref in refs if ref.kind != "surfaced"}
    return tuple(ref for ref in refs if ref.kind != "surfaced" or (ref.repo, ref.path) not in shown)
