"""What a user asked an agent: the messages before the agent's first, in any format of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from groundtrace.base import jsonio
from groundtrace.base.cut_json import read_prefix
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
                said, is_sure = _said_before_answer(head)
                if is_sure or len(head) < size:
                    break
    except OSError:
        return []
    return said


def _said_before_answer(head: bytes) -> tuple[list[str], bool]:
    """What was asked, and whether more of the file cannot change it.

    It cannot if an answer says `role`, which counts before every other name of a speaker, or if
    something is said after the answer: then the answer is not cut.
    """
    said: list[str] = []
    answered = False
    for record in _records(head):
        for role, message in _messages(record, _DEPTH):
            if answered:
                return said, True
            if role in _ANSWERS:
                if "role" in message and str(message["role"]).casefold() == role:
                    return said, True
                answered = True
            else:
                said += _texts(message, _DEPTH)
    return said, False


def _records(head: bytes) -> Iterator[Any]:
    """The objects of JSON lines, or the beginning of one object."""
    whole = head.decode("utf-8", errors="replace")
    for line in whole.split("\n"):
        if not line.lstrip().startswith(("{", "[")):
            continue
        try:
            yield jsonio.loads(line.encode())
        except jsonio.BadJsonError:
            break
    else:
        return
    yield read_prefix(whole).value


def _messages(value: Any, depth: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Messages in order, each with who says it."""
    if depth <= 0:
        return
    if isinstance(value, Mapping):
        for key in ("role", "type", "from", "source"):
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
