"""Names of files in a Python script: the constants that variables hold, and what calls open."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

_READERS = frozenset(
    [
        "read_text", "read_bytes", "read_csv", "read_json", "read_table", "read_parquet", "loadtxt",
        "getlines", "getline",
    ]
)  # fmt: skip
_WRITERS = frozenset(
    ["write_text", "write_bytes", "to_csv", "to_json", "to_parquet", "touch", "unlink"]
)
_BY_ARGUMENT = frozenset(
    [
        "read_csv", "read_json", "to_csv", "to_json", "to_parquet", "getlines", "getline",
        "read_table", "read_parquet", "loadtxt",
    ]
)  # fmt: skip
"""Calls that take the name as an argument. For others it is the owner: `Path(name).read_text()`."""
_OS_WRITERS = frozenset(
    ["remove", "unlink", "rename", "copy", "copyfile", "copy2", "move", "replace", "truncate"]
)
_LISTERS = frozenset(["glob", "rglob", "iglob", "walk", "listdir", "iterdir", "scandir"])
_OPENS = (
    "open(", "open (", "fileinput", "__file__",
    *(f"{name}(" for name in sorted(_READERS | _WRITERS | _LISTERS)),
    *(f"{module}.{name}(" for module in ("os", "shutil") for name in sorted(_OS_WRITERS)),
)  # fmt: skip
"""A script without any of these opens no file that can be found."""
MAX_STRINGS = 200
MAX_NAME = 4096


def may_open(source: str) -> bool:
    """Whether a script calls anything that opens or lists files; most scripts of tests do not."""
    return any(map(source.__contains__, _OPENS))


class Names(msgspec.Struct):
    """Constants of a script."""

    values: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """Strings that a name may hold."""
    arguments: list[str] = msgspec.field(default_factory=list)
    """`sys.argv`."""


class Opened(msgspec.Struct):
    """Names that a call or a script opens, in order."""

    reads: dict[str, None] = msgspec.field(default_factory=dict)
    writes: dict[str, int] = msgspec.field(default_factory=dict)
    """Names that are written, with the line of the script that writes them."""


def all_nodes(tree: ast.AST) -> list[ast.AST]:
    """The nodes of a script, outer nodes first.

    Like `ast.walk` in half the time: for a command that holds a script, most of the work is the
    script.
    """
    out = [tree]
    for node in out:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                out.extend([inner for inner in value if isinstance(inner, ast.AST)])
            elif isinstance(value, ast.AST) and field != "ctx":
                out.append(value)
    return out


def constants(nodes: Sequence[ast.AST], arguments: Sequence[str]) -> Names:
    """Strings that names may hold: assignments, and loops over constants."""
    names = Names(arguments=list(arguments))
    binding = [n for n in nodes if isinstance(n, ast.Assign | ast.For | ast.comprehension)]
    for _ in range(2):
        for node in binding:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    _bind(target, node.value, names)
            else:
                _bind_each(node.target, node.iter, names)
    return names


def _bounded(texts: Iterator[str]) -> list[str]:
    """A limited number of strings, without those that cannot be names: `a = a + a` doubles."""
    return [text for text in islice(texts, MAX_STRINGS) if len(text) <= MAX_NAME]


def _bind(target: ast.expr, value: ast.expr, names: Names) -> None:
    if isinstance(target, ast.Name):
        texts = _bounded(strings(value, names))
        if texts:
            names.values[target.id] = texts
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple | ast.List):
        for one, given in zip(target.elts, value.elts, strict=False):
            _bind(one, given, names)


def _bind_each(target: ast.expr, source: ast.expr, names: Names) -> None:
    if isinstance(target, ast.Name):
        texts = _bounded(strings(source, names))
        if texts:
            names.values[target.id] = texts
        return
    if not isinstance(target, ast.Tuple) or not isinstance(source, ast.List | ast.Tuple):
        return
    for index, name in enumerate(target.elts):
        if not isinstance(name, ast.Name):
            continue
        texts = []
        for item in source.elts:
            if isinstance(item, ast.Tuple | ast.List) and index < len(item.elts):
                texts.extend(strings(item.elts[index], names))
        if texts:
            names.values[name.id] = texts


def strings(node: ast.expr, names: Names, depth: int = 0) -> Iterator[str]:
    """The strings that an expression can be, as far as constants show."""
    if depth > 6:
        return
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    elif isinstance(node, ast.Name):
        yield from names.values.get(node.id, [])[:MAX_STRINGS]
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        for item in node.elts[:MAX_STRINGS]:
            yield from strings(item, names, depth + 1)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
        joint = "/" if isinstance(node.op, ast.Div) else ""
        for left in list(strings(node.left, names, depth + 1))[:50]:
            for right in list(strings(node.right, names, depth + 1))[:50]:
                yield left.rstrip("/") + joint + right if joint else left + right
    elif isinstance(node, ast.JoinedStr):
        yield from _formatted(node, names, depth)
    elif isinstance(node, ast.Subscript | ast.Attribute):
        yield from _argument(node, names)
    elif isinstance(node, ast.Call):
        yield from _called_strings(node, names, depth)


def _argument(node: ast.Subscript | ast.Attribute, names: Names) -> Iterator[str]:
    """`sys.argv[1]` and `sys.argv[1:]`."""
    whole = node.value if isinstance(node, ast.Subscript) else node
    if not (isinstance(whole, ast.Attribute) and whole.attr == "argv"):
        return
    if isinstance(node, ast.Attribute):
        yield from names.arguments[:MAX_STRINGS]
        return
    index = node.slice
    if isinstance(index, ast.Constant) and type(index.value) is int:
        yield from names.arguments[index.value : index.value + 1 or None]
    elif isinstance(index, ast.Slice) and isinstance(index.lower, ast.Constant):
        start = index.lower.value
        yield from names.arguments[start if type(start) is int else 0 :][:MAX_STRINGS]


def _called_strings(node: ast.Call, names: Names, depth: int) -> Iterator[str]:
    func = node.func
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    if name == "Path" and node.args:
        yield from strings(node.args[0], names, depth + 1)
    elif name in {"join", "joinpath"} and isinstance(func, ast.Attribute) and node.args:
        given = node.args if name == "join" else [func.value, *node.args]
        if len(given) < 2:
            return
        parts = [next(strings(argument, names, depth + 1), None) for argument in given]
        if all(part is not None for part in parts):
            yield "/".join(part or "" for part in parts)
    elif name in {"sorted", "list", "reversed", "set", "str", "abspath", "realpath"} and node.args:
        yield from strings(node.args[0], names, depth + 1)
    elif name in {"resolve", "absolute"} and isinstance(func, ast.Attribute):
        yield from strings(func.value, names, depth + 1)


def _formatted(node: ast.JoinedStr, names: Names, depth: int) -> Iterator[str]:
    texts = [""]
    for piece in node.values:
        inner = piece.value if isinstance(piece, ast.FormattedValue) else piece
        options = list(strings(inner, names, depth + 1))[:50]
        if not options:
            return
        texts = [text + option for text in texts for option in options][:MAX_STRINGS]
    yield from texts


_OPENING = frozenset(["open", "input", "FileInput", *_READERS, *_WRITERS, *_OS_WRITERS])
_NOTHING = Opened()


def opened_by(node: ast.Call, names: Names) -> Opened:
    """The files that one call opens, if their names can be found."""
    func = node.func
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    owner = func.value if isinstance(func, ast.Attribute) else None
    if name not in _OPENING:
        return _NOTHING
    found = Opened()
    if name == "open":
        _opened(node, owner, names, found)
    elif name in _READERS or name in _WRITERS:
        given = name in _BY_ARGUMENT and node.args
        target = node.args[0] if given else owner
        texts = [] if target is None else list(strings(target, names))
        if name in _READERS:
            found.reads.update(dict.fromkeys(texts))
        else:
            found.writes.update(dict.fromkeys(texts, node.lineno))
    elif name in _OS_WRITERS and isinstance(owner, ast.Name) and node.args:
        if owner.id in {"os", "shutil"}:
            found.writes.update(dict.fromkeys(strings(node.args[-1], names), node.lineno))
    elif name in {"input", "FileInput"} and _is_module(owner, "fileinput") and node.args:
        texts = list(strings(node.args[0], names))
        if any(keyword.arg == "inplace" for keyword in node.keywords):
            found.writes.update(dict.fromkeys(texts, node.lineno))
        else:
            found.reads.update(dict.fromkeys(texts))
    return found


def _is_module(node: ast.expr | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


_OTHER_OPENERS = {"os", "webbrowser", "Image", "zipfile", "tarfile"}
"""Their `open` returns a number, a window or an archive."""


def _opened(node: ast.Call, owner: ast.expr | None, names: Names, found: Opened) -> None:
    """`open(name, mode)`, `io.open(name)`, `Path(name).open(mode)`."""
    path = node.args[0] if node.args else None
    mode_at = 1
    if isinstance(owner, ast.Name) and owner.id in _OTHER_OPENERS:
        return
    if owner is not None and list(strings(owner, names)):
        path, mode_at = owner, 0
    mode = node.args[mode_at] if len(node.args) > mode_at else None
    for keyword in node.keywords:
        if keyword.arg == "mode":
            mode = keyword.value
        elif keyword.arg == "file" and path is None:
            path = keyword.value
    text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "r"
    if path is None:
        return
    texts = list(strings(path, names))
    if re.search(r"[wax+]", text):
        found.writes.update(dict.fromkeys(texts, node.lineno))
    if not re.search(r"[wax]", text):
        found.reads.update(dict.fromkeys(texts))


def listed_roots(nodes: Sequence[ast.AST], names: Names) -> list[str] | None:
    """Where the names that a script prints come from, if it prints names that it listed.

    `for f in glob.glob("src/*.py"): print(f)`; None if it prints something else.
    """
    roots: list[str] = []
    bound: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.For | ast.comprehension):
            source = _lister(node.iter, names)
            if source is not None or _mentions(node.iter, bound):
                roots.extend(source or [])
                bound.update(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
    printed = [
        node
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    named = [node for node in printed if len(node.args) == 1 and _is_name(node.args[0], bound)]
    modules = [
        n for n in printed if len(n.args) == 1 and ast.unparse(n.args[0]).endswith(".__file__")
    ]
    if modules and len(modules) == len(printed):
        return []
    return roots if named and roots else None


_RUNS = frozenset(
    ["os.system", "os.popen", *(f"subprocess.{name}" for name in ("run", "call", "check_call"))]
    + [f"subprocess.{name}" for name in ("check_output", "getoutput", "Popen")]
)
_PRINTS = _RUNS - {
    "os.popen",
    "subprocess.check_output",
    "subprocess.getoutput",
    "subprocess.Popen",
}
_KEEPS = frozenset(["capture_output", "stdout"])
"""Arguments with which a script gets what the command prints."""
_OUTPUTS = frozenset(["stdout", "stderr", "decode", "strip", "rstrip", "read"])


def commands_of(source: str) -> tuple[list[str | list[str]], bool] | None:
    """The commands that a Python script runs, and whether it prints all that they print.

    None if it runs none, or one that is not a constant.
    """
    if "subprocess" not in source and "os.system" not in source and "os.popen" not in source:
        return None
    try:
        nodes = all_nodes(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    runs = [node for node in calls if _spelled(node.func) in _RUNS]
    commands: list[str | list[str]] = []
    for node in sorted(runs, key=lambda node: node.lineno):
        given = node.args[0] if node.args else None
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            commands.append(given.value)
            continue
        words = [getattr(w, "value", None) for w in getattr(given, "elts", ())]
        if not words or not all(isinstance(word, str) for word in words):
            return None
        commands.append([str(word) for word in words])
    held = {
        node.targets[0].id
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and _output(node.value) in runs
    }
    printed = [_output(a) for n in calls if _spelled(n.func) == "print" for a in n.args]
    plain = all(
        node in runs or (isinstance(node, ast.Name) and node.id in held) for node in printed
    )
    kept = [
        n for n in runs if _spelled(n.func) not in _PRINTS or _KEEPS & {k.arg for k in n.keywords}
    ]
    if (
        kept and not any(node in runs or getattr(node, "id", "") in held for node in printed)
    ) or any(keyword.arg == "cwd" for node in runs for keyword in node.keywords):
        return None
    loops = any(isinstance(node, ast.For | ast.While | ast.Subscript) for node in nodes)
    return (commands, plain and not loops and len(printed) <= len(runs)) if commands else None


def _spelled(node: ast.expr) -> str:
    """`subprocess.run` for the function of a call, a bare name for others."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _output(node: ast.expr) -> ast.expr:
    """What `run(…).stdout.decode().strip()` takes its text from."""
    while True:
        if isinstance(node, ast.Subscript) or (
            isinstance(node, ast.Attribute) and node.attr in _OUTPUTS
        ):
            node = node.value
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _OUTPUTS:
            node = node.func
        else:
            return node


def _lister(node: ast.expr, names: Names) -> list[str] | None:
    """Where a call lists names: `glob.glob(pattern)`, `os.walk(folder)`, `Path(folder).rglob()`."""
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Call) or not isinstance(inner.func, ast.Attribute):
            continue
        name, owner = inner.func.attr, inner.func.value
        if name not in _LISTERS:
            continue
        if name in {"glob", "iglob"} and isinstance(owner, ast.Name) and owner.id == "glob":
            return [text for argument in inner.args[:1] for text in strings(argument, names)]
        if name in {"rglob", "glob", "iterdir"}:
            return list(strings(owner, names)) or None
        if name == "walk":
            return [text for argument in inner.args[:1] for text in strings(argument, names)]
    return None


def _mentions(node: ast.expr, bound: set[str]) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id in bound for inner in ast.walk(node))


def _is_name(node: ast.expr, bound: set[str]) -> bool:
    """A listed name as it is, or joined to its folder."""
    if isinstance(node, ast.Name):
        return node.id in bound
    if isinstance(node, ast.Call) and node.args:
        func = node.func
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        return name in {"str", "join"} and _mentions(node.args[-1], bound)
    return False
