"""What a shell call printed, without what harnesses add, and with its error messages set apart.

`frames` removes what harnesses put around an output, `cuts` finds where they left lines out, and
`complaints` sets error messages apart.
"""

from __future__ import annotations

import msgspec

from groundtrace.answers.cuts import find_cuts, head_and_tail, may_be_cut
from groundtrace.base.patterns import regex
from groundtrace.model import ToolResult
from groundtrace.shell.output.complaints import (
    Complaints,
    Speaks,
    listen,
    may_complain,
    set_apart,
)
from groundtrace.shell.output.frames import REFUSED, lines_of, preview, unframed

MAX_CHARS = 8_000_000
"""More output than this is not read: no harness shows so much to a model."""
_UNPARSED = regex(
    r"\s*+(?:/(?:usr/)?bin/)?(?:ba|da)?sh: (?:-c: )?(?:line )?"
    r"(?:[01]: [Ss]yntax error|2: Syntax error: newline unexpected)[^\n]*+"
    r"(?:\n[^\n`]*+`[^\n]*+)?\s*+"
)
"""The whole output of a command whose first line no shell can parse: nothing of it ran. A mistake
on a later line comes after commands that did run. Bash 3.2 of macOS counts lines from 0. Without
this, `<EXPLORE_CONTEXT>` as a command "wrote" a file."""
_ANSI = regex(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


class Output(msgspec.Struct):
    """The output of one call, ready to be matched with the command's parts."""

    lines: list[str] = msgspec.field(default_factory=list)
    """What programs printed on standard output, line by line, without error messages."""
    refused: bool = False
    """The harness did not run the command, or there is no answer at all."""
    missing: frozenset[str] = frozenset()
    """Names that programs said they could not open."""
    had_errors: bool = False
    """Some program printed an error message."""
    trimmed: bool = False
    """The harness may have cut off white space at both ends."""
    absent: frozenset[str] = frozenset()
    """Programs that the shell could not find."""
    speakers: frozenset[str] = frozenset()
    """Programs that said that they failed."""
    rejected: frozenset[str] = frozenset()
    """Programs that rejected their options or their script, and did nothing."""
    unparsed: bool = False
    """The shell could not parse the command."""
    stopped: dict[str, int] = msgspec.field(default_factory=dict)
    """Scripts that ended with an exception, and their last line that ran."""
    cut: bool = False
    """There may be cuts among the lines."""


def read_output(result: ToolResult | None, speaks: Speaks) -> Output:
    """The output in `result`; standard output and error separate if the harness kept them so."""
    if result is None:
        return Output(refused=True)
    text = result.text if isinstance(result.text, str) else ""
    if REFUSED.match(text) or _UNPARSED.fullmatch(text):
        return Output(refused=True)
    data = result.data
    trimmed = not text.endswith("\n")
    errors = ""
    if isinstance(data, dict) and isinstance(data.get("stdout"), str) and "<persisted" not in text:
        stdout = data["stdout"]
        stderr = data.get("stderr")
        errors = stderr if isinstance(stderr, str) else ""
        # A stored result can hold less than the text that the model saw; what the model saw counts.
        if len(stdout) + len(errors) + 200 >= len(text):
            text, trimmed = stdout, not stdout.endswith("\n")
        else:
            errors = ""
    if "<persisted-output>" in text:
        text = preview(text)
    return _clean(text[:MAX_CHARS], errors[:MAX_CHARS], trimmed, speaks)


def _clean(text: str, errors: str, trimmed: bool, speaks: Speaks) -> Output:
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    framed = unframed(text)
    lines = head_and_tail(framed.text)
    cut = True
    if lines is None:
        lines = lines_of(framed.text)
        cut = may_be_cut(framed.text)
        if cut:
            lines = find_cuts(lines)
    complains = may_complain(framed.text)
    if not (complains or errors or framed.failed):
        return Output(lines, trimmed=trimmed, cut=cut)
    heard = Complaints(any=bool(errors and errors.strip()) or framed.failed)
    kept = set_apart(lines, speaks, heard) if complains else lines
    if errors:
        listen(errors.split("\n"), speaks, heard)
    return Output(
        lines=kept,
        missing=frozenset(heard.missing),
        had_errors=heard.any,
        trimmed=trimmed,
        absent=frozenset(heard.absent),
        speakers=frozenset(heard.speakers),
        rejected=frozenset(heard.rejected),
        unparsed=heard.unparsed,
        stopped=heard.stopped,
        cut=cut,
    )
