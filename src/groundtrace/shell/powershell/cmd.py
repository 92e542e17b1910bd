"""cmd of Windows: `type a.py | findstr /n foo`, `cd /d src && dir /b`.

A line has only words, pipes and `&`, so no grammar is needed. Its programs are handlers as those of
bash (`programs.call`), and so are the few that PowerShell also calls by these names.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from groundtrace.answers.file_names import looks_like_folder
from groundtrace.base.patterns import regex
from groundtrace.shell.powershell.parts import CmdListing, ItemNames, slashed
from groundtrace.shell.programs.call import Call, Handler, Program, ProgramEntry
from groundtrace.shell.programs.table import TABLE
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.conditions import joined
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.file_names import join
from groundtrace.shell.streams.filters import Filter, Pattern
from groundtrace.shell.streams.found_lines import Search
from groundtrace.shell.streams.part import Opaque, Parts, Write
from groundtrace.shell.streams.word import Word
from groundtrace.shell.walk.walker import Walker

_TOKEN = regex(
    r"[ \t]*(?:(?P<operator>&&|\|\||&|\||\r?\n|[()])|(?P<redirect>[12]?>>?)(?:&(?P<other>[12])|[ \t]*)"
    r"|(?P<word>(?:\"[^\"\n]*\"?|\^[\s\S]|[^\s&|<>()\"^])+)|(?P<skip><[ \t]*))"
)
_GLOB = regex(r"[*?]")


def cmd_parts(walker: Walker, source: str) -> Parts:
    """What a line of cmd prints."""
    parts: Parts = []
    words: list[str] = []
    stream: Parts | None = None
    done: Parts | None = None
    operator = ""
    redirects: list[tuple[str, str]] = []
    target: str | None = None
    at = 0

    def stage() -> Parts:
        nonlocal stream
        out = _stage(walker, words, redirects, stream)
        words.clear()
        redirects.clear()
        return out

    while at < len(source):
        found = _TOKEN.match(source, at)
        if found is None:
            break
        at = found.end()
        if found["redirect"]:
            target = None if found["other"] else found["redirect"]
        elif found["word"]:
            if target is not None:
                redirects.append((target, _plain(found["word"])))
                target = None
            else:
                words.append(found["word"])
        elif found["operator"] == "|":
            stream = stage()
        elif found["operator"] in ("(", ")"):
            continue
        elif found["operator"]:
            parts_of = stage()
            stream = None
            done = parts_of if done is None else _joined(walker, done, operator, parts_of)
            operator = found["operator"] if found["operator"] in ("&&", "||") else ";"
    parts = stage()
    return parts if done is None else _joined(walker, done, operator, parts)


def _joined(walker: Walker, done: Parts, operator: str, following: Parts) -> Parts:
    if operator == ";":
        return [*done, *following]
    return joined(done, operator, following, walker.errors_seen, False)


def _stage(
    walker: Walker, words: Sequence[str], redirects: Sequence[tuple[str, str]], stream: Parts | None
) -> Parts:
    if not words:
        return stream or []
    first = _plain(words[0]).lstrip("@")
    name = slashed(first).rsplit("/", 1)[-1].lower()
    name = name.rsplit(".", 1)[0] if name.endswith((".exe", ".bat", ".cmd")) else name
    if name.startswith("cd") and name[2:] in ("..", "\\", "."):
        words = ["cd", name[2:]]
        name = "cd"
    echoed = name.startswith("echo") and name not in PROGRAMS
    args = [Word(_plain(word)) for word in words[1:]]
    entry = PROGRAMS.get("echo" if echoed else name)
    if entry is not None:
        call = Call(walker, name, args, stream, entry.program)
        parts = [] if name in walker.absent else entry.handler(call)
    else:
        parts = walker.command([Word(name), *args], stream)
    for mark, target in redirects:
        if mark.startswith("2"):
            parts = algebra.quiet(parts)
            continue
        path = None if target.lower() == "nul" else walker.path(slashed(target))
        parts = [part for part in parts if not part.prints]
        parts += [Write(path=path, rule="redirection")] if path is not None else []
    return parts


def _plain(word: str) -> str:
    """A word without quotation marks and escapes."""
    return word.replace('"', "") if '"' in word else regex(r"\^([\s\S])").sub(r"\1", word)


def _split(call: Call) -> tuple[dict[str, str], list[str]]:
    """Options (`/s`, `/c:text`) and operands."""
    options: dict[str, str] = {}
    operands: list[str] = []
    for word in call.args:
        text = word.text
        if (
            text.startswith("/")
            and len(text) > 1
            and "/" not in text[2:]
            and not operands_only(text)
        ):
            name, _, value = text[1:].partition(":")
            if value:
                options[name.lower()] = (
                    f"{options[name.lower()]}\n{value}" if name.lower() in options else value
                )
            else:
                options.update(
                    dict.fromkeys(name.lower() if len(name) <= 4 else [name.lower()], "")
                )
        else:
            operands.append(text)
    return options, operands


def operands_only(text: str) -> bool:
    """Whether a word with a slash in front is a path of Unix and no option."""
    return "." in text and ":" not in text


def _contents(call: Call) -> Parts:
    _, names = _split(call)
    if not names:
        return call.stdin or [Opaque(rule=call.name)]
    out: Parts = []
    for name in names:
        if _GLOB.search(name):
            out.append(Content(path=None, spans=None, quiet=True, rule=call.name))
            continue
        path = call.shell.path(slashed(name))
        if path is not None:
            out.append(Content(path=path, rule=call.name))
    return out


def _findstr(call: Call) -> Parts:
    options, operands = _split(call)
    source = options.get("c") or options.get("g")
    if source is None or source == "":
        if not operands:
            return [Opaque(rule=call.name)]
        source = operands.pop(0)
        if "l" not in options:
            source = "\n".join(source.split())
    syntax = "fixed" if "l" in options or ("c" in options and "r" not in options) else "basic"
    pattern = Pattern(source, syntax, ignore_case="i" in options)
    inverted, numbered = "v" in options, "n" in options
    if not operands:
        how = Filter(pattern, inverted=inverted, numbered=numbered, rule=call.name)
        return algebra.search(call.stdin or [Opaque(rule=call.name)], how)
    several = len(operands) > 1 or "s" in options or any(map(_GLOB.search, operands))
    if "m" in options:
        return [ItemNames(cwd=call.cwd, anchor=False, only_files=True, rule=call.name)]
    paths = [call.shell.path(slashed(name)) for name in operands]
    if not several and paths[0] is None:
        return []
    return [
        WindowsSearch(
            cwd=call.cwd,
            sole=None if several else paths[0],
            named=several,
            numbered=numbered,
            pattern=pattern,
            inverted=inverted,
            rule=call.name,
        )
    ]


class WindowsSearch(Search, kw_only=True, frozen=True):
    """A search whose names have backslashes."""

    def _place(self, name: str) -> str | None:
        return Search._place(self, slashed(name))


def _dir(call: Call) -> Parts:
    options, names = _split(call)
    cwd = call.cwd
    if "b" not in options:
        return [CmdListing(cwd=cwd, rule=call.name)]
    place = slashed(names[0]) if names else ""
    folder, _, base = place.rpartition("/")
    globs: tuple[str, ...] = ()
    if _GLOB.search(base):
        globs, place = (base,), folder
    elif base and not looks_like_folder(base):
        place = folder
    return [
        ItemNames(
            cwd=join(cwd, place) if place else cwd,
            globs=globs if globs != ("*",) else (),
            anchor=False,
            folders="d" in options and "ad" in "".join(options),
            rule=call.name,
        )
    ]


def _where(call: Call) -> Parts:
    return [ItemNames(cwd=call.cwd, anchor=False, rule=call.name)]


def _copy(call: Call) -> Parts:
    _, names = _split(call)
    if len(names) < 2 or any(map(_GLOB.search, names)):
        return [Opaque(rule=call.name, expected=False)]
    source, target = slashed(names[0]), slashed(names[-1])
    base = source.rstrip("/").rsplit("/", 1)[-1]
    if target.endswith("/") or target in (".", "..") or (looks_like_folder(target) and "." in base):
        target = f"{target.rstrip('/')}/{base}"
    moved = [Word(source)] if call.name == "move" else []
    said = Opaque(rule=call.name, expected=False)
    if call.shell.path(source) is None or looks_like_folder(source):
        return [said]
    return [*call.writes([Word(target), *moved]), said]


def _delete(call: Call) -> Parts:
    _, names = _split(call)
    return call.writes([Word(slashed(name)) for name in names if not _GLOB.search(name)])


def _rename(call: Call) -> Parts:
    _, names = _split(call)
    if len(names) != 2 or any(map(_GLOB.search, names)):
        return []
    source = slashed(names[0])
    folder, slash, _ = source.rpartition("/")
    return call.writes([Word(f"{folder}{slash}{names[1]}"), Word(source)])


def _echo(call: Call) -> Parts:
    return TABLE["echo"].run(replace(call, name="echo"))


def _cd(call: Call) -> Parts:
    _, names = _split(call)
    if not names:
        return [Opaque(rule=call.name, expected=False, limit=1)]
    return TABLE["cd"].run(replace(call, name="cd", args=[Word(slashed(names[0]))]))


def _opaque(call: Call) -> Parts:
    return [Opaque(rule=call.name, expected=False)]


def _entry(handler: Handler, name: str) -> ProgramEntry:
    return ProgramEntry(Program(name), handler)


PROGRAMS: dict[str, ProgramEntry] = {
    name: _entry(handler, name)
    for handler, names in (
        (_contents, ("type", "more")),
        (_findstr, ("findstr", "find")),
        (_dir, ("dir",)),
        (_where, ("where",)),
        (_copy, ("copy", "move", "xcopy")),
        (_delete, ("del", "erase")),
        (_rename, ("ren", "rename")),
        (_echo, ("echo", "echo.")),
        (_cd, ("cd", "chdir", "pushd")),
        (_opaque, ("md", "mkdir", "rd", "rmdir", "set", "ver", "vol", "cls", "chcp", "attrib")),
        (_opaque, ("robocopy", "if", "for")),
    )
    for name in names
}
"""Programs of cmd; all others are those of bash."""
SHARED = {name: PROGRAMS[name] for name in ("findstr", "where")}
"""Programs of Windows that PowerShell runs too, as `findstr` and `where.exe`."""
