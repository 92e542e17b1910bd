"""What Claude Code's results say of themselves.

Trajectories hold the same results, so their reader asks here too.
"""

from __future__ import annotations

from typing import Any


def says_failure(text: str, structured: Any) -> bool:
    """Whether Claude Code's result itself says that the call failed, flag or not."""
    return (
        text.lstrip().startswith("<tool_use_error>")
        or (isinstance(structured, str) and structured.startswith("Error:"))
        or (isinstance(structured, dict) and structured.get("interrupted") is True)
    )
