"""What a shell call printed, line by line, with its error messages set apart by `complaints`."""

from __future__ import annotations

import msgspec

from groundtrace.answers.cuts import find_cuts, head_and_tail, may_be_cut
from groundtrace.base.patterns import regex
from groundtrace.model import Printed
from groundtrace.shell.output.complaints import Complaints, Speaks, listen, may_complain, set_apart

_UNPARSED = regex(
    r"\s*+(?:/(?:usr/)?bin/)?(?:ba|da)?sh: (?:-c: )?(?:line )?"
    r"(?:[01]: [Ss]yntax error|2: Syntax error: newline unexpected)[^\n]*+"
    r"(?:\n[^\n`]*+`[^\n]*+)?\s*+"
)
"""The whole output of a command whose first line no shell can parse: nothing of it ran. A mistake
on a later line comes after commands that did run. Bash 3.2 of macOS counts lines from 0. Without
this, `<EXPLORE_CONTEXT>` as a command "wrote" a file."""
_SHELL_SAYS = tuple(
    f"{folder}{shell}sh: " for folder in ("", "/bin/", "/usr/bin/") for shell in ("", "ba", "da")
)
"""How it begins."""


class ShellOutput(msgspec.Struct):
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


def read_output(printed: Printed, speaks: Speaks) -> ShellOutput:
    """The lines that programs printed, and what error messages among them say."""
    text, errors = printed.text, printed.errors
    begins = text.lstrip().startswith(_SHELL_SAYS)
    if printed.refused or (begins and _UNPARSED.fullmatch(text)):
        return ShellOutput(refused=True)
    lines = head_and_tail(text)
    cut = True
    if lines is None:
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        cut = may_be_cut(text)
        if cut:
            lines = find_cuts(lines)
    complains = may_complain(text)
    if not (complains or errors or printed.failed):
        return ShellOutput(lines, trimmed=printed.trimmed, cut=cut)
    heard = Complaints(any=bool(errors and errors.strip()) or printed.failed)
    kept = set_apart(lines, speaks, heard) if complains else lines
    if errors:
        listen(errors.split("\n"), speaks, heard)
    return ShellOutput(
        lines=kept,
        missing=frozenset(heard.missing),
        had_errors=heard.any,
        trimmed=printed.trimmed,
        absent=frozenset(heard.absent),
        speakers=frozenset(heard.speakers),
        rejected=frozenset(heard.rejected),
        unparsed=heard.unparsed,
        stopped=heard.stopped,
        cut=cut,
    )
