"""Loops over words that only the output shows, such as `for f in *.py` and `while read f`.

The walk follows the body once with a hole for the word. If the body prints the word in a separator
(`== $f ==`), each such line of the output begins a round and shows its word. The walk then follows
the body for all of these words before anything is divided, and the lines of a round are divided
among the parts of its word. Without a separator the rounds cannot be told apart, and the lines are
divided among the parts of one body, used for all rounds.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

import msgspec

from groundtrace.answers.cuts import Cut
from groundtrace.answers.file_names import looks_like_folder
from groundtrace.model import FileRef
from groundtrace.shell.align.divide import divide
from groundtrace.shell.align.fit import are_mixed
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.file_names import is_file_name, join
from groundtrace.shell.streams.found_lines import Search
from groundtrace.shell.streams.line_algebra import shown_files
from groundtrace.shell.streams.listings import Listing
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Opaque, Part
from groundtrace.shell.streams.text import Text
from groundtrace.shell.syntax.holes import HOLES, Holed, has_hole
from groundtrace.shell.weights import LOOP_BODY, LOOP_HEADING, LOOP_WITHOUT_HEADING, NO_LOOP_LINE

MAX_ROUNDS = 400


class Heading(msgspec.Struct, frozen=True):
    """The line that marks a round."""

    holed: Holed
    hole: int
    """Which of the holes in the line is the word of the round."""
    bare: bool
    """The line is the word and nothing else."""
    unended: bool
    """The next output of the round continues the same line."""
    above: int | None
    """Lines of the round above this line; None if that is not known."""
    last: bool
    """The round ends with this line."""

    def word(self, line: str) -> str | None:
        """The word in a line; None if the line is not a heading."""
        values = self.holed.match(line, self.unended)
        if values is None or not values[self.hole]:
            return None
        return values[self.hole]


class Loop(Part, kw_only=True, frozen=True):
    """A loop whose rounds are found in the output by the separators that it prints."""

    template: tuple[Part, ...]
    """The body's parts, with a hole for the word of the round."""
    source: tuple[Part, ...]
    globs: tuple[str, ...]
    """The patterns whose matches are the words, so the words are names of existing files."""
    cwd: str | None
    heading: Heading | None
    """The separator that holds the word of the round, unless it is printed only after a failure."""
    repeats_lines: bool = False
    """Every round prints the line that it read, and nothing else."""
    chooses: bool = False
    """A condition in the body may leave out lines that were read."""
    rounds: Mapping[str, tuple[Part, ...]] = {}
    """The body's parts, by the words that the output shows."""

    leads: ClassVar[bool] = False

    @property
    def wanted(self) -> bool:
        """Whether the loop is there to print; a body that only may print something is not."""
        return any(
            part.prints and part.wanted and not (isinstance(part, Text) and part.maybe)
            for part in self.template
        )

    @property
    def speaks(self) -> bool:
        return any(part.speaks for part in self.template)

    def score(self, line: str) -> float:
        scores = [
            part.score(line) for part in self.template if part.prints and not isinstance(part, Text)
        ]
        heading = self.heading
        if heading is not None and self._heads(line, heading):
            return LOOP_HEADING
        return max(scores) * LOOP_BODY if scores else NO_LOOP_LINE

    def begin(self, before: str, line: str) -> float:
        """If rounds begin with their heading, the loop begins with a heading."""
        heading = self.heading
        if heading is None or heading.above != 0 or self._heads(line, heading):
            return 0.0
        return LOOP_WITHOUT_HEADING

    def _heads(self, line: str, heading: Heading) -> bool:
        """Whether a line is a heading of this loop and not of another one.

        An example: `for f in a/*` beside `for f in b/*`.
        """
        word = heading.word(line)
        return word is not None and self._is_word(word, heading)

    def words_in(self, lines: Sequence[str]) -> list[str]:
        """The words that lines of the output show, in order."""
        heading = self.heading
        if heading is None:
            return []
        words: dict[str, None] = {}
        for line in lines:
            word = heading.word(line)
            if word is None or word in words or not self._is_word(word, heading):
                continue
            if is_file_name(word):
                words[word] = None
                if len(words) >= MAX_ROUNDS:
                    break
        return list(words)

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        listed = bool(self.globs) or any(
            isinstance(part, Names | Listing)
            or (isinstance(part, Search) and part.named is not False)
            for part in self.source
        )
        heading = self.heading
        yield from self._source_refs(lines, heading, sure, trimmed)
        if heading is None:
            for segment in divide(self.template, lines):
                if segment.lines:
                    yield from segment.read(False, trimmed) or ()
            return
        known = heading.above is not None or heading.last
        for begin, end, word in self._rounds(lines, heading):
            path = self._path(word) if listed and not looks_like_folder(word) else None
            if path is not None:
                yield FileRef(path, "surfaced", rule="loop")
            # Lines after a cut and before the next heading belong to a round whose name is not
            # shown.
            shown = lines[begin:end]
            at = next((i for i, line in enumerate(shown) if isinstance(line, Cut)), None)
            shown = shown if at is None else shown[:at]
            segments = divide(self.rounds.get(word, ()), shown)
            mixed = are_mixed(segments)
            for segment in segments:
                if segment.lines or not segment.part.prints:
                    sure = segment.sure and known
                    yield from segment.read(sure, trimmed and end == len(lines), mixed) or ()

    def _rounds(self, lines: Sequence[str], heading: Heading) -> list[tuple[int, int, str]]:
        """Where each round begins and ends, and its word."""
        marks: list[tuple[int, str]] = []
        for number, line in enumerate(lines):
            word = heading.word(line)
            if word is None or not self._is_word(word, heading):
                continue
            if is_file_name(word) and len(marks) < MAX_ROUNDS:
                marks.append((number, word))
        if heading.above is None and heading.last:
            begins = [0, *(number + 1 for number, _ in marks)]
            return [(begin, at + 1, word) for begin, (at, word) in zip(begins, marks, strict=False)]
        above = heading.above or 0
        begins = [max(0, number - above) for number, _ in marks] + [len(lines)]
        return [
            (begin, end, word)
            for begin, end, (_, word) in zip(begins, begins[1:], marks, strict=False)
        ]

    def _is_word(self, word: str, heading: Heading) -> bool:
        """Whether the loop can have this word: `## Close` in a file is not `## $f` for `*.md`."""
        if self.globs and not any(_fits(word, glob) for glob in self.globs):
            return False
        listed = [part for part in self.source if isinstance(part, Names)]
        if listed and not any(part.score(word) > 0 for part in listed):
            return False
        if not heading.bare:
            return True
        if listed:
            return any(part.roots for part in listed) or " " not in word
        return " " not in word and ("/" in word or "." in word)

    def _path(self, word: str) -> str | None:
        """The file that a word names, in the directory of the program that listed it."""
        source = self.source[0] if len(self.source) == 1 else None
        if isinstance(source, Listing):
            return source.place(word)
        return join(source.cwd if isinstance(source, Names) else self.cwd, word)

    def _source_refs(
        self, lines: Sequence[str], heading: Heading | None, sure: bool, trimmed: bool
    ) -> Iterable[FileRef]:
        """A file read line by line, if the loop prints the lines."""
        printed = [part for part in self.template if part.prints]
        only = printed[0] if len(printed) == 1 else None
        source = self.source[0] if len(self.source) == 1 else None
        one = isinstance(only, Text) and not only.maybe and len(only.lines) == 1
        opens = heading is not None and heading.above == 0
        if isinstance(source, Content) and one and opens and not self.chooses:
            # Each round prints one line that holds the line it read: as many were read as printed.
            return source.read(lines, sure, trimmed) or ()
        reprints = any(isinstance(part, Text | Opaque) for part in printed)
        if reprints and any(isinstance(part, Content) for part in self.source):
            return shown_files(self.source)
        return ()


def heading_of(template: Sequence[Part], hole: str) -> Heading | None:
    """The separator that holds the word of the round, unless it is printed only after a failure."""
    before: int | None = 0
    printing = [part for part in template if part.prints]
    for part in printing:
        if not isinstance(part, Text) or part.fallback:
            before = None
            continue
        for row, line in enumerate(part.lines):
            if hole in line:
                last = part is printing[-1] and row == len(part.lines) - 1
                above = None if before is None else before + row
                at = HOLES.findall(line).index(hole)
                bare = line == hole and not part.unended
                return Heading(Holed(line), at, bare, part.unended, above, last)
        if before is not None and not part.maybe:
            before += len(part.lines) - part.unended
    return None


def _fits(word: str, glob: str) -> bool:
    """Whether a name can match a pattern; `**/` also matches no folder at all."""
    if has_hole(glob):
        return True
    return fnmatch.fnmatchcase(word, glob.replace("**/", "*"))
