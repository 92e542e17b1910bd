"""What the readers of tool results share: findings, careful conversions, line spans, paths.

Arguments and results come from traces and can have any type. Functions here return None or an empty
value if a value has the wrong type; they never raise.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from groundtrace.cut_json import CutText
from groundtrace.model import AccessKind, Category, FileRef, Problem, ToolResult
from groundtrace.patterns import regex
from groundtrace.tools.file_names import named_like_file as named_like_file
from groundtrace.tools.file_names import usable as usable
from groundtrace.values import as_mapping as as_mapping


class Findings(msgspec.Struct, frozen=True):
    """What one reader says of one call."""

    refs: tuple[FileRef, ...] = ()
    """Files touched, in order of appearance."""
    failed: bool = False
    """The call obtained nothing (D4)."""
    repos: tuple[str, ...] = ()
    """Repositories that the call names, as the trace spells them."""
    symbols: tuple[str, ...] = ()
    """Symbols that the call asked for."""
    category: Category | None = None
    """Set if arguments or result decide the category, such as a view of a directory (D2)."""
    problems: tuple[Problem, ...] = ()
    """What could not be understood."""


_LARGEST = 1_000_000_000
"""No file has more lines; a larger number is not a line number."""

NOTHING = Findings(failed=True)
"""A call that obtained nothing."""

_REFUSED = regex(
    r"""\s*(?:Error:\s*)?(?:
      <tool_use_error> | InputValidationError | MCP\ error\ | EISDIR | ENOENT | EACCES
    | File\ does\ not\ exist | Path\ does\ not\ exist | Directory\ does\ not\ exist
    | No\ such\ file\ or\ directory | No\ such\ tool\ available | Tool\ .{1,80}\ not\ found
    | File\ content\ \([\d.,]++\s?+[\w ]*+\)\ exceeds | File\ is\ too\ large
    | File\ unchanged\ since\ last\ read
    | Cancelled:\ parallel | Sibling\ tool\ call\ errored
    | The\ user\ doesn't\ want\ to\ | Claude\ requested\ permissions\ | Permission\ to\ use\b
    | Request\ interrupted\ by\ user | \[Request\ interrupted
    | Permission\ denied | This\ tool\ cannot\ read | Cannot\ read\b
    | apply_patch\ verification\ failed
    )
    | \s*+(?:Error|ERROR):\ [^\n]{1,2000}+\s*+\Z""",
    re.VERBOSE,
)
"""How a refusal begins if the harness did not mark it as an error (results of subagents)."""


def text_or_empty(value: Any) -> str:
    """The value if it is text, else an empty string."""
    return value if isinstance(value, str) else ""


def whole_name(value: Any) -> str:
    """A name: the value if it is text that was not cut short, else an empty string.

    The first part of a cut name is a different name: `github.com/acme/data-` is not the repository.
    """
    return value if isinstance(value, str) and not isinstance(value, CutText) else ""


def whole_number(value: Any) -> int | None:
    """A whole number from an integer or from text (models send `offset` as text)."""
    if isinstance(value, str) and len(value) < 16:
        try:
            value = int(value.strip())
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not abs(value) < _LARGEST or value != int(value):
        return None
    return int(value)


def as_items(value: Any) -> Sequence[Any]:
    """The value if it is a list, else an empty list."""
    return value if isinstance(value, (list, tuple)) else ()


def as_texts(value: Any) -> tuple[str, ...]:
    """A text, or the texts of a list."""
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(item for item in as_items(value) if isinstance(item, str) and item)


def first_text(source: Mapping[str, Any], names: Iterable[str]) -> str:
    """The first of the named values that is a non-empty text (or a list that begins with one)."""
    for name in names:
        value = source.get(name)
        if value is None:  # most calls have only a few of the names
            continue
        if isinstance(value, str):
            if value:
                return value
        elif texts := as_texts(value):
            return texts[0]
    return ""


def is_refusal(text: str) -> bool:
    """Whether the text is a refusal by a harness or a tool, and not the tool's output."""
    return _REFUSED.match(text) is not None


def shown_text(result: ToolResult | None) -> str:
    """The tool's own text, without the reminders that the harness appends."""
    if result is None:
        return ""
    text = result.text
    kept = len(text)
    while True:
        end = kept
        while end and text[end - 1].isspace():
            end -= 1
        if not text.endswith("</system-reminder>", 0, end):
            return text[:kept]
        start = text.rfind("<system-reminder>", 0, end)
        if start < 0:
            return text[:kept]
        kept = start


# --- paths --------------------------------------------------------------------------------


def absolute(path: str, cwd: str | None) -> str:
    """The path joined to the working directory, with dots resolved."""
    path = path.strip().removeprefix("file://")
    if not path:
        return ""
    if not path.startswith("/") and cwd and cwd.startswith("/"):
        path = f"{cwd}/{path}"
    tidy = posixpath.normpath(path)
    return tidy[1:] if tidy.startswith("//") else tidy


MAX_SCOPE = 4096
"""No path is longer. Without this limit, trying each part of 200 KB of `a/a/a/…` took minutes."""


def locate(name: str, cwd: str | None, scope: str) -> str:
    """The path of a name in a result; `scope` is the absolute path that was searched.

    Claude Code prints names relative to the working directory. Its other versions and other
    harnesses print them relative to the searched path. The reading that lies inside the scope is
    the right one.
    """
    if name.startswith("/") or not scope.startswith("/"):
        return absolute(name, cwd)
    by_cwd = absolute(name, cwd)
    if by_cwd == scope or by_cwd.startswith(scope.rstrip("/") + "/") or len(scope) > MAX_SCOPE:
        return by_cwd
    name = posixpath.normpath(name)
    parts = scope.strip("/").split("/")
    for start in range(len(parts)):
        overlap = "/".join(parts[start:])
        if name == overlap or name.startswith(overlap + "/"):
            return absolute(name, "/" + "/".join(parts[:start]))
    return absolute(name, scope) if not name.startswith("../") else by_cwd


# --- lines --------------------------------------------------------------------------------


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


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Non-empty names, each once, in order."""
    return tuple(dict.fromkeys([name for name in names if name]))
