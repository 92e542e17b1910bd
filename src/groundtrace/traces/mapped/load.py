"""Files of a format that a mapping describes: recognised, listed as trials and read."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from groundtrace.base.cut_json import read_prefix
from groundtrace.base.jsonl import read_lines
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_text
from groundtrace.model import Problem
from groundtrace.storage import Folder
from groundtrace.traces.kit.claims import Sample
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.lists import Listed, ListKind, from_value, load_listed, load_opened
from groundtrace.traces.kit.rows import Naming, find_row, named_rows
from groundtrace.traces.mapped.expressions import ExpressionError
from groundtrace.traces.mapped.mapping import Declared
from groundtrace.traces.mapped.trace import MappedTrace
from groundtrace.traces.source import Source

FIRST_LINES = 8
"""How many lines are read to recognise a file."""
_NO_CALL = regex(rb"(?!)")
_NOTICE = regex(rb"(?:\xef\xbb\xbf)?\s{0,8}Exporting session: [^\n]{0,400}\n")
"""What `opencode export` prints on standard error, which a redirection may put before the object."""


def without_notice(head: bytes) -> bytes:
    """The first bytes of a file without the notice of a program above its object."""
    found = _NOTICE.match(head) if head[:64].lstrip()[:1] not in (b"{", b"[") else None
    return head if found is None else head[found.end() :]


# --- recognising ----------------------------------------------------------------------------


def matches(mapping: Declared, head: bytes) -> str | None:
    """The place in the first bytes of a file where `match` is true; None if there is none."""
    if mapping.layout == "object":
        text = head.decode("utf-8-sig", errors="replace")
        return "the object" if _is_true(mapping, read_prefix(text).value) else None
    if mapping.layout == "rows" and head.lstrip()[:1] == b"[":
        value = read_prefix(head.decode("utf-8-sig", errors="replace")).value
        first = value[0] if isinstance(value, list) and value else None
        return "the first row" if _is_true(mapping, first) else None
    for number, line in enumerate(read_lines(io.BytesIO(head))):
        if number >= FIRST_LINES:
            break
        text = line.data.decode("utf-8-sig", errors="replace")
        if _is_true(mapping, read_prefix(text).value):
            return f"line {line.number}"
    return None


def _is_true(mapping: Declared, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    try:
        found = mapping.expressions["match"].of(value)
    except ExpressionError:
        return False
    return found is not None and found is not False and found not in ("", [], {})


# --- reading --------------------------------------------------------------------------------


def samples(mapping: Declared, folder: Folder, path: str) -> Iterator[Sample | Problem]:
    """The trials of a file, with what each states."""
    if mapping.layout != "rows":
        source = read(mapping, folder, path, None, Keep())
        yield Sample(None, source.stated, first_call=source.first_call)
        return
    try:
        for name, value in named_rows(folder, path, _naming(mapping)):
            if isinstance(value, Problem):
                yield value
            else:
                source = _read_object(mapping, value, path, Keep())
                yield Sample(name, source.stated, first_call=source.first_call)
    except OSError as error:
        yield Problem(path, "unreadable", f"cannot be read: {error}")


def _naming(mapping: Declared) -> Naming:
    """Rows are named by the mapping's task."""
    expression = mapping.expressions.get("task")

    def task_of(row: Mapping[str, Any]) -> str | None:
        try:
            return None if expression is None else as_text(expression.of(row))
        except ExpressionError:
            return None

    return Naming("task" if expression is None else f"task {expression.text}", task_of)


def read(mapping: Declared, folder: Folder, path: str, name: str | None, keep: Keep) -> Source:
    """Read a file, or one row of it."""
    if mapping.layout == "rows":
        row = find_row(folder, path, name, _naming(mapping))
        if isinstance(row, Problem):
            trace = MappedTrace(mapping, path, keep)
            trace.source.problems.append(row)
            return trace.source
        return _read_object(mapping, row, path, keep)
    trace = MappedTrace(mapping, path, keep)
    if mapping.layout == "lines":
        with folder.open(path) as stream:
            trace.read(stream)
        return trace.finish({}, [])
    return _from_list(trace, _loaded(folder, path, mapping.records or "\0"))


def _loaded(folder: Folder, path: str, records: str) -> Listed:
    """The object in a file, behind a notice if there is one."""
    with folder.open(path) as stream:
        head = stream.read(512)
    skipped = len(head) - len(without_notice(head))
    if not skipped:
        return load_listed(folder, path, ListKind(records, _NO_CALL))

    def opened() -> BinaryIO:
        stream = folder.open(path)
        stream.read(skipped)
        return stream

    return load_opened(opened, None, path, ListKind(records, _NO_CALL))


def _read_object(mapping: Declared, value: Any, path: str, keep: Keep) -> Source:
    trace = MappedTrace(mapping, path, keep)
    return _from_list(trace, from_value(value, path, ListKind(mapping.records or "\0", _NO_CALL)))


def _from_list(trace: MappedTrace, loaded: Listed) -> Source:
    """The records of an object; an object without such a list is itself the only record."""
    if trace.mapping.records is None:
        for _ in loaded.items:
            pass
        # It is normal that there is no such list; other damage is reported.
        loaded.problems = [p for p in loaded.problems if "no list of" not in p.reason]
        if loaded.root:
            trace.record(loaded.root)
        return trace.finish(loaded.root, loaded.problems)
    for number, record in enumerate(loaded.items):
        if isinstance(record, Problem):
            trace.source.problems.append(record)
            trace.source.ledger.interrupt()
        else:
            trace.record(record, number=number)
    return trace.finish(loaded.root, loaded.problems)
