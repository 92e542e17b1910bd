"""What trials without ground truth looked at, summed by configuration."""

from __future__ import annotations

from collections import Counter

from msgspec import UNSET, UnsetType

from groundtrace.documents.looked_at import (
    FileUse,
    FileUseSummary,
    LookedAt,
    LookedAtSummary,
    ToolCalls,
)
from groundtrace.rows.trial_row import TrialRow

LISTED_FILES = 100
"""Most files of a configuration that a summary lists; the table `files` has all of them."""
MAX_FILES = 50_000
"""Most files in memory while summing: sessions can touch any number of files."""

_TOTALS = (
    "calls",
    "failed",
    "unanswered",
    "repeated_reads",
    "files_read",
    "files_searched",
    "files_written",
)
_FILE = ("reads", "searches", "writes", "repeated_reads")
_TOOL = ("calls", "failed", "unanswered", "result_chars")

_Key = tuple[str | None, str]


class LookedAtTable:
    """The sums of every configuration."""

    def __init__(self) -> None:
        self._configs: dict[str, _Config] = {}

    def add(self, row: TrialRow) -> None:
        """Add one trial; a trial with ground truth adds nothing."""
        if row.looked_at is None:
            return
        config = self._configs.setdefault(row.config_name, _Config())
        cost = None if row.outcome is None else row.outcome.cost_usd
        config.add(row.looked_at, cost)

    def summaries(self) -> list[LookedAtSummary] | UnsetType:
        """One entry for each configuration, by name."""
        found = [config.summary(name) for name, config in sorted(self._configs.items())]
        return found or UNSET


class _Config:
    """The sums of one configuration."""

    def __init__(self) -> None:
        self.trials = 0
        self.totals: Counter[str] = Counter()
        self.costs: list[float] = []
        self.files: dict[_Key, Counter[str]] = {}
        self.unknown: set[_Key] = set()
        """Files for which some answer does not say how much it showed."""
        self.left_out = 0
        self.tools: dict[str, Counter[str]] = {}

    def add(self, seen: LookedAt, cost: float | None) -> None:
        self.trials += 1
        if cost is not None:
            self.costs.append(cost)
        for name in _TOTALS:
            self.totals[name] += getattr(seen, name)
        for file in seen.files:
            self._add_file(file)
        for tool in seen.tools:
            counts = self.tools.setdefault(tool.tool, Counter())
            for name in _TOOL:
                counts[name] += getattr(tool, name)

    def _add_file(self, file: FileUse) -> None:
        key = (file.repo, file.file)
        if key not in self.files and len(self.files) >= MAX_FILES:
            self.left_out += 1
            return
        counts = self.files.setdefault(key, Counter())
        counts["trials"] += 1
        for name in _FILE:
            counts[name] += getattr(file, name)
        if file.shown_chars is None:
            self.unknown.add(key)
        else:
            counts["shown_chars"] += file.shown_chars

    def summary(self, name: str) -> LookedAtSummary:
        def weight(item: tuple[_Key, Counter[str]]) -> tuple[int, int, str]:
            return -item[1]["shown_chars"], -item[1]["reads"], item[0][1]

        files = sorted(self.files.items(), key=weight)
        tools = sorted(self.tools.items(), key=lambda item: (-item[1]["result_chars"], item[0]))
        return LookedAtSummary(
            config_name=name,
            trials=self.trials,
            **{total: self.totals[total] for total in _TOTALS},
            cost_usd=sum(self.costs) if self.costs else None,
            cost_trials=len(self.costs),
            files=[
                FileUseSummary(
                    file=file,
                    repo=repo,
                    trials=counts["trials"],
                    **{kind: counts[kind] for kind in _FILE},
                    shown_chars=None if (repo, file) in self.unknown else counts["shown_chars"],
                )
                for (repo, file), counts in files[:LISTED_FILES]
            ],
            files_left_out=self.left_out + len(files[LISTED_FILES:]),
            tools=[
                ToolCalls(tool=tool, **{kind: counts[kind] for kind in _TOOL})
                for tool, counts in tools
            ],
        )
