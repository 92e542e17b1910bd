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
@click.option(
    "--swebench",
    is_flag=True,
    help="Use the second sample: two models on made-up SWE-bench tasks, with verdicts.",
)
@options.json_option
@options.quiet_option
@options.verbose_option("Show tracebacks for errors.")
def command(out: Path, swebench: bool, as_json: bool, quiet: bool) -> int:
    """Write a small sample of runs and tasks, evaluate it, and print where the report is.

    \b
    Examples:
      groundtrace demo
      groundtrace demo --swebench
      groundtrace demo --out /tmp/sample
    """
    from groundtrace.cli.run import closing_words
    from groundtrace.demo import write_sample
    from groundtrace.demo.swebench import BASELINE, write_swebench
    from groundtrace.impact.options import ImpactOptions
    from groundtrace.runs.engine import make_engine
    from groundtrace.runs.impact import widest_document
    from groundtrace.runs.path import run_stages
    from groundtrace.runs.request import Request

    if swebench:
        write_swebench(out)
        runs, tasks = out / "trajs", out / "tasks.jsonl"
        options_of_impact = ImpactOptions(baseline=BASELINE)
    else:
        write_sample(out)
        runs, tasks = out / "runs" / "official", out / "benchmarks"
        options_of_impact = ImpactOptions()
    print_message(f"sample: {runs} (trials), {tasks} (tasks)", quiet=quiet or as_json)
    request = Request(runs=str(runs), engine=make_engine("local", jobs=1), tasks=(str(tasks),))
    done, failed, written, _ = run_stages(request, options_of_impact, None)
    document = widest_document(request)
    if as_json:
        data = {"reports": written.written, "trials": done.trials, "failed": failed}
        print_json(data | answer_data(document))
    else:
        print_answer(document)
        print_result(closing_words(written.written))
    return say_failures(failed, quiet=quiet)
