"""Shell commands as evidence: which files a command read, searched, listed and wrote (D6, D7).

A trace holds a command and what it printed, and nothing else. Both are needed: the command says
which files could have been shown, the output says which were shown. `cat a.py || cat b.py` opens
one of two files; `grep -rn x .` names its files only in its output. Without output nothing was
shown (D4). The command alone says what was written, unless an error says otherwise.

So a command is interpreted without running anything, as a compiler analyses a program. Then the
output is compared with what the interpretation allows:

1. `syntax`: the command is parsed, even if parts of it are broken; plain words need no grammar.
2. `walk`: it is followed as a shell would follow it: directories, variables, loops, pipes. Text
   that cannot be known is a hole, which matches any text. The walk ends before step 5 begins
   (D119).
3. `programs`: each program says what it prints, as **parts**: "lines 10 to 20 of a.py", "lines of
   the files below src that match x", "the text ---".
4. `streams`: the parts, and what `head`, `sed` and `grep` after a pipe do with them.
5. `align`: the lines of the output are divided among the parts, in order, so that they fit best.
   `weights` says how much each piece of evidence counts.
6. Each part says which files are shown by the lines that it got.

An example: `cd src && head -20 a.py; echo ---; grep -n alpha b.py` gives three parts: lines 1–20 of
`src/a.py`, the text `---`, and found lines of `src/b.py`. Take this output:

    import os
    ---
    7:alpha = 1

The first line is the contents (a.py has one line: 1–1 was read), the second is the text, and the
third begins with a number (b.py was matched at line 7). If the output had been only `---`, no file
would have been shown.

Packages import in one direction: `syntax`, `streams`, `align`, `programs`, `walk`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from groundtrace.answers.cuts import AGAIN
from groundtrace.base.patterns import regex
from groundtrace.config import Settings
from groundtrace.model import FileRef, Printed, Problem, RootSign
from groundtrace.paths.windows import is_rooted
from groundtrace.shell.align.divide import divide
from groundtrace.shell.align.fit import Segment, are_mixed
from groundtrace.shell.output import ShellOutput, read_output
from groundtrace.shell.output.complaints import SPEAKERS, Speaks
from groundtrace.shell.powershell.language import ShellLanguage, language_of
from groundtrace.shell.programs.call import ProgramEntry
from groundtrace.shell.programs.table import OTHER_SPEAKERS, TABLE, added_programs
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.found_lines import Search
from groundtrace.shell.streams.part import Opaque, Part, Write
from groundtrace.shell.streams.text import Text
from groundtrace.shell.syntax.holes import HOLES
from groundtrace.shell.syntax.parse import parse
from groundtrace.shell.walk.walker import Walker


class ShellView(msgspec.Struct, frozen=True):
    """What a shell call touched, according to its command and its output."""

    refs: tuple[FileRef, ...] = ()
    """Files touched, in order of appearance."""
    failed: bool = False
    """The call obtained nothing: refused, cancelled, or nothing was printed that was asked for."""
    repos: tuple[str, ...] = ()
    """Repositories that remote readers in the command name, as the command spells them."""
    problems: tuple[Problem, ...] = ()
    """Parts of the command that could not be parsed."""
    texts: Mapping[str, str] = msgspec.field(default_factory=dict)
    """The whole text of files that the command wrote, where it is known."""
    signs: tuple[RootSign, ...] = ()
    """What the command shows about folders as repositories."""


def shell_refs(
    command: str,
    printed: Printed,
    cwd: str | None,
    settings: Settings,
    texts: Mapping[str, str] | None = None,
    shell: str | None = None,
) -> ShellView:
    """The files that `command` touched when it ran in `cwd` and gave `printed`.

    `texts` has the text of files that the agent wrote before; it may run them (D141). `shell` is
    the shell that the harness names, or that the other commands of the session are written for.
    """
    table = _table(settings.shell_commands) if settings.shell_commands else TABLE
    output = read_output(printed, _speaks(table, command))
    if output.refused:
        return ShellView(failed=True)
    if printed.submitted:
        return ShellView()
    if settings.shell == "ignore":
        return ShellView(failed=printed.is_error and not output.lines)
    language = language_of(command, shell)
    if language.language is None and _LISTED in "\n".join(output.lines[:12]):
        language = ShellLanguage("powershell", command)  # no other shell prints such a table
    if language.language in ("powershell", "cmd"):
        return _windows(language, printed, cwd, output, table, texts)
    tree = parse(command)
    if tree.broken and not output.lines and output.unparsed:
        return ShellView(failed=True)  # the shell could not parse it either, and ran nothing
    walker = Walker(tree, cwd, output, table, texts)
    try:
        parts = walker.run_tree(tree)
        refs, failed = _resolve(parts, output, printed.is_error, printed.ended_badly)
    except RecursionError:
        # Such a command is data, not something that an agent reads with.
        problem = Problem("", "shell_nesting", "the command is nested too deeply to be followed")
        return ShellView(failed=False, problems=(problem,))
    problems = _problems(tree.broken, output)
    signs = () if not walker.signs or _git_failed(printed) else tuple(walker.signs)
    return ShellView(refs, failed, tuple(walker.repos), problems, _texts(walker, parts), signs)


def _git_failed(printed: Printed) -> bool:
    """Whether git, or a program that says so, gave up: nothing shows where a repository is."""
    return "fatal: " in printed.text or "fatal: " in printed.errors


def _windows(
    language: ShellLanguage,
    printed: Printed,
    cwd: str | None,
    output: ShellOutput,
    table: Mapping[str, ProgramEntry],
    texts: Mapping[str, str] | None,
) -> ShellView:
    """The same for a command of PowerShell or cmd (D200)."""
    # Imported when it is needed: most traces have no such command (16 modules).
    from groundtrace.shell.powershell.parts import slashed
    from groundtrace.shell.powershell.run import follow, heard

    output = heard(output)
    if output.unparsed and not any(map(str.strip, output.lines)):
        return ShellView(failed=True)
    try:
        walker, parts, unread = follow(language, cwd, output, table, texts)
        refs, failed = _resolve(parts, output, printed.is_error)
    except RecursionError:
        problem = Problem("", "shell_nesting", "the command is nested too deeply to be followed")
        return ShellView(problems=(problem,))
    problems = tuple(Problem("", "shell_not_read", f"not read: {what}") for what in unread)
    failed = failed and not unread
    refs = distinct(
        # A share keeps the backslashes before its server.
        ref if is_rooted(ref.path) else msgspec.structs.replace(ref, path=slashed(ref.path))
        for ref in refs
    )
    signs = () if not walker.signs or _git_failed(printed) else tuple(walker.signs)
    return ShellView(refs, failed, tuple(walker.repos), problems, _texts(walker, parts), signs)


def _texts(walker: Walker, parts: Iterable[Part]) -> dict[str, str]:
    """The texts that the command wrote, without files that it then changed (`sed -i`)."""
    texts = walker.texts()
    for part in parts if texts else ():
        if isinstance(part, Write) and part.rule not in ("redirection", "tee"):
            texts.pop(part.path, None)
    return texts


_LISTED = "LastWriteTime         Length Name"
"""The heading of Get-ChildItem's table."""


def _problems(broken: bool, output: ShellOutput) -> tuple[Problem, ...]:
    """A problem if the command does not parse, unless bash itself reported that."""
    if not broken or output.had_errors:
        return ()
    reason = (
        "part of the command is not valid bash, or too large to be parsed; only the rest was read"
    )
    return (Problem("", "shell_syntax", reason),)


def _speaks(table: Mapping[str, ProgramEntry], command: str) -> Speaks:
    """Who may print error messages: programs of the table and words of the command.

    `./show a.py` may print `show: cannot open a.py`. If a command only shows files, nobody else
    speaks: the errors in `cat server.log` are lines of the log (D205).
    """

    words: set[str] = set()
    alone: Collection[str] | None = None  # most outputs hold no message: nobody asks

    def speaks(who: str) -> bool:
        nonlocal alone
        if alone is None:
            alone = _readers_alone(command)
        if alone:
            return who in alone or who in _SHELLS
        if who in table or who in SPEAKERS or who in OTHER_SPEAKERS:
            return True
        if not words:
            words.update(_WORD.findall(str(command)))
        return who in words

    return speaks


_WORD = regex(r"[\w.+-]+")
_SHELLS = frozenset(["bash", "sh", "zsh", "dash"])
_SHOWING = frozenset(
    ["cat", "head", "tail", "nl", "less", "more", "tac", "cd", "sed", "grep", "wc", "ls", "sort"]
)
_STAGE = regex(r"\s*+(?P<name>[\w./-]++)(?P<rest>[^|;&\n$`(){}<]*+)(?:\|\|?|;|&&?|\n|$)")


def _readers_alone(command: str) -> frozenset[str]:
    """The programs of a command that only shows files; none if it may run anything else."""
    names: set[str] = set()
    at = 0
    while isinstance(command, str) and at < len(command):
        stage = _STAGE.match(command, at)
        if stage is None or stage["name"] not in _SHOWING:
            return frozenset()
        names.add(stage["name"])
        at = stage.end()
    return frozenset(names)


def _table(added: Mapping[str, Mapping[str, Any]]) -> Mapping[str, ProgramEntry]:
    return {**TABLE, **added_programs(added, TABLE)}


def _resolve(
    parts: list[Part], output: ShellOutput, is_error: bool, ended_badly: bool = False
) -> tuple[tuple[FileRef, ...], bool]:
    """References of all parts, and whether the call obtained nothing."""
    refs_of_parts: list[FileRef] = []
    asked = got = False
    segments = divide(parts, output.lines)
    shown = [segment for segment in segments if segment.lines] if output.trimmed else []
    ends = (shown[0], shown[-1]) if shown else ()
    mixed = are_mixed(segments)
    for segment in segments:
        part, lines = segment.part, segment.lines
        if isinstance(part, Text):
            if part.streams:
                refs_of_parts.extend(_captured(part, lines))
            continue
        asked = asked or (part.prints and part.wanted)
        badly = (is_error or ended_badly) and segment is segments[-1] and not output.missing
        if badly and _succeeded(part, segments):
            continue  # the command failed, so it did not get there
        if not lines and part.prints:
            if not (is_error or output.had_errors):
                refs_of_parts.extend(part.unseen())
            continue
        found = segment.read(segment.sure, segment in ends, mixed)
        if found is not None:
            got = got or part.prints
            refs_of_parts.extend(found)
    refs = distinct(refs_of_parts)
    if refs:
        return refs, False
    failed = (asked and not got) or (not got and (is_error or output.had_errors))
    return refs, failed


def _succeeded(part: Part, segments: Sequence[Segment]) -> bool:
    """Whether a part that printed shows that its command ended well: the last one behind `&&`.

    If `pnpm --version && cat package.json | grep x` fails, grep found nothing, and what looks like
    a line that it found is a message of pnpm. If `pytest -q && cat a.py` fails or runs out of time,
    all lines are those of pytest.
    """
    if isinstance(part, Content):
        return part.maybe and any(
            isinstance(segment.part, Opaque) and segment.part.prints for segment in segments
        )
    return isinstance(part, Search) and part.maybe and part.base is not None


def _captured(part: Text, lines: Iterable[str]) -> Iterable[FileRef]:
    """Files whose captured output a text shows (`echo "first: $line"`)."""
    for index, line in enumerate(lines):
        holed = part.holed(index) if index < len(part.lines) else None
        values = holed.match(line) if holed is not None else None
        if values is None:
            continue
        for hole, text in zip(HOLES.findall(part.lines[index]), values, strict=False):
            if text and hole in part.streams:
                for segment in divide(part.streams[hole], [text]):
                    if segment.lines and segment.part.prints:
                        yield from segment.read(segment.sure, True, mixed=True) or ()


def _both(first: FileRef, again: FileRef) -> str | Sequence[str] | None:
    """The text of two references to the same lines; of unknown lines, those of both."""
    if first.line_start is not None or not (first.printed and again.printed):
        return first.printed if first.line_start is not None else None
    if isinstance(first.printed, str) or isinstance(again.printed, str):
        return None
    return [*first.printed, AGAIN, *again.printed]


def distinct(given: Iterable[FileRef]) -> tuple[FileRef, ...]:
    """References without repetition; a name adds nothing if the contents were shown."""
    refs = tuple(given)
    if len({ref.path for ref in refs}) == len(refs):
        return refs  # the usual case: every file is there once
    shown = {(ref.repo, ref.path) for ref in refs if ref.kind in {"read", "matched"}}
    out: dict[tuple[object, ...], FileRef] = {}
    for ref in refs:
        if ref.kind == "surfaced" and (ref.repo, ref.path) in shown:
            continue
        key = (ref.repo, ref.path, ref.kind, ref.line_start, ref.line_end)
        first = out.setdefault(key, ref)
        if first is not ref:  # shown twice in one call: its characters count twice
            known = first.shown_chars is not None and ref.shown_chars is not None
            chars = (first.shown_chars or 0) + (ref.shown_chars or 0) if known else None
            out[key] = msgspec.structs.replace(first, shown_chars=chars, printed=_both(first, ref))
    return tuple(out.values())
