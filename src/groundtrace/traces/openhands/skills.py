"""Skills that OpenHands' agent calls in IPython cells, as calls of tools (D85).

`open_file('/workspace/app.py')` in a cell shows a window of the file and runs no code of the task.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

_FILE = "path"
SKILLS: Mapping[str, Sequence[str]] = {
    "open_file": (_FILE, "line_number", "context_lines"),
    "goto_line": ("line_number",),
    "scroll_down": (),
    "scroll_up": (),
    "create_file": (_FILE,),
    "search_dir": ("search_term", "dir"),
    "search_file": ("search_term", _FILE),
    "find_file": ("file_name", "dir"),
    "edit_file_by_replace": (_FILE, "to_replace", "new_content"),
    "edit_file": (_FILE, "start", "end", "content"),
    "insert_content_at_line": (_FILE, "line_number", "content"),
    "append_file": (_FILE, "content"),
}
"""Names of the skills and of their parameters, in order."""
_WRITES = frozenset(
    {"create_file", "edit_file_by_replace", "edit_file", "insert_content_at_line", "append_file"}
)
_NAMES = {"file_name": _FILE, "filename": _FILE, "file_path": _FILE, "dir_path": "dir"}
MAX_CELL = 200_000


def skill_of(code: Any) -> tuple[str, dict[str, Any]] | None:
    """Skill and arguments of a cell that is one call of a skill and nothing else."""
    if not isinstance(code, str) or len(code) > MAX_CELL:
        return None
    try:
        body = ast.parse(code.strip()).body
        call = body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
        if isinstance(call, ast.Call) and _name(call) == "print" and len(call.args) == 1:
            call = call.args[0]
        if not isinstance(call, ast.Call) or (name := _name(call)) not in SKILLS:
            return None
        given = {
            key: ast.literal_eval(value)
            for key, value in zip(SKILLS[name], call.args, strict=False)
        }
        for item in call.keywords:
            if item.arg is None:
                return None
            key = item.arg
            key = _FILE if name == "search_file" and key == "file_path" else key
            key = key if name == "find_file" and key == "file_name" else _NAMES.get(key, key)
            given[key] = ast.literal_eval(item.value)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return name, given


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def skill_failed(name: str, text: str) -> bool:
    """Whether the output of a skill that writes says that nothing was written."""
    return name in _WRITES and not text.lstrip().startswith("[File")
