"""What `-v` adds: the settings file, where results go, why folders and trials are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundtrace.base.visible import visible
from groundtrace.cli.options import OutputFlags
from groundtrace.cli.terminal import print_message

if TYPE_CHECKING:
    from groundtrace.runs.did import Normalized


def say_settings(output: OutputFlags) -> None:
    """Say which file the settings come from."""
    if not output.verbose:
        return
    from pathlib import Path

    from groundtrace.config import FILE_NAME, find_file

    path = output.config_file or find_file(Path.cwd())
    used = path if path is not None else f"defaults; no {FILE_NAME} in this folder or above"
    print_message(f"settings: {used}", quiet=output.quiet)


def say_left_out(done: Normalized, output: OutputFlags) -> None:
    """Say where each run's results are, and why each trial or folder that is left out is."""
    if not output.verbose:
        return
    from groundtrace.runs.read import read_outcomes

    for run in done.outputs:
        print_message(f"results: {run.folder.url}", quiet=output.quiet)
        outcomes = read_outcomes(run.folder).document
        if outcomes is None:
            continue
        lines = [
            f"{trial.state}: {trial.path}: {trial.state_reason}"
            for trial in outcomes.trials
            if trial.state != "selected"
        ]
        lines += [f"skipped: {one.path}: {one.reason}" for one in outcomes.skipped]
        lines += [f"problem: {kind}: {number}" for kind, number in outcomes.problems.items()]
        for line in lines:
            print_message(visible(line), quiet=output.quiet)
