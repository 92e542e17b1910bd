"""Masking what looks like a credential, wherever a trace's text is stored or shown (D39)."""

from __future__ import annotations

import re

MASK = "[masked]"

_SECRET_WORD = (
    r"(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_KEY(?:_ID)?|PRIVATE_KEY"
    r"|AUTH|CREDENTIALS?)"
)

# What may repeat before a pattern is sure has a bound: without one, `sk-sk-sk-…` and `a-a-a-…` of
# 200 KB took minutes.
_KEEP_FIRST = (
    # Authorization: Bearer …, "Authorization": "token …", -H 'authorization: Basic …'
    r"((?i:\bauthorization\b)[\"']?\s*[:=]\s*[\"']?(?:(?i:bearer|basic|token)\s+)?+)(?!\$)[^\s\"',;]{6,}",
    r"(\b(?i:bearer)\s+)[A-Za-z0-9._~+/=-]{16,}",
    # SRC_ACCESS_TOKEN=…, export API_KEY='…', "GITHUB_TOKEN": "…"; not $VARIABLE and not code
    # in lower case, where `next_token = lexer.read()` is no secret.
    rf"(\b(?:[A-Z0-9]+_)*{_SECRET_WORD}\b[\"']?\s?[:=]\s?[\"']?)(?![\s$<{{(])[^\s\"'`,;|&)]{{4,}}",
    # https://user:password@host
    r"(\b[a-z][a-z0-9+.-]{0,30}://[^\s:/@]*:)[^\s:/@]{3,}(?=@)",
    r"((?i:--(?:password|token|api-key|secret))[= ][\"']?)(?![\s$-])[^\s\"']{6,}",
)

_WHOLE = (
    # A digit is asked for, so that `sk-learn-contrib-packages` stays.
    r"\bsk-(?=[A-Za-z_-]{0,200}\d)[A-Za-z0-9_-]{16,}",
    r"\bgh[pousr]_[A-Za-z0-9]{16,}",
    r"\bgithub_pat_[A-Za-z0-9_]{20,}",
    r"\bglpat-[A-Za-z0-9_-]{16,}",
    r"\bsgp_[A-Za-z0-9_]{20,}",
    r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"\bAIza[0-9A-Za-z_-]{30,}",
    r"\bhf_[A-Za-z0-9]{24,}",
    r"\bnpm_[A-Za-z0-9]{30,}",
    r"\beyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{6,}",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
)

_FIRST = re.compile("|".join(f"(?:{pattern})" for pattern in _KEEP_FIRST))
_ALL = re.compile("|".join(_WHOLE))


def mask(text: str) -> str:
    """The text with everything that looks like a credential replaced; idempotent."""
    # The patterns are slow to say no, and nearly all text has nothing that they could begin with.
    if _holds(text, _MARKS):
        text = _ALL.sub(MASK, text)
    if _holds(text.lower(), _WORDS):
        text = _FIRST.sub(_keep_first, text)
    return text


def _holds(text: str, pieces: tuple[str, ...]) -> bool:
    # Not any(): it took twice as long, and every new text of every trial comes by here.
    for piece in pieces:  # noqa: SIM110
        if piece in text:
            return True
    return False


_MARKS = (
    *("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sgp_", "xox"),
    *("AKIA", "ASIA", "AIza", "hf_", "npm_", "eyJ", "-----BEGIN "),
)
"""What each of `_WHOLE` begins with."""

_WORDS = ("auth", "bearer", "token", "secret", "passw", "passphrase", "key", "credential", "@")
"""Without one of these, in lower case, none of `_KEEP_FIRST` can match."""


def _keep_first(found: re.Match[str]) -> str:
    if found.group(0).endswith(MASK):
        return found.group(0)
    return f"{found.group(found.lastindex or 0)}{MASK}"
