"""The records that a harness leaves in a trial folder; nothing in them is trusted.

`result.json`, `config.json` and `task_metrics.json` exist on two or three levels of a run under
the same names. Their content shows the level: a trial's records name its task or the trial itself,
a job's records hold statistics or a list of tasks.

The older layout of Terminal-Bench, from before Harbor:

    <run>/run_metadata.json                      agent and model
    <run>/<task>/<task>.1-of-1.<run>/
        results.json                             verdict (`is_resolved`), tokens, times
        sessions/, panes/                        recordings of the terminal
        agent-logs/                              what the agent itself wrote, often nothing

Its record of a trial is given the form of Harbor's `result.json`, so that one place reads both.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from msgspec import field
from msgspec.structs import replace

from groundtrace.base.entry_points import entry_points
from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import BadJsonError, HeavyJsonError, clean_text, loads
from groundtrace.base.limit import OverLimitError, guarded_if_large
from groundtrace.base.values import as_mapping, known
from groundtrace.model import READER_ENTRY_POINTS, Problem
from groundtrace.storage import EntryKind, Folder, TooLargeError
from groundtrace.storage.watch import watched

RESULT_FILE = "result.json"
CONFIG_FILE = "config.json"
TASK_METRICS_FILE = "task_metrics.json"
_RECORDS = frozenset({RESULT_FILE, CONFIG_FILE, TASK_METRICS_FILE})

AGENT = "agent"
"""Folder of a trial in which harnesses write their logs."""

MAX_NAME = 4096
"""A longer text is not a name."""

Level = Literal["trial", "job", "none"]


class Records(Frozen, frozen=True):
    """What could be read from the files of one folder."""

    level: Level
    result: Mapping[str, Any]
    """result.json of a trial; empty when it is missing, broken or from another level."""
    config: Mapping[str, Any]
    """config.json of a trial, else its copy inside result.json."""
    metrics: Mapping[str, Any]
    files: tuple[str, ...]
    problems: tuple[Problem, ...]
    marks: Mapping[str, str] = field(default_factory=dict)
    """Path of each record that was read, with its mark just before it was read."""
    result_file: str = RESULT_FILE
    """The file that `result` was read from."""
    run: Mapping[str, Any] = field(default_factory=dict)
    """run_metadata.json of Terminal-Bench, above a trial of its older layout."""
    job: Mapping[str, Any] = field(default_factory=dict)
    """config.json of Harbor's job, above a trial that is labelled with no configuration."""

    def text(self, record: str, *keys: str) -> str | None:
        """A name at a place in a record (`result`, `config`, `metrics`); None if there is none."""
        return as_name(dig(getattr(self, record), *keys))


def is_record(name: str) -> bool:
    """Whether a file is a record by its name."""
    return name in _RECORDS


def dig(value: Any, *keys: str) -> Any:
    """The value at the end of a path of keys, or None."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def as_name(value: Any) -> str | None:
    """A usable name: a text that is not blank, not far too long and not a placeholder."""
    return known(clean_text(value)) if isinstance(value, str) and len(value) <= MAX_NAME else None


def kinds_of(folder: Folder) -> dict[str, EntryKind]:
    """Names and kinds of what a folder holds; no more than that, as there may be very many."""
    return dict(folder.kinds())


def read_records(folder: Folder, entries: Mapping[str, EntryKind]) -> Records:
    """The records of a folder, and its level in the run; `entries` is the folder's listing."""
    with watched() as watch:
        try:
            records = _read_records(folder, entries)
        except OverLimitError as error:
            problem = Problem(RESULT_FILE, "too_large", str(error))
            records = Records("none", {}, {}, {}, (), (problem,))
    return replace(records, marks=watch.files) if records.level == "trial" else records


def _read_records(folder: Folder, entries: Mapping[str, EntryKind]) -> Records:
    problems: list[Problem] = []
    result = _object(folder, RESULT_FILE, entries, problems)
    config = _object(folder, CONFIG_FILE, entries, problems)
    older = _older(folder, entries)
    result = result or older
    if _is_job(result, config):
        return Records("job", {}, {}, {}, (), ())
    agent_files = _agent_files(folder, entries, problems)
    metrics = _object(folder, TASK_METRICS_FILE, entries, problems)
    is_trial = (
        _names_trial(result)
        or as_name(dig(config, "trial_name")) is not None
        or _holds_trace(folder, entries, agent_files)
        or _is_measured_trial(folder, entries, metrics)
    )
    if not is_trial:
        return Records("none", {}, {}, {}, (), tuple(problems))
    if older:
        problems.append(missing_trace(folder, entries))
    elif RESULT_FILE not in entries:
        problems.append(
            Problem(RESULT_FILE, "no_result", "missing; the trial has no recorded outcome")
        )
    elif result and not _names_trial(result):
        reason = "names neither a task nor a trial; the names come from the other records"
        problems.append(Problem(RESULT_FILE, "result_without_names", reason))
    inner = result.get("config")
    top = (name for name, kind in entries.items() if kind == "file")
    return Records(
        "trial",
        result,
        config or (inner if isinstance(inner, dict) else {}),
        metrics,
        tuple(sys.intern(name) for name in (*sorted(top), *sorted(agent_files))),
        tuple(problems),
        result_file=RESULTS_FILE if older else RESULT_FILE,
    )


def _older(folder: Folder, entries: Mapping[str, EntryKind]) -> Mapping[str, Any]:
    """The record of a trial of Terminal-Bench before Harbor; a job has a file of that name too."""
    if RESULT_FILE in entries or entries.get(RESULTS_FILE) != "file":
        return {}
    return as_result(_object(folder, RESULTS_FILE, entries, []))


def with_run(records: Records, parents: Sequence[Folder]) -> Records:
    """The records of a trial, with what its run says about all trials."""
    if records.result_file == RESULTS_FILE:
        return replace(records, run=run_metadata(parents))
    is_labelled = dig(records.config, "environment", "kwargs", "label_config") is not None
    if records.level != "trial" or is_labelled or not parents or "agent" not in records.config:
        return records
    return replace(records, job=_job_config(parents[-1]))


def _job_config(folder: Folder) -> Mapping[str, Any]:
    """What a job's own record says; empty if there is none."""
    if not folder.has_file(CONFIG_FILE):
        return {}
    try:
        config = as_mapping(loads(folder.read(CONFIG_FILE, MAX_RUN_FILE)))
    except (OSError, BadJsonError, OverLimitError):
        return {}
    return config if _is_job({}, config) else {}


def _names_trial(result: Mapping[str, Any]) -> bool:
    return any(as_name(result.get(key)) is not None for key in ("task_name", "trial_name"))


def _is_measured_trial(
    folder: Folder, entries: Mapping[str, EntryKind], metrics: Mapping[str, Any]
) -> bool:
    """Whether task_metrics.json is all that is left of a trial.

    It names a task, and no folder below has records. If one has, promotion left this copy above the
    trial.
    """
    if as_name(metrics.get("task_id")) is None:
        return False
    below = (folder.folder(name) for name, kind in entries.items() if kind == "folder")
    return not any(entry.name in _RECORDS for child in below for entry in child.entries())


def _is_job(result: Mapping[str, Any], config: Mapping[str, Any]) -> bool:
    """Whether the records are a job's: statistics over trials, or a list of tasks to run."""
    if _names_trial(result) or "trial_name" in config:
        return False
    return "n_total_trials" in result or "stats" in result or "job_name" in config


def _agent_files(
    folder: Folder, entries: Mapping[str, EntryKind], problems: list[Problem]
) -> list[str]:
    """Files in the harness's folder, and folders in it that hold traces (these end in a slash)."""
    found = []
    if entries.get(AGENT) == "folder":
        for entry in folder.folder(AGENT).entries():
            name = clean_text(entry.name)
            if entry.kind == "unlisted":
                reason = f"the folder cannot be listed ({entry.stamp}); its traces are not read"
                problems.append(Problem(AGENT, "unlisted_folder", reason))
            elif entry.kind == "file":
                found.append(f"{AGENT}/{name}")
            elif entry.kind == "folder" and _is_trace_folder(name, AGENT):
                found.append(f"{AGENT}/{name}/")
    return found


def _holds_trace(
    folder: Folder, entries: Mapping[str, EntryKind], agent_files: Iterable[str]
) -> bool:
    """Whether a folder without the records of a trial holds files that a reader may read.

    Readers are imported only when there are files to ask about. Most folders without records only
    group other folders, and a run without changes should import no stage that works on traces.
    """
    if any(name.endswith("/") or _is_trace(name, AGENT) for name in agent_files):
        return True
    files = (name for name, kind in entries.items() if kind == "file" and name not in _RECORDS)
    if any(_is_trace(name) for name in files):
        return True
    return _has_other_readers() and any(
        _holds_trace_below(folder, name)
        for name, kind in entries.items()
        if kind == "folder" and name != AGENT
    )


def _holds_trace_below(folder: Folder, parent: str) -> bool:
    """Whether another folder than `agent/` holds a trace: readers of plug-ins may look there."""
    from groundtrace.traces import trial_files

    return trial_files().is_parent(parent) and any(
        _is_trace(entry.name, parent)
        if entry.kind == "file"
        else entry.kind == "folder" and _is_trace_folder(entry.name, parent)
        for entry in folder.folder(parent).entries()
    )


def _is_trace(path: str, parent: str = "") -> bool:
    from groundtrace.traces import trial_files

    return trial_files().is_file(path.removeprefix(f"{parent}/"), parent)


def _is_trace_folder(name: str, parent: str) -> bool:
    from groundtrace.traces import trial_files

    return trial_files().is_folder(name, parent)


@cache
def _has_other_readers() -> bool:
    return bool(entry_points(group=READER_ENTRY_POINTS))


def _object(
    folder: Folder, name: str, entries: Mapping[str, EntryKind], problems: list[Problem]
) -> Mapping[str, Any]:
    """A JSON object; if it cannot be read, an empty one, and a problem says why."""
    kind = entries.get(name)
    if kind is None:
        return {}
    if kind != "file":
        what = "a link that leaves the runs folder" if kind == "escape" else "not a regular file"
        problems.append(Problem(name, "not_a_file", f"{what}; not read"))
        return {}
    try:
        data = folder.read(name)
    except TooLargeError as error:
        problems.append(Problem(name, "too_large", f"too large to be a record: {error}"))
        return {}
    except OSError as error:
        problems.append(Problem(name, "unreadable", f"cannot be read: {error}"))
        return {}
    with guarded_if_large(len(data)):
        return _parse(name, data, problems)


def what_git_left(data: bytes) -> str | None:
    """That a file only stands for one that Git LFS did not fetch, and what to do about it."""
    from groundtrace.traces.kit.choose import POINTER, is_pointer

    return POINTER if is_pointer(data) else None


def _parse(name: str, data: bytes, problems: list[Problem]) -> Mapping[str, Any]:
    try:
        data.decode("utf-8", errors="surrogatepass")
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 at byte {error.start}; read as far as possible"
        problems.append(Problem(name, "not_utf8", reason))
    try:
        value = loads(data)
    except HeavyJsonError as error:
        problems.append(Problem(name, "too_large", str(error)))
        return {}
    except BadJsonError as error:
        reason = "empty" if not data.strip() else f"not JSON: {error}"
        reason = what_git_left(data) or reason
        problems.append(Problem(name, "broken_json", reason, line=error.line))
        return {}
    if not isinstance(value, dict):
        kind = type(value).__name__
        problems.append(
            Problem(name, "not_an_object", f"holds a {kind} where an object is expected")
        )
        return {}
    return value


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
