"""Reads whose answer says in tags what was opened.

opencode since 2026 begins every read with `<path>…</path>` and `<type>file</type>`; lines follow as
`12: text`. A read of a directory lists its entries.
"""

from __future__ import annotations

from groundtrace.answers.file_names import usable
from groundtrace.answers.fold import outer_lines, surfaced
from groundtrace.answers.places import absolute
from groundtrace.base.patterns import regex
from groundtrace.model import FileRef
from groundtrace.tools.findings import NOTHING, Findings

_HEAD = regex(
    r"\s*<path>(?P<path>[^\n<]{1,4096})</path>\n<type>(?P<type>file|directory)</type>\n<(?:content|entries)>\n?"
)
_LINE = regex(r"(\d{1,9}): ?(.*)")
_COUNT = regex(r"\((?:\d+ entries|Showing \d+ of \d+ entries).*\)$")


def tagged_read(text: str, cwd: str | None) -> Findings | None:
    """What such an answer shows; None for every other answer."""
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
    outer = outer_lines(body, _LINE)
    if outer is None or not usable(path):
        return NOTHING
    (start, _), (end, _) = outer
    ref = FileRef(
        path,
        "read",
        line_start=start,
        line_end=end,
        rule="read: numbered lines of the output",
        shown_chars=len(body),
        printed=body,
    )
    return Findings(refs=(ref,))
