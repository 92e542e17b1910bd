"""The invented code base of the demo, and simulated tools that answer from it.

The answers have the form that real tools print, so that the same code reads the demo's traces and
real traces.
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib import resources
from pathlib import Path
from typing import Any

MIRROR = "github.com/sg-evals/{repo}--a1b2c3d4"
"""How the demo's code search names a repository."""


def asset(name: str) -> str:
    """A file of this package."""
    text = resources.files("groundtrace.demo").joinpath(name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")


def sections(name: str) -> dict[str, str]:
    """The files of a code base in one text; each begins with a line `@@ NAME`."""
    parts = (section.partition("\n") for section in asset(name).split("\n@@ ")[1:])
    return {path: body.rstrip("\n") for path, _, body in parts}


def write(path: Path, text: str) -> None:
    """Write a file of a sample, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


@lru_cache
def files() -> dict[str, list[str]]:
    """Path (`repo/…`) to the lines of every file of the code base."""
    return {path: text.split("\n") for path, text in sections("world.txt").items()}


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A call of a simulated tool: name and arguments as a trace has them, and the result."""

    name: str
    arguments: dict[str, Any]
    text: str
    data: Any = None
    is_error: bool = False
    inner: tuple[ToolAnswer, ...] = field(default=())
    """Calls of the subagent, for `Agent`."""


def call(spec: list[Any]) -> ToolAnswer:
    """Carry out one call of the story, such as `["Read", "/workspace/quay/go.mod"]`."""
    tool, *rest = spec
    answer: ToolAnswer = _TOOLS[tool](*rest)
    return answer


def _lines(path: str) -> list[str] | None:
    return files().get(path.removeprefix("/workspace/"))


def _read(path: str, offset: int = 1, limit: int = 2000) -> ToolAnswer:
    arguments: dict[str, Any] = {"file_path": path}
    if offset != 1 or limit != 2000:
        arguments |= {"offset": offset, "limit": limit}
    lines = _lines(path)
    if lines is None:
        return ToolAnswer("Read", arguments, "File does not exist.", is_error=True)
    shown = lines[offset - 1 : offset - 1 + limit]
    text = "\n".join(f"{number:>6}→{line}" for number, line in enumerate(shown, offset))
    data = {
        "type": "text",
        "file": {
            "filePath": path,
            "content": "\n".join(shown),
            "startLine": offset,
            "numLines": len(shown),
            "totalLines": len(lines),
        },
    }
    return ToolAnswer("Read", arguments, text, data)


def _edit(path: str, old: str, new: str) -> ToolAnswer:
    arguments = {"file_path": path, "old_string": old, "new_string": new, "replace_all": False}
    lines = _lines(path)
    if lines is None or old not in "\n".join(lines):
        text = "<tool_use_error>String to replace not found in file.</tool_use_error>"
        return ToolAnswer("Edit", arguments, text, is_error=True)
    return ToolAnswer("Edit", arguments, f"The file {path} has been updated successfully.")


def _write(path: str, content: str) -> ToolAnswer:
    arguments = {"file_path": path, "content": content}
    return ToolAnswer("Write", arguments, f"File created successfully at: {path}")


def _grep(pattern: str, path: str = "/workspace") -> ToolAnswer:
    below = path.removeprefix("/workspace").strip("/")
    names = [
        name
        for name, lines in files().items()
        if name.startswith(below) and any(pattern in line for line in lines)
    ]
    arguments = {"pattern": pattern, "path": path, "output_mode": "files_with_matches"}
    text = "\n".join([f"Found {len(names)} files", *names]) if names else "No files found"
    data = {"mode": "files_with_matches", "filenames": names, "numFiles": len(names)}
    return ToolAnswer("Grep", arguments, text, data)


def _glob(pattern: str) -> ToolAnswer:
    names = [f"/workspace/{name}" for name in files() if fnmatch.fnmatchcase(name, pattern)]
    data = {"filenames": names, "numFiles": len(names), "truncated": False, "durationMs": 9}
    return ToolAnswer("Glob", {"pattern": pattern}, "\n".join(names) or "No files found", data)


def _shell(command: str, output: str, is_error: bool = False) -> ToolAnswer:
    data = {"stdout": output, "stderr": "", "interrupted": False}
    return ToolAnswer("Bash", {"command": command}, output, data, is_error)


def _bash_sed(start: int, end: int, path: str) -> ToolAnswer:
    lines = (_lines(path) or [])[start - 1 : end]
    return _shell(f"sed -n '{start},{end}p' {path}", "\n".join(lines))


def _bash_cat(path: str) -> ToolAnswer:
    lines = _lines(path)
    if lines is None:
        return _shell(f"cat {path}", f"cat: {path}: No such file or directory", True)
    return _shell(f"cat {path}", "\n".join(lines))


def _bash_grep(pattern: str, path: str) -> ToolAnswer:
    repo = path.removeprefix("/workspace/")
    hits = [
        f"./{name.removeprefix(repo).lstrip('/')}:{number}:{line}"
        for name, lines in files().items()
        if name.startswith(repo)
        for number, line in enumerate(lines, 1)
        if pattern in line
    ]
    return _shell(f"cd {path} && grep -rn {pattern!r} .", "\n".join(hits), not hits)


def _bash_find(path: str, pattern: str) -> ToolAnswer:
    below = path.removeprefix("/workspace/")
    names = [
        f"/workspace/{name}"
        for name in files()
        if name.startswith(below) and fnmatch.fnmatchcase(name.rpartition("/")[2], pattern)
    ]
    return _shell(f"find {path} -name {pattern!r} -type f", "\n".join(names))


def _mirror(repo: str) -> str:
    return MIRROR.format(repo=repo)


def _search(terms: str, repo: str | None = None, kind: str = "keyword_search") -> ToolAnswer:
    query = terms if repo is None else f"repo:^{_mirror(repo)}$ {terms}"
    blocks = []
    for name, lines in files().items():
        owner, _, path = name.partition("/")
        numbers = [n for n, line in enumerate(lines, 1) if terms.split()[0] in line]
        if numbers and repo in (None, owner):
            shown = [f"{n}: {lines[n - 1]}" for n in numbers]
            blocks.append("\n".join([f"# {_mirror(owner)} – {path}", *shown]))
    text = "\n\n".join(blocks) or "No results.\n\nNo results found."
    return ToolAnswer(f"mcp__sourcegraph__{kind}", {"query": query}, text)


def _remote_read(repo: str, path: str, start: int = 1, end: int = 2000) -> ToolAnswer:
    name = "mcp__sourcegraph__read_file"
    arguments: dict[str, Any] = {"repo": _mirror(repo), "path": path}
    if end != 2000:
        arguments |= {"startLine": start, "endLine": end}
    lines = files().get(f"{repo}/{path}")
    if lines is None:
        return ToolAnswer(name, arguments, f"file not found: {path}", is_error=True)
    shown = [f"{n}: {line}" for n, line in enumerate(lines[start - 1 : end], start)]
    last = start + len(shown) - 1
    url = f"URL: https://sg.example.com/{_mirror(repo)}@a1b2c3d4/-/blob/{path}?L{start}-{last}"
    return ToolAnswer(name, arguments, "\n".join([url, *shown]))


def _remote_list(repo: str, path: str = "") -> ToolAnswer:
    below = f"{repo}/{path}".rstrip("/") + "/"
    inside = [name.removeprefix(below) for name in files() if name.startswith(below)]
    prefix = f"{path}/" if path else ""
    folders = sorted({f"{prefix}{name.partition('/')[0]}/" for name in inside if "/" in name})
    here = [f"{prefix}{name}" for name in inside if "/" not in name]
    arguments = {"repo": _mirror(repo), "path": path}
    return ToolAnswer("mcp__sourcegraph__list_files", arguments, "\n".join([*folders, *here]))


def _agent(description: str, calls: list[list[Any]], answer: str) -> ToolAnswer:
    arguments = {"description": description, "prompt": description, "subagent_type": "Explore"}
    return ToolAnswer("Agent", arguments, answer, inner=tuple(call(spec) for spec in calls))


def _todo(*items: str) -> ToolAnswer:
    todos = [{"content": item, "status": "pending"} for item in items]
    return ToolAnswer("TodoWrite", {"todos": todos}, "Todos have been modified successfully.")


_TOOLS: dict[str, Any] = {
    "Read": _read,
    "Edit": _edit,
    "Write": _write,
    "Grep": _grep,
    "Glob": _glob,
    "cat": _bash_cat,
    "sed": _bash_sed,
    "grep": _bash_grep,
    "find": _bash_find,
    "run": _shell,
    "search": _search,
    "nls": partial(_search, kind="nls_search"),
    "sg_read": _remote_read,
    "sg_list": _remote_list,
    "Agent": _agent,
    "Todo": _todo,
}
"""The words that a story may use for a call."""
