"""What `str_replace_editor` and similar editors print: views of files and folders, what they wrote.

Here's the result of running `cat -n` on /w/a.py:
     1<TAB>text
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from groundtrace.answers.file_names import named_like_file
from groundtrace.answers.numbered import SPACED, Line, numbered_lines
from groundtrace.base.patterns import regex

_SHOWS_FILE = regex(
    r"\s*Here's the result of running `cat -n` on (?:the file: )?(?!a snippet)(?P<path>[^\n]+?):?\n"
)
_SHOWS_FOLDER = regex(
    r"\s*Here(?:'s| are) the files and directories(?=[^\n]*+\n)[^\n]* in (?P<path>/[^\n,:]*+)[^\n]*+\n"
)
_WROTE = regex(
    r"\s*(?:File created successfully at: (?P<created>\S++(?:[^\S\n]++(?![(\n]|\Z)\S++)*+)"
    r"|(?:The file )(?P<edited>/[^\n]*?) has been (?:edited|created|updated|overwritten)"
    r"|Last edit to (?P<undone>/[^\n]*?) undone)"
)
_ABBREVIATED = regex(
    r"\s*<NOTE>This file is too large to display entirely\. Showing abbreviated version\.[^\n]*\n"
)
"""SWE-agent's view of a large Python file: bodies of functions are left out."""
_LEFT_OUT = regex(r"\.\.\. eliding lines \d+-\d+ \.\.\.")
_HEAD = 8192
"""Within so many characters such an answer says what it is."""


class View(msgspec.Struct, frozen=True):
    """A file or folder that the answer names, and the text below its name."""

    path: str
    body: str


def file_view(text: str) -> View | None:
    """The file that a view shows; None for any other answer."""
    head = _SHOWS_FILE.match(text[:_HEAD])
    return None if head is None else View(head["path"], text[head.end() :])


def folder_view(text: str) -> View | None:
    """The folder whose files a view lists; None for any other answer."""
    head = _SHOWS_FOLDER.match(text[:_HEAD])
    return None if head is None else View(head["path"], text[head.end() :])


def abbreviated_view(text: str) -> list[Line] | None:
    """The lines of a view that left out lines and said so; None for any other answer."""
    head = _ABBREVIATED.match(text[:_HEAD])
    if head is None:
        return None
    lines = numbered_lines(text[head.end() :].split("\n"), SPACED)
    return [line for line in lines if not _LEFT_OUT.fullmatch(line.text.strip())]


def written_file(text: str) -> str:
    """The file that was created, changed or put back; empty for any other answer."""
    wrote = _WROTE.match(text[:_HEAD])
    return "" if wrote is None else next((path for path in wrote.groups() if path), "")


def folder_files(body: str, root: str) -> Iterator[str]:
    """Files in a view of a directory. In newer versions folders end in `/`.

    Older versions do not mark folders. There a name is a file if nothing lies below it and it has
    an extension or a name that only files have.
    """
    names: list[str] = []
    for line in body.split("\n"):
        name = line.strip()
        if not name or (name.startswith("(") and name.endswith(")")):
            if names and not name:
                break
            continue
        names.append(name if name.startswith("/") else f"{root}/{name}")
    marked = any(name.endswith("/") for name in names)
    parents = {name.rpartition("/")[0] for name in names}
    for name in names:
        if name.endswith("/") or name.rstrip("/") == root or name in parents:
            continue
        if marked or named_like_file(name):
            yield name
