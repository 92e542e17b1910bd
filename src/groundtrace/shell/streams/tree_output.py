"""What `tree` prints: names under names, by indentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from groundtrace.answers.cuts import pieces, whole
from groundtrace.answers.file_names import looks_like_folder
from groundtrace.base.patterns import regex
from groundtrace.model import FileRef
from groundtrace.shell.streams.file_names import is_file_name, join
from groundtrace.shell.streams.part import Part
from groundtrace.shell.weights import PLAIN, TELLING, UNLIKELY

_BRANCH = regex(r"(?P<bars>(?:[│|][\s\xa0]{2,3}+|[\s\xa0]{4})*+)(?:[├└|`](?:──|--) ?)(?P<name>.+)$")


class TreeListing(Part, kw_only=True, frozen=True):
    """What `tree` prints: names under names, by indentation."""

    cwd: str | None
    full: bool = False
    folders: bool = False

    @property
    def strict(self) -> bool:
        return True

    def score(self, line: str) -> float:
        if _BRANCH.match(line):
            return TELLING
        return PLAIN if not line or re.match(r"\d+ director|[./~\w-]+$", line) else UNLIKELY

    def around_cuts(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        """After a cut the folder of deeper names is not known; that of the top level is."""
        kept: list[str] = []
        for index, piece in enumerate(map(whole, pieces(lines))):
            first = 0
            if index:
                tops = (i for i, line in enumerate(piece) if self._depth(line) == 0)
                first = next(tops, len(piece))
            kept += piece[first:]
        return self.refs(kept, sure, trimmed) if kept else ()

    def _depth(self, line: str) -> int | None:
        branch = _BRANCH.match(line)
        return None if branch is None else len(branch["bars"]) // 4

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        if self.folders:
            return
        root: str | None = None
        stack: list[str] = []
        entries: list[tuple[int, str]] = []
        for line in lines:
            branch = _BRANCH.match(line)
            if branch is None:
                if line and not re.match(r"\d+ director", line):
                    root, stack = line.strip(), []
                continue
            depth = len(branch["bars"]) // 4
            name = re.sub(r"^\[[^\]]*\]\s+", "", branch["name"]).split(" -> ")[0]
            del stack[depth:]
            stack.append(name)
            base = root if root is not None else "."
            entries.append(
                (
                    depth,
                    name
                    if self.full
                    else "/".join([base, *(part.rstrip("/") for part in stack[:-1]), stack[-1]]),
                )
            )
        for index, (depth, path) in enumerate(entries):
            parent = index + 1 < len(entries) and entries[index + 1][0] > depth
            if not parent and is_file_name(path) and not looks_like_folder(path):
                yield FileRef(join(self.cwd, path), "surfaced", rule=self.rule)
