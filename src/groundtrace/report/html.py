"""The report as one page that opens from disk: it makes no requests and runs only its own code.

The page's content-security policy allows its script and its style by their digests, and nothing
else. Charts are inline SVG, so the page is complete before its script runs.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from groundtrace.base.digests import sha256
from groundtrace.base.frozen import Frozen
from groundtrace.redact import is_masking
from groundtrace.report import formats
from groundtrace.report.answer_text import PRICES
from groundtrace.report.answer_view import answer_view
from groundtrace.report.blocks import Name, Paragraph, Section
from groundtrace.report.blocks_of_trials import MadeTrial, Packed, Packing, made_trial
from groundtrace.report.calls import FirstFound
from groundtrace.report.charts import charts
from groundtrace.report.data import ReportData
from groundtrace.report.markup import (
    NOTHING,
    Html,
    answer_section,
    links_to,
    parts,
    section_of_charts,
    section_of_numbers,
)
from groundtrace.report.parts import asset, colours_of, words_of_parts
from groundtrace.report.safe_text import UNMASKED
from groundtrace.report.sections import LEGEND, STATUS, sections
from groundtrace.report.task_units import DistinctTasks, TaskUnits
from groundtrace.report.trial_table import TrialTable
from groundtrace.report.wording import plural
from groundtrace.rows.units import Counted, collect_distinct

PAGE_LIMIT = 3_000_000
"""Most bytes of a page of up to 1,000 trials. Larger pages may have as many bytes per trial."""

LIMIT_TRIALS = 1_000

MAX_TRIALS = 20_000
"""Most trials that a page lists; the page says how many more there are."""

SHORT = {"chain": "Where the chain breaks", "tasks": "Task by task", "trials": "Trials, one by one"}
"""Sections between the answer and all numbers; those of charts only if there is one."""


class Surveyed(Frozen, frozen=True):
    """What one pass over all rows gives. There can be too many rows to keep them in memory."""

    table: TrialTable
    units: TaskUnits
    tasks: DistinctTasks


def render(data: ReportData, made: Sequence[Section] | None = None) -> str:
    """The whole page; `made` are its sections, if another format was made from them already."""
    style = _short(asset("page.css"))
    script = _short(asset("parts.js")) + _short(asset("page.js"))
    surveyed = collect_distinct(data.rows, _surveyed)
    table = surveyed.table
    data = replace(data, tasks=surveyed.tasks.number())
    colours = colours_of(data.summary.by_config)
    head = _head(table, colours)
    fixed = (style, script, _json(head | {"rows": table.rows}))
    used = _TEXT + sum(len(part.encode()) for part in fixed)
    limit = int(PAGE_LIMIT * max(1.0, len(table.rows) / LIMIT_TRIALS))
    found = FirstFound()
    packed = _packed(data, table, found, max(limit - used, 0))
    rows = [[*row, *packed.places.get(i, (-1, -1))] for i, row in enumerate(table.rows)]
    drawn = charts(data, surveyed.units, table.links, found, colours)
    filled = {chart.section for chart in drawn} | {"trials"}
    shown = [section for section in made or sections(data) if section.id != "answer"]
    short = [(id_, title) for id_, title in SHORT.items() if id_ in filled]
    answer = answer_view(data, colours, table.titles)
    first = answer.pairs[0].key
    return Html(asset("page.html").rstrip("\n")) % {
        "policy": _policy(script, style=style),
        "title": "".join(answer.pairs[0].title),
        "style": Html(style),
        "scope": parts(_scope(data)),
        "short": links_to(short),
        "inner": links_to((section.id, section.title) for section in shown),
        "unmasked": NOTHING if is_masking() else Html(_UNMASKED) % (UNMASKED,),
        "answer": answer_section(answer, STATUS, PRICES),
        "charts": Html.all(
            section_of_charts(id_, title, [c for c in drawn if c.section == id_], first)
            for id_, title in short
            if id_ != "trials"
        ),
        "trials": Html('<p class="note">%s</p>\n').each(
            (text,) for text in _trials_text(table, packed)
        ),
        "titles": ", ".join(section.title for section in shown),
        "numbers": Html.all(
            section_of_numbers(section, [c for c in drawn if c.section == section.id], first)
            for section in shown
        ),
        "legend": LEGEND,
        "generated_at": data.summary.generated_at,
        "of_trials": _OF_TRIALS if data.summary.overall.computable else "",
        "data": Html(_json(head | {"rows": rows})),
        "blocks": Html(_BLOCK).each((block,) for block in packed.blocks),
        "script": Html(script),
    }


_OF_TRIALS = ", its ground truth and each file that it missed"
_UNMASKED = '<p class="status" role="note">%s</p>\n'
_BLOCK = '<script type="application/octet-stream" class="block-data">%s</script>\n'


def _short(text: str) -> str:
    """A style or a script without indents and without lines that are only a comment."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if not _COMMENT.fullmatch(line)) + "\n"


_COMMENT = re.compile(r"(/\*((?!\*/).)*\*/)?")


_TEXT = 400_000
"""Bytes reserved for the tables and charts of the page, which are HTML."""


def _head(table: TrialTable, colours: Mapping[str, str]) -> dict[str, Any]:
    """What the page's script gets in addition to the rows."""
    return words_of_parts(colours) | {"keys": table.other_keys(), **table.lists()}


def _scope(data: ReportData) -> Paragraph:
    return ("All runs",) if data.scope == "*" else ("Run ", Name(data.scope))


def _surveyed(rows: Iterator[Counted]) -> Surveyed:
    found = Surveyed(TrialTable(MAX_TRIALS), TaskUnits(), DistinctTasks())
    for row, counted_in in rows:
        found.table.add(row, counted_in=counted_in)
        found.units.add(row, is_copy=counted_in is not None)
        found.tasks.add(row)
    return found


def _packed(data: ReportData, table: TrialTable, first_found: FirstFound, budget: int) -> Packed:
    """Details of the trials that the page lists, in the order of their rows."""
    packing = Packing(budget)
    for number, trial in enumerate(_made(data, packing)):
        if number >= len(table.rows):
            break
        place = table.places.get(trial.key)
        if place is not None:
            if place not in table.copies:
                first_found.add(place, trial.met)
            packing.add(place, trial)
    return packing.packed()


def _made(data: ReportData, packing: Packing) -> Iterator[MadeTrial]:
    if data.made_trials is not None:
        return data.made_trials(lambda: packing.level)
    return (made_trial(detail, packing.level) for detail in data.details())


def _trials_text(table: TrialTable, packed: Packed) -> list[str]:
    """How much of the trials the page contains; shown where readers open them."""
    text = [
        f"The page holds the calls of {plural(len(packed.places), 'trial')} "
        f"({formats.size(packed.size)}, unpacked when a trial is opened): {packed.limits.in_words()}."
    ]
    if table.seen > len(table.rows):
        text.append(
            f"Of {plural(table.seen, 'trial')} the first {len(table.rows):,} are listed; the "
            "charts and the other tables count all of them, except the chart of the calls that "
            "met relevant files first."
        )
    missing = len(table.rows) - len(packed.places)
    if missing:
        text.append(
            f"{plural(missing, 'trial')} without calls here, "
            f"{packed.without:,} of them because the page would be too large; "
            "the command “groundtrace explain” shows them."
        )
    return text


def _policy(script: str, *, style: str) -> str:
    """The page's content-security policy: this script, this style, and no request at all."""
    return (
        f"default-src 'none'; script-src 'sha256-{_digest(script)}'; "
        f"style-src 'sha256-{_digest(style)}'; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return base64.b64encode(sha256(text.encode()).digest()).decode()


def _json(value: Mapping[str, Any]) -> str:
    """JSON for a script element: no text in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text
