"""The demo's further tasks: their definitions, and the calls of three kinds of agents."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any

from groundtrace.demo.world import files

CONFIGS = {
    "local": "baseline-local-direct",
    "remote": "mcp-remote-direct",
    "index": "index-only-direct",
}


def more_tasks() -> list[dict[str, Any]]:
    """The tasks in the form of story.toml."""
    return [_task(row) for row in _rows()]


def more_trials() -> list[dict[str, Any]]:
    """Their trials in the form of story.toml."""
    return [
        {
            "task": row["name"],
            "config": config,
            "reward": float(row[key][1]),
            "cost": row[key][2],
            "formats": ["stream"],
            "calls": list(_calls(key, row, row[key][0])),
        }
        for key, config in CONFIGS.items()
        for row in _rows()
    ]


def _rows() -> list[dict[str, Any]]:
    text = resources.files("groundtrace.demo").joinpath("more.toml").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = tomllib.loads(text)["task"]
    return rows


def _task(row: dict[str, Any]) -> dict[str, Any]:
    repos = list(dict.fromkeys(path.partition("/")[0] for path in row["files"]))
    if _is_fix(row):
        names = [path.partition("/")[2] for path in row["files"]]
        content = {"task_id": row["name"], "expected_files": names, "compilation_required": True}
        definition = {"tests/expected_changes.json": json.dumps(content) + "\n"}
    else:
        named = [path.replace("/", "::", 1) for path in row["files"]]
        definition = {"tests/ground_truth.json": json.dumps({"files": named}) + "\n"}
    return {
        "name": row["name"],
        "suite": row["suite"],
        "repos": repos,
        "instruction": row["ask"],
        "files": definition,
    }


def _is_fix(row: dict[str, Any]) -> bool:
    return bool(row["suite"] == "demo_sdlc_fix")


def _calls(key: str, row: dict[str, Any], opened: int) -> Iterator[list[Any]]:
    """Look for files, open as many relevant ones as the row says, then edit or answer."""
    repo = row["files"][0].partition("/")[0]
    yield ["Todo", "look around", "do it"]
    if key == "remote":
        yield ["search", row["word"]]
    else:
        ending = "*.ts*" if repo == "berth-ui" else "*.go"
        yield ["find", f"/workspace/{repo}", ending] if key == "local" else ["Glob", f"{repo}/*"]
    own = row["files"][:opened]
    if opened < len(row["files"]):
        yield ["Read", f"/workspace/{_other(row)}"]
    for path in own:
        folder, _, name = path.partition("/")
        yield ["sg_read", folder, name] if key == "remote" else ["Read", f"/workspace/{path}"]
    if not _is_fix(row):
        yield ["Write", "/workspace/answer.json", "{}"]
        return
    for path in own:
        line = max(files()[path], key=len)
        yield ["Edit", f"/workspace/{path}", line, f"{line} // {row['name']}"]
    yield ["run", f"cd /workspace/{repo} && make test", "ok"]


def _other(row: dict[str, Any]) -> str:
    """A file of the same repository that is not relevant."""
    repo = row["files"][0].partition("/")[0]
    return next(path for path in files() if path.startswith(repo) and path not in row["files"])
