"""The path of a run, on one screen. No other module joins the stages.

    trials ─▶ Events ──────────▶ Summary ─────────▶ Impact ────────▶ Report
              events documents   metrics documents  impact analysis  md, html
              outcomes.json      summary

Each is a `Target` of `loop`: it says what it is made from, finds out whether that has changed
(`look`) and makes it (`make`). The loop makes what is stale, run by run, in one session: locked
once, its state saved once. A small run goes whole to one worker, from its trials to its report;
the trials of a larger run are shared out. `pipeline` is the path of one trial.

What covers all runs of a folder is made in this process, from the rows of the runs: outcomes in
`normalize`, the summary in `evaluate`, the analysis in `impact`, the report in `report`. Each of
these is also the command of its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from groundtrace.documents.summary import RunSummaryDocument
from groundtrace.impact.options import ImpactOptions
from groundtrace.runs.engine import HereFirstEngine
from groundtrace.runs.normalize import normalize
from groundtrace.runs.report import Report, Reported, report, wanted_formats
from groundtrace.runs.request import NoTicker, Request
from groundtrace.runs.state import MOST_FILES, KnownResults
from groundtrace.runs.tally import Did, Normalized

if TYPE_CHECKING:
    from groundtrace.runs.impact import Check
    from groundtrace.runs.loop import Target


LATER = tuple(
    f"groundtrace.{name}"
    for name in (
        "rows.summarise",
        "runs.inputs",
        "impact.analysis",
        "report.sections",
        "report.html",
        "report.markdown",
    )
)
"""Modules of what follows the reading of trials. This process loads them while workers read trials:
0.02 s, and 0.04 s more with numpy, of 0.2 to 0.6 s."""


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
    options: ImpactOptions,
    formats: tuple[str, ...] | None,
    check: Check | None = None,
) -> Stages:
    """Normalize, evaluate, analyse and report; an analysis that `check` refuses is not written."""
    from groundtrace.runs.evaluate import Summary, evaluate, summary_of
    from groundtrace.runs.impact import Impact, impact

    request = replace(request, known=KnownResults(MOST_FILES))
    did = Did()
    quiet = replace(request, ticker=NoTicker())  # progress counts trials while they are read
    report_of_run = Report(quiet, wanted_formats(formats))
    at_once: tuple[Target[Any], ...] = (Summary(quiet),)
    if check is None:
        # Otherwise the analysis over all runs comes first: `check` may refuse it.
        at_once += (Impact(quiet, options), report_of_run)
    if isinstance(request.engine, HereFirstEngine):
        # Only metrics, which take a ground truth, have enough to say for arithmetic with numpy.
        arithmetic = ("numpy", "numpy.random", "statistics")
        numpy = arithmetic if request.tasks or request.ground_truth is not None else ()
        request.engine.load_meanwhile((*LATER, *numpy))
    page = "html" in report_of_run.formats
    with did.all_runs:
        done = normalize(request, with_metrics=True, with_page=page, then=at_once, did=did)
        if done.all_failed:
            # There is nothing to evaluate. The failures say why; other stages would only hide that.
            return Stages(done, [*done.failed, *done.unlisted], Reported(), None)
        # What is settled already is not made again.
        evaluated = evaluate(request, did)
        summary = summary_of(request, evaluated)
        impact(request, options, check, then=(report_of_run,), did=did)
        written = report(request, formats, did)
    return Stages(done, [*done.failed, *done.unlisted, *evaluated.failed], written, summary)
