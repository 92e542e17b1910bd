"""Results too large for the agent's context, which the harness stored in a file.

The text then is a notice with a preview. The agent saw only the preview; a later read of the stored
file shows more of the same output.
"""

from __future__ import annotations

import re
from typing import Any

from groundtrace.base.patterns import regex
from groundtrace.base.values import as_text

_OPEN = "<persisted-output>"
_CLOSE = "</persisted-output>"
_SAVED = regex(r"saved to:?[ \t]*+(?P<path>[^\s][^\n]*)(?:\n|$)")
_PREVIEW = regex(r"^Preview[^\n]*:[ \t]*\n?", re.MULTILINE)
# A result of an MCP tool over the token limit names the file in a sentence and shows nothing.
_LIMIT_WORDS = ("result (", "Error: result (")
_OVER_LIMIT = regex(
    r"^(?:Error: )?result \([\d,. ]+ characters\b.{0,200}?[Oo]utput has been saved to (?P<path>\S+?)\.?(?:\s|$)",
    re.DOTALL,
)


def shown_part(text: str, structured: Any = None) -> tuple[str, str | None]:
    """What a result showed the agent, without the notice around it, and the file that holds all of it."""
    stored = None
    if isinstance(structured, dict) and "persistedOutputPath" in structured:
        stored = as_text(structured["persistedOutputPath"])
    begin = text.find(_OPEN, 0, 512)
    if begin >= 0 and not text[:begin].strip():
        return _from_notice(text[begin + len(_OPEN) :], stored)
    if text.startswith(_LIMIT_WORDS):
        over = _OVER_LIMIT.match(text[:1024])
        if over is not None:
            return "", over.group("path")
    return text, stored


def _from_notice(notice: str, stored: str | None) -> tuple[str, str | None]:
    end = notice.rfind(_CLOSE)
    if end >= 0:
        notice = notice[:end]
    saved = _SAVED.search(notice[:4096])
    path = stored if saved is None else saved.group("path").rstrip(" \t")
    after = 0 if saved is None else saved.end()
    preview = _PREVIEW.search(notice, after)
    if preview is None:
        return "", path
    body = notice[preview.end() :].rstrip("\n")
    if body.endswith("\n..."):
        body = body[:-4]
    return body, path
