"""A trace's text as documents hold it: short, writable, without credentials (D39)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from groundtrace.base.jsonio import clean_text
from groundtrace.documents.base import MAX_INT
from groundtrace.documents.events import Scalar
from groundtrace.redact import is_call_id, is_masking, mask_head

MAX_TEXT = 2000
"""How many characters of a text a document keeps."""

LOOKED_AT = 4 * MAX_TEXT
"""How many characters of a text are masked before it is cut."""

MAX_ITEMS = 50
"""How many items of a list argument a document keeps."""

KEPT_LENGTH = 200
"""Texts up to this length are cached: the paths of a trial occur again in every event."""

SALIENT = frozenset(
    {
        *("file_path", "filepath", "file", "filename", "files", "path", "paths", "notebook_path"),
        *("directory", "dir", "cwd", "workdir", "target_directory", "targetdirectory", "url"),
        *("target_file", "relative_workspace_path"),
        *("pattern", "patterns", "glob", "globpattern", "glob_pattern", "include", "exclude"),
        *("type", "output_mode", "regex", "q", "query", "queries", "question", "search_term"),
        *("information_request", "messageterms", "contentterms", "authors", "added", "removed"),
        *("after", "before", "since", "until", "head_limit", "context", "multiline"),
        *("-a", "-b", "-c", "-i", "-n"),
        *("symbol", "symbols", "symbol_name", "owner", "repo", "repos", "repository"),
        *("repositories", "revision", "rev", "ref", "sha", "branch", "base", "head", "identifier"),
        *("offset", "limit", "line", "lines", "start_line", "end_line", "startline", "endline"),
        *("line_start", "line_end", "view_range", "insert_line", "start", "end"),
        *("command", "cmd"),
    }
)
"""Names of arguments that say what was looked for and where, in lower case: paths; patterns and
queries; symbols, repositories and revisions; lines; commands."""


def salient_arguments(arguments: Mapping[str, Any]) -> dict[str, Scalar | list[Scalar]]:
    """The arguments that say what was looked for and where, short and without credentials."""
    kept: dict[str, Scalar | list[Scalar]] = {}
    for name, value in arguments.items():
        if not isinstance(name, str) or (name not in SALIENT and name.lower() not in SALIENT):
            continue
        if isinstance(value, (list, tuple)):
            items: list[Scalar] = [
                item for item in map(_scalar, value[:MAX_ITEMS]) if item is not None
            ]
            if len(value) > MAX_ITEMS:
                items.append(f"… [{len(value)} items in all]")
            if items:
                kept[clean_text(name)] = items
        elif (scalar := _scalar(value)) is not None:
            kept[clean_text(name)] = scalar
    return kept


def _scalar(value: Any) -> Scalar:
    """A value that a document may hold, or None for one that it may not."""
    if isinstance(value, str):
        return stored_text(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= MAX_INT else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return None


def stored_text(text: str) -> str:
    """Text of a trace as a document holds it: writable, masked (D39), not too long."""
    return _kept(text, is_masking()) if len(text) <= KEPT_LENGTH else _shown(text)


def stored_id(text: str) -> str:
    """The id of a call as a document holds it. Ids do not occur again, so none is cached."""
    return text if is_call_id(text) else _shown(text)


def _shown(text: str) -> str:
    # Mask first and cut later, and mask more than is kept. Masking shortens the text, so half a
    # token at the end of the masked part could move into the part that is kept.
    shown, was_cut = mask_head(clean_text(text[: LOOKED_AT + 1]), LOOKED_AT)
    if len(shown) <= MAX_TEXT and not was_cut:
        return shown
    return f"{shown[:MAX_TEXT]}… [{len(text)} characters in all]"


@lru_cache(maxsize=8192)
def _kept(text: str, _masking: bool) -> str:
    return _shown(text)
