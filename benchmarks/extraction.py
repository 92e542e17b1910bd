"""How many of the files that calls touched are found: `python benchmarks/extraction.py LABELS`.

LABELS is a JSON-lines file of hand-labelled calls beside `runs/` and `benchmarks/`. It has for each
call the trial's folder, `call_id` (with `step_id` if ids repeat), `category`, and the files `read`,
`surfaced` and `written`, as (repository, path). Prints for each tool recall and precision on
(call, file) pairs and wrong categories; with `-v` also every call that differs from its label.
`--shell` includes shell calls; `--formats` prints a table by format instead: how many calls were
looked at, how many are exact, and how many commands were not read.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.documents.events import Event
from groundtrace.model import Trial
from groundtrace.paths import repo_names
from groundtrace.pipeline import TrialReading, read_trial
from groundtrace.runs.plan import WorkContext
from groundtrace.storage import LocalFolder
from groundtrace.tools import canonical
from groundtrace.truth.tasks import build_index

KINDS = ("read", "surfaced", "written")
SHOWN = {"read": "read", "matched": "read", "surfaced": "surfaced", "written": "written"}
"""Labels call both kinds of shown content `read`."""

Pair = tuple[str, str]
"""Repository (empty if none is known) and path, lower case."""


@dataclass
class Score:
    """Counts over the calls of one tool."""

    calls: int = 0
    found: int = 0
    missed: int = 0
    invented: int = 0
    kinds_wrong: int = 0
    lines_right: int = 0
    lines_wrong: int = 0
    categories_wrong: int = 0
    failures_wrong: int = 0
    exact: int = 0
    """Calls whose files, kinds, lines, category and success are all right."""
    unread: int = 0
    """Calls that are not in the trace, or whose command is not followed."""
    notes: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float | None:
        """Share of the labelled files that were found."""
        total = self.found + self.missed
        return self.found / total if total else None

    @property
    def precision(self) -> float | None:
        """Share of the files found that are labelled."""
        total = self.found + self.invented
        return self.found / total if total else None


def is_shell(tool: str) -> bool:
    """Whether calls of this tool run commands."""
    entry = canonical(tool)
    return entry is not None and entry.reads in ("shell", "python")


def same(one: Pair, other: Pair) -> bool:
    """Whether two files are the same: equal paths, and not two different known repositories."""
    if one[1] != other[1]:
        return False
    if not one[0] or not other[0]:
        return True
    return bool(set(repo_names(one[0])) & set(repo_names(other[0])))


def labelled(label: dict[str, Any]) -> Iterator[tuple[Pair, str, int | None, int | None]]:
    """The files of a label: pair, kind, lines."""
    for kind in KINDS:
        for file in label.get(kind) or []:
            pair = ((file.get("repo") or "").lower(), file["path"].lower())
            yield pair, kind, file.get("start"), file.get("end")


def given(event: Event) -> Iterator[tuple[Pair, str, int | None, int | None]]:
    """The files of an event: pair, kind, lines."""
    for access in event.accesses or []:
        file = access.file.rpartition("::")[2]
        for prefix in Settings().container_prefixes:  # files in no repository keep the prefix
            file = file.removeprefix(prefix)
        repo = access.repo if isinstance(access.repo, str) else ""
        start, end = access.line_start, access.line_end
        yield (
            (repo.lower(), file.lower()),
            SHOWN[access.kind],
            start if isinstance(start, int) else None,
            end if isinstance(end, int) else None,
        )


def judge(score: Score, label: dict[str, Any], event: Event | None, failed: bool) -> None:
    """Count one call."""
    before = _mistakes(score)
    score.calls += 1
    want = list(labelled(label))
    got = list(given(event)) if event is not None else []
    wanted, found = dict.fromkeys(w[0] for w in want), dict.fromkeys(g[0] for g in got)
    missing = [pair for pair in wanted if not any(same(pair, other) for other in found)]
    extra = [pair for pair in found if not any(same(pair, other) for other in wanted)]
    if label.get("truncated_label"):
        extra = []
    score.found += len(wanted) - len(missing)
    score.missed += len(missing)
    score.invented += len(extra)
    wrong_kinds = [g[0] for g in got if not any(same(g[0], w[0]) and g[1] == w[1] for w in want)]
    score.kinds_wrong += len(dict.fromkeys(p for p in wrong_kinds if p not in extra))
    spans = {(w[0][1], w[2], w[3]) for w in want if w[2] is not None}
    right = sum(1 for g in got if (g[0][1], g[2], g[3]) in spans)
    score.lines_right += min(right, len(spans))
    score.lines_wrong += len(spans) - min(right, len(spans))
    category = event.tool_category if event is not None else None
    score.categories_wrong += category != label["category"]
    score.failures_wrong += failed != bool(label.get("failed"))
    score.exact += _mistakes(score) == before
    if missing or extra or category != label["category"]:
        score.notes.append(
            f"{label['tool']} {label['call_id']}: {category} (label {label['category']})"
            f" missed {missing[:5]} invented {extra[:5]}"
        )


def _mistakes(score: Score) -> int:
    """All that is wrong so far."""
    return (
        score.missed
        + score.invented
        + score.kinds_wrong
        + score.lines_wrong
        + score.categories_wrong
        + score.failures_wrong
    )


def find_event(reading: TrialReading, label: dict[str, Any]) -> tuple[Event | None, bool]:
    """The event of a labelled call, and whether the tools stage marks it as failed."""
    step = label.get("step_id")
    for call, view, event in zip(
        reading.trace.calls, reading.views, reading.document.events, strict=True
    ):
        if call.call_id == label["call_id"] and (step is None or call.step_id in (None, str(step))):
            return event, view.failed
    return None, False


def measure(
    labels: Path, settings: Settings | None = None, *, by_format: bool = False
) -> dict[str, Score]:
    """Scores per tool, or per format, over all labels that are not ambiguous."""
    root = labels.parent
    tasks = build_index(LocalFolder(root / "benchmarks"))
    context = WorkContext(settings or Settings(), None, "", with_metrics=False)
    runs = root / "runs" / "official"
    trials = {
        found.path: found
        for found in discover(LocalFolder(runs), settings=context.settings, tasks=tasks)
        if isinstance(found, Trial)
    }
    by_trial: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in labels.read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        if not label.get("ambiguous"):
            by_trial[label["trial"].removeprefix("runs/official/")].append(label)
    scores: dict[str, Score] = defaultdict(Score)
    for path, found_labels in by_trial.items():
        trial = trials.get(path)
        reading = read_trial(trial, context) if trial is not None else None
        for label in found_labels:
            event, failed = find_event(reading, label) if reading else (None, False)
            key = label["tool"] if not by_format else _format_of(reading)
            judge(scores[key], label, event, failed)
            scores[key].unread += event is None or _is_unread(reading, label)
    return dict(scores)


def _format_of(reading: TrialReading | None) -> str:
    """The harness of a trial, and the kind of file that its calls were read from."""
    if reading is None:
        return "not found"
    trace = reading.trace
    return f"{trace.harness or 'unknown'} ({trace.source or 'no trace'})"


def _is_unread(reading: TrialReading | None, label: dict[str, Any]) -> bool:
    """Whether the command of a call is not followed."""
    pairs = zip(reading.trace.calls, reading.views, strict=True) if reading else ()
    own = [view for call, view in pairs if call.call_id == label["call_id"]]
    return any(problem.kind.startswith("shell_") for view in own for problem in view.problems)


def format_row(name: str, score: Score) -> str:
    """One line of the table by format."""
    return (
        f"{name:32} {score.calls:5} {score.exact:6} {score.missed:6} {score.invented:8}"
        f" {score.lines_wrong:11} {score.unread:8}"
    )


def total(scores: Sequence[Score]) -> Score:
    """All counts together."""
    counts: Counter[str] = Counter()
    for score in scores:
        counts.update({k: v for k, v in vars(score).items() if isinstance(v, int)})
    return Score(**counts)


def row(name: str, score: Score) -> str:
    """One line of the table."""
    recall, precision = (
        "-" if value is None else f"{value:.3f}" for value in (score.recall, score.precision)
    )
    return (
        f"{name:40} {score.calls:5} {recall:>7} {precision:>9} {score.found:6} {score.missed:6}"
        f" {score.invented:8} {score.kinds_wrong:6} {score.lines_right:6} {score.lines_wrong:6}"
        f" {score.categories_wrong:9} {score.failures_wrong:7}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("labels", type=Path, help="file of labelled calls")
    parser.add_argument("--shell", action="store_true", help="take in shell calls")
    parser.add_argument("--formats", action="store_true", help="print a table by format")
    parser.add_argument("-v", "--verbose", action="store_true", help="show what is wrong")
    options = parser.parse_args(arguments)
    if not options.labels.is_file():
        print(f"{options.labels}: no such file", file=sys.stderr)
        return 2
    if options.formats:
        formats = measure(options.labels, by_format=True)
        print(f"{'format':32} calls  exact missed invented lines wrong not read")
        for name in sorted(formats):
            print(format_row(name, formats[name]))
        print(format_row("all", total(list(formats.values()))))
        return 0
    scores = measure(options.labels)
    kept = {tool: s for tool, s in scores.items() if options.shell or not is_shell(tool)}
    print(
        f"{'tool':40} calls  recall precision  found missed invented  kinds  lines  wrong"
        " category failure"
    )
    for tool in sorted(kept):
        print(row(tool, kept[tool]))
    print(row("all", total(list(kept.values()))))
    if options.verbose:
        for score in kept.values():
            for note in score.notes:
                print(note)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
