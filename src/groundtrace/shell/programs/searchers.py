"""grep and its relatives."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import partial

from msgspec.structs import replace

from groundtrace.answers.file_names import looks_like_folder
from groundtrace.base.patterns import regex
from groundtrace.shell.programs.call import Call, Handler, Options
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.filters import Filter, Pattern
from groundtrace.shell.streams.found_lines import Grouped, JsonSearch, Search
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Condition, Count, Opaque, Part, Parts
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.holes import has_hole

_SHORT = {
    "--after-context": "-A", "--before-context": "-B", "--context": "-C", "--count": "-c",
    "--count-matches": "-c", "--dereference-recursive": "-r", "--extended-regexp": "-E",
    "--file": "-f", "--files-with-matches": "-l", "--files-without-match": "-L",
    "--fixed-strings": "-F", "--ignore-case": "-i", "--invert-match": "-v",
    "--line-number": "-n", "--line-regexp": "-x", "--no-filename": "-h",
    "--only-matching": "-o", "--perl-regexp": "-P", "--quiet": "-q", "--recursive": "-r",
    "--silent": "-q", "--smart-case": "-S", "--with-filename": "-H", "--word-regexp": "-w",
}  # fmt: skip
"""Long options of grep, and those of its relatives that mean the same, by their short names."""


def _given(options: Options) -> set[str]:
    """The options given, by their short names: a search asks for twenty of them."""
    return {_SHORT.get(name, name) for name in (*options.flags, *options.values)}


def _pattern(
    options: Options, given: Set[str], syntax: str, smart: bool
) -> tuple[Pattern | None, list[Word]]:
    """The pattern, and the operands after it. `smart`: lower case also finds capitals."""
    words = options.every("-e", "--regexp")
    operands = options.operands
    if not words and "-f" not in given:
        words, operands = operands[:1], operands[1:]
    if "-F" in given:
        syntax = "fixed"
    elif "-E" in given or "-P" in given:
        syntax = "extended"
    text = "\n".join([word.text for word in words])
    if not words or has_hole(text):
        return None, operands
    smart = smart or "-S" in given
    insensitive = "-i" in given or (smart and text == text.lower())
    return Pattern(text, syntax, insensitive, "-w" in given, "-x" in given), operands


def search(
    call: Call,
    options: Options,
    syntax: str,
    recursive: bool,
    numbered: bool | None,
    named: bool | None,
    headings: bool | None = False,
    given: Set[str] | None = None,
) -> Parts:
    """A search, by its options: found lines, names, counts or nothing.

    `headings`: names are above the lines; None if only the output can show that. `given`: the
    options by their short names, if they are known already.
    """
    if given is None:
        given = _given(options)
    pattern, operands = _pattern(options, given, syntax, smart=call.name == "ag")
    if "-q" in given:
        return [Condition(rule=call.name)]
    context = "-A" in given or "-B" in given or "-C" in given
    if call.name == "git":  # for ag, -W is a width
        context = context or "-W" in given or "--function-context" in given
    limit = options.number("-m", "--max-count")
    inverted = "-v" in given
    count = "-c" in given
    listing = "-l" in given or "-L" in given
    if not operands and not recursive and (call.stdin is not None or call.name != "git"):
        if call.stdin is None:
            return [Opaque(rule=call.name)]
        if count:
            return algebra.count(call.stdin, call.name)
        only = "-o" in given
        shown = None if only else pattern
        how = Filter(shown, inverted, bool(numbered), context, only, limit, call.name)
        return algebra.search(call.stdin, how)
    streams = call.shell.streams
    streamed = [word for word in operands if word.text == "-" or word.text in streams]
    if streamed and len(streamed) == len(operands):
        return search(
            replace(call, stdin=call.opened(operands)),
            _without_operands(options, operands),
            syntax,
            False,
            numbered,
            named,
        )
    missing = call.shell.missing
    roots = tuple([word for word in operands if word.text not in missing])
    if operands and not roots:
        return []
    if listing:
        return [Names(cwd=call.cwd, roots=roots, only_files=True, rule=call.name, limit=None)]
    sole = _sole(call, operands)
    if recursive and sole is not None and looks_like_folder(sole):
        sole = None
    if count:
        if sole is not None and not named:
            return [Count(rule=call.name)]
        return [Names(cwd=call.cwd, roots=roots, only_files=True, form="count", rule=call.name)]
    if named is None:
        open_ended = recursive or (len(operands) == 1 and not operands[0].known)
        named = None if open_ended else len(operands) > 1
    found = Search if named is False or headings is False else partial(Grouped, asked=headings)
    return [
        found(
            cwd=call.cwd,
            roots=roots,
            sole=sole,
            named=named,
            numbered=numbered,
            context=context,
            pattern=None if "-o" in given or "-b" in given else pattern,
            inverted=inverted,
            rule=call.name,
            limit=limit if sole is not None and not context else None,
        )
    ]


def _without_operands(options: Options, operands: list[Word]) -> Options:
    kept = [word for word in options.operands if word not in operands]
    return replace(options, operands=kept)


def _sole(call: Call, operands: list[Word]) -> str | None:
    """The file that is searched, if it is exactly one."""
    known = [word for word in operands if word.text != "/dev/null"]
    if len(known) != 1 or not known[0].known:
        return None
    return call.shell.path(known[0].text)


def _grep(call: Call) -> Parts:
    _attach_numbers(call)
    options = call.options()
    given = _given(options)
    recursive = "-r" in given or "-R" in given or call.name == "rgrep"
    named: bool | None = None
    if "-h" in given:
        named = False
    elif "-H" in given:
        named = True
    syntax = {"egrep": "extended", "fgrep": "fixed"}.get(call.name, "basic")
    return search(call, options, syntax, recursive, "-n" in given, named, given=given)


_COUNT = regex(r"-\d+")


def _attach_numbers(call: Call) -> None:
    """`-5` is `-C 5`."""
    for word in call.args:
        if word.text[:1] == "-" and _COUNT.fullmatch(word.text):
            break
    else:
        return
    call.args = [
        Word("-C" + word.text[1:]) if _COUNT.fullmatch(word.text) else word for word in call.args
    ]


def _rg(call: Call) -> Parts:
    _attach_numbers(call)
    options = call.options()
    if options.has("--files", "-g") and not options.operands and options.has("--files"):
        return [Names(cwd=call.cwd, only_files=True, rule=call.name)]
    if options.has("--files"):
        return [Names(cwd=call.cwd, roots=tuple(options.operands), only_files=True, rule=call.name)]
    if options.has("--json"):
        return [JsonSearch(cwd=call.cwd, rule=call.name)]
    numbered: bool | None = None
    if options.has("-n", "--line-number", "--vimgrep", "--column"):
        numbered = True
    elif options.has("-N", "--no-line-number"):
        numbered = False
    named: bool | None = None
    if options.has("-I", "--no-filename", "-h"):
        named = False
    elif options.has("-H", "--with-filename"):
        named = True
    paths = options.operands if options.has("-e", "--regexp", "-f") else options.operands[1:]
    reads_stdin = call.stdin is not None and not paths
    return search(
        call, options, "extended", not reads_stdin, numbered, named, _headings(call, options)
    )


_HEADINGS = ("--heading", "--group", "--pretty")
_NO_HEADINGS = ("--no-heading", "--nogroup", "--noheading", "--vimgrep")


def _headings(call: Call, options: Options) -> bool | None:
    """Whether rg, ag or ack print names as headings; without an option they do on a terminal."""
    if options.has(*_NO_HEADINGS):
        return False
    asked = options.has(*_HEADINGS) or (call.name == "rg" and options.has("-p"))
    return True if asked else None


def git_grep(call: Call) -> Parts:
    """`git grep`: names unless -h, paths below the current directory."""
    args = list(call.args)
    marks = [index for index, word in enumerate(args) if word.text == "--"]
    behind = args[marks[0] + 1 :] if marks else []
    call.args = args[: marks[0]] if marks else args
    _attach_numbers(call)
    options = call.options()
    given = options.operands[0 if options.has("-e") else 1 :]
    revisions = given if behind else [word for word in given[:1] if _REVISION.match(word.text)]
    paths = behind or given[len(revisions) :]
    paths = [word for word in paths if not word.text.startswith(":")]
    options.operands = options.operands[: 0 if options.has("-e") else 1] + [
        # Git prints `src/a.py` for `./src`.
        replace(
            word, text=word.text.removeprefix("./") or ".", glob=bool(re.search(r"[*?]", word.text))
        )
        for word in paths
    ]
    named = not options.has("-h")
    found = search(
        replace(call, stdin=None),
        options,
        "basic",
        True,
        options.has("-n", "--line-number"),
        named,
        options.has("--heading"),
    )
    revision = revisions[0].text if len(revisions) == 1 and revisions[0].known else ""
    if revision:
        found = [
            replace(p, revision=revision) if isinstance(p, Search | Names) else p for p in found
        ]
    return [_loosened(part) if any(word.glob for word in paths) else part for part in found]


_REVISION = regex(r"HEAD(?:[~^]\d*)*$|[0-9a-f]{7,40}$|origin/|[\w./-]+[~^]\d*$")


def _loosened(part: Part) -> Part:
    """Git's patterns match across slashes, so they do not limit which names are printed."""
    if isinstance(part, Search | Names):
        return replace(part, roots=())
    return part


def _ast_grep(call: Call) -> Parts:
    """ast-grep: `path:12:text` on a pipe, for every line of a match; on a terminal `12│text` below the path."""
    options = call.options()
    roots = options.operands[options.operands[:1] == [Word("run")] :]
    if options.has("-U", "--update-all", "--json"):
        return [Opaque(rule=call.name)]
    return [Grouped(cwd=call.cwd, roots=tuple(roots), named=True, numbered=True, rule=call.name)]


HANDLERS: dict[str, Handler] = {"grep": _grep, "rg": _rg, "ast-grep": _ast_grep}
