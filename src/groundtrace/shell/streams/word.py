"""Words: the arguments of a command after expansion, as far as they are known."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from groundtrace.shell.streams.part import Part
from groundtrace.shell.syntax.holes import has_hole

MAX_WORDS = 400
"""How many words of a brace expansion or a loop are followed."""


class Word(msgspec.Struct, frozen=True):
    """One argument after expansion."""

    text: str
    glob: bool = False
    """Holds an unquoted pattern, so the shell replaced it with names that are not known here."""
    stream: tuple[Part, ...] | None = None
    """What a command substitution would print, if the word is nothing else."""

    @property
    def known(self) -> bool:
        """Whether the text is exactly what the program got."""
        return not self.glob and not has_hole(self.text)

    def begins(self, text: str) -> bool:
        """Whether the names below it begin with a text."""
        return f"{self.text.rstrip('/')}/".startswith(text)


def filled(words: Sequence[Word], mark: str, value: str) -> list[Word]:
    """The words of a command with a value instead of its mark, as find and xargs insert names."""
    return [replace(word, text=word.text.replace(mark, value)) for word in words]


def split_text(text: str) -> list[Word]:
    """The words into which the shell splits a known text, as after `$(...)`."""
    return [Word(piece, glob="*" in piece or "?" in piece) for piece in text.split()[:MAX_WORDS]]
