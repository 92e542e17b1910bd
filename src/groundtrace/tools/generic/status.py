"""Whether an answer says that a call failed, that nothing was found, or that something was written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from groundtrace.answers import words
from groundtrace.answers.file_names import LONGEST_PATH, word_path
from groundtrace.answers.payload import Payload
from groundtrace.base.patterns import regex

_SHORT = 5
"""An answer with more lines than this is not only a message."""
_FAILED = regex(
    r"\s*(?:#+ )?(?:(?:\w{0,30}error|exception|failed|failure|cannot|could not|unable to|access denied"
    r"|permission denied|invalid|traceback|timed? ?out|unauthorized|forbidden)\b"
    r"|no (?:such )?(?:\w+ ){0,2}(?:results?|match(?:es)?|files?|references?|definitions?|symbols?|tool)\b"
    r"|0 (?:results?|match(?:es)?|files?)\b|nothing (?:was )?found|not found|found 0\b"
    r"|(?:file|path|repository|directory|symbol) not found|repo not found"
    r"|(?:the )?(?:\w+ )?(?:request|operation|command|call|execution|process|query|search) timed out\b)",
    re.IGNORECASE,
)
_WROTE = regex(
    r"\b(?:successfully|saved|wrote|written|created|updated|deleted|removed|moved|renamed|edited"
    r"|replaced|inserted|applied|stored|exported|appended|overwrote|modified|changed)\b",
    re.IGNORECASE,
)
_FOLDER = regex(r"\b(?:directory|folder)\b", re.IGNORECASE)
_STAGED = regex(r"\b(?:staged|unstaged|committed|indexed)\b", re.IGNORECASE)
_DONE = regex(r"\s*(?:OK|Done|Success|Successful|True|null)\W*\s*", re.IGNORECASE)
_FACTS = regex(r"^isFile: true", re.MULTILINE | re.IGNORECASE)
_SMALL = frozenset(
    {
        *("a", "an", "and", "as", "at", "been", "changes", "content", "contents", "edit", "edits"),
        *("file", "files", "from", "has", "in", "into", "it", "its", "new", "of", "report"),
        *("result", "successfully", "text", "the", "to", "under", "was", "with"),
    }
)
"""Words that may come between a verb of writing and the file."""
_WRITTEN_FIELDS = frozenset(
    {"byteswritten", "written", "linesadded", "created", "deleted", "updated", "modified", "saved"}
)


def is_failure(payload: Payload) -> bool:
    """Whether the answer says that the call failed or found nothing, or is empty."""
    value = payload.value
    if value is not None:
        fields = (
            {words.plain(str(k)): v for k, v in value.items()} if isinstance(value, Mapping) else {}
        )
        if fields.get("success") is False or fields.get("ok") is False:
            return True
        return bool(fields.get("error")) or _is_empty(value, 6)
    text = payload.text
    if not text.strip():
        return True
    filled = [line for line in text[:LONGEST_PATH].split("\n") if line.strip()]
    return len(filled) <= _SHORT and _FAILED.match(filled[0]) is not None


def _is_empty(value: Any, depth: int) -> bool:
    """Whether a JSON value holds nothing: `[]`, `{"blocks": []}`."""
    if value is None or value == "":
        return True
    if isinstance(value, Mapping):
        lists = [v for v in value.values() if isinstance(v, (list, tuple, Mapping))]
        scalars = [v for v in value.values() if not isinstance(v, (list, tuple, Mapping))]
        if any(v not in (None, "", 0, False) for v in scalars):
            return False
        return depth > 0 and all(_is_empty(v, depth - 1) for v in lists)
    return isinstance(value, (list, tuple)) and not value


def is_done(payload: Payload) -> bool:
    """Whether the answer only says that the call worked, or what a write changed."""
    if payload.value is not None:
        fields = {words.plain(str(key)) for key in payload.mapping}
        return bool(fields & (_WRITTEN_FIELDS | {"success", "ok", "status"}))
    filled = [line for line in payload.text[:LONGEST_PATH].split("\n") if line.strip()]
    if len(filled) > _SHORT:
        return False
    return any(_DONE.fullmatch(line) or _WROTE.search(line) for line in filled)


def says_written(payload: Payload) -> bool:
    """Whether a JSON answer counts what it wrote."""
    fields = {words.plain(str(key)) for key in payload.mapping}
    return bool(fields & _WRITTEN_FIELDS)


def written_names(text: str) -> list[str]:
    """Files that a sentence of success names, and those listed below it."""
    lines = text[:20_000].split("\n")
    for number, line in enumerate(lines[:_SHORT]):
        if (
            not _WROTE.search(line[:600])
            or _FOLDER.search(line[:600])
            or _STAGED.search(line[:600])
        ):
            continue
        names = _named_as_written(line[:600].split())
        if line.rstrip().endswith(":") and _WROTE.search(line[:60]):
            for below in lines[number + 1 :]:
                name = word_path(below.strip().removeprefix("- ").removeprefix("* "))
                if not name:
                    break
                names.append(name)
        if names:
            return list(dict.fromkeys(names))
    return []


def _named_as_written(tokens: list[str]) -> list[str]:
    """`saved to PATH`, `moved PATH to PATH`, `The file PATH has been updated`.

    The path follows the verb with only a few small words between them, or the sentence begins with
    the path. `the module a.py was written in 2019` does not report a write.
    """
    names: list[str] = []
    last = -1
    for place, token in enumerate(tokens):
        if _WROTE.fullmatch(token.strip(".,:;!")):
            last = place
        path = word_path(token.rstrip(".,:;!)"))
        if not path:
            continue
        between = [word.strip(".,:;()").lower() for word in tokens[last + 1 : place]]
        before = [word.lower() for word in tokens[:place]]
        if last >= 0 and all(word in _SMALL or word in names for word in between):
            names.append(path)
        elif last < 0 and all(word in ("the", "file") for word in before):
            rest = tokens[place + 1 : place + 5]
            if any(_WROTE.fullmatch(word.strip(".,:;!")) for word in rest):
                names.append(path)
    return names


def is_staged(text: str) -> bool:
    """Whether a short answer says that files were staged or folders made, but no file written."""
    first = text[:600]
    return bool(_WROTE.search(first) and (_STAGED.search(first) or _FOLDER.search(first)))


def is_fact_sheet(text: str) -> bool:
    """Whether the answer lists a file's size and times."""
    return len(text) < 2000 and _FACTS.search(text) is not None


def is_remark(text: str, path: str) -> bool:
    """Whether a text is one paragraph of sentences about the file instead of its content."""
    line = text.strip()
    name = path.replace("\\", "/").rpartition("/")[2]
    return "\n" not in line and " " in line and line.endswith((".", "!", "?")) and name in line
