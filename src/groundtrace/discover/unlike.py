"""Traces of one task and configuration that cannot be attempts of one configuration (D393).

Their own words say so: another model, another harness, an evaluation with other settings. Folders
say where traces lie, not what they ran: a folder of logs of two models became one configuration with
two attempts at each task. And of an evaluation that was resumed, only the last log counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from groundtrace.base.jsonio import clean_text
from groundtrace.base.values import model_name
from groundtrace.discover.found import Skipped
from groundtrace.discover.loose_items import LooseItem

_GIVEN = ("manifest", "--config-name", "--layout", "--config-by")
"""Where a configuration comes from if the user says it."""
_OF_ALL = ("model", "harness")
"""What every trace has, whether it says so or not; a setting that is not given is one of its values."""


def without_resumed(items: list[LooseItem]) -> Iterator[Skipped]:
    """Take out samples of logs that were resumed by a later log, which has them too."""
    last: dict[tuple[str | None, ...], LooseItem] = {}
    copies: dict[int, LooseItem] = {}
    for item in items:
        origin = item.stated.origin
        if origin is None or item.row is not None:
            continue
        key = (origin[0], item.stated.model, item.sample)
        known = last.setdefault(key, item)
        if known.file == item.file and known.parts == item.parts:
            continue
        older, newer = sorted((known, item), key=lambda i: (i.stated.origin or ("", ""))[1])
        last[key] = newer
        copies[id(older)] = newer
    for item in items:
        if id(item) in copies:
            newer = copies[id(item)]
            yield Skipped(item.path, None, f"tried again in {'/'.join(newer.parts)}")
    items[:] = [item for item in items if id(item) not in copies]


def tell_apart(items: Sequence[LooseItem], *, is_given: bool) -> None:
    """Add to configurations what their traces say of themselves, where most tasks with several
    traces have traces that differ in it."""
    if is_given:
        return
    configs: dict[str, list[LooseItem]] = {}
    for item in items:
        if not item.config[1].startswith(_GIVEN):
            configs.setdefault(item.config[0], []).append(item)
    for group in configs.values():
        traits = [_traits(item) for item in group]
        names = dict.fromkeys(name for one in traits for name in one)
        told = [name for name in names if _tells(name, group, traits)]
        for item, own in zip(group, traits, strict=True):
            config, where = item.config
            parts = [own[name] for name in told if own.get(name) and own[name] != config]
            if parts:
                item.config = ("-".join((config, *parts)), f"{where}, and {' and '.join(told)}")


def _tells(name: str, items: Sequence[LooseItem], traits: Sequence[Mapping[str, str]]) -> bool:
    """Whether most tasks that have several traces have them with several values of a trait. A trace
    that names no model, such as one that ended before its first reply, is not of another one."""
    by_task: dict[str, list[str | None]] = {}
    for item, own in zip(items, traits, strict=True):
        assert item.named is not None
        by_task.setdefault(item.named.name, []).append(own.get(name))
    several = [said for said in by_task.values() if len(said) > 1]
    unknown = {None} if name in _OF_ALL else set()
    unlike = [said for said in several if len(set(said) - unknown) > 1]
    return 2 * len(unlike) > len(several)


def _traits(item: LooseItem) -> dict[str, str]:
    """What a trace says of what made it."""
    stated = item.stated
    said = {"model": model_name(stated.model), "harness": stated.harness, **stated.settings}
    return {name: clean_text(text)[:60] for name, text in said.items() if text}
