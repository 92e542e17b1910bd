"""`groundtrace run`: every stage."""

from __future__ import annotations

from functools import partial
from pathlib import Path

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
    """Normalize, evaluate, analyse and report, in one command.

    \b
    Examples:
      groundtrace run runs/official --tasks benchmarks
      groundtrace run runs/official/my_run --tasks benchmarks --out results --format md
    """
    from groundtrace.runs.impact import widest_document
    from groundtrace.runs.path import run_stages

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
        named = comparing.baseline is not None or comparing.against is not None
        check = partial(check_names, comparing) if named else None
        done, failed, written, summary = run_stages(request, impact_options, formats, check)
        document = None if done.all_failed else widest_document(request)
    check_names(comparing, document)
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
    return say_failures(failed, quiet=output.quiet, everything=output.verbose)


def closing_words(reports: list[str]) -> str:
    """Where to look next: the last report covers the most."""
    folder = (
        str(Path(reports[-1]).parent)
        if "://" not in reports[-1]
        else reports[-1].rpartition("/")[0]
    )
    names = [report.rpartition("/")[2] for report in reports if report.startswith(folder + "/")]
    return "\n".join(f"report: {folder}/{name}" for name in names)
