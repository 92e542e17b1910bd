"""How the text of an answer reaches an agent: one text, put through each tool that can print it.

A door is a tool with the arguments that a call of it has. What a door adds around the text itself
(the first line of an editor's view) is its frame and shows nothing of a file.
"""

from __future__ import annotations

import posixpath
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from groundtrace.config import Settings
from groundtrace.model import FileRef, ToolCall, ToolResult, Trace
from groundtrace.tools import view_calls

ROOT = "/workspace"
TABLE = Path(__file__).with_name("answers.toml")

Row = Mapping[str, Any]
Lines = tuple[tuple[int, int], ...]


class Shown(NamedTuple):
    """What an answer shows of one file."""

    kind: str
    lines: Lines | None
    """Runs of lines in order; None if the answer does not say which lines it shows."""
    chars: int | None
    """Characters of the answer that show the file; None if it shows nothing or nobody can tell."""


class Door(NamedTuple):
    """A tool through which a text can come."""

    tool: str
    arguments: Callable[[Row], dict[str, Any]]
    frame: str = ""
    """What the tool prints in front of the text; `{path}` is the file that was asked for."""


def _place(row: Row, name: str) -> dict[str, Any]:
    """The file or folder that the call is about, under the name that the tool gives it."""
    return {name: row["path"]} if "path" in row else {}


def _absolute(row: Row, name: str) -> dict[str, Any]:
    return {name: in_workspace(row["path"])} if "path" in row else {}


def _grep(row: Row) -> dict[str, Any]:
    mode = {"output_mode": row.get("mode", "content"), "-n": row.get("numbers", True)}
    return {"pattern": "foo", **mode, **_place(row, "path")}


def _given(name: str) -> Callable[[Row], dict[str, Any]]:
    """Arguments of a search in which the place has this name."""
    return lambda row: {"pattern": "foo", **_place(row, name)}


def _opened(name: str, **more: Any) -> Callable[[Row], dict[str, Any]]:
    """Arguments of a reader in which the file has this name."""
    return lambda row: {**more, **_absolute(row, name)}


DOORS: Mapping[str, Door] = {
    # searches
    "Grep": Door("Grep", _grep),
    "grep_search": Door("grep_search", _given("dir_path")),
    "opencode grep": Door("grep", _given("path")),
    "ripgrep": Door("mcp__ripgrep__search", _given("path")),
    "code-index": Door("mcp__code-index__search_code_advanced", _given("path")),
    "unknown search": Door(
        "mcp__acme__search", lambda row: {"query": "foo", **_place(row, "path")}
    ),
    "Serena": Door(
        "mcp__serena__search_for_pattern",
        lambda row: {"substring_pattern": "foo", **_place(row, "relative_path")},
    ),
    "claude-context": Door(
        "mcp__claude-context__search_code", lambda _: {"path": ROOT, "query": "foo"}
    ),
    "SWE-agent search_file": Door(
        "search_file", lambda row: {"search_term": "foo", **_place(row, "file")}
    ),
    "SWE-agent search_dir": Door("search_dir", lambda _: {"search_term": "foo", "dir": ROOT}),
    # contents of a file
    "Read": Door("Read", _opened("file_path")),
    "read_file": Door("read_file", _opened("absolute_path")),
    "editor": Door(
        "str_replace_editor",
        _opened("path", command="view"),
        "Here's the result of running `cat -n` on {path}:\n",
    ),
    "filesystem": Door("mcp__filesystem__read_text_file", _opened("path")),
    "unknown open": Door("mcp__acme__open", _opened("path")),
    "SWE-agent open": Door("open", _opened("path")),
    # names
    "Glob": Door("Glob", lambda row: {"pattern": "**/*", **_absolute(row, "path")}),
    "LS": Door("LS", lambda row: {"path": in_workspace(row.get("path", "."))}),
    "filesystem list": Door(
        "mcp__filesystem__list_directory",
        lambda row: {"path": in_workspace(row.get("path", "."))},
    ),
    "ripgrep list": Door(
        "mcp__ripgrep__list-files", lambda row: {"path": in_workspace(row.get("path", "."))}
    ),
    "ripgrep count": Door("mcp__ripgrep__count-matches", _given("path")),
    "code-index find": Door(
        "mcp__code-index__find_files", lambda row: {"pattern": "*", **_place(row, "path")}
    ),
    "unknown find": Door(
        "mcp__acme__find", lambda row: {"directory": in_workspace(row.get("path", "."))}
    ),
    # changes
    "git server": Door("mcp__git__git_diff", lambda _: {"repo_path": ROOT, "target": "main"}),
    "unknown changes": Door("mcp__acme__changes", lambda _: {"base": "main"}),
}

GROUPS: Mapping[str, Sequence[str]] = {
    "searches": [
        *("Grep", "grep_search", "opencode grep"),
        *("ripgrep", "code-index", "unknown search"),
    ],
    "searches of servers": ["ripgrep", "code-index", "unknown search"],
    "readers": ["Read", "read_file", "filesystem", "unknown open"],
    "readers and editor": ["Read", "read_file", "editor", "filesystem", "unknown open"],
    "names": ["Glob", "ripgrep list", "code-index find", "unknown find"],
    "folders": ["LS", "filesystem list", "unknown find"],
    "changes": ["git server", "unknown changes"],
}
"""Doors that carry the same shapes, so that a row need not repeat them."""


class Case(NamedTuple):
    """One text through one door."""

    row: Row
    door: str
    """A name in DOORS, or `bash`."""
    command: str = ""

    @property
    def name(self) -> str:
        return f"{self.row['says']} | {self.command and '$ '}{self.command or self.door}"


def rows() -> list[Row]:
    """The table of answers."""
    found: list[Row] = tomllib.loads(TABLE.read_text(encoding="utf-8"))["row"]
    return found


def cases() -> Iterator[Case]:
    """Every row with every door that can carry it."""
    for row in rows():
        left_out = row.get("without", {})
        names = [door for name in row.get("doors", ()) for door in GROUPS.get(name, (name,))]
        for door in dict.fromkeys(names):
            if door not in left_out:
                yield Case(row, door)
        for command in row.get("bash", ()):
            yield Case(row, "bash", command)


def in_workspace(path: str) -> str:
    """The path as files are compared: in the workspace, with `/` between folders."""
    path = path.replace("\\", "/")
    if path[1:3] == ":/":
        return path
    return posixpath.normpath(posixpath.join(ROOT, path))


def text_of(row: Row) -> str:
    """The answer without the newline before the closing quotes."""
    return str(row["text"]).removesuffix("\n")


def call_of(case: Case, ending: str = "", newline: str = "\n") -> ToolCall:
    """The call as a trace reader gives it; `ending` comes after the text."""
    text = text_of(case.row).replace("\n", newline) + ending
    if case.door == "bash":
        return ToolCall("Bash", {"command": case.command}, result=ToolResult(text))
    door = DOORS[case.door]
    frame = door.frame.format(path=in_workspace(case.row.get("path", ".")))
    return ToolCall(door.tool, door.arguments(case.row), result=ToolResult(frame + text))


def seen(case: Case, ending: str = "", newline: str = "\n") -> dict[str, Shown]:
    """What groundtrace says that the answer shows, by file."""
    trace = Trace(calls=(call_of(case, ending, newline),), cwd=ROOT)
    (view,) = view_calls(trace, Settings())
    by_file: dict[str, list[FileRef]] = {}
    for ref in view.refs:
        is_prefixed = ref.from_diff and ref.path[:2] in ("a/", "b/")
        by_file.setdefault(in_workspace(ref.path[2:] if is_prefixed else ref.path), []).append(ref)
    return {path: _together(refs) for path, refs in by_file.items()}


def _together(refs: Sequence[FileRef]) -> Shown:
    """References to one file as one: a command gives one for each run of lines."""
    kinds = {ref.kind for ref in refs}
    kind = next(kind for kind in ("written", "read", "matched", "surfaced") if kind in kinds)
    showing = [ref for ref in refs if ref.kind != "surfaced"]
    counts = [ref.shown_chars for ref in showing]
    chars = None if not counts or None in counts else sum(count or 0 for count in counts)
    numbers: set[int] = set()
    for ref in refs:
        if ref.line_start is not None and ref.line_end is not None:
            whole = ((ref.line_start, ref.line_end),)
            for first, last in whole if ref.ranges is None else ref.ranges:
                numbers.update(range(first, last + 1))
    return Shown(kind, runs(numbers) or None, chars)


def runs(numbers: set[int]) -> Lines:
    """Consecutive numbers as runs."""
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return tuple(found)


def right(case: Case) -> dict[str, Shown]:
    """What the row says is right for this door."""
    other = case.row.get("other", {}).get(case.door, {})
    lines = text_of(case.row).split("\n")
    return dict(_file(said, lines) for said in other.get("files", case.row["files"]))


def _file(said: str, answer: Sequence[str]) -> tuple[str, Shown]:
    """`matched src/a.py; lines 2, 9-11; answer 1-4`: lines of the file, lines of the answer.

    The lines of the answer say which characters show the file: each counts with what is in front of
    it and its newline. `chars 12` says it where the answer is no text of lines.
    """
    what, *more = said.split("; ")
    kind, _, path = what.partition(" ")
    parts = dict(part.split(" ", 1) for part in more)
    assert not parts.keys() - {"lines", "answer", "chars"}, said
    file_lines = runs(_numbers(parts["lines"])) if "lines" in parts else None
    chars = int(parts["chars"]) if "chars" in parts else None
    if "answer" in parts:
        chars = sum(len(answer[number - 1]) + 1 for number in _numbers(parts["answer"]))
    return in_workspace(path), Shown(kind, file_lines, chars)


def _numbers(text: str) -> set[int]:
    found: set[int] = set()
    for part in text.split(", "):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found
