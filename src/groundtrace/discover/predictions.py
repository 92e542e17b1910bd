"""Results without traces: predictions (patches) and ranked lists of places in the code.

| file | a row |
|---|---|
| `preds.json` | instance id to `model_patch` |
| `all_preds.jsonl`, or any file of such rows | `instance_id`, `model_patch`, `model_name_or_path` |
| a ranked list, such as those of LocAgent, CoSIL and Agentless | `instance_id`, `found_files`, `found_modules`, `found_entities`, best first |

Given as RUNS, each row is a trial without calls (D234). Beside traces, predictions only say what was
handed in (`verdicts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from groundtrace.base.jsonio import BadJsonError, clean_text, loads
from groundtrace.base.jsonl import read_lines
from groundtrace.base.limit import OverLimitError, guarded
from groundtrace.base.values import as_mapping, as_text
from groundtrace.discover.records import what_git_left
from groundtrace.model import Problem, RankedPlaces, Stated
from groundtrace.storage import Folder, TooLargeError

if TYPE_CHECKING:
    from groundtrace.traces.kit.claims import Sample

MAX_RECORD = 256 * 1024 * 1024
_HEAD = 1 << 16
_PATCH = "model_patch"
_LISTS = ("found_files", "found_modules", "found_entities")
_MAX_PLACES = 10_000
"""Most entries of one ranked list; nobody ranks more."""


T = TypeVar("T")


def read_beside(
    folder: Folder,
    name: str,
    shown: str,
    problems: list[Problem],
    parse: Callable[[bytes], T],
    limit: int = MAX_RECORD,
) -> T | None:
    """What a file beside traces holds; None and a problem if it cannot be read. `shown` is the
    file's name in problems."""
    data = b""
    try:
        with guarded(limit):
            data = folder.read(name, limit)
            return parse(data)
    except (TooLargeError, OverLimitError) as error:
        problems.append(Problem(shown, "too_large", str(error)))
    except OSError as error:
        problems.append(Problem(shown, "unreadable", f"cannot be read: {error}"))
    except BadJsonError as error:
        reason = what_git_left(data) or f"not valid JSON: {error}"
        problems.append(Problem(shown, "broken_json", reason, line=error.line))
    return None


def rows_of(
    folder: Folder, name: str, shown: str, problems: list[Problem]
) -> list[Mapping[str, Any]]:
    """The rows of a file: a line each, a list, or an object from instance to row. `shown` is the
    file's name in problems."""
    if name.endswith((".jsonl", ".ndjson")):
        try:
            return list(_lines(folder, name, shown, problems))
        except OSError as error:
            problems.append(Problem(shown, "unreadable", f"cannot be read: {error}"))
            return []
    value = read_beside(folder, name, shown, problems, loads)
    if isinstance(value, dict):
        if _is_result(value):
            return [value]
        return [{"instance_id": key, **as_mapping(row)} for key, row in value.items()]
    return [as_mapping(row) for row in value] if isinstance(value, list) else []


def _lines(
    folder: Folder, name: str, shown: str, problems: list[Problem]
) -> Iterator[Mapping[str, Any]]:
    with folder.open(name) as stream:
        for line in read_lines(stream):
            try:
                yield as_mapping(loads(line.data))
            except BadJsonError as error:
                reason = f"not valid JSON: {error}"
                problems.append(Problem(shown, "broken_line", reason, line=line.number))


def patch_of(row: Mapping[str, Any]) -> tuple[str, str] | None:
    """The instance and the patch of a row; a patch that is null is an empty one."""
    key, patch = row.get("instance_id"), row.get(_PATCH)
    if isinstance(key, str) and _PATCH in row and (patch is None or isinstance(patch, str)):
        return key, clean_text(patch or "")
    return None


def _is_result(row: Mapping[str, Any]) -> bool:
    names = isinstance(row.get("instance_id"), str)
    return names and (_PATCH in row or any(isinstance(row.get(key), list) for key in _LISTS))


def results_in(folder: Folder, name: str) -> list[Sample | Problem] | None:
    """The trials of a file of predictions or ranked lists; None if it is neither."""
    try:
        with folder.open(name) as stream:
            head = stream.read(_HEAD)
    except OSError:
        return None
    if not any(f'"{key}"'.encode() in head for key in (_PATCH, *_LISTS)):
        return None
    problems: list[Problem] = []
    rows = rows_of(folder, name, name, problems)
    if not any(map(_is_result, rows)):
        return None
    # Here: a run without changes needs no reader of traces.
    from groundtrace.traces.kit.claims import Sample
    from groundtrace.traces.kit.rows import UniqueNames

    names = UniqueNames()
    # A line that is no JSON is a trial that is missing.
    found: list[Sample | Problem] = [replace(problem, kind="bad_row") for problem in problems]
    for number, row in enumerate(rows, start=1):
        if not _is_result(row):
            reason = "a row without instance_id, or without a patch or a list"
            found.append(Problem(name, "bad_row", reason, line=number))
            continue
        ranking = _ranking(row, name, number, found)
        patch = patch_of(row)
        if _PATCH in row and patch is None:
            reason = f"{_PATCH} is {type(row[_PATCH]).__name__}, where text is expected"
            found.append(Problem(name, "bad_row", reason, line=number))
        if patch is None and ranking is None:
            continue
        instance = clean_text(row["instance_id"])
        stated = Stated(
            task=instance,
            task_place="instance_id",
            model=as_text(row.get("model_name_or_path")),
            submission=None if patch is None else patch[1],
            submission_source=name,
            ranking=ranking,
        )
        found.append(Sample(names.next(instance), stated))
    return found


def _ranking(
    row: Mapping[str, Any], name: str, number: int, problems: list[Sample | Problem]
) -> RankedPlaces | None:
    """The lists of a row. Without a list of files, the files of the finest list are ranked."""
    lists: dict[str, tuple[str, ...]] = {}
    for key in _LISTS:
        listed = row.get(key)
        if not isinstance(listed, list):
            continue
        if any(isinstance(item, list) for item in listed):
            reason = f"{key} holds the lists of several samples; give the file that merges them"
            problems.append(Problem(name, "bad_row", reason, line=number))
            continue
        places = [clean_text(item) for item in listed[:_MAX_PLACES] if isinstance(item, str)]
        lists[key] = tuple(dict.fromkeys(places))
    if not lists:
        return None
    files, modules, entities = (lists.get(key) for key in _LISTS)
    if files is None:
        files = _files_of(entities or modules or ())
    return RankedPlaces(files, modules or (), entities or ())


def _files_of(places: Sequence[str]) -> tuple[str, ...]:
    """The files of places such as `src/app.py:Class.method`, in their order."""
    return tuple(dict.fromkeys(place.partition(":")[0] for place in places))
