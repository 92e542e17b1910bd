"""One rollout or one stream, line by line, as a `Source`.

Everything that the model asked for is a `response_item`; events repeat it for the user interface.
An event is used when the item says less: totals of tokens, the server of an MCP tool, the output
of a command that was never answered, and the calls that a script of code mode made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from groundtrace.base.jsonl import RawLine, decoded, read_lines
from groundtrace.base.mcp import content_text, server_in_name
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_count, as_mapping, as_text
from groundtrace.base.visible import plural
from groundtrace.model import OutputOf, Repeats, Stated, Usage
from groundtrace.storage import Folder
from groundtrace.traces.codex.code_mode import made_calls
from groundtrace.traces.codex.records import (
    CALLS,
    ENDS,
    OUTPUTS,
    Asked,
    Line,
    Output,
    Totals,
    asked_by,
    changes_of,
    decode_line,
    ended_call,
    line_of,
    mcp_output,
    read_output,
    started_agent,
    streams,
)
from groundtrace.traces.codex.threads import CannotUnpackError, Kin, open_plain, relatives_of
from groundtrace.traces.kit import salvage
from groundtrace.traces.kit.fit import as_arguments
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.log import Log
from groundtrace.traces.kit.repeated_calls import leave_out
from groundtrace.traces.source import RawCall, RawChange, Source

SPAWNERS = frozenset({"spawn_agent"})
"""The tool that starts a subagent."""
_LOST = regex(r'"type"\s*:\s*"(?:function_call|custom_tool_call|local_shell_call)"')
_CWD = regex(r"<cwd>([^<]+)</cwd>")


def read(folder: Folder, path: str, keep: Keep) -> Source:
    """Read a rollout or a stream, packed or not."""
    try:
        with open_plain(folder, path) as stream:
            lines = read_lines(stream)
            rollout = Rollout(path, keep)
            printed = CodexStream(path, keep)
            for line in lines:
                value, problem = decoded(line)
                # A stream has no first line that tells of the session, a rollout begins with it;
                # asking every line of a rollout took a quarter of the time.
                if printed.events or is_stream(value):
                    printed.line(line, value, problem)
                    continue
                rollout.line(line, value, problem)
                if rollout.meta is not None:
                    break
            rollout.rest(lines)
    except CannotUnpackError as error:
        source = Source(path, "transcript", "rollout", harness="codex")
        source.problem("unreadable", str(error))
        return source
    if printed.events:
        return printed.finish()
    return rollout.finish(relatives_of(folder, path))


class Rollout:
    """State of reading one file."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(
            path,
            "transcript",
            "rollout",
            harness="codex",
            is_main_log=True,
            omits_subagents=True,
            spawners=SPAWNERS,
        )
        self.log = Log(self.source, keep)
        self.totals = Totals(self.source.ledger)
        self.processes = Processes()
        self.scripts = Scripts()
        self.ends: dict[str, Output] = {}
        """Outputs that events give for calls without an answer so far."""
        self.meta: Mapping[str, Any] | None = None
        self.cwd: str | None = None
        self.user_turns: list[int] = []
        self.turns: list[int] = []
        """Calls before each turn; the turns are known by events, in `user_turns` by messages."""
        self.stamp: Any = None
        self.moment: float | None = None
        """Time of the current line, as it is written and as a number."""
        self.last: float | None = None

    # --- lines ---

    def rest(self, lines: Iterable[RawLine]) -> None:
        """Read the lines after the first one about the session."""
        for raw in lines:
            line = decode_line(raw.data)
            if line is None:
                self.line(raw, *decoded(raw))
            else:
                self.event(line, raw.number)

    def line(self, raw: RawLine, value: Any, problem: str | None) -> None:
        self.log.lines += 1
        if raw.too_long:
            self.source.report_long_line(raw)
        elif problem is not None:
            self.broken(raw, problem)
        elif (line := line_of(value)) is not None:
            self.source.parsed = True
            self.event(line, raw.number)
        else:
            self.log.noise(raw.number)

    def broken(self, raw: RawLine, reason: str) -> None:
        """Handle a line that does not decode; its intact parts are kept."""
        text = salvage.to_text(raw.data)
        if not text.startswith("{") and '"type"' not in text:
            self.log.noise(raw.number)
            return
        before = len(self.source.calls)
        for piece in salvage.intact_objects(text):
            line = line_of(piece.value)
            if line is not None:
                self.source.parsed = True
                self.event(line, raw.number)
        found = len(self.source.calls) - before
        self.log.broken(raw, reason, len(_LOST.findall(text)) - found)

    # --- events ---

    def event(self, line: Line, number: int) -> None:
        stamp = line.created_at if line.timestamp is UNSET else line.timestamp
        if stamp != self.stamp or not isinstance(stamp, str):  # half of the lines repeat it
            self.stamp, self.moment = stamp, parse_time(stamp)
            self.source.saw(self.moment)
            self.last = self.moment if self.moment is not None else self.last
        items = _ITEMS.get(line.kind)
        handler = _LINES.get(line.kind) if items is None else items.get(line.body.type)
        if handler is not None:
            handler(self, line, number)

    def session(self, line: Line, _: int) -> None:
        if self.meta is not None:
            return  # a fork repeats the first line of the file that it was forked from
        self.meta = line.members
        self.cwd = self.source.cwd = as_text(self.meta.get("cwd"))
        self.source.branch = as_text(as_mapping(self.meta.get("git")).get("branch"))
        self.source.harness_version = as_text(self.meta.get("cli_version"))

    def turn(self, line: Line, _: int) -> None:
        self.totals.turn()
        self.cwd = as_text(line.body.cwd) or self.cwd
        self.source.cwd = self.source.cwd or self.cwd
        self.source.model = self.source.model or as_text(line.body.model)

    def message(self, line: Line, _: int) -> None:
        """Read a message of the user, which may state the working directory."""
        if line.body.role != "user":
            return
        found = _CWD.search(content_text(line.body.content))
        if found is not None:
            self.cwd = found[1].strip()
            self.source.cwd = self.source.cwd or self.cwd
        self.totals.turn()

    def count(self, line: Line, _: int) -> None:
        self.totals.total(line.body.info)

    def user_turn(self, _: Line, __: int) -> None:
        self.user_turns.append(len(self.source.calls))
        if self.moment is not None:
            self.source.prompts.append((len(self.source.calls), self.moment))

    def task(self, _: Line, __: int) -> None:
        self.turns.append(len(self.source.calls))

    # --- calls ---

    def call(self, line: Line, number: int) -> None:
        asked = asked_by(line.body)
        if asked.name is None or asked.arguments is None:
            what = "name" if asked.name is None else "arguments"
            reason = f"a {line.body.type} whose {what} cannot be used"
            self.log.unusable(reason, line=number, place=f"$.payload.{what}")
            return
        known = self.log.by_id.get(asked.call_id or "")
        if known is not None and (known.name, known.arguments) == (asked.name, asked.arguments):
            return
        self.totals.call(self.add(asked))

    def add(self, asked: Asked, cwd: str | None = None) -> RawCall:
        return self.log.call(
            asked.name or "",
            asked.arguments or {},
            asked.call_id,
            asked.server,
            self.moment,
            position=-1,
            cwd=cwd or self.cwd,
        )

    def output(self, line: Line, number: int) -> None:
        """Add the answer of a call; the first one counts."""
        self.totals.answer()
        body = line.body
        call = self.asked(as_text(body.call_id))
        if call is None:
            self.log.orphan(number)
            return
        if call.result is not None:
            return
        given = body.output
        if given is UNSET:
            given = body.tools if body.result is UNSET else body.result
        self.answer(call, read_output(given), self.moment)
        if call.name == CODE and not self.scripts.is_told(call):
            self.scripted(call, given)

    def scripted(self, script: RawCall, given: Any) -> None:
        """Add the calls that a script spells out, if no event told of them (D202)."""
        made = made_calls(script.arguments.get("input"), given)
        if not made:
            return
        self.scripts.note(script)
        if all(output is not None for _, _, output in made):
            # What the script printed is the output of its calls; it must not count twice.
            failed = script.result is not None and script.result.is_error
            self.log.answer(script, "Script failed" if failed else "Script completed", failed)
        for at, (name, arguments, output) in enumerate(made, 1):
            call_id = None if script.call_id is None else f"{script.call_id}/{at}"
            call = self.add(Asked(name, arguments, call_id, server_in_name(name)))
            call.position = self.source.ledger.position if self.totals.is_counted else -1
            if output is not None:
                self.answer(call, output, self.moment)

    def asked(self, call_id: str | None) -> RawCall | None:
        """The call that an answer belongs to; without an id, the last call without an id."""
        if call_id is not None:
            return self.log.by_id.get(call_id)
        open_calls = (c for c in reversed(self.source.calls) if c.call_id is None)
        return next((c for c in open_calls if c.result is None), None)

    def answer(self, call: RawCall, output: Output, moment: float | None) -> None:
        end = self.ends.pop(call.call_id or "", None)
        data = output.data if end is None or end.data is None else end.data
        failed = output.failed or (end is not None and end.failed)
        self.log.answer(call, output.text, failed, data)
        call.answered_at = moment
        self.processes.answered(call, output)
        if call.name in SPAWNERS and call.call_id is not None:
            agent = started_agent(output.text)
            if agent is not None:
                self.source.agent_calls[agent] = call.call_id

    def ended(self, line: Line, _: int) -> None:
        """Use an event about the end of a call: a known call, or one that a script made."""
        found = ended_call(line.body.type, line.members)
        if found is None or found.call_id is None:
            return
        known = self.log.by_id.get(found.call_id)
        if known is None:
            script = self.scripts.running(self.source.calls)
            if found.name is not None and script is not None:
                self.scripts.note(script)
                call = self.add(found, as_text(line.body.cwd))
                call.position = self.source.ledger.position if self.totals.is_counted else -1
                self.answer(call, found.output or Output(""), self.moment)
            return
        if known.server is None and found.server is not None:
            known.server = found.server
            self.source.mcp_servers.setdefault(found.server)
        if known.result is None and found.output is not None:
            self.ends[found.call_id] = found.output

    # --- context ---

    def compacted(self, line: Line, _: int) -> None:
        """Record that a summary replaced the history; an event may repeat what a line reported."""
        calls = self.source.calls
        after = calls[-1] if calls else None
        changes = self.source.context_changes
        if changes and changes[-1].kind == "compaction" and changes[-1].after is after:
            return
        history = line.members.get("replacement_history") if line.kind == "compacted" else None
        kept = isinstance(history, list) and any(
            as_text(as_mapping(item).get("type")) in CALLS | OUTPUTS for item in history
        )
        changes.append(RawChange("compaction", after, None if kept else tuple(calls)))

    def rolled_back(self, line: Line, _: int) -> None:
        """Record that the user took back the last turns: their calls left the context."""
        turns = as_count(line.body.num_turns)
        calls = self.source.calls
        starts = self.user_turns or self.turns
        dropped = None
        if turns and turns <= len(starts):
            dropped = tuple(calls[starts[-turns] :])
            del starts[-turns:]
        after = calls[-1] if calls else None
        self.source.context_changes.append(RawChange("rollback", after, dropped))

    # --- end ---

    def finish(self, kin: Kin) -> Source:
        source = self.source
        for call_id, end in list(self.ends.items()):
            if self.log.by_id[call_id].result is None:
                self.answer(self.log.by_id[call_id], end, None)
        if kin.history:
            self.leave_out(kin)
        if kin.unread is not None:
            reason = f"the calls that this fork repeats are unknown: {kin.unread}"
            source.problem("unreadable", reason, file=kin.forked_from)
        if kin.parent is not None:
            source.is_one_subagent = True
            source.is_main_log = source.omits_subagents = False
            source.rank, source.dialect, source.agent_id = 2, "subagent", kin.thread_id
            for call in source.calls:
                call.is_subagent = True
        self.log.finish()
        untold = self.scripts.untold(source.calls)
        if untold is not None:
            source.notes.append(untold)
        if self.processes.unknown:
            calls = plural(self.processes.unknown, "call shows", "calls show")
            source.notes.append(f"{calls} more output of a running command; its files are unknown")
        cached = self.totals.cached if source.ledger.order else None
        source.usage = source.totals("token_count", cached_tokens=cached)
        source.stated = self.stated()
        return source

    def leave_out(self, kin: Kin) -> None:
        """Remove the calls that a fork repeats from the thread that it was forked from (D87)."""
        before = len(self.source.ledger.order)
        leave_out(self.source, Repeats(kin.forked_from or "", kin.history))
        behind = before - len(self.source.ledger.order)
        if behind:
            self.totals.cached -= self.totals.cached_at[behind - 1]

    def stated(self) -> Stated:
        source, meta = self.source, self.meta or {}
        seconds = None
        # In an interactive session the time includes waiting for the user, so it is not used.
        if meta.get("source") == "exec" and self.last and source.first_timestamp is not None:
            seconds = max(0.0, self.last - source.first_timestamp)
        return Stated(
            model=source.model,
            harness=source.harness,
            harness_version=source.harness_version,
            repo=as_text(as_mapping(meta.get("git")).get("repository_url")),
            agent_seconds=seconds,
        )


_Handler = Callable[[Rollout, Line, int], None]
_LINES: dict[str, _Handler] = {
    "turn_context": Rollout.turn,
    "session_meta": Rollout.session,
    "compacted": Rollout.compacted,
}
_ITEMS: dict[str, dict[str, _Handler]] = {
    "response_item": {
        **dict.fromkeys(CALLS, Rollout.call),
        **dict.fromkeys(OUTPUTS, Rollout.output),
        "message": Rollout.message,
    },
    "event_msg": {
        "token_count": Rollout.count,
        "user_message": Rollout.user_turn,
        "task_started": Rollout.task,
        "turn_started": Rollout.task,
        "context_compacted": Rollout.compacted,
        "thread_rolled_back": Rollout.rolled_back,
        **dict.fromkeys(ENDS, Rollout.ended),
    },
}
"""What reads a line of each kind; for items and events, of each type. Others only state a time."""


# --- commands that run on ---

WRITE = "write_stdin"


class _Process(msgspec.Struct):
    call: RawCall
    """The call that started it."""
    is_untouched: bool
    """Nothing was printed and nothing typed yet."""


class Processes:
    """Commands that go on after their call has returned, and the calls that show what they print.

    `exec_command` waits for a while and then returns with the id of the process; `write_stdin` with
    this id types into it, or types nothing and only shows what was printed since.
    """

    def __init__(self) -> None:
        self._running: dict[str, _Process] = {}
        self.unknown = 0
        """Calls whose output cannot be tied to files: the command had printed or read something
        before, so that nothing says where in a file or in which directory it was."""

    def answered(self, call: RawCall, output: Output) -> None:
        """Take note of an answer; tie it to the command whose output it is."""
        if call.name != WRITE:
            if output.session is not None:
                self._running[output.session] = _Process(call, not output.text.strip())
            return
        number = _id(call.arguments.get("session_id"))
        process = self._running.get(number or "")
        if process is None or number is None:
            return
        started = process.call
        call.cwd = started.cwd
        typed = bool(call.arguments.get("chars"))
        shows = bool(output.text.strip())
        if shows and not typed and process.is_untouched:
            call.output_of = OutputOf(started.name, started.arguments, started.cwd)
        elif shows:
            self.unknown += 1
        process.is_untouched = process.is_untouched and not typed and not shows
        if output.session is None:
            del self._running[number]


def _id(value: Any) -> str | None:
    return str(value) if isinstance(value, int | str) and not isinstance(value, bool) else None


# --- scripts ---

CODE = "exec"
"""The tool of code mode."""
_TOOLS = "tools."
"""What a script calls tools through."""


class Scripts:
    """Scripts of code mode: the model writes a script, and the script makes the calls.

    The calls of a script are not items of the rollout. Events tell of them, else the script itself
    if it is static (`code_mode`).
    """

    def __init__(self) -> None:
        self._told: set[int] = set()
        """Scripts whose calls are known, by the identity of their call."""

    def running(self, calls: Sequence[RawCall]) -> RawCall | None:
        """The script that is running after these calls, if one is."""
        last = next((call for call in reversed(calls) if call.name == CODE), None)
        return last if last is not None and last.result is None else None

    def note(self, script: RawCall) -> None:
        """Note that the calls of this script are known, by an event or by its text."""
        self._told.add(id(script))

    def is_told(self, script: RawCall) -> bool:
        """Whether an event told of a call of this script."""
        return id(script) in self._told

    def untold(self, calls: Sequence[RawCall]) -> str | None:
        """How many scripts called tools that nothing tells of (D88), for the notes."""
        count = sum(
            id(call) not in self._told and _TOOLS in str(call.arguments.get("input"))
            for call in calls
            if call.name == CODE
        )
        if not count:
            return None
        made = plural(count, "script", "scripts")
        return f"{made} made calls that neither an event nor the script itself tells; files are unknown"


# --- streams ---
# What `codex exec --json` prints, and the stream of mid-2025. Both report the start and the end of
# each item. Wrappers put an event into another object (`{"log_type": …, "timestamp_iso": …,
# "data": {…}}`) and add the time that the event lacks.

_EVENT = regex(r"(?:thread|turn|item)\.\w+$")
_ITEM = regex(r'"type"\s*:\s*"(?:command_execution|file_change|mcp_tool_call)"')
_TIMES = ("timestamp_iso", "timestamp", "ts", "time")
_INSIDE = ("data", "payload", "event", "msg", "message")
"""Members in which a wrapper puts the event."""
_RUNNING = ("in_progress", "pending", None)
_BEGINS = {
    "exec_command_begin": "exec_command_end",
    "patch_apply_begin": "patch_apply_end",
    "mcp_tool_call_begin": "mcp_tool_call_end",
}


def event_in(value: Any) -> tuple[Mapping[str, Any], Any] | None:
    """The event in a line, and its time from the line or from a wrapper."""
    moment = None
    for _ in range(4):
        if not isinstance(value, dict):
            return None
        moment = next((value[name] for name in _TIMES if value.get(name) is not None), moment)
        kind = value.get("type")
        if isinstance(kind, str) and _EVENT.match(kind):
            return value, moment
        message = value.get("msg")
        if isinstance(message, dict) and isinstance(message.get("type"), str) and "id" in value:
            return message, moment
        value = next((value[name] for name in _INSIDE if isinstance(value.get(name), dict)), None)
    return None


def is_stream(value: Any) -> bool:
    """Whether a line is an event of a stream: whether `event_in` finds one.

    It does not look for times: every line of a rollout is asked, which was a quarter of the time.
    """
    for _ in range(4):
        if not isinstance(value, dict):
            return False
        kind = value.get("type")
        if isinstance(kind, str) and "." in kind and _EVENT.match(kind):
            return True
        message = value.get("msg")
        if isinstance(message, dict) and isinstance(message.get("type"), str) and "id" in value:
            return True
        for name in _INSIDE:
            inside = value.get(name)
            if isinstance(inside, dict):
                value = inside
                break
        else:
            return False
    return False


class CodexStream:
    """State of reading one stream."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(
            path,
            "transcript",
            "stream",
            harness="codex",
            rank=1,
            omits_subagents=True,
            spawners=SPAWNERS,
        )
        self.log = Log(self.source, keep)
        self.events = 0
        self.thread: str | None = None
        self.turns: list[tuple[str | None, Mapping[str, Any]]] = []

    def line(self, raw: RawLine, value: Any, problem: str | None) -> None:
        self.log.lines += 1
        if raw.too_long:
            self.source.report_long_line(raw)
            return
        if problem is not None:
            self.broken(raw, problem)
            return
        found = event_in(value)
        if found is None:
            if not (isinstance(value, dict) and isinstance(value.get("type"), str)):
                self.log.noise(raw.number)
            return
        self.event(*found, raw.number)

    def broken(self, raw: RawLine, reason: str) -> None:
        text = salvage.to_text(raw.data)
        if not text.startswith("{") and '"type"' not in text:
            self.log.noise(raw.number)
            return
        before = len(self.source.calls)
        for piece in salvage.intact_objects(text):
            found = event_in(piece.value)
            if found is not None:
                self.event(*found, raw.number)
            elif isinstance(piece.value.get("type"), str) and _ITEM.search(text):
                self.item(piece.value, None, raw.number)
        call_id = salvage.string_after(text, "id")
        found_calls = len(self.source.calls) - before
        known = call_id in self.log.by_id and not found_calls
        self.log.broken(raw, reason, len(_ITEM.findall(text)) - found_calls - known)

    def event(self, event: Mapping[str, Any], time: Any, number: int) -> None:
        self.events += 1
        moment = parse_time(time)
        self.source.saw(moment)
        kind = str(event["type"])
        if kind == "thread.started":
            # Ids of items start again with each run.
            self.thread = as_text(event.get("thread_id"))
            self.log.by_id.clear()
        elif kind == "turn.completed":
            self.turns.append((self.thread, as_mapping(event.get("usage"))))
        elif kind.startswith("item."):
            self.item(as_mapping(event.get("item")), moment, number)
        elif kind == "session_configured":
            self.source.model = self.source.model or as_text(event.get("model"))
            self.source.cwd = self.source.cwd or as_text(event.get("cwd"))
        elif kind in _BEGINS:
            asked = ended_call(_BEGINS[kind], event)
            if asked is not None:
                self.start(asked, moment, as_text(event.get("cwd")))
        else:
            self.end(ended_call(kind, event), moment, as_text(event.get("cwd")))

    # --- calls ---

    def item(self, item: Mapping[str, Any], moment: float | None, number: int) -> None:
        kind = as_text(item.get("type")) or as_text(item.get("item_type"))
        reader = _STREAM_ITEMS.get(kind or "")
        if reader is None:
            return
        asked = reader(item)
        if asked.name is None or asked.arguments is None:
            if as_text(item.get("id")) is None or item.get("status") not in _RUNNING:
                reason = f"a {kind} without a tool, or whose arguments are no object"
                self.log.unusable(reason, line=number, place="$.item")
            return
        if item.get("status") in _RUNNING and kind != "web_search":
            self.start(asked, moment, None)
        else:
            self.end(asked, moment, None)

    def start(self, asked: Asked, moment: float | None, cwd: str | None) -> RawCall:
        known = self.log.by_id.get(asked.call_id or "")
        if known is not None:
            return known
        return self.log.call(
            asked.name or "",
            dict(asked.arguments or {}),
            asked.call_id,
            asked.server,
            moment,
            position=-1,
            cwd=cwd or self.source.cwd,
        )

    def end(self, asked: Asked | None, moment: float | None, cwd: str | None) -> None:
        if asked is None or asked.name is None:
            return
        call = self.start(asked, moment, cwd)
        output = asked.output
        if call.result is None and output is not None:
            self.log.answer(call, output.text, output.failed, output.data)
            call.answered_at = moment

    # --- end ---

    def finish(self) -> Source:
        source = self.source
        source.parsed = self.events > 0
        self.log.finish()
        source.usage = self.usage()
        source.stated = Stated(model=source.model, harness=source.harness)
        return source

    def usage(self) -> Usage:
        """Tokens of all turns. If one thread has two turns, it is unknown whether the second
        repeats the first, so there is no sum."""
        threads = [thread for thread, _ in self.turns]
        if not self.turns or len(set(threads)) < len(threads):
            return Usage()
        output = _sum(usage.get("output_tokens") for _, usage in self.turns)
        return Usage(
            output_tokens=output,
            output_tokens_source=None if output is None else "turn.completed",
            input_tokens=_sum(usage.get("input_tokens") for _, usage in self.turns),
            cached_tokens=_sum(usage.get("cached_input_tokens") for _, usage in self.turns),
        )


def _sum(values: Any) -> int | None:
    counts = [as_count(value) for value in values]
    return None if None in counts else sum(count for count in counts if count is not None)


def _command(item: Mapping[str, Any]) -> Asked:
    command = item.get("command")
    given = {"command": command} if isinstance(command, str | list) else None
    return Asked("command_execution", given, as_text(item.get("id")), None, streams(item))


def _file_change(item: Mapping[str, Any]) -> Asked:
    given = {"changes": changes_of(item.get("changes"))}
    return Asked("file_change", given, as_text(item.get("id")), None, streams(item))


def _mcp(item: Mapping[str, Any]) -> Asked:
    output = mcp_output(item.get("result"), item.get("error"))
    failed = output.failed or item.get("status") == "failed"
    return Asked(
        as_text(item.get("tool")),
        as_arguments(item.get("arguments")),
        as_text(item.get("id")),
        as_text(item.get("server")),
        msgspec.structs.replace(output, failed=failed),
    )


def _collab(item: Mapping[str, Any]) -> Asked:
    given = {"prompt": item.get("prompt"), "agents": item.get("receiver_thread_ids")}
    arguments = {key: value for key, value in given.items() if value is not None}
    failed = item.get("status") == "failed"
    return Asked(
        as_text(item.get("tool")), arguments, as_text(item.get("id")), None, Output("", failed)
    )


def _web_search(item: Mapping[str, Any]) -> Asked:
    return Asked("web_search", {"query": item.get("query")}, as_text(item.get("id")))


_STREAM_ITEMS = {
    "command_execution": _command,
    "file_change": _file_change,
    "mcp_tool_call": _mcp,
    "collab_tool_call": _collab,
    "web_search": _web_search,
}
