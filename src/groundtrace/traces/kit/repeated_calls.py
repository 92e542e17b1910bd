"""Sessions that continue in a new file, which first repeats the earlier file (D136).

`claude --resume` and `--continue` of many versions, and going back in Codex, copy the history into
a new file and do not say from where. The ids of calls and messages stay the same and show it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from groundtrace.base.digests import blake2b
from groundtrace.base.visible import plural
from groundtrace.model import Repeats
from groundtrace.traces.kit.claims import CallKey, SessionCalls
from groundtrace.traces.source import RawCall, Reader, Source

MIN_ID = 16
"""Characters of an id that is unique; a shorter one may only count the calls of its file."""
_LOOK = 400
"""Characters of tool and arguments that are compared; long arguments may be kept in part."""
_COUNTED = ("session", "token_count")
"""Sources of output tokens that are sums over the model calls of the file."""


def session_calls(reader: Reader, source: Source) -> SessionCalls | None:
    """What another file may repeat of a source; None if the ids of its reader are not unique."""
    if not getattr(reader, "sessions_continue", False) or source.dialect == "stream":
        return None
    times = [call.made_at for call in source.calls if call.made_at is not None]
    replies = [key for key in source.ledger.order if isinstance(key, str)]
    return SessionCalls(
        tuple(map(_key, source.calls)),
        tuple(replies),
        source.first_timestamp,
        max(times, default=None),
    )


def _key(call: RawCall) -> CallKey | None:
    if call.call_id is None or len(call.call_id) < MIN_ID:
        return None
    text = f"{call.name} {call.arguments!r}"[:_LOOK]
    digest = blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=8)
    return call.call_id, digest.digest()


def repeated_part(
    session: SessionCalls, calls: Mapping[CallKey, str], replies: Collection[str]
) -> Repeats | None:
    """What a session repeats: its first calls, as long as they are among the earlier ones.

    `calls` has the file of each call of earlier sessions, `replies` their messages.
    """
    ids: set[str] = set()
    file = ""
    for key in session.keys:
        if key is None or key not in calls:
            break
        ids.add(key[0])
        file = calls[key]
    if not ids:
        return None
    same = next((n for n, key in enumerate(session.replies) if key not in replies), None)
    return Repeats(file, frozenset(ids), len(session.replies) if same is None else same)


def leave_out(source: Source, repeats: Repeats) -> None:
    """Remove what a session repeats, and its tokens."""
    gone = [call for call in source.calls if call.call_id in repeats.calls]
    if not gone:
        return
    known = {id(call) for call in gone}
    source.calls = [call for call in source.calls if id(call) not in known]
    source.context_changes = [c for c in source.context_changes if id(c.after) not in known]
    _forget_replies(source, max(repeats.replies, *(call.position for call in gone)))
    _start_again(source, len(gone))
    said = f"{plural(len(gone), 'call', 'calls')} of {repeats.file} repeated and left out"
    source.notes.append(said)


def _forget_replies(source: Source, behind: int) -> None:
    ledger = source.ledger
    if behind <= 0:
        return
    for key in ledger.order[:behind]:
        del ledger.counts[key]
        ledger.subagents.discard(key)
    del ledger.order[:behind]
    if ledger.broken_from is not None:
        ledger.broken_from = max(0, ledger.broken_from - behind)
    for call in source.calls:
        call.position = max(-1, call.position - behind)
    if source.usage.output_tokens_source in _COUNTED:
        source.usage = replace(
            source.usage,
            output_tokens=ledger.main_output(),
            input_tokens=ledger.main_input(),
            cached_tokens=None,
        )


def _start_again(source: Source, behind: int) -> None:
    """Count the time from what the user asked for after the repeated part."""
    asked = [moment for calls, moment in source.prompts if calls >= behind]
    made = [call.made_at for call in source.calls if call.made_at is not None]
    if source.first_timestamp is not None:
        source.first_timestamp = min(asked or made, default=source.first_timestamp)
    source.prompts = []
