"""Statistics of rows: the run summary, with n and what was left out of every number."""

from __future__ import annotations

from groundtrace.summary.summarise import summarise

__all__ = ["summarise"]
