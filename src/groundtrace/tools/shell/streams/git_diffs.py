"""Patches as git prints them: contents of the files that their headings name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from groundtrace.model import AccessKind, FileRef
from groundtrace.tools.shell.streams.file_names import is_file_name, join
from groundtrace.tools.shell.streams.name_forms import name_in_diffstat
from groundtrace.tools.shell.streams.part import Part
from groundtrace.tools.shell.streams.repository_top import from_top
from groundtrace.tools.shell.weights import BESIDE_PATCH, PATCH_LINE

_DIFF_GIT = re.compile(r'diff --git "?[aciow]/(.+?)"? "?[bciow]/(?P<name>.+?)"?$')
_DIFF_BARE = re.compile(r'diff --git "?(?P<name>.{1,4096}?)"? "?(?P=name)"?$')
"""With `--no-prefix` both sides are the name alone."""
_DIFF_SIDE = re.compile(r'\+\+\+ "?b/(?P<name>[^\t]+?)"?$')
"""What is left of a heading when `grep '^[+-]'` follows."""
_DIFF_LINE = re.compile(
    r"(?:[-+ @\\]|diff --git|index |new file|deleted file|similarity|rename |$)"
)


class Diff(Part, kw_only=True):
    """A patch as git prints it: contents of the files it names."""

    cwd: str | None
    """Where git ran."""
    summary: bool = False
    """Names stand in a summary (`--stat`) before or instead of the patch."""
    top: bool = True
    """Names count from the top of the repository, which may lie above the directory."""

    @property
    def strict(self) -> bool:
        return True

    def score(self, line: str) -> float:
        return PATCH_LINE if _DIFF_LINE.match(line) else BESIDE_PATCH

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        named: dict[tuple[str, AccessKind], None] = {}
        for line in lines:
            patched = _DIFF_BARE.match(line) or _DIFF_GIT.match(line) or _DIFF_SIDE.match(line)
            name = patched["name"] if patched else name_in_diffstat(line) if self.summary else None
            if name is not None and is_file_name(name):
                named[name, "read" if patched else "surfaced"] = None
        cwd = from_top(self.cwd, (name for name, _ in named)) if self.top else self.cwd
        return [FileRef(join(cwd, name), kind, rule=self.rule) for name, kind in named]
