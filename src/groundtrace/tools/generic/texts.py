"""Files in an answer that is text: one table of shapes, tried in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from groundtrace.answers.fold import FilesWithLines
from groundtrace.base.patterns import regex
from groundtrace.tools import diffs, grep
from groundtrace.tools.generic.arguments import AskedFiles, lines_in, range_of
from groundtrace.tools.generic.listings import LISTINGS, word_path
from groundtrace.tools.generic.pieces import LONGEST_LINE, Piece, is_drive, is_file, lines_of
from groundtrace.tools.generic.sections import sections
from groundtrace.tools.generic.words import plain

_COLOUR = regex(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_TAG = regex(
    r"^[ \t]*<(?P<tag>file|document|chunk|snippet|code)[ \t](?P<with>[^<>\n]{1,1000})>",
    re.MULTILINE,
)
_ATTRIBUTE = regex(r"""([\w-]{1,40})=["']([^"'\n]{0,1000})["']""")
_PATH_ATTRIBUTES = ("path", "filepath", "file", "filename", "name", "src")
_SOURCE_TAG = regex(
    r"^[ \t]*<(?:source|path|file_path|filename)>(?P<path>[^<>\n]{1,1000})</", re.MULTILINE
)
_MATCH = regex(r"(?P<path>(?:[A-Za-z]:[\\/])?[^:\t\n]{1,1000}):(?P<line>\d{1,9}):(?P<text>.*)")
_CONTEXT = regex(r"(?P<path>[^\s:]{1,300}?\.[\w.]{1,30})-\d{1,9}-")
_MESSAGE = regex(
    r"\s*+(?:\d{1,9}:)?\s*+(?:fatal )?(?:error|warning|note|info|hint)\b", re.IGNORECASE
)
_PLACE = regex(r"(?P<path>\S{1,1000}):(?P<start>\d{1,9})-(?P<end>\d{1,9})")
_CTAG = regex(r"[^\t]{1,500}\t(?P<path>[^\t]{1,1000})\t/\^.*\bline:(?P<line>\d{1,9})")
_HUNK = regex(r"^@@ -\d", re.MULTILINE)
_OLD_SIDE = regex(r"^(?:--- \S|diff --git )", re.MULTILINE)


class Body(NamedTuple):
    """An answer's text, as a whole and in lines."""

    text: str
    lines: Sequence[str]


def body_of(text: str) -> Body:
    """The text without terminal colours and carriage returns."""
    clean = _COLOUR.sub("", text).replace("\r\n", "\n")
    return Body(clean, clean.split("\n"))


def diff(body: Body, asked: AskedFiles) -> Iterator[Piece]:
    """A unified diff: hunks show the lines of the new side."""
    if not (_HUNK.search(body.text) and _OLD_SIDE.search(body.text)):
        return
    spans = FilesWithLines("read", "diff", bare_kind="surfaced")
    diffs.add_text(body.text, spans, asked.repo)
    shown = {ref.path[2:] for ref in spans.refs() if ref.kind == "read"}
    for ref in spans.refs():
        if ref.kind == "surfaced" and ref.path[2:] in shown:
            continue  # the same file under the other prefix, `a/` or `b/`
        span = lines_of(ref.line_start, ref.line_end)
        yield Piece(ref.path, ref.repo, span, ref.kind == "read", opened=True, from_diff=True)


def tags(body: Body, asked: AskedFiles) -> Iterator[Piece]:
    """`<file path="…">content</file>`; a tag without content is only a name."""
    found = list(_TAG.finditer(body.text))
    ends = [*(match.start() for match in found[1:]), len(body.text)]
    for match, end in zip(found, ends, strict=False):
        fields = {plain(name): value for name, value in _ATTRIBUTE.findall(match["with"])}
        path = next((fields[name] for name in _PATH_ATTRIBUTES if name in fields), "")
        if not is_file(path):
            continue
        content = body.text[match.end() : end].partition(f"</{match['tag']}>")[0]
        shown = bool(content.strip()) and not match["with"].rstrip().endswith("/")
        span = lines_in(fields) if shown else None
        # Nobody searched for this whole file, so it was opened: a packed repository.
        opened = span is None and not asked.question
        yield Piece(path, asked.repo, span, shown, opened=opened)
    for match in _SOURCE_TAG.finditer(body.text):
        if is_file(match["path"].strip()):
            yield Piece(match["path"].strip(), asked.repo, None, shown=True)


def matches(body: Body, asked: AskedFiles) -> Iterator[Piece]:
    """`path:12:text` lines, with or without lines of context (`path-11-text`)."""
    filled = [line[:LONGEST_LINE] for line in body.lines if line.strip() and line.strip() != "--"]
    kept = []
    plausible = 0
    for line in filled:
        match = _MATCH.match(line)
        if match is not None and _matched_path(match["path"]):
            if _MESSAGE.match(match["text"]):
                continue
            plausible += 1
        elif (context := _CONTEXT.match(line)) and word_path(context["path"]):
            plausible += 1
        else:
            continue
        kept.append(line)
    if not plausible or 2 * plausible < len(filled):
        return
    if any(is_drive(line) for line in kept):
        for match in filter(None, map(_MATCH.match, kept)):
            yield Piece(match["path"], asked.repo, lines_of(int(match["line"]), None), shown=True)
        return
    for ref in grep.content("\n".join(kept), None, "").refs():
        yield Piece(ref.path, asked.repo, lines_of(ref.line_start, ref.line_end), shown=True)


def _matched_path(path: str) -> bool:
    return bool(word_path(path)) and "(" not in path


def places(body: Body, asked: AskedFiles) -> Iterator[Piece]:
    """`path:10-48` lines: places that the answer points to."""
    filled = [line.strip()[:LONGEST_LINE] for line in body.lines if line.strip()]
    found = [match for line in filled if (match := _PLACE.fullmatch(line))]
    if found and 2 * len(found) >= len(filled):
        for match in found:
            if word_path(match["path"]):
                span = range_of(f"{match['start']}-{match['end']}")
                yield Piece(word_path(match["path"]), asked.repo, span, shown=True)


def ctags(body: Body, asked: AskedFiles) -> Iterator[Piece]:
    """Lines of a tags file: each holds the line that declares the symbol."""
    for line in body.lines:
        match = _CTAG.match(line[:LONGEST_LINE])
        if match is not None and is_file(match["path"]):
            yield Piece(match["path"], asked.repo, lines_of(int(match["line"]), None), shown=True)


def headed(body: Body, asked: AskedFiles) -> Iterator[Piece]:
    """Sections: a heading that names a file, with fenced code or numbered lines below."""
    yield from sections(body.lines, asked.repo)


def listing(body: Body, asked: AskedFiles) -> Iterator[Piece]:
    """Only names."""
    for shape in LISTINGS:
        found = list(shape(body.lines))
        if found:
            for piece in found:
                yield Piece(piece.path, asked.repo)
            return


class Shape(NamedTuple):
    """A form in which answers hold files."""

    name: str
    read: Callable[[Body, AskedFiles], Iterator[Piece]]


SHAPES = (
    Shape("diff", diff),
    Shape("file tags", tags),
    Shape("headings over content", headed),
    Shape("lines with path and number", matches),
    Shape("places", places),
    Shape("tags", ctags),
    Shape("names", listing),
)
"""Tried in this order; the first shape that finds a file is used."""
