"""One command of PowerShell or cmd: its parts, and what of it was not followed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from msgspec.structs import replace

from groundtrace.base.patterns import regex
from groundtrace.shell.output import ShellOutput
from groundtrace.shell.powershell.cmd import SHARED, cmd_parts
from groundtrace.shell.powershell.follow import Session
from groundtrace.shell.powershell.language import ShellLanguage
from groundtrace.shell.powershell.messages import listen
from groundtrace.shell.powershell.parse import parse
from groundtrace.shell.powershell.parse_values import NotPowerShellError
from groundtrace.shell.powershell.parts import slashed
from groundtrace.shell.programs.call import ProgramEntry
from groundtrace.shell.streams.file_names import join
from groundtrace.shell.streams.part import Parts
from groundtrace.shell.syntax.parse import parse as parse_bash
from groundtrace.shell.walk.walker import Walker

_BLOCKS = regex(r"(?:^|[&|(\n])[ \t@]*(for|if)[ \t]", re.IGNORECASE)
"""Loops and conditions of cmd, which are not followed."""


class Followed(NamedTuple):
    """What following a command gives."""

    walker: Walker
    parts: Parts
    unread: tuple[str, ...] = ()
    """What was not followed, by name."""


def heard(output: ShellOutput) -> ShellOutput:
    """An output without the messages of PowerShell and cmd."""
    found = listen(output.lines)
    if not found.any and not output.missing:
        return output
    missing = {slashed(name).lower() for name in output.missing} | found.missing
    return replace(
        output,
        lines=found.lines,
        missing=frozenset(missing),
        absent=output.absent | found.absent,
        had_errors=output.had_errors or found.any,
        unparsed=output.unparsed or found.unparsed,
    )


def follow(
    given: ShellLanguage,
    cwd: str | None,
    output: ShellOutput,
    table: Mapping[str, ProgramEntry],
    texts: Mapping[str, str] | None,
) -> Followed:
    """Follow a command of PowerShell or cmd."""
    cwd = None if cwd is None else join(None, slashed(cwd))
    walker = Walker(parse_bash(""), cwd, output, {**table, **SHARED}, texts)
    if given.language == "cmd":
        blocks = dict.fromkeys(word.lower() for word in _BLOCKS.findall(given.source))
        return Followed(walker, cmd_parts(walker, given.source), tuple(f"cmd {b}" for b in blocks))
    try:
        script = parse(given.source)
    except NotPowerShellError as error:
        return Followed(walker, [], (f"PowerShell that could not be parsed ({error})",))
    session = Session(walker, output.missing)
    parts = session.render(session.run(script))
    return Followed(walker, parts, tuple(f"PowerShell {note}" for note in session.notes))
