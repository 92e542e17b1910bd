"""One log of model calls, or one row of a data set, as a `Source`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from groundtrace.base.mcp import server_in_name
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_count, as_mapping, as_text
from groundtrace.base.visible import plural
from groundtrace.model import Problem, Stated
from groundtrace.storage import Folder
from groundtrace.traces.api_log.records import Turn, asked_in, given_in, is_row, turns_in
from groundtrace.traces.chat.answers import read_answer
from groundtrace.traces.chat.records import NAMING, stated_of
from groundtrace.traces.codex.records import read_output
from groundtrace.traces.kit.claims import Sample
from groundtrace.traces.kit.fit import as_arguments
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.ledger import TokenCounts
from groundtrace.traces.kit.log import Log
from groundtrace.traces.kit.rows import decoded, find_row, read_raw_rows, row_samples
from groundtrace.traces.source import Source

_CALL = regex(
    rb'"type"\s*+:\s*+"(?:tool_use|function_call|(?:local_)?shell_call|apply_patch_call)"'
)


def samples(folder: Folder, path: str) -> Iterator[Sample | Problem]:
    """The rows of a file; a log is one sample."""
    if _has_rows(folder, path):
        yield from row_samples(folder, path, NAMING, stated_of)
    else:
        yield Sample(None, read(folder, path, None, Keep()).stated)


def _has_rows(folder: Folder, path: str) -> bool:
    """Whether the first object of a file is a conversation of its own."""
    for row in read_raw_rows(folder, path):
        value = decoded(row, path)
        return not isinstance(value, Problem) and is_row(value)
    return False


def read(
    folder: Folder,
    path: str,
    sample_id: str | None,
    keep: Keep,
    *,
    harness: str | None = None,
) -> Source:
    """Read a log, or one row of a file."""
    log = ApiLog(path, keep, harness)
    if sample_id is None and not _has_rows(folder, path):
        for row in read_raw_rows(folder, path):
            value = decoded(row, path)
            if isinstance(value, Problem):
                log.lost(value, len(_CALL.findall(row.data)))
            else:
                log.read(value)
        return log.finish({})
    found = find_row(folder, path, sample_id, NAMING)
    if isinstance(found, Problem):
        log.lost(found, 0)
        return log.finish({})
    log.read(found)
    return log.finish(found)


class ApiLog:
    """State of reading one log."""

    def __init__(self, path: str, keep: Keep, harness: str | None = None) -> None:
        self.source = Source(path, "transcript", "api log", harness=harness, is_main_log=True)
        self.log = Log(self.source, keep)
        self.turns = 0

    def lost(self, problem: Problem, calls: int) -> None:
        """Note a line or a row that cannot be used."""
        self.source.problem(
            problem.kind, problem.reason, line=problem.line, place=problem.place, lost_calls=calls
        )
        self.source.ledger.interrupt()

    def read(self, value: Mapping[str, Any]) -> None:
        """Read a line, a request, a reply or a row."""
        for turn in turns_in(value):
            self.turns += 1
            self.turn(turn)

    def turn(self, turn: Turn) -> None:
        around = turn.around
        keys = ("timestamp", "created_at", "created", "ts", "time")
        times = (parse_time(around.get(key)) for key in keys)
        moment = next((time for time in times if time is not None), None)
        self.source.saw(moment)
        new = [one for one in asked_in(turn.value) if not self.is_known(one.call_id, one.name)]
        if new or turn.value.get("role") == "assistant":
            self.reply(turn, is_new=bool(new))
        for one in new:
            name, arguments = as_text(one.name), as_arguments(one.arguments)
            if name is None or arguments is None:
                what = "name" if name is None else "arguments"
                self.log.unusable(f"a call whose {what} cannot be used", place=f"turn {self.turns}")
                continue
            folder = as_text(arguments.get("workdir", arguments.get("working_directory")))
            server = server_in_name(name)
            self.log.call(name, arguments, one.call_id, server, moment, cwd=folder)
        for given in given_in(turn.value):
            self.answer(given.call_id, given.content, given.failed, moment)

    def is_known(self, call_id: str | None, name: Any) -> bool:
        """Whether a call is one that a request repeats."""
        known = self.log.by_id.get(call_id or "")
        return known is not None and known.name == name

    def reply(self, turn: Turn, *, is_new: bool) -> None:
        """Note a model call, once: by its id, or by what is new in it."""
        stated = as_mapping(turn.value.get("usage")) or as_mapping(turn.around.get("usage"))
        key = as_text(turn.value.get("id")) or as_text(turn.around.get("id"))
        if not stated and not is_new:
            return
        if self.source.model is None:
            model = as_text(turn.value.get("model")) or as_text(turn.around.get("model"))
            self.source.model = model
        key = as_text(turn.around.get("id")) if stated and "usage" in turn.around else key
        self.source.ledger.add(key or f"turn {self.turns}", _counts(stated))

    def answer(self, call_id: str | None, content: Any, failed: bool, moment: float | None) -> None:
        call = self.log.by_id.get(call_id or "")
        if call is None:
            self.log.orphan(None)
            return
        if call.result is not None:
            return
        found = read_output(content)
        shown = read_answer(call.name, found.text)
        self.log.answer(call, shown.text, failed or found.failed or shown.failed, found.data)
        call.answered_at = moment

    def finish(self, row: Mapping[str, Any]) -> Source:
        source = self.source
        source.parsed = self.turns > 0
        if not self.turns and not source.problems:
            source.problem("empty_file", "a log without messages")
        harness = source.harness
        source.stated = stated_of(row) if row else Stated(model=source.model, harness=harness)
        source.model = source.model or source.stated.model
        source.harness = source.stated.harness or harness
        source.usage = source.totals("usage of each reply")
        self.log.finish(has_lines=False)
        self.say_unanswered()
        return source

    def say_unanswered(self) -> None:
        """Say that a log has no answers at all: it shows what was asked for and nothing else."""
        calls = self.source.calls
        if calls and not any(call.result is not None for call in calls):
            count = plural(len(calls), "call", "calls")
            reason = f"{count} and no result: the log does not record what tools showed"
            self.source.problem("result_not_captured", reason)


def _counts(usage: Mapping[str, Any]) -> TokenCounts | None:
    """Tokens of a reply. Anthropic states cached input beside the input, OpenAI inside it."""
    fresh = as_count(usage.get("input_tokens", usage.get("prompt_tokens")))
    output = as_count(usage.get("output_tokens", usage.get("completion_tokens")))
    if fresh is None or output is None:
        return None
    cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
    return TokenCounts(fresh + sum(as_count(usage.get(key)) or 0 for key in cached), output)
