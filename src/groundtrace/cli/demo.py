"""`groundtrace demo`: the bundled sample through every stage."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from groundtrace.cli import options
from groundtrace.cli.terminal import (
    in_columns,
    print_json,
    print_message,
    print_result,
    say_failures,
)

if TYPE_CHECKING:
    from groundtrace.documents.summary import RunSummaryDocument


@click.command("demo")
@click.option(
    "--out",
    metavar="DIR",
    default="groundtrace-demo",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Where to write the sample and its results.",
)
@options.json_option
@options.quiet_option
@options.verbose_option("Tracebacks for errors.")
def command(out: Path, as_json: bool, quiet: bool) -> int:
    """Write a small sample of runs and tasks, evaluate it, and say where the report is.

    \b
    Worked lines:
      groundtrace demo
      groundtrace demo --out /tmp/sample
    """
    from groundtrace.api import load_summary
    from groundtrace.cli.run import closing_words, run_stages
    from groundtrace.demo import write_sample
    from groundtrace.engine import make_engine
    from groundtrace.impact.options import ImpactOptions
    from groundtrace.stages.request import Request

    write_sample(out)
    runs = out / "runs" / "official"
    print_message(f"sample: {runs} (trials), {out / 'benchmarks'} (tasks)", quiet=quiet or as_json)
    request = Request(
        runs=str(runs), engine=make_engine("local", jobs=1), tasks=(str(out / "benchmarks"),)
    )
    done, failed, written, _ = run_stages(request, ImpactOptions(), None)
    summary = load_summary(runs).document
    for note in written.notes:
        print_message(note, quiet=quiet)
    if as_json:
        print_json({"reports": written.written, "trials": done.trials, "failed": failed})
    else:
        print_result(by_config(summary))
        print_result(closing_words(written.written))
    return say_failures(failed, quiet=quiet)


def by_config(summary: RunSummaryDocument) -> str:
    """One line a configuration: means, each over the tasks that have the value."""
    from groundtrace.metrics.catalogue import METRICS
    from groundtrace.report import formats

    shown = METRICS.shown_in("demo_table")
    rows = []
    for config, group in summary.by_config.items():
        cells = [config, f"{group.computable} of {group.trials}"]
        for metric in shown:
            found = group.metrics.get(metric.name)
            cells.append(formats.value(metric.name, None if found is None else found.mean))
        cells.append(formats.share(group.first_hit.hit_rate))
        rows.append(cells)
    headings = [metric.heading("demo_table") for metric in shown]
    return in_columns(["config", "computable", *headings, "hit rate"], rows)
