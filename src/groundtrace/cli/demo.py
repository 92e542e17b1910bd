"""`groundtrace demo`: the bundled sample through every stage."""

from __future__ import annotations

from pathlib import Path

import click

from groundtrace.cli import options
from groundtrace.cli.answer import answer_data, print_answer
from groundtrace.cli.terminal import print_json, print_message, print_result, say_failures


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
    Examples:
      groundtrace demo
      groundtrace demo --out /tmp/sample
    """
    from groundtrace.cli.run import closing_words
    from groundtrace.demo import write_sample
    from groundtrace.engine import make_engine
    from groundtrace.impact.options import ImpactOptions
    from groundtrace.stages.everything import run_stages
    from groundtrace.stages.impact import widest_document
    from groundtrace.stages.request import Request

    write_sample(out)
    runs = out / "runs" / "official"
    print_message(f"sample: {runs} (trials), {out / 'benchmarks'} (tasks)", quiet=quiet or as_json)
    request = Request(
        runs=str(runs), engine=make_engine("local", jobs=1), tasks=(str(out / "benchmarks"),)
    )
    done, failed, written, _ = run_stages(request, ImpactOptions(), None)
    document = widest_document(request)
    if as_json:
        data = {"reports": written.written, "trials": done.trials, "failed": failed}
        print_json(data | answer_data(document))
    else:
        print_answer(document)
        print_result(closing_words(written.written))
    return say_failures(failed, quiet=quiet)
