"""Follow a PowerShell script: what it prints, as parts, and what it writes.

Nothing is executed. Programs that are no cmdlets (git, rg, python) are followed as in bash, by the
same walker, so they have one reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from groundtrace.base.patterns import regex
from groundtrace.shell.powershell import nodes as n
from groundtrace.shell.powershell import values
from groundtrace.shell.powershell.cmdlets import ALIASES, CMDLETS, Call, take_property
from groundtrace.shell.powershell.parts import slashed
from groundtrace.shell.powershell.statics import static_call
from groundtrace.shell.powershell.values import (
    MAX_ITEMS,
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
from groundtrace.shell.programs.printed_words import text_part
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.conditions import joined, perhaps
from groundtrace.shell.streams.file_names import path_of
from groundtrace.shell.streams.filters import Filter, Pattern
from groundtrace.shell.streams.part import Count, Opaque, Part, Parts, Write
from groundtrace.shell.streams.text import Text, text_of
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.holes import HOLE, has_hole
from groundtrace.shell.walk.walker import Walker

MAX_STEPS = 4000
"""How many statements and commands are followed in one script."""
_FORMAT = regex(r"\{(\d{1,2})(?:,-?\d{1,3})?(?::[^{}]*)?\}|\{\{|\}\}")
_PROGRAM = regex(r"(?:.*[\\/])?(?P<name>[^\\/]+?)(?:\.exe|\.cmd|\.bat|\.ps1)?$", re.IGNORECASE)


class Session:
    """One walk over one script."""

    __slots__ = ("current", "missing", "notes", "steps", "variables", "walker")

    def __init__(self, walker: Walker, missing: frozenset[str] = frozenset()) -> None:
        self.walker = walker
        self.missing = missing
        self.variables: dict[str, Objects] = {}
        self.current: Objects = [None]
        self.notes: dict[str, None] = {}
        self.steps = 0

    # --- files and text -------------------------------------------------------------------------

    @property
    def cwd(self) -> str | None:
        return self.walker.env.cwd

    def path(self, name: str) -> str | None:
        """The path of a file that a command names; None if it cannot be one, or is missing."""
        name = slashed(name).removeprefix("Microsoft.PowerShell.Core/FileSystem::")
        if not name or has_hole(name) or name.lower() in ("nul", "con"):
            return None
        path = path_of(self.cwd, name)
        return None if path is None or self.is_missing(path) else path

    def is_missing(self, path: str) -> bool:
        """Whether an error message says that there is no such file."""
        return bool(self.missing) and path_key(path) in self.missing

    def render(self, objects: Sequence[Obj]) -> Parts:
        """What objects print at the end of a pipeline."""
        out: Parts = []
        for item in objects:
            if isinstance(item, str):
                out.append(text_part(self.walker, item, rule="text"))
            elif isinstance(item, int):
                out.append(Text(lines=(str(item),), rule="text"))
            elif isinstance(item, (Element, Line)):
                out.extend(values.lines_of(item))
            elif isinstance(item, Item):
                out.append(text_part(self.walker, self._item_name(item, "fullname"), rule="text"))
            elif isinstance(item, Found):
                out.append(self._found_parts(item))
            elif isinstance(item, Part):
                out.append(item)
            elif item is None:
                out.append(Opaque(rule="value", expected=False))
        return out

    def _found_parts(self, item: Found) -> Part:
        return take_property(item.matches, item.name) if item.name else item.matches

    def joined_text(self, pieces: Sequence[Objects]) -> Obj:
        """A text with values in it."""
        elements: list[Element] = []
        founds: list[Found] = []
        counter: Counter | None = None
        texts: list[str] = []
        for objects in pieces:
            words: list[str] = []
            for item in objects:
                if isinstance(item, Line):
                    elements.append(item.element)
                    counter = counter or item.number
                elif isinstance(item, Element):
                    elements.append(item)
                elif isinstance(item, Found):
                    founds.append(item)
                elif isinstance(item, Counter):
                    if not elements and not "".join([*texts, *words]).strip(" [("):
                        counter = item
                    words.append(HOLE)
                else:
                    words.append(self._as_text(item))
            texts.append(" ".join(words))
        if len(elements) == 1:
            return Line(elements[0], counter)
        if founds:
            return _found_line(founds)
        if elements:
            return Opaque(shows=algebra.shown_files(elements[0].stream, "read"), rule="text")
        return "".join(texts)

    def _as_text(self, item: Obj) -> str:
        if isinstance(item, (str, int)):
            return str(item)
        if isinstance(item, Item):
            return self._item_name(item, "fullname")
        if isinstance(item, Part):
            return self.walker.hole_for([item])
        return HOLE

    def _item_name(self, item: Item, name: str) -> str:
        """A property of the file of a round: its name, with or without its folder."""
        words = self.walker.env.lookup(item.variable)
        text = words[0].text if words else HOLE
        if has_hole(text):
            return text
        if name in ("name", "basename"):
            base = slashed(text).rsplit("/", 1)[-1]
            return base.rsplit(".", 1)[0] if name == "basename" else base
        if name == "fullname" and "/" not in slashed(text) and item.folder is not None:
            return f"{item.folder.rstrip('/')}/{text}" if item.folder else text
        return text

    def text(self, objects: Sequence[Obj]) -> str:
        """Objects as one text, with holes for what is not known."""
        item = self.joined_text([list(objects)])
        return item if isinstance(item, str) else HOLE

    def texts(self, objects: Sequence[Obj]) -> list[str]:
        """Objects as texts, one each."""
        return [self._as_text(item) for item in objects]

    # --- statements -----------------------------------------------------------------------------

    def run(self, node: n.Node) -> Objects:
        """What a statement gives."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            self.notes["long loops"] = None
            return []
        if isinstance(node, n.Script):
            out: Objects = []
            for statement in node.statements:
                out.extend(self.run(statement))
            return out
        if isinstance(node, n.Command):
            return self._command(node, None)
        if isinstance(node, n.Pipeline):
            return self._pipeline(node)
        if isinstance(node, n.Assignment):
            return self._assign(node)
        if isinstance(node, n.Chain):
            return self._chain(node)
        if isinstance(node, n.If):
            return self._if(node)
        if isinstance(node, n.ForEach):
            source = self.value(node.source)
            return self.each(source, node.body, node.name)
        if isinstance(node, n.For):
            return self._for(node)
        if isinstance(node, n.Unread):
            self.notes[f"{node.what} statements"] = None
            return (
                [*perhaps(self.render(self.run(node.body)))] if node.what in ("while", "do") else []
            )
        if isinstance(node, n.Block):
            return self.run(node.body)
        if isinstance(node, n.Unary) and node.operator in ("++", "--"):
            self.value(node)
            return []
        return self.value(node)

    def _assign(self, node: n.Assignment) -> Objects:
        value = self.run(node.value)
        kept: Objects = [item for item in value if isinstance(item, Part) and not item.prints]
        value = [item for item in value if not (isinstance(item, Part) and not item.prints)]
        target = node.target
        if isinstance(target, n.Variable):
            if node.operator == "+=":
                value = self._added([*self.variables.get(target.name, [])], value)
            elif node.operator != "=":
                value = [None]
            self.variables[target.name] = value
        return kept

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

    def _chain(self, node: n.Chain) -> Objects:
        parts = self.render(self.run(node.items[0]))
        for operator, item in zip(node.operators, node.items[1:], strict=True):
            following = self.render(self.run(item))
            parts = joined(parts, operator, following, self.walker.errors_seen, False)
        return [*parts]

    def _if(self, node: n.If) -> Objects:
        out: Objects = []
        sure = True
        for condition, body in node.branches:
            tested = [] if condition is None else self.value(condition)
            known = tested[0] if len(tested) == 1 and isinstance(tested[0], bool) else None
            if known is False:
                continue
            inner = self.run(body)
            by_line = any(isinstance(item, (Element, Line)) for item in tested)
            if by_line or any(isinstance(item, (Element, Line)) for item in inner):
                out.extend(map(_chosen, inner))
            elif known and sure:
                out.extend(inner)
            else:
                kept = [item for item in inner if isinstance(item, (Found, Item))]
                rest = [item for item in inner if not isinstance(item, (Found, Item))]
                out.extend([*kept, *perhaps(self.render(rest))])
            if known:
                break
            sure = False
        return out

    # --- loops ----------------------------------------------------------------------------------

    def each(
        self, source: Sequence[Obj], body: n.Node, name: str, item_name: str | None = None
    ) -> Objects:
        """A body for each object; `name` is the variable that holds it."""
        from groundtrace.shell.powershell.parts import Items, Matches

        known = [item for item in source if isinstance(item, (str, int))]
        if len(known) == len(source):
            return self._each_known(source, body, name)
        parts = [item for item in source if isinstance(item, Part)]
        printing = [part for part in parts if part.prints]
        silent: Objects = [part for part in parts if not part.prints]
        if len(printing) == 1 and isinstance(printing[0], Matches):
            with self._holding(name, [Found(printing[0])]):
                out = self._rounds(body)
            return [*silent, *out]
        if any(isinstance(part, Items) for part in printing) or any(
            isinstance(item, Item) for item in source
        ):
            return [*silent, *self._each_item(printing, body, name)]
        if printing:
            element = Element(tuple(printing), Counter(0))
            with self._holding(name, [element]), self._counting(body):
                out = self._rounds(body)
            return [*silent, *out]
        with self._holding(name, [None]):
            out = self._rounds(body)
        return [*silent, *perhaps(self.render(out))]

    def _each_known(self, source: Sequence[Obj], body: n.Node, name: str) -> Objects:
        numbers = numbers_in(source) if all(isinstance(item, int) for item in source) else None
        if numbers and len(numbers) > 1 and numbers == list(range(numbers[0], numbers[-1] + 1)):
            with self._holding(name, [Counter(numbers[0], numbers[-1])]):
                out = self._rounds(body)
            if any(isinstance(item, (Line, Element)) for item in out):
                return out
        rounds: Objects = []
        if len(source) > MAX_ITEMS:
            self.notes["long loops"] = None
        for item in source[:MAX_ITEMS]:
            with self._holding(name, [item]):
                rounds.extend(self.run(body))
        return rounds

    def _each_item(self, source: Parts, body: n.Node, name: str) -> Objects:
        """A loop over files whose names only the output shows."""
        from groundtrace.shell.powershell.parts import Items

        first = source[0] if source else None
        folder = None
        if isinstance(first, Items) and not first.recursive:
            folder = first.folder_path() if first.folder not in ("", ".") else self.cwd or ""
        item = Item(f"item {name}", folder)
        with self._holding(name, [item]):
            template = self.run(body)
            if len(template) == 1 and isinstance(template[0], Part):
                shown = template[0]
                if not shown.prints:
                    return template
            single = [part for part in template if not isinstance(part, Part) or part.prints]
            if len(single) == 1 and (single[0] == item or isinstance(single[0], ItemProperty)):
                prop = single[0].name if isinstance(single[0], ItemProperty) else ""
                return [take_property(part, prop) if prop else part for part in source]

            def rounds() -> Parts:
                return self.render(self.run(body))

            globs = first.globs if isinstance(first, Items) else ()
            loop = self.walker.loop([item.variable], [], rounds, globs)
        return [replace(loop, cwd=folder or self.cwd)]

    def _rounds(self, body: n.Node) -> Objects:
        """What a body gives that is followed once for all rounds."""
        out = self.run(body)
        lines = [item for item in out if isinstance(item, (Line, Element))]
        others = [item for item in out if item not in lines]
        if len(lines) == 1 and not [part for part in self.render(others) if part.prints]:
            return out
        if not lines:
            return out
        shown = algebra.shown_files([part for line in lines for part in _stream(line)], "read")
        silent = [item for item in others if isinstance(item, Part) and not item.prints]
        return [*silent, Opaque(shows=shown, rule="loop")]

    def _for(self, node: n.For) -> Objects:
        if node.start is not None:
            self.run(node.start)
        start, condition = node.start, node.condition
        if isinstance(start, n.Assignment) and isinstance(start.target, n.Variable):
            name = start.target.name
            rising = _is_rise(node.step, name)
            low = number(self.variables.get(name, []))
            if rising:
                high = self._bound(condition, name) if condition is not None else None
                with self._keeping(name):
                    self.variables[name] = [Counter(low, high)]
                    out = self._rounds(node.body)
                if any(isinstance(item, (Line, Element)) for item in out):
                    return out
                if low is not None and high is not None and high - low < MAX_ITEMS:
                    return self._each_known(list(range(low, high + 1)), node.body, name)
                return [*perhaps(self.render(out))]
        self.notes["for statements"] = None
        return [*perhaps(self.render(self.run(node.body)))]

    def _bound(self, node: n.Node, name: str) -> int | None:
        """The greatest number for which a condition holds, if it says one."""
        if isinstance(node, n.Script) and len(node.statements) == 1:
            return self._bound(node.statements[0], name)
        if not isinstance(node, n.Binary):
            return None
        if node.operator == "and":
            bounds = [self._bound(node.left, name), self._bound(node.right, name)]
            known = [bound for bound in bounds if bound is not None]
            return min(known) if known else None
        if node.left == n.Variable(name) and node.operator in ("le", "lt"):
            high = number(self.value(node.right))
            return None if high is None else high - (node.operator == "lt")
        return None

    @contextmanager
    def _keeping(self, name: str) -> Iterator[None]:
        before = self.variables.get(name)
        try:
            yield
        finally:
            if before is None:
                self.variables.pop(name, None)
            else:
                self.variables[name] = before

    @contextmanager
    def _holding(self, name: str, value: Objects) -> Iterator[None]:
        """Give a variable a value inside a loop; `_` is the current object of a pipeline."""
        if name == "_":
            before, self.current = self.current, value
            try:
                yield
            finally:
                self.current = before
        else:
            with self._keeping(name):
                self.variables[name] = value
                yield

    @contextmanager
    def _counting(self, body: n.Node) -> Iterator[None]:
        """Variables that the body raises by one are counters of its rounds."""
        raised = {name: number(self.variables.get(name, [0])) for name in _raised(body)}
        before = {name: self.variables.get(name) for name in raised}
        for name, first in raised.items():
            self.variables[name] = [Counter(first)]
        try:
            yield
        finally:
            for name in raised:
                self.variables[name] = [None] if before[name] is not None else []

    # --- pipelines and commands -----------------------------------------------------------------

    def _pipeline(self, node: n.Pipeline) -> Objects:
        objects: Objects | None = None
        for stage in node.stages:
            if isinstance(stage, n.Command):
                objects = self._command(stage, objects)
            elif objects is None:
                objects = self.value(stage)
            else:
                self.notes["script blocks"] = None
                objects = derived(objects, "block")
        return self._redirected(objects or [], node.redirects)

    def _command(self, node: n.Command, given: Objects | None) -> Objects:
        self.steps += 1
        if self.steps > MAX_STEPS:
            return []
        spelled = self.text(self.value(node.name))
        name = spelled.lower()
        found = _PROGRAM.match(name)
        is_program = name.endswith((".exe", ".cmd", ".bat")) or "/" in name or "\\" in name
        name = name if is_program else ALIASES.get(name, name)
        cmdlet = None if is_program else CMDLETS.get(name)
        if cmdlet is not None:
            objects = cmdlet.handler(Call(self, name, cmdlet, node.arguments, given))
        elif found is None or has_hole(name):
            objects = [*derived(given or [], "program")]
        elif "-" in name and not is_program and name.partition("-")[0] in _VERBS:
            objects = self._unknown_cmdlet(name, given)
        else:
            objects = self._program(found["name"], node.arguments, given)
        return self._redirected(objects, node.redirects)

    def _unknown_cmdlet(self, name: str, given: Objects | None) -> Objects:
        """A cmdlet that is not in the table: its input still counts as shown if it prints."""
        return derived(given, name) if given else [Opaque(rule=name, expected=False)]

    def _program(
        self, name: str, arguments: Sequence[n.Argument], given: Objects | None
    ) -> Objects:
        """A program that is no cmdlet, as bash runs it."""
        words = [Word(name)]
        for argument in arguments:
            if argument.option:
                words.append(Word(argument.raw))
            elif argument.value is not None:
                words.extend(self._words(argument))
        stdin = None if given is None else self.render(given)
        if name in self.walker.table or stdin is None:
            return [*self.walker.command(words, stdin)]
        return [*algebra.derive(stdin, name)]

    def _words(self, argument: n.Argument) -> list[Word]:
        node = argument.value
        if isinstance(node, n.Array):
            if all(isinstance(item, n.Literal) for item in node.items):
                return [Word(",".join(str(item.value) for item in node.items))]  # type: ignore[attr-defined]
        elif isinstance(node, n.Block):
            return [Word(argument.raw)]
        objects = self.value(node) if node is not None else []
        bare = isinstance(node, n.Literal) and node.bare
        out: list[Word] = []
        for item in objects:
            text = self._as_text(item)
            # Git, rg and the others take slashes; a backslash in a pattern stays.
            spelled = slashed(text) if bare and _is_place(text) else text
            out.append(Word(spelled))
        return out

    def _redirected(self, objects: Objects, redirects: Sequence[n.Redirect]) -> Objects:
        for mark in redirects:
            if mark.target is None:
                continue
            target = self.value(mark.target)
            nothing = isinstance(mark.target, n.Variable) and mark.target.name == "null"
            path = None if nothing else self.path(self.text(target))
            writes: Objects = [] if path is None else [Write(path=path, rule="redirection")]
            if mark.stream == "2":
                objects = [*algebra.quiet(self.render(objects)), *writes]
            elif mark.stream in ("1", "*"):
                if path is not None:
                    self.note_text(path, objects, mark.adds)
                objects = [*self.silent(objects), *writes]
            else:
                objects = [*objects, *writes]
        return objects

    def silent(self, objects: Sequence[Obj]) -> Objects:
        """What is left of objects that are not printed: files that were written."""
        return [item for item in objects if isinstance(item, Part) and not item.prints]

    def note_text(self, path: str, objects: Sequence[Obj], adds: bool) -> None:
        """Note the text of a file that the script writes."""
        parts = self.render(objects)
        if all(isinstance(part, Text) and part.known for part in parts if part.prints):
            self.walker.write(path, text_of(parts), adds)

    # --- values ---------------------------------------------------------------------------------

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


_NAMES = frozenset(["fullname", "name", "basename", "path", "filename"])
_VERBS = frozenset(
    ["get", "set", "add", "remove", "new", "out", "write", "select", "where", "foreach", "sort", "measure", "format",
     "test", "resolve", "convert", "convertto", "convertfrom", "export", "import", "invoke", "start", "stop", "copy",
     "move", "rename", "clear", "join", "split", "push", "pop", "compare", "group", "tee", "read", "update", "expand",
     "compress", "wait", "enable", "disable", "install", "uninstall", "find", "save", "show", "enter", "exit", "use"]
)  # fmt: skip


def path_key(path: str) -> str:
    """A path in the one form in which names of error messages are compared with it."""
    text = slashed(path).lower().rstrip("/")
    return text[1:] if text[:1] == "/" and text[2:3] == ":" else text


def _chosen(item: Obj) -> Obj:
    if isinstance(item, Element):
        return replace(item, chosen=True)
    if isinstance(item, Line):
        return replace(item, element=replace(item.element, chosen=True))
    return item


def _stream(line: Line | Element) -> tuple[Part, ...]:
    return line.element.stream if isinstance(line, Line) else line.stream


def _found_line(founds: Sequence[Found]) -> Obj:
    """A text made of properties of a match."""
    from groundtrace.shell.powershell.parts import Matches

    names = [found.name for found in founds]
    matches = founds[0].matches
    if not isinstance(matches, Matches):
        return Opaque(rule="text")
    if "line" not in names:
        named = [name for name in names if name in ("path", "filename")]
        return take_property(matches, named[0]) if named else Opaque(rule="text")
    if "linenumber" in names:
        return matches.numbered_lines(any(name in ("path", "filename", "") for name in names))
    return take_property(matches, "line")


def _is_rise(step: n.Node | None, name: str) -> bool:
    if isinstance(step, n.Unary):
        return step.operator == "++" and step.value == n.Variable(name)
    one = n.Literal(1)
    return isinstance(step, n.Assignment) and step.operator == "+=" and step.value == one


def _raised(body: n.Node) -> set[str]:
    """Variables that a body raises by one."""
    out: set[str] = set()

    def look(node: object) -> None:
        if (
            isinstance(node, n.Unary)
            and node.operator == "++"
            and isinstance(node.value, n.Variable)
        ):
            out.add(node.value.name)
        elif isinstance(node, n.Assignment) and isinstance(node.target, n.Variable):
            plain = isinstance(node.value, n.Binary) and node.value.right == n.Literal(1)
            if _is_rise(node, node.target.name) or (
                plain and node.operator == "=" and node.value.left == node.target  # type: ignore[attr-defined]
            ):
                out.add(node.target.name)
        if isinstance(node, n.Node):
            for field in node.__struct_fields__:
                look(getattr(node, field))
        elif isinstance(node, tuple):
            for inner in node:
                look(inner)

    look(body)
    return out


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


def _is_place(text: str) -> bool:
    r"""Whether a bare word with backslashes is a path and not a pattern (`\bfoo\b`)."""
    return (
        regex(r"(?:[A-Za-z]:|\.{1,2}|[\w.@-]+)?(?:\\[\w.@() -]+)+\\?").fullmatch(text) is not None
    )
