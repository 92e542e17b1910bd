"""Arguments of a call, in any form that a harness writes."""

from __future__ import annotations

from typing import Any

from groundtrace.base import jsonio


def as_arguments(value: Any) -> dict[str, Any] | None:
    """Arguments of a call from an object, or from the text of one; None if it is neither."""
    if isinstance(value, dict):
        return value
    if value is None:
        return {}
    if isinstance(value, str):
        if not value.strip():
            return {}
        try:
            decoded = jsonio.loads(value.encode("utf-8", errors="surrogatepass"))
        except jsonio.BadJsonError:
            return None
        return decoded if isinstance(decoded, dict) else None
    return None
