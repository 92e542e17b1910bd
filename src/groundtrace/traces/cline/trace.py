"""One conversation of Cline or Roo Code as a `Source`."""

from __future__ import annotations

from groundtrace.base import jsonio
from groundtrace.base.mcp import content_text, server_in_name
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_mapping, as_text
from groundtrace.model import Stated
from groundtrace.storage import Folder
from groundtrace.traces.cline.records import (
    Block,
    Message,
    answer_in,
    asked_in,
    place_in,
    without_details,
)
from groundtrace.traces.kit.fit import as_arguments, fit
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.lists import CHUNK, Elements
from groundtrace.traces.kit.log import Log
from groundtrace.traces.source import RawCall, Source

METADATA = "task_metadata.json"
_CALL = regex(rb'"type"\s*+:\s*+"tool_use"')
_FAILED = ("The tool execution failed", "The user denied this operation", "Error ")


def read(folder: Folder, path: str, keep: Keep) -> Source:
    """Read a conversation, message by message."""
    conversation = Conversation(path, keep)
    with folder.open(path) as stream:
        head = stream.read(CHUNK)
        scanner = Elements(stream, head[head.find(b"[") + 1 :], _CALL)
        for number, data in enumerate(scanner.elements()):
            conversation.element(data, number, scanner.lost)
        if not scanner.closed:
            conversation.cut_off(scanner.lost_calls())
    return conversation.finish(_model(folder, path))


def _model(folder: Folder, path: str) -> str | None:
    """The last model that the file beside the conversation names."""
    beside = f"{path.rpartition('/')[0]}/{METADATA}".lstrip("/")
    try:
        value = jsonio.loads(folder.read(beside, CHUNK)) if folder.has_file(beside) else None
    except (OSError, jsonio.BadJsonError):
        return None
    used = as_mapping(value).get("model_usage")
    return (
        as_text(as_mapping(used[-1]).get("model_id")) if isinstance(used, list) and used else None
    )


class Conversation:
    """State of reading one file."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(path, "transcript", "cline", harness="cline", is_main_log=True)
        self.log = Log(self.source, keep)
        self.seen = 0
        self.waiting: RawCall | None = None
        """The call by XML that the next message answers."""

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
        self.seen += 1
        message = fit(value, Message)
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
            server = as_text(asked.arguments.get("server_name"))
            self.waiting = self.log.call(
                asked.name, asked.arguments, server=server, made_at=moment, step_id=str(number)
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
            answer = answer_in(message.text, self.waiting.name)
            if answer is not None:
                self.give(self.waiting, answer, False, moment)
            self.waiting = None

    def give(self, call: RawCall, text: str, failed: bool, moment: float | None) -> None:
        self.log.answer(call, text, failed or text.startswith(_FAILED))
        call.answered_at = moment

    def cut_off(self, lost: int) -> None:
        """Report that the file ends inside its list."""
        reason = "the file ends inside its messages"
        place = f"$[{self.seen}]"
        self.source.problem("truncated_line", reason, place=place, lost_calls=lost)

    def finish(self, model: str | None) -> Source:
        source = self.source
        source.parsed = self.seen > 0
        if not self.seen and not source.problems:
            source.problem("empty_file", "a conversation without messages")
        self.log.finish(has_lines=False)
        source.model = model
        source.stated = Stated(model=model, harness=source.harness)
        for call in source.calls:
            call.cwd = source.cwd
        return source
