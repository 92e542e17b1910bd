"""A trajectory too large to decode as a whole, read step by step.

Decoding needs several times a file's size in memory. For a file over `LARGE` bytes the steps are
found one after another in the stream, and only what the reader needs of each step is kept.
"""

from __future__ import annotations

from typing import Any, BinaryIO

from groundtrace.base import jsonio
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping
from groundtrace.traces.atif.load import load
from groundtrace.traces.atif.steps import MAX_STEPS, Damage, Loaded, Step, fit_step, too_many
from groundtrace.traces.kit.lists import Elements

LARGE = 48 * 1024 * 1024
MAX_STEP = 64 * 1024 * 1024
CHUNK = 1 << 20
BUDGET = 64 * 1024 * 1024
"""Bytes of text kept with steps; after that each step keeps only the start of its texts."""
LONG, SHORT = 65_536, 512
"""Characters kept of one text: before the budget is used up, and after."""

_STEPS = regex(rb'"steps"\s*:\s*\[')
_CALL = regex(rb'"function_name"\s*:')


def load_large(stream: BinaryIO) -> Loaded:
    """The trajectory in a stream, with long texts cut; never raises because of its content."""
    head = bytearray()
    while (found := _STEPS.search(head)) is None:
        chunk = stream.read(CHUNK)
        if not chunk or len(head) > MAX_STEP:
            return Loaded(reason="no list of steps was found")
        head += chunk
    after = bytes(head[found.end() :])
    scanner = Elements(stream, after, _CALL, chunk=CHUNK, longest=MAX_STEP)
    steps: list[Step | Damage] = []
    keeper = _Keeper()
    for number, element in enumerate(scanner.elements()):
        if number >= MAX_STEPS:
            return _stopped(bytes(head[: found.end()]), steps, element, scanner)
        steps.append(keeper.step(element, number, scanner.lost))
    # The file without its steps is small and is read in the normal way.
    loaded = load(bytes(head[: found.end()]) + b"]" + scanner.rest())
    loaded.ok = True
    loaded.steps = steps
    reasons = [loaded.reason, f"{keeper.cut} long texts were shortened" if keeper.cut else ""]
    if not scanner.closed:
        reasons.append("the file ends inside a step")
        steps.append(Damage(f"$.steps[{len(steps)}]", "step is cut off", scanner.lost_calls()))
    loaded.reason = "; ".join(reason for reason in reasons if reason)
    return loaded


def _stopped(head: bytes, steps: list[Step | Damage], element: bytes, scanner: Elements) -> Loaded:
    """A trajectory with too many steps: those that were read, and how many calls follow."""
    lost = len(_CALL.findall(element)) + len(_CALL.findall(scanner.data, scanner.position))
    while chunk := scanner.stream.read(CHUNK):
        lost += len(_CALL.findall(chunk))
    loaded = load(head + b"]}")
    loaded.ok = True
    loaded.steps = [*steps, too_many(max(lost, 1))]
    return loaded


class _Keeper:
    """Keeps what the reader needs of each step."""

    def __init__(self) -> None:
        self.used = 0
        self.cut = 0

    def step(self, data: bytes, number: int, lost: int) -> Step | Damage:
        """The step in `data`. `data` is empty for a step that was too long; it had `lost` calls."""
        place = f"$.steps[{number}]"
        if not data:
            return Damage(place, f"step of more than {MAX_STEP:,} bytes was not decoded", lost)
        try:
            value = jsonio.loads(data)
        except jsonio.BadJsonError as error:
            lost = len(_CALL.findall(data))
            return Damage(place, f"step cannot be decoded ({error})", lost)
        if not isinstance(value, dict):
            return Damage(place, f"step is {type(value).__name__}, not an object")
        step = fit_step(value)
        step.message = self.shorten(step.message)
        step.tool_calls = self.shorten(step.tool_calls)
        step.observation = self.shorten(step.observation)
        step.extra = self.shorten(as_mapping(step.extra) or None)
        return step

    def shorten(self, value: Any) -> Any:
        """The value with long strings cut at the end of a line."""
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
