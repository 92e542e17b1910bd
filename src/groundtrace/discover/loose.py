"""Trials without records: traces in a folder, one trace file, or a manifest.

The start of every file is read, and a reader says whether the file is a trace and how many samples
it holds; each sample is a trial. All trials are found before any is named, because only all of
them together show which folders tell configurations apart.

The names of a trial, in the order of the evidence (D57):

| field | the first of these that gives a value |
|---|---|
| task | the manifest; the trace; a folder or file name that is a task's; the one commit that `--tasks` names; the file's name |
| configuration | the manifest; `--config-name`; the first level below RUNS with several folders, unless they are dates or most are named after tasks; the model; `default` |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from groundtrace.base.jsonio import clean_text
from groundtrace.base.patterns import regex
from groundtrace.base.values import model_name
from groundtrace.config import Settings
from groundtrace.discover.found import Found, FoundProblem, Skipped, matches
from groundtrace.discover.identity import NO_TASK
from groundtrace.discover.loose_items import (
    LooseItem,
    LooseRun,
    Named,
    loose_items,
    places_around,
    stem_of,
)
from groundtrace.discover.manifest import ManifestRow
from groundtrace.discover.names import forms
from groundtrace.discover.trial import key_of_place
from groundtrace.discover.verdicts import MadeBy, OutcomeBeside, Verdicts
from groundtrace.model import LooseTrace, Outcome, Problem, Stated, Task, Trial
from groundtrace.storage import DAY_FOLDERS, Folder

if TYPE_CHECKING:
    from groundtrace.truth.tasks import TaskIndex

DEFAULT_CONFIG = "default"

_REPEAT = regex(r"(?P<task>.+?)(?:_\d{1,3}|[-_.](?:run|rep|attempt|trial|try|sample)[-_]?\d{1,4})")


def task_forms(name: str) -> Iterator[str]:
    """The name, then the name without wrappers and without the number of a repetition."""
    yield from forms(name)
    found = _REPEAT.fullmatch(name)
    while found is not None:
        yield found["task"]
        found = _REPEAT.fullmatch(found["task"])


def known_task(name: str, tasks: TaskIndex | None) -> Task | None:
    """The definition of the task that one of the forms of a name names."""
    if tasks is None:
        return None
    found = (tasks.find(form) for form in task_forms(name))
    return next((task for task in found if task is not None), None)


def name_task(
    stated: Sequence[tuple[str | None, str]], parts: Sequence[str], tasks: TaskIndex | None
) -> Named:
    """The task of a trace. `stated`: names with their places, best first. `parts`: its path."""
    for name, where in stated:
        if name is not None:
            task = known_task(name, tasks)
            return Named(task.name if task is not None else name, task, where)
    for index, part in enumerate(reversed(parts)):
        task = known_task(stem_of(part) if index == 0 else part, tasks)
        if task is not None:
            return Named(task.name, task, "name of the file" if index == 0 else "name of a folder")
    only = None if tasks is None else tasks.for_nameless
    if only is not None:
        return Named(only.name, only, "nothing names a task; --tasks names one commit")
    return Named(stem_of(parts[-1]), None, "name of the file, which is no known task")


_DATE = regex(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_DAY_FOLDERS = regex(DAY_FOLDERS)


def _is_of_date(parts: Sequence[str], level: int) -> bool:
    """Whether a folder is a year, a month or a day: of the date in the file's name, or one of three
    such folders below each other."""
    found = _DATE.search(parts[-1])
    if found is not None and parts[level] in (found[0], *found.groups()):
        return True
    return any(
        _DAY_FOLDERS.fullmatch("/".join(parts[first : first + 3]))
        for first in range(max(0, level - 2), level + 1)
        if first + 3 < len(parts)
    )


def config_level(paths: Iterable[Sequence[str]], is_task: Iterable[set[str]]) -> int | None:
    """The level of folders, from 0, that tells configurations apart; None if no level does.

    `paths` are the paths of all traces below RUNS. `is_task` holds, for each path, the names of its
    task in lower case. Levels with a single folder are skipped, and levels of dates (D145).
    """
    items = list(zip(paths, is_task, strict=True))
    level = 0
    while True:
        folders: dict[str, bool] = {}
        are_dates = True
        for parts, names in items:
            if len(parts) > level + 1:
                part = parts[level]
                named = any(form.casefold() in names for form in task_forms(part))
                folders[part] = folders.get(part, False) or named
                are_dates = are_dates and _is_of_date(parts, level)
        if not folders:
            return None
        if len(folders) > 1 and not are_dates:
            return None if 2 * sum(folders.values()) > len(folders) else level
        level += 1


def name_config(
    stated: str | None,
    given: str | None,
    parts: Sequence[str],
    level: int | None,
    model: str | None,
) -> tuple[str, str]:
    """The configuration of a trace, and where it comes from."""
    if stated is not None:
        return stated, "manifest"
    if given is not None:
        return given, "--config-name"
    if level is not None and len(parts) > level + 1:
        return parts[level], "folder below RUNS"
    short = model_name(model)
    if short is not None:
        return short, "model"
    return DEFAULT_CONFIG, "nothing says"


# --- one sample as a trial ----------------------------------------------------------------


BENCHMARK = "loose"
"""Benchmark of a trial whose task is in no data set."""


def task_of(item: LooseItem, tasks: TaskIndex | None) -> Named:
    """The task of a sample: as the manifest, the trace, or names of files and folders say."""
    row = item.row.texts if item.row is not None else {}
    stated = item.stated
    places = [(row.get("task"), "manifest"), (stated.task, f"trace: {stated.task_place or 'task'}")]
    parts = [*item.parts[:-1], item.parts[-1]]
    if item.sample is not None and stated.task is None and known_task(item.sample, tasks):
        places.append((item.sample, "id of the sample"))
    return name_task(places, parts, tasks)


def config_of(item: LooseItem, settings: Settings, level: int | None) -> tuple[str, str]:
    """The configuration of a sample, and where it comes from; `level` is the folder on its path
    that tells configurations apart."""
    row = item.row.texts if item.row is not None else {}
    model = row.get("model") or item.stated.model
    return name_config(row.get("config"), settings.config_name, item.parts, level, model)


def task_names(item: LooseItem) -> set[str]:
    """Names that a folder of the item's task may have, in lower case."""
    named = item.named
    assert named is not None
    names = {named.name, item.stated.task or "", *(named.task.aliases if named.task else ())}
    return {name.casefold() for name in names if name}


def loose_trial(
    item: LooseItem,
    folder: Folder,
    run_id: str,
    verdicts: Verdicts,
    tasks: TaskIndex | None,
    *,
    alone: bool,
) -> tuple[Trial, list[Problem]]:
    """The trial of a sample that has its task and configuration; `alone` says that the run has no
    other configuration."""
    row, stated, named = item.row, item.stated, item.named
    assert named is not None
    texts = row.texts if row is not None else {}
    evidence = {"run_id": "manifest" if "run" in texts else "name of the folder"}
    evidence["task_name"] = named.where
    config, evidence["config_name"] = item.config
    trial_name = texts.get("trial") or _trial_name(item)
    evidence["trial_name"] = "manifest" if "trial" in texts else "name of the file"
    is_row = named.task is not None and named.task.row is not None
    benchmark = named.task.benchmark if named.task is not None and is_row else BENCHMARK
    evidence["benchmark"] = "file of the task" if is_row else "no data set"
    names = [named.name, stated.task or "", stem_of(item.parts[-1]), item.sample or ""]
    models = [texts.get("model") or stated.model or "", config]
    made_by = MadeBy(models, [run_id, *item.parts[:-1]], alone=alone)
    around = places_around(folder, [p for p in item.parts[:-1] if p != "/"])
    beside = verdicts.find(names, around, made_by)
    outcome = _outcome(row, stated, beside)
    problems = list(beside.problems)
    if named.task is None and tasks is not None and len(tasks):
        problems.append(Problem(item.path, "no_task", NO_TASK))
    for key in ("model", "harness", "harness_version"):
        if key in texts:
            evidence[key] = "manifest"
        elif getattr(stated, key) is not None:
            evidence[key] = "trace"
    if "repo" in texts:
        evidence["repo"] = "manifest"
    trial = Trial(
        folder=item.folder,
        path=item.path,
        run_id=clean_text(texts.get("run", run_id)),
        config_name=clean_text(config),
        task_name=clean_text(named.name),
        trial_name=trial_name,
        benchmark=benchmark,
        model=model_name(texts.get("model") or stated.model),
        harness=texts.get("harness") or stated.harness,
        harness_version=texts.get("harness_version") or stated.harness_version,
        repo=_repo(texts.get("repo"), stated, named),
        task=named.task,
        outcome=outcome,
        trial_key=key_of_place(f"{run_id}/{item.path}"),
        files=(item.parts[-1],),
        evidence=evidence,
        loose=LooseTrace(
            file=item.file,
            sample=item.sample,
            inputs=f"{item.mark} {outcome!r} {beside.submission!r} {row!r}{_repeated(item)}",
            submission=beside.submission,
            submission_source=beside.submission_source,
            groups=row.groups if row is not None else {},
            repeats=item.repeats,
        ),
    )
    return trial, problems


def _repeated(item: LooseItem) -> str:
    """What another file decides about a trial, for its fingerprint."""
    repeats = item.repeats
    return "" if repeats is None else f" {repeats.file} {sorted(repeats.calls)} {repeats.replies}"


def _repo(given: str | None, stated: Stated, named: Named) -> str | None:
    """The trial's repository: the manifest's; the trace's only if the task names none (D100)."""
    if given is not None:
        return given
    return None if named.task is not None and named.task.repos else stated.repo


def _trial_name(item: LooseItem) -> str:
    stem = clean_text(stem_of(item.parts[-1]))
    return stem if item.sample is None else clean_text(f"{stem}#{item.sample}")


def _outcome(row: ManifestRow | None, stated: Stated, beside: OutcomeBeside) -> Outcome:
    """The outcome of a trial: from the manifest first, then the trace, then files next to it."""
    numbers = row.numbers if row is not None else {}
    reward: float | None = numbers.get("reward")
    source: str | None = "manifest" if reward is not None else None
    for value, where in (
        (stated.reward, f"trace: {stated.reward_source}"),
        (beside.reward, beside.reward_source),
    ):
        if reward is None and value is not None:
            reward, source = value, where
    cost = numbers.get("cost_usd")
    seconds = numbers.get("agent_seconds", stated.agent_seconds)
    return Outcome(
        reward=reward,
        reward_reason=None if reward is not None else "no_verdict",
        reward_source=source,
        cost_usd=cost if cost is not None else stated.cost_usd,
        cost_source="manifest" if cost is not None else stated.cost_source,
        agent_seconds=seconds,
        found_in={
            "agent_seconds": "manifest" if "agent_seconds" in numbers else "times in the trace"
        },
        exception=None
        if stated.exit_status in (None, "Submitted", "submitted")
        else stated.exit_status,
    )


# --- all traces of a run ------------------------------------------------------------------


MAX_SKIPPED = 1_000
"""How many files that are not traces are listed by name; the rest are only counted."""


def discover_loose(
    folder: Folder,
    run_id: str,
    loose: LooseRun,
    *,
    settings: Settings,
    tasks: TaskIndex | None = None,
    only: str | None = None,
) -> Iterator[Found]:
    """The trials among the traces of a folder, with skipped files and problems."""
    items: list[LooseItem] = []
    passed = 0
    for found in loose_items(folder, loose, settings):
        if isinstance(found, LooseItem):
            items.append(found)
        elif isinstance(found, FoundProblem):
            yield FoundProblem(found.path, run_id, found.problem)
        else:
            passed += 1
            if passed <= MAX_SKIPPED:
                yield Skipped(found.path, run_id, found.reason)
    if passed > MAX_SKIPPED:
        yield Skipped(".", run_id, f"and {passed - MAX_SKIPPED:,} more files that are not traces")
    for copy in _without_copies(items):
        yield Skipped(copy.path, run_id, copy.reason)
    for item in items:
        item.named = task_of(item, tasks)
    level = config_level((item.parts for item in items), (task_names(item) for item in items))
    for item in items:
        item.config = config_of(item, settings, level)
    verdicts = Verdicts()
    alone = len({item.config[0] for item in items}) == 1
    for item in items:
        trial, problems = loose_trial(item, folder, run_id, verdicts, tasks, alone=alone)
        if only is not None and not matches(only, trial):
            continue
        for problem in (*item.problems, *problems):
            yield FoundProblem(trial.path, run_id, problem)
        yield trial


def _without_copies(items: list[LooseItem]) -> Iterator[Skipped]:
    """Note what sessions repeat of others; one that adds no call is no trial and is taken out."""
    from groundtrace.discover.sessions import Session, continued

    sessions = [(n, item.session) for n, item in enumerate(items) if item.session is not None]
    repeated = continued([Session(items[n].parts, items[n].reader, calls) for n, calls in sessions])
    copies = set()
    for (number, _), found in zip(sessions, repeated, strict=True):
        item = items[number]
        item.session = None  # one copy of all calls' arguments is enough
        if found is None:
            continue
        if found.is_all:
            copies.add(number)
            yield Skipped(item.path, None, f"repeats {found.repeats.file} and adds no call")
        else:
            item.repeats = found.repeats
            item.problems.append(found.problem(item.path))
    items[:] = [item for number, item in enumerate(items) if number not in copies]


class _Passed(Protocol):
    """Something that was skipped, and why."""

    @property
    def path(self) -> str: ...

    @property
    def reason(self) -> str: ...


def nearest(found: Iterable[_Passed], shown: int = 5) -> str:
    """The files that looked most like traces, for a message."""
    files = [item for item in found if item.reason.startswith("no trace")]
    files.sort(key=lambda item: ("JSON" not in item.reason, item.path))
    return ", ".join(
        f"{item.path} ({item.reason.removeprefix('no trace: ')})" for item in files[:shown]
    )
