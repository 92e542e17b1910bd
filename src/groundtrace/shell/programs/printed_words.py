"""Text that a command feeds or prints: the words themselves, or the streams that they stand for."""

from __future__ import annotations

from collections.abc import Sequence

from groundtrace.shell.programs.call import Shell
from groundtrace.shell.streams.part import Part
from groundtrace.shell.streams.text import Text
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.holes import HOLES


def words_as_text(shell: Shell, words: Sequence[Word]) -> list[Part]:
    """What a here-string or `echo` feeds: the words, or the stream that they stand for."""
    if len(words) == 1 and words[0].stream is not None:
        return list(words[0].stream)
    text = " ".join(
        [shell.hole_for(word.stream) if word.stream is not None else word.text for word in words]
    )
    return [text_part(shell, text)]


def text_part(shell: Shell, text: str, ended: bool = True, rule: str = "echo") -> Text:
    """A text with the streams that its holes stand for."""
    holes = HOLES.findall(text) if shell.streams else ()
    streams = {hole: shell.streams[hole] for hole in holes if hole in shell.streams}
    lines = text.split("\n")
    if not ended and lines and lines[-1] == "" and len(lines) > 1:
        lines.pop()
        ended = True
    return Text(lines=tuple(lines), streams=streams, unended=not ended, rule=rule)
