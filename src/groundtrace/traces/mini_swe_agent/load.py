"""From the bytes of a trajectory to its messages, even if they are cut off or very many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import msgspec
from msgspec import field
from msgspec.structs import replace

from groundtrace.base import jsonio
from groundtrace.base.cut_json import read_prefix, without_cut
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_amount, as_count, as_mapping, as_text
from groundtrace.model import Problem, Stated
from groundtrace.storage import Folder
from groundtrace.traces.kit.fit import NOT_FITTING
from groundtrace.traces.kit.lists import CHUNK, MAX_ELEMENT, Elements
from groundtrace.traces.mini_swe_agent.records import Message, Root

LARGE = 48 * 1024 * 1024
"""A larger file is read message by message."""

TAIL = 256 * 1024
"""Bytes at the end of a file that are searched for the members after the messages."""
PROMPT = 256 * 1024
"""Bytes at the start that are searched for a prompt."""

_LIST = regex(rb'"messages"\s*:\s*\[')
_BARE = regex(rb"\s*+(?:\xef\xbb\xbf)?\s*+\[")
_COMMAND = regex(rb"```(?:bash|mswea_bash_command)\s*\\n")
"""A command in the bytes of a lost reply; at most one command was lost."""


class Loaded(msgspec.Struct):
    """A trajectory whose messages are being read; `root` is complete after the last one."""

    messages: Iterator[Any]
    """Each message that could be decoded, as a `Message` or as it is; a `Problem` for one that
    could not."""
    root: Mapping[str, Any] = field(default_factory=dict)
    """The object without its messages; empty for a bare list."""
    problems: list[Problem] = field(default_factory=list)
    """What was wrong with the file as a whole."""


def load(folder: Folder, path: str) -> Loaded:
    """The trajectory in a file; never raises because of the file's content."""
    entry = folder.stat(path)
    if entry is None or entry.size <= LARGE:
        data = folder.read(path, LARGE)
        typed = _typed(data)
        if typed is not None:
            return typed
        try:
            value = jsonio.loads(data)
        except jsonio.BadJsonError as error:
            if not data.strip():
                return Loaded(iter(()), problems=[Problem(path, "empty_file", "the file is empty")])
            reason = f"not valid JSON ({error}); read message by message as far as possible"
            damage = Problem(path, "broken_trajectory", reason, line=error.line)
            loaded = _in_parts(folder, path)
            loaded.problems.append(damage)
            return loaded
        return _whole(value, path)
    return _in_parts(folder, path)


_root = msgspec.json.Decoder(Root)
_list = msgspec.json.Decoder(list[Message])


def _typed(data: bytes) -> Loaded | None:
    """A trajectory of the usual form; None for any other, which is then decoded completely."""
    if jsonio.is_heavy(data):
        return None
    try:
        if data.startswith(b"["):
            return Loaded(iter(_list.decode(data)))
        root = _root.decode(data)
    except NOT_FITTING:
        return None
    return Loaded(iter(root.messages), {"info": root.info, "instance_id": root.instance_id})


def _whole(value: Any, path: str) -> Loaded:
    if isinstance(value, list):
        return Loaded(iter(value))
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        root = {name: item for name, item in value.items() if name != "messages"}
        return Loaded(iter(value["messages"]), root)
    place = "$.messages" if isinstance(value, dict) else "$"
    reason = "no list of messages"
    root = value if isinstance(value, dict) else {}
    return Loaded(iter(()), root, [Problem(path, "broken_trajectory", reason, place=place)])


def _in_parts(folder: Folder, path: str) -> Loaded:
    loaded = Loaded(iter(()))
    loaded.messages = _stream(folder, path, loaded)
    return loaded


def _stream(folder: Folder, path: str, loaded: Loaded) -> Iterator[Any]:
    """Messages one after another; the root is filled in after the last one."""
    with folder.open(path) as stream:
        head, start = _find_list(stream)
        if start is None:
            reason = "no list of messages was found"
            loaded.problems.append(Problem(path, "broken_trajectory", reason))
            loaded.root = as_mapping(_prefix(head))
            return
        loaded.root = as_mapping(_prefix(head[:start]))
        scanner = Elements(stream, head[start:], _COMMAND)
        number = 0
        for number, data in enumerate(scanner.elements(), start=1):
            yield _message(data, number - 1, scanner.lost, path)
        if not scanner.closed:
            lost = min(1, scanner.lost_calls())
            reason = "the file ends inside its messages"
            place = f"$.messages[{number}]"
            loaded.problems.append(
                Problem(path, "truncated_line", reason, place=place, lost_calls=lost)
            )
            return
        if not _BARE.match(head[:start]):
            rest = as_mapping(_prefix(head[:start] + b"]" + scanner.rest()))
            loaded.root = {**loaded.root, **rest}


def _message(data: bytes, number: int, lost: int, path: str) -> Any:
    place = f"$.messages[{number}]"
    if not data:
        reason = f"a message of more than {MAX_ELEMENT:,} bytes was not decoded"
        return Problem(path, "line_too_long", reason, place=place, lost_calls=min(1, lost))
    try:
        return jsonio.loads(data)
    except jsonio.BadJsonError as error:
        lost = min(1, len(_COMMAND.findall(data)))
        reason = f"a message cannot be decoded ({error})"
        return Problem(path, "damaged_step", reason, place=place, lost_calls=lost)


def _find_list(stream: BinaryIO) -> tuple[bytes, int | None]:
    """The start of a file, and where in it the messages begin."""
    head = bytearray(stream.read(CHUNK))
    bare = _BARE.match(head)
    if bare is not None:
        return bytes(head), bare.end()
    while (found := _LIST.search(head)) is None:
        chunk = stream.read(CHUNK)
        if not chunk or len(head) > MAX_ELEMENT:
            return bytes(head[:CHUNK]), None
        head += chunk
    return bytes(head), found.end()


def _prefix(data: bytes) -> Any:
    return without_cut(read_prefix(data.decode("utf-8-sig", errors="replace")).value)


# --- what the file states -------------------------------------------------------------------


class _Around(msgspec.Struct):
    """The members that identify a trial; the messages are skipped, not decoded."""

    info: Any = None
    instance_id: Any = None
    trajectory_format: Any = None


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
            head, start = _find_list(stream)
            root = as_mapping(_prefix(head[:start]))
            if start is None:
                return stated_of(root)
            if stream.seekable():
                end = _end_of(stream)
                if end is not None:
                    return stated_of({**root, **end})
                stream.seek(0)
                head, _ = _find_list(stream)
            scanner = Elements(stream, head[start:], _COMMAND)
            for _ in scanner.elements():
                pass
            if scanner.closed and not _BARE.match(head[:start]):
                root = {**root, **as_mapping(_prefix(head[:start] + b"]" + scanner.rest()))}
    except OSError:
        return Stated()
    stated = stated_of(root)
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
