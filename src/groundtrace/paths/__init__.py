"""When two paths mean the same file: the one place that decides it (D8, D13–D17)."""

from __future__ import annotations

from groundtrace.paths.repos import short_repo

__all__ = ["short_repo"]
