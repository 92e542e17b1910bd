"""`groundtrace run`: every stage."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groundtrace.cli import normalize as normalizing
from groundtrace.cli import options
from groundtrace.cli.request import options_from_flags, request_from_flags, say_failures
from groundtrace.cli.terminal import print_json, print_message, print_result

if TYPE_CHECKING:
    from groundtrace.impact.options import ImpactOptions
    from groundtrace.stages import Request
    from groundtrace.stages.normalize import Normalized
    from groundtrace.stages.report import Reported


@click.command("run")
@options.runs_argument
@options.tasks_option
@options.registry_option
@options.format_option
@options.normalize_options
@options.impact_options
@options.work_options
@options.dry_run_option
@options.output_options
def command(**flags: Any) -> int:
    """Normalize, evaluate, analyse and report, in one go.

    \b
    Worked lines:
      groundtrace run runs/official --tasks benchmarks
      groundtrace run runs/official/my_run --tasks benchmarks --out results --format md
    """
    if flags["dry_run"]:
        return normalizing.dry_run(flags)
    with request_from_flags("working", flags) as request:
        done, failed, written = run_stages(
            request, options_from_flags(flags, request.settings), flags["formats"]
        )
    for note in written.notes:
        print_message(note, quiet=flags["quiet"])
    if flags["as_json"]:
        print_json(normalizing.as_data(done) | {"reports": written.written, "failed": failed})
    else:
        print_message(normalizing.as_text(done), quiet=flags["quiet"])
        print_result(closing_words(written.written))
    return say_failures(failed, flags["quiet"])


def run_stages(
    request: Request, impact_options: ImpactOptions, formats: tuple[str, ...] | None
) -> tuple[Normalized, list[str], Reported]:
    """All stages after one another: what was normalized, what failed, and the reports."""
    from groundtrace.stages.evaluate import evaluate
    from groundtrace.stages.impact import impact
    from groundtrace.stages.normalize import normalize
    from groundtrace.stages.report import report

    done = normalize(request, with_metrics=True)
    evaluated = evaluate(request, done.rows)
    impact(request, impact_options, evaluated.rows)
    written = report(request, formats, evaluated.rows)
    return done, [*done.failed, *evaluated.failed], written


def closing_words(reports: list[str]) -> str:
    """Where to look next: the last report is the widest."""
    folder = (
        str(Path(reports[-1]).parent)
        if "://" not in reports[-1]
        else reports[-1].rpartition("/")[0]
    )
    names = [report.rpartition("/")[2] for report in reports if report.startswith(folder + "/")]
    return "\n".join(f"report: {folder}/{name}" for name in names)
