"""What a user asked an agent: the messages before the agent's first, in any format of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from groundtrace.base import jsonio
from groundtrace.base.cut_json import read_cut, scan
from groundtrace.base.patterns import regex
from groundtrace.storage import Folder
from groundtrace.traces.kit.known import Known, file_key

_HEADS = (24 * 1024, 256 * 1024)
"""How much of a file is looked at: a prompt is near its start. Most agents have answered within the
first piece, and an object whose end is missing is read slowly: 7 % of `normalize` on trajectories
of mini-swe-agent, if the large piece is always taken."""
_LONGEST = 50_000
"""Characters of a prompt that are kept."""
_ASKS = frozenset({"user", "human", "user_message"})
_ANSWERS = frozenset({"assistant", "model", "agent", "gemini", "tool", "function_call"})
_SPEAKERS = _ASKS | _ANSWERS
_TEXTS = ("text", "content", "message", "parts", "payload", "prompt", "value")
_DEPTH = 8


def first_prompt(folder: Folder, file: str) -> str:
    """The text of a user's messages before the first answer; empty if none is found."""
    return "\n".join(_asked(folder, file))[:_LONGEST]


_FROM_HARNESS = regex(
    r"\s*(?:<|Caveat: The messages below|# AGENTS\.md instructions|This session is being)"
)
"""How a message begins that the harness wrote in the user's name: Claude Code's commands and
reminders, Codex's environment and instructions."""


_REQUEST = "## My request for Codex:"
"""Codex's editor puts open files and tabs before what the user asks."""


def title_of(folder: Folder, file: str) -> str | None:
    """The first line of what a user asked; None if nothing is found."""
    for text in _asked(folder, file):
        text = text.rpartition(_REQUEST)[2]
        if _FROM_HARNESS.match(text) is None:
            line = next((line.strip() for line in text.splitlines() if line.strip()), "")
            if line:
                return " ".join(line.split())
    return None


_known: Known[list[str]] = Known(1024 * 1024)
"""What was asked, by characters: it names a trial, and says where the code is."""


def _asked(folder: Folder, file: str) -> list[str]:
    """The texts of a user's messages before the first answer."""
    key = file_key(folder, file)
    said = _known.get(key)
    if said is None:
        said = _asked_in(folder, file)
        _known.keep(key, said, 1 + sum(map(len, said)))
    return said


def _asked_in(folder: Folder, file: str) -> list[str]:
    said: list[str] = []
    try:
        with folder.open(file) as stream:
            head = b""
            for size in _HEADS:
                head += stream.read(size - len(head))
                is_last = len(head) < size or size == _HEADS[-1]
                said, is_sure = _said_before_answer(head, more=not is_last)
                if is_sure or is_last:
                    break
    except OSError:
        return []
    return said


def _said_before_answer(head: bytes, *, more: bool = False) -> tuple[list[str], bool]:
    """What was asked, and whether more of the file cannot change it. `more`: the file goes on.

    It cannot if an answer says `role`, which counts before every other name of a speaker, or if
    something is said after the answer: then the answer is not cut.
    """
    text = head.decode("utf-8", errors="replace")
    said: list[str] = []
    has_values = False
    for value, depth in _values(text):
        has_values = True
        for role, message in _messages(value, depth):
            if role in _ANSWERS:
                return (said, True) if _names_role(message, role) else _said_in_records(text)
            said += _texts(message, _DEPTH)
    return ([], False) if has_values and more else _said_in_records(text)


_MEMBER = regex(r'\s*+,?\s*+"(?P<key>[^"\\]*+)"\s*+:\s*+')
_ITEM = regex(r"\s*+,?\s*+(?!\])")
_KEYS = ("role", "type", "from", "source")
"""Members that say whose message it is, the first of them first."""


def _values(text: str) -> Iterator[tuple[Any, int]]:
    """The values of one long list or object, and the items of its lists, as far as they go.

    So nothing behind the first answer is parsed: all of the first piece took seven times as long.
    An object that may be a message itself, and lines of JSON, end the values.
    """
    first, newline, _ = text.partition("\n")
    if newline and first.rstrip().endswith(("}", "]")):
        return
    start = len(text) - len(text.lstrip())
    depth = _DEPTH - 1
    at = start + 1
    is_list = text.startswith("[", start)
    if not is_list and not text.startswith("{", start):
        return
    while True:
        member = _ITEM.match(text, at) if is_list else _MEMBER.match(text, at)
        if member is None:
            if not is_list or depth == _DEPTH - 1:
                return
            at, is_list, depth = text.find("]", at) + 1, False, _DEPTH - 1
        elif not is_list and text.startswith("[", member.end()):
            at, is_list, depth = member.end() + 1, True, _DEPTH - 2
        else:
            try:
                value, at = scan(text, member.end())
            except (StopIteration, ValueError, RecursionError):
                yield read_cut(text[member.end() :]), depth
                return
            if not is_list and member["key"] in _KEYS and isinstance(value, str):
                return
            yield value, depth


def _names_role(message: Mapping[str, Any], role: str) -> bool:
    return "role" in message and str(message["role"]).casefold() == role


def _said_in_records(text: str) -> tuple[list[str], bool]:
    """The same of all objects in a text."""
    said: list[str] = []
    answered = False
    for record in _records(text):
        for role, message in _messages(record, _DEPTH):
            if answered:
                return said, True
            if role in _ANSWERS:
                if _names_role(message, role):
                    return said, True
                answered = True
            else:
                said += _texts(message, _DEPTH)
    return said, False


def _records(whole: str) -> Iterator[Any]:
    """The objects of JSON lines, or the beginning of one object."""
    for line in whole.split("\n"):
        if not line.lstrip().startswith(("{", "[")):
            continue
        if not line.rstrip().endswith(("}", "]")):
            break  # it goes on behind what was read
        try:
            yield jsonio.loads(line.encode())
        except jsonio.BadJsonError:
            break
    else:
        return
    yield read_cut(whole)


def _messages(value: Any, depth: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Messages in order, each with who says it."""
    if depth <= 0:
        return
    if isinstance(value, Mapping):
        for key in _KEYS:
            role = value.get(key)
            if isinstance(role, str) and role.casefold() in _SPEAKERS:
                yield role.casefold(), value
                return
        for inner in value.values():
            yield from _messages(inner, depth - 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _messages(inner, depth - 1)


def _texts(value: Any, depth: int) -> Iterator[str]:
    """The texts of a message, without what a tool answered."""
    if isinstance(value, str):
        yield value
    elif depth > 0 and isinstance(value, list):
        for item in value:
            yield from _texts(item, depth - 1)
    elif depth > 0 and isinstance(value, Mapping):
        if value.get("type") in ("tool_result", "function_call_output"):
            return
        for key in _TEXTS:
            if key in value:
                yield from _texts(value[key], depth - 1)
