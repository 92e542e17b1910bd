"""Which task, configuration and model a trial has, by evidence in a fixed order (D31).

`EVIDENCE` is that order: for each field, the places that may state it, best first. The first place
with a usable value wins, and `Trial.evidence` says which place it was. If two records state
different configurations, that is a problem and not a silent choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from groundtrace.base.frozen import Frozen
from groundtrace.base.values import as_mapping, model_name
from groundtrace.discover.names import (
    Located,
    expand_flat,
    forms,
    is_config,
    is_filler,
    locate,
    own_name,
    stem,
    suite_in,
    unwrapped,
    with_masked_labels,
    without_mode,
    without_prefix,
    without_tail,
)
from groundtrace.discover.records import (
    CONFIG_FILE,
    RESULT_FILE,
    RUN_FILE,
    TASK_METRICS_FILE,
    Records,
    as_name,
)
from groundtrace.model import Problem, Task, Trial
from groundtrace.storage import Folder

if TYPE_CHECKING:
    from groundtrace.truth.tasks import TaskIndex

UNKNOWN_CONFIG = "unknown"
NO_TASK = "no task definition was found for this trial"


class Statement(Frozen, frozen=True):
    """One place where a record may state a field of the identity."""

    label: str
    read: Callable[[Records], str | None]


def _at(file: str, *keys: str) -> Statement:
    record = {RESULT_FILE: "result", CONFIG_FILE: "config", TASK_METRICS_FILE: "metrics"}[file]
    return Statement(f"{file} {'.'.join(keys)}", lambda records: records.text(record, *keys))


def _folder_of(file: str, *keys: str, level: int = -1) -> Statement:
    """The last folder (`level` -1) of a path in a record, or the one above it (-2)."""
    source = _at(file, *keys)

    def read(records: Records) -> str | None:
        path = source.read(records)
        parts = [part for part in re.split(r"[/\\]+", path or "") if part not in {"", ".", ".."}]
        return as_name(parts[level]) if len(parts) >= -level else None

    return Statement(f"{source.label}, folder {'' if level == -1 else 'above '}named there", read)


def _suite_of(file: str, *keys: str) -> Statement:
    """The suite in a task's path. The path of a wrapped task is in `/tmp` and has no suite."""
    source = _folder_of(file, *keys, level=-2)
    parent = _folder_of(file, *keys, level=-3)

    def read(records: Records) -> str | None:
        name = source.read(records)
        is_suite = name is not None and re.match(r"(?:csb|ccb|eb)_", name)
        return name if is_suite or parent.read(records) == "benchmarks" else None

    return Statement(source.label, read)


def _config_of_trials_dir(records: Records) -> str | None:
    path = records.text("config", "trials_dir") or records.text("result", "trial_uri")
    if path is None:
        return None
    parts = [part for part in re.split(r"[/\\]+", path) if part]
    if records.text("config", "trials_dir"):
        parts.append("trial")
    place = locate(parts, (), ())
    return place.config if place.strong else None


def _harness_class(records: Records) -> str | None:
    """The harness by the class that was run. The class is called `baseline` in MCP runs too, so it
    says nothing about the configuration."""
    path = records.text("config", "agent", "import_path")
    if path is None:
        return None
    from groundtrace.traces import harness_in

    return harness_in(path)


def _agent_and_model(records: Records) -> str | None:
    """The configuration of Terminal-Bench's trials: its runs are named by their times."""
    agent = records.text("run", "agent_name")
    model = model_name(records.text("run", "model_name"))
    return "-".join(name for name in (agent, model) if name) or None


def agent_of(records: Records) -> str | None:
    """Agent and model of a trial's records, where nothing else tells configurations apart."""
    agent = first("harness", records)[0] or _class_of(records)
    model = model_name(first("model", records)[0])
    name = "-".join(part for part in (agent, model) if part)
    return name or None


def _class_of(records: Records) -> str | None:
    path = records.text("config", "agent", "import_path")
    return None if path is None else as_name(path.rpartition(":")[2])


def _agent_among(records: Records) -> str | None:
    """The agent of a trial whose job ran several agents; agents of one name and model are numbered.
    The folders above are those of the job, so its agents were averaged as attempts (D392)."""
    name = agent_of(records)
    listed = records.job.get("agents")
    agents = [as_mapping(agent) for agent in listed] if isinstance(listed, list) else []
    if name is None or len(agents) < 2:
        return None
    own = as_mapping(records.config.get("agent"))
    alike = [agent for agent in agents if all(agent.get(k) == own.get(k) for k in _AGENT)]
    number = next((n for n, agent in enumerate(alike, 1) if agent == own), None)
    return name if len(alike) < 2 or number is None else f"{name}-{number}"


_AGENT = ("name", "import_path", "model_name")

_KWARGS = ("environment", "kwargs")

EVIDENCE: Mapping[str, tuple[Statement, ...]] = {
    "task_name": (
        _at(CONFIG_FILE, *_KWARGS, "label_task_id"),
        _folder_of(CONFIG_FILE, *_KWARGS, "task_source_dir"),
        _at(RESULT_FILE, "task_name"),
        _folder_of(RESULT_FILE, "task_id", "path"),
        _folder_of(CONFIG_FILE, "task", "path"),
        _at(TASK_METRICS_FILE, "task_id"),
    ),
    "config_name": (
        # The label is set when a trial starts, and task_metrics.json is written from it. Promotion
        # can rename folders: one called `mcp` held `mcp-remote-artifact`.
        _at(CONFIG_FILE, *_KWARGS, "label_config"),
        _at(TASK_METRICS_FILE, "config_name"),
        Statement("config.json trials_dir", _config_of_trials_dir),
        Statement(f"{RUN_FILE} agent_name, model_name", _agent_and_model),
    ),
    "benchmark": (
        _at(CONFIG_FILE, *_KWARGS, "label_benchmark"),
        _at(TASK_METRICS_FILE, "benchmark"),
        _suite_of(CONFIG_FILE, *_KWARGS, "task_source_dir"),
        _suite_of(RESULT_FILE, "task_id", "path"),
        _suite_of(CONFIG_FILE, "task", "path"),
        Statement(f"{RUN_FILE} dataset_name", lambda r: r.text("run", "dataset_name")),
    ),
    "trial_name": (_at(RESULT_FILE, "trial_name"), _at(CONFIG_FILE, "trial_name")),
    "model": (
        _at(RESULT_FILE, "agent_info", "model_info", "name"),
        _at(CONFIG_FILE, "agent", "model_name"),
        Statement(f"{RUN_FILE} model_name", lambda r: r.text("run", "model_name")),
    ),
    "harness": (
        _at(RESULT_FILE, "agent_info", "name"),
        _at(CONFIG_FILE, "agent", "name"),
        Statement("config.json agent.import_path", _harness_class),
        Statement(f"{RUN_FILE} agent_name", lambda r: r.text("run", "agent_name")),
    ),
    "harness_version": (_at(RESULT_FILE, "agent_info", "version"),),
}
"""Places for each field in the records, best first. If none has a value, these follow:

- task: a task or job folder above the trial, then the start of the trial's name if it is not cut
- suite: the task's own folder, then the folders above
- configuration: the folders above, with the agent if the job ran several; agent and model
- model and harness: the trace
"""


def first(name: str, records: Records) -> tuple[str | None, str]:
    """The best evidence for a field: its value and its place."""
    return next(stated(name, records), (None, ""))


def stated(name: str, records: Records) -> Iterator[tuple[str, str]]:
    """Everything that the records state about a field, best place first."""
    for source in EVIDENCE[name]:
        value = source.read(records)
        if value is not None:
            yield value, source.label.replace(RESULT_FILE, records.result_file)


def located(parts: Sequence[str], records: Records) -> Located:
    """Which run and configuration the folders give a trial, with the help of its records."""
    configs = [value for value, _ in stated("config_name", records)]
    return locate(parts, configs, record_tasks(records))


def record_tasks(records: Records) -> list[str]:
    """Task names in the records, with and without wrappers."""
    names = [value for value, _ in stated("task_name", records)]
    return list(dict.fromkeys([*names, *(unwrapped(name) for name in names)]))


def identify(
    folder: Folder,
    records: Records,
    *,
    run_id: str,
    path: str,
    above: Sequence[str],
    parts: Sequence[str],
    tasks: TaskIndex | None,
) -> tuple[Trial, list[Problem]]:
    """The trial in a folder, without its outcome: names from the records first, then from the
    folders.

    `above` are the folders down to the run, `parts` those below it; the last one is the trial.
    """
    problems: list[Problem] = []
    evidence = {"run_id": "folder name"}
    flat = [*parts[:-1], *expand_flat(parts[-1])]
    place = located(flat, records)
    trial_name, evidence["trial_name"] = first("trial_name", records)
    if trial_name is None:
        trial_name, evidence["trial_name"] = own_name(flat), "folder name"
    config, evidence["config_name"] = _config(above, records, place, problems)
    suite, evidence["benchmark"] = first("benchmark", records)
    task, task_name, evidence["task_name"] = _task(flat, records, tasks, suite, problems)
    if suite is None and task is not None and task.benchmark:
        suite, evidence["benchmark"] = task.benchmark, "folder of the task's suite"
    if suite is None:
        suite = suite_in([*above, *flat[:-1]])
        evidence["benchmark"] = "folder name" if suite is not None else "nothing says"
    model, evidence["model"] = first("model", records)
    harness, evidence["harness"] = first("harness", records)
    version, evidence["harness_version"] = first("harness_version", records)
    if place.batch is not None:
        evidence["batch_timestamp"] = "folder name"
    trial = Trial(
        run_id,
        config,
        task_name,
        trial_name,
        folder=folder,
        path=path,
        benchmark=suite,
        batch_timestamp=place.batch,
        model=model_name(model),
        harness=harness,
        harness_version=version,
        task=task,
        files=records.files,
        records=records.marks,
        evidence={name: where for name, where in evidence.items() if where},
    )
    return with_masked_labels(trial), problems


def _config(
    above: Sequence[str], records: Records, place: Located, problems: list[Problem]
) -> tuple[str, str]:
    said = list(stated("config_name", records))
    labels = {value.casefold() for value, where in said if "trials_dir" not in where}
    if len(labels) > 1:
        listed = ", ".join(f"{value!r} ({where})" for value, where in said)
        reason = f"records disagree about the configuration: {listed}; the first is used"
        problems.append(Problem(CONFIG_FILE, "config_disagrees", reason))
    if said:
        return said[0]
    agent = _agent_among(records)
    if place.config is not None and agent is not None:
        return f"{place.config}-{agent}", "folder name, and one of the job's agents"
    if place.config is not None:
        return place.config, "folder name"
    if above and is_config(above[-1]):
        # RUNS is the folder of one configuration.
        return above[-1], "name of the run's folder"
    agent = agent or agent_of(records)
    if agent is not None:
        return agent, "agent and model of the records"
    problems.append(
        Problem(CONFIG_FILE, "config_unknown", "nothing says which configuration this is")
    )
    return UNKNOWN_CONFIG, "nothing says"


def _task(
    parts: Sequence[str],
    records: Records,
    tasks: TaskIndex | None,
    suite: str | None,
    problems: list[Problem],
) -> tuple[Task | None, str, str]:
    """The task that a trial belongs to, its name, and where the name comes from."""
    said = list(stated("task_name", records))
    hints = said or _folders_as_tasks(parts)
    known = tasks if tasks is not None and len(tasks) else None
    if known is not None:
        task, where = _known_task([*hints, *(() if said else _job_names(parts))], known, suite)
        if task is None and not said and not where and known.for_nameless is not None:
            task, where = known.for_nameless, "no record names a task; --tasks names one commit"
        if task is not None:
            return task, task.name, where
        problems.append(
            Problem(RESULT_FILE, "ambiguous_task" if where else "no_task", where or NO_TASK)
        )
    if said:
        name, where = said[0]
        return None, name if known is not None else unwrapped(name), where
    reason = "no record names the task; its name comes from the folders and may be cut off"
    problems.append(Problem(RESULT_FILE, "task_from_folder", reason))
    name, where = hints[0] if hints else (parts[-1].rpartition("__")[0] or parts[-1], "folder name")
    return None, name if known is not None else unwrapped(name), where


def _known_task(
    hints: Sequence[tuple[str, str]], known: TaskIndex, suite: str | None
) -> tuple[Task | None, str]:
    """The first hint that is a known task, with its source; else why none can be chosen."""
    doubt = ""
    for name, where in hints:
        for form in forms(name):
            task = known.find(form, suite)
            if task is not None:
                return task, where
            if not doubt and (several := known.candidates(form)):
                where_from = ", ".join(sorted(task.benchmark for task in several))
                doubt = (
                    f"{len(several)} tasks are named {form!r} ({where_from}) and the trial's "
                    "benchmark does not say which"
                )
    return None, doubt


def _folders_as_tasks(parts: Sequence[str]) -> list[tuple[str, str]]:
    """The task's whole name according to the folders, for a trial whose records have none."""
    above = [name for name in parts[:-1] if not is_filler(name)]
    if is_filler(parts[-1]):
        return [(without_tail(above[-1]), "folder above the trial")] if above else []
    front = stem(without_mode(parts[-1]), parts[-2] if len(parts) > 1 else None)
    if front is not None:
        return [(front, "front of the trial's name")]
    # A task's folder has the whole name; the trial's folder has only the start of it.
    cut = _cut_front(parts[-1])
    whole = (name for name in reversed(above) if cut and name.casefold().startswith(cut))
    return [(without_tail(name), "folder above the trial") for name in whole]


def _cut_front(trial_name: str) -> str:
    return trial_name.rpartition("__")[0].rstrip("_").casefold()


def _job_names(parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Parts of a job's name that may be the task: they begin like the trial's name."""
    front = without_prefix(_cut_front(parts[-1]))
    for folder in reversed(parts[:-1]):
        start = folder.casefold().find(front) if front else -1
        rest = folder[start:] if start >= 0 else ""
        while rest:
            yield rest, "job folder above the trial"
            rest = rest.rpartition("_")[0] if len(rest) > len(front) else ""
