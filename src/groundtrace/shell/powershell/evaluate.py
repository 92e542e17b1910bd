"""Values of a script: variables, members, operators, and text made of them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from groundtrace.base.patterns import regex
from groundtrace.shell.powershell import nodes as n
from groundtrace.shell.powershell.parts import ItemNames, slashed, take_property
from groundtrace.shell.powershell.state import State
from groundtrace.shell.powershell.values import (
    Counter,
    Element,
    Found,
    Item,
    ItemProperty,
    Line,
    Obj,
    Objects,
    derived,
    number,
    numbers_in,
    parts_in,
    taken,
)
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.file_names import join
from groundtrace.shell.streams.filters import Filter, Pattern
from groundtrace.shell.streams.part import Count, Part, Write
from groundtrace.shell.syntax.holes import HOLE, has_hole

_FORMAT = regex(r"\{(\d{1,2})(?:,-?\d{1,3})?(?::[^{}]*)?\}|\{\{|\}\}")


class Values(State):
    """Values as far as they can be known."""

    def value(self, node: n.Node) -> Objects:
        """What a value gives."""
        if isinstance(node, n.Literal):
            return [node.value]
        if isinstance(node, n.Joined):
            return [self.joined_text([self.value(piece) for piece in node.pieces])]
        if isinstance(node, n.Variable):
            return self._variable(node.name)
        if isinstance(node, n.Array):
            return [item for piece in node.items for item in self.value(piece)]
        if isinstance(node, (n.Block, n.Hash)):
            return [node]
        if isinstance(node, n.Indexed):
            return self._indexed(self.value(node.base), self.value(node.index))
        if isinstance(node, n.Member):
            return self._member(node)
        if isinstance(node, n.Unary):
            return self._unary(node)
        if isinstance(node, n.Binary):
            return self._binary(node)
        if isinstance(node, n.Type):
            return [None]
        return self.run(node)

    def _variable(self, name: str) -> Objects:
        if name in ("_", "psitem"):
            return list(self.current)
        if name == "null":
            return []
        if name in ("true", "false"):
            return [name == "true"]
        if name == "pwd":
            return [self.cwd if self.cwd is not None else HOLE]
        if name in ("home", "env:userprofile", "env:home"):
            return ["~"]
        return list(self.variables.get(name, [HOLE if ":" in name else None]))

    def _indexed(self, base: Objects, index: Objects) -> Objects:
        if len(index) == 1 and isinstance(index[0], Counter) and parts_in(base):
            return [Element(tuple(parts_in(base)), index[0])]
        places = numbers_in(index)
        parts = parts_in(base)
        if parts:
            if places is None:
                return [*algebra.without_lines(parts)]
            return [*taken(parts, places)]
        if places is None or any(not -len(base) <= place < len(base) for place in places):
            return [None]
        return [base[place] for place in places]

    def _member(self, node: n.Member) -> Objects:
        if isinstance(node.base, n.Type):
            arguments = [self.value(argument) for argument in node.arguments or ()]
            return static_call(self, node.base.name.lower(), node.name, arguments)
        base = self.value(node.base)
        if node.arguments is not None:
            return self._method(base, node)
        return self.property(base, node.name)

    def property(self, base: Objects, name: str) -> Objects:
        """One property of each object."""
        if name in ("count", "length", "longlength") and parts_in(base):
            return [Count(rule="count")]
        if name in ("count", "length") and all(isinstance(item, (str, int)) for item in base):
            only = base[0] if len(base) == 1 else None
            return [len(only) if isinstance(only, str) and name == "length" else len(base)]
        out: Objects = []
        for item in base:
            if isinstance(item, Item):
                out.append(self._item_property(item, name))
            elif isinstance(item, Found):
                out.append(replace(item, name=name))
            elif isinstance(item, Element):
                out.append(item.index.plus(1) if name == "readcount" else None)
            elif isinstance(item, Part):
                out.append(take_property(item, name))
            elif isinstance(item, str) and name in ("path", "fullname", "providerpath"):
                out.append(item)
            elif isinstance(item, str) and name == "name":
                out.append(slashed(item).rsplit("/", 1)[-1])
            else:
                out.append(None)
        return out

    def _item_property(self, item: Item, name: str) -> Obj:
        words = self.walker.env.lookup(item.variable)
        if words is None:
            return ItemProperty(item, name)
        return self._item_name(item, name) if name in _NAMES else HOLE

    def _method(self, base: Objects, node: n.Member) -> Objects:
        """A method of text; most of them give other text of the same file."""
        name = node.name
        if any(isinstance(item, ItemProperty) for item in base) and name in (
            "replace",
            "substring",
        ):
            # `$_.FullName.Replace("$pwd\\", "")`: names from the directory.
            return [replace(i, name="relative") if isinstance(i, ItemProperty) else i for i in base]
        if name in ("trim", "trimend", "trimstart", "tostring", "split", "toarray", "normalize"):
            return base
        parts = parts_in(base)
        if name in ("substring", "remove", "insert", "padleft", "padright"):
            elements = [item for item in base if isinstance(item, (Element, Line))]
            return [*elements, *algebra.without_lines(parts)] if parts or elements else [None]
        if name in ("replace", "tolower", "toupper"):
            elements = [item for item in base if isinstance(item, (Element, Line))]
            if elements:
                return [*elements]
            known = [item for item in base if isinstance(item, str)]
            if known and len(known) == len(base) and node.arguments and name == "replace":
                given = [self.text(self.value(argument)) for argument in node.arguments]
                if len(given) == 2:
                    old, new = given
                    return [text.replace(old, new) if old else text for text in known]
            return [part.substitute() for part in parts] if parts else [None]
        if name == "getlength":
            return [Count(rule="length")]
        return [None]

    def _unary(self, node: n.Unary) -> Objects:
        value = self.value(node.value)
        if node.operator in ("++", "--"):
            return self._stepped(node, value)
        if node.operator == "-":
            known = number(value)
            return [None if known is None else -known]
        if node.operator in ("not", "!", "bnot"):
            only = value[0] if len(value) == 1 else None
            if isinstance(only, bool):
                return [not only]
            return [item for item in value if isinstance(item, (Element, Line))] or [None]
        return value

    def _stepped(self, node: n.Unary, value: Objects) -> Objects:
        """`$i++`: the value is the one before."""
        step = 1 if node.operator == "++" else -1
        if isinstance(node.value, n.Variable):
            only = value[0] if len(value) == 1 else None
            after: Obj = None
            if isinstance(only, Counter):
                after = only.plus(step)
            elif isinstance(only, int):
                after = only + step
            elif not value:
                after = step
            self.variables[node.value.name] = [after]
        return value

    def _binary(self, node: n.Binary) -> Objects:
        operator = node.operator
        left, right = self.value(node.left), self.value(node.right)
        if operator == "f":
            return [self._formatted(left, right)]
        if operator == "+":
            return self._added(left, right)
        if operator == "..":
            low, high = number(left), number(right)
            if low is None or high is None or abs(high - low) > 1_000_000:
                return [None]
            return [*range(low, high + 1)] if low <= high else [*range(low, high - 1, -1)]
        if operator in ("-", "*", "/", "%"):
            return [_arithmetic(operator, left, right)]
        if operator in ("match", "like", "notmatch", "notlike", "eq", "ne"):
            return self._compared(operator, left, right)
        if operator in ("replace", "split", "join"):
            return self._rewritten(operator, left, right)
        lines = [item for item in (*left, *right) if isinstance(item, (Element, Line))]
        return [*lines[:1]] if lines else [None]

    def _formatted(self, left: Objects, right: Objects) -> Obj:
        template = self.text(left)
        pieces: list[Objects] = []
        at = 0
        for found in _FORMAT.finditer(template):
            pieces.append([template[at : found.start()]])
            at = found.end()
            if found[1] is None:
                pieces.append([found[0][0]])
            else:
                index = int(found[1])
                pieces.append([right[index]] if index < len(right) else [None])
                if found[0] != f"{{{found[1]}}}" and isinstance(pieces[-1][0], (str, int)):
                    pieces[-1] = [HOLE]  # with blanks around it
        pieces.append([template[at:]])
        return self.joined_text([piece for piece in pieces if piece != [""]])

    def _compared(self, operator: str, left: Objects, right: Objects) -> Objects:
        """Lines that match; of a single value only whether it does."""
        lines = [item for item in left if isinstance(item, (Element, Line, Found))]
        if lines:
            return [*lines[:1]]
        parts = parts_in(left)
        if not parts or operator in ("eq", "ne"):
            return [None]
        source = self.text(right)
        syntax = "perl"
        if operator.endswith("like"):
            source, syntax = source.strip("*"), "fixed"
            if any(char in source for char in "*?["):
                source = HOLE
        pattern = None if has_hole(source) else Pattern(source, syntax, ignore_case=True)
        how = Filter(pattern, inverted=operator.startswith("not"), rule=f"-{operator}")
        return [*algebra.search(parts, how)]

    def _rewritten(self, operator: str, left: Objects, right: Objects) -> Objects:
        if operator == "join":
            by = self.text(right)
            known = [item for item in left if isinstance(item, (str, int))]
            if len(known) == len(left):
                return [by.join(str(item) for item in known)]
            return left if "\n" in by else derived(left, "join")
        if operator == "split":
            return left
        lines = [item for item in left if isinstance(item, (Element, Line))]
        if lines:
            return [*lines]
        parts = parts_in(left)
        return [part.substitute() for part in parts] if parts else [None]

    def _added(self, left: Objects, right: Objects) -> Objects:
        """`+` of two values."""
        if len(left) == len(right) == 1:
            one, two = left[0], right[0]
            if isinstance(one, int) and isinstance(two, int):
                return [one + two]
            if isinstance(one, Counter) and isinstance(two, int):
                return [one.plus(two)]
            if isinstance(one, int) and isinstance(two, Counter):
                return [two.plus(one)]
            if isinstance(one, Counter) or isinstance(two, Counter):
                return [Counter(None)]
            if isinstance(one, str) and not isinstance(two, Count):
                return [self.joined_text([left, right])]
        return [*left, *right]


_NAMES = frozenset(["fullname", "name", "basename", "path", "filename"])


def _arithmetic(operator: str, left: Objects, right: Objects) -> Obj:
    one = left[0] if len(left) == 1 else None
    two = number(right)
    if isinstance(one, Counter):
        return one.plus(-two) if operator == "-" and two is not None else Counter(None)
    first = number(left)
    if first is None or two is None:
        return None
    if operator == "-":
        return first - two
    if operator == "*":
        return first * two if abs(first) < 1_000_000 and abs(two) < 1_000_000 else None
    return None if two == 0 else first // two if operator == "/" else first % two


_READS = frozenset(["readalltext", "readalllines", "readlines"])
_WRITES = frozenset(
    ["writealltext", "writealllines", "appendalltext", "appendalllines", "writeallbytes"]
)


def static_call(session: State, kind: str, name: str, arguments: Sequence[Objects]) -> Objects:
    """What a call of a .NET class gives, such as `[System.IO.File]::ReadAllText("a.py")`; unknown if the
    class is not one of these."""
    kind = kind.removeprefix("system.")
    texts = [session.text(argument) for argument in arguments]
    if kind == "io.file" and texts:
        return _file(session, name, texts, arguments)
    if kind == "io.directory" and texts and name in ("getfiles", "enumeratefiles"):
        return [_names(session, texts)]
    if kind == "io.path" and name == "combine" and texts:
        return ["/".join(slashed(text).rstrip("/") for text in texts)]
    if kind == "io.path" and name == "getfullpath" and texts:
        return [join(session.cwd, slashed(texts[0]))]
    if kind == "math" and name in ("min", "max"):
        # `[Math]::Min($lines.Count, 200)`: at most 200.
        known = [n for argument in arguments for n in numbers_in(argument) or ()]
        if known and (name == "min" or len(known) == len(arguments)):
            return [min(known) if name == "min" else max(known)]
    if kind in ("environment", "io.directory") and name in (
        "currentdirectory",
        "getcurrentdirectory",
    ):
        return [session.cwd]
    if kind == "environment" and name == "newline":
        return ["\n"]
    return [None]


def _file(session: State, name: str, texts: Sequence[str], arguments: Sequence[Objects]) -> Objects:
    path = session.path(texts[0])
    if name in _READS:
        return (
            [Content(path=path, rule=name)]
            if path is not None
            else [Content(path=None, spans=None, rule=name)]
        )
    if path is None:
        return [None]
    if name in _WRITES:
        if len(arguments) > 1:
            session.note_text(path, arguments[1], name.startswith("append"))
        return [Write(path=path, rule=name)]
    if name == "delete":
        return [Write(path=path, rule=name)]
    if name in ("copy", "move") and len(texts) > 1:
        target = session.path(texts[1])
        both = [Write(path=target, rule=name)] if target is not None else []
        return [*both, *([Write(path=path, rule=name)] if name == "move" else [])]
    return [None]


def _names(session: State, texts: Sequence[str]) -> ItemNames:
    globs = (texts[1],) if len(texts) > 1 else ()
    return ItemNames(cwd=session.cwd, globs=globs, anchor=False, only_files=True, rule="getfiles")
