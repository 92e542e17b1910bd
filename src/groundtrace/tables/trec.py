"""TREC run and qrels files; trec_eval computes the numbers of the metrics documents from them.

A query is a trial (`run/task`), a document is a file. Names are percent-encoded, because TREC
files are split at white space. Files are ranked by first access; scores fall by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO
from urllib.parse import quote

from groundtrace.base.safe_names import safe_name
from groundtrace.metrics.evidence import RETRIEVED, SHOWN, EvidenceView, Touch
from groundtrace.rows.detail import Detail
from groundtrace.tables.export import WholeFile
from groundtrace.tables.trec_functions import function_rankings

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


def write_trec(details: Iterable[Detail], folder: Path) -> list[Path]:
    """For each configuration `<config>.qrels` and a run file per ranking, of computable trials."""
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
    entries = set(evidence.truth)
    query = query_of(detail)
    yield "qrels", [f"{query} 0 {trec_name(entry)} 1" for entry in evidence.truth]
    for name, kinds in RANKINGS.items():
        ranked = [_document(touch, entries) for touch in evidence.first(kinds)]
        yield (
            f"{name}.run",
            [
                f"{query} Q0 {trec_name(file)} {rank} {len(ranked) - rank + 1} {TAG}"
                for rank, file in enumerate(ranked, 1)
            ],
        )
    yield from _functions(evidence, query)


def _functions(evidence: EvidenceView, query: str) -> Iterator[tuple[str, list[str]]]:
    for needed, shown in function_rankings(evidence):
        yield "functions.qrels", [f"{query} 0 {trec_name(name)} 1" for name in needed]
        yield (
            "functions.run",
            [
                f"{query} Q0 {trec_name(name)} {rank} {len(shown) - rank + 1} {TAG}"
                for rank, name in enumerate(shown, 1)
            ],
        )


def _document(touch: Touch, entries: set[str]) -> str:
    """A file's name. A file can be spelled like a ground-truth entry without being that file, such
    as a file with the same path beside the clones. It must not be scored as relevant."""
    if touch.truth is None and touch.file in entries:
        return f"./{touch.file}"
    return touch.name
