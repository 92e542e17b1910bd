"""What must be true for every result, whatever the input was."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import Any, get_args

import jsonschema_rs
import msgspec

from groundtrace.documents.codec import decode, encode
from groundtrace.documents.masked import masked
from groundtrace.documents.schema import schema
from groundtrace.model import (
    AccessKind,
    CallView,
    Category,
    FileRef,
    Problem,
    ReadResult,
    Trace,
    TruthResult,
)

CATEGORIES = frozenset(get_args(Category))
KINDS = frozenset(get_args(AccessKind))


@cache
def _validator(kind: str) -> Any:
    return jsonschema_rs.validator_for(schema(kind))


def check_document(kind: str, document: msgspec.Struct) -> bytes:
    """It fits its schema, and reading it back gives the same document, without its credentials."""
    data = encode(document)
    _validator(kind).validate(msgspec.json.decode(data))
    assert decode(kind, data, "fuzz") == masked(document)
    return data


def check_text(text: object) -> None:
    """Text that can be written."""
    assert isinstance(text, str), type(text)
    text.encode("utf-8")


def check_problems(problems: Iterable[Problem]) -> None:
    """Every problem names a kind, and its words can be written."""
    for problem in problems:
        assert problem.kind and problem.reason, problem
        assert problem.kind != "internal_error", problem
        check_text(problem.file)
        check_text(problem.reason)
        check_text(str(problem))
        assert problem.line is None or problem.line >= 1
        assert problem.lost_calls >= 0


def check_trace(read: ReadResult) -> Trace:
    """Calls have the types that the next stage relies on."""
    trace, problems = read
    check_problems(problems)
    for call in trace.calls:
        check_text(call.name)
        assert call.name and isinstance(call.arguments, dict)
        for text in (call.call_id, call.step_id, call.server, call.cwd):
            assert text is None or isinstance(text, str)
        assert call.timestamp is None or math.isfinite(call.timestamp)
        assert call.cumulative_tokens is None or call.cumulative_tokens >= 0
        if call.result is not None:
            check_text(call.result.text)
    assert trace.readable or not trace.calls
    assert (trace.source is None) == (not trace.has_trajectory and not trace.has_transcript)
    return trace


def check_refs(refs: Iterable[FileRef]) -> None:
    """Files are named, and lines count from 1."""
    for ref in refs:
        assert isinstance(ref.path, str) and ref.path, ref
        assert ref.kind in KINDS
        assert ref.repo is None or isinstance(ref.repo, str)
        for line in (ref.line_start, ref.line_end):
            assert line is None or isinstance(line, int), ref


def check_views(trace: Trace, views: list[CallView]) -> None:
    """One view a call; a call that obtained nothing has no files (D4)."""
    assert len(views) == len(trace.calls)
    for view in views:
        assert view.category in CATEGORIES
        assert not (view.failed and view.refs)
        check_refs(view.refs)
        check_problems(view.problems)


def check_truth(result: TruthResult) -> None:
    """Files have a source, none is a folder, and chunks have lines (D25, D28)."""
    truth, problems = result
    check_problems(problems)
    assert (truth.source is None) == (not truth.files)
    for file in (*truth.files, *truth.expected_edit_files):
        check_text(file.spelling)
        assert file.path and not file.path.endswith("/") and "\0" not in file.path, file
    for chunk in truth.chunks:
        assert 1 <= chunk.line_start <= chunk.line_end
    assert truth.files or problems, "no files, and nothing says why"
