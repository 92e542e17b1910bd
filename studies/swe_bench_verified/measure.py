"""From DATA to one row per trial: groundtrace evaluates all trials, with and without the shell."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import groundtrace
from groundtrace.errors import InputError
from studies.swe_bench_verified.csv_tables import Row, Table

TASKS = "verified.jsonl"
READER = Path(__file__).with_name("vorflux.toml")
LAYOUTS = ("{config}/trajs/{task}", "{config}/trajs/{task}/{trial}")
"""Where trials lie in DATA, for `--layout`."""

METRICS = {
    "file_recall": "files_met",
    "shown.file_recall": "files_shown",
    "util_read_overlap_with_relevant_files": "files_read",
    "patch_recall": "files_edited",
    "patch_precision": "edits_needed",
    "shown.context_efficiency": "shown_files_needed",
    "relevant_chars_share": "shown_chars_needed",
    "functions_relevant": "functions_needed",
    "functions_shown": "functions_looked_at",
    "function_recall": "functions_shown",
    "function_edit_recall": "functions_edited",
}
"""Metrics of groundtrace, and their columns in trials.csv."""

_ANSWER = ("question", "metric", "baseline", "config", "delta", "ci_low", "ci_high", "verdict")
_TASKS = ("better", "same", "worse", "n")


def evaluate(
    data: Path, work: Path, *, jobs: int = 1, only: str | None = None, reader: Sequence[str] = ()
) -> groundtrace.RunResult:
    """groundtrace over all trials: everything into `work/run`, without the shell `work/no_shell`."""
    if not (data / TASKS).exists():
        raise InputError(f"{data}: no {TASKS} in it; the README says how to get the data")
    agents = sorted(path.parent.name for path in data.glob("*/trajs"))
    if not agents:
        raise InputError(
            f"{data}: no folder AGENT/trajs in it; the README says how to get the data"
        )
    shared: dict[str, Any] = {
        "tasks": [str(data / TASKS)],
        "reader": [str(READER), *reader],
        "layout": list(LAYOUTS),
        "baseline": agents[0],
        "allow_unknown_version": True,
        "jobs": jobs,
        **({} if only is None else {"only": only}),
    }
    repos = [str(data / "repos")] if (data / "repos").exists() else []
    groundtrace.run(data, **shared, shell="ignore", format="md", out=work / "no_shell")
    return groundtrace.run(data, **shared, repos=repos, out=work / "run")


def trials(data: Path, work: Path) -> Table:
    """One row per trial, by agent and task."""
    tasks = {
        task["instance_id"]: task for task in map(json.loads, (data / TASKS).open(encoding="utf-8"))
    }
    no_shell = {_key(row): row for row in groundtrace.load_trials(data, out=work / "no_shell")}
    edited_from = {
        _key(row): row for row in groundtrace.load_table("funnel", data, out=work / "run")
    }
    unknown = {
        _key(row): row
        for row in groundtrace.load_table("metrics", data, out=work / "run")
        if row["metric"] == "function_recall"
    }
    return [
        _trial(row, tasks.get(row["task_name"], {}))
        | {
            "files_shown_without_shell": no_shell.get(_key(row), {}).get("shown.file_recall"),
            "edited_from": edited_from.get(_key(row), {}).get("edited_from"),
            "functions_unknown": unknown.get(_key(row), {}).get("undefined"),
        }
        for row in sorted(groundtrace.load_trials(data, out=work / "run"), key=_key)
    ]


def _key(row: Row) -> tuple[str, str, str]:
    return str(row["config_name"]), str(row["task_name"]), str(row["trial_name"])


def _trial(row: Row, task: Row) -> Row:
    return {
        "agent": row["config_name"],
        "task": row["task_name"],
        "trial": row["trial_name"],
        "repo": row["repo"],
        "difficulty": task.get("difficulty"),
        "relevant_files": row["ground_truth_files"],
        "solved": row["reward"],
        "cost_usd": row["cost_usd"],
        "calls": row["total_events"],
        "reason": row["reason"],
        **{column: row[metric] for metric, column in METRICS.items()},
    }


def report(done: groundtrace.RunResult) -> str:
    """groundtrace's report of the run, without the time of day and the name of the folder."""
    written = next(Path(path) for path in done.reports if str(path).endswith(".md"))
    text = written.read_text(encoding="utf-8")
    text = re.sub(r"\A# .*", "# Retrieval report: SWE-bench Verified", text)
    return re.sub(r" Made from documents of [^ ]*Z\.", "", text)


def answer(done: groundtrace.RunResult) -> tuple[Table, Sequence[str]]:
    """The rows of groundtrace's paired answers, and what it says in words."""
    if done.impact is None:
        raise InputError("groundtrace has no answer: no trial could be evaluated")
    table = [
        {
            "baseline_agent": found.baseline,
            "agent": found.config,
            **{name: getattr(row, name) for name in (*_ANSWER, *_TASKS)},
        }
        for found in done.impact.document.answers or [done.impact.document.answer]
        for row in found.rows
    ]
    first = done.impact.document.answer
    return table, [first.headline, *(f"Look at: {item.text}." for item in first.look_at)]
