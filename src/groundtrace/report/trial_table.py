"""The page's table of trials: values to sort by, texts to show, and addresses within the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any
from urllib.parse import quote

from groundtrace.base.times import parse_time
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.report import formats
from groundtrace.report.safe_text import shown_name
from groundtrace.report.task_units import value_of
from groundtrace.report.wording import reason
from groundtrace.rows.trial_row import TrialRow
from groundtrace.rows.verdicts import VERDICTS, verdict_of


class TrialLinks:
    """Addresses of trials within the page: a trial's link is its name (D70)."""

    def __init__(self) -> None:
        self._names: list[tuple[str, str, str]] = []
        self._by_task: dict[tuple[str, str | None, str], list[tuple[str, int]]] = {}
        self._keys: list[str] = []

    def add(self, row: TrialRow) -> None:
        """Add the trial of the next row."""
        place = len(self._names)
        self._names.append(
            (shown_name(row.run_id), shown_name(row.config_name), shown_name(row.trial_name))
        )
        self._keys = []
        task = (row.task_name, row.benchmark or None, row.config_name)
        self._by_task.setdefault(task, []).append((row.run_id, place))

    def keys(self) -> list[str]:
        """The key of each trial: its name, with run and configuration if the name is not unique.

        Names that differ only in parts that are not shown get a number.
        """
        if len(self._keys) == len(self._names):
            return self._keys
        names = Counter(name for _, _, name in self._names)
        seen: Counter[str] = Counter()
        self._keys = []
        for run, config, name in self._names:
            key = name if names[name] == 1 else f"{run}/{config}/{name}"
            seen[key] += 1
            self._keys.append(key if seen[key] == 1 else f"{key}~{seen[key]}")
        return self._keys

    def both(
        self, task: str, suite: str | None, configs: Sequence[str], runs: Collection[str]
    ) -> str | None:
        """The address of a task's first trials in two configurations, side by side."""
        keys = self.keys()
        found = [self._first(task, suite, config, runs) for config in configs]
        if found[0] is None or found[1] is None:
            return None
        first, second = keys[found[0]], keys[found[1]]
        return f"#trial={quote(first, safe='')}&with={quote(second, safe='')}"

    def _first(
        self, task: str, suite: str | None, config: str, runs: Collection[str]
    ) -> int | None:
        listed = self._by_task.get((task, suite, config), [])
        return next((place for run, place in listed if run in runs), None)


NUMBER_COLUMNS = QUANTITIES.names_in("trial_table")
"""Numbers of the table. After them come time and tokens of sessions, which have few other numbers,
the number of calls and the number of missed files."""
SESSION_TIME = "Time from the first line of a session to its last call, pauses included."


LISTS = ("configs", "suites", "runs", "models", "found", "verdicts")
"""Names that rows refer to by number."""


def trial_columns() -> list[dict[str, str]]:
    """Headings of the numbers, with direction and meaning."""
    found = []
    for name in NUMBER_COLUMNS:
        record = QUANTITIES[name]
        label = record.heading("trial_table")
        found.append(
            {"name": name, "label": label, "better": record.better, "measures": record.measures}
        )
    own = [
        ("session", "session time", "", SESSION_TIME),
        ("tokens", "output tokens", "lower", QUANTITIES["output_tokens"].measures),
        ("calls", "calls", "", "Tool calls of the trial."),
        ("missed", "missed", "lower", "Relevant files that were never met."),
    ]
    keys = ("name", "label", "better", "measures")
    found += [dict(zip(keys, column, strict=True)) for column in own]
    return found


class _List:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(shown_name(text))
        return self._numbers[text]


class TrialTable:
    """Collects rows, and keeps those that the page lists."""

    def __init__(self, limit: int) -> None:
        self.rows: list[list[Any]] = []
        """[task, trial, config, suite, run, model, found, verdict, values, texts] of each trial."""
        self.links = TrialLinks()
        """Addresses of these trials."""
        self.copies: set[int] = set()
        """Rows whose trial counts in another row."""
        self.seen = 0
        """Number of rows added, including those beyond the limit."""
        self.places: dict[tuple[str, str | None], int] = {}
        """Run and document of a trial to its row."""
        self.titles: dict[str, list[str]] = {}
        """Task to what its rows are called, if that is not its name."""
        self._limit = limit
        self._lists = {name: _List() for name in LISTS}

    def add(self, row: TrialRow, *, counted_in: str | None) -> None:
        """Add one row; beyond the limit it is only counted. `counted_in` is the run whose copy of
        the trial counts instead."""
        self.seen += 1
        if len(self.rows) >= self._limit:
            return
        self.places[row.run_id, row.document] = len(self.rows)
        self.links.add(row)
        if counted_in is not None:
            self.copies.add(len(self.rows))
        values, texts = shown_numbers(row)
        lists = self._lists
        task = shown_name(_task(row))
        if row.title is not None:
            self.titles.setdefault(row.task_name, []).append(task)
        self.rows.append(
            [
                task,
                shown_name(row.trial_name),
                lists["configs"].number(row.config_name),
                lists["suites"].number(row.benchmark or "unknown"),
                lists["runs"].number(row.run_id),
                lists["models"].number(row.model or "unknown"),
                lists["found"].number(found_word(row, counted_in)),
                lists["verdicts"].number(VERDICTS[verdict_of(row)]),
                values,
                texts,
            ]
        )

    def other_keys(self) -> dict[str, str]:
        """Row to the key of its trial, if the key is not the trial's name."""
        keys = enumerate(self.links.keys())
        return {str(place): key for place, key in keys if key != self.rows[place][1]}

    def lists(self) -> dict[str, list[str]]:
        """The names that rows refer to by number."""
        return {name: found.texts for name, found in self._lists.items()}


def _task(row: TrialRow) -> str:
    """The task as people know it: a session by its day and what was asked."""
    if row.title is None:
        return row.task_name
    return " ".join(part for part in ((row.started_at or "")[:10], row.title) if part)


def found_word(row: TrialRow, counted_in: str | None) -> str:
    """How many of the relevant files were met, or why that is unknown (D19)."""
    if counted_in is not None:
        where = "in this run" if counted_in == row.run_id else "in another run"
        return f"copy, counted {where}"
    if not row.computable:
        return reason(row.reason)
    recall = row.metrics.get("file_recall", 0.0)
    return "all met" if recall >= 1 else "some met" if row.hit else "none met"


def shown_numbers(row: TrialRow) -> tuple[list[float | None], list[str]]:
    """Values of `trial_columns` to sort by, and the texts to show."""
    found = [value_of(row, name) for name in NUMBER_COLUMNS]
    texts = [_text(name, value) for name, value in zip(NUMBER_COLUMNS, found, strict=True)]
    # The page only sorts by these values: all digits would take a megabyte for 10,000 trials.
    values = [None if value is None else round(value, 6) for value in found]
    calls = row.summary.total_events if row.volume else None
    missed = row.labels.get("missed_key_evidence") if row.computable else None
    truth = row.summary.ground_truth_files_total
    session = session_seconds(row)
    tokens = None if session is None or row.outcome is None else row.outcome.output_tokens
    values += [session, tokens, calls, missed]
    texts += [
        formats.duration(session),
        formats.tokens(tokens),
        formats.count(calls),
        formats.MISSING if missed is None else f"{missed:,} of {truth:,}",
    ]
    return values, texts


def _text(name: str, value: float | None) -> str:
    """A number of one trial: unlike a mean, a count has no decimals."""
    if value is not None and QUANTITIES[name].unit in ("calls", "files") and value == int(value):
        return formats.count(int(value))
    return formats.brief(name, value)


def session_seconds(row: TrialRow) -> float | None:
    """How long a session lasted, from its first line to its last call; None if that is not known."""
    if row.started_at is None or row.last_call_at is None:
        return None
    first, last = parse_time(row.started_at), parse_time(row.last_call_at)
    return None if first is None or last is None else max(0.0, last - first)
