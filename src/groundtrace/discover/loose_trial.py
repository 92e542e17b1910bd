"""One sample as a `Trial`: its task, its configuration, its outcome."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from groundtrace.base.jsonio import clean_text
from groundtrace.base.values import model_name
from groundtrace.config import Settings
from groundtrace.discover.evaluations import MadeBy
from groundtrace.discover.identity import NO_TASK
from groundtrace.discover.loose_items import LooseItem
from groundtrace.discover.loose_names import Named, known_task, name_config, name_task, stem_of
from groundtrace.discover.loose_places import places_around
from groundtrace.discover.manifest import ManifestRow
from groundtrace.discover.outcomes_beside import OutcomeBeside, Verdicts
from groundtrace.model import LooseTrace, Outcome, Problem, Stated, Trial
from groundtrace.storage import Folder

if TYPE_CHECKING:
    from groundtrace.truth.tasks import TaskIndex

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
    place = f"{run_id}/{item.path}"
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
        trial_key=f"place:{hashlib.sha256(place.encode('utf-8', 'surrogatepass')).hexdigest()[:20]}",
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
