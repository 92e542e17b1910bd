"""Scripts inside a command: `python -c`, here-documents, `node -e`, `perl -ne`, `ruby -e`.

Python is parsed. In the other languages the usual calls with constant names are recognised. A file
that a script opens is read if a part of its text is printed (D50). A script that the agent wrote
is followed as if it were part of the command (D51, D141).
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from groundtrace.answers.file_names import named_like_file
from groundtrace.answers.found import MATCH
from groundtrace.base.patterns import regex
from groundtrace.model import FileRef
from groundtrace.shell.programs.call import Call, Handler
from groundtrace.shell.programs.listers import reports
from groundtrace.shell.programs.python_flow import (
    Exits,
    Ranges,
    exits_of,
    followed,
    left_at,
    named_by,
    python_ranges,
    said_by,
    shown_by,
)
from groundtrace.shell.programs.python_names import Names as PythonNames
from groundtrace.shell.programs.python_names import (
    Opened,
    all_nodes,
    commands_of,
    constants,
    listed_roots,
    may_open,
    opened_by,
    strings,
)
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.found_lines import Search
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Opaque, Parts, Said, Write, are_own_words
from groundtrace.shell.streams.text import Text
from groundtrace.shell.streams.word import Word

MAX_SCRIPT = 200_000
MAX_STATEMENTS = 4000
MAX_HANDLES = 40
"""How many open files of one script are followed."""
_CONSTANT = regex(r"[$@]?\b(\w{1,80})\s*=\s*(['\"])([^'\"\n]{1,1000})\2\s*(?:;|\n|$)")
_NAME = r"(?:(?P<quote>['\"])(?P<path>[^'\"\n]{1,1000})(?P=quote)|\$?(?P<variable>\w{1,80}))"
_READ = regex(
    r"(?:readFileSync|readFile|createReadStream|File\.read(?:lines)?|File\.foreach|IO\.read(?:lines)?"
    rf"|File\.open|JSON\.load_file|YAML\.(?:safe_)?load_file)\s?\(?\s?{_NAME}(?!\s?,\s?['\"]w)"
)
_REQUIRE = regex(r"require\s?\(\s?(['\"])(?P<path>[^'\"\n]{1,1000}\.json)\1")
_WRITE = regex(rf"(?:writeFileSync|writeFile|appendFileSync|File\.write|IO\.write)\s?\(?\s?{_NAME}")
_PERL_OPEN = regex(
    r"open\s?\(?\s?(?:my\s)?\$?(?P<handle>\w{1,80})\s?,\s?(['\"])(?:(?P<mode><|>>?)[^'\"\n]{0,80}\2\s?,\s?(['\"])(?P<path>[^'\"\n]{1,1000})\4"
    r"|(?P<both><?)\s?(?P<plain>[^'\"\n<>]{1,1000})\2)"
)
_STATEMENT = regex(r"[;\n{}]")
_ASSIGNED = regex(r"(?:^|[\s(])(?:const |let |var |my )?[$@%]?(\w{1,80})\s*=(?![=~>])")
_EACH = regex(
    r"\.(?:forEach|map|filter|flatMap|each|each_with_index|each_line|select)\b\s?(?:\(\s?(?:function\s?)?\(?|\{\s?\|\s?|do\s\|\s?)(\w{1,80})"
)
_FOR = regex(r"\bfor(?:each)?\s?\(?\s?(?:const |let |var |my )?[$@]?(\w{1,80})\s?(?:of\b|in\b|\()")
_PRINT = regex(
    r"(?:\b(?:console\.(?:log|error|info|dir)|process\.stdout\.write|puts|print|printf|say)\b"
    r"|(?:(?<=[;\n{}])|^) ?pp? )(?P<rest>[^;\n}]*)"
)
_NO_TEXT = regex(
    r"[\w$@.\[\]'()]{0,200}\.(?:length|size|count|includes|include\?|indexOf|test|empty\?|startsWith|endsWith)\b(?:\([^()]{0,200}\))?"
    r"|\bObject\.keys\([^()]{0,200}\)\.length|\bscalar\b\s?\(?\s?[@$]\w{1,80}\)?"
)
_STRING = regex(r"'[^'\n]{0,2000}'|\"[^\"\n$#]{0,2000}\"")


_VARIABLE = regex(r"(?<![\w.])\w{1,80}\b")


class Script(Opened, kw_only=True):
    """What a script opens, and which files it prints from."""

    shown: dict[str, None] = msgspec.field(default_factory=dict)


def other_files(source: str) -> Script:
    """Files in a node, ruby or perl script, by the usual calls, and whether their text is printed.

    These scripts are not parsed. Statements are looked at one by one: a variable that gets a file's
    text carries it, and so does everything made from it. A length, a count and a test carry nothing.
    If it is not clear whether text is carried, the file is not claimed as read.
    """
    source = source[:MAX_SCRIPT]
    found = Script(shown={})
    constants = {name: text for name, _, text in _CONSTANT.findall(source)}
    handles: dict[str, str] = {}
    for opened in _PERL_OPEN.finditer(source):
        path = (opened["path"] or opened["plain"] or "").strip()
        if (opened["mode"] or "<") == "<":
            found.reads[path] = None
            if len(handles) < MAX_HANDLES:
                handles[opened["handle"]] = path
        else:
            found.writes[path] = 0
    for written in _WRITE.finditer(source):
        name = written["path"] or constants.get(written["variable"] or "")
        if name:
            found.writes[name] = 0
    carried: dict[str, set[str]] = {}
    statements = [piece for piece in _STATEMENT.split(source) if piece.strip()][:MAX_STATEMENTS]
    for _ in range(2):
        for statement in statements:
            files = _text_in(statement, constants, handles, carried)
            found.reads.update(dict.fromkeys(sorted(files)))
            if not files:
                continue
            targets = [*_ASSIGNED.findall(statement), *_EACH.findall(statement)]
            if "<" in statement and any(
                f"<${h}>" in statement or f"<{h}>" in statement for h in handles
            ):
                targets.append("_")
            for name in [*targets, *_FOR.findall(statement)]:
                carried.setdefault(name, set()).update(files)
    for printed in _PRINT.finditer(source):
        rest = printed["rest"]
        files = _text_in(rest, constants, handles, carried)
        if re.fullmatch(r"\s*(?:if\b.*|\$_.*|unless\b.*)?", rest):
            files = files | carried.get("_", set())
        found.shown.update(dict.fromkeys(sorted(files)))
    return found


def _text_in(
    text: str, constants: dict[str, str], handles: dict[str, str], carried: dict[str, set[str]]
) -> set[str]:
    """Files from which an expression holds a part of the text."""
    files: set[str] = set()
    for found in _READ.finditer(text):
        if _counts(text, found.start()):
            continue
        name = found["path"] or constants.get(found["variable"] or "")
        if name:
            files.add(name)
    files.update(found["path"] for found in _REQUIRE.finditer(text))
    for handle, path in handles.items():
        if f"<${handle}>" in text or f"<{handle}>" in text:
            files.add(path)
    if carried:
        bare = _STRING.sub("", _NO_TEXT.sub("", text))
        for name in _VARIABLE.findall(bare):
            files |= carried.get(name, set())
    return files


def _counts(text: str, at: int) -> bool:
    """Whether only a number is left of what is read at `at`."""
    return re.search(r"\)\.(?:length|size|count|includes)\b", text[at : at + 2000]) is not None


class Shown(msgspec.Struct):
    """What a script does with files."""

    reads: dict[str, None] = msgspec.field(default_factory=dict)
    """Files that it prints a part of."""
    writes: dict[str, int] = msgspec.field(default_factory=dict)
    """Files that it writes, with the line of the script that writes them."""
    surfaced: dict[str, None] = msgspec.field(default_factory=dict)
    """Files that it opens and prints the name of, or for which it is not known what it prints."""
    ranges: Ranges | None = None
    """The lines that it prints, if it prints one file."""
    roots: list[str] | None = None
    """Where the names that it prints come from."""
    said: Said | None = None
    """Lines that it prints whatever its files hold, if known."""
    exits: Exits = ()
    """Where it ends itself with words."""


def python_files(source: str, arguments: Sequence[str] = ()) -> Shown:
    """Files that a Python script shows and writes."""
    return _python_files(source, tuple(arguments)) if may_open(source) else Shown()


@lru_cache(maxsize=64)
def _python_files(source: str, arguments: tuple[str, ...]) -> Shown:
    """The same for a script that may open files; agents run one script again and again."""
    out = Shown()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source[:MAX_SCRIPT])
            nodes = all_nodes(tree)
            names = constants(nodes, arguments)
            reads = _follow(nodes, names, out)
            _move_to_its_folder(nodes, names, out)
            out.exits = exits_of(nodes) if out.writes else ()
            out.roots = None if out.reads else listed_roots(nodes, names)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _guess(source)
    if len(reads) == 1 and len(out.reads) == 1 and not out.writes:
        out.ranges = python_ranges(tree)
    return out


def _follow(nodes: list[ast.AST], names: PythonNames, out: Shown) -> dict[str, None]:
    """Add what is shown and written to `out`; return all files that are read."""
    reads: dict[str, None] = {}
    for node in nodes:
        if isinstance(node, ast.Call):
            opened = opened_by(node, names)
            reads.update(opened.reads)
            for name, line in opened.writes.items():
                out.writes.setdefault(name, line)
    if reads:
        flow = followed(nodes, names)
        shown = shown_by(nodes, flow)
        out.reads = {name: None for name in reads if name in shown}
        hidden = [name for name in reads if name not in shown and name not in out.writes]
        out.surfaced = dict.fromkeys(named_by(nodes, names, hidden))
        out.said = said_by(nodes, flow) if out.reads else None
    return reads


def _move_to_its_folder(nodes: list[ast.AST], names: PythonNames, out: Shown) -> None:
    """If the script changes its directory, its names lie below that, or their place is unknown."""
    entered = [
        node
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "chdir"
    ]
    if not entered:
        return
    folders = [text for node in entered for arg in node.args for text in strings(arg, names)]
    folder = folders[0] if len(folders) == len(entered) == 1 else None

    def moved(name: str) -> str | None:
        if name.startswith("/"):
            return name
        return None if folder is None else f"{folder.rstrip('/')}/{name}"

    out.reads = {new: None for name in out.reads if (new := moved(name)) is not None}
    out.surfaced = {new: None for name in out.surfaced if (new := moved(name)) is not None}
    out.writes = {new: at for name, at in out.writes.items() if (new := moved(name)) is not None}


_OPEN = regex(
    r"\bopen\s?\(\s?r?(['\"])(?P<path>[^'\"\n]{1,1000})\1\s?(?:,\s?(?:mode\s?=\s?)?(['\"])(?P<mode>[rwaxbt+]{1,4})\3)?"
)


def _guess(source: str) -> Shown:
    """Search a script that does not parse (holes, Python 2) for plain calls.

    A file is read if it is opened in the same statement that prints; otherwise it is not known.
    """
    out = Shown()
    for line in source[:MAX_SCRIPT].split("\n"):
        for match in _OPEN.finditer(line):
            if re.search(r"[wax]", match["mode"] or "r"):
                out.writes[match["path"]] = 0
            elif re.search(r"\bprint\b", line[: match.start()]):
                out.reads[match["path"]] = None
            else:
                out.surfaced[match["path"]] = None
    return out


def other_scripts(source: str) -> Shown:
    """The same for node, ruby and perl."""
    found = other_files(source)
    return Shown(reads=found.shown, writes=found.writes)


def _parts(call: Call, shown: Shown, script: str, source: str = "") -> Parts:
    shell = call.shell
    stopped = shell.stopped.get(script)
    if stopped is None and shown.exits:
        stopped = left_at(shown.exits, shell.lines)
    if stopped == 0:
        return [Opaque(rule=call.name)]  # it could not be parsed, so nothing of it ran
    reads = [path for path in map(shell.path, shown.reads) if path is not None]
    if (
        shown.ranges is not None
        and shown.said is not None
        and are_own_words(shell.lines, shown.said)
    ):
        reads = []
    named = [path for path in map(shell.path, shown.surfaced) if path is not None]
    shows = tuple(FileRef(path, "read", rule=call.name) for path in reads)
    shows += tuple(FileRef(path, "surfaced", rule=call.name) for path in named)
    fed = algebra.derive(
        [part for part in call.stdin or [] if not isinstance(part, Text)], call.name
    )
    parts: Parts = [*fed] if fed and not shows else []
    as_list = any(line.startswith(("['", '["')) for line in shell.lines)  # `print(lines[3:9])`
    if len(reads) == 1 and shown.ranges is not None and not fed and not as_list:
        parts.append(Content(path=reads[0], spans=shown.ranges, rule=call.name, quiet=True))
    elif shown.roots is not None and not parts:
        roots = tuple(Word(root, glob="*" in root or "?" in root) for root in shown.roots)
        parts.append(Names(cwd=call.cwd, roots=roots, only_files=bool(roots), rule=call.name))
    if not parts and not shows and not shown.writes:
        parts = _listed(call, source)
    if not parts:
        # A script that only writes is not expected to print anything.
        expected = not shown.writes
        parts.append(
            Opaque(shows=shows, rule=call.name, quiet=True, expected=expected, said=shown.said)
        )
    for name, line in shown.writes.items():
        path = shell.path(name)
        # Lines after the one that raised an exception wrote nothing.
        if path is not None and (stopped is None or line < stopped):
            parts.append(Write(path=path, rule=call.name))
    return parts


_LISTS = regex(r"\b(?:glob|rglob|iglob|listdir|iterdir|scandir|os\.walk)\(")
_READS = regex(r"\bopen\(|\.read_text\(")
_HEADING = regex(r"\W{0,12}(?P<path>[\w.-][\w./-]{0,400}/[\w./-]{1,400}\.\w{1,8})\W{0,12}")


def _listed(call: Call, source: str) -> Parts:
    """Files that a script listed and opened, if its output names them: lines behind `path:12:`, or some
    text below a line that holds only a path."""
    if not (_LISTS.search(source) and _READS.search(source)) or "chdir(" in source:
        return []
    lines = call.shell.lines
    if any(found is not None and named_like_file(found[1]) for found in map(MATCH.match, lines)):
        return [Search(cwd=call.cwd, named=True, numbered=True, rule=call.name, quiet=True)]
    headings = [found and found["path"] for found in map(_HEADING.fullmatch, lines)]
    shows: dict[str, FileRef] = {}
    for name, below in zip(headings, [*headings[1:], ""], strict=True):
        path = call.shell.path(name) if name else None
        if path is not None and below is None:
            shows[path] = FileRef(path, "read", rule=call.name)
    return [Opaque(shows=tuple(shows.values()), rule=call.name, quiet=True)] if shows else []


def _ran(call: Call, commands: Sequence[str | list[str]], whole: bool) -> Parts:
    """What the commands of a script print; `whole`: the script prints all of it."""
    parts: Parts = []
    for command in commands[:MAX_HANDLES]:
        if isinstance(command, str):
            parts += call.shell.run_text(command)
        else:
            parts += call.shell.command([Word(text) for text in command], None)
        parts.append(Text(lines=("",), maybe=True))  # `print(run(…).stdout)` ends a line twice
    whole = whole and not any(line.startswith(("b'", 'b"')) for line in call.shell.lines)
    beside = Opaque(rule=call.name, expected=False, maybe=True)
    return [*(parts if whole else algebra.derive(parts, call.name)), beside]


def _script(call: Call, flags: str) -> tuple[str | None, list[Word]]:
    """The script given with one of `flags` or on standard input, and the words after it."""
    args = call.args
    for index, word in enumerate(args):
        if re.fullmatch(rf"-\w{{0,20}}[{flags}]", word.text) and index + 1 < len(args):
            return args[index + 1].text, args[index + 2 :]
        if not word.text.startswith("-"):
            return None, args[index:]
        if word.text == "-":
            return _fed(call), args[index + 1 :]
    return (_fed(call), []) if call.stdin else (None, [])


def _fed(call: Call) -> str | None:
    texts = [line for part in call.stdin or [] if isinstance(part, Text) for line in part.lines]
    if not texts:
        return None
    call.stdin = None
    return "\n".join(texts)


def _from_file(call: Call, rest: Sequence[Word]) -> tuple[str, str] | None:
    """Text and name of a script that the agent wrote and now runs."""
    path = call.shell.path(rest[0].text) if rest and rest[0].known else None
    # Python names the whole path of a script that it cannot open.
    text = None if path is None or path in call.shell.missing else call.shell.written.get(path)
    return None if text is None or path is None else (text, path.rsplit("/", 1)[-1])


def _given(call: Call, flags: str, inline: str) -> tuple[str, str, list[str]] | None:
    """Text, name and arguments of a script; None if its text is not known."""
    script, rest = _script(call, flags)
    arguments = [word.text for word in rest if word.known]
    if script is not None:
        name = "<stdin>" if "-" in [word.text for word in call.args] or not call.args else inline
        return script, name, ["-c", *arguments]
    written = _from_file(call, rest)
    return None if written is None else (*written, arguments)


_CHECKERS = frozenset(
    {"py_compile", "compileall", "pytest", "unittest", "pip", "venv", "http.server"}
)


def _python(call: Call) -> Parts:
    texts = [word.text for word in call.args]
    if texts[:2] == ["-m", "json.tool"]:
        files = [word for word in call.args[2:] if not word.text.startswith("-")]
        return [*algebra.derive(call.opened(files[:1]), "json.tool"), *call.writes(files[1:2])]
    if texts[:1] == ["-m"]:
        module = texts[1] if len(texts) > 1 else ""
        return reports(call, module) or [Opaque(rule="python", expected=module not in _CHECKERS)]
    given = _given(call, "c", "<string>")
    if given is None:
        return _unknown_script(call)
    script, name, arguments = given
    shown = python_files(script, arguments)
    if not (shown.reads or shown.writes) and (ran := commands_of(script)) is not None:
        return _ran(call, *ran)
    return _parts(call, shown, name, script)


def _unknown_script(call: Call) -> Parts:
    """A script whose text is not known; its input counts as shown if it prints."""
    if call.stdin:
        return algebra.derive(call.stdin, call.name)
    asks = any(not word.text.startswith("-") for word in call.args)
    return [Opaque(rule=call.name, expected=asks)]


def _node(call: Call) -> Parts:
    if any(word.text in {"--check", "-c"} for word in call.args[:1]):
        return [Opaque(rule=call.name, expected=False)]
    given = _given(call, "ep", "[eval]")
    if given is None:
        return _unknown_script(call)
    script, name, _ = given
    if any(re.fullmatch(r"-\w{0,20}p", word.text) for word in call.args[:2]):
        script = f"console.log({script})"  # -p prints the value of the script
    return _parts(call, other_scripts(script), name)


def _perl(call: Call) -> Parts:
    """perl and ruby.

    With -n or -p they read their operands line by line, with -i they write them.
    """
    flags = [word.text for word in call.args if re.match(r"-[^rMImEe]", word.text)]
    script, rest = _script(call, "eE")
    if script is not None:
        if any(re.match(r"-\w{0,20}i", flag) for flag in flags):
            return call.writes(rest)
        if any(re.match(r"-\w{0,20}[np]", flag) for flag in flags):
            prints = any(re.match(r"-\w{0,20}p", flag) for flag in flags)
            return line_script(script, call.opened(rest), call.name, prints)
        return _parts(call, other_scripts(script), "-e")
    given = _from_file(call, rest)
    if given is None:
        return _unknown_script(call)
    return _parts(call, other_scripts(given[0]), given[1])


_AT_THE_END = regex(r"END\s?\{[^{}]{0,2000}\}")


def line_script(script: str, parts: Parts, name: str, prints: bool = False) -> Parts:
    """What `perl -ne` leaves of a stream: ranges of lines, or numbered lines."""
    script = script.strip().rstrip(";").strip()
    found = re.fullmatch(r"print\s+if\s+\(?(\d{1,9})\s*\.\.\s*(\d{1,9})\)?", script)
    if found:
        return algebra.select(parts, ((int(found[1]), int(found[2])),))
    if re.match(r"printf?\s*\(?\s*\"\$\.[:\s]", script):
        return algebra.chosen(algebra.number(parts))
    if not prints and re.search(r"\b(?:print|printf|say)\b", _AT_THE_END.sub("", script)) is None:
        return algebra.count(parts, name)  # it prints only at the end: a sum
    return algebra.derive(parts, name)


HANDLERS: dict[str, Handler] = {"python": _python, "node": _node, "perl": _perl}
