"""Cost of each section of the metrics document: `python -m benchmarks.metrics [--trials N]`.

Normalizes generated trials, then computes the metrics of their events documents with the functions
that `evaluate` calls. What several sections need is computed once and has rows of its own, before
the sections; freeing it is a row too. The least CPU time of all turns counts. Times are for a trial
and for a megabyte of its traces, and relative to what Claude Code's reader takes for a megabyte of
the generated session. `values` is how many metrics of a section a trial has on average: a section
without values is cheap because generated trials lack what it needs, such as relevant lines or
subagents.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.formats import FIRST
from benchmarks.generate import generate
from benchmarks.sessions import measure
from groundtrace.documents.events import EventsDocument
from groundtrace.metrics import evaluate
from groundtrace.metrics.catalogue import METRICS, SECTIONS, values_in
from groundtrace.metrics.edited import edited_files
from groundtrace.metrics.error_taxonomy import error_taxonomy
from groundtrace.metrics.evidence import (
    READ,
    RETRIEVED,
    SHOWN,
    WRITTEN,
    EvidenceView,
    access_counts,
    event_summary,
    shown_lines,
)
from groundtrace.metrics.line_level import seen_lines
from groundtrace.metrics.looked_at import without_truth
from groundtrace.runs.engine import make_engine
from groundtrace.runs.normalize import normalize
from groundtrace.runs.read import read_one
from groundtrace.runs.request import Request
from groundtrace.storage import LocalFolder

TRIALS = 60
TURNS = 25
WHEN = "2026-05-04T10:00:00Z"
ALL = "all together"

Work = Callable[[EvidenceView], Any]


def _firsts(view: EvidenceView) -> None:
    for kinds in (RETRIEVED, SHOWN, READ, WRITTEN):
        view.first(kinds)


SHARED: dict[str, Work] = {
    "first touches": _firsts,
    "lines shown": shown_lines,
    "lines seen": seen_lines,
    "files edited": edited_files,
}
"""What a view keeps because several sections ask for it, in the order in which it is needed."""


def _section(make: Callable[[Any], Any], field: Any) -> Work:
    return lambda view: make(field.view(view))


def sections() -> dict[str, Work]:
    """The functions that make the sections of a metrics document, by the names of its members."""
    made: dict[str, Work] = {
        field.name: _section(section.make, field)
        for section in SECTIONS
        for field in section.fields
    }
    return made | {
        "event_summary": event_summary,
        "error_taxonomy": error_taxonomy,
        "access_counts": access_counts,
        "looked_at": lambda view: without_truth(view.document),
    }


def documents(folder: Path, trials: int) -> tuple[list[EventsDocument], int]:
    """The events documents of generated trials, and the bytes of their traces.

    Stops if a trial has no document: it would make the others look cheap.
    """
    size = generate(folder, trials)
    out = folder / "out"
    engine = make_engine("local", jobs=1)
    runs, tasks = str(folder / "runs"), (str(folder / "benchmarks"),)
    normalize(Request(runs=runs, tasks=tasks, out=str(out), engine=engine))
    engine.close()
    found = list(_stored(out))
    if len(found) != trials:
        raise SystemExit(f"only {len(found)} of {trials} generated trials have events documents")
    return found, size


def _stored(out: Path) -> Iterator[EventsDocument]:
    for path in sorted(out.rglob("*.retrieval_events.json")):
        stored: Any = read_one(LocalFolder(path.parent), path.name, "retrieval_events")
        if stored.document is not None:
            yield stored.document


def costs(found: list[EventsDocument], turns: int) -> dict[str, float]:
    """CPU seconds of each part for all documents."""
    least: defaultdict[str, float] = defaultdict(lambda: float("inf"))
    views: list[EvidenceView] = []
    works = SHARED | sections()

    def measured(name: str, work: Callable[[Any], Any], items: Iterable[Any]) -> None:
        started = time.process_time()
        for item in items:
            work(item)
        least[name] = min(least[name], time.process_time() - started)

    for _ in range(turns):
        gc.collect()
        measured("touches", lambda document: views.append(EvidenceView(document)), found)
        for name, work in works.items():
            measured(name, work, views)
        measured("freeing the views", lambda held: held.clear(), [views])
        measured(ALL, lambda document: evaluate(document, generated_at=WHEN), found)
    return least


def values(found: list[EventsDocument]) -> Counter[str]:
    """How many metrics of each section have a value, in all documents together."""
    counted: Counter[str] = Counter()
    for document in found:
        known, _ = values_in(evaluate(document, generated_at=WHEN))
        counted.update(METRICS[name].section for name in known)
    return counted


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--turns", type=int, default=TURNS)
    flags = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found, size = documents(Path(folder), flags.trials)
    reader = measure.costs([FIRST])[FIRST]
    taken = costs(found, flags.turns)
    counted = values(found)
    events = sum(len(document.events) for document in found)
    print(f"{len(found)} trials, {size / 1e6:.1f} MB of traces, {events} events")
    print(f"{FIRST}'s reader: {reader.of_megabyte * 1e3:.2f} ms/MB of the generated session")
    print(
        f"{'part':<28} {'µs/trial':>9} {'ms/MB':>7} {'share':>7} {'values':>7}   against the reader, a MB"
    )
    for name, seconds in taken.items():
        of_megabyte = seconds / (size / 1e6)
        has_metrics = name in {metric.section for metric in METRICS.values()}
        known = f"{counted[name] / len(found):.1f}" if has_metrics else ""
        print(
            f"{name:<28} {seconds / len(found) * 1e6:9.1f} {of_megabyte * 1e3:7.3f}"
            f" {seconds / taken[ALL]:7.1%} {known:>7}   {of_megabyte / reader.of_megabyte:.3f} ×"
        )


if __name__ == "__main__":
    main()
