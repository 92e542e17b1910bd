"""Verdicts and predictions next to loose traces, where the tools of SWE-bench write them.

| file | holds |
|---|---|
| `logs/<id>/report.json` | `{"resolved": …}`, or the same below the instance's id |
| `logs/run_evaluation/<run>/<model>/<id>/report.json` | the same, from SWE-bench's own harness |
| `results.json`, `results/results.json` | lists of ids: `resolved`, `no_generation`, … |
| `preds.json` | instance id to `model_patch` |
| `all_preds.jsonl` | one line per instance, with `model_patch` |

They are searched for in the trace's folder, in every folder above it up to RUNS, and in the folder
that holds RUNS: leaderboards have `trajs/` and `logs/` next to each other. A verdict is a reward of
1.0 or 0.0 with its source. If two differ, the report of the instance counts and the difference is
reported; if two lists differ, there is no verdict. A list of resolved ids is a verdict for every
trial of its run: one that it does not name is not resolved (D147). Reports of SWE-bench's own harness that belong to another model or run say nothing about a
trace (D102).

One folder of logs of that harness may hold the reports of many models and runs. Names show which of
them judge a trace: the names of its model, its configuration and its run. If the names do not
decide and the reports differ, there is no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import BadJsonError, clean_text, loads
from groundtrace.base.limit import OverLimitError, guarded
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping
from groundtrace.model import Problem
from groundtrace.storage import Folder, TooLargeError

PLACE = "logs/run_evaluation"
MAX_REPORT = 64 * 1024 * 1024
MAX_EVALUATIONS = 2_000
"""How many folders of a run and a model are searched."""

_SIGNS = regex(r"[^a-z0-9]+")


class Evaluation(NamedTuple):
    """The reports of one model in one run."""

    path: str
    run: str
    model: str


class MadeBy(NamedTuple):
    """Names that show which reports judge a trace."""

    models: Sequence[str] = ()
    """Names of its model and its configuration."""
    runs: Sequence[str] = ()
    """Names of its run and of the folders above it."""
    alone: bool = True
    """Whether all traces have one configuration."""


def verdict_in(report: Mapping[str, Any], names: Sequence[str]) -> float | None:
    """The verdict of a report: at its top, or below the instance's id."""
    for row in (*(as_mapping(report.get(name)) for name in names), report):
        if isinstance(row.get("resolved"), bool):
            return float(row["resolved"])
    return None


def evaluations_in(folder: Folder) -> list[Evaluation]:
    """The folders of reports below a folder: one for each run and model."""
    found: list[Evaluation] = []
    top = folder.folder(PLACE)
    for run in top.entries():
        if run.kind != "folder":
            continue
        for model in top.folder(run.name).entries():
            if model.kind == "folder" and len(found) < MAX_EVALUATIONS:
                path = f"{PLACE}/{run.name}/{model.name}"
                found.append(Evaluation(path, run.name, model.name))
    return found


def evaluation_marks(folder: Folder) -> list[str]:
    """Marks of all reports below a folder, to notice changes."""
    marks = []
    for evaluation in evaluations_in(folder):
        place = folder.folder(evaluation.path)
        for below in place.entries():
            report = place.stat(f"{below.name}/report.json") if below.kind == "folder" else None
            if report is not None:
                marks.append(f"{evaluation.path}/{below.name} {report.mark}")
    return marks


def evaluated(
    folder: Folder,
    shown: str,
    evaluations: Sequence[Evaluation],
    names: Sequence[str],
    made_by: MadeBy,
    problems: list[Problem],
) -> list[tuple[float, str]]:
    """The verdict of these reports about an instance, with its source; empty if there is none."""
    found: list[tuple[Evaluation, float, str]] = []
    for evaluation in _own(evaluations, made_by):
        for name in names:
            path = f"{evaluation.path}/{name}/report.json"
            if not folder.has_file(path):
                continue
            source = f"{shown}/{path}" if shown else path
            reward = _read(folder, path, source, names, problems)
            if reward is not None:
                found.append((evaluation, reward, source))
            break
    if len({reward for _, reward, _ in found}) > 1:
        runs = set(map(_words, made_by.runs))
        found = [item for item in found if _words(item[0].run) in runs] or found
    if len({reward for _, reward, _ in found}) > 1:
        listed = ", ".join(f"{reward:g} ({source})" for _, reward, source in found)
        reason = f"verdicts disagree: {listed}; nothing says which belongs to this trace, so none is used"
        problems.append(Problem(found[0][2], "verdicts_disagree", reason))
        return []
    return [(reward, source) for _, reward, source in found[:1]]


def _own(evaluations: Sequence[Evaluation], made_by: MadeBy) -> Sequence[Evaluation]:
    """The evaluations of the trace's model: named exactly like it, else with its name in theirs.

    If no name fits, and there is one model only and one configuration only, all of them.
    """
    wanted = [words for name in made_by.models if (words := _words(name))]
    equal = [one for one in evaluations if _words(one.model) in wanted]
    if equal:
        return equal
    named = [one for one in evaluations if any(_holds(_words(one.model), w) for w in wanted)]
    if named:
        return named
    is_clear = made_by.alone and len({one.model for one in evaluations}) == 1
    return evaluations if is_clear else ()


def _words(name: str) -> tuple[str, ...]:
    """The words of a name without provider: `lab/Wader-1` and `lab__wader_1` give `wader 1`."""
    last = re.split(r"/|__", name)[-1]
    return tuple(word for word in _SIGNS.split(last.casefold()) if word)


def _holds(words: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return any(words[at : at + len(part)] == part for at in range(len(words) - len(part) + 1))


def _read(
    folder: Folder, path: str, source: str, names: Sequence[str], problems: list[Problem]
) -> float | None:
    try:
        with guarded():
            return verdict_in(as_mapping(loads(folder.read(path, MAX_REPORT))), names)
    except (TooLargeError, OverLimitError) as error:
        problems.append(Problem(source, "too_large", str(error)))
    except OSError as error:
        problems.append(Problem(source, "unreadable", f"cannot be read: {error}"))
    except BadJsonError as error:
        problems.append(Problem(source, "broken_json", f"not valid JSON: {error}"))
    return None


# --- all files beside a trace -------------------------------------------------------------


REPORT = "report.json"
RESULTS = ("results.json", "results/results.json")
PREDICTIONS = ("preds.json", "all_preds.jsonl")
SIDECARS = frozenset({REPORT, "results.json", *PREDICTIONS})
"""Names of files that are read here and are not traces."""

MAX_RECORD = 256 * 1024 * 1024
_RESOLVED = ("resolved", "resolved_ids")
"""Keys of results.json with the ids of solved instances."""
_NOT_RESOLVED = frozenset(
    {
        *("unresolved", "unresolved_ids", "failed", "failed_ids", "error", "error_ids", "errors"),
        *("no_generation", "no_logs", "empty_patch", "empty_patch_ids", "incomplete_ids"),
        *("install_fail", "reset_failed", "no_apply", "test_errored", "test_timeout"),
    }
)
"""Keys with ids of instances that cannot be solved. Other lists (`generated`, `applied`) hold solved
ones too."""


class OutcomeBeside(Frozen, frozen=True):
    """What the files next to a trace say about its instance."""

    reward: float | None = None
    reward_source: str | None = None
    submission: str | None = None
    submission_source: str | None = None
    problems: tuple[Problem, ...] = ()


class _FolderRecords(msgspec.Struct):
    """The records of one folder, read once."""

    folder: Folder
    shown: str
    """Its name in sources: the path below RUNS, `..` for the folder that holds RUNS."""
    has_logs: bool = False
    evaluations: Sequence[Evaluation] = ()
    """Folders of SWE-bench's own harness, one for each run and model."""
    results: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    predictions: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def named(self, name: str) -> str:
        return f"{self.shown}/{name}" if self.shown else name


class Verdicts:
    """Finds instances in the folders around their traces."""

    def __init__(self, instances: Iterable[str] = ()) -> None:
        """`instances` are names of all trials' tasks: a list that names none is of other trials."""
        self._places: dict[str, _FolderRecords] = {}
        self._instances = frozenset(instances)

    def find(
        self,
        names: Sequence[str],
        folders: Iterable[tuple[Folder, str]],
        made_by: MadeBy,
    ) -> OutcomeBeside:
        """What the folders, nearest first, say about an instance with one of these names."""
        names = [name for name in dict.fromkeys(names) if name and not set(name) & set("/\\\0")]
        found = OutcomeBeside()
        rewards: list[tuple[float, str]] = []
        listed: list[tuple[float, str]] = []
        problems: list[Problem] = []
        for depth, (folder, shown) in enumerate(folders):
            place = self._place(folder, shown)
            problems += place.problems
            place.problems = []  # reported once, with the first trial that meets them
            rewards += _rewards(place, names, problems, own=depth == 0)
            rewards += evaluated(
                place.folder, place.shown, place.evaluations, names, made_by, problems
            )
            listed += self._lists(place, names, problems)
            if found.submission is None:
                patch, source = _prediction(place, names)
                found = OutcomeBeside(submission=patch, submission_source=source)
        given = [*rewards, *listed]
        if len({reward for reward, _ in given}) > 1:
            said = ", ".join(f"{reward:g} ({source})" for reward, source in given)
            used = "the first is used" if rewards else "none is used"
            problems.append(
                Problem(given[0][1], "verdicts_disagree", f"verdicts disagree: {said}; {used}")
            )
            given = rewards
        reward, source = given[0] if given else (None, None)
        return OutcomeBeside(
            reward, source, found.submission, found.submission_source, tuple(problems)
        )

    def _lists(
        self, place: _FolderRecords, names: Sequence[str], problems: list[Problem]
    ) -> list[tuple[float, str]]:
        """The verdicts of lists of ids; an id in two of them that exclude each other has none."""
        found: list[tuple[float, str]] = []
        for source, lists in place.results:
            resolved = _ids(lists, _RESOLVED)
            if resolved is None:
                continue
            others = _ids(lists, _NOT_RESOLVED) or set()
            named = set().union(*(_ids(lists, [key]) or () for key in lists))
            if named and not named & self._instances.union(names):
                continue  # ids of other trials
            is_resolved, is_not = (not ids.isdisjoint(names) for ids in (resolved, others))
            if is_resolved and is_not:
                reason = "listed both as resolved and as not resolved; it has no verdict"
                problems.append(Problem(source, "verdicts_disagree", f"{names[0]}: {reason}"))
            else:
                why = [
                    key for key in sorted(_NOT_RESOLVED) if (_ids(lists, [key]) or set()) & {*names}
                ]
                found.append((float(is_resolved), f"{source}: {why[0]}" if why else source))
        return found

    def _place(self, folder: Folder, shown: str) -> _FolderRecords:
        place = self._places.get(folder.url)
        if place is None:
            place = self._places[folder.url] = _read_place(folder, shown)
        return place


def marks_beside(folder: Folder) -> list[str]:
    """Marks of everything that may be read in a folder, to notice changes."""
    marks = []
    for name in (*RESULTS, *PREDICTIONS):
        entry = folder.stat(name)
        if entry is not None:
            marks.append(f"{name} {entry.mark}")
    marks += evaluation_marks(folder)
    logs = folder.folder("logs")
    for below in logs.entries():
        report = logs.stat(f"{below.name}/{REPORT}") if below.kind == "folder" else None
        if report is not None:
            marks.append(f"{report.name} {report.mark}")
    return marks


def _read_place(folder: Folder, shown: str) -> _FolderRecords:
    place = _FolderRecords(folder, shown)
    kinds = {entry.name: entry.kind for entry in folder.entries()}
    place.has_logs = kinds.get("logs") == "folder"
    place.evaluations = evaluations_in(folder) if place.has_logs else ()
    for name in RESULTS:
        top = name.partition("/")[0]
        if kinds.get(top) in ("file", "folder") and folder.has_file(name):
            value = as_mapping(_json(place, name))
            if value:
                place.results.append((place.named(name), value))
    for name in PREDICTIONS:
        if kinds.get(name) == "file":
            patches = _patches(place, name)
            if patches:
                place.predictions.append((place.named(name), patches))
    return place


def _json(place: _FolderRecords, name: str) -> Any:
    try:
        with guarded(MAX_RECORD):
            return loads(place.folder.read(name, MAX_RECORD))
    except (TooLargeError, OverLimitError) as error:
        place.problems.append(Problem(place.named(name), "too_large", str(error)))
    except OSError as error:
        place.problems.append(Problem(place.named(name), "unreadable", f"cannot be read: {error}"))
    except BadJsonError as error:
        reason = f"not valid JSON: {error}"
        place.problems.append(Problem(place.named(name), "broken_json", reason, line=error.line))
    return None


def _patches(place: _FolderRecords, name: str) -> dict[str, str]:
    """Instance id to the submitted patch."""
    if name.endswith(".jsonl"):
        rows = _json_lines(place, name)
    else:
        value = _json(place, name)
        if isinstance(value, dict):
            value = [{"instance_id": key, **as_mapping(row)} for key, row in value.items()]
        rows = value if isinstance(value, list) else []
    found: dict[str, str] = {}
    for row in rows:
        key, patch = as_mapping(row).get("instance_id"), as_mapping(row).get("model_patch")
        if isinstance(key, str) and (patch is None or isinstance(patch, str)):
            found.setdefault(key, clean_text(patch or ""))
    return found


def _json_lines(place: _FolderRecords, name: str) -> list[Any]:
    from groundtrace.base.jsonl import read_lines

    rows: list[Any] = []
    try:
        with place.folder.open(name) as stream:
            for line in read_lines(stream):
                try:
                    rows.append(loads(line.data))
                except BadJsonError as error:
                    reason = f"not valid JSON: {error}"
                    place.problems.append(
                        Problem(place.named(name), "broken_line", reason, line=line.number)
                    )
    except OSError as error:
        place.problems.append(Problem(place.named(name), "unreadable", f"cannot be read: {error}"))
    return rows


def _rewards(
    place: _FolderRecords, names: Sequence[str], problems: list[Problem], *, own: bool
) -> list[tuple[float, str]]:
    """Every verdict in a folder; its own report counts only for a trace in this very folder."""
    found: list[tuple[float, str]] = []
    reports = [REPORT] if own else []
    reports += [f"logs/{name}/{REPORT}" for name in names] if place.has_logs else []
    for path in reports:
        if not place.folder.has_file(path):
            continue
        report = as_mapping(_json(place, path))
        problems += place.problems
        place.problems = []
        reward = verdict_in(report, names)
        if reward is not None:
            found.append((reward, place.named(path)))
    return found


def _ids(lists: Mapping[str, Any], keys: Iterable[str]) -> set[str] | None:
    """The ids in these lists; None if there is no such list."""
    held = [lists[key] for key in keys if isinstance(lists.get(key), list)]
    return {item for ids in held for item in ids if isinstance(item, str)} if held else None


def _prediction(place: _FolderRecords, names: Sequence[str]) -> tuple[str | None, str | None]:
    for source, patches in place.predictions:
        for name in names:
            if name in patches:
                return patches[name], source
    return None, None
