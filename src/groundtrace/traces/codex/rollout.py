"""One rollout, line by line, as a `Source`; a stream is read by `stream.py`.

Everything that the model asked for is a `response_item`; events repeat it for the user interface.
An event is used when the item says less: totals of tokens, the server of an MCP tool, the output
of a command that was never answered, and the calls that a script of code mode made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import UNSET

from groundtrace.base.jsonl import RawLine, decoded, read_lines
from groundtrace.base.mcp import content_text
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_count, as_mapping, as_text
from groundtrace.base.visible import plural
from groundtrace.model import Repeats, Stated, Usage
from groundtrace.problems import ProblemKind
from groundtrace.storage import Folder
from groundtrace.traces.codex.calls import Asked, asked_by, ended_call
from groundtrace.traces.codex.lines import CALLS, ENDS, OUTPUTS, Line, decode_line, line_of
from groundtrace.traces.codex.outputs import Output, read_output, started_agent
from groundtrace.traces.codex.packed import CannotUnpackError, open_plain
from groundtrace.traces.codex.processes import Processes
from groundtrace.traces.codex.scripts import Scripts
from groundtrace.traces.codex.stream import CodexStream, is_stream
from groundtrace.traces.codex.threads import Kin, kin_of
from groundtrace.traces.codex.tokens import Totals
from groundtrace.traces.kit import salvage
from groundtrace.traces.kit.keep import Keep
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
    return rollout.finish(kin_of(folder, path))


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
        self.keep = keep
        self.totals = Totals(self.source.ledger)
        self.processes = Processes()
        self.scripts = Scripts()
        self.by_id: dict[str, RawCall] = {}
        self.ends: dict[str, Output] = {}
        """Outputs that events give for calls without an answer so far."""
        self.is_empty = True
        self.noise = 0
        self.first_noise: int | None = None
        self.orphans: list[int] = []
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
        self.is_empty = False
        if raw.too_long:
            self.source.report_long_line(raw)
        elif problem is not None:
            self.broken(raw, problem)
        elif (line := line_of(value)) is not None:
            self.source.parsed = True
            self.event(line, raw.number)
        else:
            self.note_noise(raw.number)

    def note_noise(self, number: int) -> None:
        self.noise += 1
        self.first_noise = self.first_noise or number

    def broken(self, raw: RawLine, reason: str) -> None:
        """Handle a line that does not decode; its intact parts are kept."""
        text = salvage.to_text(raw.data)
        if not text.startswith("{") and '"type"' not in text:
            self.note_noise(raw.number)
            return
        before = len(self.source.calls)
        for piece in salvage.intact_objects(text):
            line = line_of(piece.value)
            if line is not None:
                self.source.parsed = True
                self.event(line, raw.number)
        lost = max(0, len(_LOST.findall(text)) - (len(self.source.calls) - before))
        kind: ProblemKind = "broken_line" if raw.ended else "truncated_line"
        self.source.problem(
            kind, f"line cannot be decoded ({reason})", line=raw.number, lost_calls=lost
        )

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
            self.source.problem(
                "wrong_type", reason, line=number, place=f"$.payload.{what}", lost_calls=1
            )
            return
        known = self.by_id.get(asked.call_id or "")
        if known is not None and (known.name, known.arguments) == (asked.name, asked.arguments):
            return
        self.totals.call(self.add(asked))

    def add(self, asked: Asked, cwd: str | None = None) -> RawCall:
        call = RawCall(
            asked.name or "",
            self.keep.arguments(asked.arguments or {}),
            call_id=asked.call_id,
            server=asked.server,
            made_at=self.moment,
            position=-1,
            cwd=cwd or self.cwd,
        )
        if asked.server is not None:
            self.source.mcp_servers.setdefault(asked.server)
        self.source.calls.append(call)
        if asked.call_id is not None:
            self.by_id[asked.call_id] = call
        return call

    def output(self, line: Line, number: int) -> None:
        """Add the answer of a call; the first one counts."""
        self.totals.answer()
        body = line.body
        call = self.asked(as_text(body.call_id))
        if call is None:
            self.orphans.append(number)
            return
        if call.result is not None:
            return
        given = body.output
        if given is UNSET:
            given = body.tools if body.result is UNSET else body.result
        self.answer(call, read_output(given), self.moment)

    def asked(self, call_id: str | None) -> RawCall | None:
        """The call that an answer belongs to; without an id, the last call without an id."""
        if call_id is not None:
            return self.by_id.get(call_id)
        open_calls = (c for c in reversed(self.source.calls) if c.call_id is None)
        return next((c for c in open_calls if c.result is None), None)

    def answer(self, call: RawCall, output: Output, moment: float | None) -> None:
        end = self.ends.pop(call.call_id or "", None)
        data = output.data if end is None or end.data is None else end.data
        failed = output.failed or (end is not None and end.failed)
        call.result, call.result_cut = self.keep.result(output.text, data, failed, None)
        call.answered_at = moment
        self.source.cut_results += call.result_cut
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
        known = self.by_id.get(found.call_id)
        if known is None:
            script = self.scripts.running(self.source.calls)
            if found.name is not None and script is not None:
                self.scripts.told(script)
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
            if self.by_id[call_id].result is None:
                self.answer(self.by_id[call_id], end, None)
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
        source.report_lines(not self.is_empty, self.noise, self.first_noise)
        if self.orphans:
            what = plural(len(self.orphans), "result answers", "results answer")
            source.problem("orphan_results", f"{what} no call of the file", line=self.orphans[0])
        untold = self.scripts.untold(source.calls)
        if untold is not None:
            source.notes.append(untold)
        if self.processes.unknown:
            calls = plural(self.processes.unknown, "call shows", "calls show")
            source.notes.append(f"{calls} more output of a running command; its files are unknown")
        source.report_cut_results()
        source.usage = self.usage()
        source.stated = self.stated()
        return source

    def leave_out(self, kin: Kin) -> None:
        """Remove the calls that a fork repeats from the thread that it was forked from (D87)."""
        before = len(self.source.ledger.order)
        leave_out(self.source, Repeats(kin.forked_from or "", kin.history))
        behind = before - len(self.source.ledger.order)
        if behind:
            self.totals.cached -= self.totals.cached_at[behind - 1]

    def usage(self) -> Usage:
        ledger = self.source.ledger
        output = ledger.main_output()
        return Usage(
            output_tokens=output,
            output_tokens_source=None if output is None else "token_count",
            input_tokens=ledger.main_input(),
            cached_tokens=self.totals.cached if ledger.order else None,
        )

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
