"""From shown lines to files: one reference for each file, with ranges of lines and characters."""

from __future__ import annotations

from collections.abc import Iterable

from groundtrace.answers.cuts import cut
from groundtrace.answers.file_names import usable
from groundtrace.answers.line import Shown
from groundtrace.model import AccessKind, FileRef

Run = tuple[int, int]
"""First and last line."""


def merged(runs: Iterable[Run]) -> list[Run]:
    """Runs of lines in order; runs that touch or overlap become one."""
    out: list[Run] = []
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


def gaps(runs: Iterable[Run]) -> tuple[Run, ...] | None:
    """The runs if there are gaps between them; None if every line was shown (D72)."""
    joined = merged(runs)
    return tuple(joined) if len(joined) > 1 else None


class _File:
    """What an answer shows of one file."""

    __slots__ = ("chars", "from_diff", "kind", "runs", "texts")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.runs: list[Run] = []
        self.chars: int | None = 0
        self.from_diff = False
        self.texts: list[str] | None = []
        """Lines shown without their numbers; None if that is not all that was shown."""

    def add(self, line: Shown) -> None:
        self.from_diff |= line.from_diff
        if line.kind == "surfaced":
            return
        if line.text is None:
            self.texts = None
        elif self.texts is not None:
            if line.apart:
                self.texts.append(cut(""))
            self.texts.append(line.text)
        if line.first is not None and line.first >= 1:
            self.runs.append((line.first, max(line.first, line.last or 0)))
        known = self.chars is not None and line.chars is not None
        self.chars = (self.chars or 0) + (line.chars or 0) if known else None


def fold(lines: Iterable[Shown], rule: str) -> tuple[FileRef, ...]:
    """One reference for each file, in order of appearance.

    A file that is shown somewhere and only named elsewhere is shown. A file that was both opened
    and found (two kinds of content in one answer) has a reference for each.
    """
    files: dict[tuple[str | None, str], dict[str, _File]] = {}
    for line in lines:
        kinds = files.get((line.repo or None, line.path))
        if kinds is None:
            if not usable(line.path):
                continue
            kinds = files[line.repo or None, line.path] = {}
        if line.kind not in kinds:
            kinds[line.kind] = _File(line.kind)
        kinds[line.kind].add(line)
    return tuple(
        _ref(repo, path, file, rule)
        for (repo, path), kinds in files.items()
        for file in _of_content(kinds)
    )


def _of_content(kinds: dict[str, _File]) -> Iterable[_File]:
    if len(kinds) == 1:
        return kinds.values()
    for kind in kinds.values():
        kind.from_diff = any(other.from_diff for other in kinds.values())
    return [file for kind, file in kinds.items() if kind != "surfaced"]


def _ref(repo: str | None, path: str, file: _File, rule: str) -> FileRef:
    runs = merged(file.runs)
    return FileRef(
        path=path,
        kind=file.kind,  # type: ignore[arg-type]
        repo=repo,
        line_start=runs[0][0] if runs else None,
        line_end=runs[-1][1] if runs else None,
        from_diff=file.from_diff,
        rule=rule,
        ranges=tuple(runs) if len(runs) > 1 else None,
        shown_chars=None if file.kind == "surfaced" else file.chars,
        printed=file.texts or None,
    )


def surfaced(names: Iterable[str], rule: str, repo: str | None = None) -> tuple[FileRef, ...]:
    """References to files that were only named."""
    return _named(names, "surfaced", rule, repo)


def written(names: Iterable[str], rule: str) -> tuple[FileRef, ...]:
    """References to files that were written."""
    return _named(names, "written", rule, None)


def _named(
    names: Iterable[str], kind: AccessKind, rule: str, repo: str | None
) -> tuple[FileRef, ...]:
    paths = dict.fromkeys([name for name in names if usable(name)])
    return tuple([FileRef(path, kind, repo or None, rule=rule) for path in paths])
