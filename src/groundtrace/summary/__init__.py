"""Statistics over rows: the run summary. Every number has its n and what was left out."""

from __future__ import annotations

from groundtrace.summary.summarise import summarise

__all__ = ["summarise"]
