"""Trials without records: traces in a folder, one trace file, or a manifest.

The start of every file is read, and a reader says whether the file is a trace and how many samples
it holds; each sample is a trial. All trials are found before any is named, because only all of
them together show which folders tell configurations apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec import field

from groundtrace.config import Settings
from groundtrace.discover.evaluations import MadeBy
from groundtrace.discover.folders import Found, FoundProblem, Skipped, fits, matches
from groundtrace.discover.identity import NO_TASK
from groundtrace.discover.loose_names import (
    Named,
    config_level,
    known_task,
    name_config,
    name_task,
    stem_of,
)
from groundtrace.discover.manifest import ManifestRow, read_manifest
from groundtrace.discover.outcomes_beside import SIDECARS, OutcomeBeside, Verdicts, marks_beside
from groundtrace.frozen import Frozen
from groundtrace.jsonio import clean_text
from groundtrace.model import LooseTrace, Outcome, Problem, Repeats, Stated, Trial
from groundtrace.safe_names import AGGREGATE, OUTPUT
from groundtrace.storage import Folder, LocalFolder, in_day_folder
from groundtrace.storage.watch import Watch, watched
from groundtrace.values import model_name

if TYPE_CHECKING:
    from groundtrace.traces.claims import SessionCalls
    from groundtrace.truth.tasks import TaskIndex

BENCHMARK = "loose"
"""Benchmark of a trial whose task is in no data set."""
MAX_DEPTH = 16
MAX_SKIPPED = 1_000
"""How many files that are not traces are listed by name; the rest are only counted."""

_QUIET = (
    ".log",
    ".yaml",
    ".yml",
    ".md",
    ".txt",
    ".patch",
    ".diff",
    ".html",
    ".sh",
    ".png",
    ".csv",
    ".lock",
)
"""Endings of files that are expected next to traces: examined, but not listed one by one."""


class LooseRun(Frozen, frozen=True):
    """Which traces of a folder are read."""

    file: str | None = None
    """Only this file; None for everything below the folder."""
    is_manifest: bool = False
    only_run: str | None = None
    """For a manifest: only the rows of this run."""
    default_run: str = ""
    """Run of rows that name no run."""

    def marks(self, folder: Folder, without: frozenset[str]) -> list[str] | None:
        """A line for everything that results depend on; None if that cannot be determined."""
        marks = [mark for place, _ in _around(folder, ())[1:] for mark in marks_beside(place)]
        if self.file is None:
            lines = folder.everything(without)
            return None if lines is None else [*marks, *lines]
        marks += marks_beside(folder)
        files = [self.file]
        if self.is_manifest:
            files += [row.trace for row in read_manifest(folder, self.file, [])]
            if any(map(in_day_folder, files)):
                return None
        elif _may_have_companions(folder, self.file):
            return None
        listed: set[str] = set()
        for name in files:
            place, file = _place_of(folder, name)
            entry = place.stat(file)
            marks.append(f"{name} {entry.mark if entry is not None else 'missing'}")
            if not self.is_manifest:
                continue
            # Logs of subagents are next to a session, or in a folder with its name.
            marks += place.folder(stem_of(file)).everything(without) or ()
            if place.url not in listed:
                listed.add(place.url)
                marks += [f"{one.name} {one.mark}" for one in place.entries() if one.kind == "file"]
        return marks


def _may_have_companions(folder: Folder, file: str) -> bool:
    """Whether other files may be read with a trace; for a file of many samples there are none."""
    from groundtrace.traces import all_readers
    from groundtrace.traces.loose import recognise

    found, _, _ = recognise(folder, file, all_readers()[0], named=True)
    return found is not None and not hasattr(found.reader, "samples")


class _Item(msgspec.Struct):
    """One sample while trials are being named."""

    folder: Folder
    file: str
    parts: tuple[str, ...]
    """Path below RUNS, the file last."""
    sample: str | None
    stated: Stated
    reader: str
    mark: str
    row: ManifestRow | None = None
    named: Named | None = None
    config: tuple[str, str] = ("", "")
    """Configuration, and where it comes from."""
    problems: list[Problem] = field(default_factory=list)
    session: SessionCalls | None = None
    repeats: Repeats | None = None
    """What it repeats of another session of the run."""

    @property
    def path(self) -> str:
        path = "/".join(self.parts)
        return path if self.sample is None else f"{path}#{self.sample}"


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
    items: list[_Item] = []
    passed = 0
    for found in _items(folder, loose, settings):
        if isinstance(found, _Item):
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
        item.named = _task_of(item, tasks)
    level = config_level((item.parts for item in items), (_task_names(item) for item in items))
    for item in items:
        item.config = _config_of(item, settings, level)
    verdicts = Verdicts()
    alone = len({item.config[0] for item in items}) == 1
    for item in items:
        trial, problems = _trial(item, folder, run_id, verdicts, tasks, alone=alone)
        if only is not None and not matches(only, trial):
            continue
        for problem in (*item.problems, *problems):
            yield FoundProblem(trial.path, run_id, problem)
        yield trial


def _without_copies(items: list[_Item]) -> Iterator[Skipped]:
    """Note what sessions repeat of others; one that adds no call is no trial and is taken out."""
    from groundtrace.discover.continued_sessions import Session, continued

    sessions = [(n, item.session) for n, item in enumerate(items) if item.session is not None]
    told = continued([Session(items[n].parts, items[n].reader, calls) for n, calls in sessions])
    copies = set()
    for (number, _), found in zip(sessions, told, strict=True):
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


# --- which files ----------------------------------------------------------------------------


def _items(
    folder: Folder, loose: LooseRun, settings: Settings
) -> Iterator[_Item | Skipped | FoundProblem]:
    if loose.file is None:
        for place, parts in _files(folder, (), settings):
            if isinstance(place, FoundProblem | Skipped):
                yield place
            else:
                yield from _samples(place, parts[-1], parts, None, settings)
    elif loose.is_manifest:
        yield from _rows(folder, loose, settings)
    else:
        yield from _samples(
            folder, loose.file, (clean_text(loose.file),), None, settings, named=True
        )


def _files(
    folder: Folder, parts: tuple[str, ...], settings: Settings
) -> Iterator[tuple[Folder | FoundProblem | Skipped, tuple[str, ...]]]:
    """Every file below a folder, with the folder that holds it and its path below RUNS."""
    for entry in folder.entries():
        below = (*parts, clean_text(entry.name))
        shown = "/".join(below)
        if entry.kind == "file":
            yield folder, (*parts, entry.name)
        elif entry.kind == "folder":
            pattern = next((p for p in settings.skip if fits(entry.name, p)), None)
            if entry.name in (OUTPUT, AGGREGATE) or entry.name.startswith("."):
                continue
            if pattern is not None:
                reason = f"named like {pattern!r} in the list of skipped folders"
                yield Skipped(shown, None, reason), below
            elif len(below) > MAX_DEPTH:
                yield Skipped(shown, None, f"more than {MAX_DEPTH} folders deep"), below
            else:
                yield from _files(folder.folder(entry.name), below, settings)
        elif entry.kind == "unlisted":
            reason = "the folder cannot be listed; its contents are missing from the results"
            place = "/".join(parts) or "."
            yield FoundProblem(place, None, Problem(place, "unlisted_folder", reason)), below
        elif entry.kind == "escape":
            reason = "a link that leaves the runs folder or makes a loop; not followed"
            yield FoundProblem(shown, None, Problem(shown, "link_not_followed", reason)), below


def _samples(
    folder: Folder,
    file: str,
    parts: tuple[str, ...],
    row: ManifestRow | None,
    settings: Settings,
    *,
    named: bool = False,
) -> Iterator[_Item | Skipped | FoundProblem]:
    """The samples of one file, or why it has none."""
    from groundtrace.traces import all_readers
    from groundtrace.traces.loose import companions_of, recognise, samples_of

    path = clean_text("/".join(parts))
    if row is None and file in SIDECARS:
        return
    readers, _ = all_readers(settings.readers) if settings.readers else all_readers()
    found, why, problem = recognise(folder, file, readers, named=named or row is not None)
    if problem is not None:
        yield FoundProblem(path, None, problem)
        return
    if found is None:
        if row is not None:
            reason = f"no trace: {why}"
            yield FoundProblem(path, None, Problem(path, "unrecognised", reason))
        elif not file.casefold().endswith(_QUIET) and not file.startswith("."):
            yield Skipped(path, None, f"no trace: {why}")
        return
    none = True
    with watched() as watch:
        samples = list(samples_of(found, folder))
        companions = companions_of(found.reader, folder, file)
    mark = _mark(folder, (file, *companions), watch)
    for sample in samples:
        if isinstance(sample, Problem):
            yield FoundProblem(path, None, sample)
            continue
        if row is not None and row.sample is not None and sample.sample_id != row.sample:
            continue
        none = False
        if sample.no_trial is not None and row is None:
            yield Skipped(path, None, sample.no_trial)
            continue
        yield _Item(
            *(folder, file, parts, sample.sample_id, sample.stated, found.reader.name, mark, row),
            session=sample.session if row is None and not named else None,
        )
    if none:
        what = f"no sample {row.sample!r} in it" if row and row.sample else "no sample in it"
        yield FoundProblem(path, None, Problem(path, "trace_missing", what))


def _mark(folder: Folder, files: Iterable[str], watch: Watch) -> str:
    """Fingerprint of all files that a trace is read from: the file itself, files read with it, and
    files that it names. Otherwise a subagent's log could change unnoticed."""
    marks = dict(watch.files)
    for name in files:
        entry = folder.stat(name)
        marks.setdefault(f"{folder.url}/{name}", entry.mark if entry is not None else "")
    top = folder.url
    return " ".join(f"{path.removeprefix(top)} {mark}" for path, mark in sorted(marks.items()))


def _rows(
    folder: Folder, loose: LooseRun, settings: Settings
) -> Iterator[_Item | Skipped | FoundProblem]:
    """The trials of a manifest, in its order."""
    name = loose.file or ""
    problems: list[Problem] = []
    taken: set[tuple[str, str | None]] = set()
    for row in read_manifest(folder, name, problems):
        if loose.only_run is not None and row.texts.get("run", loose.default_run) != loose.only_run:
            continue
        if (row.trace, row.sample) in taken:
            reason = f"{row.trace!r} is named by two rows; the first counts"
            problems.append(Problem(name, "bad_row", reason, line=row.number))
            continue
        taken.add((row.trace, row.sample))
        place, file = _place_of(folder, row.trace)
        if not place.has_file(file):
            reason = f"{row.trace!r}: no such file beside the manifest"
            problems.append(Problem(name, "trace_missing", reason, line=row.number))
            continue
        parts = tuple(PurePosixPath(clean_text(row.trace)).parts)
        yield from _samples(place, file, parts, row, settings)
    for problem in problems:
        yield FoundProblem(name, None, problem)


def _place_of(folder: Folder, path: str) -> tuple[Folder, str]:
    """Folder and name of a file in a manifest; the user may name a file outside of its folder."""
    parent, _, file = path.replace("\\", "/").rpartition("/")
    if isinstance(folder, LocalFolder) and (path.startswith("/") or ".." in parent.split("/")):
        target = Path(folder.url, path)
        return LocalFolder(target.parent), target.name
    return (folder.folder(parent) if parent else folder), file


# --- what they are --------------------------------------------------------------------------


def _task_of(item: _Item, tasks: TaskIndex | None) -> Named:
    row = item.row.texts if item.row is not None else {}
    stated = item.stated
    places = [(row.get("task"), "manifest"), (stated.task, f"trace: {stated.task_place or 'task'}")]
    parts = [*item.parts[:-1], item.parts[-1]]
    if item.sample is not None and stated.task is None and known_task(item.sample, tasks):
        places.append((item.sample, "id of the sample"))
    return name_task(places, parts, tasks)


def _config_of(item: _Item, settings: Settings, level: int | None) -> tuple[str, str]:
    row = item.row.texts if item.row is not None else {}
    model = row.get("model") or item.stated.model
    return name_config(row.get("config"), settings.config_name, item.parts, level, model)


def _task_names(item: _Item) -> set[str]:
    """Names that a folder of the item's task may have, in lower case."""
    named = item.named
    assert named is not None
    names = {named.name, item.stated.task or "", *(named.task.aliases if named.task else ())}
    return {name.casefold() for name in names if name}


def _around(folder: Folder, parts: Sequence[str]) -> list[tuple[Folder, str]]:
    """Folders to search for verdicts, nearest first, each with its name for sources."""
    places = [
        (folder.folder("/".join(parts[:end])) if end else folder, "/".join(parts[:end]))
        for end in range(len(parts), -1, -1)
    ]
    if isinstance(folder, LocalFolder):
        path = folder.path.absolute()
        if path.parent != path:
            places.append((LocalFolder(path.parent), ".."))
    return places


def _trial(
    item: _Item,
    folder: Folder,
    run_id: str,
    verdicts: Verdicts,
    tasks: TaskIndex | None,
    *,
    alone: bool,
) -> tuple[Trial, list[Problem]]:
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
    around = _around(folder, [p for p in item.parts[:-1] if p != "/"])
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


def _repeated(item: _Item) -> str:
    """What another file decides about a trial, for its fingerprint."""
    repeats = item.repeats
    return "" if repeats is None else f" {repeats.file} {sorted(repeats.calls)} {repeats.replies}"


def _repo(given: str | None, stated: Stated, named: Named) -> str | None:
    """The trial's repository: the manifest's; the trace's only if the task names none (D100)."""
    if given is not None:
        return given
    return None if named.task is not None and named.task.repos else stated.repo


def _trial_name(item: _Item) -> str:
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
