"""What programs do with files, for the many that need no code of their own.

A program of the table is a row of data: its effect, which of its options take a value, and how names
stand in the lines that it prints. The effects are few; each is one function here.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from groundtrace.tools.file_names import looks_like_folder
from groundtrace.tools.shell.programs.call import Call, Entry
from groundtrace.tools.shell.streams import line_algebra as algebra
from groundtrace.tools.shell.streams.line_algebra import shown_files
from groundtrace.tools.shell.streams.name_lists import Names
from groundtrace.tools.shell.streams.part import Opaque, Parts
from groundtrace.tools.shell.streams.patched import Told
from groundtrace.tools.shell.streams.word import Word


class Program(msgspec.Struct, frozen=True):
    """One program as data."""

    effect: str
    """What it does with the files that it names: a key of `EFFECTS`."""
    takes: str = ""
    """Short options with a value, letter by letter: with `n`, `-n 5` names no file `5`."""
    long: frozenset[str] = frozenset()
    """Long options with a value."""
    form: str = ""
    """How a name stands in its lines (`streams.name_forms`)."""
    stop: int | None = None
    """Operands up to this one are files."""
    skip: int = 0
    """Operands before the command that it runs."""


def _shows(call: Call, program: Program) -> Parts:
    """Something made of its files is shown: the files are read, their lines not known."""
    operands = call.options(program.takes, program.long).operands
    return algebra.derive(call.opened(operands[: program.stop]), call.name)


def _filters(call: Call, _program: Program) -> Parts:
    """The same of what it is fed; it opens nothing."""
    return algebra.derive(call.stdin or [Opaque(rule=call.name)], call.name)


def _reorders(call: Call, program: Program) -> Parts:
    """The same lines in another order, or fewer of them."""
    options = call.options(program.takes, program.long)
    output = options.values.get("-o", [])
    parts = call.opened(options.operands[: program.stop])
    if call.name == "uniq" and options.has("-c"):
        return [part.counted(call.name) for part in parts]
    dropping = call.name == "uniq" or options.has("-u", "--unique")
    parts = algebra.reorder(parts, dropping)
    if output:
        return [*(part for part in parts if not part.prints), *call.writes(output)]
    return parts


def _together(call: Call, program: Program) -> Parts:
    """Lines of several files side by side."""
    files = call.opened(call.options(program.takes, program.long).operands)
    return [Opaque(shows=shown_files(files, "read"), rule=call.name)]


def _names(call: Call, program: Program) -> Parts:
    """Something beside the names that it was given; of what it is fed a number alone."""
    operands = call.options(program.takes, program.long).operands
    if not operands:
        return algebra.count(call.stdin, call.name) if call.stdin else [Opaque(rule=call.name)]
    roots = tuple(word for word in operands if word.text not in call.shell.missing)
    if not roots:
        return []
    only_files = program.form in {"wc", "describe", "sum"}
    form = program.form
    return [Names(cwd=call.cwd, roots=roots, form=form, only_files=only_files, rule=call.name)]


def _writes(call: Call, program: Program) -> Parts:
    """The files that it names are written; removing a file is writing it."""
    options = call.options(program.takes, program.long)
    words = options.operands
    if call.name == "rm" and options.has("-r", "-R", "--recursive"):
        words = [word for word in words if not looks_like_folder(word.text)]
    written = call.writes(words)
    # `rm -v` names what patterns stand for.
    if program.form and options.has("-v", "--verbose"):
        return [*written, Told(cwd=call.cwd, form=program.form, rule=call.name)]
    return written


def _nothing(_call: Call, _program: Program) -> Parts:
    """It prints nothing and touches no file's contents."""
    return []


def _unknown(call: Call, _program: Program) -> Parts:
    """It prints what it does; which files that touched is not told."""
    return [Opaque(rule=call.name, expected=False)]


def run_prefixed(call: Call, program: Program) -> Parts:
    """The command behind its own options and operands is run."""
    args = call.args
    at = 0
    while at < len(args) and args[at].text.startswith("-"):
        text = args[at].text
        if text == "--":
            at += 1
            break
        needs = text in program.long or (len(text) == 2 and text[1] in program.takes)
        at += 2 if needs else 1
    while at < len(args) and re.match(r"[A-Za-z_]\w*=", args[at].text):
        name, _, value = args[at].text.partition("=")
        call.shell.change(call.shell.env.holding({name: (Word(value),)}))
        at += 1
    rest = args[at + program.skip :]
    return call.shell.command(rest, call.stdin) if rest else [Opaque(rule=call.name)]


EFFECTS: dict[str, Callable[[Call, Program], Parts]] = {
    "shows": _shows,
    "filters": _filters,
    "reorders": _reorders,
    "together": _together,
    "names": _names,
    "writes": _writes,
    "nothing": _nothing,
    "unknown": _unknown,
    "runs": run_prefixed,
}
"""What programs do, by name."""


def entry(program: Program) -> Entry:
    """The entry of a program in the table."""
    effect = EFFECTS[program.effect]
    return Entry(lambda call: effect(call, program))
