"""Scripts inside a command: `python -c`, here-documents, `node -e`, `perl -ne`, `ruby -e`.

Python is parsed; of the others the usual calls with constant names are recognised. A file that a
script opens is shown when the script prints something, though its lines are not known.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from groundtrace.model import FileRef
from groundtrace.tools.shell.programs.call import Call, Handler
from groundtrace.tools.shell.programs.python_slices import Ranges, python_ranges
from groundtrace.tools.shell.streams import line_algebra as algebra
from groundtrace.tools.shell.streams.content import Content
from groundtrace.tools.shell.streams.part import Opaque, Parts, Write
from groundtrace.tools.shell.streams.text import Text
from groundtrace.tools.shell.streams.word import Word

MAX_SCRIPT = 200_000
_READERS = {
    "read_text",
    "read_bytes",
    "read_csv",
    "read_json",
    "read_table",
    "read_parquet",
    "loadtxt",
    "getlines",
}
_WRITERS = {"write_text", "write_bytes", "to_csv", "to_json", "touch", "unlink"}
_OS_WRITERS = {"remove", "unlink", "rename", "copy", "copyfile", "copy2", "move", "replace"}
_OPENERS = ("open", *sorted(_READERS | _WRITERS | _OS_WRITERS))
"""A script without one of these words opens nothing that could be told."""


class Opened:
    """Names that a script opens, in order."""

    __slots__ = ("ranges", "reads", "writes")

    def __init__(self) -> None:
        self.ranges: Ranges | None = None
        self.reads: dict[str, None] = {}
        self.writes: dict[str, None] = {}


def python_files(source: str) -> Opened:
    """Files that a Python script opens by constant names, also over loops on constant lists."""
    found = Opened()
    if not any(word in source for word in _OPENERS):
        return found
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source[:MAX_SCRIPT])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        _guess(source, found)
        return found
    nodes = list(ast.walk(tree))
    values = _constants(nodes)
    for node in nodes:
        if isinstance(node, ast.Call):
            _python_call(node, values, found)
    if len(found.reads) == 1 and not found.writes:
        found.ranges = python_ranges(tree)
    return found


def _constants(nodes: list[ast.AST]) -> dict[str, list[str]]:
    """Strings that names may hold: assignments and loops over constants."""
    values: dict[str, list[str]] = {}
    binding = [n for n in nodes if isinstance(n, (ast.Assign, ast.For, ast.comprehension))]
    for _ in range(2):
        for node in binding:
            if (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], ast.Name)
            ):
                texts = list(_strings(node.value, values))
                if texts:
                    values[node.targets[0].id] = texts
            elif isinstance(node, ast.Assign):
                continue
            elif isinstance(node.target, ast.Name):
                texts = list(_strings(node.iter, values))
                if texts:
                    values[node.target.id] = texts
            elif isinstance(node.target, ast.Tuple):
                _unpacked(node.target, node.iter, values)
    return values


def _unpacked(target: ast.Tuple, source: ast.expr, values: dict[str, list[str]]) -> None:
    """`for name, path in [("a", "b"), ...]`."""
    if isinstance(source, ast.Name) or not isinstance(source, ast.List | ast.Tuple):
        return
    for index, name in enumerate(target.elts):
        if not isinstance(name, ast.Name):
            continue
        texts: list[str] = []
        for item in source.elts:
            if isinstance(item, ast.Tuple | ast.List) and index < len(item.elts):
                texts.extend(_strings(item.elts[index], values))
        if texts:
            values[name.id] = texts


def _strings(node: ast.expr, values: dict[str, list[str]], depth: int = 0) -> Iterator[str]:
    """The strings an expression can be, as far as constants go."""
    if depth > 6:
        return
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    elif isinstance(node, ast.Name):
        yield from values.get(node.id, [])[:200]
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        for item in node.elts[:200]:
            yield from _strings(item, values, depth + 1)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
        joint = "/" if isinstance(node.op, ast.Div) else ""
        for left in list(_strings(node.left, values, depth + 1))[:50]:
            for right in list(_strings(node.right, values, depth + 1))[:50]:
                yield left.rstrip("/") + joint + right if joint else left + right
    elif isinstance(node, ast.JoinedStr):
        yield from _formatted(node, values, depth)
    elif isinstance(node, ast.Call):
        name = (
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        )
        if name == "Path" and node.args:
            yield from _strings(node.args[0], values, depth + 1)
        elif name == "join" and isinstance(node.func, ast.Attribute) and len(node.args) > 1:
            pieces = [next(_strings(arg, values, depth + 1), None) for arg in node.args]
            if all(piece is not None for piece in pieces):
                yield "/".join(piece or "" for piece in pieces)
        elif name in {"sorted", "list", "reversed", "set", "str"} and node.args:
            yield from _strings(node.args[0], values, depth + 1)


def _formatted(node: ast.JoinedStr, values: dict[str, list[str]], depth: int) -> Iterator[str]:
    texts = [""]
    for piece in node.values:
        inner = piece.value if isinstance(piece, ast.FormattedValue) else piece
        options = list(_strings(inner, values, depth + 1))[:50]
        if not options:
            return
        texts = [text + option for text in texts for option in options][:200]
    yield from texts


def _python_call(node: ast.Call, values: dict[str, list[str]], found: Opened) -> None:
    func = node.func
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    owner = func.value if isinstance(func, ast.Attribute) else None
    if name == "open":
        path = node.args[0] if node.args else None
        mode_at = 1
        if isinstance(owner, ast.Call) or (isinstance(owner, ast.Name) and owner.id in values):
            path, mode_at = owner, 0
        mode = node.args[mode_at] if len(node.args) > mode_at else None
        for keyword in node.keywords:
            if keyword.arg == "mode":
                mode = keyword.value
        text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "r"
        if path is not None:
            into = found.writes if re.search(r"[wax]", text) else found.reads
            into.update(dict.fromkeys(_strings(path, values)))
    elif name in _READERS or name in _WRITERS:
        into = found.reads if name in _READERS else found.writes
        target = (
            node.args[0]
            if name
            in {
                "read_csv",
                "read_json",
                "to_csv",
                "to_json",
                "getlines",
                "read_table",
                "read_parquet",
                "loadtxt",
            }
            and node.args
            else owner
        )
        if target is not None:
            into.update(dict.fromkeys(_strings(target, values)))
    elif (
        name in _OS_WRITERS
        and isinstance(owner, ast.Name)
        and owner.id in {"os", "shutil"}
        and node.args
    ):
        found.writes.update(dict.fromkeys(_strings(node.args[-1], values)))


_OPEN = re.compile(
    r"\bopen\s*\(\s*r?(['\"])(?P<path>[^'\"]+)\1\s*(?:,\s*(?:mode\s*=\s*)?(['\"])(?P<mode>[rwaxbt+]+)\3)?"
)


def _guess(source: str, found: Opened) -> None:
    """A script that does not parse (holes, Python 2) is searched for plain calls."""
    for match in _OPEN.finditer(source[:MAX_SCRIPT]):
        into = found.writes if re.search(r"[wax]", match["mode"] or "r") else found.reads
        into[match["path"]] = None


_OTHER_READS = re.compile(
    r"(?:readFileSync|readFile|createReadStream|File\.read(?:lines)?|File\.foreach|IO\.read(?:lines)?|File\.open"
    r"|require|JSON\.load_file|YAML\.load_file)\s*\(?\s*(['\"])(?P<path>[^'\"]+)\1(?!\s*,\s*['\"]w)"
)
_OTHER_WRITES = re.compile(
    r"(?:writeFileSync|writeFile|appendFileSync|File\.write|IO\.write)\s*\(?\s*(['\"])(?P<path>[^'\"]+)\1"
)
_PERL_OPEN = re.compile(
    r"open\s*\(?\s*(?:my\s+)?[$\w]+\s*,\s*(['\"])(?P<mode><|>>?)[^'\"]*\1\s*,\s*(['\"])(?P<path>[^'\"]+)\3"
)


def other_files(source: str) -> Opened:
    """Files in a node, ruby or perl script, by the usual calls."""
    found = Opened()
    source = source[:MAX_SCRIPT]
    for match in _OTHER_READS.finditer(source):
        path = match["path"]
        if "require" in match[0] and not re.search(r"\.json$", path):
            continue
        found.reads[path] = None
    for match in _OTHER_WRITES.finditer(source):
        found.writes[match["path"]] = None
    for match in _PERL_OPEN.finditer(source):
        (found.reads if match["mode"] == "<" else found.writes)[match["path"]] = None
    return found


def _parts(call: Call, opened: Opened) -> Parts:
    shell = call.shell
    reads = [path for path in map(shell.path, opened.reads) if path is not None]
    shows = tuple(FileRef(path, "read", rule=call.name) for path in reads)
    fed = algebra.derive(
        [part for part in call.stdin or [] if not isinstance(part, Text)], call.name
    )
    parts: Parts = [*fed] if fed and not shows else []
    if len(reads) == 1 and opened.ranges is not None and not fed:
        parts.append(Content(path=reads[0], spans=opened.ranges, rule=call.name, quiet=True))
    if not parts:
        parts.append(Opaque(shows=shows, rule=call.name, quiet=True))
    for path in map(shell.path, opened.writes):
        if path is not None:
            parts.append(Write(path=path, rule=call.name))
    return parts


def _script(call: Call, flags: str) -> tuple[str | None, list[Word]]:
    """The script given with one of `flags` or on standard input, and the words behind it."""
    args = call.args
    for index, word in enumerate(args):
        if re.fullmatch(rf"-\w*[{flags}]", word.text) and index + 1 < len(args):
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


def _python(call: Call) -> Parts:
    texts = [word.text for word in call.args]
    if texts[:2] == ["-m", "json.tool"]:
        files = [word for word in call.args[2:] if not word.text.startswith("-")]
        return [*algebra.derive(call.opened(files[:1]), "json.tool"), *call.writes(files[1:2])]
    if texts[:1] == ["-m"]:
        return [Opaque(rule="python")]
    script, rest = _script(call, "c")
    if script is None:
        return (
            algebra.derive(call.stdin, call.name)
            if call.stdin
            else [Opaque(rule=call.name, expected=bool(rest))]
        )
    opened = python_files(script)
    if "sys.argv" in script:
        opened.reads.update(
            dict.fromkeys(
                word.text for word in rest if word.known and re.search(r"\.\w+$", word.text)
            )
        )
    return _parts(call, opened)


def _node(call: Call) -> Parts:
    script, _ = _script(call, "ep")
    if script is None:
        return algebra.derive(call.stdin, call.name) if call.stdin else [Opaque(rule=call.name)]
    return _parts(call, other_files(script))


def _perl(call: Call) -> Parts:
    """perl and ruby; with -n or -p they read their operands line by line, with -i they write them."""
    flags = [word.text for word in call.args if word.text.startswith("-")]
    script, rest = _script(call, "eE")
    if script is None:
        return algebra.derive(call.stdin, call.name) if call.stdin else [Opaque(rule=call.name)]
    if any(re.match(r"-\w*i", flag) for flag in flags):
        return call.writes(rest)
    if any(re.match(r"-\w*[np]", flag) for flag in flags):
        return line_script(script, call.opened(rest), call.name)
    return _parts(call, other_files(script))


def line_script(script: str, parts: Parts, name: str) -> Parts:
    """What is left of a stream after `perl -ne`: ranges of lines, or numbered lines."""
    script = script.strip().rstrip(";").strip()
    found = re.fullmatch(r"print\s+if\s+\(?(\d{1,9})\s*\.\.\s*(\d{1,9})\)?", script)
    if found:
        return algebra.select(parts, ((int(found[1]), int(found[2])),))
    if re.match(r"printf?\s*\(?\s*\"\$\.[:\s]", script):
        return algebra.chosen(algebra.number(parts))
    return algebra.derive(parts, name)


HANDLERS: dict[str, Handler] = {
    "python": _python, "python3": _python, "python2": _python, "python3.10": _python, "python3.11": _python,
    "python3.12": _python, "pypy3": _python, "ipython": _python, "node": _node, "nodejs": _node, "bun": _node, "deno": _node,
    "perl": _perl, "ruby": _perl,
}  # fmt: skip
