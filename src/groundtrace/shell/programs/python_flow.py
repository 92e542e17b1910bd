"""What a Python script opens, and what of it reaches the output (P1 of the rules: D50).

A script that loads a file and prints `ok` has shown nothing of the file. So values are followed
from where a file is opened to where something is printed: assignments, loops, functions of the
script. A number of lines, a length or a comparison carries nothing of the text. The analysis
repeats over the assignments until nothing changes and ignores their order; it never runs anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

import msgspec

from groundtrace.shell.programs.python_names import Names, opened_by, strings

MAX_ROUNDS = 6
"""Rounds over the assignments; each carries a value at least one name further."""
_TELLS_NOTHING = frozenset(
    [
        "len", "isinstance", "issubclass", "bool", "any", "all", "hasattr", "callable", "type", "id",
        "hash", "count", "find", "rfind", "index", "rindex", "startswith", "endswith", "isdigit",
        "exists", "is_file", "is_dir", "hexdigest", "digest", "stat", "tell", "fileno", "close",
        "issubset", "isdisjoint", "isspace", "isalpha", "getsize", "write", "writelines",
        "write_text", "write_bytes", "dump", "copy_file",
    ]
)  # fmt: skip
"""Calls whose value holds nothing of the text that they get."""
_ABOUT_FILES = frozenset(
    ["mode", "name", "closed", "encoding", "newlines", "st_size", "suffix", "stem", "parent"]
)
"""Attributes of a file that hold nothing of its text."""
_PRINTERS = frozenset(["print", "pprint", "pp", "secho", "rprint"])
_STREAM_WRITERS = frozenset(["write", "writelines"])
_COLLECTORS = frozenset(["append", "extend", "add", "update", "insert", "appendleft", "setdefault"])

Files = frozenset[str]
_NONE: Files = frozenset()


class Flow(msgspec.Struct):
    """Where the text of files goes in one script."""

    names: Names
    held: dict[str, Files] = msgspec.field(default_factory=dict)
    """Files that a name holds a part of."""
    returned: dict[str, Files] = msgspec.field(default_factory=dict)
    """Files that a function returns a part of."""
    parameters: dict[str, list[str]] = msgspec.field(default_factory=dict)
    opened: dict[int, Files] = msgspec.field(default_factory=dict)
    """Files that each call opens, by its node."""
    changed: bool = True

    def hold(self, name: str, files: Files) -> None:
        """Note that a name holds a part of these files."""
        before = self.held.get(name, _NONE)
        if not files <= before:
            self.held[name] = before | files
            self.changed = True

    def of(self, node: ast.AST | None) -> Files:
        """Files that a value holds a part of."""
        if node is None or isinstance(node, ast.Constant | ast.Compare | ast.Lambda):
            return _NONE
        if isinstance(node, ast.Name):
            return self.held.get(node.id, _NONE)
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return _NONE
        if isinstance(node, ast.IfExp):
            return self.of(node.body) | self.of(node.orelse)
        if isinstance(node, ast.Subscript):
            return self.of(node.value)
        if isinstance(node, ast.Attribute) and node.attr in _ABOUT_FILES:
            return _NONE
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            return self.of(node.elt)
        if isinstance(node, ast.DictComp):
            return self.of(node.key) | self.of(node.value)
        return self.of_all(ast.iter_child_nodes(node))

    def of_all(self, nodes: Iterable[ast.AST]) -> Files:
        """Files that any of these values holds a part of."""
        out = _NONE
        for node in nodes:
            out |= self.of(node)
        return out

    def _of_call(self, node: ast.Call) -> Files:
        name = called(node)
        if name in _TELLS_NOTHING:
            return _NONE
        opened = self.opened.get(id(node))
        if opened is None:
            opened = self.opened[id(node)] = frozenset(opened_by(node, self.names).reads)
        given = self.of_all([*node.args, *(keyword.value for keyword in node.keywords)])
        if isinstance(node.func, ast.Name) and name in self.returned:
            return opened | self.returned[name]
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        return opened | given | self.of(owner)


def called(node: ast.Call) -> str:
    """The last name of what is called: `read` in `open(f).read()`."""
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def followed(nodes: Sequence[ast.AST], names: Names) -> Flow:
    """Where the text of files goes in a script."""
    flow = Flow(names)
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            flow.parameters[node.name] = [argument.arg for argument in node.args.args]
            flow.returned[node.name] = _NONE
    carrying = [node for node in nodes if isinstance(node, _CARRYING)]
    for _ in range(MAX_ROUNDS):
        if not flow.changed:
            break
        flow.changed = False
        for node in carrying:
            _carry(node, flow)
    return flow


def shown_by(nodes: Sequence[ast.AST], flow: Flow) -> Files:
    """Files that a script prints a part of."""
    out = _NONE
    for node in nodes:
        if isinstance(node, ast.Call):
            out |= printed_by(node, flow)
    return out


_CARRYING = (
    ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.comprehension,
    ast.withitem, ast.Call, ast.FunctionDef,
)  # fmt: skip
"""Nodes that pass a value on."""


def printed_by(node: ast.Call, flow: Flow) -> Files:
    """Files that a call prints a part of."""
    return flow.of_all(printed_values(node))


def printed_values(node: ast.Call) -> Sequence[ast.expr]:
    """The values that a call prints; none if it prints nothing."""
    name = called(node)
    target = next((k.value for k in node.keywords if k.arg == "file"), None)
    if name in _PRINTERS and (target is None or _is_stream(target)):
        return node.args
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if name in _STREAM_WRITERS and owner is not None and _is_stream(owner):
        return node.args
    if name == "dump" and len(node.args) > 1 and _is_stream(node.args[1]):
        return node.args[:1]
    return node.args[:1] if name == "exit" else ()


def named_by(nodes: Sequence[ast.AST], names: Names, files: Iterable[str]) -> list[str]:
    """Files of `files` whose names a script prints: `print(path, len(text))`."""
    printed: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Call) and called(node) in _PRINTERS:
            for argument in node.args:
                pieces = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
                for piece in pieces:
                    inner = piece.value if isinstance(piece, ast.FormattedValue) else piece
                    if isinstance(inner, ast.Name):
                        printed.update(strings(inner, names))
    return [
        file for file in files if any(f"/{file}".endswith(f"/{name}") for name in printed if name)
    ]


def _is_stream(node: ast.expr) -> bool:
    """`sys.stdout`, `sys.stderr`, `sys.stdout.buffer`."""
    text = ast.unparse(node)
    return text.removesuffix(".buffer") in {"sys.stdout", "sys.stderr", "stdout", "stderr"}


def _carry(node: ast.AST, flow: Flow) -> None:
    """Follow what one statement passes on."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            _into(target, node.value, flow)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
        if node.value is not None:
            _into(node.target, node.value, flow)
    elif isinstance(node, ast.For | ast.comprehension):
        _into(node.target, node.iter, flow)
    elif isinstance(node, ast.withitem):
        if node.optional_vars is not None:
            _into(node.optional_vars, node.context_expr, flow)
    elif isinstance(node, ast.Call):
        _collect(node, flow)
    elif isinstance(node, ast.FunctionDef):
        given = _NONE
        for inner in ast.walk(node):
            if isinstance(inner, ast.Return | ast.Yield | ast.YieldFrom):
                given |= flow.of(inner.value)
        if not given <= flow.returned.get(node.name, _NONE):
            flow.returned[node.name] = given
            flow.changed = True


def _collect(node: ast.Call, flow: Flow) -> None:
    """Follow `lines.append(text)`, and arguments of the script's own functions."""
    if isinstance(node.func, ast.Attribute) and node.func.attr in _COLLECTORS:
        owner = node.func.value
        while isinstance(owner, ast.Subscript | ast.Attribute):
            owner = owner.value
        if isinstance(owner, ast.Name):
            flow.hold(owner.id, flow.of_all(node.args))
    elif isinstance(node.func, ast.Name) and node.func.id in flow.parameters:
        for parameter, argument in zip(flow.parameters[node.func.id], node.args, strict=False):
            flow.hold(parameter, flow.of(argument))


def _into(target: ast.expr, value: ast.expr, flow: Flow) -> None:
    """Follow a value into a name, or into what a name holds."""
    files = flow.of(value)
    if not files:
        return
    if isinstance(target, ast.Name):
        flow.hold(target.id, files)
    elif isinstance(target, ast.Tuple | ast.List):
        elements = target.elts
        name = called(value) if isinstance(value, ast.Call) else ""
        # The first value of `for i, line in enumerate(f)` and the last of `s, n = re.subn(…)` are
        # numbers.
        if name == "enumerate":
            elements = elements[1:]
        elif name == "subn":
            elements = elements[:1]
        for element in elements:
            for inner in ast.walk(element):
                if isinstance(inner, ast.Name):
                    flow.hold(inner.id, files)
    else:
        while isinstance(target, ast.Subscript | ast.Attribute | ast.Starred):
            target = target.value
        if isinstance(target, ast.Name):
            flow.hold(target.id, files)
