"""What Claude Code's results say about themselves.

Trajectories hold the same results, so the reader of ATIF uses this too.
"""

from __future__ import annotations

from typing import Any

from groundtrace.base.patterns import regex

_ERROR = regex(r"\s*+<tool_use_error>")


def says_failure(text: str, structured: Any) -> bool:
    """Whether the text of the result itself says that the call failed, with or without a flag."""
    return (
        _ERROR.match(text) is not None
        or (isinstance(structured, str) and structured.startswith("Error:"))
        or (isinstance(structured, dict) and structured.get("interrupted") is True)
    )


def shown_image(content: Any) -> dict[str, Any] | None:
    """What the structured result says of an image, for results of the stream that have none.

    Such a result has no text: a picture that was opened would count as nothing shown.
    """
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") in ("image", "document"):
            return {"type": block["type"], "file": {"type": block["type"]}}
    return None
