"""Reads whose answer says in tags what was opened.

opencode since 2026 begins every read with `<path>…</path>` and `<type>file</type>`; lines follow as
`12: text`. A read of a directory lists its entries. Roo Code puts each of several files into
`<file>`, with its path and `<content lines="1-40">`.
"""

from __future__ import annotations

from groundtrace.answers.file_names import usable
from groundtrace.answers.fold import fold, gaps, surfaced
from groundtrace.answers.line import Shown, text_size
from groundtrace.answers.numbered import COLON, numbered
from groundtrace.answers.places import absolute
from groundtrace.base.patterns import regex
from groundtrace.model import FileRef
from groundtrace.tools.findings import NOTHING, Findings

_HEAD = regex(
    r"\s*<path>(?P<path>[^\n<]{1,4096})</path>\n<type>(?P<type>file|directory)</type>\n<(?:content|entries)>\n?"
)
_COUNT = regex(r"\((?:\d+ entries|Showing \d+ of \d+ entries).*\)$")

_FILE = regex(
    r"<file>\s*+<path>(?P<path>[^\n<]{1,4096})</path>\s*+(?:<(?:notice|metadata)[^\n]{0,400}>\s*+)?"
    r"<content(?: lines=\"(?P<first>\d{1,9})-(?P<last>\d{1,9})\")?>"
)
_FILE_BEGINS = ("<file>", "<files>")


def _tagged_files(text: str, cwd: str | None) -> Findings:
    """Files of an answer with a tag around each; one with an error in it shows nothing."""
    marks = list(_FILE.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    shown = []
    for mark, end in zip(marks, ends, strict=False):
        body = text[mark.end() : end].partition("</content>")[0]
        first, last = (None if mark[key] is None else int(mark[key]) for key in ("first", "last"))
        shown.append(Shown(absolute(mark["path"], cwd), "read", first, last, text_size(body)))
    refs = fold(shown, "read: files in tags")
    return Findings(refs=refs, failed=not refs)


def tagged_read(text: str, cwd: str | None) -> Findings | None:
    """What such an answer shows; None for every other answer."""
    if text.lstrip().startswith(_FILE_BEGINS) and "<path>" in text[:5000]:
        return _tagged_files(text, cwd)
    head = _HEAD.match(text[:5000]) if "<type>" in text[:5000] else None
    if head is None:
        return None
    path = absolute(head["path"], cwd)
    body = text[head.end() :]
    if head["type"] == "directory":
        entries = body.partition("\n</entries>")[0].split("\n")
        names = (f"{path}/{n}" for n in entries if n and n[-1] != "/" and not _COUNT.match(n))
        refs = surfaced(names, "read: files listed in a directory")
        return Findings(refs=refs, category="file_search", failed=not refs)
    shown = numbered(body.split("\n"), COLON)
    if shown is None or not usable(path):
        return NOTHING
    ref = FileRef(
        path,
        "read",
        line_start=shown.first,
        line_end=shown.end,
        ranges=gaps(shown.runs),
        rule="read: numbered lines of the output",
        shown_chars=shown.chars,
        printed=body,
    )
    return Findings(refs=(ref,))
