"""Files with the lines that an answer shows of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from groundtrace.answers.file_names import usable
from groundtrace.model import AccessKind, FileRef


def numbered(lines: Iterable[str], pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Number and content of each line that has a number."""
    for line in lines:
        match = pattern.match(line)
        if match is not None and len(match[1]) < 10:
            yield int(match[1]), match[2]


Numbered = tuple[int, str]
"""A line's number and its content."""


def outer_lines(text: str, pattern: re.Pattern[str]) -> tuple[Numbered, Numbered] | None:
    """The first and the last line that has a number; the lines between them are not examined."""
    first = next(numbered(_lines(text), pattern), None)
    last = None if first is None else next(numbered(_lines_from_end(text), pattern), None)
    return None if first is None or last is None else (first, last)


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, one by one: splitting all of it took longer than reading two lines."""
    at = 0
    while (end := text.find("\n", at)) >= 0:
        yield text[at:end]
        at = end + 1
    yield text[at:]


def _lines_from_end(text: str) -> Iterator[str]:
    end = len(text)
    while (start := text.rfind("\n", 0, end)) >= 0:
        yield text[start + 1 : end]
        end = start
    yield text[:end]


def merged(runs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Runs of lines in order; runs that touch or overlap become one."""
    out: list[tuple[int, int]] = []
    first = last = 0
    for start, end in sorted(runs):
        if out and start <= last + 1:
            if end > last:
                out[-1] = (first, end)
                last = end
        else:
            out.append((start, end))
            first, last = start, end
    return out


def gaps(runs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...] | None:
    """The runs if there are gaps between them; None if every line was shown (D72)."""
    joined = merged(runs)
    return tuple(joined) if len(joined) > 1 else None


class FilesWithLines:
    """Files in order of appearance, each with the first and last line that was shown."""

    def __init__(self, kind: AccessKind, rule: str, bare_kind: AccessKind | None = None) -> None:
        """`bare_kind` is the kind of a file without any shown line; the default is `kind`."""
        self._kind = kind
        self._bare_kind = bare_kind or kind
        self._rule = rule
        self._found: dict[tuple[str | None, str], tuple[int, int] | None] = {}
        self._runs: dict[tuple[str | None, str], list[tuple[int, int]]] = {}
        self._chars: dict[tuple[str | None, str], int | None] = {}
        self._shown: set[tuple[str | None, str]] = set()
        self._diffs: set[tuple[str | None, str]] = set()

    def add(
        self,
        path: str,
        start: int | None = None,
        end: int | None = None,
        *,
        repo: str | None = None,
        shown: bool = False,
        from_diff: bool = False,
        runs: Iterable[tuple[int, int]] | None = None,
        chars: int | None = None,
    ) -> None:
        """Add a file, with its lines if they are known; `shown`: content without line numbers.

        `runs` are the lines shown between the first and the last, if not all of them were shown.
        `chars` is the number of characters in the answer that show them.
        """
        if not usable(path):
            return
        key = (repo or None, path)
        old = self._found.get(key)
        if start is None or start < 1:
            self._found.setdefault(key, None)
        else:
            last = max(start, end or start)
            self._found[key] = (
                (start, last) if old is None else (min(old[0], start), max(old[1], last))
            )
            self._runs.setdefault(key, []).extend(runs or [(start, last)])
        if shown or (start is not None and start >= 1):
            self._shown.add(key)
            known = self._chars.get(key, 0)
            self._chars[key] = None if known is None or chars is None else known + chars
        if from_diff:
            self._diffs.add(key)

    def refs(self) -> tuple[FileRef, ...]:
        """One reference per file."""
        return tuple(
            FileRef(
                path=path,
                kind=self._kind if (repo, path) in self._shown else self._bare_kind,
                repo=repo,
                line_start=span[0] if span else None,
                line_end=span[1] if span else None,
                from_diff=(repo, path) in self._diffs,
                rule=self._rule,
                ranges=gaps(self._runs[repo, path]) if span else None,
                shown_chars=self._chars.get((repo, path)),
            )
            for (repo, path), span in self._found.items()
        )

    def __bool__(self) -> bool:
        return bool(self._found)


def surfaced(names: Iterable[str], rule: str, repo: str | None = None) -> tuple[FileRef, ...]:
    """References to files that were only named."""
    paths = dict.fromkeys([name for name in names if usable(name)])
    return tuple([FileRef(path, "surfaced", repo or None, rule=rule) for path in paths])
