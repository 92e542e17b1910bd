"""One transcript of Antigravity as a `Source`."""

from __future__ import annotations

from typing import Any

from groundtrace.base import jsonio
from groundtrace.base.jsonl import RawLine, read_lines
from groundtrace.base.mcp import content_text, server_in_name
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_mapping, as_text
from groundtrace.model import ContextMark, Stated
from groundtrace.storage import Folder
from groundtrace.traces.antigravity.records import (
    ASKS,
    COMPACTION,
    ERROR,
    NO_ANSWERS,
    Step,
    answer_of,
    answers,
    arguments_of,
    decode_step,
    is_cut,
)
from groundtrace.traces.kit.fit import NOT_FITTING, fit
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.log import Log
from groundtrace.traces.source import RawCall, Source

HARNESS = "antigravity"
_CALL = regex(rb'\{\s*+"name"\s*+:\s*+"[^"]*+"\s*+,\s*+"args"|"args"\s*+:')


def read(folder: Folder, path: str, keep: Keep) -> Source:
    """Read a transcript, step by step."""
    transcript = Transcript(path, keep)
    with folder.open(path) as stream:
        for line in read_lines(stream):
            transcript.line(line)
    return transcript.finish()


class Transcript:
    """State of reading one file."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(path, "transcript", HARNESS, harness=HARNESS, is_main_log=True)
        self.log = Log(self.source, keep)
        self.waiting: list[RawCall] = []
        """Calls of the last reply that have no answer yet, in order."""
        self.steps = 0
        self.cut_answers = self.cut_arguments = 0

    def line(self, line: RawLine) -> None:
        self.log.lines += 1
        if line.too_long:
            self.source.report_long_line(line)
            return
        try:
            step = decode_step(line.data)
        except NOT_FITTING:
            try:
                value = jsonio.loads(line.data)
            except jsonio.BadJsonError as error:
                if line.data.startswith(b"{"):
                    self.log.broken(line, str(error), len(_CALL.findall(line.data)))
                else:
                    self.log.noise(line.number)
                return
            if not isinstance(value, dict):
                self.log.noise(line.number)
                return
            step = fit(value, Step)
        self.step(step, line.number)

    def step(self, step: Step, number: int) -> None:
        kind = as_text(step.type)
        if kind is None:
            self.source.problem("wrong_type", "a step without a type", line=number)
            return
        self.steps += 1
        moment = parse_time(step.created_at)
        self.source.saw(moment)
        if kind == ASKS:
            self.reply(step, number, moment)
        elif kind in NO_ANSWERS:
            if kind == COMPACTION and self.source.calls:
                self.source.calls[-1].context_change = ContextMark("compaction", drops_all=False)
            elif kind == "USER_INPUT" and moment is not None:
                self.source.prompts.append((len(self.source.calls), moment))
        else:
            self.answer(step, kind, number, moment)

    def reply(self, step: Step, number: int, moment: float | None) -> None:
        self.source.ledger.add(number, None)
        self.waiting = []
        calls = step.tool_calls if isinstance(step.tool_calls, list) else []
        if step.tool_calls is not None and not isinstance(step.tool_calls, list):
            self.log.unusable("tool_calls is not a list", line=number, place="$.tool_calls")
        for one in calls:
            self.call(one, step, number, moment)

    def call(self, one: Any, step: Step, number: int, moment: float | None) -> None:
        members = as_mapping(one)
        name = as_text(members.get("name"))
        arguments = arguments_of(members.get("args", members.get("arguments")))
        if name is None or arguments is None:
            what = "name" if name is None else "args"
            place = f"$.tool_calls[].{what}"
            self.log.unusable(f"a call whose {what} cannot be used", line=number, place=place)
            return
        self.cut_arguments += is_cut(step, "tool_calls")
        folder = as_text(arguments.get("Cwd")) or as_text(arguments.get("cwd"))
        call_id = as_text(members.get("id"))
        server = server_in_name(name) or as_text(arguments.get("ServerName"))
        call = self.log.call(name, arguments, call_id, server, moment, cwd=folder)
        call.step_id = None if step.step_index is None else str(step.step_index)
        self.waiting.append(call)

    def answer(self, step: Step, kind: str, number: int, moment: float | None) -> None:
        """Give a step to the first waiting call that it may answer."""
        call = next((one for one in self.waiting if answers(kind, one.name)), None)
        if call is None:
            if kind != ERROR and step.source != "SYSTEM":  # an error may be the model's server's
                self.log.orphan(number)
            return
        self.waiting.remove(call)
        shown = answer_of(step, content_text(step.content))
        self.log.answer(call, shown.text, shown.failed)
        call.answered_at = moment
        if is_cut(step, "content"):
            call.result_cut = True
            self.cut_answers += 1

    def finish(self) -> Source:
        source = self.source
        source.parsed = self.steps > 0
        self.log.finish()
        if self.cut_answers:
            reason = f"the harness shortened {self.cut_answers} answers in its transcript"
            source.problem("trimmed_result", reason)
        if self.cut_arguments:
            reason = f"the harness shortened the arguments of {self.cut_arguments} calls"
            source.problem("trimmed_call", reason)
        source.stated = Stated(harness=HARNESS)
        return source
