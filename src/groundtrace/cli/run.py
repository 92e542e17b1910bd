"""`groundtrace run`: every stage."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Unpack

from groundtrace.cli import from_options
from groundtrace.cli import normalize as normalize_command
from groundtrace.cli.answer import answer_data, check_names, print_answer
from groundtrace.cli.prepare import prepared_request, settings_of
from groundtrace.cli.terminal import (
    print_json,
    print_message,
    print_result,
    say_failures,
    say_left_out,
    say_summary,
)
from groundtrace.options import DryRun, Messages, Progress, RunOptions


class Run(RunOptions, Progress, Messages, total=False):
    """Flags of this command."""

    dry_run: DryRun


@from_options.command("run", takes_runs=True)
def command(runs: str, **given: Unpack[Run]) -> int:
    """Normalize, evaluate, analyse and report, in one command.

    \b
    Examples:
      groundtrace run runs/official --tasks benchmarks
      groundtrace run runs/official/my_run --tasks benchmarks --out results --format md
    """
    from groundtrace.runs.impact import widest_document
    from groundtrace.runs.prepare import formats_for, impact_options_for
    from groundtrace.runs.whole_run import run_stages

    if given["dry_run"]:
        return normalize_command.list_trials(runs, settings_of(given), given)
    with prepared_request("working", runs, given, reads_traces=True) as request:
        analysis = impact_options_for(given, request.settings)
        named = "baseline" in given or "against" in given
        check = partial(check_names, given) if named else None
        done, failed, written, summary = run_stages(request, analysis, formats_for(given), check)
        document = None if done.all_failed else widest_document(request)
    check_names(given, document)
    if given["json"]:
        data = normalize_command.as_data(done)
        print_json(data | {"reports": written.written, "failed": failed} | answer_data(document))
    else:
        say_left_out(done, given)
        said = normalize_command.normalized_text(done, everything=given["verbose"])
        print_message(said, quiet=given["quiet"])
        say_summary(summary, quiet=given["quiet"])
        print_answer(document)
        if written.written:
            print_result(closing_words(written.written))
    return say_failures(failed, quiet=given["quiet"], everything=given["verbose"])


def closing_words(reports: list[str]) -> str:
    """Where to look next: the last report covers the most."""
    folder = (
        str(Path(reports[-1]).parent)
        if "://" not in reports[-1]
        else reports[-1].rpartition("/")[0]
    )
    names = [report.rpartition("/")[2] for report in reports if report.startswith(folder + "/")]
    return "\n".join(f"report: {folder}/{name}" for name in names)
