"""Task names with something around them, such as `mcp_<task>_<hash>` (D31).

A wrapper is removed only when what remains is a known task. When no tasks are known, it is removed
only when its form leaves no doubt: a task may itself be called `mcp_server_config`.
"""

from __future__ import annotations

from collections.abc import Iterator

from groundtrace.base.patterns import regex

CUT_AT = 32
"""Names of trial folders keep this many characters of the task's name."""

_HASH = r"(?:[A-Za-z0-9]{6}|[0-9a-f]{8})"
_HASHED = regex(rf"(?:mcp|bl)_(?P<task>.+)_(?P<hash>{_HASH})")
_PREFIXED = regex(r"(?P<prefix>sgonly|artifact|mcp|bl)_(?P<task>.+)")
_SDLC = regex(rf"sdlc_(?P<rest>[^_]+_.+)_(?P<hash>{_HASH})")
_TAILED = regex(rf"(?P<task>.+)_(?P<hash>{_HASH})")
_NUMBERED = regex(r".*-\d{2,4}")
_TRIAL = regex(r"(?P<stem>.+)__[A-Za-z0-9]{7}")
_ATTEMPT = regex(r"(?P<task>.+)_\d{1,3}")


def forms(name: str) -> Iterator[str]:
    """The name, then names that it may wrap, most literal first; the caller knows the tasks."""
    yield name
    for pattern in (_HASHED, _PREFIXED, _TAILED):
        match = pattern.fullmatch(name)
        if match is not None:
            yield match["task"]
    prefixed = _PREFIXED.fullmatch(name)
    if prefixed is not None:
        yield from _tail_removed(prefixed["task"])
    match = _SDLC.fullmatch(name)
    if match is not None:
        rest = match["rest"]
        while "_" in rest:
            rest = rest.partition("_")[2]
            yield rest


def without_prefix(name: str) -> str:
    """The name without the word that a wrapper puts in front."""
    match = _PREFIXED.fullmatch(name)
    return match["task"] if match is not None else name


def _tail_removed(name: str) -> Iterator[str]:
    match = _TAILED.fullmatch(name)
    if match is not None:
        yield match["task"]


def unwrapped(name: str) -> str:
    """The name without a wrapper whose form leaves no doubt; used when no tasks are known."""
    match = _HASHED.fullmatch(name)
    if match is not None and _is_random(match["hash"], match["task"]):
        return match["task"]
    match = _SDLC.fullmatch(name)
    if match is not None and _is_random(match["hash"], match["rest"]):
        return match["rest"].partition("_")[2]
    match = _PREFIXED.fullmatch(name)
    if match is not None and (
        match["prefix"] == "sgonly"
        or (match["prefix"] == "artifact" and _NUMBERED.fullmatch(match["task"]))
    ):
        return match["task"]
    return name


def _is_random(tail: str, task: str) -> bool:
    """Whether the end of a name is a hash and not a word or a date: it has digits among letters,
    has capitals, or follows a number."""
    if _NUMBERED.fullmatch(task):
        return True
    letters = any(char.isalpha() for char in tail)
    return letters and (any(char.isdigit() for char in tail) or tail.lower() != tail)


def stem(trial_name: str, parent: str | None = None) -> str | None:
    """The task's name at the start of a trial's name, or None if it may be cut off.

    Names are cut at 32 characters, often inside a hash, so a start of 32 characters proves nothing.
    """
    match = _TRIAL.fullmatch(trial_name)
    if match is not None:
        return match["stem"] if len(match["stem"]) < CUT_AT else None
    match = _ATTEMPT.fullmatch(trial_name)
    if match is not None and parent is not None and match["task"].casefold() == parent.casefold():
        return match["task"]
    return trial_name
