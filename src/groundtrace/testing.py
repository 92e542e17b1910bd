"""A checklist for trace readers: checks that every reader must pass, to run in its tests.

    from groundtrace.testing import Case, check_reader

    def test_my_reader(tmp_path):
        check_reader(MyReader(), Case("run.trace", SAMPLE, calls=(("a1", "read_file", True), …)), tmp_path)

`SAMPLE` is a whole, undamaged trace as bytes; `calls` are the calls that a person counted in it.
Every check is a function; `check_reader` runs them all. A failed check raises AssertionError with
what was expected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundtrace.base.patterns import regex
from groundtrace.storage import LocalFolder
from groundtrace.traces.kit.choose import HEAD
from groundtrace.traces.kit.claims import Probe
from groundtrace.traces.source import Keep, Reader, Source

__all__ = [
    "CHECKS",
    "Case",
    "check_calls",
    "check_damage",
    "check_hostile_types",
    "check_members",
    "check_memory",
    "check_reader",
    "check_recognition",
]

OTHER_FILES: tuple[bytes, ...] = (
    b"",
    b"\x00\x01\x02",
    b"hello\n",
    b"{}",
    b"[]",
    b'{"name": "x", "version": 1}',
    b"null\n",
)
"""Files that are not traces of any format."""

HOSTILE: tuple[bytes, ...] = (b"null", b"7", b"true", b"[]", b"{}", b'""', b'[[{"a": null}]]')
"""Values of another type than the one that a reader expects."""

_VALUE = regex(rb'(?<=:)\s*(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)')


@dataclass(frozen=True, slots=True)
class Case:
    """A trace whose calls a person counted."""

    path: str
    """Its path in a trial's folder, or only a name."""
    data: bytes
    calls: tuple[tuple[str | None, str, bool], ...]
    """For each call, in order: its id, its tool, and whether it was answered."""
    is_text: bool = True
    """The format is text with JSON values, so that values in it can be replaced."""


def check_reader(reader: Reader, case: Case, folder: Path) -> None:
    """Run every check; files are written below `folder`."""
    for check in CHECKS:
        check(reader, case, folder)


def _read(reader: Reader, case: Case, folder: Path, data: bytes) -> Source:
    path = folder / case.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return reader.read(LocalFolder(folder), case.path, Keep())


def check_members(reader: Reader, _case: Case, _folder: Path) -> None:
    """It has a name and patterns, and optional members have the types that callers expect."""
    assert isinstance(reader.name, str) and reader.name, "a reader has a name"
    assert isinstance(reader.patterns, tuple), "patterns are a tuple of texts"
    for name in ("spare_patterns", "sidecars", "own_names", "harness_words"):
        assert isinstance(getattr(reader, name, ()), tuple), f"{name} is a tuple"
    for name in ("samples", "read_sample", "companions", "is_part", "part_of"):
        assert callable(getattr(reader, name, len)), f"{name} can be called"


def check_recognition(reader: Reader, case: Case, _folder: Path) -> None:
    """It recognises its own file by the content, and claims no other file."""
    claim = reader.recognise(Probe(case.path, case.data[:HEAD]))
    assert claim is not None, "the reader does not recognise its own file"
    assert claim.evidence, "a claim says its evidence"
    if claim.strength != "name":
        other = reader.recognise(Probe("some/other.name", case.data[:HEAD]))
        assert other is not None, "a marker or shape does not depend on the name"
    for data in OTHER_FILES:
        assert reader.recognise(Probe("some/other.name", data)) is None, f"claims {data!r}"


def check_calls(reader: Reader, case: Case, folder: Path) -> None:
    """Each call once, in order, with its answer; reading again gives the same."""
    source = _read(reader, case, folder, case.data)
    assert source.parsed, "a whole file is parsed"
    lost = [problem for problem in source.problems if problem.lost_calls]
    assert not lost, f"a whole file loses no call: {lost}"
    found = [(call.call_id, call.name, call.result is not None) for call in source.calls]
    assert found == list(case.calls), f"{found} is not {list(case.calls)}"
    again = reader.read(LocalFolder(folder), case.path, Keep())
    assert again.calls == source.calls, "reading the same file again gives the same calls"
    for call in source.calls:
        assert isinstance(call.arguments, dict), "arguments are an object"


def check_damage(reader: Reader, case: Case, folder: Path) -> None:
    """A file that was cut off anywhere raises nothing, invents no call, and reports the damage."""
    known = {(call_id, name) for call_id, name, _ in case.calls}
    step = max(1, len(case.data) // 40)
    for end in range(0, len(case.data), step):
        source = _read(reader, case, folder, case.data[:end])
        made = [(call.call_id, call.name) for call in source.calls]
        assert set(made) <= known, f"cut at {end}: {made} holds a call that is not there"
        assert len(made) <= len(case.calls), f"cut at {end}: a call came twice"
        if not source.parsed:
            assert source.problems, f"cut at {end}: nothing was parsed, and nothing says why"
    for noise in (b"\xff\xfe\x00", b"}{\n", b"\n\n"):
        middle = len(case.data) // 2
        _read(reader, case, folder, case.data[:middle] + noise + case.data[middle:])


def check_hostile_types(reader: Reader, case: Case, folder: Path) -> None:
    """A value may have any type: nothing raises, and names of tools stay texts."""
    if not case.is_text:
        return
    places = list(_VALUE.finditer(case.data))
    step = max(1, len(places) // 60)
    for place in places[::step]:
        for value in HOSTILE:
            data = case.data[: place.start()] + value + case.data[place.end() :]
            source = _read(reader, case, folder, data)
            for call in source.calls:
                assert isinstance(call.name, str) and call.name, f"a call without a name: {value!r}"
                assert isinstance(call.arguments, dict), f"arguments that are no object: {value!r}"
                assert call.call_id is None or isinstance(call.call_id, str), "ids are texts"


class _SmallKeep(Keep):
    """A budget that any real trace exceeds."""

    MAX_RESULT = 256
    BUDGET = 512
    HEAD = 64
    RESERVE = 512


def check_memory(reader: Reader, case: Case, folder: Path) -> None:
    """Results go through `keep`: with a small budget only the start of each is kept in memory."""
    _read(reader, case, folder, case.data)
    keep = _SmallKeep()
    source = reader.read(LocalFolder(folder), case.path, keep)
    assert len(source.calls) == len(case.calls), "a small budget loses no call"
    if any(answered for _, _, answered in case.calls):
        assert keep.used, "results and arguments go through keep"
    for call in source.calls:
        size = len(call.result.text) if call.result is not None else 0
        assert size <= _SmallKeep.MAX_RESULT, f"a result of {size} characters was kept"


CHECKS: tuple[Callable[[Reader, Case, Path], Any], ...] = (
    check_members,
    check_recognition,
    check_calls,
    check_damage,
    check_hostile_types,
    check_memory,
)
"""All checks, in the order in which `check_reader` runs them."""
