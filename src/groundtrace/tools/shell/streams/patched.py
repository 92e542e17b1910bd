"""What `patch` and `git apply` say of the files that they changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from groundtrace.model import FileRef
from groundtrace.tools.shell.streams.file_names import is_file_name, join
from groundtrace.tools.shell.streams.part import Part
from groundtrace.tools.shell.weights import BESIDE_PATCHED, TELLING

_PATCHED = re.compile(
    r"(?:patching file|checking file|Checking patch|Applied patch) '?(.+?)'?(?:\.\.\.| cleanly\.?)?$"
)


class Patched(Part, kw_only=True):
    """What patch and git apply say of the files they changed."""

    cwd: str | None

    @property
    def strict(self) -> bool:
        return True

    def score(self, line: str) -> float:
        return TELLING if _PATCHED.match(line) else BESIDE_PATCHED

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        names = [found[1] for found in map(_PATCHED.match, lines) if found]
        for name in dict.fromkeys(names):
            if is_file_name(name):
                yield FileRef(join(self.cwd, name), "written", rule=self.rule)
