"""Programs that print names: find, fd, ls, tree, wc, file, stat and similar; and checkers.

Checkers are linters, compilers and collectors of tests. They open files and print their names with
remarks: `src/app.py:3:1: E303 too many blank lines`. The names surface, like those of `wc -l` (D52).
Tracebacks and reports of test runs are prose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from msgspec.structs import replace

from groundtrace.answers.file_names import looks_like_folder
from groundtrace.base.patterns import regex
from groundtrace.shell.programs.call import Call, Handler, text_part
from groundtrace.shell.streams.file_names import join
from groundtrace.shell.streams.line_algebra import quiet
from groundtrace.shell.streams.listings import Listing, TreeListing
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Opaque, Parts
from groundtrace.shell.streams.word import Word, filled
from groundtrace.shell.syntax.holes import HOLE

CHECKERS = frozenset(
    [
        "flake8", "mypy", "ruff", "pylint", "pyright", "pycodestyle", "pyflakes", "tsc", "eslint",
        "shellcheck", "vet", "golint", "staticcheck", "black", "isort",
    ]
)  # fmt: skip
_PREFIXES = frozenset(["npx", "pnpm", "yarn", "uvx", "poetry", "exec", "run", "bunx"])


def reports(call: Call, name: str) -> Parts:
    """What a checker with this name prints; nothing for other programs."""
    texts = [word.text for word in call.args]
    if name == "pytest":
        if "--collect-only" in texts or "--co" in texts:
            return [Names(cwd=call.cwd, form="test", only_files=True, anchor=False, rule=name)]
        return []
    if name == "pydoc":
        return [Names(cwd=call.cwd, form="pydoc", only_files=True, anchor=False, rule=name)]
    if name not in CHECKERS:
        return []
    return [
        Names(cwd=call.cwd, form="report", only_files=True, anchor=False, silent=True, rule=name)
    ]


def _checker(call: Call) -> Parts:
    return reports(call, call.name) or [Opaque(rule=call.name, expected=False, talks=True)]


def _go(call: Call) -> Parts:
    """`go build` and `go vet` name files that do not compile."""
    verb = call.args[0].text if call.args else ""
    if verb in {"build", "vet"}:
        return reports(call, "vet")
    return [Opaque(rule="go", expected=False, talks=verb in {"test", "run"})]


def _prefixed(call: Call) -> Parts:
    """`npx tsc`, `yarn run eslint`, `uv run --with rich python -c …`: the program after the runner."""
    words = list(call.args)
    takes = call.program.long
    while words and (words[0].text in _PREFIXES or words[0].text.startswith("-")):
        del words[: 2 if words[0].text in takes else 1]
    if takes and len(words) < len(call.args) and words and words[0].text in call.shell.table:
        return call.shell.command(words, call.stdin)
    if words and words[0].text in CHECKERS:
        call.args = words[1:]
        return reports(call, words[0].text)
    talks = call.name in {"npx", "uvx", "yarn", "pnpm", "bunx"}
    return [Opaque(rule=call.name, expected=False, talks=talks)]


_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


def _find(call: Call) -> Parts:
    tests = call.program.long
    args = [w for w in call.args if w.text not in {"-L", "-H", "-P"}]
    roots: list[Word] = []
    while args and not (args[0].text.startswith(("-", "(", "!", "\\"))):
        roots.append(args.pop(0))
    names: list[str] = []
    types: set[str] = set()
    steps: list[list[Word] | None] = []
    form = "plain"
    prints = True
    batch = False
    at = 0
    while at < len(args):
        text = args[at].text
        value = args[at + 1].text if at + 1 < len(args) else ""
        if text in {"!", "-not"}:
            at += 3 if value in tests else 2
            continue
        if text in _EXEC:
            end = next(
                (i for i in range(at + 1, len(args)) if args[i].text in {";", "+", "\\;"}),
                len(args),
            )
            steps.append(args[at + 1 : end])
            batch = batch or (end < len(args) and args[end].text == "+")
            at = end + 1
            continue
        if text in {"-name", "-iname"}:
            names.append(value)
        elif text == "-type":
            types.update(value.split(","))
        elif text == "-ls":
            form = "findls"
        elif text == "-delete":
            prints = False
        elif text in {"-print", "-print0"}:
            steps.append(None)
        elif text == "-printf":
            form = next((form for form, has in _PRINTED.items() if has.match(value)), "unknown")
        at += 2 if text in tests else 1
    names_found = _found(
        call, tuple(roots), names if "-o" not in [w.text for w in args] else [], types, form
    )
    if not any(steps):
        return names_found if prints else []
    # `-exec echo {} \\; -exec head {} \\;`: both run for a name before the next name's turn.
    if (None in steps or len(steps) > 1) and not batch:
        return _in_turn(call, steps, names_found)
    parts: Parts = list(names_found) if None in steps else []
    for action in filter(None, steps):
        parts.extend(run_with_names(call, action, "{}", names_found, batch))
    return parts


_PRINTED = {
    "plain": regex(r"%p(?:\\n|$)"),
    "relative": regex(r"%P(?:\\n|$)"),
    "size": regex(r"%(?:[TAC]@|[skbdni])(?: |\\t)%p(?:\\n)?$"),
    "last": regex(r"[^\n]{1,200}(?: |\\t)%p(?:\\n)?$"),
    "first": regex(r"%p(?: |\\t)[^\n]{1,200}(?:\\n)?$"),
    "count": regex(r"%p: ?%[sknb](?:\\n)?$"),
}
"""Where the name is in a line that `find -printf` prints: `%T@ %p\\n` ends with it."""


def _found(
    call: Call, roots: tuple[Word, ...], names: list[str], types: set[str], form: str
) -> Parts:
    if form == "unknown":
        return [Opaque(rule="find")]
    glob = names[0] if len(names) == 1 else None
    only_files = types == {"f"} or bool(glob and re.search(r"\.[a-zA-Z]\w*$", glob))
    known = tuple(word for word in roots if word.text not in call.shell.missing)
    cwd = call.cwd
    if form == "relative":
        cwd = join(cwd, roots[0].text) if len(roots) == 1 else None
        known, form = (), "plain"
    return [
        Names(
            cwd=cwd,
            roots=known or (() if form == "plain" and roots else (Word("."),)),
            form=form,
            only_files=only_files,
            folders=types == {"d"},
            glob=glob,
            rule="find",
        )
    ]


_SHELLS = frozenset(["sh", "bash", "zsh", "dash"])


def run_with_names(
    call: Call, command: Sequence[Word], mark: str | None, source: Parts, batch: bool = False
) -> Parts:
    """A command run for names that another program printed: xargs, find -exec.

    Every name is a hole; the output of the command may show the names. A script with a mark for the
    name is a loop, and its own separators show the rounds.
    """
    shell = call.shell
    roots = [root for part in source if isinstance(part, Names) for root in part.roots]
    shells = any(word.text.rsplit("/", 1)[-1] in _SHELLS for word in command[:1])
    if shells and (mark is None or batch):
        names = Word(HOLE, stream=tuple(source))
        return shell.command(
            [names if w.text == mark else w for w in command] + ([names] if mark is None else []),
            None,
        )
    if mark is None or not any(mark in word.text for word in command):
        return _unknown_operand(call, [*command, Word(shell.hole(), glob=False)], roots)
    if any(word.text in {"sh", "bash", "echo"} for word in command[:1]):
        return _in_turn(call, [list(command)], source, mark)
    return _unknown_operand(
        call, [replace(w, text=w.text.replace(mark, shell.hole())) for w in command], roots
    )


def _in_turn(
    call: Call, steps: Sequence[Sequence[Word] | None], source: Parts, mark: str = "{}"
) -> Parts:
    """Commands run one after another for each name; None prints the name.

    If nothing else is printed (`-exec grep -q x {} \\; -print`), the output is only names.
    """
    shell = call.shell
    name = "\x00word"

    def body() -> Parts:
        value = shell.env.variables[name][0].text
        parts: Parts = []
        for step in steps:
            if step is None:
                parts.append(text_part(shell, value, rule="find"))
            else:
                words = filled(step, mark, value)
                parts.extend(shell.command(words, None))
        return parts

    loop = shell.loop([name], source, body)
    return source if loop.repeats_lines else [loop]


def _unknown_operand(call: Call, command: list[Word], roots: list[Word]) -> Parts:
    parts = call.shell.command(command, None)
    if roots:
        below = tuple(roots)
        parts = [replace(p, roots=below) if hasattr(p, "roots") else p for p in parts]
    return quiet(parts)


_FD_EXEC = frozenset({"-x", "-X", "--exec", "--exec-batch"})


def _fd(call: Call) -> Parts:
    texts = [word.text for word in call.args]
    at = next((i for i, text in enumerate(texts) if text in _FD_EXEC), len(texts))
    command = call.args[at + 1 :]
    options = replace(call, args=call.args[:at]).options()
    kind = options.value("-t", "--type")
    names_found: Parts = [
        Names(
            cwd=call.cwd,
            roots=tuple(options.operands[1:]),
            rule="fd",
            folders=kind in {"d", "directory"},
            only_files=kind in {"f", "file"} or options.has("-e", "--extension"),
        )
    ]
    return run_with_names(call, command, "{}", names_found) if command else names_found


def _ls(call: Call) -> Parts:
    options = call.options()
    if call.name in {"eza", "exa"} and options.has("-T", "--tree"):
        return _tree(call)
    operands = tuple(word for word in options.operands if word.text not in call.shell.missing)
    if options.operands and not operands:
        return []
    return [
        Listing(
            cwd=call.cwd,
            operands=operands
            if len(options.operands) == len(operands)
            else (*operands, Word("\ue000", glob=True)),
            long=options.has("-l", "-o", "-g", "-n") or call.name == "ll",
            recursive=options.has("-R", "--recursive"),
            marks=options.has("-F", "-p", "--classify", "--file-type"),
            itself=options.has("-d", "--directory"),
            sorted=not options.has("-t", "-S", "-r", "-U", "-X", "-v"),
            rule=call.name,
        )
    ]


_STAT_FORMS = (("%n", "plain"), ("%s %n", "size"), ("%n *", "first"), ("* %n", "last"))
"""Where the name is in the format of `stat -c`, and the form of such a line."""


def _stat(call: Call) -> Parts:
    options = call.options()
    layout = options.value("-c", "--format") or ""
    form = next((form for glob, form in _STAT_FORMS if fnmatchcase(layout, glob)), None)
    if not options.has("-c", "--format", "-f", "-t", "--printf"):
        form = "stat"
    if form is None:
        return [Opaque(shows=call.named(options.operands), rule=call.name)]
    files = not any(word.known and looks_like_folder(word.text) for word in options.operands)
    roots = tuple(options.operands)
    return [Names(cwd=call.cwd, roots=roots, form=form, only_files=files, rule=call.name)]


def _tree(call: Call) -> Parts:
    options = call.options()
    if options.has("-i") and options.has("-f"):
        roots = tuple(options.operands) or (Word("."),)
        return [Names(cwd=call.cwd, roots=roots, folders=options.has("-d"), rule="tree")]
    return [TreeListing(cwd=call.cwd, folders=options.has("-d"), rule="tree")]


HANDLERS: dict[str, Handler] = {
    "find": _find, "fd": _fd, "ls": _ls, "tree": _tree, "stat": _stat,
    "checker": _checker, "go": _go, "runner": _prefixed,
}  # fmt: skip
