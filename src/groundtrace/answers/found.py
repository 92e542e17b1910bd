"""Lines that a search found: `path:12:text`, with context (`path-11-text`) and without numbers.

Paths hold dashes, digits and, on Windows, a colon. A path may be relative on lines that match and
absolute on lines of context. Text may hold `:12:` and `-12-` too. So the names on lines that match
are collected first; a line of context belongs to one of them, or goes on from the line before it.

The caller says what a name can be (`place`): a shell knows which folders were searched, a tool
knows its scope, of an unknown tool only the spelling is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import msgspec

from groundtrace.answers.file_names import named_like_file
from groundtrace.answers.line import Shown
from groundtrace.base.patterns import regex

MATCH = regex(r"((?:[A-Za-z]:[\\/])?[^:\t\0]+)[:\0](\d{1,9}):")
"""`path:12:`; `rg -0` writes a NUL behind the path."""
CONTEXT = regex(r"-(\d{1,9})-")
BARE = regex(r"(\d{1,9})([:│-])")
"""`12:text`, `12-text`: lines of the one file that was searched; ast-grep prints `12│text`."""
AROUND = regex(
    r"(?P<name>.{1,1000}?\.\w{1,10}|[^:]{1,1000}?)(?P<sign>[:-])(?P<at>\d{1,9})(?P=sign)"
)
"""`path:12:` or `path-12-`: where a name holds such a text itself, the shortest one counts."""
BREAK = "--"
"""Between groups of lines that do not follow each other."""
_BINARY = regex(
    r"(?:Binary file (.+) matches|(?:\w{1,10}: )?(.+): (?:binary file matches"
    r"|WARNING: stopped searching binary file after match)(?: \(.*\))?)$"
)
_OMITTED = regex(r"\[Omitted long (?:matching |context )?line(?: with \d{1,9} match(?:es)?)?\]$")
_LONGEST_PATH = 4096
_MOSTLY = 0.9
"""The share of lines that must begin with a number."""

PathOf = Callable[[str], str | None]
"""The path of a name in the answer; None if it cannot be the name of a file."""


class Found(msgspec.Struct, frozen=True):
    """The parts of a line that a search printed."""

    name: str
    """As printed; empty if the line names no file."""
    number: int | None
    """The line's number."""
    is_context: bool = False


def is_omitted(line: str) -> bool:
    """Whether rg printed a note instead of the line's text, because the line is too long."""
    return line[-1:] == "]" and _OMITTED.search(line) is not None


def binary_file(line: str) -> str:
    """The file of `Binary file x matches`, whose text was not printed; empty for other lines."""
    match = _BINARY.match(line) if "inary file" in line else None
    return "" if match is None else match[1] or match[2]


def split(line: str, *, numbered: bool | None = True) -> Found | None:
    """Name and number of a line that matches, by its colons alone.

    `numbered`: None if lines may have numbers.
    """
    if numbered is not False:
        match = MATCH.match(line, 0, _LONGEST_PATH)
        if match is not None:
            return Found(match[1], int(match[2]))
        if numbered:
            return None
    name, colon, _ = line[:_LONGEST_PATH].partition(":")
    if len(name) == 1 and line[2:3] in ("\\", "/"):  # a drive letter
        more, colon, _ = line[2:_LONGEST_PATH].partition(":")
        name = f"{name}:{more}"
    return Found(name, None) if colon and name else None


def found(
    lines: Sequence[str],
    place: PathOf,
    *,
    numbered: bool | None = True,
    context: bool = True,
    repo: str | None = None,
    prefix: str = "",
) -> Iterator[Shown]:
    """What each line shows: matches, context, files that are only named.

    Lines that name no file show nothing. `prefix` stands before every name: `git grep x HEAD`
    prints `HEAD:path:12:text`.
    """
    if prefix:
        lines = [line.removeprefix(prefix) for line in lines]
    names = _Names(place)
    known = _known_names(lines, names, numbered) if context else None
    before: tuple[str, int] | None = None
    apart = False
    for line in lines:
        match = MATCH.match(line, 0, _LONGEST_PATH) if numbered is not False else None
        path = names.known.get(match[1]) if match is not None else None
        if match is not None and path and (known is None or path in known):
            number: int | None = int(match[2])  # the usual case: a file that was named before
        elif line == BREAK:
            before, apart = None, True
            continue
        elif other := binary_file(line):
            if path := names.path(other):
                yield Shown(path, "surfaced", repo=repo)
            continue
        else:
            placed = _placed(line, names, known, before, numbered)
            if placed is None:
                continue
            path, number = placed
        if line[-1:] == "]" and is_omitted(line):
            yield Shown(path, "surfaced", repo=repo)
        else:
            text = None if number is not None else _text_behind(line, numbered)
            chars = len(prefix) + len(line) + 1
            yield Shown(path, "matched", number, None, chars, repo, text=text, apart=apart)
            apart = False
        before = (path, number) if number is not None else None


def found_in(
    lines: Iterable[str],
    path: str,
    repo: str | None = None,
    number: Callable[[str], int | None] | None = None,
) -> Iterator[Shown]:
    """Lines of the only file that was searched: `12:text` and `12-text`, or text alone.

    `number` finds the number of a line, if it does not stand at its start in this way.
    """
    number = number or bare_number
    apart = False
    for line in lines:
        if line == BREAK or is_omitted(line):
            apart = True
            continue  # neither a name nor a line of the file
        if binary_file(line):
            yield Shown(path, "surfaced", repo=repo)
        else:
            own = number(line)
            text = line if own is None else None
            yield Shown(path, "matched", own, None, len(line) + 1, repo, text=text, apart=apart)
            apart = False


def numbers_rise(lines: Sequence[str]) -> bool:
    """Whether nearly all lines begin with numbers of lines: these rise, times of a log need not."""
    shown = [line for line in lines if line != BREAK]
    numbers = [number for number in map(bare_number, shown) if number is not None]
    if not numbers or len(numbers) < len(shown) * _MOSTLY:
        return False
    return all(first < second for first, second in pairwise(numbers))


def no_number(_: str) -> int | None:
    """For `found_in`: the lines have no numbers."""
    return None


def bare_number(line: str) -> int | None:
    """The number of a line of the only file that was searched."""
    match = BARE.match(line)
    return None if match is None else int(match[1])


class _Names:
    """The paths of names, each found once: a search repeats a name on every line."""

    def __init__(self, place: PathOf) -> None:
        self._place = place
        self.known: dict[str, str] = {}
        """The paths found so far; empty for names that are none."""

    def path(self, name: str) -> str:
        """The path of a name; empty if it is none."""
        path = self.known.get(name)
        if path is None:
            path = self.known[name] = self._place(name) or ""
        return path


def _known_names(lines: Sequence[str], names: _Names, numbered: bool | None) -> set[str]:
    """Paths on lines that match; the colon shows where such a name ends."""
    known: set[str] = set()
    doubtful: dict[str, None] = {}
    for line in lines:
        parts = split(line, numbered=numbered)
        if parts is None:
            continue
        if "-" in parts.name and CONTEXT.search(parts.name):
            doubtful[parts.name] = None
        elif path := names.path(parts.name):
            known.add(path)
    for name in doubtful:
        # Either a file name with `-12-` in it, or a line of context with `…:12:` in its text.
        starts = [name[: match.start()] for match in CONTEXT.finditer(name)]
        is_context = any(names.path(start) in known for start in starts if start)
        if not is_context and not any(map(named_like_file, starts)) and (path := names.path(name)):
            known.add(path)
    return known


def _placed(
    line: str,
    names: _Names,
    known: set[str] | None,
    before: tuple[str, int] | None,
    numbered: bool | None,
) -> tuple[str, int | None] | None:
    """Path and number of one line; None for a line that is neither match nor context."""
    parts = split(line, numbered=numbered)
    if parts is not None and (path := names.path(parts.name)) and (known is None or path in known):
        return path, parts.number
    if known is None:
        return None
    if numbered is False:
        return _unnumbered_context(line, names, known)
    if "-" not in line:
        return None
    return _context(line[:_LONGEST_PATH], names, known, before)


def _text_behind(line: str, numbered: bool | None) -> str | None:
    """The text behind a name: `path:text`."""
    parts = split(line, numbered=numbered)
    return None if parts is None else line[line.find(parts.name) + len(parts.name) + 1 :]


def _context(
    line: str, names: _Names, known: set[str], before: tuple[str, int] | None
) -> tuple[str, int] | None:
    splits = [(line[: match.start()], int(match[1])) for match in CONTEXT.finditer(line)]
    places = [(path, number) for start, number in splits if start and (path := names.path(start))]
    for path, number in reversed(places):  # the longest name that is on a line that matches
        if path in known:
            return path, number
    if before is not None:
        for path, number in places:
            if path == before[0] and number == before[1] + 1:
                return path, number
    # A page may end between a line of context and its match. Then the name must look like a file.
    for path, number in places:
        if named_like_file(path) and " " not in path:
            return path, number
    return None


def _unnumbered_context(line: str, names: _Names, known: set[str]) -> tuple[str, None] | None:
    """`path-text` below or above `path:text` of the same file."""
    at = line.find("-")
    while 0 < at < _LONGEST_PATH:
        if names.path(line[:at]) in known:
            return names.path(line[:at]), None
        at = line.find("-", at + 1)
    return None
