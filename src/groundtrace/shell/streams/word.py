"""Words: the arguments of a command after expansion, and which printed names lie below them."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from groundtrace.base.patterns import regex
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


_PATH_LIKE = regex(
    r"(?:\([\w.-]+\)(?=/)|[^\s:(){}<>=;,'\"`|&*])"
    r"(?:[^:(){}<>=;'\"`|*]|(?<=/)(?:\([\w.-]+\)){1,3}(?=[\w.-]{0,60}/)"
    r"|(?<= )\([\w.-]{1,20}\)(?=\.\w{1,10}$)){0,300}$"
)
"""A name, not a piece of code. A folder in brackets, or one that begins with them, is a route of Next.js
(`app/(shop)/page.tsx`, `app/(.)photo/page.tsx`); without this rule six searches of one real session
were lost. So is the mark of a copy (`plan (1).md`)."""


def under(name: str, roots: Sequence[Word]) -> bool:
    """Whether a printed name lies below one of the operands, as the program prints it."""
    if not roots:
        return _PATH_LIKE.match(name) is not None
    name = name.replace("\\", "/")
    for root in roots:
        text = root.text.replace("\\", "/")
        if not root.glob and (name.startswith(f"{text}/") or (name == text and text.isascii())):
            return True  # the usual case; a printed name holds no holes
        text = text.rstrip("/") or "/"
        if has_hole(text):
            return _PATH_LIKE.match(name) is not None
        if root.glob:
            text = text.replace("**/", "*")  # `**/` matches no folder at all, too
            if (
                name == text
                or fnmatch.fnmatchcase(name, text)
                or fnmatch.fnmatchcase(name, text + "/*")
            ):
                return True
        elif text == ".":
            if name.startswith("./") or (not name.startswith("/") and _PATH_LIKE.match(name)):
                return True
        elif name == text or name.startswith(text if text == "/" else text + "/"):
            return True
    return False
