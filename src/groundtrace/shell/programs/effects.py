"""Programs that need no function: the table says what they do with files.

A program of the table is a row of data: its effect, which of its options take a value, and where
names are in the lines that it prints. There are only a few effects; each is one function here.
"""

from __future__ import annotations

import re

from groundtrace.answers.file_names import looks_like_folder
from groundtrace.shell.programs.call import Call, Handler
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.line_algebra import shown_files
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Opaque, Parts
from groundtrace.shell.streams.patched import Announced
from groundtrace.shell.streams.word import Word


def _shows(call: Call) -> Parts:
    """Prints something made from its files: the files are read, but their lines are not known."""
    operands = call.options().operands
    return algebra.derive(call.opened(operands[: call.program.stop]), call.name)


def _filters(call: Call) -> Parts:
    """Prints something made from its input; opens no files."""
    return algebra.derive(call.stdin or [Opaque(rule=call.name)], call.name)


def _reorders(call: Call) -> Parts:
    """Prints the same lines in another order, or fewer of them."""
    options = call.options()
    output = options.values.get("-o", [])
    parts = call.opened(options.operands[: call.program.stop])
    if call.name == "uniq" and options.has("-c"):
        return [part.counted(call.name) for part in parts]
    dropping = call.name == "uniq" or options.has("-u", "--unique")
    dropping = dropping or (call.name == "shuf" and options.has("-n", "--head-count"))
    parts = algebra.reorder(parts, dropping)
    if output:
        return [*(part for part in parts if not part.prints), *call.writes(output)]
    return parts


def _together(call: Call) -> Parts:
    """Prints lines of several files side by side."""
    files = call.opened(call.options().operands)
    return [Opaque(shows=shown_files(files), rule=call.name)]


def _names(call: Call) -> Parts:
    """Prints something beside the names that it was given; for its input only a number."""
    operands = call.options().operands
    if not operands:
        return algebra.count(call.stdin, call.name) if call.stdin else [Opaque(rule=call.name)]
    roots = tuple(word for word in operands if word.text not in call.shell.missing)
    if not roots:
        return []
    only_files = call.program.form in {"wc", "describe", "sum"}
    form = call.program.form
    most = len(roots) if form == "plain" and all(word.known for word in roots) else None
    return [
        Names(
            limit=most,
            refused=call.shell.missing,
            cwd=call.cwd,
            roots=roots,
            form=form,
            only_files=only_files,
            anchor=form != "plain",  # `realpath a.py` prints an absolute path
            rule=call.name,
        )
    ]


def _writes(call: Call) -> Parts:
    """Writes the files that it names; removing a file counts as writing it."""
    options = call.options()
    words = options.operands
    if call.name == "rm" and options.has("-r", "-R", "--recursive"):
        words = [word for word in words if not looks_like_folder(word.text)]
    written = call.writes(words)
    # `rm -v` prints the names that patterns match.
    if call.program.form and options.has("-v", "--verbose"):
        return [*written, Announced(cwd=call.cwd, form=call.program.form, rule=call.name)]
    return written


def _nothing(_call: Call) -> Parts:
    """Prints nothing and touches no file's contents."""
    return []


def _unknown(call: Call) -> Parts:
    """Prints what it does; which files that touched is not known."""
    quiet = any(word.text in {"-q", "-s", "--quiet", "--silent", "-qq"} for word in call.args)
    return [
        Opaque(rule=call.name, expected=False, talks=call.program.form == "talks" and not quiet)
    ]


def run_prefixed(call: Call) -> Parts:
    """Runs the command that follows its own options and operands."""
    args = call.args
    at = 0
    while at < len(args) and args[at].text.startswith("-"):
        text = args[at].text
        if text == "--":
            at += 1
            break
        needs = text in call.program.long or (len(text) == 2 and text[1] in call.program.takes)
        at += 2 if needs else 1
    while at < len(args) and re.match(r"[A-Za-z_]\w*=", args[at].text):
        name, _, value = args[at].text.partition("=")
        call.shell.change(call.shell.env.holding({name: (Word(value),)}))
        at += 1
    rest = args[at + call.program.skip :]
    return call.shell.command(rest, call.stdin) if rest else [Opaque(rule=call.name)]


EFFECTS: dict[str, Handler] = {
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
"""What programs without code of their own do, by name."""
