"""One row of a data set as a source of calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from groundtrace.base import jsonio
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_amount, as_count, as_mapping, as_text
from groundtrace.model import Problem
from groundtrace.storage import Folder
from groundtrace.traces.chat.answers import CallAnswer, read_answer, state_of
from groundtrace.traces.chat.records import (
    NAMING,
    Asked,
    CallSyntax,
    as_message,
    calls_of,
    dialect_of,
    is_reply,
    stated_of,
    text_of,
    xml_calls,
)
from groundtrace.traces.kit.claims import Sample
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.ledger import TokenCounts
from groundtrace.traces.kit.log import Log
from groundtrace.traces.kit.moves import folder_after
from groundtrace.traces.kit.rows import find_row, row_samples
from groundtrace.traces.source import Source

UPLOADED = regex(r"<uploaded_files>\s*(/[^\n<]*?)\s*</uploaded_files>")
_LASTING = frozenset({"bash", "execute_bash", "terminal"})
"""Tools whose shell stays open from call to call."""
_MEMBERS = ("fncall_messages", "messages", "conversations", "trajectory")
"""Members that may hold the messages; the first one that is not empty is used."""


def samples(folder: Folder, path: str) -> Iterator[Sample | Problem]:
    """The rows of a file."""
    return row_samples(folder, path, NAMING, stated_of)


def read(folder: Folder, path: str, sample_id: str | None, keep: Keep) -> Source:
    """Read one row."""
    row = find_row(folder, path, sample_id, NAMING)
    if isinstance(row, Problem):
        source = Source(path, "transcript", "chat")
        source.problems.append(row)
        return source
    return read_row(row, path, keep)


def read_row(row: Mapping[str, Any], path: str, keep: Keep) -> Source:
    """A row as a source."""
    reading = Conversation(path, keep)
    steps = _listed(row.get("trajectory_steps"))
    if steps:
        reading.enter(as_text(as_mapping(row.get("agent_args")).get("instance_prompt")) or "")
        reading.steps(steps)
    else:
        messages = _messages(row, reading.source)
        dialect = dialect_of(messages)
        if dialect == "mini":
            return _mini(messages, row, path, keep)
        reading.messages(messages, dialect)
    return reading.finish(row)


def _listed(value: Any) -> list[Any]:
    """A list, even if it is JSON in a string."""
    if isinstance(value, str):
        value = jsonio.loads_text(value)
    return value if isinstance(value, list) else []


def _messages(row: Mapping[str, Any], source: Source) -> list[Mapping[str, Any]]:
    found = next((items for name in _MEMBERS if (items := _listed(row.get(name)))), [])
    # A logged model call does not have its own reply among its messages.
    response = as_mapping(row.get("fncall_response")) or as_mapping(row.get("response"))
    choices = response.get("choices")
    if isinstance(choices, list) and choices:
        found = [*found, _reply(as_mapping(choices[0]).get("message"), found)]
    messages: list[Mapping[str, Any]] = [
        as_message(message) for message in found if isinstance(message, dict)
    ]
    if len(messages) < len(found):
        reason = f"{len(found) - len(messages)} messages are not objects"
        source.problem("wrong_type", reason, place="$.messages")
    return messages


def _reply(reply: Any, messages: Sequence[Any]) -> Any:
    """The reply of a logged model call, in the dialect of the messages before it."""
    has_tools = any(as_mapping(message).get("tool_calls") for message in messages)
    if not isinstance(reply, dict) or reply.get("tool_calls") or not has_tools:
        return reply
    calls = [
        {"function": {"name": asked.name, "arguments": asked.arguments}}
        for asked in xml_calls(text_of(reply))
    ]
    return {**reply, "tool_calls": calls or None}


def _mini(
    messages: Sequence[Mapping[str, Any]], row: Mapping[str, Any], path: str, keep: Keep
) -> Source:
    """A conversation of mini-swe-agent in a row."""
    from groundtrace.traces.mini_swe_agent.trace import Trajectory

    trajectory = Trajectory(path, keep)
    trajectory.messages(messages)
    source = trajectory.finish({}, [])
    source.dialect = "chat mini"
    source.stated = stated_of(row)
    source.model = source.stated.model or source.model
    return source


class Conversation:
    """State of reading one row."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(path, "transcript", "chat", is_main_log=True)
        self.log = Log(self.source, keep)
        self.cwd: str | None = None
        self.open_file: str | None = None
        self.seen = 0

    def messages(self, messages: Sequence[Mapping[str, Any]], dialect: CallSyntax) -> None:
        """Read replies, each with the messages that answer it."""
        self.source.dialect = f"chat {dialect}"
        self.seen += len(messages)
        replies = [number for number, message in enumerate(messages) if is_reply(message)]
        for message in messages[: replies[0]] if replies else messages:
            self.enter(text_of(message))
        for number, end in pairwise([*replies, len(messages)]):
            self.source.ledger.add(number, None)
            answers = messages[number + 1 : end]
            asked = calls_of(messages[number], dialect, self.open_file)
            self.reply(asked, answers, number)
            for answer in answers:
                self.enter(text_of(answer))

    def enter(self, text: str) -> None:
        """Take the directory and the open file that a message of the harness shows."""
        folder, open_file = state_of(text) or ("", "")
        if folder:
            self.cwd = folder
            self.open_file = open_file or None
        elif self.cwd is None and "<uploaded_files>" in text:
            uploaded = UPLOADED.search(text)
            self.cwd = None if uploaded is None else uploaded[1]
        if self.source.cwd is None:
            self.source.cwd = self.cwd

    def reply(
        self, asked: Sequence[Asked], answers: Sequence[Mapping[str, Any]], number: int
    ) -> None:
        for index, one in enumerate(asked):
            mine = [
                text_of(message)
                for message in answers
                if one.call_id is not None and message.get("tool_call_id") == one.call_id
            ]
            if not mine and not any(message.get("tool_call_id") for message in answers):
                mine = [text_of(message) for message in answers[index : index + 1]]
            self.call(one, mine[0] if mine else None, number)

    def call(self, asked: Asked, answer: str | None, number: int) -> None:
        if not asked.is_whole:
            reason = "the arguments of a call cannot be decoded"
            self.source.problem("wrong_type", reason, place=f"$.messages[{number}]")
        cwd = folder_after(asked.before, self.cwd) if asked.before else self.cwd
        call = self.log.call(
            asked.name, asked.arguments, asked.call_id, cwd=cwd, step_id=str(number)
        )
        if answer is not None:
            read = read_answer(asked.name, answer)
            self.log.answer(call, read.text, read.failed)
            self.cwd = read.folder or self.folder_after(asked, read)

    def folder_after(self, asked: Asked, answer: CallAnswer) -> str | None:
        """The directory after a call whose answer does not state it.

        In OpenHands and SWE-agent one shell stays open. R2E-Gym runs every command in a new shell.
        """
        command = asked.arguments.get("command")
        if asked.name not in _LASTING or answer.fresh or not isinstance(command, str):
            return self.cwd
        return folder_after(command, self.cwd, answer.text)

    def steps(self, steps: Sequence[Any]) -> None:
        """Read R2E-Gym's steps: XML, each with its tokens."""
        self.source.dialect = "chat r2e-gym"
        for number, step in enumerate(steps):
            if not isinstance(step, dict):
                place = f"$.trajectory_steps[{number}]"
                self.source.problem("wrong_type", "a step is not an object", place=place)
                self.source.ledger.interrupt()
                continue
            self.seen += 1
            prompt = as_count(step.get("token_usage_prompt"))
            completion = as_count(step.get("token_usage_completion"))
            known = prompt is not None and completion is not None
            self.source.ledger.add(
                number, TokenCounts(prompt or 0, completion or 0) if known else None
            )
            observation = step.get("observation")
            for index, asked in enumerate(xml_calls(as_text(step.get("action")) or "")):
                answer = observation if isinstance(observation, str) and index == 0 else None
                self.call(asked, answer, number)

    def finish(self, row: Mapping[str, Any]) -> Source:
        source = self.source
        source.parsed = self.seen > 0 and source.dialect != "chat none"
        if self.seen and not source.parsed:
            source.problem("not_a_transcript", "a conversation without tool calls")
        if not self.seen and not source.problems:
            source.problem("empty_file", "a row without messages")
        source.stated = stated_of(row)
        source.model = source.stated.model
        source.harness = source.stated.harness
        cost = as_amount(row.get("cost")) if source.harness is None else None
        paid = None if cost is None else "cost"
        source.usage = source.totals("token usage of each step", cost_usd=cost, cost_source=paid)
        self.log.finish(has_lines=False)
        return source
