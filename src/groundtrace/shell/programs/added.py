"""Programs that users add in groundtrace.toml (`[shell.commands.NAME]`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundtrace.base.suggest import unknown_name
from groundtrace.errors import UsageError
from groundtrace.shell.programs.call import Call, Handler, ProgramEntry
from groundtrace.shell.programs.program import Program
from groundtrace.shell.streams.part import Opaque, Parts

_KEYS = ("like", "kind", "operands", "value_options")
_KINDS = ("read", "matched", "surfaced", "written", "nothing", "prefix")
_PLACES = ("all", "first", "last", "rest")


def added_programs(
    commands: Mapping[str, Mapping[str, Any]], table: Mapping[str, ProgramEntry]
) -> dict[str, ProgramEntry]:
    """Entries for the commands of groundtrace.toml.

    `like` names a command of the table that the new one behaves like. Otherwise these keys describe
    it:

    - `kind`: what happens to the files it names (`prefix`: it runs the command that follows);
    - `operands`: which of its operands are files (all, first, last, rest: all but the first);
    - `value_options`: which of its options take a value.
    """
    return {name: _added(name, spec, table) for name, spec in commands.items()}


def _added(name: str, spec: Mapping[str, Any], table: Mapping[str, ProgramEntry]) -> ProgramEntry:
    where = f"shell.commands.{name}"
    for key in spec:
        if key not in _KEYS:
            raise UsageError(f"{where}: {unknown_name('key', str(key), _KEYS)}")
    like = spec.get("like")
    if like is not None:
        if not isinstance(like, str) or like not in table:
            raise UsageError(
                f"{where}.like: {unknown_name('command', str(like), sorted(table), listed=False)}"
            )
        return table[like]
    kind, place = spec.get("kind"), spec.get("operands", "all")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise UsageError(f"{where}.kind: {unknown_name('kind', str(kind), _KINDS)}")
    if not isinstance(place, str) or place not in _PLACES:
        raise UsageError(f"{where}.operands: {unknown_name('value', str(place), _PLACES)}")
    options = spec.get("value_options", [])
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise UsageError(f"{where}.value_options must be a list of strings")
    short = "".join(option[1:] for option in options if len(option) == 2)
    long = frozenset(option for option in options if len(option) > 2)
    return ProgramEntry(Program("added", short, long), _handler(kind, place))


def _handler(kind: str, place: str) -> Handler:
    def handle(call: Call) -> Parts:
        given = call.options().operands
        if kind == "prefix":
            return call.shell.command(given, call.stdin)
        words = {"all": given, "first": given[:1], "last": given[-1:], "rest": given[1:]}[place]
        if kind == "written":
            return call.writes(words)
        if kind == "nothing":
            return [Opaque(rule=call.name, expected=False)]
        if kind == "read":
            return call.opened(words)
        return [Opaque(shows=call.named(words, kind), rule=call.name)]

    return handle
