"""What programs say about the files that they changed: patch, git commit, rm -v, unzip etc."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from groundtrace.answers.cuts import whole
from groundtrace.base.patterns import regex
from groundtrace.model import AccessKind, FileRef
from groundtrace.shell.streams.file_names import from_top, is_file_name, join
from groundtrace.shell.streams.part import Part
from groundtrace.shell.weights import BESIDE_PATCHED, TELLING

_PATCHED = regex(
    r"(?:patching file|checking file|Checking patch|Applied patch|Applying patch) '?(?P<name>.+?)'?"
    r"(?:\.\.\.| cleanly\.?| with \d+ rejects?\.\.\.)?$"
)
_REJECTS = regex(r"saving rejects to file '?(?P<name>.+?)'?$")
_FAILED = regex(r"(?P<failed>\d{1,6}) out of (?P<total>\d{1,6}) hunks? (?:FAILED|ignored)")
_BESIDE = regex(r"Hunk #|Reversed |\d+ out of \d+ hunk|Rejected hunk|Skipping patch")


class Patched(Part, kw_only=True, frozen=True):
    """What patch and git apply say about the files that they changed."""

    cwd: str | None
    targets: tuple[str, ...] = ()
    """Files that the patch names, if its text is known."""
    checks: bool = False
    """Nothing is written: the program only says whether it could write."""
    rejects: bool = False
    """`git apply --reject` stores what it cannot apply beside the file."""

    @property
    def strict(self) -> bool:
        return True

    @property
    def wanted(self) -> bool:
        return self.checks or not self.targets

    def score(self, line: str) -> float:
        return TELLING if _PATCHED.match(line) or _BESIDE.match(line) else BESIDE_PATCHED

    def unseen(self) -> Iterable[FileRef]:
        """What was written if the program said nothing."""
        return () if self.checks else self._written(self.targets)

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef] | None:
        lines = whole(lines)
        changed = dict.fromkeys(self._changed(lines))
        if changed:
            return self._written(changed)
        return None if any(map(_FAILED.search, lines)) else self.unseen()

    def _written(self, names: Iterable[str]) -> list[FileRef]:
        kind: AccessKind = "surfaced" if self.checks else "written"
        return [
            FileRef(join(self.cwd, name), kind, rule=self.rule)
            for name in names
            if is_file_name(name)
        ]

    def _changed(self, lines: Sequence[str]) -> Iterable[str]:
        """Files that took at least one hunk, and the files in which rejected hunks were stored."""
        name: str | None = None
        for line in lines:
            patched = _PATCHED.match(line)
            if patched is not None:
                if name is not None:
                    yield name
                name = patched["name"]
                if self.rejects and " with " in line:
                    yield f"{name}.rej"
                continue
            failed = _FAILED.search(line)
            if failed is not None and failed["failed"] == failed["total"]:
                name = None
            rejects = _REJECTS.search(line)
            if rejects is not None and not self.checks:
                yield rejects["name"]
        if name is not None:
            yield name


class Applied(Part, kw_only=True, frozen=True):
    """The answer of `apply_patch`: either all files of the patch are changed, or none."""

    paths: tuple[str, ...]

    @property
    def strict(self) -> bool:
        return True

    def score(self, line: str) -> float:
        return TELLING if _ANSWER.match(line) else BESIDE_PATCHED

    def unseen(self) -> Iterable[FileRef]:
        return [FileRef(path, "written", rule=self.rule) for path in self.paths]

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef] | None:
        return None if any(map(_FAILURE.match, whole(lines))) else self.unseen()


_FAILURE = regex(r"apply_patch verification failed|Invalid |Failed to |patch rejected|Error")
_ANSWER = regex(r"Success\. Updated|Done!|[AMD] \S|apply_patch |Invalid |Failed to ")

_SAID: dict[str, re.Pattern[str]] = {
    "commit": regex(r" (?:create|delete) mode \d{6} (?P<name>.+)$"),
    "clean": regex(r"Removing (?P<name>.+)$"),
    "would clean": regex(r"Would remove (?P<name>.+)$"),
    "removed": regex(r"removed '(?P<name>.+)'$"),
    "git rm": regex(r"rm '(?P<name>.+)'$"),
    "unzip": regex(r" +(?:inflating|extracting): (?P<name>.*[^ ]) *$"),
    "archive": regex(r"Archive: +(?P<name>.+)$"),
    "unpacked": regex(r"(?:x )?(?P<name>[^\s/].*[^/])$"),
}
"""How programs name the files that they change, by what they do."""


class Announced(Part, kw_only=True, frozen=True):
    """Lines in which a program names files that it changes, or would change."""

    cwd: str | None
    start: str | None = None
    form: str
    kind: AccessKind = "written"
    top: bool = False
    """Names are relative to the top of the repository."""

    @property
    def strict(self) -> bool:
        return True

    @property
    def wanted(self) -> bool:
        return False

    def score(self, line: str) -> float:
        return TELLING if _SAID[self.form].match(line) else BESIDE_PATCHED

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        names = [found["name"] for found in map(_SAID[self.form].match, whole(lines)) if found]
        cwd = from_top(self.cwd, names, self.start) if self.top else self.cwd
        for name in dict.fromkeys(names):
            if is_file_name(name):
                yield FileRef(join(cwd, name), self.kind, rule=self.rule)
