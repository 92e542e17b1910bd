"""The older layout of Terminal-Bench, from before Harbor.

    <run>/run_metadata.json                      agent and model
    <run>/<task>/<task>.1-of-1.<run>/
        results.json                             verdict (`is_resolved`), tokens, times
        sessions/, panes/                        recordings of the terminal
        agent-logs/                              what the agent itself wrote, often nothing

Its record of a trial is given the form of Harbor's `result.json`, so that one place reads both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from groundtrace.base.jsonio import BadJsonError, loads
from groundtrace.base.values import as_mapping
from groundtrace.model import Problem
from groundtrace.storage import EntryKind, Folder

RESULTS_FILE = "results.json"
RUN_FILE = "run_metadata.json"
LOGS, RECORDINGS = "agent-logs", ("sessions", "panes")
_NO_FAILURE = ("unset", "none", "", None)
MAX_RUN_FILE = 16 * 1024 * 1024


def as_result(value: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a trial in Harbor's form; empty if it is something else, such as a run's."""
    if "is_resolved" not in value or not isinstance(value.get("task_id"), str):
        return {}
    verdict = value["is_resolved"]
    failure = value.get("failure_mode")
    return {
        "id": value.get("id"),
        "task_name": value["task_id"],
        "trial_name": value.get("trial_name"),
        "verifier_result": {
            "rewards": {"reward": float(verdict) if isinstance(verdict, bool) else None}
        },
        "started_at": value.get("trial_started_at"),
        "finished_at": value.get("trial_ended_at"),
        "agent_execution": {
            "started_at": value.get("agent_started_at"),
            "finished_at": value.get("agent_ended_at"),
        },
        "exception_info": None if failure in _NO_FAILURE else {"type": failure},
    }


def missing_trace(folder: Folder, entries: Mapping[str, EntryKind]) -> Problem:
    """Says which trace a trial lacks, and what is there instead."""
    logged = [] if entries.get(LOGS) != "folder" else list(folder.folder(LOGS).entries())
    there = [f"{name}/" for name in RECORDINGS if entries.get(name) == "folder"]
    also = f"; {' and '.join(there)} only record the terminal" if there else ""
    if logged:
        reason = f"{LOGS}/ holds the agent's own files, which are not read as this trial's trace"
        return Problem(LOGS, "no_trace", f"{reason}: give that folder as RUNS{also}")
    is_there = "is empty" if LOGS in entries else "is not there"
    return Problem(LOGS, "no_trace", f"the agent's trace is missing: {LOGS}/ {is_there}{also}")


def run_metadata(parents: Sequence[Folder]) -> Mapping[str, Any]:
    """What the run's own record says; it lies one or two folders above a trial."""
    for folder in reversed(parents[-2:]):
        if folder.has_file(RUN_FILE):
            try:
                return as_mapping(loads(folder.read(RUN_FILE, MAX_RUN_FILE)))
            except (OSError, BadJsonError):
                return {}
    return {}
