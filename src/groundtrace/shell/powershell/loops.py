"""Loops: a body is followed once for all rounds, or once for each value that is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from groundtrace.shell.powershell import nodes as n
from groundtrace.shell.powershell import values
from groundtrace.shell.powershell.evaluate import Values
from groundtrace.shell.powershell.parts import Items, Matches, StreamMatches, take_property
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
    number,
    numbers_in,
)
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.conditions import perhaps
from groundtrace.shell.streams.part import Opaque, Part, Parts


class Loops(Values):
    """`foreach`, `for` and `ForEach-Object`."""

    def each(self, source: Sequence[Obj], body: n.Node, name: str) -> Objects:
        """A body for each object; `name` is the variable that holds it."""
        return self._finished(self._each(source, body, name))

    def _finished(self, objects: Sequence[Obj]) -> Objects:
        """What a loop gives: lines of all rounds instead of the line of a round."""
        out: Objects = []
        for item in objects:
            if isinstance(item, (Element, Line)):
                out.extend(values.lines_of(item))
            else:
                out.append(self._found_parts(item) if isinstance(item, Found) else item)
        return out

    def _each(self, source: Sequence[Obj], body: n.Node, name: str) -> Objects:
        known = [item for item in source if isinstance(item, (str, int))]
        if len(known) == len(source):
            return self._each_known(source, body, name)
        parts = [item for item in source if isinstance(item, Part)]
        printing = [part for part in parts if part.prints]
        silent: Objects = [part for part in parts if not part.prints]
        if len(printing) == 1 and isinstance(printing[0], Matches | StreamMatches):
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
        shown = algebra.shown_files([part for line in lines for part in _stream(line)])
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


def chosen(item: Obj) -> Obj:
    if isinstance(item, Element):
        return replace(item, chosen=True)
    if isinstance(item, Line):
        return replace(item, element=replace(item.element, chosen=True))
    return item


def _stream(line: Line | Element) -> tuple[Part, ...]:
    return line.element.stream if isinstance(line, Line) else line.stream


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
