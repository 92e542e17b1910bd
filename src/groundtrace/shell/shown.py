"""How many characters, and which lines between the first and the last, a part's output shows.

A part names the first and the last line of a file that its output shows. `grep -n` on a file prints
only some of the lines between them; the numbers that it prints say which. Lines that no number
confirms are not known (D72).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from msgspec.structs import replace

from groundtrace.answers.cuts import pieces
from groundtrace.base.patterns import regex
from groundtrace.model import FileRef
from groundtrace.shell.streams.content import runs
from groundtrace.shell.streams.counted import LONGEST, Counted

_BARE = regex(r"[ \t]*(\d{1,9})(?:[:\-\t→ =]|$)")
_NAMED = regex(r"[:\-](\d{1,9})[:\-]")
_FEW = 40
"""With at most this many files, each line is first searched for their names."""
_SPLITS = 8
"""How many places are tried at which the file name in a line may end."""

_NO_CONTENTS = frozenset(["git diff", "git show", "git log", "git stash", "diff", "git blame"])
"""Programs that print something else in front of a file's lines."""

_Key = tuple[str | None, str]


def with_shown(
    refs: Iterable[FileRef], lines: Sequence[str], sure: bool, cut: bool
) -> list[FileRef]:
    """The references with the characters and runs of lines that `lines` show of each.

    `sure`: these lines, and no others, certainly belong to the part. Otherwise output of another
    program may be among them, and the number of characters is not known. `cut`: something is
    missing between the lines.
    """
    if type(refs) is Counted and refs.lines is lines:
        return _counted(refs, sure)
    given = list(refs)
    if len(given) == 1 and given[0].kind == "read":
        return [_read_alone(given[0], lines, sure, cut)]
    shown = [ref for ref in given if ref.kind in ("read", "matched")]
    if not shown:
        return given  # names and writes have no contents
    told = _with_shown(given, shown, lines)
    if sure:
        return _with_text(told, lines, cut)
    return [ref if ref.shown_chars is None else replace(ref, shown_chars=None) for ref in told]


def _counted(refs: Counted, sure: bool) -> list[FileRef]:
    """The same for found lines that the search counted itself."""
    height = len(refs.lines) if len(refs) == 1 else None
    return [
        _with(ref, chars if sure else None, numbers, height)
        for ref, chars, numbers in zip(refs, refs.chars, refs.numbers, strict=True)
    ]


def _read_alone(ref: FileRef, lines: Sequence[str], sure: bool, cut: bool) -> FileRef:
    """The same for contents of one file in one run, the usual case."""
    if not sure:
        return ref if ref.shown_chars is None else replace(ref, shown_chars=None)
    if ref.old_lines is None and ref.ranges is None and ref.rule not in _NO_CONTENTS:
        parts = [piece for piece in pieces(lines) if piece] if cut else [lines]
        if len(parts) == 1 and lines:
            return replace(ref, shown_chars=_size(lines), printed=parts[0])
    return replace(ref, shown_chars=_size(lines))


def _with_text(refs: list[FileRef], lines: Sequence[str], cut: bool) -> list[FileRef]:
    """Contents of one file with the lines that show them: of each run, or between cuts."""
    first = refs[0]
    if not lines or first.rule in _NO_CONTENTS:
        return refs
    for ref in refs:
        if ref.kind != "read" or ref.old_lines is not None or ref.ranges is not None:
            return refs
        if ref.path != first.path or ref.repo != first.repo:
            return refs
    if cut:
        parts: list[Sequence[str]] = [piece for piece in pieces(lines) if piece]
    elif len(refs) == 1:
        parts = [lines]
    else:
        sizes = [(ref.line_end or 0) - (ref.line_start or 0) + 1 for ref in refs]
        if sum(sizes) != len(lines):
            return refs
        ends = accumulate(sizes)
        parts = [lines[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    if len(parts) != len(refs):
        return refs
    return [replace(ref, printed=part) for ref, part in zip(refs, parts, strict=True)]


def _with_shown(refs: list[FileRef], shown: list[FileRef], lines: Sequence[str]) -> list[FileRef]:
    """`refs` with characters and runs; `shown` are those of them that have contents."""
    if len(shown) == 1:
        only = shown[0]
        if only.kind == "read":  # a reader of contents gives one reference for each run
            with_size = replace(only, shown_chars=_size(lines))
        else:
            several = only.line_start != only.line_end
            numbers = list(_numbers(lines)) if several else ()
            with_size = _with(only, _size(lines), numbers, len(lines))
        return [with_size if ref is only else ref for ref in refs]
    if len({(ref.repo, ref.path) for ref in shown}) == 1:
        return _slices(refs, shown, lines)
    chars, numbers_of = _by_file(shown, lines)
    out: list[FileRef] = []
    for ref in refs:
        if ref.kind in ("read", "matched"):
            key = ref.repo, ref.path
            ref = _with(ref, chars.get(key), numbers_of.get(key, ()))
        out.append(ref)
    return out


def _with(
    ref: FileRef, chars: int | None, numbers: Sequence[int], height: int | None = None
) -> FileRef:
    """A reference with its characters and runs.

    `numbers` are the line numbers printed with the file, and `height` is the number of lines that
    show it, if all lines show it.
    """
    low, high = ref.line_start, ref.line_end
    if low is None or high is None or low == high:
        return ref if ref.shown_chars == chars else replace(ref, shown_chars=chars)
    ranges: tuple[tuple[int, int], ...] | None = ()
    if ref.kind == "read":
        ranges = ref.ranges  # a reader of contents gives one reference for each run, or tells them
    elif height == high - low + 1:
        ranges = None
    else:
        inside = {number for number in numbers if low <= number <= high}
        if low in inside and high in inside:
            joined = runs(sorted(inside))
            ranges = tuple(joined) if len(joined) > 1 else None
    return replace(ref, shown_chars=chars, ranges=ranges)


def _slices(refs: list[FileRef], shown: list[FileRef], lines: Sequence[str]) -> list[FileRef]:
    """Several runs of one file: divide the lines in order, if their number is that of the runs."""
    sizes = [
        ref.line_end - ref.line_start + 1
        if ref.line_start is not None and ref.line_end is not None
        else 0
        for ref in shown
    ]
    if 0 in sizes or sum(sizes) != len(lines):
        return refs
    at = 0
    chars: dict[int, int] = {}
    for ref, size in zip(shown, sizes, strict=True):
        chars[id(ref)] = _size(lines[at : at + size])
        at += size
    return [replace(ref, shown_chars=chars[id(ref)]) if id(ref) in chars else ref for ref in refs]


def _by_file(
    shown: Sequence[FileRef], lines: Sequence[str]
) -> tuple[dict[_Key, int], dict[_Key, list[int]]]:
    """Characters and line numbers for each file, by the name that begins a line or is above it."""
    by_base: dict[str, list[_Key]] = {}
    spanned: set[_Key] = set()
    for ref in shown:
        by_base.setdefault(ref.path.rpartition("/")[2], []).append((ref.repo, ref.path))
        if ref.kind == "matched" and ref.line_start != ref.line_end:
            spanned.add((ref.repo, ref.path))
    bases = tuple(by_base) if len(by_base) <= _FEW else ("",)
    seen: dict[str, _Key] = {}
    chars: dict[_Key, int] = {}
    numbers: dict[_Key, list[int]] = {}
    current: _Key | None = None
    name = ""
    for line in lines:
        key: _Key | None = None
        number: int | None = None
        heading: _Key | None = None
        again = _NAMED.match(line, len(name), LONGEST) if line.startswith(name) else None
        if again is not None and name:  # found lines of one file follow each other
            key, number = seen[name], int(again[1])
        else:
            for base in bases:
                if base in line:  # most lines name no file
                    key, number, name = _place(line, by_base, seen)
                    heading = None if key is not None else _heading(line, by_base)
                    break
        if heading is not None:
            current = heading
            continue
        if key is None:
            key = current
            bare = _BARE.match(line) if key in spanned else None
            number = int(bare[1]) if bare else None
        if key is not None:
            chars[key] = chars.get(key, 0) + len(line) + 1
            if number is not None:
                numbers.setdefault(key, []).append(number)
    return chars, numbers


def _heading(line: str, by_base: dict[str, list[_Key]]) -> _Key | None:
    """The file that a line names, if the line holds nothing else."""
    return _file_of(line.strip(" \t#=:*<>-"), by_base)


def _place(
    line: str, by_base: dict[str, list[_Key]], seen: dict[str, _Key]
) -> tuple[_Key | None, int | None, str]:
    """The file and the number at the start of a line, and the name if the first number follows it.

    `seen` holds names of lines before: a search repeats the name on every line that it found.
    """
    match = _NAMED.search(line, 0, LONGEST)
    tried = 0
    while match is not None and tried <= _SPLITS:
        name = line[: match.start()]
        key = seen.get(name) or _file_of(name, by_base)
        if key is not None:
            seen[name] = key
            return key, int(match[1]), "" if tried else name
        match = _NAMED.search(line, match.end(), LONGEST)
        tried += 1
    name, colon, _ = line[:LONGEST].partition(":")
    return (_file_of(name, by_base) if colon else None), None, ""


def _file_of(name: str, by_base: dict[str, list[_Key]]) -> _Key | None:
    name = name.strip().removeprefix("./")
    if not name:
        return None
    for key in by_base.get(name.rpartition("/")[2], ()):
        if f"/{key[1]}".endswith(f"/{name.lstrip('/')}") or name.endswith(f"/{key[1]}"):
            return key
    return None


def _numbers(lines: Iterable[str]) -> Iterator[int]:
    for line in lines:
        match = _BARE.match(line) or _NAMED.search(line[:LONGEST])
        if match is not None:
            yield int(match[1])


def _size(lines: Sequence[str]) -> int:
    return sum(map(len, lines)) + len(lines)
