"""Cmdlets that take what the pipeline hands over: Select-Object, Where-Object, ForEach-Object."""

from __future__ import annotations

from collections.abc import Sequence

from groundtrace.shell.powershell import nodes as n
from groundtrace.shell.powershell.call import GLOB, Call
from groundtrace.shell.powershell.parts import (
    ItemNames,
    Items,
    Matches,
    StreamMatches,
    take_property,
)
from groundtrace.shell.powershell.values import (
    Found,
    Item,
    Objects,
    derived,
    numbers_in,
    parts_in,
    taken,
)
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.filters import Filter, Pattern
from groundtrace.shell.streams.part import Count, Opaque, Part
from groundtrace.shell.syntax.holes import has_hole


def _records(parts: Sequence[Part], names: Sequence[str]) -> Objects:
    """Several properties of each object."""
    return [
        part.records(names)
        if isinstance(part, Items | Matches | StreamMatches)
        else part
        if not part.prints or isinstance(part, Content)
        else part.derive("select")
        for part in parts
    ]


def _properties(call: Call, *names: str) -> list[str]:
    """Names of properties; of a computed one its own name."""
    objects = next((call.values[name] for name in names if name in call.values), [])
    out: list[str] = []
    for item in objects:
        if isinstance(item, n.Hash):
            pairs = dict(item.pairs)
            key = next((pairs[k] for k in ("n", "name", "l", "label") if k in pairs), None)
            out.append(str(key.value).lower() if isinstance(key, n.Literal) else "")
        elif isinstance(item, str):
            out.append(item.lower())
    return out


def select_object(call: Call) -> Objects:
    objects = list(call.given or [])
    first, last, skip = call.number("first"), call.number("last"), call.number("skip")
    known = [item for item in objects if not isinstance(item, Part)]
    if known and len(known) == len(objects):
        return _select_known(call, objects, first, last, skip)
    parts = call.session.render(objects)
    if "skip" in call.values:
        if call.has("last") or skip is None:
            parts = algebra.without_lines(parts)
        else:
            parts = algebra.select(parts, ((skip + 1, None),))
    if "first" in call.values:
        parts = algebra.head(parts, first) if first is not None else algebra.without_lines(parts)
    if "last" in call.values:
        parts = algebra.tail(parts, last) if last is not None else algebra.without_lines(parts)
    if "index" in call.values:
        places = numbers_in(call.values["index"])
        parts = algebra.without_lines(parts) if places is None else taken(parts, places)
    if call.has("unique"):
        parts = algebra.reorder(parts, True)
    if "expandproperty" in call.values:
        name = (_properties(call, "expandproperty") or [""])[0]
        return [take_property(part, name) for part in parts]
    names = _properties(call, "property")
    return _records(parts, names) if names and names != ["*"] else [*parts]


def _select_known(
    call: Call, objects: Objects, first: int | None, last: int | None, skip: int | None
) -> Objects:
    if skip is not None:
        objects = objects[: len(objects) - skip] if call.has("last") else objects[skip:]
    if first is not None:
        objects = objects[:first]
    if last is not None:
        objects = objects[-last:] if last else []
    if "expandproperty" in call.values:
        name = (_properties(call, "expandproperty") or [""])[0]
        return call.session.property(objects, name)
    return objects


def where_object(call: Call) -> Objects:
    """Lines or files that fit a condition; which lines of a file they are is not known."""
    objects = list(call.given or [])
    block = next(
        (item for value in call.values.values() for item in value if isinstance(item, n.Block)),
        None,
    )
    parts = parts_in(objects)
    if not parts:
        return objects if any(isinstance(item, (Item, Found)) for item in objects) else [None]
    how = Filter(rule=call.name)
    if block is not None:
        how = _condition(call, block) or how
    out: Objects = []
    for part in parts:
        if isinstance(part, Items | Matches | ItemNames) or not part.prints:
            out.append(part)
        else:
            out.extend(algebra.search([part], how))
    return out


def _condition(call: Call, block: n.Block) -> Filter | None:
    """`{ $_ -match 'x' }` as a filter; None for a condition that is not followed."""
    statements = block.body.statements
    node = statements[0] if len(statements) == 1 else None
    if not isinstance(node, n.Binary) or node.left not in (n.Variable("_"), n.Variable("psitem")):
        return None
    source = call.session.text(call.session.value(node.right))
    if has_hole(source) or node.operator not in ("match", "notmatch", "like", "notlike"):
        return None
    syntax = "perl"
    if node.operator.endswith("like"):
        source, syntax = source.strip("*"), "fixed"
        if GLOB.search(source):
            return None
    pattern = Pattern(source, syntax, ignore_case=True)
    return Filter(pattern, inverted=node.operator.startswith("not"), rule=call.name)


def for_each_object(call: Call) -> Objects:
    objects = [
        item
        for name in ("process", "begin", "end", "membername")
        if name in call.values
        for item in call.values[name]
    ]
    blocks = [item for item in objects if isinstance(item, n.Block)]
    names = [item for item in objects if isinstance(item, str)]
    given = list(call.given or [])
    if names and not blocks:
        return call.session.property(given, names[0].lower())
    if not blocks:
        return derived(given, call.name)
    begin = [item for item in call.values.get("begin", []) if isinstance(item, n.Block)]
    if not begin and len(blocks) > 1:
        begin, blocks = blocks[:1], blocks[1:2]  # `% { $n = 0 } { … }`
    out: Objects = []
    for block in begin:
        out.extend(call.session.run(block.body))
    body = next((block for block in blocks if block not in begin), None)
    return [*out, *(call.session.each(given, body.body, "_") if body is not None else [])]


def sort_object(call: Call) -> Objects:
    objects = list(call.given or [])
    if not parts_in(objects):
        return objects
    return [*algebra.reorder(call.session.render(objects), call.has("unique"))]


def group_object(call: Call) -> Objects:
    return derived(call.given or [], call.name)


def measure_object(call: Call) -> Objects:
    silent = call.session.silent(call.given or [])
    return [*silent, Measured(rule=call.name)]


class Measured(Part, frozen=True, kw_only=True):
    """The table of Measure-Object: numbers, and nothing of a file (D50)."""

    def derive(self, rule: str) -> Part:
        return Count(rule=rule or self.rule)


def on_same(call: Call) -> Objects:
    """Prints its input as it is."""
    return list(call.given or [])


def on_format(call: Call) -> Objects:
    """Format-Table and Format-List with the properties that they show."""
    names = _properties(call, "property")
    parts = call.session.render(list(call.given or []))
    if not names and call.name == "format-table":
        return [*parts]
    if not names and not any(isinstance(part, Items | Matches) for part in parts):
        return [*parts]
    return _records(parts, names)


def write_output(call: Call) -> Objects:
    objects = call.values.get("inputobject") or list(call.given or [])
    if call.name == "write-host" and len(objects) > 1:
        return [call.session.joined_text([objects])]
    return objects


def on_nothing(call: Call) -> Objects:
    """Prints nothing; files that its input wrote are written."""
    return call.session.silent(call.given or [])


def on_opaque(call: Call) -> Objects:
    """Prints something that shows no file."""
    return [*call.session.silent(call.given or []), Opaque(rule=call.name, expected=False)]


def on_derive(call: Call) -> Objects:
    """Prints something made from its input."""
    return derived(call.given or [], call.name)


def compare_object(call: Call) -> Objects:
    streams = [*call.values.get("referenceobject", []), *call.values.get("differenceobject", [])]
    parts = parts_in(streams)
    return [Opaque(shows=algebra.shown_files(parts), rule=call.name)]


def on_hidden(_call: Call) -> Objects:
    """A message on another stream, such as Write-Verbose."""
    return []
