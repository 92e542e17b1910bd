"""Blocks of a page: what is cut from a block later is what a block made with less would hold."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from groundtrace.report import blocks_of_trials
from groundtrace.report.blocks_of_trials import LAST, block_of, lowered, made_trial, unpack
from groundtrace.report.packed_trials import LEVELS, trial_data
from groundtrace.report.safe_text import plain, plain_at
from groundtrace.rows.trial_row import Detail
from tests.metrics.builders import Seen, step, trial
from tests.report.pages import HOSTILE, SECRET, detail, packed_in

KINDS = ("read", "matched", "surfaced", "written")


def _arguments(chance: random.Random) -> dict[str, str]:
    text = chance.choice(("ls", "grep é…" * 9, SECRET, "x" * 500, "y " * 3_000, *HOSTILE[:-1]))
    return {"command": text * chance.randrange(1, 4)}


def _call(chance: random.Random, truth: list[str]) -> dict[str, Any]:
    number = chance.choice((0, 0, 1, 2, 4, 6, 14, 45))
    files = [
        Seen(chance.choice(KINDS), f"f{chance.randrange(60)}")
        if chance.random() < 0.9
        else Seen(chance.choice(KINDS), entry := chance.choice(truth), entry)
        for _ in range(number)
    ]
    made: dict[str, Any] = step(*files, tool=chance.choice(("Bash", "Read", HOSTILE[9])))
    made["arguments"] = _arguments(chance)
    if chance.random() < 0.2:
        made["agent"] = f"agent-{chance.randrange(3)}"
    return made


def _trials() -> list[Detail]:
    chance = random.Random(7)
    truth = ["t1", "t2", "\u202et3"]
    return [
        detail(trial(*(_call(chance, truth) for _ in range(calls)), truth=truth))
        for calls in (0, 1, 3, 24, 41, 79, 80, 81, 130, 251, 300, 1_030)
    ]


@pytest.mark.parametrize("level", range(LAST))
def test_a_block_that_is_lowered_is_the_block_of_that_level(level: int) -> None:
    for one in _trials():
        block = block_of([(3, made_trial(one, level))], level)
        while block.level < LAST:
            block = lowered(block)
            assert unpack(block.text) == [trial_data(one, LEVELS[block.level])]
            assert block.text == _text([one], block.level)
            assert block.rows == (3,)


def test_trials_of_several_levels_make_a_block_of_the_lowest() -> None:
    """A worker may have begun a trial before the page went to a lower level."""
    trials = _trials()
    for level in range(LAST + 1):
        group = [(row, made_trial(one, row % (level + 1))) for row, one in enumerate(trials)]
        assert block_of(group, level).text == _text(trials, level)


def _text(trials: Sequence[Detail], level: int) -> str:
    return block_of([(0, made_trial(one, level)) for one in trials], level).text


def _packed_by_trying(
    groups: list[list[Detail]], texts: list[list[str]], budget: int
) -> tuple[Any, tuple[str, ...], int]:
    """The rule, without the short way: the first level at which all blocks fit."""
    for level, (limits, blocks) in enumerate(zip(LEVELS, texts, strict=True)):
        if level < LAST and sum(map(len, blocks)) <= budget:
            return limits, tuple(blocks), 0
    kept: list[str] = []
    without = 0
    for group, block in zip(groups, blocks, strict=True):
        if sum(map(len, kept)) + len(block) <= budget:
            kept.append(block)
        else:
            without += len(group)
    return limits, tuple(kept), without


def test_a_page_has_the_first_level_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks_of_trials, "TRIALS_IN_BLOCK", 2)
    trials = [*_trials(), _trials()[3]]
    groups = [trials[at : at + 2] for at in range(0, len(trials), 2)]
    texts = [[_text(group, level) for group in groups] for level in range(len(LEVELS))]
    sizes = [sum(map(len, blocks)) for blocks in texts]
    assert sizes == sorted(sizes, reverse=True)
    for budget in (0, 900, sizes[3] // 2, *(size + more for size in sizes for more in (-1, 0))):
        packed = packed_in(trials, budget)
        limits, blocks, without = _packed_by_trying(groups, texts, budget)
        assert (packed.limits, packed.blocks, packed.without) == (limits, blocks, without)
        assert len(packed.places) + packed.without == len(trials)
        for row, (block, place) in packed.places.items():
            assert unpack(packed.blocks[block])[place] == trial_data(trials[row], limits)


def test_text_at_several_limits_is_the_text_at_each() -> None:
    limits = (240, 120, 60)
    texts = ["", "a" * 60, "a" * 61, "b" * 240, "c" * 241, SECRET * 30, *HOSTILE]
    for length in (60 * 64, 60 * 64 + 1, 240 * 64 + 1):
        texts.append("d" * (length - len(SECRET)) + SECRET)
    for text in texts:
        assert plain_at(text, limits) == [plain(text, limit) for limit in limits]
