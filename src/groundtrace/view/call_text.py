"""What the trace says about one call: the record with the call and the record with its answer.

The trace's reader says what each call was; the numbers were made from that. A trace that is too
large to be read at once is searched for the call's id instead (`raw_text.IdSearch`), and the
records around the id are shown unchanged.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from groundtrace.base.jsonio import BadJsonError, clean_text, loads, loads_text
from groundtrace.documents.events import Event
from groundtrace.model import ToolCall, Trace
from groundtrace.redact import mask_head
from groundtrace.view.raw_text import ENOUGH, IdSearch, part_at, read_at, readable
from groundtrace.view.trace_files import TraceFile, TraceFiles

SHOWN = 20_000
"""Characters of a record that are shown at first."""
SHOWN_ALL = 1_000_000
"""Most characters of a record that are shown when the user asks for all of it."""
PATIENCE = 0.25
"""Seconds that one request searches for an id; then the page asks again."""
MAX_LINE = 4 * 1024 * 1024
"""Longest line that is decoded to show one record in it."""
MAX_WHOLE = 32 * 1024 * 1024
"""Largest file of one JSON value that is decoded to show one record in it."""
READ_AT_ONCE = 16 * 1024 * 1024
"""Largest trace that is read in full by its reader for any call. Its other calls then cost
nothing."""
MAX_READ = 256 * 1024 * 1024
"""Largest trace that is read for a call that cannot be found by its id."""
WINDOW = 16 * 1024
_STEP = 64 * 1024
_KEPT_SEARCHES = 512
_KEPT_TRACES = 2
_DEEP = 24
"""Levels of a record that are written out; deeper levels are shown as JSON."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """One record of a trace, or a part of a file."""

    file: int | None
    """Number of the file in the trial; None if the reader joined the record from several files."""
    offset: int | None
    """Its offset in the file, if known."""
    text: str
    length: int
    """Characters of the whole record."""
    what: str = "Record"
    """What it is, in one word."""

    @property
    def is_cut(self) -> bool:
        """Whether the record is longer than the text shown."""
        return self.length > len(self.text)


@dataclass(frozen=True, slots=True)
class CallText:
    """What is known about a call so far."""

    pieces: tuple[TextPiece, ...] = ()
    looking: tuple[int, int] | None = None
    """Bytes searched so far, and bytes in total; None when the search is over."""
    note: str = ""


@dataclass(slots=True)
class _Searches:
    """The searches for one call, file by file."""

    by_file: list[IdSearch]
    lock: threading.Lock = field(default_factory=threading.Lock)


class CallTexts:
    """Finds the texts of calls, and remembers where they were."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        self._searches: OrderedDict[tuple[str, str, int], _Searches] = OrderedDict()
        self._offsets: dict[str, dict[int, int]] = {}
        """First places of calls, by file: the search for a later call begins there."""
        self._traces: OrderedDict[str, Trace] = OrderedDict()

    def text_of(
        self, files: TraceFiles, event: Event, *, is_unique: bool = True, whole: bool = False
    ) -> CallText:
        """What the trace says about a call, as far as it was found within `PATIENCE`.

        `is_unique`: no other call of the trial has the same id.
        """
        if not files.files:
            return CallText(note=files.why_none)
        limit = SHOWN_ALL if whole else SHOWN
        # Samples in one file can have the same ids: in one file `toolu_05` was in all samples.
        is_told = is_unique and not files.is_sample
        call_id = event.call_id if is_told and isinstance(event.call_id, str) else ""
        if call_id and files.size > READ_AT_ONCE:
            found = self._by_id(files, event, call_id, limit)
            if found.pieces or found.looking is not None:
                return found  # otherwise the bytes do not contain the id: a compressed trace
        found = self._by_reader(files, event, limit)
        if call_id and found.pieces:
            file, offset = self._place(files, event, call_id)
            first = replace(found.pieces[0], file=file, offset=offset)
            found = replace(found, pieces=(first, *found.pieces[1:]))
        return found

    def _place(
        self, files: TraceFiles, event: Event, call_id: str
    ) -> tuple[int, int] | tuple[None, None]:
        """The first line that names a call: its file and offset."""
        for number, search in enumerate(self._searched(files, event, call_id).by_file):
            if search.places:
                with search.file.open() as stream:
                    return number, _line_at(stream, search.places[0], search.file.size)[0]
        return None, None

    def _by_id(self, files: TraceFiles, event: Event, call_id: str, limit: int) -> CallText:
        searches = self._searched(files, event, call_id)
        pieces: list[TextPiece] = []
        for number, search in enumerate(searches.by_file):
            if search.places:
                self._remember(files.files[number], event.step_index, search.places[0])
                pieces += _pieces(number, search, call_id, limit)
        over = all(s.done for s in searches.by_file) or any(
            s.done and len(s.places) >= ENOUGH for s in searches.by_file
        )
        looked = sum(search.looked_at for search in searches.by_file)
        return CallText(tuple(pieces), None if over else (looked, files.size))

    def _searched(self, files: TraceFiles, event: Event, call_id: str) -> _Searches:
        """The searches for a call, continued for `PATIENCE` seconds."""
        searches = self._searches_of(files, event, call_id)
        until = time.monotonic() + PATIENCE
        with searches.lock:
            for search in searches.by_file:
                search.go_on(until)
                if not search.done:
                    break
                if len(search.places) >= ENOUGH:
                    break  # other files only repeat the same call
        return searches

    def _searches_of(self, files: TraceFiles, event: Event, call_id: str) -> _Searches:
        key = (files.key, call_id, event.step_index)
        with self._lock:
            found = self._searches.get(key)
            if found is None:
                found = _Searches(
                    [
                        IdSearch.of(file, call_id, self._begin(file, event.step_index))
                        for file in files.files
                    ]
                )
                self._searches[key] = found
                if len(self._searches) > _KEPT_SEARCHES:
                    self._searches.popitem(last=False)
            return found

    def _begin(self, file: TraceFile, step: int) -> int:
        known = self._offsets.get(file.key, {})
        return max((place for at, place in known.items() if at < step), default=0)

    def _remember(self, file: TraceFile, step: int, place: int) -> None:
        with self._lock:
            if len(self._offsets) > _KEPT_SEARCHES:
                self._offsets.clear()
            self._offsets.setdefault(file.key, {})[step] = place

    def _by_reader(self, files: TraceFiles, event: Event, limit: int) -> CallText:
        if files.size > MAX_READ:
            return CallText(
                note=(
                    "The call cannot be found by its id, and the trace is too large to be read "
                    "as a whole."
                )
            )
        trace = self._trace(files)
        if event.step_index >= len(trace.calls):
            return CallText(note="The trace has fewer calls than the results: it was changed.")
        call = trace.calls[event.step_index]
        if not _is_call(call, event):
            return CallText(note="The trace has another call here: it was changed.")
        return CallText(tuple(_pieces_of_call(call, limit)))

    def _trace(self, files: TraceFiles) -> Trace:
        with self._reading:
            if files.key not in self._traces:
                self._traces[files.key] = files.read()
                if len(self._traces) > _KEPT_TRACES:
                    self._traces.popitem(last=False)
            return self._traces[files.key]


def _is_call(call: ToolCall, event: Event) -> bool:
    """Whether a call of the trace is the same as an event of the document."""
    if isinstance(event.call_id, str) and clean_text(call.call_id or "") != event.call_id:
        return False
    return clean_text(call.name) == event.tool_name


def _pieces_of_call(call: ToolCall, limit: int) -> Iterator[TextPiece]:
    asked = text_of_value({"tool": call.name, "arguments": dict(call.arguments)})
    yield replace(_piece(None, None, asked, limit), what="Call")
    if call.result is not None:
        answer = call.result.text or text_of_value(call.result.data)
        yield replace(_piece(None, None, answer, limit), what="Answer")


def _pieces(number: int, search: IdSearch, call_id: str, limit: int) -> list[TextPiece]:
    """The records at the places of an id; if there are none, the parts of the file around them."""
    records = _records_of_lines(search, call_id) or _records_of_file(search, call_id)
    if records:
        texts: dict[str, int | None] = {}
        for at, record in records:  # a harness can repeat what it has sent before
            texts.setdefault(text_of_value(record), at)
        return [_piece(number, at, text, limit) for text, at in texts.items()]
    parts = (part_at(search.file, max(0, at - WINDOW // 8), WINDOW) for at in search.places)
    return [
        TextPiece(number, part.start, part.text, len(part.text), "Part of the file")
        for part in parts
    ]


Records = list[tuple[int | None, dict[str, Any]]]
"""Records with their offsets."""


def _records_of_lines(search: IdSearch, call_id: str) -> Records:
    """The records of a file with one JSON value per line; empty if a line is not a JSON value."""
    found: Records = []
    starts: set[int] = set()
    with search.file.open() as stream:
        for place in search.places:
            start, data = _line_at(stream, place, search.file.size)
            if start in starts:
                continue
            starts.add(start)
            records = [] if data is None else list(_records(data, call_id))
            if not records:
                return []
            found += [(start, record) for record in records]
    return found


def _records_of_file(search: IdSearch, call_id: str) -> Records:
    """The records of a file that is one JSON value, if it is small enough to be decoded."""
    if search.file.size > MAX_WHOLE:
        return []
    with search.file.open() as stream:
        records = list(_records(stream.read(MAX_WHOLE + 1), call_id))
    places = [*search.places, *([None] * len(records))]
    return list(zip(places, records, strict=False))


def _line_at(stream: Any, place: int, size: int) -> tuple[int, bytes | None]:
    """The start and the bytes of the line at a place; None for the bytes if it is too long."""
    start = place
    while start > 0:
        first = max(0, start - _STEP)
        newline = read_at(stream, first, start - first).rfind(b"\n")
        if newline >= 0:
            start = first + newline + 1
            break
        start = first
        if place - start > MAX_LINE:
            return start, None
    data = read_at(stream, start, MAX_LINE + 1)
    end = data.find(b"\n", place - start)
    if end < 0 and (len(data) > MAX_LINE or start + len(data) < size):
        return start, None
    return start, data if end < 0 else data[:end]


def _records(data: bytes, call_id: str) -> Iterator[dict[str, Any]]:
    """The innermost objects of a JSON text that name a call, in order."""
    try:
        value = loads(data)
    except BadJsonError:
        return
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if any(v == call_id for k, v in value.items() if "parent" not in str(k).lower()):
                yield value
                continue
            waiting += reversed(list(value.values()))
        elif isinstance(value, list):
            waiting += reversed(value)


def text_of_value(value: Any) -> str:
    """A JSON value as readable text: names, then their texts with real line breaks."""
    return "\n".join(_lines(value, 0))


def _lines(value: Any, depth: int) -> Iterator[str]:
    value = _unpacked(value)
    if depth > _DEEP or not isinstance(value, dict | list):
        yield from _scalar(value).split("\n")
        return
    items = (
        value.items() if isinstance(value, dict) else ((f"[{n}]", v) for n, v in enumerate(value))
    )
    for name, packed in items:
        inside = _unpacked(packed)
        if isinstance(inside, dict | list) and inside and depth < _DEEP:
            yield f"{name}:"
            yield from (f"  {line}" for line in _lines(inside, depth + 1))
        elif isinstance(inside, str) and "\n" in inside:
            yield f"{name}:"
            yield from (f"  {line}" for line in inside.split("\n"))
        else:
            yield f"{name}: {_scalar(inside)}"


def _unpacked(value: Any) -> Any:
    """The value of a JSON text inside JSON: Codex stores arguments and answers as such texts."""
    if isinstance(value, str) and value[:1] in ("{", "[") and value[-1:] in ("}", "]"):
        return loads_text(value, value)
    return value


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value).decode()
    except (RecursionError, UnicodeEncodeError, TypeError):
        return "…"


def _piece(file: int | None, offset: int | None, text: str, limit: int) -> TextPiece:
    text = clean_text(text)
    # Mask more than is shown: a cut could leave half of a credential.
    masked, _ = mask_head(text, limit + 64 * 1024)
    shown = readable(masked[:limit])
    return TextPiece(
        file, offset, shown, len(shown) if len(text) <= limit else max(len(text), len(shown) + 1)
    )
