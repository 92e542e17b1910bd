"""`groundtrace evaluate`: events documents to metrics and summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from groundtrace.base.visible import plural, visible
from groundtrace.cli import from_options
from groundtrace.cli.answer import answer_data
from groundtrace.cli.prepare import prepared_request
from groundtrace.cli.terminal import (
    SHOWN_FAILURES,
    print_json,
    print_message,
    print_result,
    say_failures,
    say_summary,
)
from groundtrace.options import Messages, Progress, Setup, Where, Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundtrace.runs.evaluated_trials import MadeRows
    from groundtrace.runs.request import Request
    from groundtrace.runs.tally import OlderDocument


class Documents(Work, Where, Setup, Progress, Messages, total=False):
    """Flags of commands that read documents and write others."""


@from_options.command("evaluate", takes_runs=True)
def command(runs: str, **given: Unpack[Documents]) -> int:
    """Compute metrics of events documents and summaries of runs.

    Reads only documents, of any version 1.x; does not need traces.

    \b
    Examples:
      groundtrace evaluate runs/official
      groundtrace evaluate runs/official/my_run --out results --json
    """
    from groundtrace.runs.evaluate import evaluate, summary_of
    from groundtrace.runs.output_folders import SUMMARY
    from groundtrace.runs.tally import Did

    with prepared_request("evaluating", runs, given) as request:
        did = Did()
        done = evaluate(request, did)
        answer = _answer(request, did.rows) if given["json"] else {}
        summaries = [f"{run.folder.url}/{SUMMARY}" for run in done.outputs]
        if not done.single:
            summaries.append(f"{request.output_folders.aggregate().url}/{SUMMARY}")
        summary = None if given["quiet"] or given["json"] else summary_of(request, done)
    if given["json"]:
        data = {
            "evaluated": done.evaluated,
            "unchanged": done.unchanged,
            "refused": done.refused,
            "older": done.older,
            "failed": done.failed,
        }
        print_json(data | {"summaries": summaries} | answer)
    else:
        refused = f", {len(done.refused)} refused" if done.refused else ""
        evaluated = plural(done.evaluated, "document")
        print_result(f"{evaluated} evaluated, {done.unchanged} unchanged{refused}")
        print_result(f"summary: {summaries[-1]}")
        say_summary(summary, quiet=given["quiet"])
    _say_older(done.older, quiet=given["quiet"], everything=given["verbose"])
    return say_failures(done.failed, quiet=given["quiet"], everything=given["verbose"])


def _say_older(older: Sequence[OlderDocument], *, quiet: bool, everything: bool) -> None:
    """Name the documents that another version made; this version may read the traces differently."""
    if not older:
        return
    versions = ", ".join(sorted({document.version for document in older}))
    number = plural(len(older), "events document")
    message = (
        f"{number} of groundtrace {versions} evaluated as they are; run 'groundtrace normalize'"
    )
    print_message(f"{message} to read the traces again", quiet=quiet)
    shown = len(older) if everything else SHOWN_FAILURES
    for document in older[:shown]:
        print_message(f"older: {visible(document.path)}", quiet=quiet)
    if len(older) > shown:
        print_message(f"older: and {len(older) - shown:,} more; -v lists all", quiet=quiet)


def _answer(request: Request, rows: MadeRows) -> dict[str, Any]:
    """The answer of an analysis that is not written; empty if there is nothing to read."""
    from groundtrace.errors import NothingFoundError
    from groundtrace.runs.impact import analysis_of_runs
    from groundtrace.runs.prepare import impact_options_for

    try:
        return answer_data(
            analysis_of_runs(request, impact_options_for({}, request.settings), rows)
        )
    except NothingFoundError:
        return answer_data(None)
