"""Documents made by hypothesis from their types, and what must be true for every later stage."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec.inspect as inspect
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from groundtrace.documents import KINDS
from groundtrace.documents.codec import decode, encode
from groundtrace.errors import MissingExtraError
from groundtrace.impact import analyse
from groundtrace.impact.options import ImpactOptions
from groundtrace.metrics import evaluate
from groundtrace.metrics.catalogue import METRICS
from groundtrace.report import Detail, ReportData, render_html, render_markdown
from groundtrace.rows.make import row_from
from groundtrace.rows.summarise import summarise
from tests.documents.strategies import values, with_known_names
from tests.fuzz import checks, mutate

WHEN = "2026-01-01T00:00:00Z"
DOCUMENTS = {kind: values(inspect.type_info(info.type)) for kind, info in KINDS.items()}
HOSTILE = st.sampled_from([word for word in mutate.WORDS if word and "\ud800" not in word])


@cache
def valid_documents(n: int = 12) -> dict[str, list[bytes]]:
    """Some valid documents of every kind, the same in every run."""
    made: dict[str, list[bytes]] = {kind: [] for kind in KINDS}
    for kind, found in made.items():
        raw: list[Any] = []
        _run(raw.append, DOCUMENTS[kind], n, 0)
        items = map(with_known_names, raw)
        found += [encode(decode(kind, json.dumps(item).encode(), kind)) for item in items]
    return made


def _run(
    check: Callable[[Any], None], strategy: st.SearchStrategy[Any], n: int, start: int
) -> None:
    """Try `n` values of a strategy; the same for the same start."""
    health = list(HealthCheck)
    options = settings(
        max_examples=n,
        deadline=None,
        database=None,
        suppress_health_check=health,
        phases=(Phase.generate, Phase.shrink),
    )

    def test(value: Any) -> None:
        check(value)

    seed(start)(options(given(strategy)(test)))()


def try_metrics(n: int, start: int) -> None:
    """Metrics of any valid events document: a valid document, each share between 0 and 1."""

    def check(raw: Any) -> None:
        document = decode("retrieval_events", json.dumps(raw).encode(), "x")
        metrics = evaluate(document, generated_at=WHEN)
        checks.check_document("retrieval_metrics", metrics)
        row = row_from(metrics, document)
        for name, value in row.metrics.items():
            top = METRICS[name].upper
            assert value >= 0 and (top is None or value <= top), (name, value)

    _run(check, DOCUMENTS["retrieval_events"], n, start)


@st.composite
def _renamed(draw: st.DrawFn) -> list[Any]:
    """Events documents whose names are hostile text."""
    found = draw(st.lists(DOCUMENTS["retrieval_events"], min_size=1, max_size=4))
    for document in found:
        for name in ("run_id", "task_name", "config_name", "trial_name"):
            document["provenance"][name] = draw(HOSTILE)
        for event in document["events"]:
            event["tool_name"] = draw(HOSTILE)
    return found


def try_reports(n: int, start: int) -> None:
    """Summary, analysis and reports of any documents: nothing raises, no script of theirs runs."""

    def check(raws: list[Any]) -> None:
        details = []
        for number, raw in enumerate(raws):
            document = decode("retrieval_events", json.dumps(raw).encode(), "x")
            metrics = evaluate(document, generated_at=WHEN)
            row = row_from(metrics, document, path=f"c/{number}.retrieval_events.json")
            details.append(Detail(row, document, metrics))
        rows = tuple(detail.row for detail in details)
        summary = summarise(rows, scope="<b>*", generated_at=WHEN, outcomes=[])
        checks.check_document("run_retrieval_summary", summary)
        impact = analyse(rows, ImpactOptions(draws=20), scope="*", generated_at=WHEN)
        checks.check_document("impact_analysis", impact)
        data = ReportData("<b>*", summary, impact, rows, lambda: iter(details))
        checks.check_text(render_markdown(data))
        try:
            page = render_html(data)
        except MissingExtraError:
            return
        checks.check_text(page)
        assert "<script>alert" not in page

    _run(check, _renamed(), n, start)


TYPED: dict[str, Callable[[int, int], None]] = {"metrics": try_metrics, "reports": try_reports}
"""Targets of hypothesis: each tries n inputs from a start."""
