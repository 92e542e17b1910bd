"""The details of a page's trials in compressed blocks; the page unpacks a block when a reader opens
a trial.

If the page would be too large, less is kept of each trial, and the page says what was cut. Each
trial is read once: what has to be cut later is cut from its block, together with the little that
only a lower level shows. A page that fitted at the third level took three times as long before.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from groundtrace.report.packed_trials import (
    LEVELS,
    NOTABLE,
    Limits,
    ShorterArguments,
    calls_data,
    trial_data,
)
from groundtrace.rows.detail import Detail

TRIALS_IN_BLOCK = 24
"""Trials in one block: enough to share their words, few enough to unpack quickly."""

LAST = len(LEVELS) - 1

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Packed:
    """The details of a page."""

    blocks: tuple[str, ...]
    places: dict[int, tuple[int, int]]
    """Index of a row to its block and its position in the block."""
    limits: Limits
    without: int
    """Trials whose details were left out because the page would be too large."""

    @property
    def size(self) -> int:
        """Bytes in the page."""
        return sum(map(len, self.blocks))


@dataclass(frozen=True, slots=True)
class TrialBlock:
    """Some trials at one level of detail."""

    rows: tuple[int, ...]
    """Indexes of their rows."""
    level: int
    text: str
    """Their data, compressed."""
    lower: bytes
    """What lower levels show and the data does not hold, compressed; empty at the last level."""


def pack(details: Callable[[], Iterable[tuple[int, Detail]]], budget: int) -> Packed:
    """The details of all trials within a budget of bytes; of each trial as much as fits."""
    packing = _Packing(budget)
    for group in _grouped(details()):
        packing.add(block_of(group, packing.level))
    return packing.packed()


@dataclass(slots=True)
class _Packing:
    """Blocks so far, all of one level: the highest at which they fit."""

    budget: int
    level: int = 0
    used: int = 0
    without: int = 0
    blocks: list[TrialBlock] = field(default_factory=list)

    def add(self, block: TrialBlock) -> None:
        """Add a block; if it does not fit, all blocks go to the next level."""
        while block.level < self.level:
            block = lowered(block)
        if self.used + len(block.text) <= self.budget:
            self.used += len(block.text)
            self.blocks.append(block)
        elif self.level == LAST:
            # Others can be smaller and still fit.
            self.without += len(block.rows)
        else:
            before, self.blocks, self.used = self.blocks, [], 0
            self.level += 1
            for one in (*before, block):
                self.add(one)

    def packed(self) -> Packed:
        """What the page holds."""
        places = {
            row: (number, place)
            for number, block in enumerate(self.blocks)
            for place, row in enumerate(block.rows)
        }
        texts = tuple(block.text for block in self.blocks)
        return Packed(texts, places, LEVELS[self.level], self.without)


def _grouped(details: Iterable[tuple[int, Detail]]) -> Iterator[list[tuple[int, Detail]]]:
    group: list[tuple[int, Detail]] = []
    for item in details:
        group.append(item)
        if len(group) == TRIALS_IN_BLOCK:
            yield group
            group = []
    if group:
        yield group


def block_of(group: Sequence[tuple[int, Detail]], level: int) -> TrialBlock:
    """The block of some trials, each with the index of its row."""
    made: list[Data] = []
    lower: list[Data] = []
    for _, detail in group:
        shorter = ShorterArguments([limits.argument for limits in LEVELS[level + 1 : LAST]])
        made.append(trial_data(detail, LEVELS[level], shorter=shorter))
        if level != LAST:
            lower.append({"arguments": shorter.texts, "least": _least(detail)})
    return TrialBlock(
        rows=tuple(row for row, _ in group),
        level=level,
        text=_compressed(made),
        lower=b"" if level == LAST else zlib.compress(_json(lower), 1),
    )


def _least(detail: Detail) -> Data | None:
    """The calls of the last level, which skips some, if the level before does not hold them all."""
    if len(detail.events.events) <= LEVELS[LAST - 1].steps:
        return None
    return calls_data(detail, LEVELS[LAST])


def lowered(block: TrialBlock) -> TrialBlock:
    """A block with the detail of the next level, as `block_of` would have made it."""
    level = block.level + 1
    lower: list[Data] = json.loads(zlib.decompress(block.lower))
    data = [_lowered(one, more, level) for one, more in zip(unpack(block.text), lower, strict=True)]
    return TrialBlock(
        rows=block.rows,
        level=level,
        text=_compressed(data),
        lower=b"" if level == LAST else zlib.compress(_json(lower), 1),
    )


def _lowered(data: Data, lower: Data, level: int) -> Data:
    """A trial at the next level. `lower` loses what this level shows."""
    limits = LEVELS[level]
    if limits.only_notable and lower["least"] is not None:
        return data | lower["least"]
    numbers: dict[int, int] = {}
    steps = []
    for number, step in enumerate(data["steps"]):
        if len(steps) == limits.steps:
            break
        if limits.only_notable and not step[3] & NOTABLE:
            continue
        steps.append(_lowered_step(step, numbers, limits))
        texts = [] if limits.only_notable else lower["arguments"][number]
        if texts:
            steps[-1][4] = texts.pop(0)
    return data | {
        "steps": steps,
        "cut": data["cut"] + len(data["steps"]) - len(steps),
        "words": [data["words"][number] for number in numbers],
    }


def _lowered_step(step: list[Any], numbers: dict[int, int], limits: Limits) -> list[Any]:
    """A call with fewer files; its names are numbered in the order in which they are met."""
    at, category, tool, marks, arguments, files, without, seconds, tokens, deed, *agent = step

    def number(word: int) -> int:
        return numbers.setdefault(word, len(numbers))

    tool = number(tool)
    kept = files
    if len(files) + without > limits.files:
        kept = sorted(files, key=lambda file: file[2] == -1)[: limits.files]
    return [
        at,
        category,
        tool,
        marks,
        arguments if limits.argument else "",
        [[number(word), *rest] for word, *rest in kept],
        without + len(files) - len(kept),
        seconds,
        tokens,
        deed,
        *map(number, agent),
    ]


def _compressed(data: list[Data]) -> str:
    return base64.b64encode(zlib.compress(_json(data), 9)).decode()


def _json(data: list[Data]) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def unpack(block: str) -> Any:
    """A block as data, for tests and golden files."""
    return json.loads(zlib.decompress(base64.b64decode(block)))
