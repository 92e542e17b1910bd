"""Lines that a search found. The output says in which files: `name:12:text`.

A search of one file need not name it (`grep -n x a.py` prints `12:text`), and a search of a stream
names nothing at all (`cat a.py | grep -n x`). Then the command says which file it is. If neither
the command nor the line names a file, there is no file.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from typing import ClassVar, Protocol

from msgspec.structs import replace

from groundtrace.base.patterns import regex
from groundtrace.model import FileRef
from groundtrace.shell.streams.counted import LONGEST, Counted, is_plain
from groundtrace.shell.streams.file_names import is_file_name, join, path_of
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.led_lines import Led
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.operands import under
from groundtrace.shell.streams.part import Count, Opaque, Part
from groundtrace.shell.streams.search_patterns import Pattern
from groundtrace.shell.streams.word import Word
from groundtrace.shell.weights import (
    CONTEXT_BREAK,
    CONTEXT_GOES_ON,
    CONTEXT_LINE,
    FOUND_NUMBERS_FALL,
    IMPOSSIBLE,
    MATCHING,
    MAX_TESTED_LINE,
    MOSTLY_NUMBERED,
    NAMED_BESIDE_BARE,
    STRAY_BREAK,
    TELLING,
    UNTESTED,
)

_CONTEXT_BREAK = "--"
_NUMBER = regex(r"\d{1,9}")
NUMBERED = regex(r"(\d{1,9})[:-]")
_NUMBERED_LINE = regex(r"\d+[:-]")
_LOCATED = regex(r"([^:\0]+)[:\0](\d{1,9}):")
_AROUND = regex(
    r"(?P<name>.{1,1000}?\.\w{1,10}|[^:]{1,1000}?)(?P<sign>[:-])(?P<at>\d{1,9})(?P=sign)"
)
_BINARY = regex(r"(?:Binary file (.+) matches|\w{1,10}: (.+): binary file matches)$")
OMITTED = regex(r"\[Omitted long (?:matching |context )?line(?: with \d{1,9} match(?:es)?)?\]$")
"""What rg prints instead of a line that is too long: not text of the file."""


def omitted(line: str) -> bool:
    """Whether the text of a found line was left out."""
    return OMITTED.search(line) is not None


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

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        """The files that lines show."""

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
    placed: ClassVar[bool] = True

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
        if line.endswith("matches") and _BINARY.match(line):
            return TELLING
        if line == _CONTEXT_BREAK:
            return CONTEXT_BREAK if self.context else STRAY_BREAK
        place = self._split(line) if self.named is not False else None
        if place is not None:
            return UNTESTED if self._lacks(line, place) else TELLING
        if self.named is None and self.context and self.roots:
            # `grep -rn -C1 x src`: nothing says whether src is a file, and names its lines.
            around = _AROUND.match(line)
            if around is not None and under(self.stripped + around["name"], self.roots):
                return CONTEXT_LINE
        if self.named:
            return CONTEXT_LINE if self.context and re.match(r".+-\d+-", line) else IMPOSSIBLE
        if self.numbered:
            number = _NUMBERED_LINE.match(line)
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

    def _lacks(self, line: str, place: tuple[str, int | None]) -> bool:
        """Whether the text behind `name:12:` lacks the pattern: another search found the line."""
        pattern = None if self.pattern is None else self.pattern.compiled
        if pattern is None or len(line) > MAX_TESTED_LINE:
            return False
        text = line[line.find(place[0]) + len(place[0]) + 1 :]
        if place[1] is not None:
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
        first, second = _NUMBER.match(before), _NUMBER.match(line)
        return FOUND_NUMBERS_FALL if first and second and int(second[0]) <= int(first[0]) else 0.0

    def _around(self, before: str, line: str) -> float:
        """More for context beside a line of the same file: `a.py-9-…` above `a.py:10:…`.

        Without it the context at the ends of the output went to the programs beside the search.
        """
        first, second = _AROUND.match(before), _AROUND.match(line)
        if first is None or second is None or first["sign"] == second["sign"] == ":":
            return 0.0
        same = first["name"] == second["name"] and int(second["at"]) == int(first["at"]) + 1
        return CONTEXT_GOES_ON if same else 0.0

    def _split(self, line: str, known: Container[str] = ()) -> tuple[str, int | None] | None:
        """File name and line number of a found line (`name:12:text` or `name:text`).

        `known` are names of lines before it: a search names a file on every line.
        """
        if self.revision:
            line = line.removeprefix(self.revision + ":")
        if self.numbered is not False:
            located = _LOCATED.match(line)
            if located is not None:
                name, number = located.groups()
                if name in known or under(self.stripped + name, self.roots):
                    return name, int(number)
            if self.numbered:
                return None
        name, colon, _ = line.partition(":")
        if not colon or not (name in known or under(self.stripped + name, self.roots)):
            return None
        return (name, None) if self.roots or "/" in name or "." in name else None

    def obtained(self, lines: Sequence[str]) -> bool:
        return any(map(str.strip, lines))

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        if self.named is not False:
            by_name = self._by_name(lines)
            if by_name or self.named:
                return by_name
        elif any(map(_BINARY.match, lines)):
            return self._by_name(lines)
        lines = [line for line in lines if not line.endswith("]") or not omitted(line)]
        path = self.sole or (self.base.path if self.base else None)
        if path is None or not lines:
            return ()
        low, high = self._numbers(lines) if self.numbered is not False else (None, None)
        if low is None and self.base is not None and self.base.numbers:
            inner = list(self.base.refs(lines, True, False))
            if not inner:
                return ()
            starts = [ref.line_start for ref in inner if ref.line_start is not None]
            ends = [ref.line_end for ref in inner if ref.line_end is not None]
            low, high = (min(starts), max(ends)) if starts and ends else (None, None)
        return (FileRef(path, "matched", self._repo(), low, high, rule=self.rule),)

    def around_cuts(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        """A line counts if its name and number are complete, even if its text is not."""
        kept = [line for line in lines if type(line) is str or self._placed(line)]
        return self.refs(kept, sure, trimmed) if kept else ()

    def _placed(self, line: str) -> bool:
        if not getattr(line, "ends", False):
            return False
        return self._split(line) is not None or NUMBERED.match(line) is not None

    def _numbers(self, lines: Sequence[str]) -> tuple[int | None, int | None]:
        """First and last line shown, as lines of the file, by the numbers at the start of lines."""
        base = self.base
        if base is not None and base.numbers:
            inner = [re.sub(r"^\d+[:-]", "", line) for line in lines]
            numbers = [
                int(m[1]) for m in (re.match(r"\s*(\d{1,9})\b", text) for text in inner) if m
            ]
            return (min(numbers), max(numbers)) if numbers else (None, None)
        leading = [m for m in (NUMBERED.match(line) for line in lines) if m]
        if not leading or (self.numbered is None and len(leading) < len(lines) * MOSTLY_NUMBERED):
            return None, None
        numbers = [int(m[1]) for m in leading]
        low, high = min(numbers), max(numbers)
        if base is None:
            return low, high
        return base.line(low), base.line(high)

    def _all_placed(self, lines: Sequence[str]) -> list[FileRef] | None:
        """References if every line is `name:12:text`, the usual case; None if not."""
        spans: dict[str, list[int]] = {}
        chars: dict[str, int] = {}
        for line in lines:
            fields = line.split(":", 2)
            if len(fields) != 3 or not fields[1].isdecimal() or len(fields[1]) > 9:
                return None
            if line[-1] in "]s" and (_BINARY.match(line) or omitted(line)):
                return None
            name, number, _ = fields
            if name in spans:
                spans[name].append(int(number))
                chars[name] += len(line) + 1
            elif name and len(name) < LONGEST - 20 and under(name, self.roots):
                spans[name] = [int(number)]
                chars[name] = len(line) + 1
            else:
                return None
        out = Counted()
        for name, numbers in spans.items():
            path = path_of(self.cwd, name)
            if path is None:
                return None
            low, high = min(numbers), max(numbers)
            out.append(FileRef(path, "matched", self.repo, low, high, rule=self.rule))
        if not is_plain(spans, out):
            return list(out)
        out.chars, out.numbers, out.lines = list(chars.values()), list(spans.values()), lines
        return out

    def _by_name(self, lines: Sequence[str]) -> list[FileRef]:
        if self.numbered is not False and not self.revision and not self.stripped:
            placed = self._all_placed(lines)
            if placed is not None:
                return placed
        spans: dict[str, list[int]] = {}
        others: list[str] = []
        binary: list[str] = []
        for line in lines:
            other = _BINARY.match(line) if line.endswith("matches") else None
            if other is not None:
                binary.append(other[1] or other[2])
                continue
            place = self._split(line, spans)
            if place is not None and line.endswith("]") and omitted(line):
                binary.append(place[0])
                continue
            if place is not None:
                numbers = spans.setdefault(place[0], [])
                if place[1] is not None:
                    numbers.append(place[1])
                continue
            if self.context and line != _CONTEXT_BREAK:
                others.append(line)
        if others:
            self._context_lines(others, spans)
        out = []
        for name, numbers in spans.items():
            if not is_file_name(name):
                continue
            low, high = (min(numbers), max(numbers)) if numbers else (None, None)
            path = join(self.cwd, self.stripped + name)
            out.append(FileRef(path, "matched", self.repo, low, high, rule=self.rule))
        out.extend(
            FileRef(join(self.cwd, name), "surfaced", self.repo, rule=self.rule)
            for name in binary
            if name not in spans and is_file_name(name)
        )
        return out

    # --- what filters leave of it ---------------------------------------------------------------

    def filter(self, how: Filter) -> Part:
        if how.numbered or how.partial:
            return Opaque(shows=self.behind(), rule=how.rule, maybe=True)
        return self.limited(how.limit)

    def counted(self, rule: str) -> Part:
        return Led(inner=self.reorder(dropping=True), rises=False, rule=self.rule, maybe=self.maybe)

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

    def _context_lines(self, lines: Sequence[str], spans: dict[str, list[int]]) -> None:
        """Context is `name-12-text`.

        Names hold dashes and digits too, so known names are tried first.
        """
        known = sorted(spans, key=len, reverse=True)
        for line in lines:
            name = next((n for n in known if line.startswith(n + "-")), None)
            if name is not None:
                context = re.match(r"-(\d{1,9})-", line[len(name) :])
                if context and self.numbered is not False:
                    spans[name].append(int(context[1]))
                continue
            context = re.match(r"(.+?\.\w+)-(\d{1,9})-", line) or re.match(
                r"(.+?)-(\d{1,9})-", line
            )
            if not context or self.numbered is False:
                continue
            if under(self.stripped + context[1], self.roots):
                spans.setdefault(context[1], []).append(int(context[2]))
