"""All stages in sequence, as `groundtrace run` and `groundtrace.run()` do them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from groundtrace.documents.summary import RunSummaryDocument
from groundtrace.impact.options import ImpactOptions
from groundtrace.runs.known_results import MOST_FILES, KnownResults
from groundtrace.runs.normalize import normalize
from groundtrace.runs.normalized import Normalized
from groundtrace.runs.report import Reported, report
from groundtrace.runs.request import Request

if TYPE_CHECKING:
    from groundtrace.runs.impact import Check


class Stages(NamedTuple):
    """What the stages did."""

    normalized: Normalized
    failed: list[str]
    """Trials and documents that could not be processed, with the reason."""
    reports: Reported
    summary: RunSummaryDocument | None
    """Summary of the run, or over all runs."""


def run_stages(
    request: Request,
    impact_options: ImpactOptions,
    formats: tuple[str, ...] | None,
    check: Check | None = None,
) -> Stages:
    """Normalize, evaluate, analyse and report; an analysis that `check` refuses is not written."""
    from groundtrace.runs.evaluate import evaluate, summary_of
    from groundtrace.runs.impact import impact

    request = replace(request, known=KnownResults(MOST_FILES))
    done = normalize(request, with_metrics=True)
    if done.all_failed:
        # There is nothing to evaluate. The failures say why; other stages would only hide that.
        return Stages(done, [*done.failed, *done.unlisted], Reported(), None)
    evaluated = evaluate(request, done.rows)
    summary = summary_of(request, evaluated)
    impact(request, impact_options, evaluated.rows, check)
    written = report(request, formats, evaluated.rows)
    failed = [*done.failed, *done.unlisted, *evaluated.failed]
    return Stages(done, failed, written, summary)
