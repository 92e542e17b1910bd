"""Searches that print a file's name once, above its lines: rg and ag on a terminal, `--heading`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from groundtrace.answers.cuts import is_cut, pieces, whole
from groundtrace.answers.found import BARE
from groundtrace.answers.headed import found_below
from groundtrace.answers.line import Shown
from groundtrace.base.patterns import regex
from groundtrace.model import FileRef
from groundtrace.shell.streams.file_names import is_file_name
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.found_lines import Search
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
        number = BARE.match(line)
        if number is not None and not self._unlike(line, number.end()):
            return GROUP_LINE
        if self._is_heading(line):
            return GROUP_LINE
        return UNTESTED if self.asked and self.numbered is not True else plain

    def _shown(self, lines: Sequence[str]) -> Iterable[Shown]:
        shown = [] if self.asked is False else list(self._groups(lines))
        if shown or (self.asked and self.sole is None):
            return shown
        return Search._shown(self, lines)

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef] | None:
        if is_cut(lines) and self.asked is not False and list(self._groups(whole(lines))):
            # After a cut, the lines before the next heading belong to a file that is not named.
            kept: list[str] = []
            for index, piece in enumerate(map(whole, pieces(lines))):
                first = 0
                if index:
                    first = next((i for i, line in enumerate(piece) if not line), len(piece))
                kept += [*piece[first:], ""]
            lines = kept
        return Search.read(self, lines, sure, trimmed)

    def _groups(self, lines: Sequence[str]) -> Iterable[Shown]:
        numbered = self.numbered is not False and any(map(BARE.match, lines))
        if not numbered and not self.asked:
            return ()
        place = self._place if numbered else self._place_heading
        return found_below(lines, place, numbered=numbered, repo=self.repo)

    def _place_heading(self, line: str) -> str | None:
        """Without line numbers, found text can look like a name."""
        return self._place(line) if self._is_heading(line) and _PLAIN.fullmatch(line) else None

    def _is_heading(self, line: str) -> bool:
        if line[:1].isspace() or not is_file_name(line):
            return False
        plain = bool(self.roots) or (" " not in line and ("/" in line or "." in line))
        return plain and under(self.stripped + line, self.roots)

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
