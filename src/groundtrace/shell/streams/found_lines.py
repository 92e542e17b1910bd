"""Lines that a search found. The output says in which files: `name:12:text`.

A search of one file need not name it (`grep -n x a.py` prints `12:text`), and a search of a stream
names nothing at all (`cat a.py | grep -n x`). Then the command says which file it is. If neither
the command nor the line names a file, there is no file.

`answers.found` and `answers.headed` split the lines. Here is what the program's arguments say:
which names are possible, whether lines have names and numbers, and how well a line fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Protocol

from msgspec.structs import replace

from groundtrace.answers.cuts import is_cut, pieces, whole
from groundtrace.answers.file_names import named_like_file
from groundtrace.answers.fold import fold
from groundtrace.answers.found import (
    AROUND,
    BARE,
    BREAK,
    CONTEXT,
    MATCH,
    Found,
    bare_number,
    binary_file,
    found,
    found_in,
    no_number,
    numbers_rise,
    split,
)
from groundtrace.answers.headed import found_below, text_below
from groundtrace.answers.line import Shown
from groundtrace.answers.numbered import COLON as LINE
from groundtrace.answers.objects import objects_in
from groundtrace.answers.payload import parse
from groundtrace.answers.sourcegraph_text import HEADER, text_blocks
from groundtrace.base.patterns import regex
from groundtrace.model import FileRef
from groundtrace.shell.streams.file_names import is_file_name, join, path_of
from groundtrace.shell.streams.filters import Filter, Pattern
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.numbered_lines import NumberedLines
from groundtrace.shell.streams.part import Count, Opaque, Part
from groundtrace.shell.streams.word import Word, under
from groundtrace.shell.weights import (
    BESIDE_REMOTE,
    CONTEXT_BREAK,
    CONTEXT_GOES_ON,
    CONTEXT_LINE,
    FOUND_NUMBERS_FALL,
    GROUP_GAP,
    GROUP_LINE,
    HEADING,
    IMPOSSIBLE,
    MATCHING,
    MAX_TESTED_LINE,
    NAMED_BESIDE_BARE,
    NUMBERED_LINE,
    STRAY_BREAK,
    TELLING,
    UNTESTED,
)


class Lines(Protocol):
    """Lines of a file that are searched (`streams.content.Content`)."""

    @property
    def path(self) -> str | None:
        """The file."""

    @property
    def repo(self) -> str | None:
        """Its repository."""

    @property
    def numbers(self) -> str:
        """How its lines are numbered."""

    def score(self, line: str) -> float:
        """How well a line fits."""

    def number_in(self, line: str) -> int | None:
        """The line's number, if its lines are numbered."""

    def line(self, number: int) -> int | None:
        """The line of the file that is line `number` of the stream."""


class Search(Part, kw_only=True, frozen=True):
    """Lines found by a search; the output says in which files."""

    cwd: str | None
    roots: tuple[Word, ...] = ()
    """What was searched, as given; empty means the current directory."""
    sole: str | None = None
    """The path of the only file searched, if the program need not print its name."""
    named: bool | None = None
    """File names are printed; None if that depends on the number of files."""
    numbered: bool | None = False
    context: bool = False
    """Lines around the found ones are printed too."""
    base: Lines | None = None
    """The stream searched, if it was standard input."""
    pattern: Pattern | None = None
    inverted: bool = False
    ordered: bool = True
    repo: str | None = None
    stripped: str = ""
    """What a filter removed at the start of every name."""
    revision: str = ""
    """The revision that was searched: it comes before every name."""

    tells_success: ClassVar[bool] = True
    tells_failure: ClassVar[bool] = True

    @property
    def strict(self) -> bool:
        if self.named or self.numbered or (self.base is not None and self.base.numbers):
            return True
        # Nearly every line lacks the pattern of `grep -v`.
        return not self.inverted and self.pattern is not None and self.pattern.compiled is not None

    def behind(self) -> tuple[FileRef, ...]:
        """The file searched, if it is known without the output."""
        path = self.sole or (self.base.path if self.base else None)
        return () if path is None else (FileRef(path, "matched", self._repo(), rule=self.rule),)

    def _repo(self) -> str | None:
        return self.base.repo if self.base is not None else self.repo

    def score(self, line: str) -> float:
        if line.endswith("matches") and binary_file(line):
            return TELLING
        if line == BREAK:
            return CONTEXT_BREAK if self.context else STRAY_BREAK
        place = self._split(line) if self.named is not False else None
        if place is not None:
            return UNTESTED if self._lacks(line, place) else TELLING
        if self.named is None and self.context and self.roots:
            # `grep -rn -C1 x src`: nothing says whether src is a file, and names its lines.
            around = AROUND.match(line)
            if around is not None and under(self.stripped + around["name"], self.roots):
                return CONTEXT_LINE
        if self.named:
            return CONTEXT_LINE if self.context and CONTEXT.search(line, 1) else IMPOSSIBLE
        if self.numbered:
            number = BARE.match(line)
            if number is None or self._unlike(line, number.end()):
                return IMPOSSIBLE
            return TELLING
        if self.base is not None and self.base.numbers:
            fits = self.base.score(line)
            if not fits > 0 or self.pattern is None:
                return fits if fits > 0 else IMPOSSIBLE
        pattern = None if self.pattern is None else self.pattern.compiled
        if pattern is None or len(line) > MAX_TESTED_LINE:
            return UNTESTED
        if (pattern.search(line) is not None) != self.inverted:
            return MATCHING
        return UNTESTED if self.context else IMPOSSIBLE

    def _lacks(self, line: str, place: Found) -> bool:
        """Whether the text behind `name:12:` lacks the pattern: another search found the line."""
        pattern = None if self.pattern is None else self.pattern.compiled
        if pattern is None or len(line) > MAX_TESTED_LINE:
            return False
        text = line[line.find(place.name) + len(place.name) + 1 :]
        if place.number is not None:
            text = text.partition(":")[2]
        return (pattern.search(text) is None) != self.inverted

    def _unlike(self, line: str, start: int) -> bool:
        """Whether the search cannot have found the text from `start`: its pattern is not in it.

        If `grep -n foo a.py; grep -n bar b.py` prints `7:bar`, the line is from b.py. Lines of
        context have a dash after their number.
        """
        pattern = None if self.pattern is None else self.pattern.compiled
        if pattern is None or line[start - 1] == "-" or len(line) > MAX_TESTED_LINE:
            return False
        return (pattern.search(line[start:]) is None) != self.inverted

    def pair(self, before: str, line: str) -> float:
        if self.context and self.named is not False:
            return self._around(before, line)
        if self.named is None and not self.context:
            # One search names all of its lines or none; two searches may be next to each other.
            alike = (self._split(before) is None) == (self._split(line) is None)
            return 0.0 if alike else NAMED_BESIDE_BARE
        if not (self.numbered and self.named is False and self.ordered):
            return 0.0
        first, second = bare_number(before), bare_number(line)
        falls = first is not None and second is not None and second <= first
        return FOUND_NUMBERS_FALL if falls else 0.0

    def _around(self, before: str, line: str) -> float:
        """More for context beside a line of the same file: `a.py-9-…` above `a.py:10:…`.

        Without it the context at the ends of the output went to the programs beside the search.
        """
        first, second = AROUND.match(before), AROUND.match(line)
        if first is None or second is None or first["sign"] == second["sign"] == ":":
            return 0.0
        same = first["name"] == second["name"] and int(second["at"]) == int(first["at"]) + 1
        return CONTEXT_GOES_ON if same else 0.0

    def _split(self, line: str) -> Found | None:
        """File name and line number of a found line (`name:12:text` or `name:text`)."""
        if self.revision:
            line = line.removeprefix(f"{self.revision}:")
        parts = split(line, numbered=self.numbered)
        if parts is not None and not under(self.stripped + parts.name, self.roots):
            if self.numbered is not None or parts.number is None:
                return None
            parts = split(line, numbered=False)
            if parts is None or not under(self.stripped + parts.name, self.roots):
                return None
        if parts is None or parts.number is not None or self._is_name(parts.name):
            return parts
        return None

    def _is_name(self, name: str) -> bool:
        """Whether a name can stand alone before the text: `if x: y` names no file."""
        return bool(self.roots) or "/" in name or "." in name

    def _place(self, name: str) -> str | None:
        """The path of a printed name, if it lies below what was searched."""
        name = self.stripped + name
        return path_of(self.cwd, name) if under(name, self.roots) else None

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef] | None:
        if is_cut(lines):
            # A line counts if its name and number are complete, even if its text is not.
            lines = [line for line in lines if type(line) is str or self._begins(line)]
        refs = fold(self._shown(lines), self.rule)
        return refs or (() if any(map(str.strip, lines)) else None)

    def _begins(self, line: str) -> bool:
        """Whether half a line shows its name and number."""
        if not getattr(line, "ends", False):
            return False
        return self._split(line) is not None or BARE.match(line) is not None

    def _shown(self, lines: Sequence[str]) -> Iterable[Shown]:
        """What the lines show: of the files that they name, else of the only file searched."""
        if self.named is not False:
            by_name = list(self._by_name(lines))
            if by_name or self.named:
                return by_name
        path = self.sole or (self.base.path if self.base else None)
        return () if path is None else self._in_file(path, lines)

    def _by_name(self, lines: Sequence[str]) -> Iterable[Shown]:
        numbered = self.numbered
        if numbered is None:  # a search numbers all of its lines or none
            numbered = any(m and self._place(m[1]) for m in map(MATCH.match, lines))
        place = self._place if numbered else self._place_alone
        prefix = f"{self.revision}:" if self.revision else ""
        return found(
            lines, place, numbered=numbered, context=self.context, repo=self.repo, prefix=prefix
        )

    def _place_alone(self, name: str) -> str | None:
        return self._place(name) if self._is_name(name) else None

    def _in_file(self, path: str, lines: Sequence[str]) -> Iterable[Shown]:
        """What the lines show of the only file searched, or of the stream's file."""
        base = self.base
        if base is not None and base.numbers:
            numbers = {line: self._number_below(line, base) for line in lines}
            if base.numbers == "colon" and not any(numbers.values()):
                return ()  # a message of a remote reader
            return found_in(lines, path, base.repo, numbers.get)
        repo = self._repo()
        if not (self.numbered or (self.numbered is None and numbers_rise(lines))):
            return found_in(lines, path, repo, no_number)
        if base is None:
            return found_in(filter(None, lines), path, repo)
        in_base = base.line

        def number(line: str) -> int | None:
            own = bare_number(line)
            return None if own is None else in_base(own)

        return found_in(filter(None, lines), path, repo, number)

    def _number_below(self, line: str, base: Lines) -> int | None:
        """The number that a line had before grep put its own in front."""
        own = BARE.match(line) if self.numbered else None
        return base.number_in(line[own.end() :] if own is not None else line)

    # --- what filters leave of it ---------------------------------------------------------------

    def filter(self, how: Filter) -> Part:
        if how.numbered or how.partial:
            return Opaque(shows=self.behind(), rule=how.rule, maybe=True)
        return self.limited(how.limit)

    def counted(self, rule: str) -> Part:
        return NumberedLines(
            inner=self.reorder(dropping=True), rises=False, rule=self.rule, maybe=self.maybe
        )

    def reorder(self, dropping: bool) -> Part:
        return replace(self, ordered=False)

    def derive(self, rule: str) -> Part:
        return Opaque(shows=self.behind(), rule=rule or self.rule, maybe=self.maybe)

    def names(self, rule: str) -> Part:
        if self.named is False:
            # `grep -n x a.py | cut -d: -f1`: numbers of lines, and nothing of the file (D50).
            return Count(rule=rule or self.rule) if self.numbered else self.derive(rule)
        return Names(
            cwd=self.cwd,
            roots=self.roots,
            only_files=True,
            rule=rule or self.rule,
            repo=self.repo,
            stripped=self.stripped,
        )

    def places(self, rule: str) -> Part:
        return self.names(rule).places(rule) if self.named is not False else self.derive(rule)

    def without_prefix(self, prefix: str) -> Part | None:
        if self.named is False:
            return None
        if prefix == "./":
            return self
        below = any(root.begins(prefix) for root in self.roots)
        return replace(self, stripped=self.stripped + prefix) if below else None


# --- names above the lines ------------------------------------------------------------------------

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
        if numbered:
            # `git grep --heading` prints an empty line only with `--break`.
            return found_below(lines, self._place, repo=self.repo, tight=bool(self.asked))
        return text_below(lines, self._place_heading, repo=self.repo)

    def _place_heading(self, line: str) -> str | None:
        """Without line numbers, found text can look like a name."""
        spelled = _PLAIN.fullmatch(line) or (" " not in line and named_like_file(line))
        return self._place(line) if spelled and self._is_heading(line) else None

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


# --- other searches -------------------------------------------------------------------------------


class RemoteSearch(Part, kw_only=True, frozen=True):
    """Results of a remote search: `# repository – path`, then numbered lines."""

    is_strict: ClassVar[bool] = True

    def score(self, line: str) -> float:
        if HEADER.fullmatch(line) or line.startswith("## Query"):
            return HEADING
        return NUMBERED_LINE if not line or LINE.match(line) else BESIDE_REMOTE

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef] | None:
        lines = whole(lines)
        if not any(map(HEADER.fullmatch, lines)):
            return None
        blocks = text_blocks("\n".join(lines))
        shown = (line for block in blocks if is_file_name(block.path) for line in block.lines(None))
        return fold(shown, self.rule)


class JsonSearch(Part, kw_only=True, frozen=True):
    """What `rg --json` prints: an object on each line."""

    cwd: str | None

    is_strict: ClassVar[bool] = True

    def score(self, line: str) -> float:
        return TELLING if line.startswith('{"type":"') else IMPOSSIBLE

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        objects = [value for line in whole(lines) if (value := parse(line)) is not None]
        shown = objects_in(objects, None).shown
        return fold([replace(line, path=join(self.cwd, line.path)) for line in shown], self.rule)
