"""From the bytes of a trajectory to its messages, even if they are cut off or very many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

import msgspec
from msgspec.structs import replace

from groundtrace.base import jsonio
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_amount, as_count, as_mapping, as_text
from groundtrace.model import Stated
from groundtrace.storage import Folder
from groundtrace.traces.kit.fit import NOT_FITTING
from groundtrace.traces.kit.lists import (
    LARGE,
    Listed,
    ListKind,
    find_list,
    in_parts,
    load_listed,
    prefix_of,
)
from groundtrace.traces.mini_swe_agent.records import Message, Root

TAIL = 256 * 1024
"""Bytes at the end of a file that are searched for the members after the messages."""
PROMPT = 256 * 1024
"""Bytes at the start that are searched for a prompt."""

_MESSAGES = ListKind(
    "messages",
    regex(rb"```(?:bash|mswea_bash_command)\s*\\n"),
    "a message",
    most_lost=1,
    is_bare=True,
)
"""A reply holds at most one command."""


def load(folder: Folder, path: str) -> Listed:
    """The trajectory in a file; never raises because of the file's content."""
    return load_listed(folder, path, _MESSAGES, _typed)


_root = msgspec.json.Decoder(Root)
_list = msgspec.json.Decoder(list[Message])


def _typed(data: bytes) -> Listed | None:
    """A trajectory of the usual form; None for any other, which is then decoded completely."""
    try:
        if data.startswith(b"["):
            return Listed(iter(_list.decode(data)))
        root = _root.decode(data)
    except NOT_FITTING:
        return None
    return Listed(iter(root.messages), {"info": root.info, "instance_id": root.instance_id})


# --- what the file states -------------------------------------------------------------------


class _Around(msgspec.Struct):
    """The members that identify a trial; the messages are skipped, not decoded."""

    info: Any = None
    instance_id: Any = None


_around = msgspec.json.Decoder(_Around)


def read_info(folder: Folder, path: str) -> Stated:
    """What a file states about its trial, without decoding its messages; never raises."""
    try:
        entry = folder.stat(path)
        if entry is not None and entry.size > LARGE:
            return _parts_info(folder, path)
        root = _around.decode(folder.read(path, LARGE))
    except NOT_FITTING:
        return _parts_info(folder, path)
    except OSError:
        return Stated()
    stated = stated_of({"info": root.info, "instance_id": root.instance_id})
    return stated if stated.task is not None else _with_prompt(stated, folder, path)


def _parts_info(folder: Folder, path: str) -> Stated:
    """The same for a large or damaged file: its messages are skipped, not decoded."""
    try:
        with folder.open(path) as stream:
            head, start = find_list(stream, _MESSAGES)
            end = {} if start is None else _end_of(stream) if stream.seekable() else None
        if end is not None:
            return stated_of({**as_mapping(prefix_of(head[:start])), **end})
        skipped = in_parts(lambda: folder.open(path), path, replace(_MESSAGES, decode=len))
        for _ in skipped.items:
            pass
    except OSError:
        return Stated()
    stated = stated_of(skipped.root)
    return stated if stated.task is not None else _with_prompt(stated, folder, path)


_AROUND = frozenset({"info", "instance_id", "trajectory_format"})


def _end_of(stream: BinaryIO) -> Mapping[str, Any] | None:
    """The members after the messages, from the file's last bytes; None if they are not there.

    Skipping the messages of a file of 670 MB took half a minute.
    """
    stream.seek(0, 2)
    stream.seek(max(0, stream.tell() - TAIL))
    tail = stream.read(TAIL)
    end = tail.rfind(b"]")
    for _ in range(64):
        if end < 0:
            return None
        try:
            value = jsonio.loads(b"{" + tail[end + 1 :].lstrip().removeprefix(b","))
        except jsonio.BadJsonError:
            value = None
        if isinstance(value, dict) and value and value.keys() <= _AROUND:
            return value
        end = tail.rfind(b"]", 0, end)
    return None


_PROMPT_ID = regex(
    rb'instance_id\\?"?\s{0,9}[:=]\s{0,9}\\?["`]?([A-Za-z0-9][\w.-]{0,99}?__[\w.-]{1,99}-\d{1,9})'
)
"""An instance that the prompt names; only a name with the form of an instance."""


def _with_prompt(stated: Stated, folder: Folder, path: str) -> Stated:
    """The same, with the instance that the first messages name if the file states none."""
    try:
        with folder.open(path) as stream:
            found = _PROMPT_ID.search(stream.read(PROMPT))
    except OSError:
        return stated
    if found is None:
        return stated
    return replace(stated, task=found[1].decode(), task_place="instance_id in the prompt")


def stated_of(root: Mapping[str, Any]) -> Stated:
    """What the object around the messages states."""
    info = as_mapping(root.get("info"))
    config = as_mapping(info.get("config"))
    submission = info.get("submission")
    status = as_text(info.get("exit_status"))
    cost = _cost(info, as_mapping(config.get("model")))
    return Stated(
        task=as_text(root.get("instance_id")),
        task_place="instance_id",
        model=as_text(as_mapping(config.get("model")).get("model_name")),
        harness="mini-swe-agent",
        harness_version=as_text(info.get("mini_version")),
        cost_usd=cost,
        cost_source=None if cost is None else "info.model_stats.instance_cost",
        exit_status=status,
        # Only a run that ended by submitting has a submission; otherwise the text is a reason.
        submission=submission if isinstance(submission, str) and status == "Submitted" else None,
        submission_source="info.submission",
    )


def _cost(info: Mapping[str, Any], model: Mapping[str, Any]) -> float | None:
    """The stated cost. A zero for model calls with an unknown price is not a cost (D54)."""
    stats = as_mapping(info.get("model_stats"))
    cost = as_amount(stats.get("instance_cost"))
    unknown = model.get("cost_tracking") == "ignore_errors"
    return None if cost == 0 and unknown and as_count(stats.get("api_calls")) else cost
