"""groundtrace: did the agent find the right code, did it use it, and did that matter?

The names in `__all__` are the Python API. They are imported when first used, so that
`import groundtrace` stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groundtrace.api import (
        Evaluation,
        Summary,
        evaluate_trial,
        iterate_documents,
        load_metrics,
        load_summary,
        load_table,
        read_trace,
    )
    from groundtrace.config import Settings
    from groundtrace.errors import GroundtraceError

__version__ = "0.3.0.dev0"

__all__ = [
    "Evaluation",
    "GroundtraceError",
    "Settings",
    "Summary",
    "__version__",
    "evaluate_trial",
    "iterate_documents",
    "load_metrics",
    "load_summary",
    "load_table",
    "read_trace",
]

_ELSEWHERE = {"Settings": "groundtrace.config", "GroundtraceError": "groundtrace.errors"}
"""Names that do not live in `groundtrace.api`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'groundtrace' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_ELSEWHERE.get(name, "groundtrace.api")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
