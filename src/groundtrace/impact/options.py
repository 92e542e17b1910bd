"""What a user can choose about the analysis."""

from __future__ import annotations

from dataclasses import dataclass

from groundtrace.config import BASELINE, PRIMARIES


@dataclass(frozen=True, slots=True)
class ImpactOptions:
    """Which configurations are compared, how pairs form, and the random draws."""

    baseline: str = BASELINE
    """Name of the baseline, or a pattern; a configuration of exactly this name wins (D33)."""
    against: str | None = None
    """Name or pattern of what to compare with it; None means every other configuration."""
    pair_across_runs: bool = False
    """Let the two sides of a pair come from different runs (D33)."""
    allow_unknown_version: bool = False
    """Let in pairs whose harness version is unknown on a side; the document says how many."""
    primaries: tuple[str, ...] = PRIMARIES
    """Metrics and outcomes that the comparison is about; all others are a family of their own."""
    margin: float | None = None
    """A difference of reward that does not matter: with it, equivalence is tested."""
    seed: int = 0
    draws: int = 2000
