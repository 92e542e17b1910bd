"""A trajectory too large to decode whole, read step by step.

Decoding takes several times a file's size in memory. Beyond `LARGE` bytes the steps are found one
after another in the stream, and of each only what the reader needs is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from groundtrace import jsonio
from groundtrace.traces.atif.load import load
from groundtrace.traces.atif.steps import Damage, Loaded, Step, fit_step
from groundtrace.values import as_mapping

LARGE = 48 * 1024 * 1024
MAX_STEP = 64 * 1024 * 1024
CHUNK = 1 << 20
BUDGET = 64 * 1024 * 1024
"""Bytes of text kept with steps; beyond it each keeps a head."""
LONG, SHORT = 65_536, 512
"""Characters kept of one text before and after the budget is spent."""

_STEPS = re.compile(rb'"steps"\s*:\s*\[')
_PLAIN = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
"""What neither opens nor closes anything: whole strings, and all between them."""
_TEXT = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
"""The rest of a string, up to its end or the last whole character of the chunk."""
_CALL = re.compile(rb'"function_name"\s*:')


def load_large(stream: BinaryIO) -> Loaded:
    """The trajectory in a stream, its long texts cut; never raises for what is in it."""
    head = bytearray()
    while (found := _STEPS.search(head)) is None:
        chunk = stream.read(CHUNK)
        if not chunk or len(head) > MAX_STEP:
            return Loaded(reason="no list of steps was found")
        head += chunk
    scanner = _Scanner(stream, bytes(head[found.end() :]))
    steps: list[Step | Damage] = []
    keeper = _Keeper()
    for number, element in enumerate(scanner.elements()):
        steps.append(keeper.step(element, number, scanner.lost))
    # The file without its steps is small, and is read as any other.
    loaded = load(bytes(head[: found.end()]) + b"]" + scanner.rest())
    loaded.ok = True
    loaded.steps = steps
    reasons = [loaded.reason, f"{keeper.cut} long texts were kept in part" if keeper.cut else ""]
    if not scanner.closed:
        reasons.append("the file ends inside a step")
        steps.append(Damage(f"$.steps[{len(steps)}]", "step is cut off", scanner.lost_calls()))
    loaded.reason = "; ".join(reason for reason in reasons if reason)
    return loaded


class _Scanner:
    """Finds the elements of a list in a stream of JSON, each byte looked at once.

    A string without end is passed piece by piece: looking for its end from its beginning at
    every chunk took minutes for a text of 200 MB.
    """

    def __init__(self, stream: BinaryIO, data: bytes) -> None:
        self.stream = stream
        self.data = data
        self.closed = False
        """The list's end was seen."""
        self.lost = 0
        """Calls mentioned in the last element that was skipped for its length."""
        self._parts: list[bytes] = []
        self._size = self._dropped = 0

    def elements(self) -> Iterator[bytes]:
        """The bytes of each object in the list; empty for one that is too long."""
        depth = position = start = 0
        in_text = escaped = False
        while True:
            if position >= len(self.data):
                if depth:
                    self._keep(self.data[start:])
                self.data = self.stream.read(CHUNK)
                if not self.data:
                    return
                # A chunk that begins with an escaped character: it ends no string.
                position, start, escaped = int(escaped), 0, False
                continue
            if in_text:
                found = _TEXT.match(self.data, position)
                position = position if found is None else found.end()
                if position < len(self.data):
                    escaped = self.data[position : position + 1] == b"\\"
                    in_text = escaped
                    position += 1
                continue
            plain = _PLAIN.match(self.data, position)
            position = (position if plain is None else plain.end()) + 1
            match self.data[position - 1 : position]:
                case b'"':
                    in_text = True
                case b"{" | b"[":
                    start = position - 1 if depth == 0 else start
                    depth += 1
                case b"}" | b"]" if depth == 0:
                    self.closed = True
                    self.data = self.data[position:]
                    return
                case b"}" | b"]":
                    depth -= 1
                    if depth == 0:
                        yield self._element(self.data[start:position])
                        start = position

    def _keep(self, data: bytes) -> None:
        """Part of an element that goes on in the next chunk."""
        self._size += len(data)
        self._parts.append(data)
        if self._size > MAX_STEP:
            self._dropped += self._mentioned()
            self._parts = []

    def _mentioned(self) -> int:
        return sum(len(_CALL.findall(part)) for part in self._parts)

    def _element(self, end: bytes) -> bytes:
        """The element whose last part this is."""
        self._keep(end)
        whole = b"".join(self._parts)
        self.lost = self._dropped
        self._parts, self._size, self._dropped = [], 0, 0
        return whole

    def rest(self) -> bytes:
        """What follows the list; the end of an object where the file was cut."""
        if not self.closed:
            return b"}"
        return self.data + self.stream.read(MAX_STEP)

    def lost_calls(self) -> int:
        """Calls mentioned in an element that the file's end cut off."""
        return self._dropped + self._mentioned()


class _Keeper:
    """Keeps of each step what the reader needs."""

    def __init__(self) -> None:
        self.used = 0
        self.cut = 0

    def step(self, data: bytes, number: int, lost: int) -> Step | Damage:
        """The step in `data`, which is empty for one that was too long, with `lost` calls."""
        place = f"$.steps[{number}]"
        if not data:
            return Damage(place, f"step of more than {MAX_STEP:,} bytes was not decoded", lost)
        try:
            value = jsonio.loads(data)
        except jsonio.BadJsonError as error:
            lost = len(_CALL.findall(data))
            return Damage(place, f"step does not decode ({error})", lost)
        if not isinstance(value, dict):
            return Damage(place, f"step is {type(value).__name__}, not an object")
        step = fit_step(value)
        step.message = self.shorten(step.message)
        step.tool_calls = self.shorten(step.tool_calls)
        step.observation = self.shorten(step.observation)
        step.extra = self.shorten(as_mapping(step.extra) or None)
        return step

    def shorten(self, value: Any) -> Any:
        """The value with long strings cut at a line's end."""
        if isinstance(value, str):
            limit = LONG if self.used < BUDGET else SHORT
            if len(value) > limit:
                self.cut += 1
                value = value[: value.rfind("\n", 0, limit) + 1] or value[:limit]
            self.used += len(value)
            return value
        if isinstance(value, dict):
            return {key: self.shorten(item) for key, item in value.items() if key != "metadata"}
        if isinstance(value, list):
            return [self.shorten(item) for item in value]
        return value
