"""`groundtrace run`: every stage."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from groundtrace.cli import normalize as normalize_command
from groundtrace.cli import options
from groundtrace.cli.answer import answer_data, check_names, print_answer
from groundtrace.cli.more import say_left_out
from groundtrace.cli.prepare import impact_options_for, prepared_request, settings_for
from groundtrace.cli.terminal import (
    print_json,
    print_message,
    print_result,
    say_failures,
    say_summary,
)

if TYPE_CHECKING:
    from groundtrace.documents.summary import RunSummaryDocument
    from groundtrace.impact.options import ImpactOptions
    from groundtrace.stages.normalize import Normalized
    from groundtrace.stages.report import Reported
    from groundtrace.stages.request import Request


@click.command("run")
@options.runs_argument
@options.truth_options
@options.format_option
@options.normalize_options
@options.impact_options
@options.work_options
@options.dry_run_option
@options.output_options
def command(
    runs: str,
    truth: options.TruthFlags,
    formats: tuple[str, ...] | None,
    normalizing: options.NormalizeFlags,
    comparing: options.ImpactFlags,
    work: options.WorkFlags,
    dry_run: bool,
    output: options.OutputFlags,
) -> int:
    """Normalize, evaluate, analyse and report, in one go.

    \b
    Examples:
      groundtrace run runs/official --tasks benchmarks
      groundtrace run runs/official/my_run --tasks benchmarks --out results --format md
    """
    from groundtrace.stages.impact import widest_document

    if dry_run:
        settings = settings_for(output.config_file, normalizing, comparing)
        return normalize_command.list_trials(runs, truth, settings, output)
    with prepared_request(
        "working",
        runs,
        output,
        work,
        truth=truth,
        normalizing=normalizing,
        comparing=comparing,
    ) as request:
        impact_options = impact_options_for(comparing, request.settings)
        done, failed, written, summary = run_stages(request, impact_options, formats)
        document = None if done.all_failed else widest_document(request)
    if output.as_json:
        data = normalize_command.as_data(done)
        print_json(data | {"reports": written.written, "failed": failed} | answer_data(document))
    else:
        say_left_out(done, output)
        said = normalize_command.normalized_text(done, everything=output.verbose)
        print_message(said, quiet=output.quiet)
        say_summary(summary, quiet=output.quiet)
        print_answer(document)
        if written.written:
            print_result(closing_words(written.written))
    check_names(comparing, document)
    return say_failures(failed, quiet=output.quiet, everything=output.verbose)


class Stages(NamedTuple):
    """What the stages did."""

    normalized: Normalized
    failed: list[str]
    reports: Reported
    summary: RunSummaryDocument | None
    """Of the run, or over all runs."""


def run_stages(
    request: Request, impact_options: ImpactOptions, formats: tuple[str, ...] | None
) -> Stages:
    """All stages after one another."""
    from groundtrace.stages.evaluate import evaluate, summary_of
    from groundtrace.stages.impact import impact
    from groundtrace.stages.normalize import normalize
    from groundtrace.stages.report import Reported, report

    done = normalize(request, with_metrics=True)
    if done.all_failed:
        # Nothing to evaluate: why is in the failures, and the other stages would only hide it.
        return Stages(done, done.failed, Reported(), None)
    evaluated = evaluate(request, done.rows)
    summary = summary_of(request, evaluated)
    impact(request, impact_options, evaluated.rows)
    written = report(request, formats, evaluated.rows)
    return Stages(done, [*done.failed, *evaluated.failed], written, summary)


def closing_words(reports: list[str]) -> str:
    """Where to look next: the last report is the widest."""
    folder = (
        str(Path(reports[-1]).parent)
        if "://" not in reports[-1]
        else reports[-1].rpartition("/")[0]
    )
    names = [report.rpartition("/")[2] for report in reports if report.startswith(folder + "/")]
    return "\n".join(f"report: {folder}/{name}" for name in names)
