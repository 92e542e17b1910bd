"""Verdicts and predictions next to loose traces, where the tools of SWE-bench write them.

| file | holds |
|---|---|
| `logs/<id>/report.json` | `{"resolved": …}`, or the same below the instance's id |
| `logs/run_evaluation/<run>/<model>/<id>/report.json` | the same, from SWE-bench's own harness |
| `results.json`, `results/results.json`, `report.json`, `final_report.json` | lists of ids: `resolved`, `no_generation`, …; or a verdict for each id |
| `<model>.<run>.json` | the same lists, as SWE-bench's own harness sums up a run |
| `results.json` of mcpbr | `tasks`: each instance with one object for each side |
| `results.jsonl`, `eval_results.jsonl`, `report.jsonl`, `results.csv` | a row for each instance |
| `preds.json` | instance id to `model_patch` |
| `all_preds.jsonl` | one line per instance, with `model_patch` |

They are searched for in the trace's folder, in every folder above it up to RUNS, and in the folder
that holds RUNS: leaderboards have `trajs/` and `logs/` next to each other. A verdict is a reward of
1.0 or 0.0 with its source. If two differ, the report of the instance counts and the difference is
reported; if two lists differ, there is no verdict. A list of resolved ids is a verdict for every
trial of its run: one that it does not name is not resolved (D147). Reports of SWE-bench's own
harness that belong to another model or run say nothing about a trace (D102). Nor does a file that
lies above several configurations that ran the same task: nobody knows whose verdict it is (D212).

One folder of logs of that harness may hold the reports of many models and runs. Names show which of
them judge a trace: the names of its model, its configuration and its run. If the names do not
decide and the reports differ, there is no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import loads
from groundtrace.base.limit import OverLimitError, guarded
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_amount, as_count, as_mapping
from groundtrace.discover.predictions import MAX_RECORD, patch_of, read_beside, rows_of
from groundtrace.model import Problem
from groundtrace.storage import Folder

PLACE = "logs/run_evaluation"
MAX_REPORT = 64 * 1024 * 1024
MAX_EVALUATIONS = 2_000
"""How many folders of a run and a model are searched."""

_SIGNS = regex(r"[^a-z0-9]+")


class Evaluation(Frozen, frozen=True):
    """The reports of one model in one run."""

    path: str
    run: str
    model: str


class MadeBy(Frozen, frozen=True):
    """Names that show which reports judge a trace."""

    models: Sequence[str] = ()
    """Names of its model and its configuration."""
    runs: Sequence[str] = ()
    """Names of its run and of the folders above it."""
    alone: bool = True
    """Whether all traces have one configuration."""
    side: str | None = None
    """The side of a comparison on which the trace says it was made."""


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
            report = read_beside(folder, path, source, problems, loads, MAX_REPORT)
            reward = verdict_in(as_mapping(report), names)
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


# --- all files beside a trace -------------------------------------------------------------


REPORT = "report.json"
RESULTS = ("results.json", "results/results.json", REPORT, "final_report.json")
PREDICTIONS = ("preds.json", "all_preds.jsonl")
ROWS = ("results.jsonl", "eval_results.jsonl", "report.jsonl", "results.csv")
"""Files of verdicts with a row for each instance; one of these names may be a trace, too."""
SIDECARS = frozenset({REPORT, "results.json", "final_report.json", *PREDICTIONS})
"""Names of files that are read here and are not traces."""

MAX_SUMMARIES = 50
"""How many files of a folder are looked at for the summary of a run."""
_SUMMARY = regex(r"(?P<model>.+)\.(?P<run>[^.]+)\.json")
_TAIL = regex(r"(?<![\s_-])[\s_-]++(?:ids|instances|instance_ids|tasks)$")
_RESOLVED = frozenset(
    {"resolved", "solved", "success", "successes", "successful", "passed", "pass", "correct"}
)
"""Keys of lists with the ids of solved instances, without `_ids` at their end."""
_NOT_RESOLVED = frozenset(
    {
        *("unresolved", "not_resolved", "unsolved", "failed", "failure", "failures", "fail"),
        *("error", "errors", "no_generation", "no_logs", "empty_patch", "incomplete"),
        *("install_fail", "reset_failed", "no_apply", "test_errored", "test_timeout"),
    }
)
"""Keys with ids of instances that cannot be solved. Other lists (`generated`, `applied`) hold solved
ones too."""


class IdLists(Frozen, frozen=True):
    """What one file says about many instances."""

    source: str
    resolved: frozenset[str] | None
    """Ids of solved instances; None if the file has no such list."""
    others: Mapping[str, frozenset[str]]
    """Key to the ids in any other list."""
    each: Mapping[str, float]
    """Verdict of each instance, where the file has one for each."""

    @property
    def ids(self) -> frozenset[str]:
        """Every id in the file."""
        return frozenset(self.each).union(self.resolved or (), *self.others.values())


def id_lists(source: str, value: Any) -> IdLists | None:
    """The lists of ids or the verdicts in a file; None if it has neither.

    `{"resolved": [ids]}` in several spellings, `{id: true}`, `{id: {"resolved": true}}`,
    `{"resolved": {id: true}}` and rows of `{"instance_id": id, "resolved": true}`, also below a key
    such as `results`.
    """
    each = {} if isinstance(value, list) else _each(as_mapping(value))
    for held in (value, *(as_mapping(value).get(key) for key in _HOLDERS)):
        each |= _each(_by_id(held) if isinstance(held, list) else {})
        each |= _each(as_mapping(held)) if held is not value else {}
    others: dict[str, frozenset[str]] = {}
    resolved: frozenset[str] | None = None
    for name, held in as_mapping(value).items():
        key = _TAIL.sub("", name.casefold())
        if key in _RESOLVED and isinstance(held, dict):
            each |= _each(held)
        if not isinstance(held, list):
            continue
        ids = frozenset(item for item in held if isinstance(item, str))
        if key in _RESOLVED:
            resolved = (resolved or frozenset()) | ids
        else:
            others[key] = others.get(key, frozenset()) | ids
    if resolved is None and not each:
        return None
    return IdLists(source, resolved, others, each)


_HOLDERS = ("results", "instances", "reports", "details")
_IDS = ("instance_id", "task_id", "id", "task")
_SAID = ("resolved", "is_resolved", "solved", "passed")
"""Keys of a row's verdict. `success` is not among them: agents say it of themselves."""
_WORDS: Mapping[str, float] = {"resolved": 1.0, "solved": 1.0, "unresolved": 0.0, "unsolved": 0.0}


def _by_configuration(source: str, value: Any) -> list[tuple[str, IdLists]]:
    """Verdicts by a name and then by id, or by id and then by a name, as `{"mcp": {id: true}}`.

    Both are read: ids that are names of configurations are those of no trial.
    """
    found: list[tuple[str, IdLists]] = []
    for rows in (value, *(as_mapping(value).get(key) for key in _HOLDERS)):
        sides: dict[str, dict[str, float]] = {}
        for name, held in as_mapping(rows).items():
            if not isinstance(held, dict):
                continue
            if (lists := id_lists(f"{source}: {name}", held)) is not None:
                found.append((name, lists))
            for side, verdict in _each(held).items():
                sides.setdefault(side, {})[name] = verdict
        found += [
            (side, IdLists(f"{source}: {side}", None, {}, each)) for side, each in sides.items()
        ]
    return found


def _plain(name: str) -> str:
    return _SIGNS.sub("-", name.casefold())


def _by_id(rows: Iterable[Any]) -> dict[str, Any]:
    """Rows by the ids that they state; of two rows of one id, neither."""
    found: dict[str, Any] = {}
    twice = set()
    for row in map(as_mapping, rows):
        name = next((row[key] for key in _IDS if isinstance(row.get(key), str)), None)
        if name is not None:
            twice |= {name} & set(found)
            found[name] = row
    return {name: row for name, row in found.items() if name not in twice}


def _each(value: Mapping[str, Any]) -> dict[str, float]:
    """The verdict of each id in a mapping of ids."""
    found = {}
    for key, held in value.items():
        verdict = _verdict(held)
        if verdict is not None:
            found[key] = verdict
    return found


def _verdict(held: Any) -> float | None:
    """What a value or a row says about one instance: a boolean, or a word for it."""
    if isinstance(held, dict):
        said = (held[key] for key in _SAID if held.get(key) is not None)
        held = next(said, held.get("status", held.get("reward")))
        if isinstance(held, int | float) and not isinstance(held, bool):
            return float(held) if 0 <= held <= 1 else None
    if isinstance(held, str):
        word = held.strip().casefold()
        return {"true": 1.0, "false": 0.0}.get(word, _WORDS.get(word))
    return float(held) if isinstance(held, bool) else None


class OutcomeBeside(Frozen, frozen=True):
    """What the files next to a trace say about its instance."""

    reward: float | None = None
    reward_source: str | None = None
    submission: str | None = None
    submission_source: str | None = None
    problems: tuple[Problem, ...] = ()
    cost_usd: float | None = None
    output_tokens: int | None = None
    spent_source: str | None = None
    """Where cost and tokens were found."""


class _Side(Frozen, frozen=True):
    """What a runner's results say about one side of an instance."""

    source: str
    reward: float | None
    cost_usd: float | None
    output_tokens: int | None


class _FolderRecords(msgspec.Struct):
    """The records of one folder, read once."""

    folder: Folder
    shown: str
    """Its name in sources: the path below RUNS, `..` for the folder that holds RUNS."""
    has_logs: bool = False
    evaluations: Sequence[Evaluation] = ()
    """Folders of SWE-bench's own harness, one for each run and model."""
    results: list[IdLists] = field(default_factory=list)
    sides: list[tuple[str, list[Any]]] = field(default_factory=list)
    """Tasks of mcpbr's results, with the file's name."""
    summaries: list[tuple[Evaluation, IdLists]] = field(default_factory=list)
    """The same of one model and run, by the name of the file."""
    by_configuration: list[tuple[str, IdLists]] = field(default_factory=list)
    """The same of one configuration, by its name in a file of several."""
    predictions: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def named(self, name: str) -> str:
        return f"{self.shown}/{name}" if self.shown else name


class Verdicts:
    """Finds instances in the folders around their traces."""

    def __init__(
        self, instances: Iterable[str] = (), shared: Collection[tuple[str, str]] = ()
    ) -> None:
        """`instances` are names of all trials' tasks: a list that names none is of other trials.

        `shared` are the folders (as sources name them) and tasks with trials of several
        configurations below.
        """
        self._places: dict[str, _FolderRecords] = {}
        self._instances = frozenset(instances)
        self._shared = shared

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
        side: _Side | None = None
        for depth, (folder, shown) in enumerate(folders):
            place = self._place(folder, shown)
            problems += place.problems
            place.problems = []  # reported once, with the first trial that meets them
            said = self._lists(place.results, names, problems)
            judged = _rewards(place, names, problems, own=depth == 0)
            if names and (shown, names[0]) in self._shared:
                problems += _whose([*judged, *said])
                judged, said = [], []
            elif found.submission is None:
                patch, source = _prediction(place, names)
                found = OutcomeBeside(submission=patch, submission_source=source)
            rewards += judged
            if made_by.side is not None:
                side = side or _of_side(place, names, made_by.side)
            own = _own([evaluation for evaluation, _ in place.summaries], made_by)
            of_model = [lists for evaluation, lists in place.summaries if evaluation in own]
            made = set(map(_plain, made_by.models))
            of_model += [lists for name, lists in place.by_configuration if _plain(name) in made]
            listed += [*said, *self._lists(of_model, names, problems)]
            rewards += evaluated(
                place.folder, place.shown, place.evaluations, names, made_by, problems
            )
        if side is not None and side.reward is not None:
            rewards.insert(0, (side.reward, side.source))
        given = [*rewards, *listed]
        if len({reward for reward, _ in given}) > 1:
            shown = ", ".join(f"{reward:g} ({source})" for reward, source in given)
            used = "the first is used" if rewards else "none is used"
            problems.append(
                Problem(given[0][1], "verdicts_disagree", f"verdicts disagree: {shown}; {used}")
            )
            given = rewards
        reward, source = given[0] if given else (None, None)
        spent = side or _Side("", None, None, None)
        return OutcomeBeside(
            reward,
            source,
            found.submission,
            found.submission_source,
            tuple(problems),
            spent.cost_usd,
            spent.output_tokens,
            spent.source or None,
        )

    def _lists(
        self, files: Iterable[IdLists], names: Sequence[str], problems: list[Problem]
    ) -> list[tuple[float, str]]:
        """The verdicts of lists of ids; an id in two of them that exclude each other has none."""
        found: list[tuple[float, str]] = []
        for lists in files:
            source, ids = lists.source, lists.ids
            if ids and ids.isdisjoint(self._instances.union(names)):
                continue  # ids of other trials
            each = {lists.each[name] for name in names if name in lists.each}
            is_resolved = lists.resolved is not None and not lists.resolved.isdisjoint(names)
            why = sorted(
                key
                for key, held in lists.others.items()
                if key in _NOT_RESOLVED and not held.isdisjoint(names)
            )
            said = each | ({1.0} if is_resolved else set()) | ({0.0} if why else set())
            if len(said) > 1:
                reason = "listed both as resolved and as not resolved; it has no verdict"
                problems.append(Problem(source, "verdicts_disagree", f"{names[0]}: {reason}"))
            elif said or lists.resolved is not None:
                found.append((max(said, default=0.0), f"{source}: {why[0]}" if why else source))
        return found

    def _place(self, folder: Folder, shown: str) -> _FolderRecords:
        place = self._places.get(folder.url)
        if place is None:
            place = self._places[folder.url] = _read_place(folder, shown)
        return place


def marks_beside(folder: Folder) -> list[str]:
    """Marks of everything that may be read in a folder, to notice changes."""
    marks = []
    kinds = {entry.name: entry.kind for entry in folder.entries()}
    for name in (*RESULTS, *ROWS, *PREDICTIONS, *_summaries(kinds)):
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
            value = _json(place, name)
            lists = id_lists(place.named(name), value)
            if lists is not None:
                place.results.append(lists)
            else:
                place.by_configuration += _by_configuration(place.named(name), value)
            if isinstance(tasks := as_mapping(value).get("tasks"), list):
                place.sides.append((place.named(name), tasks))
    for name in ROWS:
        if kinds.get(name) == "file" and any(key in _first_line(folder, name) for key in _SIGN):
            lists = id_lists(place.named(name), _rows(place, name))
            if lists is not None:
                place.results.append(lists)
    for name, evaluation in _summaries(kinds).items():
        if b'"resolved' in _head(folder, name):
            lists = id_lists(place.named(name), _json(place, name))
            if lists is not None and lists.resolved is not None:
                place.summaries.append((evaluation, lists))
    for name in PREDICTIONS:
        if kinds.get(name) == "file":
            patches = _patches(place, name)
            if patches:
                place.predictions.append((place.named(name), patches))
    return place


def _summaries(kinds: Mapping[str, str]) -> dict[str, Evaluation]:
    """Files of a folder that may sum up a run (`<model>.<run>.json`), by their names."""
    found: dict[str, Evaluation] = {}
    for name, kind in kinds.items():
        named = _SUMMARY.fullmatch(name) if kind == "file" else None
        if named is not None and named["run"] not in ("traj", "trajectory"):
            found[name] = Evaluation(name, named["run"], named["model"])
    return dict(list(found.items())[:MAX_SUMMARIES])


def _head(folder: Folder, name: str) -> bytes:
    try:
        with folder.open(name) as stream:
            return stream.read(256 * 1024)
    except OSError:
        return b""


_SIGN = tuple(key.encode() for key in (*_SAID, "reward", "status"))


def _first_line(folder: Folder, name: str) -> bytes:
    """A file's first line; empty if it is so long that the rows are traces and not verdicts."""
    line, end, _ = _head(folder, name).partition(b"\n")
    return line if end and len(line) < 16_384 else b""


def _rows(place: _FolderRecords, name: str) -> list[Mapping[str, Any]]:
    import csv

    try:
        with guarded(MAX_RECORD):
            if not name.endswith(".csv"):
                return rows_of(place.folder, name, place.named(name), place.problems)
            text = place.folder.read(name, MAX_RECORD).decode("utf-8-sig", "replace")
            return list(csv.DictReader(text.splitlines()))
    except (OverLimitError, OSError, csv.Error) as error:
        place.problems.append(Problem(place.named(name), "unreadable", f"cannot be read: {error}"))
    return []


def _whose(verdicts: Iterable[tuple[float, str]]) -> list[Problem]:
    """That nobody knows which configuration these verdicts are about."""
    reason = (
        "lies above several configurations that ran this task: nothing says whose verdict it is"
    )
    files = dict.fromkeys(source.partition(": ")[0] for _, source in verdicts)
    return [Problem(file, "verdicts_disagree", reason) for file in files]


def _json(place: _FolderRecords, name: str) -> Any:
    return read_beside(place.folder, name, place.named(name), place.problems, loads)


def _patches(place: _FolderRecords, name: str) -> dict[str, str]:
    """Instance id to the submitted patch."""
    found: dict[str, str] = {}
    try:
        with guarded(MAX_RECORD):
            for row in rows_of(place.folder, name, place.named(name), place.problems):
                patch = patch_of(row)
                if patch is not None:
                    found.setdefault(*patch)
    except OverLimitError as error:
        place.problems.append(Problem(place.named(name), "too_large", str(error)))
    return found


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


def _of_side(place: _FolderRecords, names: Sequence[str], side: str) -> _Side | None:
    """What mcpbr's results say about one side of an instance. A cost of 0 is not known."""
    for source, tasks in place.sides:
        for row in map(as_mapping, tasks):
            said = as_mapping(row.get(side))
            if row.get("instance_id") not in names or not said:
                continue
            verdict = said.get("resolved")
            return _Side(
                f"{source}: {side}",
                float(verdict) if isinstance(verdict, bool) else None,
                as_amount(said.get("cost")) or None,
                as_count(as_mapping(said.get("tokens")).get("output")),
            )
    return None


def _prediction(place: _FolderRecords, names: Sequence[str]) -> tuple[str | None, str | None]:
    for source, patches in place.predictions:
        for name in names:
            if name in patches:
                return patches[name], source
    return None, None
