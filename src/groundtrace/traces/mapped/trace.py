"""One file as a source, read by a mapping.

Records come one after another: lines, or the elements of a list in an object. Calls and answers are
joined by their ids. An answer belongs to the last call with its id that has no answer yet. A second
call with the id of a call that has no answer yet is the same call, written again.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from groundtrace import jsonio
from groundtrace.cut_json import read_prefix
from groundtrace.mcp import content_text, server_in_name
from groundtrace.model import Problem, Stated, Usage
from groundtrace.patterns import regex
from groundtrace.problems import ProblemKind
from groundtrace.storage import Folder
from groundtrace.times import parse_time
from groundtrace.traces import salvage
from groundtrace.traces.arguments import as_arguments
from groundtrace.traces.claims import Sample
from groundtrace.traces.codex.outputs import streams
from groundtrace.traces.jsonl import RawLine, read_lines
from groundtrace.traces.keep import Keep
from groundtrace.traces.ledger import TokenCounts
from groundtrace.traces.listed import Listed, from_value, load_listed
from groundtrace.traces.mapped.expressions import FAILURES, ExpressionError, reason_of, within
from groundtrace.traces.mapped.mapping import Declared
from groundtrace.traces.rows import find_row, named_rows
from groundtrace.traces.source import RawCall, Source
from groundtrace.values import as_amount, as_count, as_mapping, as_number, as_text
from groundtrace.visible import plural

FIRST_LINES = 8
"""How many lines are read to recognise a file."""
_FACTS = (
    "task", "model", "version", "repo", "cost", "reward", "seconds", "exit_status", "submission",
)  # fmt: skip
_NO_CALL = regex(rb"(?!)")
_MORE = regex(
    r"\n\n(?:\.\.\. \(\d{1,9} more lines? not shown[^\n]*\)"
    r"|\[(?:Showing lines |\d{1,9} more lines? )[^\n]*\])\Z"
)
"""A note after the lines that were shown: there are more lines."""
_STREAMS = frozenset({"stdout", "stderr"})


# --- recognising ----------------------------------------------------------------------------


def matches(mapping: Declared, head: bytes) -> str | None:
    """The place in the first bytes of a file where `match` is true; None if there is none."""
    if mapping.layout == "object":
        text = head.decode("utf-8-sig", errors="replace")
        return "the object" if _is_true(mapping, read_prefix(text).value) else None
    if mapping.layout == "rows" and head.lstrip()[:1] == b"[":
        value = read_prefix(head.decode("utf-8-sig", errors="replace")).value
        first = value[0] if isinstance(value, list) and value else None
        return "the first row" if _is_true(mapping, first) else None
    for number, line in enumerate(read_lines(io.BytesIO(head))):
        if number >= FIRST_LINES:
            break
        text = line.data.decode("utf-8-sig", errors="replace")
        if _is_true(mapping, read_prefix(text).value):
            return f"line {line.number}"
    return None


def _is_true(mapping: Declared, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    try:
        found = mapping.expressions["match"].of(value)
    except ExpressionError:
        return False
    return found is not None and found is not False and found not in ("", [], {})


# --- reading --------------------------------------------------------------------------------


def samples(mapping: Declared, folder: Folder, path: str) -> Iterator[Sample | Problem]:
    """The trials of a file, with what each states."""
    if mapping.layout != "rows":
        yield Sample(None, read(mapping, folder, path, None, Keep()).stated)
        return
    try:
        for name, value in named_rows(folder, path, lambda row: _task_of(mapping, row)):
            if isinstance(value, Problem):
                yield value
            else:
                yield Sample(name, _read_object(mapping, value, path, Keep()).stated)
    except OSError as error:
        yield Problem(path, "unreadable", f"cannot be read: {error}")


def _task_of(mapping: Declared, row: Mapping[str, Any]) -> str | None:
    expression = mapping.expressions.get("task")
    try:
        return None if expression is None else as_text(expression.of(row))
    except ExpressionError:
        return None


def read(mapping: Declared, folder: Folder, path: str, name: str | None, keep: Keep) -> Source:
    """Read a file, or one row of it."""
    if mapping.layout == "rows":
        row = find_row(folder, path, name, lambda value: _task_of(mapping, value))
        if isinstance(row, Problem):
            trace = MappedTrace(mapping, path, keep)
            trace.source.problems.append(row)
            return trace.source
        return _read_object(mapping, row, path, keep)
    trace = MappedTrace(mapping, path, keep)
    if mapping.layout == "lines":
        with folder.open(path) as stream:
            for line in read_lines(stream):
                trace.line(line)
        return trace.finish({}, [])
    return _from_list(trace, load_listed(folder, path, mapping.records or "\0", _NO_CALL))


def _read_object(mapping: Declared, value: Any, path: str, keep: Keep) -> Source:
    trace = MappedTrace(mapping, path, keep)
    return _from_list(trace, from_value(value, path, mapping.records or "\0"))


def _from_list(trace: MappedTrace, loaded: Listed) -> Source:
    """The records of an object; an object without such a list is itself the only record."""
    if trace.mapping.records is None:
        for _ in loaded.items:
            pass
        # It is normal that there is no such list; other damage is reported.
        loaded.problems = [p for p in loaded.problems if "no list of" not in p.reason]
        if loaded.root:
            trace.record(loaded.root, None, "$")
        return trace.finish(loaded.root, loaded.problems)
    for number, record in enumerate(loaded.items):
        place = f"$.{trace.mapping.records}[{number}]"
        if isinstance(record, Problem):
            trace.source.problems.append(record)
            trace.source.ledger.interrupt()
        else:
            trace.record(record, None, place)
    return trace.finish(loaded.root, loaded.problems)


class MappedTrace:
    """State of reading one file."""

    def __init__(self, mapping: Declared, path: str, keep: Keep) -> None:
        self.mapping = mapping
        self.expressions = mapping.expressions
        self.source = Source(
            path, "transcript", mapping.reader, harness=mapping.harness, is_main_log=True
        )
        self.keep = keep
        self.facts: dict[str, Any] = dict.fromkeys(_FACTS)
        self.declared_facts = [key for key in _FACTS if key in mapping.expressions]
        self.waiting: dict[str, RawCall] = {}
        self.uncounted: list[RawCall] = []
        """Calls whose model call comes after them."""
        self.cwd: str | None = None
        self.lines = self.noise = self.seen = self.cached = self.orphans = 0
        self.has_cached = False
        self.costs: dict[Any, float | None] = {}
        self.first_noise: int | None = None
        self.first_orphan: int | None = None
        self.failures: dict[str, tuple[int, str, int | None, str]] = {}
        """Key to how often its expression failed, with the first reason and its place."""

    # --- records ---

    def line(self, raw: RawLine) -> None:
        self.lines += 1
        if raw.too_long:
            self.source.report_long_line(raw)
            self.source.ledger.interrupt()
            return
        try:
            value = jsonio.loads(raw.data)
        except jsonio.BadJsonError as error:
            self.broken(raw, str(error))
            return
        if isinstance(value, dict):
            self.record(value, raw.number, "$")
        else:
            self.note_noise(raw.number)

    def note_noise(self, number: int) -> None:
        self.noise += 1
        self.first_noise = self.first_noise or number

    def broken(self, raw: RawLine, reason: str) -> None:
        """Handle a line that does not decode. Objects on one line are separated. A line that was
        cut off gives nothing, because a part of a record could look like another record."""
        text = salvage.to_text(raw.data)
        if not text.startswith("{"):
            self.note_noise(raw.number)
            return
        pieces = list(salvage.intact_objects(text))
        whole = pieces and pieces[0].start == 0 and pieces[-1].end == len(text.rstrip())
        if whole and not any(text[a.end : b.start].strip() for a, b in pairwise(pieces)):
            for piece in pieces:
                self.record(piece.value, raw.number, "$")
            self.source.notes.append(f"line {raw.number} holds {len(pieces)} records")
            return
        self.source.ledger.interrupt()
        kind: ProblemKind = "broken_line" if raw.ended else "truncated_line"
        self.source.problem(kind, f"line cannot be decoded ({reason})", line=raw.number)

    def directory(self, record: Any, line: int | None, place: str) -> str | None:
        """The working directory that a record states, if any."""
        text = as_text(self.value("cwd", record, line, place))
        words = self.mapping.cwd_after
        if text is None or words is None:
            return text
        after = text.partition(words)[2].partition("\n")[0].strip()
        return after if after.startswith("/") else None

    def record(self, record: Any, line: int | None, place: str) -> None:
        if not isinstance(record, dict):
            reason = f"a record is {type(record).__name__}, not an object"
            self.source.problem("wrong_type", reason, line=line, place=place)
            return
        self.seen += 1
        for key in self.declared_facts:
            if self.facts[key] is None:
                self.facts[key] = self.value(key, record, line, place)
        directory = self.directory(record, line, place)
        if directory is not None:
            self.cwd = directory
            self.source.cwd = self.source.cwd or directory
        for usage in self.elements("usage", record, line, place):
            self.count(usage, line, place)
        for call in self.elements("calls", record, line, place):
            self.call(call, line, place)
        for answer in self.elements("answers", record, line, place):
            self.answer(answer, line, place)

    def value(self, key: str, value: Any, line: int | None, place: str) -> Any:
        """What the expression of a key gives; None if there is no expression or it fails."""
        expression = self.expressions.get(key)
        if expression is None:
            return None
        try:
            return expression.evaluate(value)
        except FAILURES as error:
            reason = reason_of(error)
            times, first, at, where = self.failures.get(key, (0, reason, line, place))
            self.failures[key] = (times + 1, first, at, where)
            return None

    def elements(self, key: str, record: Any, line: int | None, place: str) -> Iterable[Any]:
        """The elements that a key gives, each with the record around it."""
        found = self.value(key, record, line, place)
        if found is None or found is False or found == "":
            return ()
        listed = found if isinstance(found, list) else [found]
        return [within(element, record) for element in listed]

    # --- tokens ---

    def count(self, usage: Any, line: int | None, place: str) -> None:
        ledger = self.source.ledger
        values = {
            key: as_count(self.value(key, usage, line, place))
            for key in ("input_tokens", "output_tokens", "cached_tokens")
        }
        given, made, cached = values.values()
        counts = None if given is None or made is None else TokenCounts(given, made)
        stated = self.value("usage_id", usage, line, place)
        key = stated if isinstance(stated, str | int) else len(ledger.order)
        if key not in ledger.counts and cached is not None:
            self.cached += cached
            self.has_cached = True
        ledger.add(key, counts)
        self.costs[key] = as_amount(self.value("usage_cost", usage, line, place))
        if self.mapping.is_usage_after:
            for call in self.uncounted:
                call.position = ledger.position
            self.uncounted.clear()

    # --- calls ---

    def call(self, asked: Any, line: int | None, place: str) -> None:
        name = as_text(self.value("name", asked, line, place))
        arguments = as_arguments(self.value("arguments", asked, line, place))
        if name is None or arguments is None:
            what = "name" if name is None else "arguments"
            reason = f"a call whose {what} cannot be used"
            self.source.problem("wrong_type", reason, line=line, place=place, lost_calls=1)
            return
        call_id = _id(self.value("id", asked, line, place))
        call = self.waiting.get(call_id or "")
        if call is None:
            call = self.new_call(name, arguments, call_id, asked, line, place)
        result = self.value("result", asked, line, place)
        failed = self.value("failed", asked, line, place)
        if result is not None or _failed(failed):
            self.give(call, result, failed)
            call.answered_at = call.answered_at or None
        elif call_id is not None:
            self.waiting[call_id] = call

    def new_call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        call_id: str | None,
        asked: Any,
        line: int | None,
        place: str,
    ) -> RawCall:
        moment = parse_time(self.value("time", asked, line, place))
        self.source.saw(moment)
        server = as_text(self.value("server", asked, line, place)) or server_in_name(name)
        agent = as_text(self.value("agent", asked, line, place))
        call = RawCall(
            name,
            self.keep.arguments(dict(arguments)),
            call_id=call_id,
            server=server,
            made_at=moment,
            position=-1,
            cwd=as_text(self.value("call_cwd", asked, line, place)) or self.cwd,
            is_subagent=agent is not None,
            agent=agent,
        )
        if self.mapping.is_usage_after:
            self.uncounted.append(call)
        elif self.source.ledger.order:
            call.position = self.source.ledger.position
        if server is not None:
            self.source.mcp_servers.setdefault(server)
        self.source.calls.append(call)
        return call

    def answer(self, answer: Any, line: int | None, place: str) -> None:
        call = self.waiting.get(_id(self.value("answer_id", answer, line, place)) or "")
        if call is None:
            self.orphans += 1
            self.first_orphan = self.first_orphan or line
            return
        call.answered_at = parse_time(self.value("answer_time", answer, line, place))
        self.source.saw(call.answered_at)
        self.give(
            call,
            self.value("answer_result", answer, line, place),
            self.value("answer_failed", answer, line, place),
        )

    def give(self, call: RawCall, result: Any, failed: Any) -> None:
        text, is_error = _printed(result)
        is_error = is_error or _failed(failed)
        is_plain = call.name in self.mapping.plain_reads and not is_error
        data = _lines_of(text, call.arguments) if is_plain else None
        call.result, call.result_cut = self.keep.result(text, data, is_error, None)
        self.source.cut_results += call.result_cut
        self.waiting.pop(call.call_id or "", None)

    # --- end ---

    def finish(self, root: Mapping[str, Any], problems: Iterable[Problem]) -> Source:
        source = self.source
        source.problems += problems
        if root and self.mapping.records is not None:
            for key in _FACTS:
                found = self.value(key, root, None, "$")
                self.facts[key] = found if found is not None else self.facts.get(key)
            source.cwd = source.cwd or self.directory(root, None, "$")
            for call in source.calls:
                call.cwd = call.cwd or source.cwd
        source.parsed = self.seen > 0 or bool(root)
        if self.lines:
            source.report_lines(self.lines, self.noise, self.first_noise)
        elif not source.parsed and not source.problems:
            source.problem("empty_file", "a file without records")
        for key, (times, reason, line, place) in self.failures.items():
            often = plural(times, "time")
            said = f"the mapping's {key} failed {often}: {reason}"
            source.problem("wrong_type", said, line=line, place=place)
        if self.orphans:
            what = plural(self.orphans, "answer belongs", "answers belong")
            source.problem("orphan_results", f"{what} to no call", line=self.first_orphan)
        source.report_cut_results()
        source.harness_version = as_text(self.facts.get("version"))
        source.model = as_text(self.facts.get("model"))
        source.stated = self.stated()
        source.usage = self.usage(source.stated)
        return source

    def stated(self) -> Stated:
        facts = self.facts
        cost, where = as_amount(facts.get("cost")), "cost of the mapping"
        known = [item for item in self.costs.values() if item is not None]
        if cost is None and known and len(known) == len(self.costs):
            cost, where = sum(known), "usage_cost of the mapping"
        verdict = facts.get("reward")
        reward = float(verdict) if isinstance(verdict, bool) else as_number(verdict)
        submission = facts.get("submission")
        return Stated(
            task=_id(facts.get("task")),
            task_place="task of the mapping",
            model=self.source.model,
            harness=self.mapping.harness,
            harness_version=self.source.harness_version,
            repo=as_text(facts.get("repo")),
            cost_usd=cost,
            cost_source=None if cost is None else where,
            reward=reward,
            reward_source=None if reward is None else "reward of the mapping",
            agent_seconds=as_amount(facts.get("seconds")),
            exit_status=as_text(facts.get("exit_status")),
            submission=submission if isinstance(submission, str) else None,
            submission_source="submission of the mapping",
        )

    def usage(self, stated: Stated) -> Usage:
        ledger = self.source.ledger
        output = ledger.main_output()
        return Usage(
            output_tokens=output,
            output_tokens_source=None if output is None else "output_tokens of the mapping",
            input_tokens=ledger.main_input(),
            cached_tokens=self.cached if self.has_cached else None,
            cost_usd=stated.cost_usd,
            cost_source=stated.cost_source,
        )


def _lines_of(text: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Which lines of a file a text without line numbers shows; None if that is unknown."""
    shown, cut = _MORE.subn("", text)
    first = arguments.get("offset")
    start = 1 if first is None else as_count(first)
    if not shown or not start:
        return None
    # Before such a note the last line has no newline, so an empty text there is a line too.
    count = shown.count("\n") + (bool(cut) or not shown.endswith("\n"))
    return {"file": {"startLine": start, "numLines": count}}


def _id(value: Any) -> str | None:
    """An id as text; in some formats ids are numbers."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return as_text(value)


def _failed(value: Any) -> bool:
    """Whether a value means failure: True, a number other than 0, or a text that is not empty."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value != 0
    return bool(value)


def _printed(value: Any) -> tuple[str, bool]:
    """An answer as text, and whether it says that it failed."""
    if value is None:
        return "", False
    members = as_mapping(value)
    if _STREAMS & members.keys():
        output = streams(members)
        return output.text, output.failed
    if isinstance(value, str | list) or isinstance(members.get("text"), str):
        return content_text(value), False
    if isinstance(members.get("content"), str | list):
        return content_text(members["content"]), members.get("isError") is True
    import json

    try:
        return json.dumps(value, ensure_ascii=False), False
    except (ValueError, RecursionError):
        return "", False
