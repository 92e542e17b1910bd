"""TREC run and qrels files; trec_eval computes the numbers of the metrics documents from them.

A query is a trial (`run/task`), a document is a file. Names are percent-encoded, because TREC
files are split at white space. Files are ranked by first access, or as a ranked list has them;
scores fall by one. Qrels hold relevant files (1) and files that are judged irrelevant (0), which
bpref needs. A query that retrieved nothing is in the qrels and in no run: a run file has no way to
say it. Such queries are listed in `<run>.empty`, and count as 0 in a mean over all queries of the
qrels (`trec_eval -c`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO
from urllib.parse import quote

from groundtrace.base.safe_names import safe_name
from groundtrace.documents.functions import FunctionLines
from groundtrace.metrics.evidence import RETRIEVED, SHOWN, EvidenceView, Touch
from groundtrace.metrics.function_level import seen_functions
from groundtrace.metrics.judged import judged_zero
from groundtrace.rows.trial_row import Detail
from groundtrace.tables.export import WholeFile

RANKINGS = {"retrieved": RETRIEVED, "shown": SHOWN}
"""Rankings that are written, by name."""
TAG = "groundtrace"


def trec_name(name: str) -> str:
    """A name without white space; `urllib.parse.unquote` reads it back."""
    return quote(name, safe="/:@+-._~,=()[]#", errors="replace") or "%"


def query_of(detail: Detail) -> str:
    """The name of the query for a trial."""
    where = detail.events.provenance
    name = f"{where.run_id}/{where.task_name}"
    outcome = detail.row.outcome
    if outcome is not None and outcome.state != "selected":
        name += f"/{where.trial_name}"
    return trec_name(name)


EMPTY = ".empty"
"""Ending of the lists of queries that retrieved nothing."""


def write_trec(details: Iterable[Detail], folder: Path) -> list[Path]:
    """For each configuration `<config>.qrels`, a run file per ranking, and the queries that are in
    no run file, of computable trials."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        streams: dict[Path, IO[str]] = {}
        for detail in details:
            if not detail.metrics.file_level_metrics.computable:
                continue
            config = safe_name(detail.events.provenance.config_name)
            for ending, lines in _lines(detail):
                path = folder / f"{config}.{ending}"
                if path not in streams:
                    streams[path] = stack.enter_context(WholeFile(path))
                streams[path].writelines(f"{line}\n" for line in lines)
    return sorted(streams)


def _lines(detail: Detail) -> Iterator[tuple[str, list[str]]]:
    evidence = EvidenceView(detail.events)
    query = query_of(detail)
    rankings = _rankings(evidence)
    judged = dict.fromkeys(evidence.truth, 1) | dict.fromkeys(_irrelevant(evidence, rankings), 0)
    yield "qrels", [f"{query} 0 {trec_name(name)} {grade}" for name, grade in judged.items()]
    for name, ranked in rankings.items():
        yield f"{name}.run", _run_lines(query, ranked)
        if not ranked:
            yield f"{name}.run{EMPTY}", [query]
    yield from _functions(evidence, query)


def _functions(evidence: EvidenceView, query: str) -> Iterator[tuple[str, list[str]]]:
    for needed, shown in _function_rankings(evidence):
        yield "functions.qrels", [f"{query} 0 {trec_name(name)} 1" for name in needed]
        yield "functions.run", _run_lines(query, shown)


def _run_lines(query: str, ranked: Sequence[str]) -> list[str]:
    return [
        f"{query} Q0 {trec_name(name)} {rank} {len(ranked) - rank + 1} {TAG}"
        for rank, name in enumerate(ranked, 1)
    ]


def _rankings(evidence: EvidenceView) -> dict[str, list[str]]:
    """Each ranking that is written, by name: the files in their order."""
    if evidence.basis == "ranking":
        spelled = {entry.lower(): entry for entry in evidence.truth}
        ranked = evidence.ranked or ()
        return {"retrieved": [spelled.get(file.lower(), file) for file in ranked]}
    entries = set(evidence.truth)
    return {
        name: [_document(touch, entries) for touch in evidence.first(kinds)]
        for name, kinds in RANKINGS.items()
    }


def _irrelevant(evidence: EvidenceView, rankings: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Files that are judged irrelevant, named as in the rankings. One that nothing retrieved must
    not be named like another file that was."""
    entries = set(evidence.truth)
    taken = entries.union(*rankings.values())
    for file, touch in judged_zero(evidence).items():
        if touch is not None:
            yield _document(touch, entries)
        else:
            yield f"./{file}" if file in taken else file


def _document(touch: Touch, entries: set[str]) -> str:
    """A file's name. A file can be spelled like a ground-truth entry without being that file, such
    as a file with the same path beside the clones. It must not be scored as relevant."""
    if touch.truth is None and touch.file in entries:
        return f"./{touch.file}"
    return touch.name


def _function_rankings(evidence: EvidenceView) -> Iterator[tuple[list[str], list[str]]]:
    """Needed functions and functions shown, if both are known.

    A document is a function, ranked by first sight. A name has the function's first line
    (`path::Class.method#12`): a getter and its setter share a name.
    """
    seen = seen_functions(evidence)
    if seen.relevant and not {"function_recall", "functions_shown"} & seen.undefined.keys():
        yield [*map(_function_name, seen.relevant)], [*map(_function_name, seen.shown)]


def _function_name(one: FunctionLines) -> str:
    return f"{one.function}#{one.line_start}"
