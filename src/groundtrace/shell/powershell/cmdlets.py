"""Cmdlets: what each takes and what it gives. Programs that are no cmdlets are those of bash.

A cmdlet is one row of `CMDLETS`: its handler, the parameters that take a value, and the parameters
that a value without a name belongs to, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from groundtrace.answers.file_names import looks_like_folder
from groundtrace.base.patterns import regex
from groundtrace.shell.powershell import nodes as n
from groundtrace.shell.powershell.parts import (
    ItemNames,
    Items,
    Matches,
    StreamMatches,
    slashed,
    spaced,
)
from groundtrace.shell.powershell.values import (
    Element,
    Found,
    Item,
    Line,
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
from groundtrace.shell.streams.part import Count, Opaque, Part, Parts, Write
from groundtrace.shell.syntax.holes import has_hole

if TYPE_CHECKING:
    from groundtrace.shell.powershell.follow import Session

COMMON = frozenset(
    ["erroraction", "ea", "warningaction", "wa", "informationaction", "infa", "errorvariable", "ev", "outvariable",
     "ov", "warningvariable", "wv", "outbuffer", "ob", "pipelinevariable", "pv", "progressaction"]
)  # fmt: skip
"""Parameters with a value that every cmdlet takes."""
_QUIET = frozenset(["silentlycontinue", "ignore", "0"])


class Call(msgspec.Struct):
    """One cmdlet as it was called."""

    session: Session
    name: str
    cmdlet: Cmdlet
    arguments: Sequence[n.Argument]
    given: Objects | None
    """What the pipeline hands over; None if it is the first command."""
    values: dict[str, Objects] = {}
    switches: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        values: dict[str, Objects] = {}
        switches: set[str] = set()
        loose: list[Objects] = []
        known = self.cmdlet.takes | COMMON
        at = 0
        while at < len(self.arguments):
            argument = self.arguments[at]
            at += 1
            if not argument.option:
                loose.append(self._value(argument))
                continue
            name = _full(argument.option.lower(), self.cmdlet)
            if argument.value is not None:
                values[name] = self._value(argument)
            elif name in known and at < len(self.arguments) and not self.arguments[at].option:
                values[name] = self._value(self.arguments[at])
                at += 1
            else:
                switches.add(name)
        places = [name for name in self.cmdlet.places if name not in values]
        for name, objects in zip(places, loose, strict=False):
            values[name] = objects
        for objects in loose[len(places) :]:
            if places and self.cmdlet.rest:
                values[places[-1]] = [*values[places[-1]], *objects]
        self.values, self.switches = values, frozenset(switches)

    def _value(self, argument: n.Argument) -> Objects:
        return [] if argument.value is None else self.session.value(argument.value)

    def has(self, *names: str) -> bool:
        """Whether one of these parameters was given."""
        return any(name in self.values or name in self.switches for name in names)

    def number(self, *names: str) -> int | None:
        """The number that a parameter was given."""
        return next((number(self.values[name]) for name in names if name in self.values), None)

    def texts(self, *names: str) -> list[str]:
        """The texts that a parameter was given."""
        objects = next((self.values[name] for name in names if name in self.values), [])
        return self.session.texts(objects)

    @property
    def quiet(self) -> bool:
        """Its errors are not shown."""
        return any(text.lower() in _QUIET for text in self.texts("erroraction", "ea"))

    def files(self) -> Objects:
        """What its path parameters name: texts, or objects of the pipeline."""
        for name in ("path", "literalpath", "filepath"):
            if name in self.values:
                return self.values[name]
        return list(self.given or [])


Handler = Callable[[Call], Objects]


class Cmdlet(msgspec.Struct, frozen=True):
    """One cmdlet as data."""

    handler: Handler
    takes: frozenset[str] = frozenset()
    """Parameters with a value."""
    places: tuple[str, ...] = ("path",)
    """The parameters that values without a name belong to, in order."""
    switches: frozenset[str] = frozenset()
    """Parameters without a value, if one of them could be taken for another parameter."""
    also: dict[str, str] = {}
    """Other names of parameters."""
    rest: bool = False
    """More values belong to the last place."""


def _full(name: str, cmdlet: Cmdlet) -> str:
    """The whole name of a parameter, which may be cut off or another name for it."""
    known = cmdlet.takes | cmdlet.switches | COMMON
    if name in cmdlet.also:
        return cmdlet.also[name]
    if name in known:
        return name
    longer = sorted(other for other in known | cmdlet.also.keys() if other.startswith(name))
    return cmdlet.also.get(longer[0], longer[0]) if longer else name


# --- files ----------------------------------------------------------------------------------------

_GLOB = regex(r"[*?]|\[[^\]]+\]")


def _is_glob(call: Call, text: str) -> bool:
    return "literalpath" not in call.values and _GLOB.search(text) is not None


def _opened(call: Call) -> Parts:
    """Contents of the files that a cmdlet names."""
    parts: Parts = []
    for item in call.files():
        if isinstance(item, Part):
            if not item.prints:
                parts.append(item)
            elif isinstance(item, ItemNames | Items | Matches):
                parts.append(_sole_item(item))
            else:
                parts.append(Content(path=None, spans=None, quiet=True, rule=call.name))
            continue
        text = call.session.texts([item])[0]
        if has_hole(text) or _is_glob(call, text):
            parts.append(Content(path=None, spans=None, quiet=True, rule=call.name))
            continue
        path = call.session.path(text)
        if path is not None:
            parts.append(Content(path=path, quiet=call.quiet, rule=call.name))
    return parts


def _sole_item(item: Part) -> Part:
    """Contents of what a listing found; only a listing of one known file names it."""
    if isinstance(item, Items) and len(item.globs) == 1 and not _GLOB.search(item.globs[0]):
        folder = item.folder_path()
        if not item.recursive and (folder is not None or item.folder in ("", ".")):
            return Content(path=join(folder, item.globs[0]), rule=item.rule)
    return Content(path=None, spans=None, quiet=True, rule=item.rule)


def _get_content(call: Call) -> Objects:
    first, last = call.number("totalcount"), call.number("tail")
    out: Parts = []
    for part in _opened(call):
        kept = [part]
        if "totalcount" in call.values:
            kept = algebra.head(kept, first) if first is not None else algebra.without_lines(kept)
        if "tail" in call.values:
            kept = algebra.tail(kept, last) if last is not None else algebra.without_lines(kept)
        out.extend(kept)
    return [*out]


def _targets(call: Call, names: Sequence[str]) -> list[str]:
    return [
        path
        for name in names
        if not has_hole(name) and not _is_glob(call, name)
        for path in [call.session.path(name)]
        if path is not None
    ]


def _set_content(call: Call) -> Objects:
    """Set-Content, Add-Content, Out-File: what the pipeline hands over goes into a file."""
    given = [*(call.given or []), *call.values.get("value", [])]
    texts = call.texts("path", "literalpath", "filepath")
    out: Objects = call.session.silent(given)
    for path in _targets(call, texts):
        call.session.note_text(path, given, call.name == "add-content" or call.has("append"))
        out.append(Write(path=path, rule=call.name))
    return out


def _tee(call: Call) -> Objects:
    names = call.texts("filepath", "literalpath")
    return [
        *(call.given or []),
        *(Write(path=path, rule=call.name) for path in _targets(call, names)),
    ]


def _new_item(call: Call) -> Objects:
    kind = (call.texts("itemtype") or [""])[0].lower()
    names = call.texts("path", "literalpath") or ["."]
    if "name" in call.values:
        names = [f"{slashed(names[0]).rstrip('/')}/{name}" for name in call.texts("name")]
    said = Opaque(rule=call.name, expected=False)
    if kind.startswith("d") or kind in ("junction", "symboliclink", "hardlink"):
        return [said]
    if not kind:
        names = [name for name in names if not looks_like_folder(slashed(name))]
    for path in _targets(call, names):
        call.session.note_text(path, call.values.get("value", []), False)
    return [*(Write(path=path, rule=call.name) for path in _targets(call, names)), said]


def _remove_item(call: Call) -> Objects:
    objects = call.files()
    names = [text for text in call.session.texts(objects) if not has_hole(text)]
    if call.has("recurse"):
        names = [name for name in names if not looks_like_folder(slashed(name))]
    return [Write(path=path, rule=call.name) for path in _targets(call, names)]


def _copy_item(call: Call) -> Objects:
    """Copy-Item and Move-Item; a moved file is also gone from its old place."""
    sources = call.texts("path", "literalpath")
    target = (call.texts("destination") or [""])[0]
    if not sources and call.given:
        sources = call.session.texts(call.given)
    if not target or has_hole(target):
        return [Opaque(rule=call.name, expected=False)]
    out: Objects = []
    for source in sources:
        if has_hole(source) or _is_glob(call, source) or call.session.path(source) is None:
            continue
        base = slashed(source).rstrip("/").rsplit("/", 1)[-1]
        place = slashed(target)
        folder = looks_like_folder(base) and "." not in base
        if place.endswith("/") or (looks_like_folder(place) and not folder):
            place = f"{place.rstrip('/')}/{base}"
        if folder and looks_like_folder(place):
            continue
        moved = [source] if call.name == "move-item" else []
        out.extend(Write(path=path, rule=call.name) for path in _targets(call, [place, *moved]))
    return [*out, Opaque(rule=call.name, expected=False)] if call.has("passthru") else out


def _rename_item(call: Call) -> Objects:
    sources, names = call.texts("path", "literalpath"), call.texts("newname")
    if len(sources) != 1 or len(names) != 1 or has_hole(sources[0] + names[0]):
        return [Opaque(rule=call.name, expected=False)]
    folder, slash, _ = slashed(sources[0]).rpartition("/")
    target = names[0] if "\\" in names[0] or "/" in names[0] else f"{folder}{slash}{names[0]}"
    if looks_like_folder(slashed(sources[0])):
        return []
    return [Write(path=path, rule=call.name) for path in _targets(call, [target, sources[0]])]


# --- names ----------------------------------------------------------------------------------------


def _get_child_item(call: Call) -> Objects:
    names = call.texts("path", "literalpath")
    if not names and call.given:
        names = list(call.session.texts(call.given))
    names = names or ["."]
    filters = [*call.texts("filter"), *call.texts("include")]
    out: Objects = []
    for name in names:
        place = slashed(name)
        if call.session.is_missing(join(call.session.cwd, place)):
            continue
        out.append(_listing(call, place, filters))
    return out


def _listing(call: Call, place: str, filters: Sequence[str]) -> Part:
    folder, _, base = place.rpartition("/")
    globs = [glob for glob in filters if not has_hole(glob)]
    if place.endswith("/") or place in ("", ".", ".."):
        folder, base = place.rstrip("/") or "/", ""
    if base and (_GLOB.search(base) or not looks_like_folder(base)) and not has_hole(base):
        globs = [base] if base != "*" else globs
    elif base:
        folder = place
    if has_hole(folder) or _GLOB.search(folder):
        folder_of: str | None = None
    else:
        folder_of = folder or "."
    items = Items(
        cwd=call.session.cwd,
        folder=folder_of,
        globs=tuple(globs),
        recursive=call.has("recurse", "depth"),
        only_files=call.has("file"),
        only_folders=call.has("directory"),
        quiet=call.quiet,
        rule=call.name,
    )
    return items.listed_names() if call.has("name") else items


def _resolve_path(call: Call) -> Objects:
    return [
        ItemNames(cwd=call.session.cwd, anchor=False, rule=call.name, quiet=call.quiet),
    ]


_TRUE = regex(r"(?:True|False)$")


def _test_path(call: Call) -> Objects:
    return [Opaque(rule=call.name, form=_TRUE)]


def _get_location(call: Call) -> Objects:
    return [Opaque(rule=call.name, expected=False)]


def _set_location(call: Call) -> Objects:
    walker, names = call.session.walker, call.texts("path", "literalpath")
    if call.name == "push-location":
        walker.change(walker.env.pushed())
    if call.name == "pop-location":
        walker.change(walker.env.popped())
    elif names and not call.session.is_missing(join(walker.env.cwd, slashed(names[0]))):
        walker.change(walker.env.entered(slashed(names[0])))
    return []


def _join_path(call: Call) -> Objects:
    parts = [*call.texts("path"), *call.texts("childpath")]
    return ["/".join(slashed(part).rstrip("/") for part in parts)] if parts else [None]


def _split_path(call: Call) -> Objects:
    name = slashed((call.texts("path") or [""])[0])
    return [name.rsplit("/", 1)[-1] if call.has("leaf") else name.rpartition("/")[0]]


# --- searches -------------------------------------------------------------------------------------


def _pattern(call: Call) -> Pattern | None:
    sources = call.texts("pattern")
    if not sources or any(has_hole(source) for source in sources):
        return None
    syntax = "fixed" if call.has("simplematch") else "perl"
    return Pattern("\n".join(sources), syntax, ignore_case=not call.has("casesensitive"))


def _select_string(call: Call) -> Objects:
    pattern = _pattern(call)
    inverted, context = call.has("notmatch"), call.has("context")
    if call.has("quiet"):
        return [Opaque(rule=call.name, form=_TRUE)]
    named = call.has("path", "literalpath")
    given = call.given or []
    objects = [item for item in given if isinstance(item, (Items, ItemNames, Item))]
    if not named and not objects:
        how = Filter(pattern, inverted=inverted, context=context, rule=call.name)
        lines = [item for item in given if isinstance(item, (Element, Line))]
        if lines:
            return [*lines]
        found = algebra.search(call.session.render(given), how)
        return [spaced(part) for part in found]
    names = call.texts("path", "literalpath") if named else []
    known = [name for name in names if not has_hole(name) and not _is_glob(call, name)]
    present = [name for name in known if call.session.path(name) is not None]
    if named and known and not present and len(known) == len(names):
        return []
    searched = tuple(present) if len(known) == len(names) else ()
    matches = Matches(
        cwd=call.session.cwd,
        named=True,
        numbered=True,
        pattern=pattern,
        inverted=inverted,
        context=context,
        searched=searched,
        quiet=call.quiet,
        rule=call.name,
    )
    if call.has("raw"):
        return [matches.property("line")]
    return [matches]


# --- what is done to a stream ---------------------------------------------------------------------


def take_property(part: Part, name: str) -> Part:
    """One property of each object that a part stands for."""
    name = name.lower()
    if isinstance(part, Items | Matches | StreamMatches):
        return part.property(name)
    if isinstance(part, ItemNames):
        return part if name in ("path", "fullname", "providerpath") else Opaque(rule=part.rule)
    if isinstance(part, Count) or name in ("count", "length", "lines"):
        return Count(rule=part.rule)
    if isinstance(part, Content):
        return part if name in ("line", "value") else part.derive(name)
    return part.derive(name) if part.prints else part


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


def _select_object(call: Call) -> Objects:
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
    if "skiplast" in call.values:
        parts = [*parts]
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


_SIMPLE = frozenset(["match", "like", "notmatch", "notlike", "eq", "ne", "contains"])


def _where_object(call: Call) -> Objects:
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
        if _GLOB.search(source):
            return None
    pattern = Pattern(source, syntax, ignore_case=True)
    return Filter(pattern, inverted=node.operator.startswith("not"), rule=call.name)


def _for_each_object(call: Call) -> Objects:
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


def _sort_object(call: Call) -> Objects:
    objects = list(call.given or [])
    if not parts_in(objects):
        return objects
    return [*algebra.reorder(call.session.render(objects), call.has("unique"))]


def _group_object(call: Call) -> Objects:
    return derived(call.given or [], call.name)


def _measure_object(call: Call) -> Objects:
    silent = call.session.silent(call.given or [])
    return [*silent, Measured(rule=call.name)]


class Measured(Part, frozen=True, kw_only=True):
    """The table of Measure-Object: numbers, and nothing of a file (D50)."""

    def derive(self, rule: str) -> Part:
        return Count(rule=rule or self.rule)


def _same(call: Call) -> Objects:
    """Prints its input as it is."""
    return list(call.given or [])


def _format(call: Call) -> Objects:
    """Format-Table and Format-List with the properties that they show."""
    names = _properties(call, "property")
    parts = call.session.render(list(call.given or []))
    if not names and call.name == "format-table":
        return [*parts]
    if not names and not any(isinstance(part, Items | Matches) for part in parts):
        return [*parts]
    return _records(parts, names)


def _write_output(call: Call) -> Objects:
    objects = [item for value in call.values.get("inputobject", []) for item in [value]]
    objects = objects or list(call.given or [])
    if call.name == "write-host" and len(objects) > 1:
        return [call.session.joined_text([objects])]
    return objects


def _nothing(call: Call) -> Objects:
    """Prints nothing; files that its input wrote are written."""
    return call.session.silent(call.given or [])


def _opaque(call: Call) -> Objects:
    """Prints something that shows no file."""
    return [*call.session.silent(call.given or []), Opaque(rule=call.name, expected=False)]


def _derive(call: Call) -> Objects:
    """Prints something made from its input."""
    return derived(call.given or [], call.name)


def _shows(call: Call) -> Objects:
    """Prints something made from the files that it names."""
    return [*algebra.derive(_opened(call), call.name)]


def _compare_object(call: Call) -> Objects:
    streams = [*call.values.get("referenceobject", []), *call.values.get("differenceobject", [])]
    parts = parts_in(streams)
    return [Opaque(shows=algebra.shown_files(parts, "read"), rule=call.name)]


def _get_file_hash(call: Call) -> Objects:
    items = _get_child_item(call)
    return [
        item.records(("algorithm", "hash", "path")) for item in items if isinstance(item, Items)
    ]


def _hidden(_call: Call) -> Objects:
    """A message on another stream, such as Write-Verbose."""
    return []


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ITEM = _set("path literalpath filter include exclude depth attributes encoding stream credential")
_TO_FILE = _set(
    "path literalpath value encoding filter include exclude stream delimiter filepath width inputobject"
)
_ITEM_ALSO = {
    "lp": "literalpath",
    "pspath": "literalpath",
    "s": "recurse",
    "r": "recurse",
    "ad": "directory",
    "af": "file",
}

CMDLETS: dict[str, Cmdlet] = {
    "get-content": Cmdlet(
        _get_content, _ITEM | _set("totalcount tail readcount delimiter"), rest=True,
        switches=_set("raw wait force"),
        also={"first": "totalcount", "head": "totalcount", "last": "tail", "lp": "literalpath", "pspath": "literalpath"},
    ),
    "set-content": Cmdlet(_set_content, _TO_FILE, ("path", "value"), _set("nonewline force passthru")),
    "add-content": Cmdlet(_set_content, _TO_FILE, ("path", "value"), _set("nonewline force passthru")),
    "out-file": Cmdlet(_set_content, _TO_FILE, ("filepath", "encoding"), _set("append nonewline force noclobber")),
    "clear-content": Cmdlet(_remove_item, _ITEM),
    "export-csv": Cmdlet(_set_content, _TO_FILE, switches=_set("notypeinformation append")),
    "export-clixml": Cmdlet(_set_content, _TO_FILE),
    "tee-object": Cmdlet(_tee, _set("filepath literalpath variable inputobject encoding"), ("filepath",), _set("append")),
    "new-item": Cmdlet(
        _new_item, _set("path name itemtype value literalpath"), switches=_set("force"), also={"type": "itemtype"}
    ),
    "mkdir": Cmdlet(_opaque, _set("path name"), rest=True),
    "remove-item": Cmdlet(_remove_item, _ITEM, switches=_set("recurse force confirm"), also=_ITEM_ALSO, rest=True),
    "copy-item": Cmdlet(_copy_item, _ITEM | {"destination"}, ("path", "destination"), _set("recurse force passthru")),
    "move-item": Cmdlet(_copy_item, _ITEM | {"destination"}, ("path", "destination"), _set("force passthru")),
    "rename-item": Cmdlet(_rename_item, _ITEM | {"newname"}, ("path", "newname"), _set("force passthru")),
    "get-childitem": Cmdlet(
        _get_child_item, _ITEM, ("path", "filter"),
        _set("recurse name file directory force hidden readonly system followsymlink"), _ITEM_ALSO,
    ),
    "get-item": Cmdlet(_get_child_item, _ITEM, switches=_set("force"), also=_ITEM_ALSO),
    "resolve-path": Cmdlet(_resolve_path, _set("path literalpath"), switches=_set("relative")),
    "convert-path": Cmdlet(_resolve_path, _set("path literalpath")),
    "test-path": Cmdlet(_test_path, _ITEM | {"pathtype"}, switches=_set("isvalid")),
    "get-location": Cmdlet(_get_location),
    "set-location": Cmdlet(_set_location, _set("path literalpath stackname"), also={"lp": "literalpath"}),
    "push-location": Cmdlet(_set_location, _set("path literalpath stackname")),
    "pop-location": Cmdlet(_set_location, _set("stackname"), ()),
    "join-path": Cmdlet(_join_path, _set("path childpath additionalchildpath"), ("path", "childpath"), rest=True),
    "split-path": Cmdlet(_split_path, _set("path literalpath"), switches=_set("leaf parent leafbase extension")),
    "select-string": Cmdlet(
        _select_string, _set("pattern path literalpath context include exclude encoding culture inputobject"),
        ("pattern", "path"), _set("simplematch casesensitive list allmatches quiet notmatch raw noemphasis"),
        {"lp": "literalpath"}, rest=True,
    ),
    "select-object": Cmdlet(
        _select_object, _set("first last skip skiplast index property expandproperty excludeproperty inputobject"),
        ("property",), _set("unique wait"), {"expand": "expandproperty"}, rest=True,
    ),
    "where-object": Cmdlet(
        _where_object, _set("filterscript property value inputobject match like notmatch notlike eq ne gt lt ge le"),
        ("filterscript", "value"),
    ),
    "foreach-object": Cmdlet(
        _for_each_object, _set("process begin end membername inputobject parallel argumentlist throttlelimit"),
        ("process",), also={"parallel": "process"}, rest=True,
    ),
    "sort-object": Cmdlet(_sort_object, _set("property culture inputobject top bottom"), ("property",), _set("unique descending"), rest=True),
    "get-unique": Cmdlet(_sort_object, places=()),
    "group-object": Cmdlet(_group_object, _set("property inputobject"), ("property",), _set("noelement")),
    "measure-object": Cmdlet(
        _measure_object, _set("property inputobject"), ("property",), _set("line word character sum average maximum minimum")
    ),
    "out-string": Cmdlet(_same, _set("width inputobject"), (), _set("stream")),
    "out-host": Cmdlet(_same, places=(), switches=_set("paging")),
    "out-default": Cmdlet(_same, places=()),
    "more": Cmdlet(_get_content, _ITEM, rest=True),
    "format-table": Cmdlet(
        _format, _set("property groupby view expand"), ("property",), _set("autosize wrap hidetableheaders force"), rest=True
    ),
    "format-list": Cmdlet(_format, _set("property groupby view expand"), ("property",), _set("force"), rest=True),
    "format-wide": Cmdlet(_opaque, _set("property column"), ("property",), _set("autosize")),
    "write-output": Cmdlet(_write_output, _set("inputobject"), ("inputobject",), _set("noenumerate"), rest=True),
    "write-host": Cmdlet(
        _write_output, _set("inputobject object separator foregroundcolor backgroundcolor"), ("inputobject",),
        _set("nonewline"), {"object": "inputobject", "fore": "foregroundcolor", "f": "foregroundcolor"}, rest=True,
    ),
    "write-error": Cmdlet(_hidden, _set("message"), ("message",)),
    "write-warning": Cmdlet(_opaque, _set("message"), ("message",)),
    "write-verbose": Cmdlet(_hidden, _set("message"), ("message",)),
    "out-null": Cmdlet(_nothing, places=()),
    "start-sleep": Cmdlet(_hidden, _set("seconds milliseconds"), ("seconds",)),
    "set-strictmode": Cmdlet(_hidden), "set-executionpolicy": Cmdlet(_hidden), "set-variable": Cmdlet(_hidden),
    "remove-variable": Cmdlet(_hidden), "set-alias": Cmdlet(_hidden), "import-module": Cmdlet(_hidden),
    "chcp": Cmdlet(_opaque),
    "convertfrom-json": Cmdlet(_derive, _set("depth inputobject"), ("inputobject",)),
    "convertto-json": Cmdlet(_derive, _set("depth inputobject"), ("inputobject",), _set("compress")),
    "convertfrom-csv": Cmdlet(_derive, _set("delimiter header"), ()),
    "import-csv": Cmdlet(_shows, _ITEM | {"delimiter", "header"}),
    "format-hex": Cmdlet(_shows, _ITEM | {"count", "offset"}),
    "import-powershelldatafile": Cmdlet(_shows, _ITEM),
    "compare-object": Cmdlet(
        _compare_object, _set("referenceobject differenceobject property syncwindow"), ("referenceobject", "differenceobject")
    ),
    "get-filehash": Cmdlet(_get_file_hash, _ITEM | {"algorithm"}),
    **dict.fromkeys(
        ["get-command", "get-help", "get-process", "get-date", "get-variable", "get-alias", "get-member", "get-host",
         "get-itemproperty", "invoke-webrequest", "invoke-restmethod", "test-netconnection", "get-service", "start-process",
         "stop-process", "get-nettcpconnection", "invoke-expression", "new-object", "get-psdrive", "get-acl",
         "expand-archive", "compress-archive", "wait-process", "start-job", "receive-job", "get-job", "clear-host"],
        Cmdlet(_opaque),
    ),
}  # fmt: skip
"""Cmdlets by name."""

ALIASES: dict[str, str] = {
    "gc": "get-content", "cat": "get-content", "type": "get-content", "sc": "set-content", "ac": "add-content",
    "gci": "get-childitem", "ls": "get-childitem", "dir": "get-childitem", "gi": "get-item", "sls": "select-string",
    "select": "select-object", "where": "where-object", "?": "where-object", "%": "foreach-object",
    "foreach": "foreach-object", "sort": "sort-object", "measure": "measure-object", "group": "group-object",
    "ft": "format-table", "fl": "format-list", "fw": "format-wide", "echo": "write-output", "write": "write-output",
    "cd": "set-location", "chdir": "set-location", "sl": "set-location", "pushd": "push-location", "popd": "pop-location",
    "pwd": "get-location", "gl": "get-location", "cp": "copy-item", "copy": "copy-item", "cpi": "copy-item",
    "mv": "move-item", "move": "move-item", "mi": "move-item", "rm": "remove-item", "del": "remove-item",
    "erase": "remove-item", "rd": "remove-item", "rmdir": "remove-item", "ri": "remove-item", "ren": "rename-item",
    "rni": "rename-item", "ni": "new-item", "md": "mkdir", "rvpa": "resolve-path", "tee": "tee-object",
    "oh": "out-host", "gu": "get-unique", "diff": "compare-object", "compare": "compare-object", "clc": "clear-content",
    "gm": "get-member", "gps": "get-process", "ps": "get-process", "iwr": "invoke-webrequest", "curl": "invoke-webrequest",
    "wget": "invoke-webrequest", "irm": "invoke-restmethod", "gcm": "get-command", "sleep": "start-sleep",
    "cls": "clear-host", "clear": "clear-host", "iex": "invoke-expression", "ipcsv": "import-csv", "epcsv": "export-csv",
    "ogv": "out-null", "gp": "get-itemproperty", "saps": "start-process", "start": "start-process",
    "kill": "stop-process", "man": "get-help", "help": "get-help", "history": "get-command", "set": "set-variable",
}  # fmt: skip
"""Other names of cmdlets."""
