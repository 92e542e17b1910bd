"""Reports of SWE-bench's own harness: `logs/run_evaluation/<run>/<model>/<id>/report.json`.

One folder of logs may hold the reports of many models and runs. Names show which of them judge a
trace: the names of its model, its configuration and its run. If the names do not decide and the
reports differ, there is no verdict (D102).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from groundtrace.base.jsonio import BadJsonError, loads
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
        told = ", ".join(f"{reward:g} ({source})" for _, reward, source in found)
        reason = (
            f"verdicts disagree: {told}; nothing says which belongs to this trace, so none is used"
        )
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
        return verdict_in(as_mapping(loads(folder.read(path, MAX_REPORT))), names)
    except TooLargeError as error:
        problems.append(Problem(source, "too_large", str(error)))
    except OSError as error:
        problems.append(Problem(source, "unreadable", f"cannot be read: {error}"))
    except BadJsonError as error:
        problems.append(Problem(source, "broken_json", f"not valid JSON: {error}"))
    return None
