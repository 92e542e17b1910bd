"""Parts of commands that change files and say so: patch, git apply, rm -v, unzip etc.

`answers.changed` reads what they print.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from groundtrace.answers.changed import (
    announced,
    answers_patch,
    has_failed_hunks,
    is_about_patch,
    patched,
    refuses_patch,
)
from groundtrace.answers.cuts import whole
from groundtrace.model import AccessKind, FileRef
from groundtrace.shell.streams.file_names import from_top, is_file_name, join
from groundtrace.shell.streams.part import Part
from groundtrace.shell.weights import BESIDE_PATCHED, TELLING


class Patched(Part, kw_only=True, frozen=True):
    """What patch and git apply say about the files that they changed."""

    cwd: str | None
    targets: tuple[str, ...] = ()
    """Files that the patch names, if its text is known."""
    checks: bool = False
    """Nothing is written: the program only says whether it could write."""
    rejects: bool = False
    """`git apply --reject` stores what it cannot apply beside the file."""

    is_strict: ClassVar[bool] = True

    @property
    def wanted(self) -> bool:
        return self.checks or not self.targets

    def score(self, line: str) -> float:
        return TELLING if is_about_patch(line) else BESIDE_PATCHED

    def unseen(self) -> Iterable[FileRef]:
        """What was written if the program said nothing."""
        return () if self.checks else self._written(self.targets)

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef] | None:
        lines = whole(lines)
        changed = patched(lines, checks=self.checks, stores_rejects=self.rejects)
        names = dict.fromkeys(changed)
        if names:
            return self._written(names)
        return None if has_failed_hunks(lines) else self.unseen()

    def _written(self, names: Iterable[str]) -> list[FileRef]:
        kind: AccessKind = "surfaced" if self.checks else "written"
        return [
            FileRef(join(self.cwd, name), kind, rule=self.rule)
            for name in names
            if is_file_name(name)
        ]


class Applied(Part, kw_only=True, frozen=True):
    """The answer of `apply_patch`: either all files of the patch are changed, or none."""

    paths: tuple[str, ...]

    is_strict: ClassVar[bool] = True

    def score(self, line: str) -> float:
        return TELLING if answers_patch(line) else BESIDE_PATCHED

    def unseen(self) -> Iterable[FileRef]:
        return [FileRef(path, "written", rule=self.rule) for path in self.paths]

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef] | None:
        return None if any(map(refuses_patch, whole(lines))) else self.unseen()


class Announced(Part, kw_only=True, frozen=True):
    """Lines in which a program names files that it changes, or would change."""

    cwd: str | None
    start: str | None = None
    form: str
    kind: AccessKind = "written"
    top: bool = False
    """Names are relative to the top of the repository."""

    is_strict: ClassVar[bool] = True

    @property
    def wanted(self) -> bool:
        return False

    def score(self, line: str) -> float:
        return TELLING if announced(self.form, line) is not None else BESIDE_PATCHED

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        names = [name for line in whole(lines) if (name := announced(self.form, line))]
        cwd = from_top(self.cwd, names, self.start) if self.top else self.cwd
        for name in dict.fromkeys(names):
            if is_file_name(name):
                yield FileRef(join(cwd, name), self.kind, rule=self.rule)
