"""Which files of a trial hold a trace, and which reader reads each.

Readers recognise a file by the members that tell. A patch of 90 kB or a system prompt of 70 kB may
stand before them, so the first bytes of a file are not enough: a file of mini-swe-agent with a
large submission was "JSON that no reader knows". Then the outline of the file is looked at: all its
members, but long texts keep only their two ends, and the value of each member at most some
kilobytes. It is the start of valid JSON if the file is.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import BinaryIO

from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import clean_text
from groundtrace.base.patterns import regex
from groundtrace.model import Problem
from groundtrace.problems import ProblemKind
from groundtrace.storage import EntryKind, Folder, Links
from groundtrace.traces.kit.claims import Probe, Recognised, Strength, stated_by
from groundtrace.traces.kit.known import Known, file_key
from groundtrace.traces.source import Reader

HEAD = 64 * 1024
"""Bytes at the start of a file that a reader sees to recognise it."""

MAX_FOLDERS = 2_000
"""Most folders listed for a `**`; the sessions of a trial have only a few."""

_SPECIAL = frozenset("*?[")
_ORDER = {"marker": 0, "shape": 1, "name": 2}


class Detected(Frozen, frozen=True):
    """A file and its reader."""

    path: str
    reader: Reader
    recognised: Recognised

    @property
    def evidence(self) -> str:
        return f"{self.path}: {self.reader.name} by {self.recognised.strength} ({self.recognised.evidence})"


def candidates(
    folder: Folder, readers: Sequence[Reader], problems: list[Problem]
) -> dict[str, list[Reader]]:
    """Files that match a pattern of any reader, in the order of the readers' patterns; each with
    the readers that are asked first: mappings of the user, then those whose patterns it matches."""
    found: dict[str, list[Reader]] = {}
    listings = Listings(folder)
    of_user = _of_user(readers)
    for reader in readers:
        for pattern in reader.patterns:
            for path in expand(pattern, listings, problems):
                expected = found.setdefault(path, of_user.copy())
                if reader not in expected:
                    expected.append(reader)
    return found


class Listings:
    """What the folders of a trial hold, each listed once: most patterns name the same folder."""

    def __init__(self, folder: Folder) -> None:
        self._top = folder
        self._folders: dict[str, Folder] = {"": folder}
        self._kinds: dict[str, dict[str, EntryKind]] = {}

    def folder(self, path: str) -> Folder:
        """The folder at a path below the trial's folder."""
        if path not in self._folders:
            self._folders[path] = self._top.folder(path)
        return self._folders[path]

    def kinds(self, path: str) -> Mapping[str, EntryKind]:
        """Names in the folder at a path, each with its kind; none if there is no such folder."""
        kinds = self._kinds.get(path)
        if kinds is None:
            above, _, name = path.rpartition("/")
            is_there = not path or self.kinds(above).get(name) == "folder"
            kinds = self._kinds[path] = dict(self.folder(path).kinds()) if is_there else {}
        return kinds


@lru_cache(maxsize=1024)
def _in_parts(pattern: str) -> tuple[str, tuple[str, ...]]:
    """The folder that a pattern begins in, and its other parts: one if it is only a name."""
    parts = pattern.split("/")
    special = (number for number, part in enumerate(parts) if not _SPECIAL.isdisjoint(part))
    literal = next(special, len(parts) - 1)
    return "/".join(parts[:literal]), tuple(parts[literal:])


def expand(pattern: str, listings: Listings, problems: list[Problem]) -> Iterable[str]:
    """Files that match a pattern of literal parts, `*` parts and `**`."""
    base, parts = _in_parts(pattern)
    kinds = listings.kinds(base)
    if not kinds:
        return ()
    if len(parts) == 1 and _SPECIAL.isdisjoint(parts[0]):
        return (pattern,) if kinds.get(parts[0]) == "file" else ()
    return _expand(base, parts, listings, problems)


def _expand(
    base: str, parts: Sequence[str], listings: Listings, problems: list[Problem]
) -> Iterator[str]:
    budget = [MAX_FOLDERS]
    unlisted: dict[str, str] = {}
    yield from _walk(base, parts, listings, budget, Links(), unlisted)
    for name, why in unlisted.items():
        reason = f"the folder cannot be listed ({why}); its traces are not read"
        problem = Problem(name, "unlisted_folder", reason)
        if problem not in problems:
            problems.append(problem)
    if budget[0] < 0:
        reason = f"more than {MAX_FOLDERS:,} folders; traces in the others were not looked for"
        problems.append(Problem(base or ".", "too_many_folders", reason))


def _walk(
    path: str,
    parts: Sequence[str],
    listings: Listings,
    budget: list[int],
    links: Links,
    unlisted: dict[str, str],
) -> Iterator[str]:
    folder = listings.folder(path)
    if not links.enters(folder):
        return
    budget[0] -= 1
    if budget[0] < 0 or not parts:
        return
    first, rest = parts[0], parts[1:]
    for name, kind in listings.kinds(path).items():
        inside = f"{path}/{name}" if path else name
        if kind == "unlisted":
            unlisted[clean_text(folder.name)] = next((e.stamp for e in folder.entries()), "")
        elif first == "**":
            if kind == "folder":
                yield from _walk(inside, parts, listings, budget, links, unlisted)
            elif kind == "file" and rest and fnmatch.fnmatchcase(name, rest[-1]):
                yield inside
        elif fnmatch.fnmatchcase(name, first):
            if not rest and kind == "file":
                yield inside
            elif rest and kind == "folder":
                yield from _walk(inside, rest, listings, budget, links, unlisted)


def is_spare(path: str, readers: Sequence[Reader]) -> bool:
    """Whether a reader says that the file is a copy, to be read only if no log is complete."""
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in _spare_patterns(tuple(readers)))


@lru_cache(maxsize=16)
def _spare_patterns(readers: tuple[Reader, ...]) -> tuple[str, ...]:
    return tuple(p for reader in readers for p in stated_by(reader, "spare_patterns"))


def claim_on(
    probe: Probe, readers: Iterable[Reader], weakest: Strength = "name"
) -> Detected | None:
    """The strongest claim on a file, at least as strong as `weakest`; of equal ones the first."""
    best: Detected | None = None
    for reader in readers:
        claim = reader.recognise(probe)
        if claim is None or _ORDER[claim.strength] > _ORDER[weakest]:
            continue
        if best is None or _ORDER[claim.strength] < _ORDER[best.recognised.strength]:
            best = Detected(probe.path, reader, claim)
            if claim.strength == "marker":
                break  # nothing is stronger, and of equal claims the first one wins
    return best


STEPS = (1 << 20, 16 << 20, 64 << 20)
"""Bytes from which outlines are made, one after the other, until one is claimed or is full."""
_known: Known[Detected] = Known(64)
"""Files that were recognised by an outline: each sample of a file asks again for its reader."""
_POINTER = b"version https://git-lfs.github.com/spec/"
POINTER = "a Git LFS pointer: run git lfs pull"


def is_pointer(head: bytes) -> bool:
    """Whether a file only stands for one that Git LFS did not fetch."""
    return head.startswith(_POINTER)


_JSON = regex(rb"(?:\xef\xbb\xbf)?\s*+[{\[]")


def look(
    folder: Folder,
    path: str,
    readers: Sequence[Reader],
    weakest: Strength,
    expected: Sequence[Reader] = (),
) -> tuple[Detected | None, bytes]:
    """The strongest claim on a file, and its first bytes; raises OSError.

    The first bytes tell for nearly every file. If they do not, members that tell may stand behind a
    long value, so the outline of the file is looked at.
    """
    with folder.open(path) as stream:
        head = stream.read(HEAD)
        if is_pointer(head):
            return None, head
        probe = Probe(path, head)
        first = expected or _likely(path, readers)
        best = claim_on(probe, first, "marker") or claim_on(probe, readers, weakest)
        is_sure = best is not None and best.recognised.strength != "name"
        if is_sure or len(head) < HEAD or not _JSON.match(head):
            return best, head
        key = file_key(folder, path, *readers)
        found = _known.get(key) or _claim_on_outline(stream, path, head, readers)
        if found is None:
            return best, head
        _known.keep(key, found)
        return found, head


def _likely(path: str, readers: Sequence[Reader]) -> list[Reader]:
    """The readers that are asked first for a file: mappings of the user, then the reader whose traces
    are named like it. Asking all readers took longer than reading the start of the file."""
    own = own_reader(path, readers)
    return [] if own is None else [*_of_user(readers), own]


def _of_user(readers: Iterable[Reader]) -> list[Reader]:
    return [reader for reader in readers if getattr(reader, "is_of_user", False)]


def _claim_on_outline(
    stream: BinaryIO, path: str, data: bytes, readers: Iterable[Reader]
) -> Detected | None:
    for size in STEPS:
        data += stream.read(size - len(data))
        view, is_open = outline(data)
        found = claim_on(Probe(path, view), readers, "shape")
        if found is not None or not is_open or len(data) < size:
            return found
    return None


_LOOKS: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    (
        "a terminal recording (asciinema)",
        regex(rb'\A\s*+\{[^\n]{0,400}?"version"\s*:\s*[123]\b[^\n]{0,400}?"(?:width|term)"'),
    ),
    ("an Amp thread", regex(rb'\A\s*+\{(?=[\s\S]{0,400}?"id"\s*:\s*"T-[0-9a-f]{8}-)')),
    (
        "a VS Code chat",
        regex(
            rb'\A\s*+\{(?=[\s\S]*?"requests"\s*:\s*\[)(?=[\s\S]*?"(?:requesterUsername|responderUsername)")'
        ),
    ),
    (
        "a Zed thread",
        regex(
            rb'\A\s*+\{(?=[\s\S]*?"messages")(?=[\s\S]*?"(?:detailed_summary|initial_project_snapshot)")'
        ),
    ),
    (
        "a list of browser requests (HAR)",
        regex(rb'\A\s*+\{\s*"log"\s*:\s*\{(?=[\s\S]{0,2000}?"creator")'),
    ),
    ("a Jupyter notebook", regex(rb'\A\s*+\{(?:(?=[\s\S]*?"nbformat")|\s*+"cells"\s*:\s*\[)')),
    (
        "an export of Langfuse",
        regex(
            rb'\A\s*+[\[{](?=[\s\S]*?"(?:traceId|trace_id)")(?=[\s\S]*?"(?:parentObservationId|parent_observation_id)")'
        ),
    ),
    (
        "an export of LangSmith",
        regex(rb'\A\s*+[\[{](?=[\s\S]*?"(?:dotted_order|parent_run_id)")(?=[\s\S]*?"run_type")'),
    ),
    (
        "OpenTelemetry without spans of an agent",
        regex(rb'\A\s*+[\[{](?=[\s\S]*?"resource(?:Spans|Logs|Metrics)"\s*:)'),
    ),
    (
        "results of mcpbr; they are read beside its logs if the file is named results.json",
        regex(
            rb'\A\s*+\{(?=[\s\S]*?"tasks"\s*:\s*\[)(?=[\s\S]*?"baseline")(?=[\s\S]*?"tool_usage")'
        ),
    ),
    (
        "a chat of JSON messages without a tool call",
        regex(rb'\A\s*+(?:\[\s*)?\{[^{}]{0,4000}?"role"\s*:\s*"(?:user|system|assistant|human)"'),
    ),
)
"""Files that people have and no reader reads, each by what only it has."""
_DATABASE = b"SQLite format 3\0"


def what_it_is(head: bytes) -> str:
    """What a file looks like that no reader knows, by its first bytes."""
    if is_pointer(head):
        return POINTER
    if not head.strip():
        return "empty"
    if head.startswith(_DATABASE):
        return "a database (SQLite), as some agents keep sessions in; export them as JSON"
    if b"\0" in head:
        return "binary"
    if head.lstrip()[:1] in (b"{", b"["):
        for name, form in _LOOKS:
            if form.match(head):
                return f"JSON that no reader knows: it looks like {name}"
        return "JSON that no reader knows"
    if b"\x1b[" in head[:4096]:
        return "text that no reader knows: it looks like a recorded terminal"
    for name, form in _TEXT_LOOKS:
        if form.match(head):
            return f"text that no reader knows: it looks like {name}"
    return "text that no reader knows"


_TEXT_LOOKS: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    (
        "a chat that Cursor exported, which holds no tool calls; see its agent-transcripts",
        regex(rb"\A\s*+# [^\n]{0,1000}\n_Exported on [^\n]{0,200} from Cursor"),
    ),
    (
        "an older transcript of Cursor in plain text, which holds no answers of tools",
        regex(rb"\A\s*+user:[ \t]*\r?\n<user_query>"),
    ),
)


_TEXTS = (".txt", ".log", ".out")
_FEW = 10
"""Lines that are not JSON in a damaged log; a screen has dozens."""


def is_screen(path: str, head: bytes) -> bool:
    """Whether a text only quotes some lines of JSON, as a captured terminal does: whole objects are
    less than half of it. The copy of a stream has some lines of the shell around it."""
    if not path.endswith(_TEXTS) or _JSON.match(head) or b"\0" in head:
        return False
    lines = [line for line in head.splitlines() if line.strip()]
    objects = [line for line in lines if line.strip().startswith(b"{")]
    whole = [line for line in objects if line.rstrip().endswith(b"}") or line is lines[-1]]
    is_text = len(lines) - len(whole) > _FEW
    return is_text and 2 * sum(map(len, whole)) < sum(map(len, lines))


def own_reader(path: str, readers: Iterable[Reader]) -> Reader | None:
    """The reader whose traces are named like this file, and nothing else is."""
    name = path.rpartition("/")[2]
    for reader in readers:
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in stated_by(reader, "own_names")):
            return reader
    return None


def reader_for(
    folder: Folder, path: str, readers: Sequence[Reader], expected: Sequence[Reader] = ()
) -> tuple[Detected | None, Problem | None]:
    """The reader with the strongest claim on a file; of equal claims the first one wins.

    `expected` are asked first (D140): if the file has the marker of one of them, no other reader is
    asked. That is so for nearly every file, and asking all readers took
    longer than opening it.
    """
    try:
        best, head = look(folder, path, readers, "name", expected)
    except OSError as error:
        return None, Problem(path, "unreadable", str(error))
    if best is not None:
        return best, None
    if is_pointer(head):
        return None, Problem(path, "unrecognised", POINTER)
    kind: ProblemKind = "unrecognised" if head.strip() else "empty_file"
    reason = "no reader knows this file" if head.strip() else "the file is empty"
    _, knows, looks = what_it_is(head).partition("that no reader knows: ")
    reason += f": {looks}" if knows else ""
    return None, Problem(path, kind, reason)


MAX_OUTLINE = 64 * 1024
"""Bytes of an outline: as much as the start of a file that readers see."""
MAX_MEMBER = 8 * 1024
"""Bytes after which the rest of a member's value is left out."""
MAX_TEXT = 1024
_START, _END = 256, 512
"""Bytes kept of a longer text. A reply often ends with its call."""

_TOKEN = regex(rb'"(?:[^"\\]++|\\.)*+"|[{}\[\],]|\n|[^"{}\[\],\n]++', re.DOTALL)
_SKIPPED = regex(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
"""Text that neither opens nor closes anything: whole strings, and everything between them."""


def outline(data: bytes) -> tuple[bytes, bool]:
    """The outline of the start of a file, and whether more of the file would make it longer."""
    scan = _Scan(data)
    scan.run()
    return b"".join(scan.kept), scan.size < MAX_OUTLINE


class _Scan:
    """State of one scan."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.kept: list[bytes] = []
        self.size = 0
        self.closers: list[bytes] = []
        """Brackets that close what is open."""
        self.row = 0
        """How deep the object is whose members are those of a row or of the file."""
        self.member = 0
        """Size of the outline where the current member of that object began."""

    def run(self) -> None:
        position = 0
        while self.size < MAX_OUTLINE:
            token = _TOKEN.match(self.data, position)
            if token is None:
                return  # the end, or a text that goes on behind it
            position = token.end()
            found = token[0]
            if found == b"," and self.is_over():
                position = self.skip(position)
                if position < 0:
                    return
                found = b""
            elif found in (b"{", b"["):
                self.closers.append(b"}" if found == b"{" else b"]")
                if found == b"{" and not self.row:
                    self.row = len(self.closers)
            elif found in (b"}", b"]"):
                if self.closers:
                    self.closers.pop()
                if len(self.closers) < self.row:
                    self.row = 0
            self.keep(_shortened(found) if len(found) > MAX_TEXT else found)
            if len(self.closers) <= self.row:
                self.member = self.size

    def is_over(self) -> bool:
        """Whether the rest of what is open inside a member is left out."""
        return len(self.closers) > self.row > 0 and self.size - self.member > MAX_MEMBER

    def skip(self, position: int) -> int:
        """Go to the end of what is open; returns -1 if it is not in the data."""
        depth = 1
        while depth:
            between = _SKIPPED.match(self.data, position)
            position = (position if between is None else between.end()) + 1
            found = self.data[position - 1 : position]
            if found not in (b"{", b"[", b"}", b"]"):
                return -1
            depth += 1 if found in (b"{", b"[") else -1
        self.keep(self.closers.pop())
        return position

    def keep(self, part: bytes) -> None:
        self.kept.append(part)
        self.size += len(part)


def _shortened(token: bytes) -> bytes:
    """A long text without its middle; blanks and numbers are not kept at such a length."""
    if not token.startswith(b'"'):
        return token[:_START]
    start = token[:_START]
    escape = start.rfind(b"\\", _START - 6)
    if escape >= 0:  # never half an escape
        start = start[:escape].rstrip(b"\\")
    # Half an escape at the cut goes, but not the quote that closes the text.
    return start + b" ... " + token[-_END:-1].lstrip(b'"\\') + b'"'
