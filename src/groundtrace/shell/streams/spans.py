"""Ranges of lines, and what head, tail and similar programs leave of them."""

from __future__ import annotations

Spans = tuple[tuple[int, int | None], ...]
"""Line ranges in order; an end of None is the end of the file."""
WHOLE: Spans = ((1, None),)


def first_of(spans: Spans, count: int) -> Spans:
    """The first `count` lines of a stream."""
    out: list[tuple[int, int | None]] = []
    left = count
    for low, high in spans:
        if left <= 0:
            break
        end = low + left - 1 if high is None else min(high, low + left - 1)
        out.append((low, end))
        left -= end - low + 1
    return tuple(out)


def last_of(spans: Spans, count: int) -> Spans | None:
    """The last `count` lines, if the length of the stream is known."""
    out: list[tuple[int, int | None]] = []
    left = count
    for low, high in reversed(spans):
        if high is None:
            return None
        if left <= 0:
            break
        start = max(low, high - left + 1)
        out.append((start, high))
        left -= high - start + 1
    return tuple(reversed(out))


def without_first(spans: Spans, count: int) -> Spans:
    """What is left without the first `count` lines."""
    out: list[tuple[int, int | None]] = []
    left = count
    for low, high in spans:
        size = None if high is None else high - low + 1
        if size is not None and size <= left:
            left -= size
            continue
        out.append((low + left, high))
        left = 0
    return tuple(out)


def pick(spans: Spans, wanted: Spans) -> Spans:
    """Ranges of a stream as line numbers of the file behind it."""
    out: list[tuple[int, int | None]] = []
    for low, high in wanted:
        rest = without_first(spans, low - 1)
        out.extend(rest if high is None else first_of(rest, high - low + 1))
    return tuple(out)
