"""What a walk over a script knows: variables, the directory, and how objects become text or parts."""

from __future__ import annotations

from collections.abc import Sequence

from groundtrace.shell.powershell import nodes as n
from groundtrace.shell.powershell import values
from groundtrace.shell.powershell.parts import Matches, StreamMatches, slashed, take_property
from groundtrace.shell.powershell.values import Counter, Element, Found, Item, Line, Obj, Objects
from groundtrace.shell.programs.call import text_part
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.file_names import path_of
from groundtrace.shell.streams.part import Opaque, Part, Parts
from groundtrace.shell.streams.text import Text, text_of
from groundtrace.shell.syntax.holes import HOLE, has_hole
from groundtrace.shell.walk.walker import Walker


class State:
    """The state of one walk over one script."""

    def __init__(self, walker: Walker, missing: frozenset[str] = frozenset()) -> None:
        self.walker = walker
        self.missing = missing
        self.variables: dict[str, Objects] = {}
        self.current: Objects = [None]
        self.notes: dict[str, None] = {}
        self.steps = 0

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
            return Opaque(shows=algebra.shown_files(elements[0].stream), rule="text")
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

    def silent(self, objects: Sequence[Obj]) -> Objects:
        """What is left of objects that are not printed: files that were written."""
        return [item for item in objects if isinstance(item, Part) and not item.prints]

    def note_text(self, path: str, objects: Sequence[Obj], adds: bool) -> None:
        """Note the text of a file that the script writes."""
        parts = self.render(objects)
        if all(isinstance(part, Text) and part.known for part in parts if part.prints):
            self.walker.write(path, text_of(parts), adds)

    # What `follow.Session`, the only kind of state, adds; cmdlets ask for it too.

    def run(self, node: n.Node) -> Objects:
        """What a statement gives."""
        raise NotImplementedError

    def value(self, node: n.Node) -> Objects:
        """What a value gives."""
        raise NotImplementedError

    def each(self, source: Sequence[Obj], body: n.Node, name: str) -> Objects:
        """A body for each object; `name` is the variable that holds it."""
        raise NotImplementedError

    def property(self, base: Objects, name: str) -> Objects:
        """One property of each object."""
        raise NotImplementedError


def path_key(path: str) -> str:
    """A path in the one form in which names of error messages are compared with it."""
    text = slashed(path).lower().rstrip("/")
    return text[1:] if text[:1] == "/" and text[2:3] == ":" else text


def _found_line(founds: Sequence[Found]) -> Obj:
    """A text made of properties of a match."""
    names = [found.name for found in founds]
    matches = founds[0].matches
    if not isinstance(matches, Matches | StreamMatches):
        return Opaque(rule="text")
    if "line" not in names:
        named = [name for name in names if name in ("path", "filename")]
        return take_property(matches, named[0]) if named else Opaque(rule="text")
    if "linenumber" in names:
        return matches.numbered_lines(any(name in ("path", "filename", "") for name in names))
    return take_property(matches, "line")
