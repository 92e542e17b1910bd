"""Addresses of trials within the page: a trial's link is its name (D70)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from urllib.parse import quote

from groundtrace.report.safe_text import shown_name
from groundtrace.rows.trial_row import TrialRow


class TrialLinks:
    """The key of every listed trial, and the trials of each task."""

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
