"""What Claude Code's results say about themselves.

Trajectories hold the same results, so the reader of ATIF uses this too.
"""

from __future__ import annotations

from typing import Any


def says_failure(text: str, structured: Any) -> bool:
    """Whether the text of the result itself says that the call failed, with or without a flag."""
    return (
        text.lstrip().startswith("<tool_use_error>")
        or (isinstance(structured, str) and structured.startswith("Error:"))
        or (isinstance(structured, dict) and structured.get("interrupted") is True)
    )
