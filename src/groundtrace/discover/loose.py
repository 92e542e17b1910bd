"""Trials without records: traces in a folder, one trace file, or a manifest.

The start of every file is read, and a reader says whether the file is a trace and how many samples
it holds; each sample is a trial. All trials are found before any is named, because only all of
them together show which folders tell configurations apart.

The names of a trial, in the order of the evidence (D57):

| field | the first of these that gives a value |
|---|---|
| task | the manifest; `--layout`; the trace; a folder or file name that is a task's; the one commit that `--tasks` names; the level of folders or files that tells tasks apart (`layout`) |
| configuration | the manifest; `--config-name`; `--layout`; what the trace says, behind the level of folders that tells configurations apart (`layout`); that level alone; the model; `default` |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from groundtrace.base.digests import sha256
from groundtrace.base.jsonio import clean_text
from groundtrace.base.limit import OverLimitError, guarded
from groundtrace.base.patterns import regex
from groundtrace.base.values import model_name
from groundtrace.config import Settings
from groundtrace.discover.found import Found, FoundProblem, InferredLayout, Skipped, matches
from groundtrace.discover.identity import NO_TASK
from groundtrace.discover.layout import (
    Held,
    Layout,
    Role,
    fitting,
    held_task,
    stem_of,
)
from groundtrace.discover.loose_items import (
    RESULT,
    LooseItem,
    LooseRun,
    Named,
    loose_items,
    places_around,
)
from groundtrace.discover.manifest import ManifestRow
from groundtrace.discover.names import forms, with_masked_labels
from groundtrace.discover.roles import Clues, infer
from groundtrace.discover.trial import key_of_place
from groundtrace.discover.unlike import tell_apart, without_resumed
from groundtrace.discover.verdicts import MadeBy, OutcomeBeside, Verdicts
from groundtrace.errors import UsageError
from groundtrace.model import LooseTrace, Outcome, Problem, Stated, Task, Trace, Trial
from groundtrace.problems import ProblemKind
from groundtrace.storage import Folder

if TYPE_CHECKING:
    from groundtrace.documents.outcomes import SkippedFolder
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


def known_task(name: str, tasks: TaskIndex | None, parts: Sequence[str] = ()) -> Task | None:
    """The definition of the task that one of the forms of a name names.

    If several suites have such a task, a folder of the path `parts` with a suite's name decides.
    """
    if tasks is None:
        return None
    suites = (None, *reversed(parts[:-1]))
    found = (tasks.find(form, suite) for form in task_forms(name) for suite in suites)
    return next((task for task in found if task is not None), None)


def _no_task(item: LooseItem, name: str, tasks: TaskIndex) -> Problem:
    """Why a trial has no task: none of its name is defined, or several are."""
    several = [found for form in task_forms(name) if len(found := tasks.candidates(form)) > 1]
    if not several:
        return Problem(item.path, "no_task", NO_TASK)
    where = ", ".join(sorted(task.benchmark for task in several[0]))
    reason = f"{len(several[0])} tasks are named {name!r} ({where}) and no folder says which"
    return Problem(item.path, "ambiguous_task", reason)


def name_task(
    stated: Sequence[tuple[str | None, str]],
    parts: Sequence[str],
    tasks: TaskIndex | None,
    inferred: str | None = None,
) -> Named:
    """The task of a trace. `stated`: names with their places, best first. `parts`: its path.

    `inferred` is the folder or file that tells tasks apart, by all paths together.
    """
    for name, where in stated:
        if name is not None:
            task = known_task(name, tasks, parts)
            return Named(task.name if task is not None else name, task, where)
    own = [stem_of(part) if index == 0 else part for index, part in enumerate(reversed(parts))]
    # What all paths together say comes first: `2/1.jsonl` is attempt 1 of task 2, and there is a task 1.
    for part in (*filter(None, [inferred]), *own):
        task = known_task(part, tasks, parts)
        if task is not None:
            place = "file" if part == own[0] else "folder"
            why = f"name of {'the' if place == 'file' else 'a'} {place}"
            return Named(task.name, task, why if part in own else "a part of a name in the path")
    only = None if tasks is None else tasks.for_nameless
    if only is not None:
        return Named(only.name, only, "nothing names a task; --tasks names one commit")
    if inferred is not None and inferred != own[0]:
        return Named(inferred, None, "name of a folder, which is no known task")
    return Named(own[0], None, "name of the file, which is no known task")


def name_config(
    stated: str | None,
    given: str | None,
    roles: Mapping[Role, str],
    trace: Stated,
    *,
    is_given: bool = False,
) -> tuple[str, str]:
    """The configuration of a trace, and where it comes from.

    A trace that says on which side of a comparison it was made (mcpbr's `run_type`) lies beside the
    traces of the other sides, so a folder above them all does not tell these apart (D221).
    `is_given`: the roles are those of `--layout`.
    """
    if stated is not None:
        return stated, "manifest"
    if given is not None:
        return given, "--config-name"
    folder = roles.get("config")
    if trace.config is not None and not (folder is not None and is_given):
        said = f"trace: {trace.config_place or 'config'}"
        if folder in (None, trace.config):
            return trace.config, said
        return f"{folder}-{trace.config}", f"folder below RUNS, and {said}"
    if folder is not None:
        return folder, "folder below RUNS"
    short = model_name(trace.model)
    if short is not None:
        return short, "model"
    return DEFAULT_CONFIG, "nothing says"


# --- one sample as a trial ----------------------------------------------------------------


BENCHMARK = "loose"
"""Benchmark of a trial whose task is in no data set."""


def task_of(
    item: LooseItem, tasks: TaskIndex | None, *, is_given: bool = False, apart: bool = False
) -> Named:
    """The task of a sample: as the manifest, the layout that the user gives, the trace, or names of
    files and folders say. `apart`: rows that only have numbers stand in files of different names."""
    row = item.row.texts if item.row is not None else {}
    stated = item.stated
    by_layout = item.roles.get("task")
    if item.sample is not None and not is_numbered(item) and by_layout == stem_of(item.parts[-1]):
        by_layout = None  # `oh/output.jsonl` has many tasks, whatever `{config}/{task}` makes of it
    places = [
        (row.get("task"), "manifest"),
        (by_layout if is_given else None, "--layout"),
        (stated.task, f"trace: {stated.task_place or 'task'}"),
    ]
    if item.sample is not None and stated.task is None:
        file = f"{stem_of(item.parts[-1])}-" if apart and is_numbered(item) else ""
        places.append((f"{file}{item.sample}", "id of the sample"))
    named = name_task(places, item.parts, tasks, by_layout)
    if named.task is None and item.match is not None:
        task, why = item.match.task, item.match.why
        return Named(named.name if task is None else task.name, task, why)
    if named.task is None and tasks is not None and row.get("task") is None and not stated.task:
        asked = task_in_prompt(item, tasks)
        if asked is not None:
            return Named(asked.name, asked, "the prompt, which names this task alone")
    return named


_WORD = regex(r"[A-Za-z0-9][\w.@/+-]{3,199}")
_SIGN = regex(r"[-_0-9]")
"""A task's name that is a plain word (`heron`) proves nothing in a sentence."""


def task_in_prompt(item: LooseItem, tasks: TaskIndex) -> Task | None:
    """The task whose name stands in what the user asked, if it is the only one."""
    from groundtrace.traces.kit.prompt import first_prompt

    if not len(tasks):
        return None
    words = {word.rstrip(".,:;-/") for word in _WORD.findall(first_prompt(item.folder, item.file))}
    found = {
        (task.benchmark, task.name): task
        for word in words
        if _SIGN.search(word)
        for task in tasks.candidates(word)
    }
    return next(iter(found.values())) if len(found) == 1 else None


_NUMBERED = regex(r"row-\d+")


def is_numbered(item: LooseItem) -> bool:
    """Whether nothing but its number tells a row from others: then the first row of one file and
    the first row of another are not one task."""
    sample = item.sample
    return sample is not None and item.stated.task is None and bool(_NUMBERED.fullmatch(sample))


def config_of(item: LooseItem, settings: Settings) -> tuple[str, str]:
    """The configuration of a sample, and where it comes from."""
    row = item.row.texts if item.row is not None else {}
    by = settings.config_by
    if by is not None and item.use is not None and row.get("config") is None:
        from groundtrace.discover.own_sessions import configuration_by

        return configuration_by(item.use, by) or (DEFAULT_CONFIG, f"--config-by {by}: unknown")
    stated = replace(item.stated, model=row.get("model") or item.stated.model)
    return name_config(
        row.get("config"), settings.config_name, item.roles, stated, is_given=bool(settings.layout)
    )


def held_tasks(items: Iterable[LooseItem], tasks: TaskIndex | None) -> dict[str, Held]:
    """Names of files and folders that are no task's, and the known task that each has in it."""
    if tasks is None or not len(tasks):
        return {}
    names = {name for item in items for name in _own_names(item)}
    found = {name: held_task(name, partial(_is_telling, tasks)) for name in names}
    return {n: one for n, one in found.items() if one and not tasks.candidates(n)}


def _is_telling(tasks: TaskIndex, name: str) -> bool:
    """Whether a part of a name is a task: `1` in `run_1` proves nothing."""
    return len(name) > 2 and not name.isdigit() and bool(tasks.candidates(name))


def _own_names(item: LooseItem) -> list[str]:
    return [*item.parts[:-1], stem_of(item.parts[-1])]


def clues_of(
    item: LooseItem, tasks: TaskIndex | None, held: Mapping[str, Held] = MappingProxyType({})
) -> Clues:
    """What is known about a sample without its folders."""
    names = {item.stated.task or ""} - {""}
    own = _own_names(item)
    defined = {part: task.name for part in own if (task := known_task(part, tasks)) is not None}
    stated = {form.casefold() for name in names for form in task_forms(name)}
    known = {part for part in own if any(f.casefold() in stated for f in task_forms(part))}
    makers = (model_name(item.stated.model), item.stated.harness)
    low = frozenset(maker.casefold() for maker in makers if maker)
    says = [item.stated.task, item.sample, *(defined.get(part) for part in reversed(own))]
    # The samples of a file are its lowest level: they are the tasks, and no folder above is one.
    return Clues(
        item.parts,
        frozenset({*defined, *known}),
        low,
        bool(names) or item.sample is not None,
        held,
        next(filter(None, says), None),
        item.sample is not None,
    )


def instance_names(item: LooseItem) -> list[str]:
    """Names under which verdicts may speak of an item, best first."""
    named = item.named
    assert named is not None
    return [named.name, item.stated.task or "", stem_of(item.parts[-1]), item.sample or ""]


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
    models = [texts.get("model") or stated.model or "", config]
    made_by = MadeBy(models, [run_id, *item.parts[:-1]], alone=alone, side=stated.config)
    around = places_around(folder, [p for p in item.parts[:-1] if p != "/"])
    beside = verdicts.find(instance_names(item), around, made_by)
    outcome = _outcome(row, stated, beside)
    problems = list(beside.problems)
    is_result = item.reader == RESULT
    submission, source = beside.submission, beside.submission_source
    if is_result:
        submission, source = stated.submission, stated.submission_source
    if named.task is None and item.match is not None:
        kind: ProblemKind = "ambiguous_commit" if item.match.is_ambiguous else "no_commit"
        problems.append(Problem(item.path, kind, item.match.why))
    elif named.task is None and tasks is not None and len(tasks):
        problems.append(_no_task(item, named.name, tasks))
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
        run_id=clean_text(texts.get("run") or item.roles.get("run", run_id)),
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
        first_call=item.first_call,
        file_time=item.time,
        files=(item.parts[-1],),
        evidence=evidence,
        title=_title(item, named),
        loose=LooseTrace(
            file=item.file,
            sample=item.sample,
            inputs=f"{item.mark} {outcome!r} {submission!r} {row!r}{_repeated(item)}",
            submission=submission,
            submission_source=source,
            groups=row.groups if row is not None else {},
            repeats=item.repeats,
            is_result=is_result,
            ranking=stated.ranking,
            claimed=item.claimed,
        ),
    )
    return with_masked_labels(trial), problems


def _repeated(item: LooseItem) -> str:
    """What another file decides about a trial, for its fingerprint."""
    repeats = item.repeats
    return "" if repeats is None else f" {repeats.file} {sorted(repeats.calls)} {repeats.replies}"


def _title(item: LooseItem, named: Named) -> str | None:
    """What the user asked first; a task of a data set has a name that says more."""
    if item.sample is not None or (named.task is not None and item.match is None):
        return None
    from groundtrace.traces.kit.prompt import title_of

    return title_of(item.folder, item.file)


def _repo(given: str | None, stated: Stated, named: Named) -> str | None:
    """The trial's repository: the manifest's; the trace's only if the task names none (D100)."""
    if given is not None:
        return given
    return None if named.task is not None and named.task.repos else stated.repo


def _trial_name(item: LooseItem) -> str:
    name = clean_text(item.roles.get("trial") or stem_of(item.parts[-1]))
    return name if item.sample is None else clean_text(f"{name}#{item.sample}")


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
    cost: float | None = numbers.get("cost_usd")
    cost_source: str | None = "manifest"
    if cost is None:
        cost, cost_source = stated.cost_usd, stated.cost_source
    if cost is None:
        cost, cost_source = beside.cost_usd, beside.spent_source
    seconds = numbers.get("agent_seconds", stated.agent_seconds)
    return Outcome(
        reward=reward,
        reward_reason=None if reward is not None else "no_verdict",
        reward_source=source,
        cost_usd=cost,
        cost_source=cost_source if cost is not None else None,
        agent_seconds=seconds,
        found_in={
            "agent_seconds": "manifest" if "agent_seconds" in numbers else "times in the trace"
        },
        output_tokens=beside.output_tokens,
        output_tokens_source=None if beside.output_tokens is None else beside.spent_source,
        exception=None
        if stated.exit_status in (None, "Submitted", "submitted")
        else stated.exit_status,
    )


# --- all traces of a run ------------------------------------------------------------------


MAX_SKIPPED = 1_000
"""How many files that are not traces are listed by name; the rest are only counted."""
MAX_OF_FOLDER = 100
"""How many of them from one folder, so that 3,000 empty files hide no file of another folder."""


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
    passed: Counter[str] = Counter()
    named = 0
    for found in loose_items(folder, loose, settings):
        if isinstance(found, LooseItem):
            items.append(found)
        elif isinstance(found, FoundProblem):
            yield FoundProblem(found.path, run_id, found.problem)
        else:
            place = found.path.rpartition("/")[0]
            passed[place] += 1
            if passed[place] > MAX_OF_FOLDER:
                continue
            named += 1
            if named <= MAX_SKIPPED:
                yield Skipped(found.path, run_id, found.reason)
    for place, number in passed.items():
        if number > MAX_OF_FOLDER and named <= MAX_SKIPPED:
            rest = f"and {number - MAX_OF_FOLDER:,} more files that are not traces"
            yield Skipped(place or ".", run_id, rest)
    if named > MAX_SKIPPED:
        rest = f"and {sum(passed.values()) - MAX_SKIPPED:,} more files that are not traces"
        yield Skipped(".", run_id, rest)
    for copy in (*_without_equals(items), *_without_copies(items), *without_resumed(items)):
        yield Skipped(copy.path, run_id, copy.reason)
    given = [Layout(pattern) for pattern in settings.layout]
    held = held_tasks(items, tasks)
    layouts = given or infer([clues_of(item, tasks, held) for item in items if item.row is None])
    unfit = _laid_out(items, layouts, given, held)
    yield from (Skipped(path, run_id, reason) for path, reason in unfit)
    _look_into(items, settings, tasks)
    apart = len({stem_of(item.parts[-1]) for item in items if is_numbered(item)}) > 1
    for item in items:
        item.named = task_of(item, tasks, is_given=bool(given), apart=apart)
        item.config = config_of(item, settings)
    tell_apart(items, is_given=bool(given))
    if not given and items and loose.file is None:
        yield InferredLayout(run_id, tuple(layout.pattern for layout in layouts))
    verdicts = Verdicts((n for item in items for n in instance_names(item)), _shared(items))
    alone = len({item.config[0] for item in items}) == 1
    for item in items:
        trial, problems = loose_trial(item, folder, run_id, verdicts, tasks, alone=alone)
        if only is not None and not matches(only, trial):
            continue
        for problem in (*item.problems, *problems):
            yield FoundProblem(trial.path, run_id, problem, is_named_whole=True)
        yield trial


def _trace_of(item: LooseItem, settings: Settings) -> Trace:
    from groundtrace.traces.kit.loose import read_loose

    where = (item.folder, item.file, item.sample)
    return read_loose(*where, mappings=settings.readers, repeats=item.repeats).trace


def _look_into(items: list[LooseItem], settings: Settings, tasks: TaskIndex | None) -> None:
    """Find out what sessions did and which commits came out of them, if names depend on it."""
    histories = () if tasks is None else tasks.histories
    by = settings.config_by
    if not histories and by in (None, "folder"):
        return
    from groundtrace.discover.own_sessions import use_of
    from groundtrace.truth.own_commits import match_sessions

    uses = []
    for item in items:
        try:
            with guarded(None):
                uses.append(use_of(_trace_of(item, settings), settings))
        except OverLimitError as error:
            item.problems.append(Problem(item.path, "too_large", str(error)))
            uses.append(use_of(Trace(), settings))
    for item, use in zip(items, uses, strict=True):
        item.use = None if by in (None, "folder") else use
    if histories:
        found = match_sessions([use.own for use in uses], histories, settings.within * 3600)
        for item, match in zip(items, found, strict=True):
            item.match = match


def _shared(items: Iterable[LooseItem]) -> set[tuple[str, str]]:
    """Folders and tasks with trials of several configurations below: a file of verdicts there cannot
    be about each of them."""
    first: dict[tuple[str, str], str] = {}
    shared: set[tuple[str, str]] = set()
    for item in items:
        assert item.named is not None
        folders = [part for part in item.parts[:-1] if part != "/"]
        for place in ("..", *("/".join(folders[:end]) for end in range(len(folders) + 1))):
            key = (place, item.named.name)
            if first.setdefault(key, item.config[0]) != item.config[0]:
                shared.add(key)
    return shared


def _laid_out(
    items: list[LooseItem],
    layouts: Sequence[Layout],
    given: Sequence[Layout],
    held: Mapping[str, Held],
) -> list[tuple[str, str]]:
    """Give each item the names of its folders; with a given layout, take out what does not fit."""
    for item in items:
        item.roles = fitting(layouts, item.parts, held) or {}
    if not given:
        return []
    patterns = " or ".join(repr(layout.pattern) for layout in given)
    wrong = [item for item in items if not item.roles and item.row is None]
    if wrong and len(wrong) == len(items):
        shown = ", ".join(item.path for item in wrong[:3])
        raise UsageError(f"--layout {patterns} fits none of {len(wrong)} traces, such as {shown}")
    items[:] = [item for item in items if item.roles or item.row is not None]
    return [(item.path, f"does not fit --layout {patterns}") for item in wrong]


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
            item.first_call = None  # of the other session
            item.problems.append(found.problem(item.path))
    items[:] = [item for number, item in enumerate(items) if number not in copies]


_COPY = regex(
    r"(?:copy of )?(?P<name>.+?)(?: ?\(\d+\)|(?: -)? copy(?: ?\(?\d+\)?)?|[-_]copy\d*)?",
    re.IGNORECASE,
)


def _without_equals(items: list[LooseItem]) -> Iterator[Skipped]:
    """Take out copies that lie beside their file and equal it byte by byte: `trace (1).jsonl`.

    Equal files of other names may be attempts of a model that always answers the same. Only files
    of one size are read.
    """
    groups: dict[tuple[str, ...], list[LooseItem]] = {}
    for item in items:
        if item.row is None and item.sample is None:
            found = _COPY.fullmatch(stem_of(item.parts[-1]))
            name = item.parts[-1] if found is None else found["name"]
            groups.setdefault((*item.parts[:-1], name), []).append(item)
    copies: set[int] = set()
    for group in groups.values():
        first: dict[tuple[int | None, str], LooseItem] = {}
        sizes = Counter(map(_size, group)) if len(group) > 1 else {}
        for item in sorted(group, key=lambda i: (len(i.path), i.path)):
            if sizes.get(_size(item), 0) > 1:
                known = first.setdefault((_size(item), _digest(item)), item)
                if known is not item:
                    copies.add(id(item))
                    yield Skipped(item.path, None, f"the same bytes as {known.path}")
    items[:] = [item for item in items if id(item) not in copies]


def _size(item: LooseItem) -> int | None:
    entry = item.folder.stat(item.file)
    return None if entry is None else entry.size


def _digest(item: LooseItem) -> str:
    digest = sha256()
    try:
        with item.folder.open(item.file) as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    except OSError:
        return item.path
    return digest.hexdigest()


def nearest(found: Iterable[Skipped | SkippedFolder], shown: int = 5) -> str:
    """The files that looked most like traces, for a message."""
    files = [item for item in found if item.reason.startswith("no trace")]
    files.sort(key=lambda item: ("JSON" not in item.reason, item.path))
    return ", ".join(
        f"{item.path} ({item.reason.removeprefix('no trace: ')})" for item in files[:shown]
    )
