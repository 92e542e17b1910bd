"""Contents in tags that say which file it is.

    <path>/w/a.py</path>        <file><path>a.py</path>        <file path="a.py" start="3">
    <type>file</type>           <content lines="1-40">         text
    <content>                   text                           </file>
    12: text                    </content></file>

The first form is that of opencode since 2026, which lists the entries of a directory in the same
way; the second is that of Roo Code, for several files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from groundtrace.answers.file_names import is_file
from groundtrace.answers.fold import Run
from groundtrace.answers.found import PathOf
from groundtrace.answers.line import Shown, in_runs, sections, text_size
from groundtrace.answers.numbered import COLON, contents, numbered
from groundtrace.answers.ranges import lines_in
from groundtrace.answers.words import plain
from groundtrace.base.patterns import regex
from groundtrace.model import AccessKind

_HEAD = regex(
    r"\s*<path>(?P<path>[^\n<]{1,4096})</path>\n<type>(?P<type>file|directory)</type>\n<(?:content|entries)>\n?"
)
_COUNT = regex(r"\((?:\d+ entries|Showing \d+ of \d+ entries).*\)$")
_FILE = regex(
    r"<file>\s*+<path>(?P<path>[^\n<]{1,4096})</path>\s*+(?:<(?:notice|metadata)[^\n]{0,400}>\s*+)?"
    r"<content(?: lines=\"(?P<first>\d{1,9})-(?P<last>\d{1,9})\")?>"
)
_FILE_BEGINS = ("<file>", "<files>")
_START = 5000
"""Within so many characters such an answer says what it is."""


class Tagged(msgspec.Struct, frozen=True):
    """What an answer in tags shows; nothing if it tells of an error."""

    shown: list[Shown]
    is_folder: bool = False
    """The entries of a directory are listed."""


def in_tags(text: str, place: PathOf) -> Tagged | None:
    """What an answer in tags shows, if it is one of an opened file or directory; else None."""
    start = text[:_START]
    if text.lstrip().startswith(_FILE_BEGINS) and "<path>" in start:
        return Tagged(list(_files(text, place)))
    head = _HEAD.match(start) if "<type>" in start else None
    if head is None:
        return None
    path, body = place(head["path"]) or "", text[head.end() :]
    if head["type"] == "directory":
        entries = body.partition("\n</entries>")[0].split("\n")
        names = [name for name in entries if name and name[-1] != "/" and not _COUNT.match(name)]
        return Tagged([Shown(f"{path}/{name}", "surfaced") for name in names], is_folder=True)
    shown = numbered(body.split("\n"), COLON)
    runs = () if shown is None else in_runs(path, "read", shown.runs, shown.chars)
    return Tagged(list(runs))


def _files(text: str, place: PathOf) -> Iterator[Shown]:
    """Files with a tag around each; one with an error in it shows nothing."""
    for mark, body in sections(_FILE, text):
        body = body.partition("</content>")[0]
        first, last = (None if mark[key] is None else int(mark[key]) for key in ("first", "last"))
        stated = None if first is None or last is None else (first, last)
        yield from _content(place(mark["path"]) or "", body, "read", stated, None)


# --- tags with the path in an attribute, or in a tag before the content ----------------------------

_TAG = regex(
    r"^[ \t]*<(?P<tag>file|document|chunk|snippet|code|result|item|entry|block|context|source)[ \t](?P<with>[^<>\n]{1,1000})>",
    re.MULTILINE,
)
_ATTRIBUTE = regex(r"""([\w-]{1,40})=["']([^"'\n]{0,1000})["']""")
_PATH_ATTRIBUTES = ("path", "filepath", "file", "filename", "name", "src")
_LINE_TAG = regex(
    r"[ \t]*<(?P<tag>match|line|hit)[ \t](?P<with>[^<>\n]{1,1000})>(?P<text>.*)</\w+>[ \t]*"
)
"""`<match line="12">text</match>`: a line of the file around it."""
_LINE_BEGINS = ("<match ", "<line ", "<hit ")
_SOURCE_TAG = regex(
    r"^[ \t]*<(?:source|path|file_path|filename)>(?P<path>[^<>\n]{1,1000})</", re.MULTILINE
)


def attributed(text: str, repo: str | None, *, question: bool) -> Iterator[Shown]:
    """`<file path="…">content</file>`; a tag without content is only a name.

    `question`: the call asked something, so what it shows is a match.
    """
    for match, body in sections(_TAG, text):
        fields = {plain(name): value for name, value in _ATTRIBUTE.findall(match["with"])}
        path = next((fields[name] for name in _PATH_ATTRIBUTES if name in fields), "")
        if not is_file(path):
            continue
        content = body.partition(f"</{match['tag']}>")[0]
        if not content.strip() or match["with"].rstrip().endswith("/"):
            yield Shown(path, "surfaced", repo=repo)
            continue
        begins = content.lstrip().startswith(_LINE_BEGINS)
        rows = content.split("\n") if begins else ()
        lines = [_LINE_TAG.fullmatch(row) for row in rows if row.strip()]
        if begins and all(lines):
            yield from _in_line_tags(path, filter(None, lines), repo)
            continue
        stated = lines_in(fields)
        # Nobody searched for this whole file, so it was opened: a packed repository.
        kind: AccessKind = "read" if stated is None and not question else "matched"
        yield from _content(path, content, kind, stated, repo)
    for match, body in sections(_SOURCE_TAG, text):
        path = match["path"].strip()
        if is_file(path):
            yield from _content(path, body, "matched", None, repo)


def _in_line_tags(path: str, lines: Iterable[re.Match[str]], repo: str | None) -> Iterator[Shown]:
    for line in lines:
        fields = {plain(name): value for name, value in _ATTRIBUTE.findall(line["with"])}
        fields.setdefault("line", fields.pop("number", ""))
        first, _ = lines_in(fields) or (None, None)
        yield Shown(path, "matched", first, None, text_size(line["text"]), repo)


def _content(
    path: str, text: str, kind: AccessKind, stated: Run | None, repo: str | None
) -> Iterator[Shown]:
    """Content in a tag: its lines by their numbers, else as the tag states them."""
    found = contents(text.split("\n"))
    if found is not None:
        yield from in_runs(path, kind, found.runs, found.chars, repo)
    else:
        first, last = stated or (None, None)
        yield Shown(path, kind, first, last, text_size(text.lstrip("\n")), repo)
