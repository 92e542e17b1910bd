"""When two paths mean the same file: the one place that decides it (D8, D13–D17)."""

from __future__ import annotations

from groundtrace.paths.lexical import clean_path
from groundtrace.paths.repos import repo_names, short_repo
from groundtrace.paths.resolver import Resolved, Resolver

__all__ = ["Resolved", "Resolver", "clean_path", "repo_names", "short_repo"]
