"""The keys of a mapping, read and checked: an error names the file and the key. And whether a file
matches a mapping."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from msgspec import field

from groundtrace.base import tomlio
from groundtrace.base.cut_json import read_cut, read_prefix
from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonl import read_lines
from groundtrace.base.patterns import regex
from groundtrace.base.suggest import unknown_name
from groundtrace.config import MAX_MAPPING
from groundtrace.errors import InputError
from groundtrace.traces.mapped.expressions import Expression, ExpressionError

LAYOUTS = ("object", "lines", "rows")

TEXTS: Mapping[str, str] = {
    "reader": "name of the format, shown as evidence",
    "harness": "name of the harness; if absent, the name of the format",
    "layout": "`object`: a file is one object and one trial; `lines`: one object per line, a file is one trial; `rows`: one object per line, or a list of objects, each object is a trial",
    "records": "name of the list in the object that holds the records, such as `messages`",
    "cwd_after": "if `cwd` gives a longer text, such as an instruction: the words in front of the directory, which ends with its line",
    "usage_comes": "`before` (default) if a record with tokens comes before the calls of its reply, or holds them; `after` if it comes after them",
}
"""Keys that are plain texts."""
LISTS: Mapping[str, str] = {
    "marks": "texts that the first 64 kB must contain; checked before anything is decoded",
    "plain_reads": "tools whose result is the text of a file without line numbers; it starts at the line that their argument `offset` names, else at the first line",
    "files": "patterns of the format's files in a trial's folder, such as `agent/*.jsonl`",
}
"""Keys that are lists of texts."""
ON_RECORD: Mapping[str, str] = {
    "match": "true for the object, or for one of the first lines, of a file of this format",
    "task": "the task's name",
    "model": "the model",
    "version": "the harness's version",
    "repo": "the repository",
    "cost": "dollars of the whole trial",
    "reward": "a verdict (true or false) or a score",
    "seconds": "how long the agent worked",
    "exit_status": "how the run ended, if it did not end normally",
    "submission": "the submitted patch",
    "cwd": "the working directory from this record on",
    "calls": "the calls of a record: a list, or one object",
    "answers": "the results of a record, if they are not inside the calls",
    "usage": "the model calls of a record that have token counts: a list, or one object",
}
"""Keys that are expressions on a record: a line, an element of `records`, or the object itself."""
ON_CALL: Mapping[str, str] = {
    "id": "the call's id",
    "name": "the tool's name",
    "arguments": "its arguments: an object, or JSON in a text",
    "result": "its result: a text, a list of content blocks, or an object with stdout and stderr",
    "failed": "true, or a number other than 0, if the call failed",
    "time": "when it was made",
    "call_cwd": "the working directory of the call",
    "server": "the MCP server of the tool",
    "agent": "the subagent that made the call; nothing if the main thread made it",
}
"""Keys that are expressions on a call."""
ON_ANSWER: Mapping[str, str] = {
    "answer_id": "the id of the call that the result belongs to",
    "answer_result": "as `result`",
    "answer_failed": "as `failed`",
    "answer_time": "when it came",
}
"""Keys that are expressions on an answer."""
ON_USAGE: Mapping[str, str] = {
    "usage_id": "the model call's id, if the file repeats its tokens",
    "input_tokens": "input tokens, including those from a cache",
    "cached_tokens": "input tokens that came from a cache",
    "output_tokens": "output tokens",
    "usage_cost": "dollars of the model call",
}
"""Keys that are expressions on a model call."""
EXPRESSIONS: Mapping[str, str] = {**ON_RECORD, **ON_CALL, **ON_ANSWER, **ON_USAGE}
FACTS = (
    "task", "model", "version", "repo", "cost", "reward", "seconds", "exit_status", "submission",
)  # fmt: skip
"""Keys whose first value in a file counts."""
REQUIRED = ("reader", "match", "calls", "name")
_NAME = regex(r"[\w.-]{1,60}")


class Declared(Frozen, frozen=True):
    """A mapping that was checked."""

    reader: str
    harness: str
    layout: str = "object"
    records: str | None = None
    is_usage_after: bool = False
    cwd_after: str | None = None
    marks: tuple[bytes, ...] = ()
    plain_reads: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    expressions: Mapping[str, Expression] = field(default_factory=dict)


def parse_mapping(text: str, where: str) -> Declared:
    """The mapping in a TOML text; raises InputError with the file and the key."""
    if len(text) > MAX_MAPPING:
        raise InputError(f"{where}: larger than a mapping may be ({MAX_MAPPING:,} bytes)")
    try:
        data = tomlio.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid TOML: {error}") from error
    known = (*TEXTS, *LISTS, *EXPRESSIONS)
    for key in data:
        if key not in known:
            raise InputError(f"{where}: {unknown_name('key', key, known, listed=False)}")
    for key in REQUIRED:
        if key not in data:
            what = EXPRESSIONS.get(key) or TEXTS.get(key)
            raise InputError(f"{where}: {key} is missing ({what})")
    texts = {key: _text(data, key, where) for key in TEXTS if key in data}
    if not _NAME.fullmatch(texts["reader"]):
        raise InputError(f"{where}: reader must be a short name of letters, digits and - _ .")
    layout = texts.get("layout", "object")
    if layout not in LAYOUTS:
        raise InputError(f"{where}: layout must be one of {', '.join(LAYOUTS)}")
    if layout == "lines" and "records" in texts:
        raise InputError(
            f"{where}: records belongs to an object; with layout lines, lines are records"
        )
    comes = texts.get("usage_comes", "before")
    if comes not in ("before", "after"):
        raise InputError(f"{where}: usage_comes must be before or after")
    expressions = {
        key: _expression(_text(data, key, where), f"{where}: {key}")
        for key in EXPRESSIONS
        if key in data
    }
    return Declared(
        reader=texts["reader"],
        harness=texts.get("harness", texts["reader"]),
        layout=layout,
        records=texts.get("records"),
        is_usage_after=comes == "after",
        cwd_after=texts.get("cwd_after"),
        marks=tuple(mark.encode() for mark in _list(data, "marks", where)),
        plain_reads=frozenset(_list(data, "plain_reads", where)),
        files=tuple(_list(data, "files", where)),
        expressions=expressions,
    )


def _text(data: Mapping[str, Any], key: str, where: str) -> str:
    value = data[key]
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: {key} must be a text")
    return value


def _list(data: Mapping[str, Any], key: str, where: str) -> list[str]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise InputError(f"{where}: {key} must be a list of texts")
    return value


def _expression(text: str, where: str) -> Expression:
    try:
        return Expression(text)
    except ExpressionError as error:
        raise InputError(f"{where}: {error}") from error


# --- the files of a mapping ---

FIRST_LINES = 8
"""How many lines are read to recognise a file."""
_NOTICE = regex(rb"(?:\xef\xbb\xbf)?\s{0,8}Exporting session: [^\n]{0,400}\n")
"""What `opencode export` prints on standard error, which a redirection may put before the object."""


def without_notice(head: bytes) -> bytes:
    """The first bytes of a file without the notice of a program above its object."""
    found = _NOTICE.match(head) if head[:64].lstrip()[:1] not in (b"{", b"[") else None
    return head if found is None else head[found.end() :]


def matches(mapping: Declared, head: bytes) -> str | None:
    """The place in the first bytes of a file where `match` is true; None if there is none."""
    if mapping.layout == "object":
        text = head.decode("utf-8-sig", errors="replace")
        return "the object" if _is_true(mapping, read_cut(text)) else None
    if mapping.layout == "rows" and head.lstrip()[:1] == b"[":
        value = read_cut(head.decode("utf-8-sig", errors="replace"))
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
