"""Text that a command feeds or prints: the words themselves, or the streams that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from groundtrace.tools.shell.parts import Part, Text
from groundtrace.tools.shell.words import HOLES, Word

if TYPE_CHECKING:
    from groundtrace.tools.shell.walk import Walker


def words_as_text(walker: Walker, words: Sequence[Word]) -> list[Part]:
    """What a here-string or `echo` feeds: the words, or the stream that they stand for."""
    if len(words) == 1 and words[0].stream is not None:
        return [replace(part) for part in words[0].stream]
    text = " ".join(
        walker.hole_for(word.stream) if word.stream is not None else word.text for word in words
    )
    return [text_part(walker, text)]


def text_part(walker: Walker, text: str, ended: bool = True, rule: str = "echo") -> Text:
    """A text with the streams that its holes stand for."""
    streams = {hole: walker.streams[hole] for hole in HOLES.findall(text) if hole in walker.streams}
    lines = text.split("\n")
    if not ended and lines and lines[-1] == "" and len(lines) > 1:
        lines.pop()
        ended = True
    return Text(lines=tuple(lines), streams=streams, unended=not ended, rule=rule)
