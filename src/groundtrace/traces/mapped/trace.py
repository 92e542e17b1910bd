"""One trace as a source, read by a mapping.

Records come one after another: lines, or the elements of a list in an object. Calls and answers are
joined by their ids. An answer belongs to the last call with its id that has no answer yet. A second
call with the id of a call that has no answer yet is the same call, written again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, BinaryIO

from groundtrace.base import jsonio
from groundtrace.base.jsonl import RawLine, read_lines
from groundtrace.base.mcp import content_text, server_in_name
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_amount, as_count, as_id, as_mapping, as_score, as_text
from groundtrace.base.visible import plural
from groundtrace.model import Problem, Stated
from groundtrace.storage import Folder
from groundtrace.traces.codex.records import streams
from groundtrace.traces.kit import salvage
from groundtrace.traces.kit.claims import Sample
from groundtrace.traces.kit.fit import as_arguments
from groundtrace.traces.kit.frames import without_more
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.ledger import TokenCounts
from groundtrace.traces.kit.lists import Listed, ListKind, from_value, load_listed, load_opened
from groundtrace.traces.kit.log import Log
from groundtrace.traces.kit.rows import Naming, find_row, named_rows
from groundtrace.traces.mapped.compiled import Evaluate
from groundtrace.traces.mapped.expressions import Current, ExpressionError, on_element, on_record
from groundtrace.traces.mapped.mapping import FACTS, Declared, without_notice
from groundtrace.traces.source import RawCall, Source

_KEYS = (str, int)
"""Types of the ids of model calls."""


class MappedTrace:
    """State of reading one file."""

    def __init__(self, mapping: Declared, path: str, keep: Keep) -> None:
        self.mapping = mapping
        self.source = Source(
            path, "transcript", mapping.reader, harness=mapping.harness, is_main_log=True
        )
        self.log = Log(self.source, keep)
        self.current = Current(mapping.records)
        self.facts: dict[str, Any] = dict.fromkeys(FACTS)
        self.uncounted: list[RawCall] = []
        """Calls whose model call comes after them."""
        self.stated_cwd: str | None = None
        """The text that `cwd` gave last; in some formats each record repeats it."""
        self.cwd: str | None = None
        self.cached = 0
        self.has_cached = False
        self.costs: dict[Any, float | None] = {}
        self.prepare()

    def prepare(self) -> None:
        """Look up the functions of the keys about calls, answers and model calls. Those of keys
        that few mappings have are None if there is no such key."""
        declared = self.mapping.expressions
        self.unknown = [(key, self.of_record(key)) for key in FACTS if key in declared]
        """Facts that no record stated yet."""
        self.directory_of = self.of_record("cwd") if "cwd" in declared else None
        self.elements = [
            (self.of_record(key), take) for key, take in _TAKEN.items() if key in declared
        ]
        """What gives model calls, calls and answers, each with the method that takes one."""
        self.id_of = self.evaluator("id")
        self.name_of = self.evaluator("name")
        self.arguments_of = self.evaluator("arguments")
        self.time_of = self.evaluator("time")
        self.cwd_of = self.evaluator("call_cwd") if "call_cwd" in declared else None
        self.server_of = self.evaluator("server") if "server" in declared else None
        self.agent_of = self.evaluator("agent") if "agent" in declared else None
        self.has_results = "result" in declared or "failed" in declared
        """Whether results are inside the calls."""
        self.result_of = self.evaluator("result")
        self.failed_of = self.evaluator("failed")
        self.answer_id_of = self.evaluator("answer_id")
        self.answer_result_of = self.evaluator("answer_result")
        self.answer_failed_of = self.evaluator("answer_failed")
        self.answer_time_of = self.evaluator("answer_time")
        self.input_of = self.evaluator("input_tokens")
        self.output_of = self.evaluator("output_tokens")
        self.cached_of = self.evaluator("cached_tokens")
        self.usage_id_of = self.evaluator("usage_id") if "usage_id" in declared else None
        self.cost_of = self.evaluator("usage_cost") if "usage_cost" in declared else None

    def of_record(self, key: str) -> Evaluate:
        """What gives the value of a key for a record."""
        return on_record(self.mapping.expressions, key, self.current)

    def evaluator(self, key: str) -> Evaluate:
        """What gives the value of a key for an element of the current record."""
        return on_element(self.mapping.expressions, key, self.current)

    # --- records ---

    def read(self, stream: BinaryIO) -> None:
        """Read a file whose lines are records."""
        for raw in read_lines(stream):
            self.log.lines += 1
            if raw.too_long:
                self.source.report_long_line(raw)
                self.source.ledger.interrupt()
                continue
            try:
                value = jsonio.loads(raw.data)
            except jsonio.BadJsonError as error:
                self.broken(raw, str(error))
                continue
            if isinstance(value, dict):
                self.record(value, raw.number)
            else:
                self.log.noise(raw.number)

    def broken(self, raw: RawLine, reason: str) -> None:
        """Handle a line that does not decode. Objects on one line are separated. A line that was
        cut off gives nothing, because a part of a record could look like another record."""
        text = salvage.to_text(raw.data)
        if not text.startswith("{"):
            self.log.noise(raw.number)
            return
        pieces = list(salvage.intact_objects(text))
        whole = pieces and pieces[0].start == 0 and pieces[-1].end == len(text.rstrip())
        if whole and not any(text[a.end : b.start].strip() for a, b in pairwise(pieces)):
            for piece in pieces:
                self.record(piece.value, raw.number)
            self.source.notes.append(f"line {raw.number} holds {len(pieces)} records")
            return
        self.source.ledger.interrupt()
        self.log.broken(raw, reason, 0)

    def record(self, record: Any, line: int | None = None, number: int | None = None) -> None:
        """Read a record: a line, or the element of the list with this number."""
        if not isinstance(record, dict):
            self.current.line, self.current.number = line, number
            self.problem(f"a record is {type(record).__name__}, not an object")
            return
        self.source.parsed = True
        current = self.current
        current.record, current.line, current.number = record, line, number
        for key, evaluate in self.unknown:
            found = evaluate(record)
            if found is not None:  # the first value counts
                self.facts[key] = found
                self.unknown = [fact for fact in self.unknown if fact[0] != key]
        if self.directory_of is not None:
            stated = self.directory_of(record)
            if stated != self.stated_cwd:
                self.enter(stated)
        for evaluate, take in self.elements:
            found = evaluate(record)
            if isinstance(found, dict):
                take(self, found)
            elif isinstance(found, list):
                for element in found:
                    take(self, element)
            elif found is not None and found is not False and found != "":
                take(self, found)

    def problem(self, reason: str, lost_calls: int = 0) -> None:
        """Report something in the current record that cannot be used."""
        line, place = self.current.line, self.current.place
        self.source.problem("wrong_type", reason, line=line, place=place, lost_calls=lost_calls)

    def enter(self, stated: Any) -> None:
        """Take the working directory in what `cwd` gives, if any."""
        self.stated_cwd = stated if isinstance(stated, str) else None
        directory = self.directory(stated)
        if directory is not None:
            self.cwd = directory
            self.source.cwd = self.source.cwd or directory

    def directory(self, stated: Any) -> str | None:
        """The working directory in what `cwd` gives, if any."""
        text = as_text(stated)
        words = self.mapping.cwd_after
        if text is None or words is None:
            return text
        after = text.partition(words)[2].partition("\n")[0].strip()
        return after if after.startswith("/") else None

    # --- tokens ---

    def count(self, usage: Any) -> None:
        ledger = self.source.ledger
        given = as_count(self.input_of(usage))
        made = as_count(self.output_of(usage))
        cached = as_count(self.cached_of(usage))
        counts = None if given is None or made is None else TokenCounts(given, made)
        stated = None if self.usage_id_of is None else self.usage_id_of(usage)
        key = stated if isinstance(stated, _KEYS) else len(ledger.order)
        if cached is not None and key not in ledger.counts:
            self.cached += cached
            self.has_cached = True
        ledger.add(key, counts)
        if self.cost_of is not None:
            self.costs[key] = as_amount(self.cost_of(usage))
        if self.mapping.is_usage_after:
            for call in self.uncounted:
                call.position = ledger.position
            self.uncounted.clear()

    # --- calls ---

    def call(self, asked: Any) -> None:
        name = as_text(self.name_of(asked))
        given = self.arguments_of(asked)
        arguments = as_arguments(given)
        if arguments is None and isinstance(given, str) and given.strip()[:1] not in ("", "{"):
            arguments = {"input": given}  # a tool that takes plain text, such as a patch
        if name is None or arguments is None:
            what = "name" if name is None else "arguments"
            self.problem(f"a call whose {what} cannot be used", lost_calls=1)
            return
        call_id = as_id(self.id_of(asked))
        call = self.log.by_id.get(call_id or "")
        if call is None:
            call = self.new_call(name, arguments, call_id, asked)
        elif call.server is None and self.server_of is not None:
            call.server = as_text(self.server_of(asked))  # stated where the call is repeated
            call.name = call.name if call.server is None else name
        if self.has_results:
            result, failed = self.result_of(asked), self.failed_of(asked)
            if result is not None or failed:
                self.give(call, result, failed)
                call.answered_at = call.answered_at or None

    def new_call(
        self, name: str, arguments: Mapping[str, Any], call_id: str | None, asked: Any
    ) -> RawCall:
        source = self.source
        moment = parse_time(self.time_of(asked))
        source.saw(moment)
        server = None if self.server_of is None else as_text(self.server_of(asked))
        server = server or server_in_name(name)
        agent = None if self.agent_of is None else as_text(self.agent_of(asked))
        cwd = None if self.cwd_of is None else as_text(self.cwd_of(asked))
        position = source.ledger.position if source.ledger.order else -1
        if self.mapping.is_usage_after:
            position = -1
        call = self.log.call(
            name, dict(arguments), call_id, server, moment, position, cwd or self.cwd
        )
        call.is_subagent, call.agent = agent is not None, agent
        if self.mapping.is_usage_after:
            self.uncounted.append(call)
        return call

    def answer(self, answer: Any) -> None:
        call = self.log.by_id.get(as_id(self.answer_id_of(answer)) or "")
        if call is None:
            self.log.orphan(self.current.line)
            return
        call.answered_at = parse_time(self.answer_time_of(answer))
        self.source.saw(call.answered_at)
        self.give(call, self.answer_result_of(answer), self.answer_failed_of(answer))

    def give(self, call: RawCall, result: Any, failed: Any) -> None:
        text, is_error = printed(result)
        is_error = is_error or bool(failed)
        is_plain = call.name in self.mapping.plain_reads and not is_error
        data = lines_of(text, call.arguments) if is_plain else None
        self.log.answer(call, text, is_error, data)
        self.log.by_id.pop(call.call_id or "", None)

    # --- end ---

    def finish(self, root: Mapping[str, Any], problems: Iterable[Problem]) -> Source:
        source = self.source
        source.problems += problems
        if root and self.mapping.records is not None:
            self.state_of_root(root)
        source.parsed = source.parsed or bool(root)
        if not self.log.lines and not source.parsed and not source.problems:
            source.problem("empty_file", "a file without records")
        for key, (times, reason, line, place) in self.current.failures.items():
            often = plural(times, "time")
            said = f"the mapping's {key} failed {often}: {reason}"
            source.problem("wrong_type", said, line=line, place=place)
        self.log.finish(has_lines=self.log.lines > 0)
        source.harness_version = as_text(self.facts.get("version"))
        source.model = as_text(self.facts.get("model"))
        source.stated = stated_by(self.mapping.harness, self.facts, self.costs.values())
        source.usage = source.totals(
            "output_tokens of the mapping",
            cached_tokens=self.cached if self.has_cached else None,
            cost_usd=source.stated.cost_usd,
            cost_source=source.stated.cost_source,
        )
        return source

    def state_of_root(self, root: Mapping[str, Any]) -> None:
        """Take what the object around the records states; it counts more than the records."""
        expressions, current, source = self.mapping.expressions, self.current, self.source
        current.record, current.line, current.number = root, None, None
        for key in FACTS:
            found = on_record(expressions, key, current)(root)
            self.facts[key] = found if found is not None else self.facts.get(key)
        # If a record stated the directory, the expression is not evaluated: it might fail here.
        if source.cwd is None:
            source.cwd = self.directory(on_record(expressions, "cwd", current)(root))
        for call in source.calls:
            call.cwd = call.cwd or source.cwd


_TAKEN: Mapping[str, Callable[[MappedTrace, Any], None]] = {
    "usage": MappedTrace.count,
    "calls": MappedTrace.call,
    "answers": MappedTrace.answer,
}
"""Keys whose elements are taken, in this order: tokens come before the calls of a record."""


# --- answers of tools, in the forms that mappings give them ---

_STREAMS = frozenset({"stdout", "stderr"})
_PART = regex(r"Showing lines ([1-9]\d{0,8})-(\d{1,9}) of \d{1,9} total lines\.\n\n---\n\n")
"""What Qwen Code writes above a part of a file."""


def lines_of(text: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Which lines of a file a text without line numbers shows; None if that is unknown."""
    part = _PART.match(text)
    if part is not None and int(part[1]) <= int(part[2]):
        return {"file": {"startLine": int(part[1]), "numLines": int(part[2]) - int(part[1]) + 1}}
    shown = without_more(text)
    cut = len(shown) < len(text)
    first = arguments.get("offset")
    start = 1 if first is None else as_count(first)
    if not shown or not start:
        return None
    # Before such a note the last line has no newline, so an empty text there is a line too.
    count = shown.count("\n") + (cut or not shown.endswith("\n"))
    return {"file": {"startLine": start, "numLines": count}}


def printed(value: Any) -> tuple[str, bool]:
    """An answer as text, and whether it says that it failed."""
    if isinstance(value, str):
        return value, False
    if value is None:
        return "", False
    members = as_mapping(value)
    if _STREAMS & members.keys():
        output = streams(members)
        return output.text, output.failed
    if isinstance(value, list) or isinstance(members.get("text"), str):
        return content_text(value), False
    if isinstance(members.get("content"), str | list):
        return content_text(members["content"]), members.get("isError") is True
    return jsonio.written(value), False


# --- what a file states about its trial ---


def stated_by(harness: str, facts: Mapping[str, Any], costs: Collection[float | None]) -> Stated:
    """What the facts state; without a cost of the trial, the costs of its model calls count if all
    are known."""
    cost, where = as_amount(facts.get("cost")), "cost of the mapping"
    known = [item for item in costs if item is not None]
    if cost is None and known and len(known) == len(costs):
        cost, where = sum(known), "usage_cost of the mapping"
    reward = as_score(facts.get("reward"))
    submission = facts.get("submission")
    return Stated(
        task=as_id(facts.get("task")),
        task_place="task of the mapping",
        model=as_text(facts.get("model")),
        harness=harness,
        harness_version=as_text(facts.get("version")),
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


# --- files ---

_NO_CALL = regex(rb"(?!)")


def samples(mapping: Declared, folder: Folder, path: str) -> Iterator[Sample | Problem]:
    """The rows of a file, with what each states."""
    for name, value in named_rows(folder, path, _naming(mapping)):
        if isinstance(value, Problem):
            yield value
        else:
            source = _read_object(mapping, value, path, Keep())
            yield Sample(name, source.stated, first_call=source.first_call)


def _naming(mapping: Declared) -> Naming:
    """Rows are named by the mapping's task."""
    expression = mapping.expressions.get("task")

    def task_of(row: Mapping[str, Any]) -> str | None:
        try:
            return None if expression is None else as_text(expression.of(row))
        except ExpressionError:
            return None

    return Naming("task" if expression is None else f"task {expression.text}", task_of)


def read(mapping: Declared, folder: Folder, path: str, name: str | None, keep: Keep) -> Source:
    """Read a file, or one row of it."""
    if mapping.layout == "rows":
        row = find_row(folder, path, name, _naming(mapping))
        if isinstance(row, Problem):
            trace = MappedTrace(mapping, path, keep)
            trace.source.problems.append(row)
            return trace.source
        return _read_object(mapping, row, path, keep)
    trace = MappedTrace(mapping, path, keep)
    if mapping.layout == "lines":
        with folder.open(path) as stream:
            trace.read(stream)
        return trace.finish({}, [])
    return _from_list(trace, _loaded(folder, path, mapping.records or "\0"))


def _loaded(folder: Folder, path: str, records: str) -> Listed:
    """The object in a file, behind a notice if there is one."""
    with folder.open(path) as stream:
        head = stream.read(512)
    skipped = len(head) - len(without_notice(head))
    if not skipped:
        return load_listed(folder, path, ListKind(records, _NO_CALL))

    def opened() -> BinaryIO:
        stream = folder.open(path)
        stream.read(skipped)
        return stream

    return load_opened(opened, None, path, ListKind(records, _NO_CALL))


def _read_object(mapping: Declared, value: Any, path: str, keep: Keep) -> Source:
    trace = MappedTrace(mapping, path, keep)
    return _from_list(trace, from_value(value, path, ListKind(mapping.records or "\0", _NO_CALL)))


def _from_list(trace: MappedTrace, loaded: Listed) -> Source:
    """The records of an object; an object without such a list is itself the only record."""
    if trace.mapping.records is None:
        for _ in loaded.items:
            pass
        # It is normal that there is no such list; other damage is reported.
        loaded.problems = [p for p in loaded.problems if "no list of" not in p.reason]
        if loaded.root:
            trace.record(loaded.root)
        return trace.finish(loaded.root, loaded.problems)
    for number, record in enumerate(loaded.items):
        if isinstance(record, Problem):
            trace.source.problems.append(record)
            trace.source.ledger.interrupt()
        else:
            trace.record(record, number=number)
    return trace.finish(loaded.root, loaded.problems)
