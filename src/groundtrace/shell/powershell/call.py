"""One cmdlet as it was called: its parameters, by name, by place, or cut off."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from groundtrace.base.patterns import regex
from groundtrace.shell.powershell import nodes as n
from groundtrace.shell.powershell.state import State
from groundtrace.shell.powershell.values import Objects, number

COMMON = frozenset(
    ["erroraction", "ea", "warningaction", "wa", "informationaction", "infa", "errorvariable", "ev", "outvariable",
     "ov", "warningvariable", "wv", "outbuffer", "ob", "pipelinevariable", "pv", "progressaction"]
)  # fmt: skip
"""Parameters with a value that every cmdlet takes."""
GLOB = regex(r"[*?]|\[[^\]\[]{1,100}\]")
"""A wildcard in a name."""
_QUIET = frozenset(["silentlycontinue", "ignore", "0"])


class Call(msgspec.Struct):
    """One cmdlet as it was called."""

    session: State
    name: str
    cmdlet: Cmdlet
    arguments: Sequence[n.Argument]
    given: Objects | None
    """What the pipeline hands over; None if it is the first command."""
    values: dict[str, Objects] = {}
    switches: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        values: dict[str, Objects] = {}
        switches: set[str] = set()
        loose: list[Objects] = []
        known = self.cmdlet.takes | COMMON
        at = 0
        while at < len(self.arguments):
            argument = self.arguments[at]
            at += 1
            if not argument.option:
                loose.append(self._value(argument))
                continue
            name = _full(argument.option.lower(), self.cmdlet)
            if argument.value is not None:
                values[name] = self._value(argument)
            elif name in known and at < len(self.arguments) and not self.arguments[at].option:
                values[name] = self._value(self.arguments[at])
                at += 1
            else:
                switches.add(name)
        places = [name for name in self.cmdlet.places if name not in values]
        for name, objects in zip(places, loose, strict=False):
            values[name] = objects
        for objects in loose[len(places) :]:
            if places and self.cmdlet.rest:
                values[places[-1]] = [*values[places[-1]], *objects]
        self.values, self.switches = values, frozenset(switches)

    def _value(self, argument: n.Argument) -> Objects:
        return [] if argument.value is None else self.session.value(argument.value)

    def has(self, *names: str) -> bool:
        """Whether one of these parameters was given."""
        return any(name in self.values or name in self.switches for name in names)

    def number(self, *names: str) -> int | None:
        """The number that a parameter was given."""
        return next((number(self.values[name]) for name in names if name in self.values), None)

    def texts(self, *names: str) -> list[str]:
        """The texts that a parameter was given."""
        objects = next((self.values[name] for name in names if name in self.values), [])
        return self.session.texts(objects)

    @property
    def quiet(self) -> bool:
        """Its errors are not shown."""
        return any(text.lower() in _QUIET for text in self.texts("erroraction", "ea"))

    def files(self) -> Objects:
        """What its path parameters name: texts, or objects of the pipeline."""
        for name in ("path", "literalpath", "filepath"):
            if name in self.values:
                return self.values[name]
        return list(self.given or [])


Handler = Callable[[Call], Objects]


class Cmdlet(msgspec.Struct, frozen=True):
    """One cmdlet as data."""

    handler: Handler
    takes: frozenset[str] = frozenset()
    """Parameters with a value."""
    places: tuple[str, ...] = ("path",)
    """The parameters that values without a name belong to, in order."""
    switches: frozenset[str] = frozenset()
    """Parameters without a value, if one of them could be taken for another parameter."""
    also: dict[str, str] = {}
    """Other names of parameters."""
    rest: bool = False
    """More values belong to the last place."""


def _full(name: str, cmdlet: Cmdlet) -> str:
    """The whole name of a parameter, which may be cut off or another name for it."""
    known = cmdlet.takes | cmdlet.switches | COMMON
    if name in cmdlet.also:
        return cmdlet.also[name]
    if name in known:
        return name
    longer = sorted(other for other in known | cmdlet.also.keys() if other.startswith(name))
    return cmdlet.also.get(longer[0], longer[0]) if longer else name
