"""Words: the arguments of a command after expansion, as far as they are known."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from groundtrace.tools.shell.streams.part import Part
from groundtrace.tools.shell.syntax.holes import has_hole

MAX_WORDS = 400
"""Brace expansions and loops are followed this far."""


class Word(msgspec.Struct, frozen=True):
    """One argument after expansion."""

    text: str
    glob: bool = False
    """Holds an unquoted pattern, so the shell replaced it by names that are not known here."""
    stream: tuple[Part, ...] | None = None
    """What a command substitution would print, when the word is nothing else."""

    @property
    def known(self) -> bool:
        """The text is what the program was given."""
        return not self.glob and not has_hole(self.text)

    def begins(self, text: str) -> bool:
        """Whether the names below it begin with a text."""
        return f"{self.text.rstrip('/')}/".startswith(text)


def filled(words: Sequence[Word], mark: str, value: str) -> list[Word]:
    """Words of a command with a value in place of its mark, as find and xargs put names in."""
    return [replace(word, text=word.text.replace(mark, value)) for word in words]


def split_text(text: str) -> list[Word]:
    """Known text that the shell splits into words, as after `$(...)`."""
    return [Word(piece, glob="*" in piece or "?" in piece) for piece in text.split()[:MAX_WORDS]]
