"""One trajectory of mini-swe-agent as a source of calls.

A reply of the model is followed by its answer, which may be several messages. Every command runs in
a new shell in the environment's working directory, so each call has that directory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from groundtrace.base.values import as_count, as_mapping, as_text
from groundtrace.model import Problem, StatedLines
from groundtrace.storage import Folder
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.ledger import TokenCounts
from groundtrace.traces.kit.log import Log
from groundtrace.traces.mini_swe_agent.load import load, stated_of
from groundtrace.traces.mini_swe_agent.records import (
    NO_EXTRA,
    NO_RESPONSE,
    NO_TOKENS,
    OPENS,
    Message,
    Reply,
    has_code,
    read_answer,
    read_reply,
    stated_context,
)
from groundtrace.traces.source import Source

TOOL = "bash"
"""The only tool, with its name in the tool table."""


def read(folder: Folder, path: str, keep: Keep) -> Source:
    """Read a trajectory, whole or damaged."""
    loaded = load(folder, path)
    trajectory = Trajectory(path, keep)
    trajectory.messages(loaded.items)
    return trajectory.finish(loaded.root, loaded.problems)


class Trajectory:
    """State of reading one file."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(
            path, "transcript", "mini-swe-agent", harness="mini-swe-agent", is_main_log=True
        )
        self.log = Log(self.source, keep)
        self.reply: Reply | None = None
        """The reply whose answer is being collected."""
        self.made_at: float | None = None
        self.number = -1
        """Number of the reply's message."""
        self.answers: list[Message] = []
        self.seen = 0
        self.last: float | None = None
        self.bare_model: str | None = None
        self.cached = 0
        """Prompt tokens that came from a cache."""
        self.final_context: tuple[StatedLines, ...] = ()

    def messages(self, messages: Iterable[Any]) -> None:
        lost = partial(self.close, ended=False)
        for number, message in self.log.fitted(messages, "message", Message, lost=lost):
            self.message(message, number)

    def message(self, message: Message, number: int) -> None:
        self.seen += 1
        moment = message.moment
        if moment is not None:
            self.source.saw(moment)
            self.last = moment
        if not message.is_reply:
            self.answers.append(message)
            return
        self.close(ended=False)
        self.count_tokens(message, number)
        self.reply = read_reply(message)
        content = message.content
        if isinstance(content, str) and OPENS in content:
            self.final_context = stated_context(content) or self.final_context
        self.made_at = moment
        self.number = number

    def count_tokens(self, message: Message, number: int) -> None:
        response = (message.extra or NO_EXTRA).response or NO_RESPONSE
        usage = response.usage or NO_TOKENS
        self.bare_model = self.bare_model or as_text(response.model)
        prompt = as_count(usage.prompt_tokens)
        completion = as_count(usage.completion_tokens)
        counts = None if prompt is None or completion is None else TokenCounts(prompt, completion)
        self.source.ledger.add(number, counts)
        details = as_mapping(usage.prompt_tokens_details)
        self.cached += as_count(details.get("cached_tokens")) or 0

    def close(self, *, ended: bool) -> None:
        """Make the calls of the current reply, now that its whole answer is known.

        The last reply is closed by `finish`, when it is known how the run ended.
        """
        reply, answers = self.reply, self.answers
        self.reply, self.answers = None, []
        if reply is None:
            return
        place = f"$.messages[{self.number}]"
        if reply.bad:
            reason = f"{reply.bad} commands of a reply are not text"
            self.source.problem("wrong_type", reason, place=place, lost_calls=reply.bad)
        if not reply.commands and reply.fences > 1 and has_code(answers):
            reason = f"a reply with {reply.fences} commands was run; which of them is not known"
            self.source.problem("unknown_block", reason, place=place, lost_calls=1)
        for index, asked in enumerate(reply.commands):
            mine = _answers_to(asked.call_id, index, len(reply.commands), answers)
            self.call(asked.command, asked.call_id, mine, ended=ended)

    def call(
        self,
        command: str,
        call_id: str | None,
        answers: list[Message],
        *,
        ended: bool,
    ) -> None:
        call = self.log.call(
            TOOL, {"command": command}, call_id, made_at=self.made_at, step_id=str(self.number)
        )
        if answers or ended:
            answer = read_answer(command, answers, ended=ended)
            self.log.answer(call, answer.text, answer.failed)
            times = [moment for message in answers if (moment := message.moment) is not None]
            call.answered_at = times[-1] if times else None

    def finish(self, root: Mapping[str, Any], problems: Iterable[Problem]) -> Source:
        source = self.source
        stated = stated_of(root)
        self.close(ended=stated.exit_status == "Submitted")
        source.problems += problems
        source.parsed = self.seen > 0
        if not self.seen and not source.problems:
            source.problem("empty_file", "a trajectory without messages")
        environment = as_mapping(
            as_mapping(as_mapping(root.get("info")).get("config")).get("environment")
        )
        source.cwd = as_text(environment.get("cwd"))
        for call in source.calls:
            call.cwd = source.cwd
        source.model = stated.model or self.bare_model
        source.harness_version = stated.harness_version
        source.usage = source.totals(
            "usage of each model call",
            cached_tokens=self.cached,
            cost_usd=stated.cost_usd,
            cost_source=stated.cost_source,
        )
        self.log.finish(has_lines=False)
        seconds = None
        if self.last is not None and source.first_timestamp is not None:
            seconds = max(0.0, self.last - source.first_timestamp)
        source.stated = replace(
            stated,
            model=source.model,
            agent_seconds=seconds,
            final_context=self.final_context,
        )
        return source


def _answers_to(
    call_id: str | None, index: int, commands: int, answers: list[Message]
) -> list[Message]:
    """The messages after a reply that answer one of its commands."""
    if commands == 1:
        return answers
    named = [
        message
        for message in answers
        if call_id is not None
        and call_id
        in (message.tool_call_id, message.call_id, (message.extra or NO_EXTRA).tool_call_id)
    ]
    if named or any(message.tool_call_id or message.call_id for message in answers):
        return named
    return answers[index : index + 1]
