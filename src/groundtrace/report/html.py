"""The report as one page that opens from disk: no request, no code but its own.

The page's policy names its two scripts and its style by their digests and forbids everything
else; Vega runs with its expression interpreter, so nothing is ever compiled from text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

from groundtrace.errors import MissingExtraError
from groundtrace.report import formats
from groundtrace.report.blocks import Name, Paragraph
from groundtrace.report.charts import charts
from groundtrace.report.data import ReportData
from groundtrace.report.packed_trials import ACCESS_KINDS, CATEGORIES, Packed, pack
from groundtrace.report.sections import LEGEND, STATUS, sections
from groundtrace.report.shown_text import with_note
from groundtrace.report.task_units import TaskUnits
from groundtrace.report.trial_table import TrialTable, trial_columns
from groundtrace.report.wording import KIND_WORDS, plural
from groundtrace.rows.detail import Detail
from groundtrace.rows.trial_row import TrialRow
from groundtrace.rows.units import Counted, collect_distinct

PAGE_LIMIT = 3_000_000
"""Bytes of a page of up to 1,000 trials; larger pages may have as much for each trial."""

LIMIT_TRIALS = 1_000

MAX_TRIALS = 10_000
"""Trials that a page lists; the page says how many more there are."""


def render(data: ReportData) -> str:
    """The whole page."""
    from jinja2 import Environment
    from markupsafe import Markup

    library = vega_bundle()
    style, script = _asset("page.css"), _asset("page.js")
    table, units = _survey(data.rows)
    found_charts = charts(data, units)
    chart_data = _json({chart.id: chart.spec for chart in found_charts})
    head = {
        "columns": trial_columns(),
        "categories": CATEGORIES,
        "kinds": ACCESS_KINDS,
        "kindWords": KIND_WORDS,
        **table.lists(),
    }
    parts = (library, style, script, chart_data, _json(head | {"rows": table.rows}))
    used = _TEXT + sum(len(part.encode()) for part in parts)
    limit = int(PAGE_LIMIT * max(1.0, len(table.rows) / LIMIT_TRIALS))
    packed = pack(lambda: _numbered(data, table), max(limit - used, 0))
    rows = [[*row, *packed.places.get(i, (-1, -1))] for i, row in enumerate(table.rows)]
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.globals.update(is_name=lambda part: isinstance(part, Name))
    template = environment.from_string(_asset("page.html.j2"))
    return template.render(
        policy=_policy(library, script, style=style),
        title=_title(data),
        status=with_note(STATUS),
        legend=LEGEND,
        generated_at=data.summary.generated_at,
        sections=sections(data),
        charts=found_charts,
        trials=_trials_text(table, packed),
        trials_after="movers",
        library=Markup(library),
        script=Markup(script),
        style=Markup(style),
        chart_data=Markup(chart_data),
        table_data=Markup(_json(head | {"rows": rows})),
        blocks=packed.blocks,
    )


_TEXT = 250_000
"""Bytes set aside for the tables of the page, which are written as HTML."""


def _title(data: ReportData) -> Paragraph:
    scope = "all runs" if data.scope == "*" else Name(data.scope)
    return ("Retrieval report: ", scope)


def _survey(rows: Iterable[TrialRow]) -> tuple[TrialTable, TaskUnits]:
    """One pass over all rows: there can be too many to hold."""
    return collect_distinct(rows, _surveyed)


def _surveyed(rows: Iterator[Counted]) -> tuple[TrialTable, TaskUnits]:
    table, units = TrialTable(MAX_TRIALS), TaskUnits()
    for row, counted_in in rows:
        table.add(row, counted_in=counted_in)
        units.add(row, is_copy=counted_in is not None)
    return table, units


def _numbered(data: ReportData, table: TrialTable) -> Iterator[tuple[int, Detail]]:
    """Details of the trials that the page lists, with the index of their row."""
    for found, detail in enumerate(data.details()):
        if found >= len(table.rows):
            return
        place = table.places.get((detail.row.run_id, detail.row.document))
        if place is not None:
            yield place, detail


def _trials_text(table: TrialTable, packed: Packed) -> list[str]:
    """How much the page holds of the trials, said where they are opened."""
    text = [
        f"The page holds the calls of {plural(len(packed.places), 'trial')} "
        f"({formats.size(packed.size)}, unpacked when a trial is opened): {packed.limits.in_words()}."
    ]
    if table.seen > len(table.rows):
        text.append(
            f"Of {plural(table.seen, 'trial')} the first {len(table.rows):,} are listed; charts "
            "and the other tables count all of them."
        )
    missing = len(table.rows) - len(packed.places)
    if missing:
        text.append(
            f"{plural(missing, 'trial')} without calls here, "
            f"{packed.without:,} of them because the page would be too large; "
            "the command “groundtrace explain” shows them."
        )
    return text


def _policy(*scripts: str, style: str) -> str:
    """The page's content-security policy: these scripts, this style, and no request at all."""
    allowed = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'sha256-{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _json(value: Mapping[str, Any]) -> str:
    """JSON for a script element: no text in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _asset(name: str) -> str:
    text = resources.files("groundtrace.report").joinpath("templates", name)
    return text.read_text(encoding="utf-8").replace("\r\n", "\n")


@lru_cache(maxsize=1)
def vega_bundle() -> str:
    """Vega, Vega-Lite and the embedding with the expression interpreter, as one script."""
    try:
        import vl_convert
    except ImportError as error:
        raise MissingExtraError("the page", "report") from error
    bundle: str = vl_convert.javascript_bundle("window.drawChart = vegaEmbed;")
    # A script element ends at the first end tag in it, and the parser makes every line end the
    # same before the digest is taken.
    safe = bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return safe.replace("\r\n", "\n").replace("\r", "\n")
