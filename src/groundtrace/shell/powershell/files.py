"""Cmdlets that open, write, list and search files."""

from __future__ import annotations

from collections.abc import Sequence

from groundtrace.answers.file_names import looks_like_folder
from groundtrace.base.patterns import regex
from groundtrace.shell.powershell.call import GLOB, Call
from groundtrace.shell.powershell.parts import ItemNames, Items, Matches, slashed, spaced
from groundtrace.shell.powershell.values import Element, Item, Line, Objects
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.file_names import join
from groundtrace.shell.streams.filters import Filter, Pattern
from groundtrace.shell.streams.part import Opaque, Part, Parts, Write
from groundtrace.shell.syntax.holes import has_hole

# --- files ----------------------------------------------------------------------------------------


def _is_glob(call: Call, text: str) -> bool:
    return "literalpath" not in call.values and GLOB.search(text) is not None


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
    if isinstance(item, Items) and len(item.globs) == 1 and not GLOB.search(item.globs[0]):
        folder = item.folder_path()
        if not item.recursive and (folder is not None or item.folder in ("", ".")):
            return Content(path=join(folder, item.globs[0]), rule=item.rule)
    return Content(path=None, spans=None, quiet=True, rule=item.rule)


def get_content(call: Call) -> Objects:
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


def set_content(call: Call) -> Objects:
    """Set-Content, Add-Content, Out-File: what the pipeline hands over goes into a file."""
    given = [*(call.given or []), *call.values.get("value", [])]
    texts = call.texts("path", "literalpath", "filepath")
    out: Objects = call.session.silent(given)
    for path in _targets(call, texts):
        call.session.note_text(path, given, call.name == "add-content" or call.has("append"))
        out.append(Write(path=path, rule=call.name))
    return out


def on_tee(call: Call) -> Objects:
    names = call.texts("filepath", "literalpath")
    return [
        *(call.given or []),
        *(Write(path=path, rule=call.name) for path in _targets(call, names)),
    ]


def new_item(call: Call) -> Objects:
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


def remove_item(call: Call) -> Objects:
    objects = call.files()
    names = [text for text in call.session.texts(objects) if not has_hole(text)]
    if call.has("recurse"):
        names = [name for name in names if not looks_like_folder(slashed(name))]
    return [Write(path=path, rule=call.name) for path in _targets(call, names)]


def copy_item(call: Call) -> Objects:
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


def rename_item(call: Call) -> Objects:
    sources, names = call.texts("path", "literalpath"), call.texts("newname")
    if len(sources) != 1 or len(names) != 1 or has_hole(sources[0] + names[0]):
        return [Opaque(rule=call.name, expected=False)]
    folder, slash, _ = slashed(sources[0]).rpartition("/")
    target = names[0] if "\\" in names[0] or "/" in names[0] else f"{folder}{slash}{names[0]}"
    if looks_like_folder(slashed(sources[0])):
        return []
    return [Write(path=path, rule=call.name) for path in _targets(call, [target, sources[0]])]


# --- names ----------------------------------------------------------------------------------------


def get_child_item(call: Call) -> Objects:
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
    if base and (GLOB.search(base) or not looks_like_folder(base)) and not has_hole(base):
        globs = [base] if base != "*" else globs
    elif base:
        folder = place
    if has_hole(folder) or GLOB.search(folder):
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


def resolve_path(call: Call) -> Objects:
    return [ItemNames(cwd=call.session.cwd, anchor=False, rule=call.name, quiet=call.quiet)]


_TRUE = regex(r"(?:True|False)$")


def test_path(call: Call) -> Objects:
    return [Opaque(rule=call.name, form=_TRUE)]


def get_location(call: Call) -> Objects:
    return [Opaque(rule=call.name, expected=False)]


def set_location(call: Call) -> Objects:
    walker, names = call.session.walker, call.texts("path", "literalpath")
    if call.name == "push-location":
        walker.change(walker.env.pushed())
    if call.name == "pop-location":
        walker.change(walker.env.popped())
    elif names and not call.session.is_missing(join(walker.env.cwd, slashed(names[0]))):
        walker.change(walker.env.entered(slashed(names[0])))
    return []


def join_path(call: Call) -> Objects:
    parts = [*call.texts("path"), *call.texts("childpath")]
    return ["/".join(slashed(part).rstrip("/") for part in parts)] if parts else [None]


def split_path(call: Call) -> Objects:
    name = slashed((call.texts("path") or [""])[0])
    return [name.rsplit("/", 1)[-1] if call.has("leaf") else name.rpartition("/")[0]]


# --- searches -------------------------------------------------------------------------------------


def _pattern(call: Call) -> Pattern | None:
    sources = call.texts("pattern")
    if not sources or any(has_hole(source) for source in sources):
        return None
    syntax = "fixed" if call.has("simplematch") else "perl"
    return Pattern("\n".join(sources), syntax, ignore_case=not call.has("casesensitive"))


def select_string(call: Call) -> Objects:
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


# --- something made of files ----------------------------------------------------------------------


def on_shows(call: Call) -> Objects:
    """Prints something made from the files that it names."""
    return [*algebra.derive(_opened(call), call.name)]


def get_file_hash(call: Call) -> Objects:
    items = get_child_item(call)
    return [
        item.records(("algorithm", "hash", "path")) for item in items if isinstance(item, Items)
    ]
