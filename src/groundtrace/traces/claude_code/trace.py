"""One of Claude Code's transcripts, line by line, as a `Source`.

One message is spread over many lines, each with the same usage. Parallel calls are answered out of
order. Subagents are known by `parent_tool_use_id`, `isSidechain`, `agentId` or a file of their own.
Lines of a background Bash (`system/task_started`) are not a subagent and are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from groundtrace.base import jsonio
from groundtrace.base.jsonl import RawLine, read_lines
from groundtrace.base.mcp import content_text, server_in_name
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_amount, as_text
from groundtrace.base.visible import plural
from groundtrace.model import ContextMark, OutputOf, Usage
from groundtrace.problems import ProblemKind
from groundtrace.storage import Folder
from groundtrace.traces.claude_code.records import (
    Block,
    Line,
    context_mark,
    counts_of,
    decode_line,
    salvage_line,
    says_failure,
    shown_image,
    stated_counts,
    stated_output,
    stated_total,
)
from groundtrace.traces.kit import salvage
from groundtrace.traces.kit.fit import as_arguments
from groundtrace.traces.kit.frames import task_output
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.log import Log
from groundtrace.traces.kit.stored_output import shown_part
from groundtrace.traces.source import RawCall, Source

SYNTHETIC = "<synthetic>"
"""Model name of messages that the harness wrote itself, such as an API error."""

_TOOL_USE = regex(r'"type"\s*:\s*"tool_use"')
_SUBAGENT_FILE = regex(r"(?:^|/)(?:subagents/|agent-)[^/]*\.jsonl$")


_BACKGROUND = regex(r"\bbackground[^\n]{0,80}? with ID: (?P<id>[\w-]{1,100})")
"""How the answer of a command ends that goes on in the background."""

SPAWNERS = frozenset({"Task", "Agent"})
"""The tool that starts a subagent, by its old and its new name."""

INTERRUPTED = 0.1
"""Share of replies up to which those that only began are taken for interrupted ones, whose few tokens
are missing from a total (D297); a log in which most only began was written before they ended."""


def read(folder: Folder, path: str, keep: Keep) -> Source:
    """Read a stream, a session log or a subagent's own file."""
    transcript = ClaudeTranscript(path, keep)
    with folder.open(path) as stream:
        transcript.lines(read_lines(stream))
    return transcript.finish()


class ClaudeTranscript:
    """State of reading one file."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(
            path,
            "transcript",
            "stream",
            harness="claude-code",
            is_main_log=True,
            spawners=SPAWNERS,
        )
        self.log = Log(self.source, keep)
        self.without_id: list[RawCall] = []
        self.answered = 0
        """How many of `without_id` have a result: searching all each time took quadratic time."""
        self.events = 0
        self.session_lines = 0
        self.own_file = _SUBAGENT_FILE.search(path) is not None
        self.result: Line | None = None
        self.going_on: dict[str, bool] = {}
        """Replies of the main thread, and whether all their lines say that they go on, with the same
        usage: their output tokens are those of the first moment then (D297)."""
        self.background: dict[str, RawCall] = {}
        """Commands in the background whose output was not shown yet, by their id."""
        self.moment: float | None = None
        """Time of the current line."""

    # --- lines ---

    def lines(self, lines: Iterable[RawLine]) -> None:
        for line in lines:
            self.log.lines += 1
            if line.too_long:
                self.source.report_long_line(line)
                self.source.ledger.interrupt()
                continue
            self.line(line)

    def line(self, line: RawLine) -> None:
        try:
            events = decode_line(line.data)
        except jsonio.BadJsonError as error:
            self.broken(line, str(error))
            return
        if isinstance(events, Line):
            self.event(events, line.number)
            return
        if not events:
            self.log.noise(line.number)
        for event in events:
            self.event(event, line.number)
        self.check_encoding(line)

    def check_encoding(self, line: RawLine) -> None:
        try:
            line.data.decode("utf-8")
        except UnicodeDecodeError as error:
            self.source.problem(
                "not_utf8", f"bytes that are not UTF-8 ({error.reason})", line=line.number
            )

    def broken(self, line: RawLine, reason: str) -> None:
        """Handle a line that does not decode: noise from stderr, or a damaged event."""
        data = line.data
        if not data.startswith((b"{", b"[")) and b'"type"' not in data and b'"tool_use' not in data:
            self.log.noise(line.number)
            return
        text = salvage.to_text(data)
        calls_before = len(self.source.calls)
        usage_found = self.salvage(text, line.number)
        recovered = len(self.source.calls) - calls_before
        lost = max(0, len(_TOOL_USE.findall(text)) - recovered)
        if not usage_found:
            self.source.ledger.interrupt()
        kind: ProblemKind = "broken_line" if line.ended else "truncated_line"
        what = "broken" if line.ended else "cut off"
        self.source.problem(
            kind,
            f"line is {what} ({reason}); {recovered} of its tool calls could be read",
            line=line.number,
            lost_calls=lost,
        )

    def salvage(self, text: str, number: int) -> bool:
        """Read the intact parts of a damaged line; returns whether its usage is accounted for."""
        found = salvage_line(text)
        for event in found.events:
            self.event(event, number)
        counts = counts_of(found.usage)
        if found.message_id is not None and counts is not None:
            subagent = bool(as_text(found.around.parent_tool_use_id))
            self.source.ledger.add(found.message_id, counts, subagent=subagent)
        self.moment = parse_time(found.around.timestamp)
        self.blocks(found.blocks, found.around, number)
        return found.no_usage_expected or (found.message_id is not None and counts is not None)

    # --- events ---

    def event(self, line: Line, number: int) -> None:
        """Read one decoded event."""
        source = self.source
        kind = line.type
        self.moment = None
        if line.timestamp is not None:  # lines of the stream have none
            self.moment = parse_time(line.timestamp)
            source.saw(self.moment)
        if line.is_sidechain is not None or line.session_id is not None:
            self.session_lines += 1
        if isinstance(kind, str):
            self.events += 1
        if source.cwd is None:
            source.cwd = as_text(line.cwd)
            source.branch = as_text(line.git_branch)
        if source.harness_version is None:
            source.harness_version = as_text(line.claude_code_version) or as_text(line.version)
        if kind == "system" or line.is_compact_summary is not None:
            mark = context_mark(line)
            if mark is not None:
                self.mark_context(mark, line)
        if kind == "system" and line.subtype == "init":
            self.init(line)
        elif kind == "result":
            self.result = line
        elif kind == "tool_use":
            self.top_level_call(line, number)
        elif kind == "tool_result":
            self.top_level_result(line, number)
        elif line.message is not None:
            self.message(line, number)
        elif kind in ("assistant", "user"):
            source.problem("wrong_type", f"{kind} line without a message", line=number)
            source.ledger.interrupt()

    def mark_context(self, mark: ContextMark, line: Line) -> None:
        """Record a change of the context on the last call of its thread. Before the first call
        there is nothing to lose. The boundary and the summary after it are one compaction."""
        subagent = self.is_subagent(line)
        parent = as_text(line.parent_tool_use_id)
        for call in reversed(self.source.calls):
            if call.is_subagent == subagent and (not subagent or call.spawned_by == parent):
                call.context_change = call.context_change or mark
                return

    def init(self, line: Line) -> None:
        self.source.model = self.source.model or as_text(line.model)
        servers = line.mcp_servers if isinstance(line.mcp_servers, list) else []
        for server in servers:
            name = as_text(server.get("name")) if isinstance(server, dict) else as_text(server)
            if name is not None:
                self.source.mcp_servers[name] = None

    def message(self, line: Line, number: int) -> None:
        message = line.message
        if message is None or message.model == SYNTHETIC:
            return
        if line.type == "assistant":
            subagent = self.is_subagent(line)
            message_id = as_text(message.id)
            if self.source.model is None and not subagent:
                self.source.model = as_text(message.model)
            if message_id is not None:
                parent = as_text(line.parent_tool_use_id) if subagent else None
                counts = counts_of(message.usage)
                if not subagent:
                    before = self.source.ledger.counts.get(message_id, counts)
                    goes_on = message.stop_reason is None and before == counts
                    self.going_on[message_id] = goes_on and self.going_on.get(message_id, True)
                self.source.ledger.add(message_id, counts, subagent=subagent, agent=parent)
            elif message.usage is not None:
                # Without an id, it is unknown whether the next line repeats this usage.
                self.source.ledger.interrupt()
        elif self.moment is not None and _is_prompt(message.content):
            self.source.prompts.append((len(self.source.calls), self.moment))
        if isinstance(message.content, list):
            self.blocks(message.content, line, number)

    def is_subagent(self, line: Line) -> bool:
        if self.own_file or line.is_sidechain is True:
            return True
        return line.parent_tool_use_id is not None and bool(as_text(line.parent_tool_use_id))

    def blocks(self, blocks: Iterable[Block], line: Line, number: int) -> None:
        results = 0
        for block in blocks:
            if block.type == "tool_use":
                self.call(block.id, block.name, block.input, line, number)
            elif block.type == "tool_result" or block.tool_use_id is not None:
                results += 1
                # A line has one structured result; it belongs to the first result of the line.
                structured = line.structured if results == 1 else None
                self.answer(block.tool_use_id, block.content, block.is_error, structured, number)
            elif isinstance(block.name, str) and block.input is not None:
                self.unknown_block(block, number)

    def unknown_block(self, block: Block, number: int) -> None:
        """Report a block that looks like a call but has no known type."""
        if block.type not in ("server_tool_use", "mcp_tool_use"):
            self.source.problem(
                "unknown_block",
                f"block of type {block.type!r} looks like a tool call",
                line=number,
                place="$.message.content[].type",
                lost_calls=1,
            )

    def call(self, call_id: Any, name: Any, given: Any, line: Line, number: int) -> RawCall | None:
        """Add a tool call; a line that repeats a known call adds nothing."""
        key = as_text(call_id)
        known = None if key is None else self.log.by_id.get(key)
        if known is not None:
            return known
        tool = as_text(name)
        arguments = as_arguments(given)
        if tool is None or arguments is None:
            what = "name" if tool is None else "input"
            kind = type(name if tool is None else given).__name__
            reason = f"tool call whose {what} is {kind}"
            self.log.unusable(reason, line=number, place=f"$.message.content[].{what}")
            return None
        server, cwd = server_in_name(tool), as_text(line.cwd)
        call = self.log.call(tool, arguments, key, server, self.moment, cwd=cwd)
        call.is_subagent = self.is_subagent(line)
        call.spawned_by = as_text(line.parent_tool_use_id)
        if key is None:
            self.without_id.append(call)
        return call

    def answer(
        self,
        call_id: Any,
        content: Any,
        is_error: Any,
        structured: Any,
        number: int,
    ) -> None:
        """Add the result of a call; the first one counts."""
        if isinstance(call_id, str):
            call = self.log.by_id.get(as_text(call_id) or "")
        else:
            call = self.oldest_unanswered()
        if call is None:
            self.log.orphan(number)
            return
        if call.result is not None:
            return
        if isinstance(structured, dict) and "agentId" in structured:
            self.agent_ended(call, structured)
        text, path = shown_part(content_text(content), structured)
        failed = is_error is True or says_failure(text, structured)
        data = structured if isinstance(structured, (dict, list)) else shown_image(content)
        self.log.answer(call, text, failed, data, path)
        call.answered_at = self.moment
        self.in_background(call, text)

    def in_background(self, call: RawCall, text: str) -> None:
        """Tie what a command in the background printed to the command.

        `TaskOutput` repeats it and `BashOutput` goes on, so later answers say nothing certain.
        """
        if call.name == "Bash":
            end = text[-1000:]
            started = _BACKGROUND.search(end) if " with ID: " in end else None
            if started is not None:
                self.background[started["id"]] = call
            return
        task = as_text(call.arguments.get("task_id")) or as_text(call.arguments.get("bash_id"))
        if task in self.background and (task_output(text) or "").strip():
            command = self.background.pop(task)
            call.output_of = OutputOf(command.name, command.arguments, command.cwd)

    def agent_ended(self, call: RawCall, structured: dict[str, Any]) -> None:
        """Note which subagent a call started, and what its result says of the last model call."""
        agent = as_text(structured["agentId"])
        if agent is None or call.call_id is None:
            return
        self.source.agent_calls[agent] = call.call_id
        last = stated_counts(structured.get("usage"))
        if last is not None:
            self.source.ledger.last_of_agent[call.call_id] = last

    def oldest_unanswered(self) -> RawCall | None:
        """The call for a result without an id: calls without an id are answered in order."""
        while self.answered < len(self.without_id):
            call = self.without_id[self.answered]
            if call.result is None:
                return call
            self.answered += 1
        return None

    def top_level_call(self, line: Line, number: int) -> None:
        given = next(
            (item for item in (line.input, line.tool_input, line.parameters) if item is not None),
            None,
        )
        name = line.name if line.name is not None else line.tool_name
        self.call(line.id if line.id is not None else line.tool_use_id, name, given, line, number)

    def top_level_result(self, line: Line, number: int) -> None:
        content = line.content if line.content is not None else line.output
        call_id = line.tool_use_id if line.tool_use_id is not None else line.id
        self.answer(call_id, content, line.is_error, line.structured, number)

    # --- end ---

    def finish(self) -> Source:
        source = self.source
        source.parsed = self.events > 0
        if self.session_lines:
            self.call_it_session()
        if self.own_file:
            stem = source.file.rsplit("/", 1)[-1].removesuffix(".jsonl")
            source.agent_id = stem.removeprefix("agent-")
        self.log.finish()
        source.usage = self.totals()
        return source

    def call_it_session(self) -> None:
        """Mark the source as a session log.

        A stream ranks before a session log, because it has the subagents' calls; a subagent's own
        file ranks last.
        """
        source = self.source
        source.is_main_log = False
        source.is_one_subagent = self.own_file
        source.omits_subagents = not self.own_file
        source.dialect = "subagent" if self.own_file else "session"
        source.rank = 2 if self.own_file else 1

    def totals(self) -> Usage:
        """Totals that the file states. Stream lines are not summed: output there is a placeholder."""
        source = self.source
        output, origin = stated_output(self.result)
        if output is None and self.session_lines and not self.own_file:
            output = source.ledger.main_output()
            unknown = sum(self.going_on.values())
            if output is not None and unknown:
                replies = plural(len(self.going_on), "reply", "replies")
                what = f"{unknown} of {replies} in the log"
                source.notes.append(f"output tokens of {what} are those of the first moment")
                if unknown > INTERRUPTED * len(self.going_on):
                    output = None
            origin = None if output is None else "session"
        cost = None if self.result is None else as_amount(self.result.total_cost_usd)
        return Usage(
            output_tokens=output,
            output_tokens_source=origin,
            input_tokens=source.ledger.main_input(),
            total_tokens=stated_total(self.result),
            cost_usd=cost,
            cost_source=None if cost is None else "result.total_cost_usd",
        )


def _is_prompt(content: str | list[Block] | None) -> bool:
    """Whether a message of the user is more than results of calls."""
    if not isinstance(content, list):
        return bool(content)
    return any(block.type == "text" for block in content)
