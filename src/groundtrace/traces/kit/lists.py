"""A JSON object with one long list in it, such as a session's messages.

It may be whole, cut off, or too large to decode at once. The elements of the list come one after
another. What is around the list is known after the last element.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

import msgspec
from msgspec import field

from groundtrace.base import jsonio
from groundtrace.base.cut_json import read_cut, without_cut
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping
from groundtrace.model import Problem
from groundtrace.storage import Folder
from groundtrace.traces.kit.fit import NOT_FITTING

LARGE = 48 * 1024 * 1024
"""A larger file is read element by element."""


class ListKind(msgspec.Struct, frozen=True):
    """Which list of an object is read, and how its losses are told."""

    key: str
    """The member that holds the list."""
    counted: re.Pattern[bytes]
    """A call in the bytes of an element that is lost."""
    one: str = "an element"
    several: str = ""
    """The elements in messages; the key if nothing is given."""
    most_lost: int | None = None
    """Most calls that an element can hold, if that is known."""
    is_bare: bool = False
    """The file may also be the list itself."""
    decode: Callable[[bytes], Any] = jsonio.loads
    """Decodes an element of a file that is read element by element."""
    find: Callable[[BinaryIO], tuple[bytes, int | None]] | None = None
    """Finds the list, if it is not the first one of this name."""

    @property
    def all(self) -> str:
        """The elements in messages."""
        return self.several or self.key

    @property
    def one_by_one(self) -> str:
        """`element by element`."""
        word = self.one.rpartition(" ")[2]
        return f"{word} by {word}"

    def lost(self, count: int) -> int:
        """Calls that are certainly lost, of those that the lost bytes seem to hold."""
        return count if self.most_lost is None else min(self.most_lost, count)


class Listed(msgspec.Struct):
    """An object whose list is being read; `root` is complete after the last element."""

    items: Iterator[Any]
    """Each element that could be decoded; a `Problem` for one that could not."""
    root: Mapping[str, Any] = field(default_factory=dict)
    """The object without its list."""
    problems: list[Problem] = field(default_factory=list)
    """What was wrong with the file as a whole."""
    in_parts: bool = False
    """Whether it is read element by element: it is too large or damaged."""


Opener = Callable[[], BinaryIO]
"""Opens the file or archive member that holds the object, at its start."""
Typed = Callable[[bytes], Listed | None]
"""Decodes an object of the usual form with fewer values; None for an object of another form, which
is then decoded completely."""


def load_listed(folder: Folder, path: str, kind: ListKind, typed: Typed | None = None) -> Listed:
    """The object in a file; never raises because of the file's content."""
    entry = folder.stat(path)
    size = None if entry is None else entry.size
    return load_opened(lambda: folder.open(path), size, path, kind, typed)


def load_opened(
    opener: Opener, size: int | None, path: str, kind: ListKind, typed: Typed | None = None
) -> Listed:
    """The same for anything that can be opened more than once."""
    if size is not None and size > LARGE:
        return in_parts(opener, path, kind)
    with opener() as stream:
        # To ask for LARGE bytes gets fresh memory from the system each time, which took an eighth
        # of the time of a session; asked for its own size, a file mostly goes where one was before.
        data = stream.read(LARGE + 1 if size is None else size + 1)
        if size is not None and len(data) > size:  # it has grown
            data += stream.read(LARGE + 1 - len(data))
    if len(data) > LARGE:
        return in_parts(opener, path, kind)
    if typed is not None and not jsonio.is_heavy(data) and (found := typed(data)) is not None:
        return found
    try:
        value = jsonio.loads(data)
    except jsonio.BadJsonError as error:
        if not data.strip():
            return Listed(iter(()), problems=[Problem(path, "empty_file", "the file is empty")])
        loaded = in_parts(opener, path, kind)
        reason = f"not valid JSON ({error}); read {kind.one_by_one} as far as possible"
        loaded.problems.append(Problem(path, "broken_trajectory", reason, line=error.line))
        return loaded
    return from_value(value, path, kind)


def from_value(value: Any, path: str, kind: ListKind) -> Listed:
    """The same for an object that is already decoded."""
    if kind.is_bare and isinstance(value, list):
        return Listed(iter(value))
    root, key = as_mapping(value), kind.key
    around = {name: item for name, item in root.items() if name != key}
    if isinstance(root.get(key), list):
        return Listed(iter(root[key]), around)
    place = f"$.{key}" if root or (kind.is_bare and isinstance(value, dict)) else "$"
    reason = f"no list of {kind.all}"
    return Listed(iter(()), around, [Problem(path, "broken_trajectory", reason, place=place)])


def in_parts(opener: Opener, path: str, kind: ListKind) -> Listed:
    """The same for an object that is too large or damaged."""
    loaded = Listed(iter(()), in_parts=True)
    loaded.items = _stream(opener, path, kind, loaded)
    return loaded


def _stream(opener: Opener, path: str, kind: ListKind, loaded: Listed) -> Iterator[Any]:
    """Elements one after another; the root is filled in after the last one."""
    with opener() as stream:
        head, start = find_list(stream, kind)
        loaded.root = as_mapping(prefix_of(head if start is None else head[:start]))
        if start is None:
            reason = f"no list of {kind.all} was found"
            loaded.problems.append(Problem(path, "broken_trajectory", reason))
            return
        scanner = Elements(stream, head[start:], kind.counted)
        number = 0
        for number, data in enumerate(scanner.elements(), start=1):
            yield element(data, number - 1, path, kind, scanner.lost)
        if not scanner.closed:
            lost = kind.lost(scanner.lost_calls())
            reason = f"the file ends inside its {kind.all}"
            place = f"$.{kind.key}[{number}]"
            loaded.problems.append(
                Problem(path, "truncated_line", reason, place=place, lost_calls=lost)
            )
            return
        loaded.root = around(head[:start], scanner, loaded.root, kind)


def around(
    head: bytes, scanner: Elements, root: Mapping[str, Any], kind: ListKind
) -> Mapping[str, Any]:
    """The object around a list whose elements were all taken from the scanner."""
    if kind.is_bare and _BARE.match(head):
        return root
    rest = as_mapping(prefix_of(head + b"]" + scanner.rest()))
    return {name: item for name, item in {**root, **rest}.items() if name != kind.key}


def element(data: bytes, number: int, path: str, kind: ListKind, lost: int = 0) -> Any:
    """An element by its bytes; a Problem if it was too long (no bytes) or cannot be decoded."""
    place = f"$.{kind.key}[{number}]"
    if not data:
        reason = f"{kind.one} of more than {MAX_ELEMENT:,} bytes was not decoded"
        return Problem(path, "line_too_long", reason, place=place, lost_calls=kind.lost(lost))
    try:
        return kind.decode(data)
    except msgspec.ValidationError:
        return Problem(path, "wrong_type", f"{kind.one} is not an object", place=place)
    except (jsonio.BadJsonError, *NOT_FITTING) as error:
        lost = kind.lost(len(kind.counted.findall(data)))
        reason = f"{kind.one} cannot be decoded ({error})"
        return Problem(path, "damaged_step", reason, place=place, lost_calls=lost)


_BARE = regex(rb"\s*+(?:\xef\xbb\xbf)?\s*+\[")


def find_list(stream: BinaryIO, kind: ListKind) -> tuple[bytes, int | None]:
    """The start of a file, and where in it the list begins."""
    if kind.find is not None:
        return kind.find(stream)
    pattern = re.compile(rb'"' + re.escape(kind.key.encode()) + rb'"\s*:\s*\[')
    head = bytearray(stream.read(CHUNK))
    if kind.is_bare and (bare := _BARE.match(head)):
        return bytes(head), bare.end()
    while (found := pattern.search(head)) is None:
        chunk = stream.read(CHUNK)
        if not chunk or len(head) > MAX_ELEMENT:
            return bytes(head[:CHUNK]), None
        head += chunk
    return bytes(head), found.end()


def prefix_of(data: bytes) -> Any:
    """The value of JSON whose end may be missing, without what is cut off there."""
    return without_cut(read_cut(data.decode("utf-8-sig", errors="replace")))


CHUNK = 1 << 20
MAX_ELEMENT = 64 * 1024 * 1024

_PLAIN = regex(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
"""Text that neither opens nor closes anything: whole strings, and everything between them."""
_TEXT = regex(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
"""The rest of a string: up to its end, or to the last whole character of the chunk."""


class Elements:
    """Finds the elements of a list in a stream of JSON.

    A string without an end is skipped piece by piece. Searching for its end from its start again in
    every chunk took minutes for a text of 200 MB.
    """

    def __init__(
        self,
        stream: BinaryIO,
        data: bytes,
        counted: re.Pattern[bytes],
        *,
        chunk: int = CHUNK,
        longest: int = MAX_ELEMENT,
    ) -> None:
        """`data` follows the list's opening bracket; `counted` matches a call in lost bytes."""
        self._chunk = chunk
        self._longest = longest
        self.stream = stream
        self.data = data
        self.position = 0
        """Where in `data` the last element ended."""
        self.passed = 0
        """Bytes that came before `data` since the list's opening bracket."""
        self.closed = False
        """Whether the end of the list was seen."""
        self.lost = 0
        """Calls mentioned in the last element that was skipped because of its length."""
        self._counted = counted
        self._parts: list[bytes] = []
        self._size = self._dropped = 0

    def elements(self) -> Iterator[bytes]:
        """The bytes of each object in the list; empty for an object that is too long."""
        depth = position = start = 0
        in_text = escaped = False
        while True:
            if position >= len(self.data):
                if depth:
                    self._keep(self.data[start:])
                self.passed += len(self.data)
                self.data = self.stream.read(self._chunk)
                if not self.data:
                    return
                # Skip an escaped character at the start of a chunk: it does not end the string.
                position, start, escaped = int(escaped), 0, False
                continue
            if in_text:
                found = _TEXT.match(self.data, position)
                position = position if found is None else found.end()
                if position < len(self.data):
                    escaped = self.data[position : position + 1] == b"\\"
                    in_text = escaped
                    position += 1
                continue
            plain = _PLAIN.match(self.data, position)
            position = (position if plain is None else plain.end()) + 1
            match self.data[position - 1 : position]:
                case b'"':
                    in_text = True
                case b"{" | b"[":
                    start = position - 1 if depth == 0 else start
                    depth += 1
                case b"}" | b"]" if depth == 0:
                    self.closed = True
                    self.data = self.data[position:]
                    return
                case b"}" | b"]":
                    depth -= 1
                    if depth == 0:
                        self.position = position
                        yield self._element(self.data[start:position])
                        start = position

    def _keep(self, data: bytes) -> None:
        """Keep a part of an element that continues in the next chunk."""
        self._size += len(data)
        self._parts.append(data)
        if self._size > self._longest:
            self._dropped += self._mentioned()
            self._parts = []

    def _mentioned(self) -> int:
        return sum(len(self._counted.findall(part)) for part in self._parts)

    def _element(self, end: bytes) -> bytes:
        """The element that ends with these bytes."""
        self._keep(end)
        whole = b"".join(self._parts)
        self.lost = self._dropped
        self._parts, self._size, self._dropped = [], 0, 0
        return whole

    def rest(self) -> bytes:
        """What follows the list; `}` if the file was cut off before its end."""
        if not self.closed:
            return b"}"
        return self.data + self.stream.read(self._longest)

    def lost_calls(self) -> int:
        """Calls mentioned in the element that is cut off at the end of the file."""
        return self._dropped + self._mentioned()
