"""Taking Harbor's observation text apart.

Harbor appends to a tool's output: a second copy of stdout, stderr, the structured result as JSON,
and a note of failure. A file name in the metadata of a Write is not something the tool printed. So
the tool's own output must be separated from what was added.
"""

from __future__ import annotations

from typing import Any

import msgspec

from groundtrace.base.cut_json import scan
from groundtrace.base.patterns import regex

_METADATA = "[metadata] "
_ERROR = regex(r"(?:^|\n)\[error\][^\n]*\s*$")
_STDOUT = regex(r"(?:^|\n)\[stdout\]\n")
_STDERR = regex(r"(?:^|\n)\[stderr\]\n")


class Sections(msgspec.Struct, frozen=True):
    """The text of an observation, by origin."""

    text: str
    """The tool's own output."""
    metadata: dict[str, Any] | None = None
    """The structured result that was appended."""
    stdout: str | None = None
    stderr: str | None = None
    failed: bool = False
    """Whether the text ends with the note that the tool reported failure."""


def take_apart(content: str) -> Sections:
    """Separate the appended sections; a text without any is returned unchanged."""
    body = content
    failed = False
    # The patterns are slow when nothing matches; a search for plain text is fast.
    note = _ERROR.search(body, max(0, len(body) - 400)) if "[error]" in body[-400:] else None
    if note is not None:
        body, failed = body[: note.start()], True
    body, metadata = _cut_metadata(body)
    body, stdout, stderr = _cut_streams(body, appended=metadata is not None or failed)
    text = _unflatten(_without_gap(body))
    if not text.strip() and stdout:
        text = stdout
    return Sections(text, metadata, stdout, stderr, failed)


def _without_gap(body: str) -> str:
    return body.rstrip("\n")


def _cut_metadata(body: str) -> tuple[str, dict[str, Any] | None]:
    """The last `[metadata] {…}` that goes to the end of the text.

    Metadata repeats file contents, but escaped inside JSON strings. So no line in them can begin
    with the tag and be mistaken for it.
    """
    tag = f"{_METADATA}{{"
    place = body.rfind(tag)
    while place >= 0:
        if place == 0 or body[place - 1] == "\n":
            value, end = _scanned(body, place + len(_METADATA))
            if isinstance(value, dict) and not body[end:].strip():
                return body[: max(0, place - 1)], value
        place = body.rfind(tag, 0, place)
    return body, None


def _scanned(body: str, start: int) -> tuple[Any, int]:
    try:
        return scan(body, start)
    except (StopIteration, ValueError, RecursionError):
        return None, start


def _cut_streams(body: str, *, appended: bool) -> tuple[str, str | None, str | None]:
    """The second copy of stdout and stderr.

    Output with its own line `[stdout]` is left alone, unless what follows that line really is a
    copy of what comes before it.
    """
    if "[stdout]\n" not in body and "[stderr]\n" not in body:
        return body, None, None
    candidates = list(_STDOUT.finditer(body))
    for found in candidates:
        before, after = body[: found.start()], body[found.end() :]
        out, err = _split_stderr(after)
        if _is_copy(before, out, err):
            return before, out, err
    if not candidates and appended:
        for found in _STDERR.finditer(body):
            before, err = body[: found.start()], body[found.end() :]
            if (err.strip() and err.strip() in before) or not before.strip():
                return before, None, err
    return body, None, None


def _split_stderr(after: str) -> tuple[str, str | None]:
    found = list(_STDERR.finditer(after))
    if not found:
        return after, None
    return after[: found[-1].start()], after[found[-1].end() :]


def _is_copy(before: str, out: str, err: str | None) -> bool:
    shown = before.strip()
    if not shown:
        return True
    if out.strip() == shown:
        return True
    if err is not None:
        return shown.startswith(out.strip()) and err.strip() in shown
    # Claude cuts a long output, but the copy of stdout is complete.
    return bool(out.strip()) and (shown in out or out.strip() in shown)


def _unflatten(body: str) -> str:
    """The text of a list of text parts, which Harbor wrote as JSON objects one after another."""
    if not body.startswith('{"type": "'):
        return body
    texts: list[str] = []
    position = 0
    while position < len(body):
        try:
            value, position = scan(body, position)
        except (StopIteration, ValueError, RecursionError):
            return body
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            return body
        if isinstance(value.get("text"), str):
            texts.append(value["text"])
        while position < len(body) and body[position].isspace():
            position += 1
    return "\n".join(texts) if texts else body
