"""`groundtrace explain`: one trial, what every stage saw, in the terminal."""

from __future__ import annotations

from typing import Any

import click

from groundtrace.cli import options
from groundtrace.cli.request import settings_from_flags
from groundtrace.cli.terminal import print_json


@click.command("explain")
@click.argument("trial", metavar="TRIAL")
@options.tasks_option
@options.registry_option
@options.normalize_options
@options.config_option
@options.json_option
@click.option("--calls", "only_calls", is_flag=True, help="Only the calls.")
@click.option("-v", "--verbose", is_flag=True, help="Tracebacks for errors.")
def command(**flags: Any) -> None:
    """Show how one trial's numbers came about, from the raw trace to each metric.

    TRIAL is a trial folder. Call ids and step ids are those of the raw trace, so that every line
    can be looked up there.

    \b
    Worked lines:
      groundtrace explain runs/official/my_run/baseline/task__abc --tasks benchmarks
      groundtrace explain runs/official/my_run/baseline/task__abc --tasks benchmarks --calls
      groundtrace explain runs/official/my_run/baseline/task__abc --json
    """
    from groundtrace.api import evaluate_trial
    from groundtrace.explain import explain

    settings = settings_from_flags(flags)
    evaluation = evaluate_trial(
        flags["trial"],
        tasks=flags["tasks"],
        ground_truth=flags["ground_truth"],
        settings=settings,
    )
    found = explain(evaluation.reading, evaluation.metrics)
    if flags["as_json"]:
        print_json(found)
        return
    from groundtrace.cli.explain_text import render

    click.echo(render(found, only_calls=flags["only_calls"]))
