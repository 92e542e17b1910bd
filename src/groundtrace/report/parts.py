"""What the page shares with the viewer: files, and the words that the script needs for a trial."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

from groundtrace.report.blocks import Name
from groundtrace.report.calls import DEED_WORDS, DEEDS
from groundtrace.report.packed_trials import ACCESS_KINDS, CATEGORIES
from groundtrace.report.trial_table import trial_columns
from groundtrace.report.wording import KIND_WORDS


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
    text = resources.files("groundtrace.report").joinpath("templates", name)
    return text.read_text(encoding="utf-8").replace("\r\n", "\n")
