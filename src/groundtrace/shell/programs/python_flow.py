"""What a Python script opens, and what of it reaches the output (P1 of the rules: D50).

A script that loads a file and prints `ok` has shown nothing of the file. So values are followed
from where a file is opened to where something is printed: assignments, loops, functions of the
script. A number of lines, a length or a comparison carries nothing of the text. The analysis
repeats over the assignments until nothing changes and ignores their order; it never runs anything.

Scripts that change a file often look first whether it is as expected, and leave if not:
`raise SystemExit("not found")`. There is no traceback then, but the message says at which statement
the script left. What it would have written after that was not written (D146).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from groundtrace.shell.programs.python_names import Names, opened_by, strings
from groundtrace.shell.streams.part import Said, are_own_words
from groundtrace.shell.syntax.holes import HOLE

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


MAX_SAID = 200
"""How many lines are kept; a script that says more is not judged by its words."""


def said_by(nodes: Sequence[ast.AST], flow: Flow) -> Said | None:
    """The lines that a script prints whatever its files hold; None if there are too many."""
    said: dict[tuple[str, str], None] = {}
    for node in nodes:
        if isinstance(node, ast.Call) and not printed_by(node, flow):
            said.update(dict.fromkeys(printed_lines(node)))
    return tuple(said) if len(said) <= MAX_SAID else None


def printed_lines(node: ast.Call) -> Iterator[tuple[str, str]]:
    """How each line that a call prints begins and ends. What stands between is not known."""
    values = printed_values(node)
    if not values or any(isinstance(value, ast.Starred) for value in values):
        return
    separator = " "
    for keyword in node.keywords:
        if keyword.arg in ("sep", "end"):
            separator = HOLE
    joint = "" if called(node) in ("write", "writelines") else separator
    yield from lines_said(joint.join(map(said_text, values)))


def lines_said(text: str) -> Iterator[tuple[str, str]]:
    """How each line of a text with holes begins and ends."""
    for line in text.split("\n"):
        line = line.strip()
        start, hole, rest = line.partition(HOLE)
        end = rest.rpartition(HOLE)[2] if hole else line
        if start.strip() and (not hole or len(start.strip()) > 2):
            yield start, end


def said_text(value: ast.expr) -> str:
    """The text of a value, with holes for what is not known."""
    if isinstance(value, ast.Constant):
        return str(value.value)
    if isinstance(value, ast.JoinedStr):
        return "".join(map(said_text, value.values))
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return said_text(value.left) + said_text(value.right)
    return HOLE


Exits = tuple[tuple[int, Said], ...]
"""Lines of a script that end it, and what it prints right before that."""
_BLOCKS = ("body", "orelse", "finalbody")
_EXITS = frozenset(["exit", "_exit", "quit", "SystemExit"])


def exits_of(nodes: Sequence[ast.AST]) -> Exits:
    """The statements that end a script and print constant words."""
    found: list[tuple[int, Said]] = []
    for node in nodes:
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list):
                found.extend(_of_block(block))
    return tuple(found)


def _of_block(block: Sequence[ast.AST]) -> Iterator[tuple[int, Said]]:
    words: Said = ()
    for statement in block:
        call = _call(statement)
        if call is not None and called(call) in _EXITS:
            own = tuple(said for value in call.args if _is_text(value) for said in _lines(value))
            if own or words:
                yield call.lineno, own or words
        elif call is not None and called(call) == "print":
            words = tuple(printed_lines(call))
        else:
            words = ()


def _is_text(value: ast.expr) -> bool:
    """Whether the script ends with a message; a number is an exit code."""
    return not isinstance(value, ast.Constant) or isinstance(value.value, str)


def _lines(value: ast.expr) -> Iterator[tuple[str, str]]:
    return lines_said(said_text(value))


def _call(statement: ast.AST) -> ast.Call | None:
    value = statement.exc if isinstance(statement, ast.Raise) else None
    value = statement.value if isinstance(statement, ast.Expr) else value
    return value if isinstance(value, ast.Call) else None


def left_at(exits: Exits, lines: Sequence[str]) -> int | None:
    """The line at which a script ended itself, by the words in its output."""
    for line, said in exits:
        if said and any(are_own_words([text], said) for text in lines if text.strip()):
            return line
    return None


Ranges = tuple[tuple[int, int], ...]
"""Lines from 1, both ends included, in the order of the script."""
_SPLITTERS = {"readlines", "splitlines", "split"}
_CHOOSING = (ast.If, ast.IfExp, ast.While, ast.Try, ast.Break, ast.Continue)


def python_ranges(tree: ast.AST) -> Ranges | None:
    """Which lines of a file a script prints; None if they depend on more than constants.

    `lines = open(f).readlines()` followed by `lines[9:20]`, `lines[4]` or `for i in range(9, 20)` with
    `lines[i]`: agents write such scripts instead of sed. A script that selects by text gives nothing.
    """
    nodes = list(ast.walk(tree))
    if any(isinstance(node, _CHOOSING) for node in nodes):
        return None
    if any(isinstance(node, ast.comprehension) and node.ifs for node in nodes):
        return None
    names = {
        node.targets[0].id
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and _is_lines(node.value)
    }
    counters = _counters(nodes)
    taken: list[tuple[int, int, int, int]] = []
    used = 0
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load):
            used += 1
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            used -= sum(isinstance(a, ast.Name) and a.id in names for a in node.args)
        if not isinstance(node, ast.Subscript):
            continue
        whole = isinstance(node.value, ast.Name) and node.value.id in names
        if not whole and not _is_lines(node.value):
            continue
        used -= whole
        span = _span(node.slice, counters)
        if span is None:
            return None
        taken.append((node.lineno, node.col_offset, *span))
    if used or not taken:
        return None
    return tuple((low, high) for _, _, low, high in sorted(taken))


def _is_lines(node: ast.expr) -> bool:
    """Whether an expression is a file's text split into lines."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr not in _SPLITTERS:
        return False
    if node.func.attr == "split":
        first = node.args[0] if node.args else None
        return isinstance(first, ast.Constant) and first.value == "\n"
    return True


def _counters(nodes: list[ast.AST]) -> dict[str, tuple[int, int]]:
    """Loop variables over constant ranges: the first value, and the value after the last."""
    found: dict[str, tuple[int, int]] = {}
    for node in nodes:
        if not isinstance(node, ast.For | ast.comprehension) or not isinstance(
            node.target, ast.Name
        ):
            continue
        call = node.iter
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id == "range"
            and 1 <= len(call.args) <= 2
        ):
            continue
        bounds = [_number(argument) for argument in call.args]
        if len(bounds) == 1:
            bounds.insert(0, 0)
        low, high = bounds
        if low is not None and high is not None:
            found[node.target.id] = (low, high)
    return found


def _number(node: ast.expr | None) -> int | None:
    """A whole number, also as the minimum of a number and the length."""
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value >= 0:
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "min":
        known = [number for number in map(_number, node.args) if number is not None]
        return known[0] if len(known) == 1 and len(node.args) == 2 else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        left, right = _number(node.left), _number(node.right)
        if left is None or right is None:
            return None
        return left + right if isinstance(node.op, ast.Add) else left - right
    return None


def _span(index: ast.expr, counters: dict[str, tuple[int, int]]) -> tuple[int, int] | None:
    if isinstance(index, ast.Slice):
        low = 0 if index.lower is None else _number(index.lower)
        high = _number(index.upper)
        if index.step is not None or low is None or high is None or high <= low:
            return None
        return low + 1, high
    if isinstance(index, ast.Name):
        counted = counters.get(index.id)
        return None if counted is None else (counted[0] + 1, counted[1])
    if isinstance(index, ast.BinOp) and isinstance(index.left, ast.Name):
        counted, step = counters.get(index.left.id), _number(index.right)
        if counted is None or step is None or not isinstance(index.op, ast.Sub):
            return None
        return counted[0] - step + 1, counted[1] - step
    number = _number(index)
    return None if number is None else (number + 1, number + 1)
