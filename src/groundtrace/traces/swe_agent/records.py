"""From the bytes of a trajectory to its steps, even if they are cut off or very many.

1.x repeats the whole prompt in every step (`messages`, later `query`), so the size of a file grows
with the square of its steps; these members are skipped while decoding.

An agent that tries again keeps all its attempts in `attempts`, and the chosen one a second time
around them. The chosen one is read; for a run that ended before it chose, the last one (D103).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

import msgspec
from msgspec.structs import replace

from groundtrace.base import jsonio
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_amount, as_count, as_mapping, as_text
from groundtrace.model import Problem, Stated
from groundtrace.storage import Folder
from groundtrace.traces.kit.lists import (
    CHUNK,
    LARGE,
    MAX_ELEMENT,
    Elements,
    Listed,
    ListKind,
    element,
    in_parts,
)

_LIST = regex(rb'"(trajectory|attempts)"\s*:\s*\[')
_ACTION = regex(rb'"action"\s*:\s*"')
_HARNESS = "swe-agent"
_NO_INSTANCE = frozenset({"swe_main", "main", "n/a"})
"""Names of an environment that are not instances: 0.x writes `swe_main` into every file."""


class Step(msgspec.Struct, frozen=True, gc=False):
    """The members of a step that are needed; the prompt is skipped, not decoded."""

    action: Any = None
    observation: Any = None
    state: Any = None


class Said(msgspec.Struct, frozen=True, gc=False):
    """A message of the history, without its text."""

    role: Any = None
    action: Any = None
    tool_calls: Any = None
    is_demo: Any = None
    message_type: Any = None


class _Usual(msgspec.Struct):
    """A trajectory of the usual form, decoded at once."""

    trajectory: list[Step]
    attempts: msgspec.Raw = msgspec.Raw(b"null")
    history: list[Said] = []
    info: Any = None
    environment: Any = None
    replay_config: Any = None


class _Root(msgspec.Struct):
    """A trajectory of any form: its lists are decoded element by element."""

    trajectory: msgspec.Raw = msgspec.Raw(b"null")
    attempts: msgspec.Raw = msgspec.Raw(b"null")
    history: msgspec.Raw = msgspec.Raw(b"null")
    info: Any = None
    environment: Any = None
    replay_config: Any = None


_MEMBERS = ("info", "environment", "replay_config")
_usual = msgspec.json.Decoder(_Usual)
_root = msgspec.json.Decoder(_Root)
_list = msgspec.json.Decoder(list[msgspec.Raw])
_step = msgspec.json.Decoder(Step)
_said = msgspec.json.Decoder(Said)
_FAILURES = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)


class Loaded(Listed):
    """A trajectory whose steps are being read."""

    said: Callable[[], list[Said]] = list
    """Decodes the history; it is empty if the file was read step by step."""
    other_attempts: int = 0
    """Attempts in the file besides the one that is read."""


_STEPS = ListKind("trajectory", _ACTION, "a step", "steps", most_lost=1, decode=_step.decode)


def load(folder: Folder, path: str, *, to_list: bool = False) -> Loaded:
    """The trajectory in a file; never raises because of the file's content.

    `to_list`: only what is around the steps is asked for; then no step is decoded before it is.
    """
    entry = folder.stat(path)
    if entry is not None and entry.size > LARGE:
        return _in_parts(folder, path)
    data = folder.read(path, LARGE).removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        return Loaded(iter(()), problems=[Problem(path, "empty_file", "the file is empty")])
    usual = None if to_list else _whole(data)
    if usual is not None:
        return usual
    try:
        root, others = _chosen(_root.decode(data))
        steps = _list.decode(root.trajectory)
    except _FAILURES as error:
        loaded = _in_parts(folder, path)
        reason = f"not a whole trajectory ({error}); read step by step as far as possible"
        loaded.problems.append(Problem(path, "broken_trajectory", reason))
        return loaded
    decoded = (element(bytes(raw), number, path, _STEPS) for number, raw in enumerate(steps))
    return Loaded(
        decoded, _around(root), said=lambda: _history(root.history), other_attempts=others
    )


def _whole(data: bytes) -> Loaded | None:
    """A trajectory of the usual form; None for any other, which is decoded step by step.

    To find the ends of all steps and then decode each examined every byte three times.
    """
    try:
        root = _usual.decode(data)
    except _FAILURES:
        return None
    if bytes(root.attempts) != b"null":
        return None
    return Loaded(iter(root.trajectory), _around(root), said=lambda: root.history)


def _around(root: _Usual | _Root) -> Mapping[str, Any]:
    return {name: getattr(root, name) for name in _MEMBERS}


def _chosen(root: _Root) -> tuple[_Root, int]:
    """The attempt that counts, and how many others there are."""
    if bytes(root.attempts) == b"null":
        return root, 0
    attempts = _list.decode(root.attempts)
    others = max(0, len(attempts) - 1)
    if bytes(root.trajectory) != b"null" or not attempts:
        return root, others
    last = _root.decode(attempts[-1])
    for name in _MEMBERS:
        if getattr(last, name) is None:
            setattr(last, name, getattr(root, name))
    if others and isinstance(last.info, dict):
        # Nothing was submitted yet, and the last attempt's usage is not that of the whole run.
        costs = [_cost(_stats(_root.decode(attempt).info)) for attempt in attempts]
        total = sum(cost or 0 for cost in costs) if all(costs) else None
        last.info = {**last.info, "model_stats": {"instance_cost": total}, "submission": None}
    return last, others


def _history(raw: msgspec.Raw) -> list[Said]:
    said = []
    try:
        for item in _list.decode(raw):
            said.append(_said.decode(item))
    except _FAILURES:
        return []  # it only adds ids
    return said


def _in_parts(folder: Folder, path: str) -> Loaded:
    loaded = Loaded(iter(()), in_parts=True)

    def find(stream: BinaryIO) -> tuple[bytes, int | None]:
        head, start, loaded.other_attempts = _find_list(stream)
        return head, start

    kind = replace(_STEPS, find=find)
    parts = in_parts(lambda: folder.open(path), path, kind)

    def steps() -> Iterator[Any]:
        yield from parts.items
        loaded.root = parts.root

    loaded.items, loaded.problems = steps(), parts.problems
    return loaded


def _find_list(stream: BinaryIO) -> tuple[bytes, int | None, int]:
    """The start of a file, where in it the steps begin, and how many attempts come before them.

    These attempts are skipped one by one: they are as large as the trajectory itself.
    """
    head = bytearray(stream.read(CHUNK))
    attempts = 0
    while True:
        while (found := _LIST.search(head)) is None:
            chunk = stream.read(CHUNK)
            if not chunk or len(head) > MAX_ELEMENT:
                return bytes(head[:CHUNK]), None, 0
            head += chunk
        if found[1] == b"trajectory":
            return bytes(head), found.end(), max(0, attempts - 1)
        scanner = Elements(stream, bytes(head[found.end() :]), _ACTION)
        attempts = sum(1 for _ in scanner.elements())
        head = bytearray(b"{" + scanner.data.lstrip().removeprefix(b","))


# --- what the file states -------------------------------------------------------------------


def read_info(folder: Folder, path: str) -> tuple[Stated, str | None]:
    """What a file states about its trial; if it is not a trial, also why; never raises."""
    try:
        loaded = load(folder, path, to_list=True)
        has_steps = any(isinstance(step, Step) for step in loaded.items)
        while loaded.in_parts and next(loaded.items, None) is not None:
            pass  # then the root comes last
    except OSError:
        return Stated(), None
    stated = stated_of(loaded.root)
    if stated.model is None:
        stated = replace(stated, model=model_of(folder))
    if not has_steps and loaded.said():
        return stated, "a history of SWE-agent without steps: nothing in it was executed"
    return stated, _demonstration(loaded.root) if has_steps else None


def _demonstration(root: Mapping[str, Any]) -> str | None:
    """Why a trajectory is a demonstration: a run that was submitted without a model call was
    written by hand or replayed (D84)."""
    info = as_mapping(root.get("info"))
    stats = as_mapping(info.get("model_stats"))
    counts = (as_count(stats.get("api_calls")), as_count(stats.get("tokens_sent")))
    submitted = (as_text(info.get("exit_status")) or "").startswith("submitted")
    if submitted and counts == (0, 0):
        return "a demonstration of SWE-agent: submitted without a single model call"
    return None


def stated_of(root: Mapping[str, Any]) -> Stated:
    """What the object around the steps states."""
    info = as_mapping(root.get("info"))
    config = _config(root.get("replay_config"))
    agent, env = as_mapping(config.get("agent")), as_mapping(config.get("env"))
    task = as_text(root.get("environment"))
    submission = info.get("submission")
    cost = _cost(_stats(info))
    return Stated(
        task=None if task in _NO_INSTANCE else task,
        task_place="environment",
        model=as_text(as_mapping(agent.get("model")).get("name")),
        harness=_HARNESS,
        harness_version=as_text(info.get("swe_agent_version")),
        repo=as_text(as_mapping(env.get("repo")).get("github_url")),
        cost_usd=cost,
        cost_source=None if cost is None else "info.model_stats.instance_cost",
        exit_status=as_text(info.get("exit_status")),
        submission=submission if isinstance(submission, str) else None,
        submission_source="info.submission",
    )


_RUN = regex(r"(?P<model>[^/]{1,200}?)__[^/]{1,400}__t-\d")
"""Folder of a 0.x run; only it names the model: `gpt4__SWE-bench_Lite__default__t-0.00__…`."""


def model_of(folder: Folder) -> str | None:
    """The model in the name of a 0.x run's folder."""
    found = _RUN.match(folder.name)
    return None if found is None else found["model"]


def _config(value: Any) -> Mapping[str, Any]:
    """The configuration of a 1.x run, which is JSON in a string."""
    if isinstance(value, str):
        value = jsonio.loads_text(value)
    return as_mapping(value)


def _stats(info: Any) -> Mapping[str, Any]:
    return as_mapping(as_mapping(info).get("model_stats"))


def _cost(stats: Mapping[str, Any]) -> float | None:
    """The instance's own cost; `total_cost` is the batch's. Zero means an unknown price (D54)."""
    return as_amount(stats.get("instance_cost")) or None
