"""The colour of each configuration (D69)."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

MAX_CONFIGS = 8
"""Most configurations in one chart: one for each colour that readers can distinguish."""

BASELINE_CLASS = "baseline"


def colours_of(configs: Iterable[str]) -> dict[str, str]:
    """A colour for each configuration, the same in every chart and nearly every report.

    The name decides, so that a configuration keeps its colour from one report to the next. Names
    that begin with `baseline` are blue; others get one of the other colours. If two names lead to
    the same colour, the later name takes the next free colour.
    """
    taken: dict[str, int] = {}
    for name in sorted(configs, key=lambda name: (not name.startswith(BASELINE_CLASS), name)):
        number = zlib.crc32(name.encode("utf-8", "surrogatepass")) % (MAX_CONFIGS - 1)
        wanted = 0 if name.startswith(BASELINE_CLASS) else 1 + number
        free = [n for n in range(MAX_CONFIGS) if n not in taken.values()]
        taken[name] = min(free, key=lambda n: (n - wanted) % MAX_CONFIGS) if free else wanted
    return {name: f"k{number}" for name, number in taken.items()}
