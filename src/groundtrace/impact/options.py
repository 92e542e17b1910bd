"""What a user can choose about the analysis."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from groundtrace.base.frozen import Frozen
from groundtrace.config import BASELINE, DRAWS, PRIMARIES, SEED


class ImpactOptions(Frozen, frozen=True):
    """Which configurations are compared, how pairs form, and the random draws."""

    baseline: str = BASELINE
    """Name of the baseline, or a pattern; a configuration of exactly this name wins (D33)."""
    against: str | None = None
    """Name or pattern of the configurations to compare with the baseline; None means all others."""
    pair_across_runs: bool = False
    """Let the two sides of a pair come from different runs (D33)."""
    allow_unknown_version: bool = False
    """Also compare pairs whose harness version is unknown on a side; the document counts them."""
    primaries: tuple[str, ...] = PRIMARIES
    """Metrics and outcomes that the comparison is about; all others are a second family."""
    margin: float | None = None
    """A difference of reward that is too small to matter; see `impact.family`."""
    refused: frozenset[tuple[str, str]] = frozenset()
    """Configuration and file name of documents that could not be read; the user does not choose
    them. A trial whose document is refused was run all the same (D62)."""
    seed: int = SEED
    draws: int = DRAWS


def fitting(names: Sequence[str], pattern: str) -> list[str]:
    """The configurations that fit a name or pattern."""
    if pattern in names:
        return [pattern]
    return [name for name in names if fnmatchcase(name.lower(), pattern.lower())]
