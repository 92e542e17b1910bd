"""What names the files that are changed: headings of patches, and what programs say of their work.

*** Update File: src/a.py        patching file src/a.py        removed 'src/a.py'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from groundtrace.base.patterns import regex

# --- the patches of apply_patch ---------------------------------------------------------------

_SECTION = regex(r"\*\*\* (?:(?P<verb>Add|Update|Delete) File|Move to): (?P<name>.+)$")
_REFUSED = regex(r"apply_patch verification failed|Invalid |Failed to |patch rejected|Error")
_ANSWER = regex(r"Success\. Updated|Done!|[AMD] \S|apply_patch |Invalid |Failed to ")


class PatchSection(msgspec.Struct, frozen=True):
    """A heading of a patch and the lines below it."""

    name: str
    verb: str | None
    """`Add`, `Update` or `Delete`; None for the new name of a file that is moved."""
    lines: list[str]


def patch_sections(text: str) -> list[PatchSection]:
    """The files that the text of an `apply_patch` call names, in order."""
    sections: list[PatchSection] = []
    body: list[str] = []
    for line in text.split("\n"):
        heading = _SECTION.match(line) if line[:4] == "*** " else None
        if heading is not None:
            body = []
            sections.append(PatchSection(heading["name"].strip(), heading["verb"], body))
        elif line[:4] == "*** ":
            body = []
        else:
            body.append(line)
    return sections


def answers_patch(line: str) -> bool:
    """Whether a line is one that apply_patch prints."""
    return _ANSWER.match(line) is not None


def refuses_patch(line: str) -> bool:
    """Whether a line says that nothing of the patch was applied."""
    return _REFUSED.match(line) is not None


# --- patch and git apply ------------------------------------------------------------------------

_PATCHED = regex(
    r"(?:patching file|checking file|Checking patch|Applied patch|Applying patch) '?(?P<name>.+?)'?"
    r"(?:\.\.\.| cleanly\.?| with \d+ rejects?\.\.\.)?$"
)
_REJECTS = regex(r"saving rejects to file '?(?P<name>.+?)'?$")
_FAILED = regex(r"(?P<failed>\d{1,6}) out of (?P<total>\d{1,6}) hunks? (?:FAILED|ignored)")
_BESIDE = regex(r"Hunk #|Reversed |\d+ out of \d+ hunk|Rejected hunk|Skipping patch")


def is_about_patch(line: str) -> bool:
    """Whether a line is one that patch or git apply prints."""
    return _PATCHED.match(line) is not None or _BESIDE.match(line) is not None


def has_failed_hunks(lines: Iterable[str]) -> bool:
    """Whether hunks were left out."""
    return any(map(_FAILED.search, lines))


def patched(lines: Iterable[str], *, checks: bool, stores_rejects: bool) -> Iterator[str]:
    """Files that took at least one hunk, and the files in which rejected hunks were stored.

    `checks`: nothing was written, so no file holds rejected hunks. `stores_rejects`: git stores
    them beside the file.
    """
    name: str | None = None
    for line in lines:
        found = _PATCHED.match(line)
        if found is not None:
            if name is not None:
                yield name
            name = found["name"]
            if stores_rejects and " with " in line:
                yield f"{name}.rej"
            continue
        failed = _FAILED.search(line)
        if failed is not None and failed["failed"] == failed["total"]:
            name = None
        rejects = _REJECTS.search(line)
        if rejects is not None and not checks:
            yield rejects["name"]
    if name is not None:
        yield name


# --- programs that name each file that they change ------------------------------------------------

_ANNOUNCED: Mapping[str, re.Pattern[str]] = {
    "clean": regex(r"^Removing (?P<name>.+)$"),
    "would clean": regex(r"^Would remove (?P<name>.+)$"),
    "removed": regex(r"^removed '(?P<name>.+)'$"),
    "git rm": regex(r"^rm '(?P<name>.+)'$"),
    "unzip": regex(r"^ +(?:inflating|extracting): (?P<name>.*[^ ]) *$"),
    "archive": regex(r"^Archive: +(?P<name>.+)$"),
    "unpacked": regex(r"^(?:x )?(?P<name>[^\s/].*[^/])$"),
}
"""How programs name such files, by what they do."""


def announced(form: str, line: str) -> str | None:
    """The file that a line names; None if the line is not of this form."""
    found = _ANNOUNCED[form].match(line)
    return None if found is None else found["name"]
