"""Rows and events as types.

Only what is needed has a field, so msgspec skips the rest: both events of a call repeat the model's
reply, and an edit repeats the file before and after it. A row or event of any other form is decoded
completely and fitted (`kit.fit`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from groundtrace.base import jsonio
from groundtrace.base.values import as_text
from groundtrace.traces.kit.fit import fit
from groundtrace.traces.kit.rows import RawRow

NO_CALLS = frozenset(
    {
        "system",
        "message",
        "recall",
        "condensation",
        "change_agent_state",
        "null",
        "pause",
        "resume",
        "start",
        "stop",
        "loop_recovery",
    }
)
"""Actions that are not calls of a tool."""
BOOKKEEPING = frozenset(
    {
        "action",
        "thought",
        "timestamp",
        "id",
        "source",
        "message",
        "is_confirmed",
        "confirmation_state",
        "action_risk",
        "security_risk",
        "keep_prompt",
        "kernel_init_code",
        "tool_call_metadata",
        "llm_metrics",
        "hidden",
        "blocking",
        "is_static",
        "cwd",
        "impl_source",
    }
)
"""Members of an action that are not arguments."""


class Tokens(Struct, frozen=True, gc=False):
    """Tokens of one model call, as the file states them."""

    prompt_tokens: Any = None
    completion_tokens: Any = None


class Totals(Struct, frozen=True, gc=False):
    """Tokens of all model calls so far. An empty object counts as none, so one of another form is
    decoded completely."""

    prompt_tokens: Any
    completion_tokens: Any = None


class LlmMetrics(Struct, frozen=True, gc=False):
    """What the model calls took so far."""

    accumulated_token_usage: Totals | None = None
    """If the event was fitted, a value of any type."""


class Function(Struct, frozen=True, gc=False):
    """A call as the model wrote it."""

    name: Any = None
    arguments: Any = None


class ToolCall(Struct, frozen=True, gc=False):
    """One call of a reply."""

    id: Any = None
    function: Function | None = None


class Reply(Struct, frozen=True, gc=False):
    """The model's reply, without its text."""

    tool_calls: list[ToolCall] | None = None


class Choice(Struct, frozen=True, gc=False):
    """One of the replies of a model call; nearly always the only one."""

    message: Reply | None = None


class Response(Struct, frozen=True, gc=False):
    """The answer of the model's server."""

    id: Any = None
    usage: Tokens | None = None
    choices: list[Choice] | None = None


class CallMetadata(Struct, frozen=True, gc=False):
    """The function call that an action comes from."""

    function_name: Any = None
    tool_call_id: Any = None
    model_response: Response | None = None


class ShellState(Struct, frozen=True, gc=False):
    """The shell after a command. An empty object counts as none, so one of another form is decoded
    completely."""

    exit_code: Any
    working_dir: Any = None


class Extras(Struct, frozen=True, gc=False):
    """What an observation says besides its text."""

    metadata: ShellState | None = None
    exit_code: Any = None


class Event(Struct, frozen=True, gc=False):
    """One event of V0 or V1."""

    id: Any = UNSET
    """UNSET in histories from before events had ids."""
    timestamp: Any = None
    kind: Any = None
    """Only V1 has it."""
    source: Any = None
    action: Any = None
    """The name of an action in V0, an object in V1."""
    args: dict[str, Any] | None = None
    """Of an action of V0; if the event was fitted, its other members if there are no arguments."""
    tool_call_metadata: CallMetadata | None = None
    llm_metrics: LlmMetrics | None = None
    # The next ones are for an observation of V0.
    observation: Any = None
    """Its name in V0, an object in V1."""
    cause: Any = None
    content: Any = None
    extras: Extras | None = None
    success: Any = None
    exit_code: Any = None
    # The next ones are for events of V1.
    tool_name: Any = None
    tool_call: Any = None
    tool_call_id: Any = None
    action_id: Any = None
    error: Any = None
    rejection_reason: Any = None
    key: Any = None
    value: Any = None


class HistoryRow(Struct, frozen=True, gc=False):
    """A row of an evaluation: one trial, with the history of its events. If the history is UNSET, the
    row is an event itself."""

    history: list[Event | list[Event]] | UnsetType | None = UNSET
    """In old rows, pairs of action and observation."""
    instance_id: Any = None
    instance: Any = None
    issue: Any = None
    instruction: Any = None
    metadata: Any = None
    metrics: Any = None
    test_result: Any = None
    git_patch: Any = None
    report: Any = None
    error: Any = None

    def around(self) -> Mapping[str, Any]:
        """The row without its history, as it would be decoded completely."""
        return {name: getattr(self, name) for name in _AROUND}


_AROUND = tuple(name for name in HistoryRow.__struct_fields__ if name != "history")
_decode_row = msgspec.json.Decoder(HistoryRow).decode
_decode_event = msgspec.json.Decoder(Event).decode
_FAILURES = (msgspec.DecodeError, UnicodeError, RecursionError)
"""UnicodeError: bytes that are not UTF-8 when decoding, lone surrogates in keys when converting."""


def row_in(row: RawRow) -> HistoryRow | None:
    """A row of the usual form; None for any other, which is then decoded completely."""
    if row.alone:
        return row_of(row.value)
    if not row.data or jsonio.is_heavy(row.data):
        return None
    try:
        return _usual(_decode_row(row.data))
    except _FAILURES:
        return None


def row_of(value: Any) -> HistoryRow | None:
    """The same for a decoded row."""
    try:
        return _usual(msgspec.convert(value, HistoryRow))
    except _FAILURES:
        return None


def _usual(row: HistoryRow) -> HistoryRow | None:
    """The row, unless the arguments of an action are members of the event itself."""
    for item in row.history or ():
        if any(map(_is_flat, item)) if isinstance(item, list) else _is_flat(item):
            return None
    return row


def event_in(row: RawRow) -> Event | None:
    """The event in a row of a log; None if it is of another form."""
    if not row.data or row.alone or jsonio.is_heavy(row.data):
        return None
    try:
        event = _decode_event(row.data)
    except _FAILURES:
        return None
    return None if _is_flat(event) else event


def _is_flat(event: Event) -> bool:
    if event.args or not isinstance(event.action, str):
        return False
    return event.action not in NO_CALLS or event.tool_call_metadata is not None


def fit_event(value: Mapping[str, Any]) -> Event:
    """A decoded object as an event. In old logs the arguments of an action are members of the event
    itself."""
    event = fit(value, Event)
    if not as_text(value.get("action")) or event.args:
        return event
    others = {key: item for key, item in value.items() if key not in BOOKKEEPING}
    return msgspec.structs.replace(event, args=others)


def calls_of(response: Response | None) -> Sequence[ToolCall]:
    """The calls of a reply."""
    if response is None or not response.choices or response.choices[0].message is None:
        return ()
    return response.choices[0].message.tool_calls or ()
