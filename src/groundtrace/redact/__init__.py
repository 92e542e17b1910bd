"""Mask what looks like a credential, wherever text of a trace is stored or shown (D39, D77, D226).

A credential is recognised by its form (`redact.by_form`), by its name (`redact.by_name`) or by its
place (`redact.by_place`, `redact.by_command`).

mask        a text: each credential becomes `[masked]`
mask_name   a name that tells things apart (a model, a tool, a configuration): two that differ only
            in a credential stay two, as `[masked-1f3a…]`

Names of files, and of what lies in folders under its name, are never masked: they lead to files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import msgspec

from groundtrace.base.digests import blake2b
from groundtrace.base.patterns import regex

if TYPE_CHECKING:
    from groundtrace.redact.by_form import CredentialSpan

    Finder = Callable[[str], Iterator[CredentialSpan]]

__all__ = [
    "MASK",
    "is_call_id",
    "is_masking",
    "mask",
    "mask_head",
    "mask_name",
    "masked_name",
    "masking",
]

MASK = "[masked]"

_MASKED = "[masked"
"""How every mask begins."""

EDGE = 512
"""More characters than it takes to see that something is a credential."""

_CALL_ID = regex(r"toolu_0[0-9][A-Za-z0-9]{1,80}")
"""The id of a call, as most texts here are: one word, and no form begins with 0."""

_on: ContextVar[bool] = ContextVar("groundtrace_masking", default=True)


@contextmanager
def masking(on: bool) -> Iterator[None]:
    """Mask, or keep credentials as they are (`--no-mask`), while the block runs."""
    token = _on.set(on)
    try:
        yield
    finally:
        _on.reset(token)


def is_masking() -> bool:
    """Whether credentials are masked."""
    return _on.get()


def is_call_id(text: str) -> bool:
    """Whether a text is the id of a call in a form that certainly holds no credential."""
    return _CALL_ID.fullmatch(text) is not None


def mask(text: str) -> str:
    """The text with everything that looks like a credential replaced; idempotent."""
    return _masked(text, _plainly) if _on.get() else text


def _plainly(_credential: str) -> str:
    return MASK


def _told_apart(credential: str) -> str:
    """A mask of its own for each credential. Its tag says nothing about a random credential."""
    tag = blake2b(credential.encode("utf-8", "surrogatepass"), digest_size=4)
    return f"{_MASKED}-{tag.hexdigest()}]"


def _masked(text: str, masked_as: Callable[[str], str]) -> str:
    if is_call_id(text):
        return text
    # Masking one value can make the next one visible: `a=KEY;b=…`. Two rounds have always been
    # enough; the third confirms it.
    for _ in range(3):
        masked = _masked_once(text, masked_as)
        if masked == text:
            break
        text = masked
    return text


def mask_name(text: str) -> str:
    """A name with a different mask for each credential; idempotent."""
    return masked_name(text) if _on.get() else text


@lru_cache(maxsize=16384)
def masked_name(text: str) -> str:
    """The same for a caller that has asked whether credentials are masked."""
    return _masked(text, _told_apart)


def mask_head(text: str, looked_at: int) -> tuple[str, bool]:
    """The beginning of a long text, masked before it is cut, and whether it was cut.

    If the text is cut, its end is dropped, because that can be the first half of a credential.
    """
    if len(text) <= looked_at:
        return mask(text), False
    masked = mask(text[:looked_at])
    return masked if not _on.get() else masked[:-EDGE], True


def _masked_once(text: str, masked_as: Callable[[str], str] = _plainly) -> str:
    has_escape = (
        "\\" in text or "%" in text or "&" in text or "`" in text
    )  # quicker than the pattern says no
    escape = _ESCAPED.search(text) if has_escape else None
    # Names are not looked for twice in text with escaped line ends: `nDB_PASSWORD` is not a name,
    # and the value of `password: str\\n` is not `str\\n`.
    spans = _spans(text, names=escape is None or _ESCAPED_END.search(text) is None)
    if escape is not None:
        spans += _spans_below_escapes(text)
    return _replaced(text, spans, masked_as) if spans else text


def _spans(text: str, *, names: bool = True) -> list[CredentialSpan]:
    found = _patterns()
    spans = list(found.by_form(text))
    if names and _holds(text.lower(), found.name_marks):
        spans += found.by_name(text)
    spans += found.by_place(text)
    return spans


_ESCAPED = regex(
    r"[\\%&`](?:(?<=\\)(?<!\\\\)\\*+(?:u00[0-9a-fA-F]{2}|[nrtbfv0e\"'/`])"
    r"|(?<=%)(?:25)*(?:5[cC][nrt]|0[aAdD]|2[0-9a-fA-F]|3[a-fA-F]|40|[57][b-dB-D])"
    r"|(?<=`)[nrt](?=[A-Z][A-Z0-9_]{2})"
    r"|(?<=&)(?:amp;)*(?:quot|apos|amp|lt|gt|#39|#34|#x27);)"
)
"""A sign that is written as an escape, however often it was escaped: `\\n`, `\\\\\\"`, `%3D`, `&amp;`,
``nDB_PASS` of PowerShell. What begins it comes first, so that the search steps over all other signs."""

_ESCAPED_END = regex(r"\\[nrt]")

_LETTERS = {"n": "\n", "r": "\n", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\n", "e": "\n"}
_ENTITIES = {
    "quot": '"',
    "apos": "'",
    "amp": "&",
    "lt": "<",
    "gt": ">",
    "#39": "'",
    "#34": '"',
    "#x27": "'",
}


def _sign_of(escape: str) -> str:
    """The one sign that an escape stands for."""
    if escape[0] == "&":
        return _ENTITIES[escape.rstrip(";").rpartition(";")[2].lstrip("&")]
    if escape[0] == "`" or escape[-3:-1] in ("5c", "5C"):
        return "\n"
    if escape[0] == "%" or escape[-5:-2] == "u00":
        return chr(int(escape[-2:], 16))
    return _LETTERS.get(escape[-1], escape[-1])


def _spans_below_escapes(text: str) -> list[CredentialSpan]:
    """Credentials in a text whose escapes are resolved, as places in the text as it is.

    In `printf 'A=1\\nDB_PASSWORD=…'` the name is not `nDB_PASSWORD`.
    """
    escapes = list(_ESCAPED.finditer(text))
    pieces: list[str] = []
    done = 0
    for escape in escapes:
        pieces += (text[done : escape.start()], _sign_of(escape[0]))
        done = escape.end()
    spans = _spans("".join([*pieces, text[done:]]))
    if not spans:  # as in nearly every text
        return spans
    places: list[int] = []
    done = 0
    for escape in escapes:
        places += range(done, escape.start() + 1)
        done = escape.end()
    places += range(done, len(text) + 1)
    return [(places[start], places[end]) for start, end in spans]


class _Patterns(msgspec.Struct, frozen=True):
    by_form: Finder
    name_marks: tuple[str, ...]
    by_name: Finder
    by_place: Finder


@cache
def _patterns() -> _Patterns:
    """The patterns, compiled for the first text: a run without changes masks no text."""
    from groundtrace.redact.by_form import by_form
    from groundtrace.redact.by_name import MARKS, by_name
    from groundtrace.redact.by_place import by_place

    return _Patterns(by_form, MARKS, by_name, by_place)


def _replaced(text: str, spans: Iterable[CredentialSpan], masked_as: Callable[[str], str]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if end <= done or _MASKED in text[start:end]:
            continue
        if start >= done:
            pieces += (text[done:start], masked_as(text[start:end]))
        done = end
    return "".join((*pieces, text[done:]))


def _holds(text: str, pieces: tuple[str, ...]) -> bool:
    # Not any(): it took twice as long, and every new text of every trial passes here.
    for piece in pieces:  # noqa: SIM110
        if piece in text:
            return True
    return False
