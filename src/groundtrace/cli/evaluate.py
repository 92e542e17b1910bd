"""`groundtrace evaluate`: events documents to metrics and summaries."""

from __future__ import annotations

from typing import Any

import click

from groundtrace.cli import options
from groundtrace.cli.request import request_from_flags, say_failures
from groundtrace.cli.terminal import print_json, print_result


@click.command("evaluate")
@options.runs_argument
@options.work_options
@options.output_options
def command(**flags: Any) -> int:
    """Compute the metrics of every events document, and a summary of each run.

    Works from documents alone, of any version 1.x; traces are not needed any more.

    \b
    Worked lines:
      groundtrace evaluate runs/official
      groundtrace evaluate runs/official/my_run --out results --json
    """
    from groundtrace.stages.evaluate import SUMMARY, evaluate

    with request_from_flags("evaluating", flags) as request:
        done = evaluate(request)
        summaries = [f"{output.folder.url}/{SUMMARY}" for output in done.outputs]
        if not done.single:
            summaries.append(f"{request.places.aggregate().url}/{SUMMARY}")
    if flags["as_json"]:
        data = {"evaluated": done.evaluated, "unchanged": done.unchanged, "failed": done.failed}
        print_json(data | {"summaries": summaries})
    else:
        print_result(f"{done.evaluated} documents evaluated, {done.unchanged} unchanged")
        print_result(f"summary: {summaries[-1]}")
    return say_failures(done.failed, flags["quiet"])
