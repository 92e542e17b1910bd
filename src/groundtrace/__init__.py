"""groundtrace: did the agent find the right code, did it use it, and did that matter?

The names in `__all__` are the Python API. They are imported when first used, so that
`import groundtrace` stays light.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it; importing `typing` took half of `--version`
if TYPE_CHECKING:
    from typing import Any

    from groundtrace.api import (
        compare,
        evaluate_trial,
        iterate_documents,
        load,
        load_impact,
        load_metrics,
        load_summary,
        load_table,
        load_trials,
        read_trace,
        run,
    )
    from groundtrace.config import Settings
    from groundtrace.errors import GroundtraceError
    from groundtrace.results import Evaluation, Impact, RunResult, Summary

__version__ = "0.4.0.dev0"

__all__ = [
    "Evaluation",
    "GroundtraceError",
    "Impact",
    "RunResult",
    "Settings",
    "Summary",
    "__version__",
    "compare",
    "evaluate_trial",
    "iterate_documents",
    "load",
    "load_impact",
    "load_metrics",
    "load_summary",
    "load_table",
    "load_trials",
    "read_trace",
    "run",
]

_ELSEWHERE = {
    "Settings": "groundtrace.config",
    "GroundtraceError": "groundtrace.errors",
    **dict.fromkeys(("Evaluation", "Impact", "RunResult", "Summary"), "groundtrace.results"),
}
"""Public names that are defined in other modules than `groundtrace.api`: name to module."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'groundtrace' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_ELSEWHERE.get(name, "groundtrace.api")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
