"""The details of a page's trials in compressed blocks; the page unpacks a block when a reader opens
a trial.

If the page would be too large, less is kept of each trial, and the page says what was cut. Each
trial is read once: what has to be cut later is cut from its block, together with the little that
only a lower level shows. A page that fitted at the third level took three times as long before.
"""

from __future__ import annotations

import base64
import json
import pickle
import zlib
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import field
from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.report.calls import FirstMet, first_met
from groundtrace.report.packed_trials import (
    LEVELS,
    NOTABLE,
    Limits,
    ShorterArguments,
    calls_data,
    trial_data,
)
from groundtrace.rows.trial_row import Detail

TRIALS_IN_BLOCK = 24
"""Trials in one block: enough to share their words, few enough to unpack quickly."""

LAST = len(LEVELS) - 1

Data = dict[str, Any]


class Packed(Frozen, frozen=True):
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


class MadeTrial(Frozen, frozen=True):
    """What the page holds of one trial. Workers make it, so that the parent only collects."""

    key: tuple[str, str | None]
    """Run and document of the trial."""
    level: int
    data: bytes
    """Its data at this level, as JSON."""
    lower: Data | None
    """What lower levels show and the data does not hold; None at the last level."""
    met: FirstMet | None
    """What the trial adds to the chart of the calls that met relevant files first."""


class TrialBlock(Frozen, frozen=True):
    """Some trials at one level of detail."""

    rows: tuple[int, ...]
    """Indexes of their rows."""
    level: int
    text: str
    """Their data, compressed."""
    lower: bytes
    """What lower levels show and the data does not hold, compressed."""


def made_trial(detail: Detail, level: int) -> MadeTrial:
    """A trial at a level of detail."""
    shorter = ShorterArguments([limits.argument for limits in LEVELS[level + 1 : LAST]])
    data = trial_data(detail, LEVELS[level], shorter=shorter)
    return MadeTrial(
        key=(detail.row.run_id, detail.row.document),
        level=level,
        data=_json(data),
        lower=None if level == LAST else {"arguments": shorter.texts, "least": _least(detail)},
        met=first_met(detail),
    )


class Packing(msgspec.Struct):
    """Blocks so far, all of one level: the highest at which they fit."""

    budget: int
    """Most bytes of all blocks."""
    level: int = 0
    used: int = 0
    without: int = 0
    blocks: list[TrialBlock] = field(default_factory=list)
    group: list[tuple[int, MadeTrial]] = field(default_factory=list)
    """Trials of the next block, each with the index of its row."""

    def add(self, row: int, trial: MadeTrial) -> None:
        """Add a trial."""
        self.group.append((row, trial))
        if len(self.group) == TRIALS_IN_BLOCK:
            self._end_group()

    def packed(self) -> Packed:
        """What the page holds, after the last trial."""
        if self.group:
            self._end_group()
        places = {
            row: (number, place)
            for number, block in enumerate(self.blocks)
            for place, row in enumerate(block.rows)
        }
        texts = tuple(block.text for block in self.blocks)
        return Packed(texts, places, LEVELS[self.level], self.without)

    def _end_group(self) -> None:
        group, self.group = self.group, []
        self._add(block_of(group, self.level))

    def _add(self, block: TrialBlock) -> None:
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
                self._add(one)


def block_of(group: Sequence[tuple[int, MadeTrial]], level: int) -> TrialBlock:
    """The block of some trials, each with the index of its row; none is below the level."""
    trials = [_lowered_trial(trial, level) for _, trial in group]
    return TrialBlock(
        rows=tuple(row for row, _ in group),
        level=level,
        text=_compressed(b"[" + b",".join(trial.data for trial in trials) + b"]"),
        lower=_kept([trial.lower for trial in trials]),
    )


def _lowered_trial(trial: MadeTrial, level: int) -> MadeTrial:
    """A trial that was made before the page went to a lower level."""
    while trial.level < level:
        lower = pickle.loads(pickle.dumps(trial.lower))  # the trial's own stays as it is
        data = _lowered(json.loads(trial.data), lower, trial.level + 1)
        trial = replace(trial, level=trial.level + 1, data=_json(data), lower=lower)
    return trial


def _least(detail: Detail) -> Data | None:
    """The calls of the last level, which skips some, if the level before does not hold them all."""
    if len(detail.events.events) <= LEVELS[LAST - 1].steps:
        return None
    return calls_data(detail, LEVELS[LAST])


def lowered(block: TrialBlock) -> TrialBlock:
    """A block with the detail of the next level, as `block_of` would have made it."""
    level = block.level + 1
    lower: list[Data] = pickle.loads(zlib.decompress(block.lower))
    data = [_lowered(one, more, level) for one, more in zip(unpack(block.text), lower, strict=True)]
    return replace(block, level=level, text=_compressed(_json(data)), lower=_kept(lower))


def _kept(lower: Sequence[Data | None]) -> bytes:
    return zlib.compress(pickle.dumps(lower, pickle.HIGHEST_PROTOCOL), 1)


def _lowered(data: Data, lower: Data, level: int) -> Data:
    """A trial at the next level. `lower` loses what this level shows."""
    limits = LEVELS[level]
    least: Data | None = lower["least"]
    if limits.only_notable and least is not None:
        return data | least
    numbers: dict[int, int] = {}
    steps: list[list[Any]] = []
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


def _compressed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


def _json(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def unpack(block: str) -> Any:
    """A block as data, for tests and golden files."""
    return json.loads(zlib.decompress(base64.b64decode(block)))
