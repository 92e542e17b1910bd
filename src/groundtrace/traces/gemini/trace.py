"""One session of Gemini CLI, JSON or JSONL, as a `Source`; a stream is read by `stream.py`.

A message of the model holds its calls with their answers. In JSONL a message may be written again
with more of them: the last version counts, at the position of the first. Messages that the user
took back did run: their calls stay, but leave the context (D89).
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import UNSET

from groundtrace.base.jsonl import RawLine, decoded, read_lines
from groundtrace.base.mcp import server_in_name
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_count, as_items, as_mapping, as_text
from groundtrace.model import Problem, Stated
from groundtrace.storage import Folder
from groundtrace.traces.gemini.records import (
    Call,
    Message,
    Tokens,
    fit_message,
    message_in,
    read_result,
    session_in,
)
from groundtrace.traces.gemini.stream import GeminiStream, is_stream
from groundtrace.traces.kit import salvage
from groundtrace.traces.kit.choose import HEAD
from groundtrace.traces.kit.claims import OF_A_SUBAGENT
from groundtrace.traces.kit.fit import as_arguments
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.ledger import TokenCounts
from groundtrace.traces.kit.lists import ListKind, load_listed
from groundtrace.traces.kit.log import Log
from groundtrace.traces.source import RawCall, RawChange, Source

HARNESS = "gemini-cli"
SPAWNERS = frozenset({"codebase_investigator", "delegate_to_agent", "delegate", "generalist"})
"""Tools that start a subagent."""
_MESSAGES = ListKind("messages", regex(rb'"args"\s*:\s*\{'))
_LOST = regex(r'"args"\s*:\s*\{')
_STAMP = regex(r"-(\d{13})-")
"""The time in a call's id, in milliseconds: when the model asked for it."""


def read(folder: Folder, path: str, keep: Keep) -> Source:
    """Read a session or a stream, whole or damaged."""
    session = Session(path, keep)
    if not _is_lines(folder, path):
        loaded = load_listed(folder, path, _MESSAGES, session_in)
        session.messages(loaded.items)
        return session.finish(loaded.root, loaded.problems)
    printed = GeminiStream(path, keep)
    with folder.open(path) as stream:
        for line in read_lines(stream):
            if not printed.events and (message := message_in(line.data)) is not None:
                session.log.lines += 1
                session.message(message, line=line.number)
                continue
            value, problem = decoded(line)
            if printed.events or is_stream(value):
                if not printed.events:  # nothing before this was an event
                    before = session.log.lines
                    printed.log.lines = printed.log.noisy = before
                    printed.log.first_noise = 1 if before else None
                printed.line(line, value, problem)
            else:
                session.line(line, value, problem)
    return printed.finish() if printed.events else session.finish(session.header, [])


_BEFORE = b" \t\r\xef\xbb\xbf"
"""What may come before the object on a line."""


def _objects(head: bytes) -> Iterator[bytes]:
    """Lines that can be an object. Nearly no line of indented JSON is: to decode each one that opens
    an object took half of the time of a session, to look for them by a pattern a third."""
    end = 0
    while (start := head.find(b"{", end)) >= 0:
        line = head.rfind(b"\n", 0, start) + 1
        end = head.find(b"\n", start)
        end = len(head) if end < 0 else end
        whole = head[start:end].rstrip(b" \t\r").endswith(b"}")
        if whole and not head[line:start].strip(_BEFORE):
            yield head[line:end]


def _is_lines(folder: Folder, path: str) -> bool:
    """Whether a file has one object per line, by the first line that is an object."""
    with folder.open(path) as stream:
        head = stream.read(HEAD)
    for found in _objects(head):
        (line,) = read_lines(io.BytesIO(found))
        value, problem = decoded(line)
        if problem is None and isinstance(value, dict) and value:
            return not isinstance(value.get("messages"), list)
    return b'"messages"' not in head


class Session:
    """State of reading one session."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(
            path,
            "transcript",
            "session",
            harness=HARNESS,
            is_main_log=True,
            omits_subagents=True,
            spawners=SPAWNERS,
        )
        self.log = Log(self.source, keep)
        self.calls: dict[str, list[RawCall]] = {}
        """Calls of each message, by the message's id, in the order of their first appearance. The log
        does not add them: a message may be written again with other calls."""
        self.header: Mapping[str, Any] = {}
        self.changes: list[tuple[str | None, tuple[str, ...]]] = []
        """The last message before each rewind, and the messages that the rewind took back."""
        self.in_context: list[str] = []
        self.seen = 0
        self.positions: dict[str, int] = {}
        """Model calls up to and including each message; a repeated message keeps its position."""
        self.cached: dict[str, int] = {}
        """Input tokens of each message that came from a cache."""
        self.last: float | None = None

    # --- JSONL ---

    def line(self, raw: RawLine, value: Any, problem: str | None) -> None:
        self.log.lines += 1
        if raw.too_long:
            self.source.report_long_line(raw)
            self.source.ledger.interrupt()
        elif problem is not None:
            self.broken(raw, problem)
        elif not self.record(value, raw.number):
            self.log.noise(raw.number)

    def record(self, value: Any, number: int) -> bool:
        """Read one line; False if it is not a line of a session."""
        if not isinstance(value, dict):
            return False
        if "$rewindTo" in value:
            self.rewind(as_text(value["$rewindTo"]), number)
            return True
        if "$set" in value:
            fields = as_mapping(value["$set"])
            self.header = {**self.header, **{k: v for k, v in fields.items() if k != "messages"}}
            self.messages(as_items(fields.get("messages")))
            return True
        if "sessionId" in value and "projectHash" in value:
            self.header = {**self.header, **value}
            self.seen += 1
            return True
        if as_text(value.get("id")) is None or not isinstance(value.get("type"), str):
            return False
        self.message(fit_message(value), line=number)
        return True

    def broken(self, raw: RawLine, reason: str) -> None:
        """Handle a line that does not decode; objects on one line are separated."""
        text = salvage.to_text(raw.data)
        if not text.startswith("{"):
            self.log.noise(raw.number)
            return
        before = sum(len(calls) for calls in self.calls.values())
        for piece in salvage.intact_objects(text):
            if "sessionId" in piece.value or piece.value.get("type") in ("user", "gemini"):
                self.record(piece.value, raw.number)
        found = sum(len(calls) for calls in self.calls.values()) - before
        self.source.ledger.interrupt()
        self.log.broken(raw, reason, len(_LOST.findall(text)) - found)

    def rewind(self, target: str | None, number: int) -> None:
        """Record that the user went back: a message and all that follow it left the context."""
        if target is None or target not in self.in_context:
            reason = "a rewind to a message that does not exist in the file"
            self.source.problem("wrong_type", reason, line=number, place="$.$rewindTo")
            return
        at = self.in_context.index(target)
        after = self.in_context[-1]
        self.changes.append((after, tuple(self.in_context[at:])))
        del self.in_context[at:]

    # --- messages ---

    def messages(self, messages: Iterable[Any]) -> None:
        for number, message in self.log.fitted(messages, "message", Message, fit_message):
            self.message(message, number=number)

    def message(
        self, message: Message, *, line: int | None = None, number: int | None = None
    ) -> None:
        """Read a message; `number` is its place in the list of messages, if there is one."""
        self.seen += 1
        moment = parse_time(message.timestamp)
        self.source.saw(moment)
        self.last = moment if moment is not None else self.last
        key = as_text(message.id) or f"message {self.seen}"
        before = self.calls.get(key)
        if message.type == "message_update" and before is None:
            return
        if before is None:
            self.in_context.append(key)
            self.calls[key] = []
        listed: Any = message.tool_calls
        is_model = message.type in ("gemini", "model") or listed is not None
        if is_model and (before is None or message.tokens is not UNSET):
            self.count_tokens(key, message.tokens or None)
            self.source.model = self.source.model or as_text(message.model)
        if isinstance(listed, list):
            self.calls_of(key, listed, before or [], moment, line, number)
        elif listed is not None:
            reason = f"toolCalls is {type(listed).__name__}, not a list"
            self.source.problem("wrong_type", reason, line=line, place=_place(number, ".toolCalls"))

    def count_tokens(self, key: str, usage: Tokens | None) -> None:
        """Count a message's tokens: input includes cached tokens, thoughts are output. All zeros
        means that there is no count."""
        counts = None
        cached = 0
        if usage is not None:
            given, made = as_count(usage.input), as_count(usage.output)
            tool, thoughts = as_count(usage.tool) or 0, as_count(usage.thoughts) or 0
            if given is not None and made is not None and (given or made or tool or thoughts):
                counts = TokenCounts(given + tool, made + thoughts)
            cached = as_count(usage.cached) or 0
        self.cached[key] = cached
        self.source.ledger.add(key, counts)
        self.positions.setdefault(key, self.source.ledger.position)

    def calls_of(
        self,
        key: str,
        listed: list[Call],
        before: list[RawCall],
        moment: float | None,
        line: int | None,
        number: int | None,
    ) -> None:
        """Read the calls of a message; `before` are those of an earlier version of it."""
        earlier = {call.call_id: call for call in before if call.call_id is not None}
        found = []
        for index, asked in enumerate(listed):
            call = self.call(key, asked, moment, earlier)
            if call is not None:
                found.append(call)
                continue
            what = "name" if as_text(asked.name) is None else "args"
            reason = f"a call whose {what} cannot be used"
            place = _place(number, f".toolCalls[{index}].{what}")
            self.log.unusable(reason, line=line, place=place)
        if before:
            # A call with an answer did run, even if the message is written again without it.
            again = {call.call_id for call in found}
            gone = [c for c in before if c.result is not None and c.call_id not in again]
            found = [*gone, *found]
        self.calls[key] = found

    def call(
        self, key: str, asked: Call, moment: float | None, earlier: Mapping[str, RawCall]
    ) -> RawCall | None:
        """One call; None if its name or its arguments cannot be used. `earlier` are the calls of an
        earlier version of its message. The request does not change, so only the answer is taken
        from the new version."""
        source = self.source
        call_id = as_text(asked.id)
        known = earlier.get(call_id or "") if earlier else None
        if known is not None:
            name, arguments = known.name, known.arguments
            kept = arguments
        else:
            given, said = as_text(asked.name), as_arguments(asked.args)
            if given is None or said is None:
                return None
            name, arguments = given, said
            kept = self.log.keep.arguments(arguments)
        done = parse_time(asked.timestamp)
        source.saw(done)
        self.last = done if done is not None else self.last
        call = RawCall(
            name,
            kept,
            call_id=call_id,
            server=server_in_name(name),
            made_at=_asked_at(call_id, moment, done),
            position=self.positions.get(key, -1),
        )
        output = read_result(asked, name, arguments)
        if output is not None:
            self.log.answer(call, output.text, output.failed, output.data)
            call.answered_at = done
            call.cwd = output.cwd
        if call.server is not None:
            source.mcp_servers.setdefault(call.server)
        agent = as_text(asked.agent_id)
        if agent is not None and call_id is not None:
            source.agent_calls[agent] = call_id
        return call

    # --- end ---

    def finish(self, root: Mapping[str, Any], problems: Iterable[Problem]) -> Source:
        source = self.source
        source.problems += problems
        source.parsed = self.seen > 0
        source.calls = [call for calls in self.calls.values() for call in calls]
        source.saw(parse_time(root.get("startTime")))
        if not self.log.lines and not self.seen and not source.problems:
            source.problem("empty_file", "a session without messages")
        self.note_changes()
        if root.get("kind") == "subagent":
            source.is_one_subagent = True
            source.no_trial = OF_A_SUBAGENT
            source.is_main_log = source.omits_subagents = False
            source.rank, source.dialect = 2, "subagent"
            source.agent_id = as_text(root.get("sessionId"))
            for call in source.calls:
                call.is_subagent = True
        self.log.finish(has_lines=self.log.lines > 0)
        cached = sum(self.cached.values()) if self.cached else None
        source.usage = source.totals("tokens of each message", cached_tokens=cached)
        source.stated = Stated(model=source.model, harness=HARNESS)
        return source

    def note_changes(self) -> None:
        """Record rewinds as changes of the context."""
        behind: dict[str, RawCall | None] = {}
        last: RawCall | None = None
        for key, calls in self.calls.items():
            last = calls[-1] if calls else last
            behind[key] = last
        for after, dropped in self.changes:
            gone = tuple(call for key in dropped for call in self.calls[key])
            self.source.context_changes.append(RawChange("rollback", behind.get(after or ""), gone))


def _place(number: int | None, member: str) -> str:
    """Where a member of a message is: in the list of messages, or in the object of a line."""
    return f"${member}" if number is None else f"$.messages[{number}]{member}"


def _asked_at(call_id: str | None, message: float | None, done: float | None) -> float | None:
    """When the model asked for a call: from its id, as calls of one message share its time."""
    found = _STAMP.search(call_id or "")
    if found is None or message is None or done is None:
        return message
    moment = int(found[1]) / 1000
    return moment if message - 60 <= moment <= done else message
