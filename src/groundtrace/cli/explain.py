"""`groundtrace explain`: one trial, what every stage saw, in the terminal."""

from __future__ import annotations

from pathlib import Path

import click

from groundtrace.cli import options
from groundtrace.cli.prepare import settings_for
from groundtrace.cli.terminal import print_json


@click.command("explain")
@click.argument("trial", metavar="TRIAL")
@options.truth_options
@options.normalize_options
@options.config_option
@options.json_option
@options.no_mask_option
@click.option("--calls", "only_calls", is_flag=True, help="Only the calls.")
@options.verbose_option("Tracebacks for errors.")
def command(
    trial: str,
    truth: options.TruthFlags,
    normalizing: options.NormalizeFlags,
    config_file: Path | None,
    as_json: bool,
    no_mask: bool,
    only_calls: bool,
) -> None:
    """Show how one trial's numbers came about, from the raw trace to each metric.

    TRIAL is a trial folder, a trace file, or FILE#ID for one sample of a file. Call ids and step ids are those of the raw trace, so that every line
    can be looked up there.

    \b
    Worked lines:
      groundtrace explain runs/official/my_run/baseline/task__abc --tasks benchmarks
      groundtrace explain runs/official/my_run/baseline/task__abc --tasks benchmarks --calls
      groundtrace explain runs/official/my_run/baseline/task__abc --json
    """
    from groundtrace.api import evaluate_trial
    from groundtrace.explain import explain

    evaluation = evaluate_trial(
        trial,
        tasks=truth.tasks,
        ground_truth=truth.ground_truth,
        settings=settings_for(config_file, normalizing, no_mask=no_mask),
    )
    found = explain(evaluation.reading, evaluation.metrics)
    if as_json:
        print_json(found)
        return
    from groundtrace.cli.explain_text import render

    click.echo(render(found, only_calls=only_calls))
