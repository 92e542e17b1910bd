"""What the page shares with the viewer: files, colours, and the words that the script needs for a
trial."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from groundtrace.report.blocks import Name
from groundtrace.report.calls import DEED_WORDS, DEEDS
from groundtrace.report.packed_trials import ACCESS_KINDS, CATEGORIES
from groundtrace.report.trial_table import trial_columns
from groundtrace.report.wording import KIND_WORDS

MAX_CONFIGS = 8
"""Most configurations in one chart: one for each colour that readers can distinguish."""

BASELINE_CLASS = "baseline"


def colours_of(configs: Iterable[str]) -> dict[str, str]:
    """A colour for each configuration, the same in every chart and nearly every report.

    The name decides (D69), so that a configuration keeps its colour from one report to the next. Names
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


def words_of_parts(colours: Mapping[str, str]) -> dict[str, Any]:
    """What `parts.js` needs to show a trial: words for numbers, and the configurations' colours."""
    return {
        "columns": trial_columns(),
        "categories": CATEGORIES,
        "kinds": ACCESS_KINDS,
        "kindWords": KIND_WORDS,
        "deeds": DEEDS,
        "deedWords": DEED_WORDS,
        "colours": {Name(config): colour for config, colour in colours.items()},
    }


def asset(name: str) -> str:
    """A file of the page; the viewer also uses `parts.js` and `page.css`."""
    # Not by importlib.resources, which loads modules for archives and temporary files.
    text = Path(__file__).parent / "templates" / name
    return text.read_text(encoding="utf-8").replace("\r\n", "\n")
