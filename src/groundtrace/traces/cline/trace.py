"""One conversation of Cline or Roo Code as a `Source`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from groundtrace.base import jsonio
from groundtrace.base.mcp import content_text, server_in_name
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_text
from groundtrace.model import Stated, Usage
from groundtrace.storage import Folder
from groundtrace.traces.cline.records import (
    Block,
    Message,
    Request,
    answer_in,
    asked_in,
    decode_messages,
    model_in,
    of_server,
    place_in,
    requests_in,
    shown_by,
    without_details,
)
from groundtrace.traces.kit.fit import NOT_FITTING, as_arguments, fit
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.lists import CHUNK, LARGE, Elements
from groundtrace.traces.kit.log import Log
from groundtrace.traces.source import RawCall, Source

METADATA = "task_metadata.json"
SCREEN = "ui_messages.json"
MAX_BESIDE = 32 * 1024 * 1024
_CALL = regex(rb'"type"\s*+:\s*+"tool_use"')
_FAILED = ("The tool execution failed", "The user denied this operation", "Error ")


def read(folder: Folder, path: str, keep: Keep) -> Source:
    """Read a conversation, message by message."""
    conversation = Conversation(path, keep)
    messages = _typed(folder, path)
    if messages is not None:
        for number, message in enumerate(messages):
            conversation.message(message, number)
        return conversation.finish(*_facts(folder, path))
    with folder.open(path) as stream:
        head = stream.read(CHUNK)
        scanner = Elements(stream, head[head.find(b"[") + 1 :], _CALL)
        for number, data in enumerate(scanner.elements()):
            conversation.element(data, number, scanner.lost)
        if not scanner.closed:
            conversation.cut_off(scanner.lost_calls())
    return conversation.finish(*_facts(folder, path))


def _typed(folder: Folder, path: str) -> list[Message] | None:
    """The messages of a file of the usual form and size; None for any other, which is read element
    by element."""
    entry = folder.stat(path)
    if entry is None or entry.size > LARGE:
        return None
    data = folder.read(path, LARGE).removeprefix(b"\xef\xbb\xbf")
    try:
        return None if jsonio.is_heavy(data) else decode_messages(data)
    except NOT_FITTING:
        return None


def _facts(folder: Folder, path: str) -> tuple[str | None, list[Request]]:
    """What the files beside a conversation say: the model, and the model calls."""
    requests = requests_in(_beside(folder, path, SCREEN))
    return model_in(_beside(folder, path, METADATA)), requests


def _beside(folder: Folder, path: str, name: str) -> Any:
    """The value of a file beside the conversation; None if there is none, or if it is broken."""
    beside = f"{path.rpartition('/')[0]}/{name}".lstrip("/")
    try:
        return jsonio.loads(folder.read(beside, MAX_BESIDE)) if folder.has_file(beside) else None
    except (OSError, jsonio.BadJsonError):
        return None


class Conversation:
    """State of reading one file."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(path, "transcript", "cline", harness="cline", is_main_log=True)
        self.log = Log(self.source, keep)
        self.seen = 0
        self.waiting: RawCall | None = None
        """The call by XML that the next message answers."""
        self.asked_by = ""
        """The tag of that call."""

    def element(self, data: bytes, number: int, lost: int) -> None:
        """Read one element of the list."""
        place = f"$[{number}]"
        try:
            value = jsonio.loads(data) if data else None
        except jsonio.BadJsonError as error:
            lost = len(_CALL.findall(data))
            reason = f"a message cannot be decoded ({error})"
            self.source.problem("damaged_step", reason, place=place, lost_calls=lost)
            return
        if not isinstance(value, dict):
            reason = "a message is too long, or is not an object"
            self.source.problem("wrong_type", reason, place=place, lost_calls=lost)
            return
        self.message(fit(value, Message), number)

    def message(self, message: Message, number: int) -> None:
        """Read one message."""
        self.seen += 1
        moment = parse_time(message.ts)
        self.source.saw(moment)
        if message.role == "assistant":
            self.reply(message, number, moment)
        else:
            self.answers(message, moment)

    def reply(self, message: Message, number: int, moment: float | None) -> None:
        self.source.ledger.add(number, None)
        self.waiting = None
        blocks = [block for block in message.blocks if block.type == "tool_use"]
        for block in blocks:
            self.call(block, number, moment)
        asked = None if blocks else asked_in(message.text)
        if asked is not None:
            name, arguments, server = of_server(asked)
            self.asked_by = asked.name
            self.waiting = self.log.call(
                name, arguments, server=server, made_at=moment, step_id=str(number)
            )

    def call(self, block: Block, number: int, moment: float | None) -> None:
        name, arguments = as_text(block.name), as_arguments(block.input)
        if name is None or arguments is None:
            what = "name" if name is None else "input"
            self.log.unusable(f"a call whose {what} cannot be used", place=f"$[{number}].content")
            return
        call_id = as_text(block.id)
        server = server_in_name(name)
        self.log.call(name, arguments, call_id, server, moment, step_id=str(number))

    def answers(self, message: Message, moment: float | None) -> None:
        place = place_in(message.text)
        if place is not None and self.source.cwd is None:
            self.source.cwd, self.source.harness = place
        for block in message.blocks:
            if block.type != "tool_result":
                continue
            call = self.log.by_id.get(as_text(block.tool_use_id) or "")
            if call is None:
                self.log.orphan(None)
            elif call.result is None:
                text = without_details(content_text(block.content))
                self.give(call, text, block.is_error is True, moment)
        if self.waiting is not None:
            answer = answer_in(message.text, self.asked_by)
            if answer is not None:
                self.give(self.waiting, answer, False, moment)
            self.waiting = None

    def give(self, call: RawCall, text: str, failed: bool, moment: float | None) -> None:
        shown, ended = shown_by(call.name, text)
        self.log.answer(call, shown, failed or ended or text.startswith(_FAILED))
        call.answered_at = moment

    def cut_off(self, lost: int) -> None:
        """Report that the file ends inside its list."""
        reason = "the file ends inside its messages"
        place = f"$[{self.seen}]"
        self.source.problem("truncated_line", reason, place=place, lost_calls=lost)

    def finish(self, model: str | None, requests: Sequence[Request] = ()) -> Source:
        source = self.source
        source.parsed = self.seen > 0
        if not self.seen and not source.problems:
            source.problem("empty_file", "a conversation without messages")
        self.log.finish(has_lines=False)
        source.model = model
        self.spend(requests)
        source.stated = Stated(model=model, harness=source.harness)
        for call in source.calls:
            call.cwd = source.cwd
        return source

    def spend(self, requests: Sequence[Request]) -> None:
        """Take tokens, costs and times of model calls from what the editor showed.

        Requests are joined with replies by their order. If there are more of one than of the
        other (a request was repeated, a task went on elsewhere), only the totals are known.
        """
        source = self.source
        if not requests:
            return
        output = [None if one.counts is None else one.counts.output for one in requests]
        inputs = [None if one.counts is None else one.counts.input for one in requests]
        costs = [one.cost for one in requests]
        cost = None if None in costs else sum(cost for cost in costs if cost) or None
        known = None not in output
        source.usage = Usage(
            output_tokens=sum(count or 0 for count in output) if known else None,
            output_tokens_source=f"{SCREEN} tokensOut" if known else None,
            input_tokens=sum(count or 0 for count in inputs) if known else None,
            cost_usd=cost,
            cost_source=None if cost is None else f"{SCREEN} cost",
        )
        source.saw(requests[0].moment)
        if len(requests) != len(source.ledger.order):
            return
        moments = {}
        for key, one in zip(source.ledger.order, requests, strict=True):
            source.ledger.counts[key] = one.counts
            moments[str(key)] = one.moment
        for call in source.calls:
            if call.made_at is None:
                call.made_at = moments.get(call.step_id or "")
