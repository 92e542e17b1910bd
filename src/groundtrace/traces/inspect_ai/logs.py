"""The samples of a log, an archive or JSON.

Where each sample is in its log is kept, so that reading all of them takes as long as reading the log
once: 150 samples of a JSON log of 51 MB took more than a minute, 4,000 of an archive two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from groundtrace.base import jsonio
from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_count, as_items, as_mapping
from groundtrace.model import Problem
from groundtrace.storage import Folder
from groundtrace.traces.inspect_ai.archive import Archive, ArchiveError, Members, open_archive
from groundtrace.traces.inspect_ai.records import (
    id_of,
    packed_samples,
    short_sample,
    stated_of,
    typed_sample,
)
from groundtrace.traces.kit.claims import Sample
from groundtrace.traces.kit.fit import value_of
from groundtrace.traces.kit.known import Known, file_key
from groundtrace.traces.kit.lists import (
    LARGE,
    Elements,
    Listed,
    ListKind,
    find_list,
    from_value,
    load_listed,
    load_opened,
    prefix_of,
)
from groundtrace.traces.kit.rows import UniqueNames

_MEMBER = regex(r"samples/(?P<id>[^\n]+)_epoch_(?P<epoch>\d{1,6})\.json")
_TOOL = regex(rb'"event"\s*:\s*"tool"')
"""A call in bytes that are lost."""
_SAMPLES = ListKind("samples", _TOOL)
_EVENTS = ListKind("events", _TOOL)
MAX_HEADER = 64 * 1024 * 1024


class SamplePlace(Frozen, frozen=True):
    """One sample of a log."""

    id: str
    epoch: int
    member: str = ""
    """Name of its member in an archive."""
    offset: int = 0
    length: int = 0
    """Where it is in a JSON log."""


class Log(Frozen, frozen=True):
    """What must be known of a log to read any of its samples at once."""

    header: Mapping[str, Any]
    places: Mapping[str, SamplePlace]
    """Samples by names that are unique in the log, in order."""
    members: Members | None = None
    """The members of an archive; None for a JSON log."""
    problems: tuple[Problem, ...] = ()

    def find(self, name: str | None, path: str) -> SamplePlace | Problem:
        """The sample of this name; without a name, the only one."""
        if name is None and len(self.places) == 1:
            return next(iter(self.places.values()))
        if name is None:
            count = len(self.places)
            some = f"the log has {count:,} samples; name one by its id"
            return Problem(path, "unrecognised", some if count else "the log has no sample")
        if name in self.places:
            return self.places[name]
        for place in self.places.values():
            if name in (f"{place.id}_epoch_{place.epoch}", place.member):
                return place
        return Problem(path, "unrecognised", f"no sample {name!r} in the log")


_known: Known[Log] = Known(4)


def _named(places: Sequence[SamplePlace]) -> dict[str, SamplePlace]:
    """Samples by a name that is unique in the log: the id, with the epoch if there are several."""
    times = Counter(place.id for place in places)
    names = UniqueNames()
    return {
        names.next(place.id if times[place.id] == 1 else f"{place.id}_epoch_{place.epoch}"): place
        for place in places
    }


def is_archive(folder: Folder, path: str) -> bool:
    """Whether a log is an archive, by its first bytes."""
    with folder.open(path) as stream:
        return stream.read(2) == b"PK"


def samples(folder: Folder, path: str) -> Iterator[Sample | Problem]:
    """Every sample, with what it states."""
    try:
        if is_archive(folder, path):
            yield from _archived_samples(folder, path)
        else:
            yield from _json_samples(folder, path)
    except ArchiveError as error:
        yield Problem(path, "unreadable", str(error))


@contextmanager
def open_sample(
    folder: Folder, path: str, name: str | None
) -> Iterator[tuple[Listed, Mapping[str, Any]] | Problem]:
    """A sample, with its events as a list, and the header of its log; or a problem.

    Raises ArchiveError, here or while its events are read.
    """
    log = _known.get(file_key(folder, path))
    if log is not None and log.members is None:
        yield _json_sample(folder, path, name, log)
    elif log is None and not is_archive(folder, path):
        whole, _ = _json_log(folder, path)
        yield _json_sample(folder, path, name, whole) if whole else _odd_sample(folder, path, name)
    else:
        with open_archive(folder, path, None if log is None else log.members) as archive:
            log = log or _archive_log(archive, folder, path)
            place = log.find(name, path)
            if isinstance(place, Problem):
                yield place
                return
            loaded = _opened(archive, place, path)
            loaded.problems.extend(log.problems)
            yield loaded, log.header


# --- JSON -----------------------------------------------------------------------------------


def _json_samples(folder: Folder, path: str) -> Iterator[Sample | Problem]:
    log, shorts = _json_log(folder, path)
    if log is not None:
        for name, short in zip(log.places, shorts, strict=True):
            yield Sample(name, stated_of(short, log.header))
        return
    loaded = load_listed(folder, path, _SAMPLES)
    found: list[tuple[SamplePlace, Any]] = []
    for index, item in enumerate(loaded.items):
        if isinstance(item, Problem):
            yield item
        elif isinstance(item, dict):
            short = {key: value for key, value in item.items() if key not in _LONG}
            found.append((_place(short, index), short))
    yield from loaded.problems
    names = _named([place for place, _ in found])
    for (_, item), name in zip(found, names, strict=True):
        yield Sample(name, stated_of(item, loaded.root))


_LONG = frozenset({"messages", "events", "attachments", "store", "input", "output"})


def _place(item: Mapping[str, Any], index: int, offset: int = 0, length: int = 0) -> SamplePlace:
    name = id_of(item) or f"row-{index + 1}"
    return SamplePlace(name, as_count(item.get("epoch")) or 1, offset=offset, length=length)


def _json_log(folder: Folder, path: str) -> tuple[Log | None, list[Mapping[str, Any]]]:
    """A JSON log with the places of its samples, and what each says about itself; None for a log
    that is damaged or of another form."""
    entry = folder.stat(path)
    if entry is not None and entry.size > LARGE:
        header, found = _found_in_parts(folder, path)
    else:
        header, found = _found(folder.read(path, LARGE))
    if found is None:
        return None, []
    shorts: list[Mapping[str, Any]] = []
    places: list[SamplePlace] = []
    for index, (short, offset, length) in enumerate(found):
        if short is None:
            return None, []
        shorts.append(short)
        places.append(_place(short, index, offset, length))
    log = Log(header, _named(places))
    _known.keep(file_key(folder, path), log)
    return log, shorts


_Found = list[tuple[Mapping[str, Any] | None, int, int]]
"""Samples: what each says about itself, where it begins, and its length."""


def _found(data: bytes) -> tuple[Mapping[str, Any], _Found | None]:
    packed = packed_samples(data)
    if packed is None:
        return {}, None
    found: _Found = []
    end = 0
    for raw in packed[0]:
        offset = data.index(bytes(raw), end)
        end = offset + len(bytes(raw))
        found.append((short_sample(raw), offset, end - offset))
    return {"eval": packed[1]}, found


def _found_in_parts(folder: Folder, path: str) -> tuple[Mapping[str, Any], _Found | None]:
    """The same for a log that is too large to be in memory at once."""
    found: _Found = []
    with folder.open(path) as stream:
        head, start = find_list(stream, _SAMPLES)
        if start is None:
            return {}, None
        scanner = Elements(stream, head[start:], _TOOL)
        for data in scanner.elements():
            end = start + scanner.passed + scanner.position
            found.append((short_sample(data) if data else None, end - len(data), len(data)))
        if not scanner.closed:
            return {}, None
        return as_mapping(prefix_of(head[:start] + b"]" + scanner.rest())), found


def _json_sample(
    folder: Folder, path: str, name: str | None, log: Log
) -> tuple[Listed, Mapping[str, Any]] | Problem:
    place = log.find(name, path)
    if isinstance(place, Problem):
        return place
    with folder.open(path) as stream:
        stream.seek(place.offset)
        data = stream.read(place.length)
    found = typed_sample(data)
    if found is None:
        found = from_value(_with_events(value_of(msgspec.Raw(data))), path, _EVENTS)
    return found, log.header


def _odd_sample(
    folder: Folder, path: str, name: str | None
) -> tuple[Listed, Mapping[str, Any]] | Problem:
    """A sample of a JSON log that is damaged or of another form; its index is found first.

    A log that is not decoded as a whole is read twice, so only one sample is in memory.
    """
    loaded = load_listed(folder, path, _SAMPLES)
    items = loaded.items if loaded.in_parts else list(loaded.items)
    places = [
        _place(item, index, offset=index)
        for index, item in enumerate(items)
        if isinstance(item, dict)
    ]
    place = Log({}, _named(places)).find(name, path)
    if loaded.in_parts:
        loaded = load_listed(folder, path, _SAMPLES)
        items = loaded.items
    chosen = None
    for index, item in enumerate(items):
        if not isinstance(place, Problem) and index == place.offset:
            chosen = item
    if isinstance(place, Problem):
        return loaded.problems[0] if loaded.problems else place
    found = from_value(_with_events(chosen), path, _EVENTS)
    found.problems += loaded.problems
    return found, loaded.root


def _with_events(sample: Any) -> Any:
    """The sample with a list of events: a log may be written without one."""
    return {"events": [], **sample} if isinstance(sample, dict) else sample


# --- archives -------------------------------------------------------------------------------


def _archived_samples(folder: Folder, path: str) -> Iterator[Sample | Problem]:
    with open_archive(folder, path) as archive:
        log = _archive_log(archive, folder, path)
        yield from log.problems
        summaries = _summaries(archive)
        for name, place in log.places.items():
            summary = summaries.get((place.id, place.epoch)) or _sample_root(archive, place, path)
            yield Sample(name, stated_of(summary, log.header))


def _archive_log(archive: Archive, folder: Folder, path: str) -> Log:
    """What an archive holds; kept, so that its list is read once."""
    header, problems = _header(archive, path)
    places = []
    for member in archive.members:
        found = _MEMBER.fullmatch(member)
        if found is not None:
            places.append(SamplePlace(found["id"], int(found["epoch"]), member))
    places.sort(key=lambda place: (_natural(place.id), place.epoch))
    log = Log(header, _named(places), archive.members, tuple(problems))
    _known.keep(file_key(folder, path), log)
    return log


def _header(archive: Archive, path: str) -> tuple[Mapping[str, Any], list[Problem]]:
    """The header; for a run that did not end, what was written at its start."""
    for name in ("header.json", "_journal/start.json"):
        if name in archive.members:
            value = _json(archive, name)
            if isinstance(value, dict):
                return value, []
    reason = "no readable header; model and version are unknown"
    return {}, [Problem(path, "broken_json", reason)]


def _json(archive: Archive, name: str) -> Any:
    """A small member, decoded; None if it is damaged or large."""
    try:
        with archive.open(name) as stream:
            data = stream.read(MAX_HEADER + 1)
        return jsonio.loads(data) if len(data) <= MAX_HEADER else None
    except (ArchiveError, jsonio.BadJsonError):
        return None


def _natural(name: str) -> tuple[int, int, str]:
    """Sort key: numbers by value, before names."""
    number = int(name) if name.isascii() and name.isdigit() and len(name) < 19 else -1
    return (0, number, name) if number >= 0 else (1, 0, name)


def _summaries(archive: Archive) -> dict[tuple[str, int], Mapping[str, Any]]:
    """What the log says about its samples outside of their own members."""
    found: dict[tuple[str, int], Mapping[str, Any]] = {}
    names = ["summaries.json"] if "summaries.json" in archive.members else []
    names = names or [name for name in archive.members if name.startswith("_journal/summaries/")]
    for name in names:
        for one in as_items(_json(archive, name)):
            if isinstance(one, dict) and (name_of := id_of(one)) is not None:
                found[name_of, as_count(one.get("epoch")) or 1] = one
    return found


def _opened(archive: Archive, place: SamplePlace, path: str) -> Listed:
    size = archive.members[place.member].info.file_size
    shown = f"{path}#{place.member}"
    loaded = load_opened(lambda: archive.open(place.member), size, shown, _EVENTS, typed_sample)
    if not loaded.root and not loaded.problems:
        return loaded
    if any(problem.reason == "no list of events" for problem in loaded.problems):
        loaded.problems = []  # a log may be written without events
    return loaded


def _sample_root(archive: Archive, place: SamplePlace, path: str) -> Mapping[str, Any]:
    """What a sample without a summary says about itself."""
    try:
        loaded = _opened(archive, place, path)
        for _ in loaded.items:
            pass
    except ArchiveError:
        return {"id": place.id, "epoch": place.epoch}
    return {"id": place.id, "epoch": place.epoch, **as_mapping(loaded.root)}
