"""Rows of OpenHands' evaluations and logs of events as sources of calls, V0 and V1.

An action of the agent is a call; system prompts, messages and recalled context are not. An
observation names its action. In histories from before events had ids, each observation follows its
action, in some as pairs. The directory in an observation is the one after the command.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_amount, as_count, as_mapping, as_text
from groundtrace.model import Problem, Stated, Usage
from groundtrace.storage import Folder
from groundtrace.traces.chat.trace import UPLOADED
from groundtrace.traces.kit.claims import Sample
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.ledger import TokenCounts
from groundtrace.traces.kit.log import Log
from groundtrace.traces.kit.moves import may_move
from groundtrace.traces.kit.rows import Naming, decoded, find_row, named_rows, read_raw_rows
from groundtrace.traces.openhands import ONE_EVENT
from groundtrace.traces.openhands.actions import (
    Asked,
    asked_v0,
    asked_v1,
    outcome_v0,
    outcome_v1,
    skill_failed,
)
from groundtrace.traces.openhands.records import (
    Event,
    HistoryRow,
    Response,
    event_in,
    fit_event,
    row_in,
    row_of,
)
from groundtrace.traces.source import RawCall, Source

_EVENT_FILE = regex(r"event-(\d+)-[\w-]+\.json")
_EVENT_FILE_V0 = regex(r"(?<!\d)(\d+)\.json")


def name_of(row: Mapping[str, Any]) -> str | None:
    """The instance of a row; the resolver's rows name a repository and the number of an issue."""
    issue = as_mapping(row.get("issue"))
    owner, repo = as_text(issue.get("owner")), as_text(issue.get("repo"))
    number = as_count(issue.get("number"))
    if owner and repo and number is not None:
        return f"{owner}__{repo}-{number}"
    return as_text(row.get("instance_id")) or as_text(
        as_mapping(row.get("instance")).get("instance_id")
    )


def is_event(value: Any) -> bool:
    """Whether an object is one event, and not a row with a history of events."""
    return isinstance(value, list) or (isinstance(value, dict) and "history" not in value)


NAMING = Naming("openhands", name_of)


def samples(folder: Folder, path: str) -> Iterator[Sample | Problem]:
    """The samples of a file, each with what it states."""
    if _event_files(folder, path)[0] != path:
        yield Sample(None, no_trial="one event of a conversation, read with its first")
        return
    spent = spent_on(folder, path)
    for name, value in named_rows(folder, path, NAMING):
        if isinstance(value, Problem):
            yield value
        elif is_event(value):
            yield Sample(None, Stated(harness="openhands"))
            return
        else:
            yield Sample(name, _with_attempts(stated_of(value), spent))


def read(folder: Folder, path: str, sample_id: str | None, keep: Keep) -> Source:
    """Read one row, or a log of events."""
    events = Events(path, keep)
    row: Mapping[str, Any] = {}
    found = _row(folder, path, sample_id)
    if found is None:
        _read_log(folder, path, events)
    elif isinstance(found, Problem):
        events.lost(found)
        events.history(None, None)
    elif isinstance(found, HistoryRow):
        row = found.around()
        events.row(found)
    else:
        row = found
        events.history(row.get("history"), row.get("instruction"))
    source = events.finish(as_mapping(row.get("metrics")))
    stated = stated_of(row)
    source.model = stated.model or source.model
    stated = replace(
        stated,
        model=source.model,
        agent_seconds=events.seconds,
        cost_usd=source.usage.cost_usd,
        cost_source=source.usage.cost_source,
    )
    source.stated = _with_attempts(stated, spent_on(folder, path))
    source.usage = replace(
        source.usage, cost_usd=source.stated.cost_usd, cost_source=source.stated.cost_source
    )
    return source


def _row(
    folder: Folder, path: str, sample_id: str | None
) -> HistoryRow | Mapping[str, Any] | Problem | None:
    """A row, decoded completely if it is not of the usual form; None for a log of events."""
    if sample_id is None:
        rows = list(islice(read_raw_rows(folder, path), 2))
        row = row_in(rows[0]) if len(rows) == 1 else None
        if _is_log(folder, path) if row is None else row.history is UNSET:
            return None
        if row is not None:
            return row
    found = find_row(folder, path, sample_id, NAMING)
    return found if isinstance(found, Problem) else row_of(found) or found


def _read_log(folder: Folder, path: str, events: Events) -> None:
    for file in _event_files(folder, path):
        for row in read_raw_rows(folder, file):
            event = event_in(row)
            if event is None:
                value = decoded(row, file)
                if isinstance(value, Problem):
                    events.lost(value)
                    continue
                event = fit_event(value)
            events.event(event)


def _with_attempts(stated: Stated, spent: Mapping[str, Sequence[float | None]]) -> Stated:
    """The same with the cost of all attempts; the row is the chosen one (D103)."""
    costs = spent.get(stated.task or "")
    if costs is None:
        return stated
    total = sum(cost or 0 for cost in costs) if all(costs) else None
    source = None if total is None else f"metrics.accumulated_cost of {len(costs)} attempts"
    return replace(stated, cost_usd=total, cost_source=source)


class _History(msgspec.Struct):
    """A row of which nothing is decoded: whether it has a history shows what it is."""

    history: msgspec.Raw | msgspec.UnsetType = UNSET


_history = msgspec.json.Decoder(_History).decode


def _is_log(folder: Folder, path: str) -> bool:
    for row in read_raw_rows(folder, path):
        try:
            if row.data:
                return _history(row.data).history is UNSET
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass
        value = decoded(row, path)
        return not isinstance(value, Problem) and is_event(value)
    return False


def _event_files(folder: Folder, path: str) -> list[str]:
    """The files of a conversation with one file per event, in order; else only this file."""
    form = _EVENT_FILE if _EVENT_FILE.fullmatch(path) else _EVENT_FILE_V0
    # Other traces may be numbered too (`1.json`, `2.json`): each has a row or all events.
    if not form.fullmatch(path) or (form is _EVENT_FILE_V0 and not _is_one_event(folder, path)):
        return [path]
    numbered = [
        (int(found[1]), entry.name)
        for entry in folder.entries()
        if entry.kind == "file" and (found := form.fullmatch(entry.name)) is not None
    ]
    return [name for _, name in sorted(numbered)] or [path]


def _is_one_event(folder: Folder, path: str) -> bool:
    with folder.open(path) as stream:
        return ONE_EVENT.match(stream.read(1024)) is not None


def stated_of(row: Mapping[str, Any]) -> Stated:
    """What a row states about its trial."""
    metadata = as_mapping(row.get("metadata"))
    llm = as_mapping(metadata.get("llm_config")) or as_mapping(metadata.get("llm"))
    result = as_mapping(row.get("test_result"))
    patch, where = result.get("git_patch"), "test_result.git_patch"
    if not isinstance(patch, str):
        patch, where = row.get("git_patch"), "git_patch"
    verdict = as_mapping(row.get("report")).get("resolved")
    if verdict is None:
        verdict = as_mapping(result.get("report")).get("resolved")
    cost = as_amount(as_mapping(row.get("metrics")).get("accumulated_cost")) or None
    return Stated(
        task=name_of(row),
        task_place="instance_id",
        model=as_text(llm.get("model")),
        harness="openhands",
        repo=as_text(as_mapping(row.get("instance")).get("repo")),
        cost_usd=cost,
        cost_source=None if cost is None else "metrics.accumulated_cost",
        reward=float(verdict) if isinstance(verdict, bool) else None,
        reward_source="report.resolved" if isinstance(verdict, bool) else None,
        exit_status=as_text(row.get("error")),
        submission=patch if isinstance(patch, str) else None,
        submission_source=where,
    )


# --- what all attempts at an instance cost ---
# An evaluation with retries writes each round to `output.critic_attempt_N.jsonl`, and the chosen
# attempts to `output.jsonl`. The rows of `output.jsonl` state only their own cost.

OUTPUT = "output.jsonl"
ATTEMPT = regex(r"output\.critic_attempt_\d{1,4}\.jsonl")

Spent = Mapping[str, Sequence[float | None]]
"""Instance to the cost of each attempt; None for an unknown cost."""


class _Paid(msgspec.Struct):
    """The members of a row that give its cost; its history is not decoded."""

    instance_id: Any = None
    metrics: Any = None


_INSTANCE = regex(rb'"instance_id"\s{0,9}:\s{0,9}"([^"\\]{1,400})"')
_decoder = msgspec.json.Decoder(_Paid)
_last: list[tuple[tuple[str, ...], Spent]] = []
"""The costs of the last requested folder: all its rows need the same costs."""


def spent_on(folder: Folder, path: str) -> Spent:
    """What each attempt cost, for the rows of `output.jsonl`; empty for any other file."""
    if path != OUTPUT:
        return {}
    entries = [e for e in folder.entries() if e.kind == "file" and ATTEMPT.fullmatch(e.name)]
    if not entries:
        return {}
    marks = [f"{e.name} {e.mark}" for entry in entries if (e := folder.stat(entry.name))]
    key = (folder.url, *marks)
    if not _last or _last[0][0] != key:
        _last[:] = [(key, _costs(folder, [entry.name for entry in entries]))]
    return _last[0][1]


def _costs(folder: Folder, names: Sequence[str]) -> Spent:
    found: dict[str, list[float | None]] = {}
    for name in names:
        for row in read_raw_rows(folder, name):
            try:
                value = _decoder.decode(row.data)
            except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
                # A row that is cut off was paid for too, but its cost is unknown.
                if (named := _INSTANCE.search(row.data)) is not None:
                    name_of = named[1].decode(errors="replace")
                    found.setdefault(name_of, []).append(None)
                continue
            if isinstance(value.instance_id, str):
                cost = as_amount(as_mapping(value.metrics).get("accumulated_cost")) or None
                found.setdefault(value.instance_id, []).append(cost)
    return found


# --- a history of events ---

_V1_ANSWERS = frozenset({"ObservationEvent", "AgentErrorEvent", "UserRejectObservation"})


class Events:
    """State of reading one history."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(path, "transcript", "openhands", harness="openhands", is_main_log=True)
        self.log = Log(self.source, keep)
        self.by_event: dict[int | str, RawCall] = {}
        """Calls by the id of their event; in V0 only those without an answer so far."""
        self.last: RawCall | None = None
        """The last call, for histories whose events have no ids."""
        self.cwd: str | None = None
        self.start: str | None = None
        """Directory that the prompt names."""
        self.spent = TokenCounts(0, 0)
        """Tokens so far, from the running totals in the events."""
        self.cost: float | None = None
        self.end: float | None = None
        self.seen = self.number = 0

    def lost(self, problem: Problem) -> None:
        """Note a part of the log that could not be read."""
        self.source.problems.append(problem)
        self.source.ledger.interrupt()
        self.last = None

    def row(self, row: HistoryRow) -> None:
        """Read all events of a row; in old rows, pairs of action and observation."""
        self.prompt(row.instruction)
        for item in row.history or ():
            if isinstance(item, list):
                for event in item:
                    self.event(event)
            else:
                self.event(item)

    def history(self, history: Any, instruction: Any) -> None:
        """The same for a row that was decoded completely."""
        self.prompt(instruction)
        if not isinstance(history, list):
            if history is not None:
                self.source.problem("wrong_type", "a history is not a list", place="$.history")
            return
        for item in history:
            for event in item if isinstance(item, list) else (item,):
                if isinstance(event, dict):
                    self.event(fit_event(event))
                else:
                    place = f"$.history[{self.number}]"
                    self.source.problem("wrong_type", "an event is not an object", place=place)
                    self.number += 1

    def prompt(self, instruction: Any) -> None:
        """Read the instruction of a row."""
        found = UPLOADED.search(as_text(instruction) or "")
        self.start = found[1] if found else None

    def event(self, event: Event) -> None:
        """Read the next event."""
        self.number += 1
        self.seen += 1
        moment = parse_time(event.timestamp)
        if moment is not None:
            self.source.saw(moment)
            if self.end is None or moment > self.end:
                self.end = moment
        # An event of V0 has one of these, a text; to ask `as_text` for each took a twentieth.
        if event.kind is not None and (kind := as_text(event.kind)) is not None:
            self.event_v1(kind, event, moment)
        elif event.action is not None and as_text(event.action):
            self.action(event, moment)
        elif event.observation is not None and as_text(event.observation):
            self.observation(event, moment)

    # --- V0 ---------------------------------------------------------------------------------

    def action(self, event: Event, moment: float | None) -> None:
        usage = None if event.llm_metrics is None else event.llm_metrics.accumulated_token_usage
        if usage is not None:
            self.count(usage.prompt_tokens, usage.completion_tokens)
        elif event.tool_call_metadata is not None:
            self.count_response(event.tool_call_metadata.model_response)
        asked = asked_v0(event)
        if asked is not None:
            self.call(asked, event.id, moment)

    def observation(self, event: Event, moment: float | None) -> None:
        call = self.by_event.pop(event.cause, None) if _is_id(event.cause) else None
        if call is None and event.id is UNSET:
            call, self.last = self.last, None
        if call is not None:
            text, failed, folder = outcome_v0(event)
            failed = failed or skill_failed(call.name, text)
            self.answer(call, text, failed, folder, moment)

    # --- V1 ---------------------------------------------------------------------------------

    def event_v1(self, kind: str, event: Event, moment: float | None) -> None:
        if kind == "ConversationStateUpdateEvent" and event.key == "stats":
            self.stats(as_mapping(as_mapping(event.value).get("usage_to_metrics")))
        elif kind == "ActionEvent":
            self.call(asked_v1(event), event.id, moment)
        elif kind in _V1_ANSWERS:
            call = self.by_event.get(event.action_id) if _is_id(event.action_id) else None
            if call is None and _is_id(event.tool_call_id):
                call = self.log.by_id.get(event.tool_call_id)
            if call is None:
                self.log.orphan(None)
                return
            text, failed, folder = outcome_v1(kind, event)
            self.answer(call, text, failed, folder, moment)

    def stats(self, models: Mapping[str, Any]) -> None:
        """Read the totals of the conversation so far, over its models."""
        usages = [as_mapping(models[name]) for name in models]
        tokens = [as_mapping(usage.get("accumulated_token_usage")) for usage in usages]
        self.source.model = self.source.model or next(
            (name for usage in usages if (name := as_text(usage.get("model_name")))), None
        )
        costs = [as_amount(usage.get("accumulated_cost")) for usage in usages]
        self.cost = sum(cost for cost in costs if cost) or None
        prompt, completion = (
            sum(as_count(usage.get(key)) or 0 for usage in tokens)
            for key in ("prompt_tokens", "completion_tokens")
        )
        self.count(prompt, completion)

    # --- calls ------------------------------------------------------------------------------

    def call(self, asked: Asked, event_id: Any, moment: float | None) -> None:
        """Add a call; an id that the log repeats is dropped, as it no longer tells calls apart."""
        call_id = asked.call_id if asked.call_id not in self.log.by_id else None
        has_id = _is_id(event_id)
        call = self.log.call(
            asked.name,
            asked.arguments,
            call_id,
            made_at=moment,
            cwd=self.cwd,
            step_id=str(event_id) if has_id else str(self.number - 1),
        )
        call.server = asked.server  # often only that it is a server's tool is known
        self.last = call
        if has_id:
            self.by_event[event_id] = call

    def answer(
        self, call: RawCall, text: str, failed: bool, folder: str | None, moment: float | None
    ) -> None:
        if call.result is not None:
            return
        self.log.answer(call, text, failed)
        call.answered_at = moment
        if folder is not None:
            command = call.arguments.get("command")
            if call.cwd is None and not (isinstance(command, str) and may_move(command)):
                call.cwd = folder  # the command does not change the directory
            self.cwd = folder

    # --- tokens -----------------------------------------------------------------------------

    def count(self, stated_prompt: Any, stated_completion: Any) -> None:
        """Read running totals: what is new since the last event belongs to one model call."""
        prompt, completion = as_count(stated_prompt), as_count(stated_completion)
        if prompt is None or completion is None:
            return
        more_input, more_output = prompt - self.spent.input, completion - self.spent.output
        if more_input < 0 or more_output < 0 or more_input == more_output == 0:
            return
        self.spent = TokenCounts(prompt, completion)
        self.source.ledger.add(("total", self.number), TokenCounts(more_input, more_output))

    def count_response(self, response: Response | None) -> None:
        """Read the usage of one model call, which several calls may share."""
        if response is None or response.usage is None:
            return
        prompt = as_count(response.usage.prompt_tokens)
        completion = as_count(response.usage.completion_tokens)
        name = as_text(response.id)
        if name is not None and prompt and completion is not None:
            self.source.ledger.add(("response", name), TokenCounts(prompt, completion))

    # --- the end ----------------------------------------------------------------------------

    @property
    def seconds(self) -> float | None:
        """From the first event to the last."""
        first = self.source.first_timestamp
        return None if first is None or self.end is None else self.end - first

    def finish(self, metrics: Mapping[str, Any]) -> Source:
        source = self.source
        source.parsed = self.seen > 0
        if not self.seen and not source.problems:
            source.problem("empty_file", "a history without events")
        if lost := self.log.orphans:  # its action is lost with each of them
            reason = f"{lost} observations belong to no action of the log"
            source.problem("orphan_results", reason, lost_calls=lost)
        source.cwd = source.calls[0].cwd if source.calls else None
        source.cwd = source.cwd or self.start
        total = as_mapping(metrics.get("accumulated_token_usage"))
        output = as_count(total.get("completion_tokens")) or source.ledger.main_output()
        cost = as_amount(metrics.get("accumulated_cost")) or self.cost
        prompt, reply = (
            as_count(total.get("prompt_tokens")),
            as_count(total.get("completion_tokens")),
        )
        source.usage = Usage(
            output_tokens=output,
            output_tokens_source=None if output is None else "accumulated_token_usage",
            input_tokens=as_count(total.get("prompt_tokens")) or source.ledger.main_input(),
            cached_tokens=as_count(total.get("cache_read_tokens")) or None,
            total_tokens=prompt + reply if prompt and reply else None,
            cost_usd=cost,
            cost_source=None if cost is None else "accumulated_cost",
        )
        source.report_cut_results()
        return source


def _is_id(value: Any) -> bool:
    return isinstance(value, (int, str)) and not isinstance(value, bool) and value not in ("", -1)
