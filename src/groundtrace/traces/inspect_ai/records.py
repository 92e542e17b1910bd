"""Events of a sample as types.

Only what is needed has a field, so msgspec skips the rest: each model call repeats the conversation
before it, once as Inspect's messages and once as the provider's. An event of any other form is
decoded completely and fitted (`kit.fit`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import asdict

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_amount, as_count, as_id, as_mapping, as_score, as_text
from groundtrace.model import Stated
from groundtrace.traces.kit.fit import NOT_FITTING
from groundtrace.traces.kit.ledger import TokenCounts
from groundtrace.traces.kit.lists import Listed

NOTHING = msgspec.Raw(b"null")


class Reply(msgspec.Struct, gc=False):
    """A reply of the model, without its text."""

    tool_calls: Any = None


class Choice(msgspec.Struct, gc=False):
    """One of the replies of a model call; nearly always the only one."""

    message: Reply | None = None


class ModelOutput(msgspec.Struct, gc=False):
    """What a model call gave."""

    usage: Any = None
    choices: list[Choice] | None = None


class Event(msgspec.Struct, gc=False):
    """One event."""

    event: Any = None
    timestamp: Any = None
    span_id: Any = None
    id: Any = None
    parent_id: Any = None
    type: Any = None
    name: Any = None
    action: Any = None
    options: Any = None
    # The next ones are for a call of a tool.
    function: Any = None
    arguments: Any = None
    result: Any = msgspec.UNSET
    error: Any = None
    completed: Any = None
    pending: Any = None
    agent: Any = None
    events: list[Event | None] | None = None
    """In older logs, the events inside a call; None for one that is not an object."""
    # The next ones are for a model call; `input` and `output` of a sandbox are texts.
    output: ModelOutput | str | None = None
    input: msgspec.Raw = NOTHING
    """Bytes, or the value of an event that was fitted: see `value_of`."""


class Short(msgspec.Struct):
    """What a sample says about itself, without its events and messages."""

    id: Any = None
    epoch: Any = None
    scores: Any = None
    metadata: Any = None
    model_usage: Any = None
    total_time: Any = None
    limit: Any = None
    error: Any = None


class _Sample(Short, kw_only=True):
    events: list[Event]
    messages: msgspec.Raw = NOTHING
    attachments: Any = None


class _Log(msgspec.Struct):
    samples: list[msgspec.Raw]
    eval: Any = None


_sample = msgspec.json.Decoder(_Sample)
_short = msgspec.json.Decoder(Short)
_log = msgspec.json.Decoder(_Log)
_AROUND = tuple(name for name in _Sample.__struct_fields__ if name != "events")


def typed_sample(data: bytes) -> Listed | None:
    """A sample of the usual form; None for any other, which is then decoded completely."""
    try:
        sample = _sample.decode(data)
    except NOT_FITTING:
        return None
    return Listed(iter(sample.events), {name: getattr(sample, name) for name in _AROUND})


def short_sample(data: bytes | msgspec.Raw) -> Mapping[str, Any] | None:
    """What a sample says about itself; None if it is not an object."""
    try:
        return asdict(_short.decode(data))
    except NOT_FITTING:
        return None


def packed_samples(data: bytes) -> tuple[list[msgspec.Raw], Any] | None:
    """The samples of a JSON log as bytes, and its `eval`; None for a log of another form."""
    try:
        log = _log.decode(data)
    except NOT_FITTING:
        return None
    return log.samples, log.eval


# --- spans: which part of a sample an event belongs to ---
# Newer logs have spans with ids and parents, and each event names its span. Older logs have steps
# that begin and end, and events inside events. Scorers are not part of the agent's work. An agent
# that runs inside another agent, or inside a tool, is a subagent.

MAX_SPANS = 100
_SCORERS = ("scorer", "scorers")


class Span(msgspec.Struct):
    """A part of a sample."""

    kind: str | None
    name: str | None
    parent: str | None
    call_id: str | None = None
    """For a span of a tool: id of the call that it runs."""


class Where(Frozen, frozen=True):
    """The place of an event."""

    is_scorer: bool = False
    agent: str | None = None
    """Name of the subagent."""
    spawned_by: str | None = None
    """Id of the call that started it."""


class Spans:
    """The spans of a sample so far."""

    def __init__(self) -> None:
        self._spans: dict[str, Span] = {}
        self._steps: list[Span] = []
        self._last_calls: dict[str, str] = {}
        """Span to the id of its last call."""
        self._known: dict[str | None, Where] = {}
        """The places of events by their spans, until the next span or step begins or ends."""

    def begin(self, event: Event) -> None:
        """Read an event `span_begin`."""
        key = as_text(event.id)
        if key is None:
            return
        parent = as_text(event.parent_id)
        span = Span(as_text(event.type), as_text(event.name), parent)
        if span.kind == "tool" and parent is not None:
            span.call_id = self._last_calls.get(parent)
        self._spans[key] = span
        self._known.clear()

    def step(self, event: Event) -> None:
        """Read an event `step`: the spans of older logs."""
        self._known.clear()
        if event.action == "begin" and len(self._steps) < MAX_SPANS:
            self._steps.append(Span(as_text(event.type), as_text(event.name), None))
        elif event.action == "end" and self._steps:
            self._steps.pop()

    def called(self, event: Event) -> None:
        """Note a call: if a span of a tool begins after it, that span runs this call."""
        span, call_id = as_text(event.span_id), as_text(event.id)
        if span is not None and call_id is not None:
            self._last_calls[span] = call_id

    def call_of(self, event: Event) -> str | None:
        """The call that an event belongs to."""
        span = self._spans.get(as_text(event.span_id) or "")
        return None if span is None else span.call_id

    def where(self, event: Event) -> Where:
        """The place of an event: a scorer or an agent, and the call that started the agent."""
        key = as_text(event.span_id)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._where(key)
        return known

    def _where(self, key: str | None) -> Where:
        chain = list(self._steps)
        for _ in range(MAX_SPANS):
            span = self._spans.get(key or "")
            if span is None:
                break
            chain.append(span)
            key = span.parent
        if any(span.kind in _SCORERS for span in chain):
            return Where(is_scorer=True)
        agents = [number for number, span in enumerate(chain) if span.kind == "agent"]
        if not agents:
            return Where()
        first = agents[0]
        outer = chain[first + 1 :]
        tool = next((span for span in outer if span.kind == "tool"), None)
        if tool is None and len(agents) == 1:
            return Where()
        return Where(agent=chain[first].name, spawned_by=None if tool is None else tool.call_id)


# --- what a sample says about itself: its task, its scores, how it ended, its tokens (D91) ---

HARNESS = "inspect"
_WORDS = {
    "c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0,
}  # fmt: skip
"""Scores that are words, with Inspect's values: correct, incorrect, partial, no answer."""
_OWN_NAME = regex(r"[A-Za-z][^\n]{0,200}[-_/][^\n]{1,200}")
"""An id that names a task outside of its evaluation too, unlike `1` or `default`."""


def stated_of(sample: Mapping[str, Any], header: Mapping[str, Any]) -> Stated:
    """What a sample or its summary states; `header` is the header of the log."""
    evaluation = as_mapping(header.get("eval"))
    score, where = _score(sample.get("scores"))
    task, place = _task(sample, evaluation)
    cost = _cost(sample.get("model_usage"))
    return Stated(
        task=task,
        task_place=place,
        model=as_text(evaluation.get("model")),
        harness=HARNESS,
        harness_version=as_text(as_mapping(evaluation.get("packages")).get("inspect_ai")),
        repo=as_text(as_mapping(sample.get("metadata")).get("repo")),
        cost_usd=cost,
        cost_source=None if cost is None else "model_usage",
        reward=score,
        reward_source=where,
        agent_seconds=as_amount(sample.get("total_time")),
        exit_status=_end(sample),
        settings=_settings(evaluation),
        origin=_origin(evaluation),
    )


def _settings(evaluation: Mapping[str, Any]) -> dict[str, str]:
    """What tells evaluations of one model apart: the task, the solver, the arguments."""
    said = {"task": (as_text(evaluation.get("task")) or "").rpartition("/")[2]}
    said["solver"] = as_text(evaluation.get("solver")) or ""
    for key, value in as_mapping(evaluation.get("task_args")).items():
        if isinstance(value, str | int | float):
            said[f"task_args.{key}"] = f"{key}={value}"
    return {name: text for name, text in said.items() if text}


def _origin(evaluation: Mapping[str, Any]) -> tuple[str, str] | None:
    task, created = as_text(evaluation.get("task_id")), as_text(evaluation.get("created"))
    return (task, created) if task and created else None


def id_of(sample: Mapping[str, Any]) -> str | None:
    """A sample's id as text; in some data sets it is a number."""
    return as_id(sample.get("id"))


def _task(sample: Mapping[str, Any], evaluation: Mapping[str, Any]) -> tuple[str | None, str]:
    instance = as_text(as_mapping(sample.get("metadata")).get("instance_id"))
    if instance is not None:
        return instance, "metadata.instance_id"
    name = id_of(sample)
    if name is None or _OWN_NAME.fullmatch(name):
        return name, "id"
    whole = (as_text(evaluation.get("task")) or "").rpartition("/")[2]
    return (f"{whole}-{name}", "eval.task and id") if whole else (name, "id")


def _score(scores: Any) -> tuple[float | None, str | None]:
    """The first score that is a number, or a word for a number, and the name of its scorer."""
    for scorer, score in as_mapping(scores).items():
        value = score.get("value") if isinstance(score, Mapping) else score
        number = score_value(value)
        if number is not None:
            return number, f"scores.{scorer}"
    return None, None


def score_value(value: Any) -> float | None:
    """A score as a number; None if it is not one, such as a score of several values."""
    if isinstance(value, str):
        return _WORDS.get(value.strip().casefold())
    return as_score(value)


def _end(sample: Mapping[str, Any]) -> str | None:
    """Why a sample was ended, if it did not end normally."""
    limit = sample.get("limit")
    kind = as_text(as_mapping(limit).get("type")) or as_text(limit)
    if kind is not None:
        return f"limit: {kind}"
    error = sample.get("error")
    reason = as_text(as_mapping(error).get("message")) or as_text(error)
    return None if reason is None else f"error: {reason.splitlines()[0][:200]}"


def _cost(usage: Any) -> float | None:
    costs = [as_amount(as_mapping(item).get("total_cost")) for item in as_mapping(usage).values()]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def counts_of(usage: Any) -> TokenCounts | None:
    """Tokens of a model call. Providers differ in whether `input_tokens` includes cached tokens;
    the total minus the output is right for both."""
    members = as_mapping(usage)
    made = as_count(members.get("output_tokens"))
    total = as_count(members.get("total_tokens"))
    if made is None:
        return None
    if total is not None and total >= made:
        return TokenCounts(total - made, made)
    names = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
    given = [as_count(members.get(name)) for name in names]
    return None if given[0] is None else TokenCounts(sum(item or 0 for item in given), made)


def cached_of(usage: Any) -> int:
    """Input tokens of a model call that were read from a cache."""
    return as_count(as_mapping(usage).get("input_tokens_cache_read")) or 0
