"""Loops over words that only the output can tell, such as `for f in *.py` and `while read f`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from groundtrace.model import FileRef
from groundtrace.tools.shell.align import divide
from groundtrace.tools.shell.found import Names, Search
from groundtrace.tools.shell.listing import Listing
from groundtrace.tools.shell.names import is_file_name, join, looks_like_folder
from groundtrace.tools.shell.parts import Content, Opaque, Part, Text, shown_files
from groundtrace.tools.shell.words import HOLES

MAX_ROUNDS = 400
_BARE_WORD = "(?P<word>.+?)$"


@dataclass(slots=True, kw_only=True)
class Loop(Part):
    """A loop whose rounds are found in the output by the separators that it prints."""

    hole: str
    template: tuple[Part, ...]
    """The body's parts, with a hole for the word of the round."""
    bind: Callable[[str], list[Part]]
    """The body's parts for a known word."""
    source: tuple[Part, ...]
    names: bool
    """The words are names of existing files (a pattern)."""
    cwd: str | None

    @property
    def repeats_lines(self) -> bool:
        """Every round prints the line that it was given, and nothing else."""
        only = self.template[0] if len(self.template) == 1 else None
        return isinstance(only, Text) and only.lines == (self.hole,) and not only.unended

    def score(self, line: str) -> float:
        scores = [
            part.score(line) for part in self.template if part.prints and not isinstance(part, Text)
        ]
        header = self._header()
        if header is not None and header.match(line):
            return 3.0
        return max(scores) * 0.9 if scores else -2.0

    def _header(self) -> re.Pattern[str] | None:
        """The separator that holds the word of the round."""
        for part in self.template:
            if not isinstance(part, Text):
                continue
            for line in part.lines:
                if self.hole in line:
                    pieces = [
                        "(?P<word>.+?)"
                        if piece == self.hole and not line[:i].count(self.hole)
                        else ".*?"
                        if HOLES.match(piece)
                        else re.escape(piece)
                        for i, piece in _pieces(line)
                    ]
                    return re.compile("".join(pieces) + ("" if part.unended else "$"))
        return None

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        listed = self.names or any(
            isinstance(part, Names | Listing)
            or (isinstance(part, Search) and part.named is not False)
            for part in self.source
        )
        yield from self._source_refs()
        header = self._header()
        if header is None:
            for segment in divide(self.template, lines):
                if segment.lines:
                    yield from segment.part.refs(segment.lines, False, trimmed)
            return
        bare = header.pattern == _BARE_WORD
        starts: list[tuple[int, str]] = []
        for number, line in enumerate(lines):
            found = header.match(line)
            if found is None or (bare and not self._is_word(line)):
                continue
            if is_file_name(found["word"]) and len(starts) < MAX_ROUNDS:
                starts.append((number, found["word"]))
        ends = [number for number, _ in starts[1:]] + [len(lines)]
        # Where no line is a header there is one end and no start.
        for (begin, word), end in zip(starts, ends, strict=False):
            path = self._path(word) if listed and not looks_like_folder(word) else None
            if path is not None:
                yield FileRef(path, "surfaced", rule="loop")
            for segment in divide(self.bind(word), lines[begin:end]):
                if segment.lines or not segment.part.prints:
                    yield from segment.part.refs(
                        segment.lines, segment.sure, trimmed and end == len(lines)
                    )

    def _is_word(self, line: str) -> bool:
        """Whether a line with nothing but a word in it can be what the loop goes over."""
        listed = [part for part in self.source if isinstance(part, Names)]
        if listed:
            fits = any(part.score(line) > 0 for part in listed)
            return fits and (any(part.roots for part in listed) or " " not in line)
        return " " not in line and ("/" in line or "." in line)

    def _path(self, word: str) -> str | None:
        """The file that a word names, where the program that listed it ran."""
        source = self.source[0] if len(self.source) == 1 else None
        if isinstance(source, Listing):
            return source.place(word)
        return join(source.cwd if isinstance(source, Names) else self.cwd, word)

    def _source_refs(self) -> Iterable[FileRef]:
        """A file read line by line, when the loop prints the lines."""
        printed = any(isinstance(part, Text | Opaque) for part in self.template)
        if printed and any(isinstance(part, Content) for part in self.source):
            return shown_files(self.source, "read")
        return ()


def _pieces(line: str) -> Iterable[tuple[int, str]]:
    position = 0
    for piece in re.split("([\ue000-\uf8ff])", line):
        if piece:
            yield position, piece
        position += len(piece)
