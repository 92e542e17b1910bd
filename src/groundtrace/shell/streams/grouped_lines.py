"""Searches that print a file's name once, above its lines: rg and ag on a terminal, `--heading`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from groundtrace.answers.cuts import pieces, whole
from groundtrace.base.patterns import regex
from groundtrace.model import FileRef
from groundtrace.shell.streams.file_names import is_file_name, join
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.found_lines import NUMBERED, Search, omitted
from groundtrace.shell.streams.operands import under
from groundtrace.shell.streams.part import Opaque, Part
from groundtrace.shell.weights import GROUP_GAP, GROUP_LINE, UNTESTED

_PLAIN = regex(r"[\w@./+-]+\.\w+")


class Grouped(Search, kw_only=True, frozen=True):
    """Found lines in groups, each below the name of its file, with an empty line between groups."""

    asked: bool | None = None
    """Headings were asked for; None if the program prints them only on a terminal."""

    def score(self, line: str) -> float:
        plain = Search.score(self, line)
        if plain > 0 or self.asked is False:
            return plain
        if not line:
            return GROUP_GAP
        number = NUMBERED.match(line)
        if number is not None and not self._unlike(line, number.end()):
            return GROUP_LINE
        if self._is_heading(line):
            return GROUP_LINE
        return UNTESTED if self.asked and self.numbered is not True else plain

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        groups = {} if self.asked is False else self._groups(lines)
        if not groups:
            return (
                () if self.asked and self.sole is None else Search.refs(self, lines, sure, trimmed)
            )
        out = []
        for name, numbers in groups.items():
            low, high = (min(numbers), max(numbers)) if numbers else (None, None)
            path = join(self.cwd, self.stripped + name)
            if not numbers and self.numbered and any(map(omitted, lines)):
                out.append(FileRef(path, "surfaced", self.repo, rule=self.rule))
                continue
            out.append(FileRef(path, "matched", self.repo, low, high, rule=self.rule))
        return out

    def around_cuts(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        """After a cut, the lines before the next heading belong to a file that is not named."""
        if self.asked is False or not self._groups(whole(lines)):
            return Search.around_cuts(self, lines, sure, trimmed)
        kept: list[str] = []
        for index, piece in enumerate(map(whole, pieces(lines))):
            first = 0
            if index:
                first = next((i for i, line in enumerate(piece) if not line), len(piece))
            kept += [*piece[first:], ""]
        return self.refs(kept, sure, trimmed)

    def _groups(self, lines: Sequence[str]) -> dict[str, list[int]]:
        """Line numbers by heading; a heading whose lines were cut off shows nothing."""
        groups: dict[str, list[int]] = {}
        name: str | None = None
        fresh = True
        plain = self.numbered is False or not any(map(NUMBERED.match, lines))
        for line, following in zip(lines, [*lines[1:], ""], strict=False):
            if not line:
                fresh = True
                continue
            number = NUMBERED.match(line)
            if number is not None and self.numbered is not False:
                if name is not None and not omitted(line):
                    groups[name].append(int(number[1]))
            elif self._heads(line, following, fresh, plain):
                name = line
                groups.setdefault(name, [])
            elif fresh:
                name = None  # lines of an unknown file
            fresh = False
        return groups

    def _is_heading(self, line: str) -> bool:
        if line[:1].isspace() or not is_file_name(line):
            return False
        plain = bool(self.roots) or (" " not in line and ("/" in line or "." in line))
        return plain and under(self.stripped + line, self.roots)

    def _heads(self, line: str, following: str, fresh: bool, plain: bool) -> bool:
        """Whether a name is the first line of a group.

        Without line numbers, found text can look like a name.
        """
        if plain:
            named = self._is_heading(line) and _PLAIN.fullmatch(line) is not None
            return bool(self.asked and fresh and following and named)
        if NUMBERED.match(following) is None:
            return False
        # Above numbered lines and below an empty line there can only be a name: `Makefile`.
        return self._is_heading(line) or (fresh and under(self.stripped + line, self.roots))

    # --- what filters leave of it ---------------------------------------------------------------

    def piped(self) -> Part:
        """What is left on a pipe, where headings are printed only if they were asked for.

        Without its heading a line may come from any file.
        """
        return Opaque(rule=self.rule) if self.asked else replace(self, asked=False)

    def filter(self, how: Filter) -> Part:
        return self.piped() if self.asked else Search.filter(replace(self, asked=False), how)

    def reorder(self, dropping: bool) -> Part:
        return self.piped() if self.asked else Search.reorder(replace(self, asked=False), dropping)
