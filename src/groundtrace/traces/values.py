"""What a call's arguments and results may look like, whatever the harness."""

from __future__ import annotations

from typing import Any

from groundtrace import jsonio

UNKNOWN_SERVER = "unknown"
"""Server of a tool that is certainly MCP, where nothing tells which."""


def as_arguments(value: Any) -> dict[str, Any] | None:
    """Arguments of a call: an object, or the text of one; None when it is neither."""
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


def parts_text(content: Any) -> str:
    """Text of a result that is a string, a list of parts, or one part."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            text = part.get("text")
            if isinstance(text, dict):  # Cursor nests it: {"text": {"text": …}}
                text = text.get("text")
            if isinstance(text, str):
                texts.append(text)
    return "\n".join(texts)


def server_of(name: str) -> str | None:
    """The MCP server inside a name of the form `mcp__<server>__<tool>`."""
    if not name.startswith("mcp__"):
        return None
    server, separator, tool = name[5:].partition("__")
    return server if server and separator and tool else None
