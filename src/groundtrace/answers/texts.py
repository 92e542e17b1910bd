"""Which shape a text has: one table of shapes, tried in order, for answers of unknown tools."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from groundtrace.answers import diffs
from groundtrace.answers.file_names import LONGEST_PATH, is_file, name_in_answer, word_path
from groundtrace.answers.found import BREAK, MATCH, found
from groundtrace.answers.headed import found_below, sections
from groundtrace.answers.line import Shown
from groundtrace.answers.listed import LISTINGS
from groundtrace.answers.ranges import lines_of
from groundtrace.answers.tagged import attributed, in_tags
from groundtrace.base.patterns import regex
from groundtrace.paths.windows import is_drive

_COLOUR = regex(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_MESSAGE = regex(
    r"\s*+(?:\d{1,9}:)?\s*+(?:fatal )?(?:error|warning|note|info|hint)\b", re.IGNORECASE
)
_PLACE = regex(r"(?P<path>\S{1,1000}?):(?P<start>\d{1,9})(?:-(?P<end>\d{1,9}))?")
_COUNTED = regex(r"Found (\d{1,9}) match(?:es)?\b")
"""The first line of ast-grep's server: so many places follow, each above the text found there."""
_CTAG = regex(r"[^\t]{1,500}\t(?P<path>[^\t]{1,1000})\t/\^.*\bline:(?P<line>\d{1,9})")
_HUNK = regex(r"^(?:@@ -\d|rename from |new file mode |deleted file mode )", re.MULTILINE)
_OLD_SIDE = regex(r"^(?:--- \S|diff --git )", re.MULTILINE)
_STATISTICS = regex(
    r"\d[\d.]{0,20} (?:match(?:es)?|matched lines?|files? (?:contained match(?:es)?|searched)"
    r"|bytes (?:printed|searched)|seconds(?: spent searching)?)$"
)
"""What `rg --stats` prints below the lines that it found."""


class Text(msgspec.Struct, frozen=True):
    """An answer's text, as a whole and in lines, and what was asked."""

    text: str
    lines: Sequence[str]
    repo: str | None = None
    """The repository that the arguments name."""
    question: bool = False
    """The call asked something, so what it shows is a match."""


def text_of(text: str, repo: str | None = None, *, question: bool = False) -> Text:
    """The text without terminal colours, carriage returns and what LSP says before a place."""
    clean = _COLOUR.sub("", text).replace("\r\n", "\n").removeprefix("Defined in ")
    return Text(clean, clean.split("\n"), repo, question)


def diff(body: Text) -> Iterator[Shown]:
    """A unified diff: hunks show the lines of the new side."""
    if not (_HUNK.search(body.text) and _OLD_SIDE.search(body.text)):
        return
    lines = list(diffs.in_text(body.text, body.repo))
    shown = {line.path[2:] for line in lines if line.kind == "read"}
    opened = {line.path for line in lines if line.kind == "read"}
    for line in lines:
        # The same file under the other prefix, `a/` or `b/`, is no second file.
        if line.kind == "read" or line.path in opened or line.path[2:] not in shown:
            yield line


def tags(body: Text) -> Iterator[Shown]:
    """Contents in tags that say which file it is."""
    opened = in_tags(body.text, lambda name: name if is_file(name) else None)
    if opened is not None:
        for line in opened.shown:
            yield replace(line, repo=body.repo)
        return
    yield from attributed(body.text, body.repo, question=body.question)


def matches(body: Text) -> Iterator[Shown]:
    """`path:12:text` lines, with or without lines of context (`path-11-text`).

    Half of the lines must be such lines, and what compilers say about a line is no match.
    """
    filled = _filled(body)
    kept = body.lines
    if not body.question:
        kept = [line for line in kept if not _is_message(line)]
    lines = list(found(kept, searched, repo=body.repo))
    if any(map(MATCH.match, kept)) and 2 * len(lines) >= len(filled):
        yield from lines


def unnumbered(body: Text) -> Iterator[Shown]:
    """`path:text` lines, if the call searched and all lines but a note are such lines."""
    if body.question:
        filled = _filled(body)
        lines = list(found(body.lines, searched, numbered=False, repo=body.repo))
        if len(lines) >= max(1, len(filled) - 1):
            yield from lines


def below_names(body: Text) -> Iterator[Shown]:
    """Found lines below the name of their file, with or without a mark on the name."""
    filled = _filled(body)
    lines = list(found_below(body.lines, searched, repo=body.repo))
    if lines and 2 * len(lines) >= len(filled):
        yield from lines


def _filled(body: Text) -> list[str]:
    """The lines that say something: no breaks, no statistics."""
    filled = [line for line in body.lines if line.strip() and line.strip() != BREAK]
    while filled and _STATISTICS.match(filled[-1]):
        filled.pop()
    return filled


def _is_message(line: str) -> bool:
    match = MATCH.match(line, 0, LONGEST_PATH)
    return match is not None and _MESSAGE.match(line, match.end()) is not None


def searched(name: str) -> str | None:
    """A name on a line of an unknown search: it must be spelled like a file."""
    if not name_in_answer(name):
        return None
    return name if is_drive(name) else posixpath.normpath(name)


def places(body: Text) -> Iterator[Shown]:
    """`path:10-48` lines: places that the answer points to, and counts if it has text below them."""
    filled = [line.strip()[:LONGEST_PATH] for line in body.lines if line.strip()]
    marks = [match for line in filled if (match := _PLACE.fullmatch(line))]
    counted = _COUNTED.match(body.text)
    if counted is None or int(counted[1]) != len(marks):
        marks = [match for match in marks if match["end"]]
        if 2 * len(marks) < len(filled):
            return
    for match in marks:
        span = lines_of(int(match["start"]), int(match["end"] or match["start"]))
        if word_path(match["path"]):
            first, last = span or (None, None)
            yield Shown(word_path(match["path"]), "matched", first, last, repo=body.repo)


_RANKED = regex(
    r"[ ]{0,3}(?:\d{1,3}[.)]|\[\d{1,3}\]|[-*•])[ ]+[`*]{0,3}(?P<path>[^\s`*]{1,1000}?)[`*]{0,3}"
    r"(?::|#L?|[ ]\(?lines? )(?P<start>\d{1,9})(?:[-–]L?(?P<end>\d{1,9}))?(?![\w:])\)?[`*]{0,3}(?:\W.{0,300})?"
)
"""`1. src/a.py:20-24 (score: 0.91)`"""


def ranked(body: Text) -> Iterator[Shown]:
    """A numbered list of places, each with its text below it, as semantic searches answer.

    All of the text must stand below places, but for a line or two above the first.
    """
    filled = [line for line in body.lines if line.strip()]
    marks = [
        (n, m) for n, line in enumerate(filled) if (m := _RANKED.fullmatch(line[:LONGEST_PATH]))
    ]
    if not marks or marks[0][0] > 2 or not all(word_path(m["path"]) for _, m in marks):
        return
    ends = [*(n for n, _ in marks[1:]), len(filled)]
    for (n, match), end in zip(marks, ends, strict=True):
        text = [line for line in filled[n + 1 : end] if not line.lstrip().startswith("```")]
        span = lines_of(int(match["start"]), int(match["end"] or match["start"]))
        if span is None or not text:
            yield Shown(word_path(match["path"]), "surfaced", repo=body.repo)
            continue
        chars = sum(len(line) + 1 for line in text)
        yield Shown(word_path(match["path"]), "matched", *span, chars, body.repo)


def ctags(body: Text) -> Iterator[Shown]:
    """Lines of a tags file: each holds the line that declares the symbol."""
    for line in body.lines:
        match = _CTAG.match(line[:LONGEST_PATH])
        if match is not None and is_file(match["path"]):
            number = int(match["line"])
            yield Shown(match["path"], "matched", number, None, len(line) + 1, body.repo)


def headed(body: Text) -> Iterator[Shown]:
    """Sections: a heading that names a file, with fenced code or numbered lines below."""
    yield from sections(body.lines, body.repo)


def listing(body: Text) -> Iterator[Shown]:
    """Only names."""
    for shape in LISTINGS:
        names = list(shape(body.lines))
        if names:
            for name in names:
                yield Shown(name, "surfaced", repo=body.repo)
            return


class Shape(msgspec.Struct, frozen=True):
    """A form in which answers hold files."""

    name: str
    read: Callable[[Text], Iterator[Shown]]


SHAPES = (
    Shape("diff", diff),
    Shape("file tags", tags),
    Shape("lines below names", below_names),
    Shape("headings over content", headed),
    Shape("lines with path and number", matches),
    Shape("numbered places", ranked),
    Shape("places", places),
    Shape("tags", ctags),
    Shape("names", listing),
    Shape("lines with path", unnumbered),
)
"""Tried in this order; the first shape that finds a file is used."""
