"""One command of PowerShell or cmd: its parts, its error messages, and what of it was not followed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from groundtrace.base.patterns import regex
from groundtrace.shell.output import ShellOutput
from groundtrace.shell.powershell.cmd import SHARED, cmd_parts
from groundtrace.shell.powershell.follow import Session
from groundtrace.shell.powershell.language import ShellLanguage
from groundtrace.shell.powershell.parse import parse
from groundtrace.shell.powershell.parse_values import NotPowerShellError
from groundtrace.shell.powershell.parts import slashed
from groundtrace.shell.programs.call import ProgramEntry
from groundtrace.shell.streams.file_names import join
from groundtrace.shell.streams.part import Parts
from groundtrace.shell.syntax.parse import parse as parse_bash
from groundtrace.shell.walk.walker import Walker

_CATEGORY = regex(r"\s+\+ CategoryInfo\s+: (?P<kind>\w*)")
_IDENTIFIER = regex(r"\s+\+ FullyQualifiedErrorId\s+: ")
_CODE = regex(r"\+ ")
_SPEAKER = regex(r"(?P<who>[\w.+%?-]{1,80}|[A-Za-z]:[\\/].{1,200}?) ?: \S")
_SHORT = regex(
    r"(?P<who>[A-Z][a-z]+-[A-Za-z]+|[a-z]{2,12}): (?:\x1b\[[\d;]*m)?(?P<what>.*(?:Cannot find path|Cannot find drive|because it does not exist"
    r"|Could not find a part of the path|Could not find file|is not recognized as|Access to the path|A parameter cannot be found"
    r"|A positional parameter cannot be found|Cannot bind|Cannot validate|already exists|is denied|Unable to read"
    r"|cannot be read|Cannot process argument|Missing an argument).*)$"
)
_BARRED = regex(r"(?P<who>[\w.+-]{1,80}): ?$")
_BAR = regex(r"Line \|$|\s*\d* \|")
_QUOTED = regex(
    r"'([^'\n]{1,1000})'|\"([^\"\n]{1,1000})\"|“([^”“\n]{1,1000})”|„([^“„\n]{1,1000})“|«([^»«\n]{1,1000})»|「([^」「\n]{1,1000})」"
)
_OBJECT = regex(r"\((?P<name>[^()\n]{1,1000}):\w+\)")
_ABSENT = regex(r"CommandNotFoundException|is not recognized as (?:the name of|an internal)")
_CMD = regex(
    r"(?:The system cannot find the (?:file|path|drive) specified\.?|File Not Found|The filename, directory name, or volume label"
    r" syntax is incorrect\.?|Access is denied\.?|Could Not Find (?P<path>.+)|FINDSTR: Cannot open (?P<search>.+)"
    r"|INFO: Could not find files for the given pattern\(s\)\.|Cannot access file (?P<more>.+)|The syntax of the command is incorrect\.?)$"
)
_NOT_FOUND = regex(
    r"'(?P<name>[^']{1,200})' is not recognized as an internal or external command,$"
)
_ADVICE = regex(r"operable program or batch file\.$")
_UNPARSED = regex(r"CategoryInfo\s+: ParserError|ParserError: ?$|^ParserError:")
_LONGEST = 12
"""Lines of one message before its category."""


class Heard(msgspec.Struct):
    """What messages say."""

    lines: list[str]
    """The output without messages."""
    missing: set[str] = msgspec.field(default_factory=set)
    """Names in the messages, in the form in which paths are compared."""
    absent: set[str] = msgspec.field(default_factory=set)
    """Programs that could not be found."""
    unparsed: bool = False
    """PowerShell could not parse the command, so nothing of it ran."""
    any: bool = False


def listen(lines: Sequence[str]) -> Heard:
    """Set messages apart, and the names in them.

    Windows PowerShell prints a block, folded at the width of the window:

        Get-Content : Cannot find path 'C:\\w\\nope.py' because it does not exist.
        At line:1 char:1
        + Get-Content nope.py
        + ~~~~~~~~~~~~~~~~~~~
            + CategoryInfo          : ObjectNotFound: (C:\\w\\nope.py:String) [Get-Content], ItemNotFoundException
            + FullyQualifiedErrorId : PathNotFound,Microsoft.PowerShell.Commands.GetContentCommand

    PowerShell 7 prints one line, or the place in the script between bars. Words are those of the
    user's language; `CategoryInfo` and the names of its classes are always the same.
    """
    heard = Heard([])
    ends = [
        at for at, line in enumerate(lines) if "+ CategoryInfo" in line and _CATEGORY.match(line)
    ]
    blocks = [_block(lines, at) for at in ends]
    at = 0
    while at < len(lines):
        block = next((block for block in blocks if block[0] <= at < block[1]), None)
        if block is not None:
            _note(heard, "".join(line.rstrip("\r") for line in lines[block[0] : block[1]]))
            at = block[1]
            continue
        size = _short(lines, at, heard)
        if size:
            at += size
            continue
        heard.lines.append(lines[at])
        at += 1
    return heard


def _block(lines: Sequence[str], category: int) -> tuple[int, int]:
    """Where a message begins and ends, by the line with its category."""
    start = category
    low = max(start - _LONGEST, 0)
    if not _CODE.match(lines[max(start - 1, 0)]):
        # Of a script that cannot be parsed the code stands above the message.
        code = (at for at in range(start - 1, low - 1, -1) if _CODE.match(lines[at]))
        start = next(code, start - 1) + 1
    while start > 0 and _CODE.match(lines[start - 1]):
        start -= 1
    start = max(start - 1, 0)  # `At line:1 char:1`, in any language
    low = max(start - _LONGEST, 0)
    parsed = "ParserError" not in lines[category]
    if parsed and (not _SPEAKER.match(lines[start]) or lines[start].startswith("At ")):
        begins = (at for at in range(start - 1, low - 1, -1) if _SPEAKER.match(lines[at]))
        start = next(begins, start)
    end = category + 1
    while end < len(lines) and end < category + 6:
        end += 1
        if _IDENTIFIER.match(lines[end - 1]):
            # The name of the class may be folded.
            while (
                end < len(lines)
                and lines[end].startswith("   ")
                and not _CATEGORY.match(lines[end])
            ):
                end += 1
            break
    if end < len(lines) and not lines[end].strip():
        end += 1
    return start, end


def _note(heard: Heard, text: str) -> None:
    heard.any = True
    if _UNPARSED.search(text):
        heard.unparsed = True
        return
    names = [name for found in _QUOTED.findall(text) for name in found if name]
    names += [found["name"] for found in _OBJECT.finditer(text)]
    if _ABSENT.search(text):
        heard.absent.update(name.lower() for name in names)
        return
    heard.missing.update(slashed(name).lower().rstrip("/") for name in names)


def _short(lines: Sequence[str], at: int, heard: Heard) -> int:
    """How many lines a message without a category has."""
    line = lines[at]
    if _SHORT.match(line):
        _note(heard, line)
        return 1
    if (
        (_BARRED.match(line) or line.startswith("ParserError:"))
        and at + 1 < len(lines)
        and lines[at + 1].startswith("Line |")
    ):
        end = at + 1
        while end < len(lines) and _BAR.match(lines[end]):
            end += 1
        _note(heard, " ".join(lines[at:end]))
        return end - at
    found = _CMD.match(line.strip())
    if found is not None:
        heard.any = True
        heard.missing.update(slashed(name).lower() for name in found.groups() if name)
        return 1
    program = _NOT_FOUND.match(line.strip())
    if program is not None:
        heard.any = True
        heard.absent.add(program["name"].lower())
        return 1 + (at + 1 < len(lines) and _ADVICE.match(lines[at + 1].strip()) is not None)
    return 0


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
