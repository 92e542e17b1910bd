"""Lines of Codex's rollouts, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from groundtrace.api import read_trace
from groundtrace.model import ReadResult

META = {"id": "t-1", "timestamp": "2026-05-04T10:00:00Z", "cwd": "/w", "cli_version": "0.90.0"}


def wrapped(kind: str, body: dict[str, Any], second: int = 0) -> dict[str, Any]:
    return {"timestamp": f"2026-05-04T10:00:{second:02d}Z", "type": kind, "payload": body}


def item(kind: str, **body: Any) -> dict[str, Any]:
    return wrapped("response_item", {"type": kind, **body})


def event(kind: str, **body: Any) -> dict[str, Any]:
    return wrapped("event_msg", {"type": kind, **body})


def call(call_id: str, name: str, arguments: Any) -> dict[str, Any]:
    return item("function_call", call_id=call_id, name=name, arguments=json.dumps(arguments))


def output(call_id: str, text: Any) -> dict[str, Any]:
    return item("function_call_output", call_id=call_id, output=text)


def tokens(given: int, made: int) -> dict[str, Any]:
    total = {"input_tokens": given, "output_tokens": made, "cached_input_tokens": 0}
    return event("token_count", info={"total_token_usage": total, "last_token_usage": total})


def write(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def read(folder: Path, lines: list[Any], name: str = "x.jsonl") -> ReadResult:
    return read_trace(write(folder / name, lines))
