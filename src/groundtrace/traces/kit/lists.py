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
from groundtrace.base.cut_json import read_prefix
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping
from groundtrace.model import Problem
from groundtrace.storage import Folder

LARGE = 48 * 1024 * 1024
"""A larger file is read element by element."""


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


def load_listed(
    folder: Folder,
    path: str,
    key: str,
    counted: re.Pattern[bytes],
    typed: Typed | None = None,
) -> Listed:
    """The object in a file; `counted` matches a call in lost bytes. Never raises because of the
    file's content."""
    entry = folder.stat(path)
    size = None if entry is None else entry.size
    return load_opened(lambda: folder.open(path), size, path, key, counted, typed)


def load_opened(
    opener: Opener,
    size: int | None,
    path: str,
    key: str,
    counted: re.Pattern[bytes],
    typed: Typed | None = None,
) -> Listed:
    """The same for anything that can be opened more than once."""
    if size is not None and size > LARGE:
        return _in_parts(opener, path, key, counted)
    with opener() as stream:
        # To ask for LARGE bytes gets fresh memory from the system each time, which took an eighth
        # of the time of a session; asked for its own size, a file mostly goes where one was before.
        data = stream.read(LARGE + 1 if size is None else size + 1)
        if size is not None and len(data) > size:  # it has grown
            data += stream.read(LARGE + 1 - len(data))
    if len(data) > LARGE:
        return _in_parts(opener, path, key, counted)
    if typed is not None and not jsonio.is_heavy(data) and (found := typed(data)) is not None:
        return found
    try:
        value = jsonio.loads(data)
    except jsonio.BadJsonError as error:
        if not data.strip():
            return Listed(iter(()), problems=[Problem(path, "empty_file", "the file is empty")])
        loaded = _in_parts(opener, path, key, counted)
        reason = f"not valid JSON ({error}); read element by element as far as possible"
        loaded.problems.append(Problem(path, "broken_trajectory", reason, line=error.line))
        return loaded
    return from_value(value, path, key)


def from_value(value: Any, path: str, key: str) -> Listed:
    """The same for an object that is already decoded."""
    root = as_mapping(value)
    around = {name: item for name, item in root.items() if name != key}
    if isinstance(root.get(key), list):
        return Listed(iter(root[key]), around)
    place = f"$.{key}" if root else "$"
    reason = f"no list of {key}"
    return Listed(iter(()), around, [Problem(path, "broken_trajectory", reason, place=place)])


def _in_parts(opener: Opener, path: str, key: str, counted: re.Pattern[bytes]) -> Listed:
    loaded = Listed(iter(()), in_parts=True)
    loaded.items = _stream(opener, path, key, counted, loaded)
    return loaded


def _stream(
    opener: Opener, path: str, key: str, counted: re.Pattern[bytes], loaded: Listed
) -> Iterator[Any]:
    """Elements one after another; the root is filled in after the last one."""
    with opener() as stream:
        head, start = find_list(stream, key)
        loaded.root = as_mapping(prefix_of(head if start is None else head[:start]))
        if start is None:
            reason = f"no list of {key} was found"
            loaded.problems.append(Problem(path, "broken_trajectory", reason))
            return
        scanner = Elements(stream, head[start:], counted)
        number = 0
        for number, data in enumerate(scanner.elements(), start=1):
            yield _element(data, f"$.{key}[{number - 1}]", scanner.lost, path, counted)
        if not scanner.closed:
            reason = f"the file ends inside its {key}"
            loaded.problems.append(
                Problem(
                    path,
                    "truncated_line",
                    reason,
                    place=f"$.{key}[{number}]",
                    lost_calls=scanner.lost_calls(),
                )
            )
            return
        rest = as_mapping(prefix_of(head[:start] + b"]" + scanner.rest()))
        loaded.root = {name: item for name, item in {**loaded.root, **rest}.items() if name != key}


def _element(data: bytes, place: str, lost: int, path: str, counted: re.Pattern[bytes]) -> Any:
    if not data:
        reason = f"an element of more than {MAX_ELEMENT:,} bytes was not decoded"
        return Problem(path, "line_too_long", reason, place=place, lost_calls=lost)
    try:
        return jsonio.loads(data)
    except jsonio.BadJsonError as error:
        lost = len(counted.findall(data))
        reason = f"an element cannot be decoded ({error})"
        return Problem(path, "damaged_step", reason, place=place, lost_calls=lost)


def find_list(stream: BinaryIO, key: str) -> tuple[bytes, int | None]:
    """The start of a file, and where in it the list begins."""
    pattern = re.compile(rb'"' + re.escape(key.encode()) + rb'"\s*:\s*\[')
    head = bytearray(stream.read(CHUNK))
    while (found := pattern.search(head)) is None:
        chunk = stream.read(CHUNK)
        if not chunk or len(head) > MAX_ELEMENT:
            return bytes(head[:CHUNK]), None
        head += chunk
    return bytes(head), found.end()


def prefix_of(data: bytes) -> Any:
    """The value of JSON whose end may be missing."""
    return read_prefix(data.decode("utf-8-sig", errors="replace")).value


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
