"""The samples of a log, an archive or JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec import field

from groundtrace.base import jsonio
from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_count, as_mapping
from groundtrace.model import Problem
from groundtrace.storage import Folder
from groundtrace.traces.inspect_ai.archive import Archive, ArchiveError, open_archive
from groundtrace.traces.inspect_ai.events import (
    PackedSample,
    short_of,
    typed_log,
    typed_sample,
    value_of,
)
from groundtrace.traces.inspect_ai.stated import id_of, stated_of
from groundtrace.traces.kit.claims import Sample
from groundtrace.traces.kit.lists import Listed, from_value, load_listed, load_opened
from groundtrace.traces.kit.rows import UniqueNames

_MEMBER = regex(r"samples/(?P<id>[^\n]+)_epoch_(?P<epoch>\d{1,6})\.json")
_TOOL = regex(rb'"event"\s*:\s*"tool"')
"""A call in bytes that are lost."""
MAX_HEADER = 64 * 1024 * 1024


class Place(Frozen, frozen=True):
    """One sample of a log."""

    id: str
    epoch: int
    member: str = ""
    """Name of its member in an archive."""
    index: int = -1
    """Its index in a JSON log."""
    summary: Mapping[str, Any] = field(default_factory=dict)
    """What the log says about it outside of its own member."""


def names_of(places: list[Place]) -> list[str]:
    """A name for each sample, unique in its log: the id, with the epoch if there are several."""
    times = Counter(place.id for place in places)
    names = UniqueNames()
    return [
        names.next(place.id if times[place.id] == 1 else f"{place.id}_epoch_{place.epoch}")
        for place in places
    ]


def is_archive(folder: Folder, path: str) -> bool:
    """Whether a log is an archive, by its first bytes."""
    with folder.open(path) as stream:
        return stream.read(2) == b"PK"


def samples(folder: Folder, path: str) -> Iterator[Sample | Problem]:
    """Every sample, with what it states."""
    try:
        if is_archive(folder, path):
            with open_archive(folder, path) as archive:
                header, problems = _header(archive, path)
                places = _members(archive)
                yield from problems
                for place, name in zip(places, names_of(places), strict=True):
                    summary = place.summary or _sample_root(archive, place, path)
                    yield Sample(name, stated_of(summary, header))
            return
        loaded = load_listed(folder, path, "samples", _TOOL, typed_log)
        found: list[tuple[Place, Any]] = []
        for index, item in enumerate(loaded.items):
            if isinstance(item, Problem):
                yield item
            elif (whole := short_of(item)) is not None:
                short = {key: value for key, value in whole.items() if key not in _LONG}
                found.append((_place(short, index), short))
        yield from loaded.problems
        names = names_of([place for place, _ in found])
        for (_, item), name in zip(found, names, strict=True):
            yield Sample(name, stated_of(item, loaded.root))
    except ArchiveError as error:
        yield Problem(path, "unreadable", str(error))
    except OSError as error:
        yield Problem(path, "unreadable", f"cannot be read: {error}")


_LONG = frozenset({"messages", "events", "attachments", "store", "input", "output"})


def _place(item: Mapping[str, Any], index: int) -> Place:
    return Place(id_of(item) or f"row-{index + 1}", as_count(item.get("epoch")) or 1, index=index)


@contextmanager
def open_sample(
    folder: Folder, path: str, name: str | None
) -> Iterator[tuple[Listed, Mapping[str, Any]] | Problem]:
    """A sample, with its events as a list, and the header of its log; or a problem.

    Raises ArchiveError, here or while its events are read.
    """
    if not is_archive(folder, path):
        yield _of_json(folder, path, name)
        return
    with open_archive(folder, path) as archive:
        header, problems = _header(archive, path)
        place = _chosen(_members(archive), name, path)
        if isinstance(place, Problem):
            yield place
            return
        loaded = _opened(archive, place, path)
        loaded.problems.extend(problems)
        yield loaded, header


def _of_json(
    folder: Folder, path: str, name: str | None
) -> tuple[Listed, Mapping[str, Any]] | Problem:
    """A sample of a JSON log; its index is found first.

    A log that is not decoded as a whole is read twice, so only one sample is in memory.
    """
    loaded = load_listed(folder, path, "samples", _TOOL, typed_log)
    items = loaded.items if loaded.in_parts else list(loaded.items)
    places = [
        _place(short, index)
        for index, item in enumerate(items)
        if (short := short_of(item)) is not None
    ]
    place = _chosen(places, name, path)
    if loaded.in_parts:
        loaded = load_listed(folder, path, "samples", _TOOL)
        items = loaded.items
    chosen = None
    for index, item in enumerate(items):
        if not isinstance(place, Problem) and index == place.index:
            chosen = item
    if isinstance(place, Problem):
        if loaded.problems:
            return loaded.problems[0]
        return place
    found = None
    if isinstance(chosen, PackedSample):
        found, chosen = typed_sample(bytes(chosen.data)), chosen.data
    if found is None:
        found = from_value(_with_events(value_of(chosen)), path, "events")
    found.problems += loaded.problems
    return found, loaded.root


def _with_events(sample: Any) -> Any:
    """The sample with a list of events: a log may be written without one."""
    return {"events": [], **sample} if isinstance(sample, dict) else sample


def _chosen(places: list[Place], name: str | None, path: str) -> Place | Problem:
    if name is None and len(places) == 1:
        return places[0]
    if name is None:
        reason = (
            "the log has no sample"
            if not places
            else f"the log has {len(places):,} samples; name one by its id"
        )
        return Problem(path, "unrecognised", reason)
    for place, own in zip(places, names_of(places), strict=True):
        if name in (own, f"{place.id}_epoch_{place.epoch}", place.member):
            return place
    return Problem(path, "unrecognised", f"no sample {name!r} in the log")


# --- archives -------------------------------------------------------------------------------


def _header(archive: Archive, path: str) -> tuple[Mapping[str, Any], list[Problem]]:
    """The header; for a run that did not end, what was written at its start."""
    for name in ("header.json", "_journal/start.json"):
        if archive.has(name):
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


def _members(archive: Archive) -> list[Place]:
    """The samples of an archive, by id and epoch."""
    summaries = _summaries(archive)
    places = []
    for member in archive.names():
        found = _MEMBER.fullmatch(member)
        if found is None:
            continue
        epoch = int(found["epoch"])
        summary = summaries.get((found["id"], epoch), {})
        places.append(Place(found["id"], epoch, member, summary=summary))
    places.sort(key=lambda place: (_natural(place.id), place.epoch))
    return places


def _natural(name: str) -> tuple[int, int, str]:
    """Sort key: numbers by value, before names."""
    number = int(name) if name.isascii() and name.isdigit() and len(name) < 19 else -1
    return (0, number, name) if number >= 0 else (1, 0, name)


def _summaries(archive: Archive) -> dict[tuple[str, int], Mapping[str, Any]]:
    found: dict[tuple[str, int], Mapping[str, Any]] = {}
    names = ["summaries.json"] if archive.has("summaries.json") else []
    names = names or [name for name in archive.names() if name.startswith("_journal/summaries/")]
    for name in names:
        rows = _json(archive, name)
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict) and (name_of := id_of(row)) is not None:
                found[name_of, as_count(row.get("epoch")) or 1] = row
    return found


def _opened(archive: Archive, place: Place, path: str) -> Listed:
    size = archive.size(place.member)
    shown = f"{path}#{place.member}"
    loaded = load_opened(
        lambda: archive.open(place.member), size, shown, "events", _TOOL, typed_sample
    )
    if not loaded.root and not loaded.problems:
        return loaded
    if any(problem.reason == "no list of events" for problem in loaded.problems):
        loaded.problems = []  # a log may be written without events
    return loaded


def _sample_root(archive: Archive, place: Place, path: str) -> Mapping[str, Any]:
    """What a sample without a summary says about itself."""
    try:
        loaded = _opened(archive, place, path)
        for _ in loaded.items:
            pass
    except ArchiveError:
        return {"id": place.id, "epoch": place.epoch}
    return {"id": place.id, "epoch": place.epoch, **as_mapping(loaded.root)}
