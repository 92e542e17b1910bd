"""The time of every regular expression of the package grows at most linearly with the line."""

from __future__ import annotations

import re
import time

import pytest

from groundtrace.base.limit import TimeLimitReached, time_limit
from tests.adversarial.patterns import BELOW, all_patterns, ask, lines_for, ways_of

SHORT = 500
TIMES = 8
SLOW = 0.004
"""Seconds of processor time below which a long line is fine, whatever a short one took."""
STOP = 2.0


def seconds(name: str, way: str, line: str) -> float:
    """The least of three measurements: other work on the machine only ever adds."""
    taken = []
    for _ in range(3):
        start = time.thread_time()
        try:
            with time_limit(STOP):
                ask(all_patterns()[name], way, line)
        except TimeLimitReached:
            return STOP
        taken.append(time.thread_time() - start)
        if taken[-1] < SLOW:
            break
    return min(taken)


@pytest.mark.parametrize("name", all_patterns())
def test_time_grows_with_the_length_and_no_faster(name: str) -> None:
    """Eight times the length may take eight times the time, with a factor of three for noise.

    A pattern that takes the square takes 64 times, one that takes the cube 512 times.
    """
    pattern = all_patterns()[name]
    long = min(SHORT * TIMES, BELOW.get(name, SHORT * TIMES))
    short = long // TIMES
    for way in ways_of(name):
        for line, longer in zip(lines_for(pattern, short), lines_for(pattern, long), strict=True):
            taken = seconds(name, way, longer)
            if taken < SLOW:
                continue
            before = max(seconds(name, way, line), 20e-6)
            assert taken < 3 * TIMES * before, (way, longer[:60], before, taken)


def test_a_pattern_that_takes_the_square_is_noticed() -> None:
    """The measure itself, on a pattern that looks for the end from every blank."""
    pattern = re.compile(r"\s*x$")
    line = next(line for line in lines_for(pattern, SHORT * TIMES) if line.startswith("  "))
    start = time.thread_time()
    ask(pattern, "finditer", line)
    assert time.thread_time() - start > SLOW
