"""Statistics over rows: the run summary. Every number has its n and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groundtrace.summary.summarise import summarise

__all__ = ["summarise"]


def __getattr__(name: str) -> Any:
    """`summarise` is imported when it is used: texts about tools need no statistics."""
    if name != "summarise":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from groundtrace.summary.summarise import summarise

    return summarise
