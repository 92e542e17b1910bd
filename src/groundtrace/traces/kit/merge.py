"""Several sources of one trial as one trace (D1, D11).

The order of calls is that of the first source. A call that only another source knows comes after
the call before it in that source. Transcripts come before trajectories, and each reader ranks its
own sources. Of a call that a trajectory has too, arguments and tokens are the trajectory's, as the
specification prefers it for tool calls (D194). All other differences are stated in the sources: this
module knows no harness.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence

from msgspec.structs import replace

from groundtrace.base.times import earliest
from groundtrace.model import (
    ContextPoint,
    Problem,
    Stated,
    ToolCall,
    ToolResult,
    Trace,
    TraceSource,
    Usage,
)
from groundtrace.traces.kit.ledger import Ledger
from groundtrace.traces.source import RawCall, Source


def merge(
    sources: Sequence[Source], evidence: Iterable[str], problems: list[Problem] | None = None
) -> Trace:
    """One trace from all sources that could be parsed; contradictions are added to `problems`."""
    usable = sorted(
        (source for source in sources if source.parsed),
        key=lambda source: (source.kind == "trajectory", source.rank),
    )
    for source in usable:
        _close_ledger(source, usable)
    has_trajectory = any(source.kind == "trajectory" for source in usable)
    has_transcript = any(source.kind == "transcript" for source in usable)
    servers = dict.fromkeys(name for source in usable for name in source.mcp_servers)
    first = None
    for source in usable:
        first = earliest(first, source.first_timestamp)
    origin = _trace_source(usable, has_trajectory, has_transcript)
    calls, changes = _join_all(usable, [] if problems is None else problems)
    notes = [f"{source.file}: {note}" for source in usable for note in source.notes]
    return Trace(
        calls=tuple(calls),
        source=origin,
        has_trajectory=has_trajectory,
        has_transcript=has_transcript,
        first_timestamp=first,
        harness=_first(source.harness for source in usable),
        harness_version=_first(source.harness_version for source in usable),
        model=_first(source.model for source in usable if not source.is_one_subagent),
        cwd=_first(source.cwd for source in usable),
        branch=_first(source.branch for source in usable),
        file=usable[0].file if usable else None,
        mcp_servers=tuple(servers),
        usage=_usage(usable),
        tokens_share=_tokens_share(usable),
        evidence=(*evidence, *notes),
        stated=next((s.stated for s in usable if not s.is_one_subagent), Stated()),
        context_changes=changes,
        subagent_inputs=_subagent_inputs(usable),
    )


def _first(values: Iterable[str | None]) -> str | None:
    return next((value for value in values if value), None)


def _trace_source(
    usable: Sequence[Source], has_trajectory: bool, has_transcript: bool
) -> TraceSource | None:
    if has_trajectory and has_transcript:
        # A source without calls did not contribute.
        with_calls = {source.kind for source in usable if source.calls}
        if len(with_calls) == 1:
            return next(iter(with_calls))
        return "merged"
    if has_trajectory:
        return "trajectory"
    return "transcript" if has_transcript else None


# --- tokens ---


def _close_ledger(source: Source, sources: Sequence[Source]) -> None:
    """Give each call of a source its cumulative tokens."""
    if source.is_one_subagent:
        # Its model calls are somewhere between those of the main thread, so there is no total.
        return
    others = [other for other in sources if other is not source]
    source.ledger.improve(other.ledger for other in others)
    for other in others:
        if other.kind == "trajectory" and source.kind == "transcript":
            _take_usage(source, other)
    totals = source.ledger.totals()
    known = _known_until(source) if source.omits_subagents else None
    for call in source.calls:
        if known is None or call.position <= known:
            call.tokens = source.ledger.total_at(call.position, totals)


def _take_usage(source: Source, trajectory: Source) -> None:
    """Take the usage of model calls from the trajectory, joined by the calls that they made.

    The case: a stream has the placeholder 3 for output tokens where the trajectory states 566. A
    smaller number is a placeholder too.
    """
    stated = {call.call_id: trajectory.ledger.counts_at(call.position) for call in trajectory.calls}
    for call in source.calls:
        counts = stated.get(call.call_id) if call.call_id is not None else None
        mine = source.ledger.counts_at(call.position)
        if counts is not None and (mine is None or counts.total > mine.total):
            source.ledger.set_counts_at(call.position, counts)


def _known_until(source: Source) -> int | None:
    """The last model call before a subagent whose own model calls are not in the source.

    Session logs and Harbor's trajectories leave subagents out. In one trial these were more than
    half of all tokens, so a total without them would be wrong.
    """
    shown = {call.spawned_by for call in source.calls if call.is_subagent}
    for call in source.calls:
        spawns = call.name in source.spawners and not call.is_subagent
        failed = call.result is not None and call.result.is_error
        if (
            call.position >= 0
            and spawns
            and not failed
            and call.call_id not in shown
            and None not in shown
        ):
            return call.position
    return None


def _token_source(sources: Sequence[Source]) -> Source | None:
    """The one source whose totals are used: the one that has them for the most calls."""
    best: Source | None = None
    most = 0
    for source in sources:
        known = sum(call.tokens is not None for call in source.calls)
        if known > most:
            best, most = source, known
    return best


# --- calls ---


def _join_all(
    sources: list[Source], problems: list[Problem]
) -> tuple[list[ToolCall], tuple[ContextPoint, ...]]:
    token_source = _token_source(sources)
    for source in sources:
        if source is not token_source:
            for call in source.calls:
                call.tokens = None
    merged: list[RawCall] = []
    for number, source in enumerate(sources):
        if number == 0:
            merged = source.calls
        elif source.is_one_subagent:
            merged = _insert_subagent(merged, source, sources)
        else:
            if source.kind == "trajectory":
                problems += _take_arguments(merged, source)
            merged = _insert(merged, source.calls)
    changes = _context_changes(sources, merged)
    spawners = frozenset[str]().union(*(source.spawners for source in sources))
    result: list[ToolCall] = []
    merged.reverse()
    while merged:  # frees each raw call after it is frozen: a long trial has very many
        result.append(_frozen(merged.pop(), spawners))
    return result, changes


def _context_changes(
    sources: Sequence[Source], merged: Sequence[RawCall]
) -> tuple[ContextPoint, ...]:
    """Changes of the main thread's context, from the first source; subagents have their own."""
    marked = next((s for s in sources if s.context_changes and not s.is_one_subagent), None)
    if marked is None:
        return ()
    places = {id(call): place for place, call in enumerate(merged)}
    return tuple(
        ContextPoint(
            change.kind,
            None if change.after is None else places.get(id(change.after)),
            None
            if change.dropped is None
            else tuple(places[id(call)] for call in change.dropped if id(call) in places),
        )
        for change in marked.context_changes
    )


def _keys(calls: Sequence[RawCall]) -> list[tuple[str, int] | None]:
    """Id and how often it occurred before: in some trajectories ids repeat."""
    seen: Counter[str] = Counter()
    keys: list[tuple[str, int] | None] = []
    for call in calls:
        if call.call_id is None:
            keys.append(None)
            continue
        keys.append((call.call_id, seen[call.call_id]))
        seen[call.call_id] += 1
    return keys


def _match(base: Sequence[RawCall], other: Sequence[RawCall]) -> list[int | None]:
    """For each call of `other`, the index of the same call in `base`."""
    base_keys = _keys(base)
    by_key = {key: place for place, key in enumerate(base_keys) if key is not None}
    matched: list[int | None] = []
    for call, key in zip(other, _keys(other), strict=True):
        place = by_key.get(key) if key is not None else None
        if place is not None and base[place].name != call.name:
            place = None
        matched.append(place)
    taken = {place for place in matched if place is not None}
    main = [place for place, call in enumerate(base) if not call.is_subagent]
    ordinal = -1
    for number, call in enumerate(other):
        if call.is_subagent:
            continue
        ordinal += 1
        if matched[number] is not None or ordinal >= len(main):
            continue
        place = main[ordinal]
        if place in taken or (call.call_id is not None and base[place].call_id is not None):
            continue
        if base[place].name == call.name:
            matched[number] = place
            taken.add(place)
    return matched


def _insert(base: list[RawCall], other: Sequence[RawCall], anchor: int = -1) -> list[RawCall]:
    """`base` with what `other` adds: fields of the same calls, and calls that only `other` has."""
    matched = _match(base, other)
    after: dict[int, list[RawCall]] = {}
    for call, place in zip(other, matched, strict=True):
        if place is None:
            after.setdefault(anchor, []).append(call)
        else:
            _combine(base[place], call)
            anchor = place
    if not after:
        return base
    result = list(after.get(-1, ()))
    for place, call in enumerate(base):
        result.append(call)
        result += after.get(place, ())
    return result


def _insert_subagent(
    base: list[RawCall], source: Source, sources: Sequence[Source]
) -> list[RawCall]:
    """Insert a subagent's own file: its calls follow the call that started it, else the last."""
    starter = None
    for other in sources:
        starter = starter or other.agent_calls.get(source.agent_id or "")
    anchor = len(base) - 1
    for place, call in enumerate(base):
        if starter is not None and call.call_id == starter:
            anchor = place
    for call in source.calls:
        call.spawned_by = call.spawned_by or starter
        call.agent = call.agent or source.agent_id
    return _insert(base, source.calls, anchor)


def _take_arguments(base: Sequence[RawCall], trajectory: Source) -> Iterator[Problem]:
    """Give calls the arguments that the trajectory states; differences are said once."""
    different = 0
    for theirs, place in zip(trajectory.calls, _match(base, trajectory.calls), strict=True):
        if place is None or not theirs.arguments or theirs.arguments == base[place].arguments:
            continue
        different += bool(base[place].arguments)
        base[place].arguments = theirs.arguments
    if different:
        reason = f"{different} calls have other arguments in the transcript; those here count"
        yield Problem(trajectory.file, "arguments_differ", reason)


def _combine(mine: RawCall, theirs: RawCall) -> None:
    """Add to a call what another source knows about it."""
    mine.step_id = mine.step_id or theirs.step_id
    mine.call_id = mine.call_id or theirs.call_id
    mine.server = mine.server or theirs.server
    mine.cwd = mine.cwd or theirs.cwd
    mine.spawned_by = mine.spawned_by or theirs.spawned_by
    mine.context_change = mine.context_change or theirs.context_change
    mine.is_subagent = mine.is_subagent or theirs.is_subagent
    mine.agent = mine.agent or theirs.agent
    mine.output_of = mine.output_of or theirs.output_of
    if mine.made_at is None:
        mine.made_at = theirs.made_at
    if mine.answered_at is None:
        mine.answered_at = theirs.answered_at
    if mine.tokens is None:
        mine.tokens = theirs.tokens
    if not mine.arguments and theirs.arguments:
        mine.arguments = theirs.arguments
    mine.result, mine.result_cut = _better_result(mine, theirs)


def _better_result(mine: RawCall, theirs: RawCall) -> tuple[ToolResult | None, bool]:
    if mine.result is None or theirs.result is None:
        kept = mine if theirs.result is None else theirs
        return kept.result, kept.result_cut
    if mine.result_cut and not theirs.result_cut:
        return theirs.result, False
    result = mine.result
    if result.data is None and theirs.result.data is not None:
        result = replace(result, data=theirs.result.data)
    if result.persisted_path is None and theirs.result.persisted_path is not None:
        result = replace(result, persisted_path=theirs.result.persisted_path)
    if theirs.result.is_error and not result.is_error:
        result = replace(result, is_error=True)
    return result, mine.result_cut


_NAMELESS = "subagent"
"""A subagent without a known name or id."""


def _frozen(call: RawCall, spawners: frozenset[str]) -> ToolCall:
    return ToolCall(
        name=call.name,
        arguments=call.arguments,
        call_id=call.call_id,
        step_id=call.step_id,
        result=call.result,
        server=call.server,
        timestamp=_time(call, spawners),
        answered_at=call.answered_at,
        cumulative_tokens=call.tokens,
        is_subagent=call.is_subagent,
        agent=_agent(call),
        context_change=call.context_change,
        cwd=call.cwd,
        output_of=call.output_of,
    )


def _agent(call: RawCall) -> str | None:
    """The id of the call that started the subagent, else the subagent's own id."""
    return (call.spawned_by or call.agent or _NAMELESS) if call.is_subagent else None


def _time(call: RawCall, spawners: frozenset[str]) -> float | None:
    """When the call was made, else when its result came in.

    Some versions write times only on lines of results. For a call that starts a subagent the two
    times are minutes apart, so such a call then has no time.
    """
    if call.made_at is not None or call.name in spawners:
        return call.made_at
    return call.answered_at


# --- totals ---


def _tokens_share(sources: Sequence[Source]) -> float | None:
    """Sum over the model calls as a share of the total that the same source states.

    Streams hold placeholders for output tokens and lack the last turns of subagents.
    """
    for source in sources:
        stated, total = source.usage.total_tokens, source.ledger.totals()[-1]
        if stated and not source.is_one_subagent:
            is_whole = len(source.ledger.totals()) == len(source.ledger.order) + 1
            return total / stated if total is not None and is_whole else None
    return None


def _subagent_inputs(sources: Sequence[Source]) -> dict[str, int]:
    """Input tokens of each subagent, by the name that its calls have (`_agent`)."""
    found: dict[str, int] = {}
    for source in sources:
        if not source.is_one_subagent:
            for agent, tokens in source.ledger.agent_inputs().items():
                found.setdefault(agent, tokens)
            continue
        counts = list(source.ledger.counts.values())
        starter = next((c.spawned_by for c in source.calls if c.spawned_by), None)
        agent = starter or source.agent_id or ""
        if agent and counts and None not in counts and source.ledger.broken_from is None:
            tokens = sum(one.input for one in counts if one is not None)
            found[agent] = max(tokens, found.get(agent, 0))
    return found


def _usage(sources: Sequence[Source]) -> Usage:
    """Each total from the first source that states it."""
    output = next((s.usage for s in sources if s.usage.output_tokens is not None), Usage())
    cost = next((s.usage for s in sources if s.usage.cost_usd is not None), Usage())
    main = [s.usage for s in sources if not s.is_one_subagent]
    inputs = next((usage for usage in main if usage.input_tokens is not None), Usage())
    return Usage(
        output_tokens=output.output_tokens,
        output_tokens_source=output.output_tokens_source,
        input_tokens=inputs.input_tokens,
        cached_tokens=inputs.cached_tokens,
        total_tokens=next((s.usage.total_tokens for s in sources if s.usage.total_tokens), None),
        cost_usd=cost.cost_usd,
        cost_source=cost.cost_source,
        model_calls=_model_calls(sources),
    )


def _model_calls(sources: Sequence[Source]) -> int | None:
    """How often the model was called: as a source states it, else counted in the first source that
    records model calls, with those of subagents in files of their own (D235).

    Unknown if records were lost, or if a subagent's model calls are not there.
    """
    stated = next((s.usage.model_calls for s in sources if s.usage.model_calls is not None), None)
    if stated is not None:
        return stated
    main = next((s for s in sources if s.ledger.order and not s.is_one_subagent), None)
    if main is None:
        return None
    subagents = [s for s in sources if s.is_one_subagent]
    if not subagents and main.omits_subagents and _known_until(main) is not None:
        return None
    ledgers = [main.ledger, *(source.ledger for source in subagents)]
    if any(ledger.broken_from is not None for ledger in ledgers):
        return None
    return len({key for ledger in ledgers for key in _told_apart(ledger, main.ledger)})


def _told_apart(ledger: Ledger, main: Ledger) -> Iterable[tuple[int, Hashable]]:
    """Keys of a ledger. Ids of messages are unique in a trial, numbers only in their file."""
    return [
        (0 if isinstance(key, str) or ledger is main else id(ledger), key) for key in ledger.order
    ]
