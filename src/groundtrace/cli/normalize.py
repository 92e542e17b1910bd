"""`groundtrace normalize`: traces to events documents and outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from groundtrace.cli import options
from groundtrace.cli.request import request_from_flags, say_failures, settings_from_flags
from groundtrace.cli.terminal import print_json, print_message, print_result, table

if TYPE_CHECKING:
    from groundtrace.stages.normalize import Normalized


SHOWN_NOTES = 5
"""Problems of task definitions that are named; `--json` gives all."""


@click.command("normalize")
@options.runs_argument
@options.tasks_option
@options.registry_option
@options.normalize_options
@options.work_options
@options.dry_run_option
@options.output_options
def command(**flags: Any) -> int:
    """Turn every trial's trace into a retrieval-events document.

    RUNS is one run or a folder of runs. Writes `<config>/<task>.retrieval_events.json` and
    `outcomes.json` into the run's `retrieval_events` folder, and nothing anywhere else.

    \b
    Worked lines:
      groundtrace normalize runs/official --tasks benchmarks
      groundtrace normalize runs/official --tasks benchmarks --dry-run
      groundtrace normalize runs/official/my_run --tasks benchmarks --out results --only 'fix-*'
    """
    from groundtrace.stages.normalize import normalize

    if flags["dry_run"]:
        return dry_run(flags)
    with request_from_flags("normalizing", flags) as request:
        done = normalize(request)
    if flags["as_json"]:
        print_json(as_data(done))
    else:
        print_result(as_text(done))
    return say_failures(done.failed, flags["quiet"])


def as_data(done: Normalized) -> dict[str, Any]:
    """The result for machines."""
    return {
        "written": done.written,
        "unchanged": done.unchanged,
        "superseded": done.superseded,
        "skipped": done.skipped,
        "without_task": done.without_task,
        "left_behind": done.left_behind,
        "failed": done.failed,
        "task_problems": done.notes,
        "outputs": {output.run_id: output.folder.url for output in done.outputs},
    }


def as_text(done: Normalized) -> str:
    """The result for people: one line, and what deserves a second look."""
    lines = [
        f"{done.written} documents written, {done.unchanged} unchanged, "
        f"{done.superseded} trials superseded, {done.skipped} folders passed over"
    ]
    if done.without_task:
        lines.append(
            f"{done.without_task} trials have no task definition: no ground truth for them"
        )
    if done.left_behind:
        lines.append(f"{done.left_behind} documents have no trial any more; --prune removes them")
    lines += [f"task definitions: {note}" for note in done.notes[:SHOWN_NOTES]]
    if len(done.notes) > SHOWN_NOTES:
        lines.append(f"task definitions: and {len(done.notes) - SHOWN_NOTES} more problems")
    return "\n".join(lines)


def dry_run(flags: dict[str, Any]) -> int:
    """List what would be done, and write nothing."""
    from groundtrace.discover import survey
    from groundtrace.errors import NothingFoundError
    from groundtrace.storage import open_folder
    from groundtrace.truth.tasks import build_index

    settings = settings_from_flags(flags)
    tasks = build_index(open_folder(flags["tasks"])) if flags["tasks"] else None
    rows = list(
        survey(open_folder(flags["runs"]), settings=settings, tasks=tasks, only=flags["only"])
    )
    if flags["as_json"]:
        print_json([dict(zip(row.__slots__, _values(row), strict=True)) for row in rows])
    else:
        headings = ["state", "run", "config", "task", "task found", "trial", "files", "why"]
        cells = (
            [
                row.state,
                row.run_id or "-",
                row.config_name or "-",
                row.task_name or row.path,
                {True: "yes", False: "no", None: "-"}[row.has_task],
                row.trial_name or "-",
                " ".join(name.rpartition("/")[2] for name in row.files) or "-",
                row.reason or "",
            ]
            for row in rows
        )
        print_result(table(headings, cells))
    found = sum(row.state in {"selected", "superseded"} for row in rows)
    print_message(f"{found} trials; nothing was written", quiet=flags["quiet"] or flags["as_json"])
    if not found:
        raise NothingFoundError(f"{flags['runs']}: no trials found")
    return 0


def _values(row: Any) -> list[Any]:
    return [getattr(row, name) for name in row.__slots__]
