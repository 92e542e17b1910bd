"""The table of commands: what each program reads, finds, lists or writes.

An entry is a function from a call to the parts that it prints, and the options of the program
that take a value, so that operands are not mistaken. Programs that are not in the table print
something unknown; what they are fed still counts as shown when they print.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from groundtrace.errors import UsageError
from groundtrace.model import FileRef
from groundtrace.suggest import unknown_name
from groundtrace.tools.shell import lines as algebra
from groundtrace.tools.shell.parts import Content, Opaque, Part, Write
from groundtrace.tools.shell.words import HOLES, Word

if TYPE_CHECKING:
    from groundtrace.tools.shell.walk import Walker

Parts = list[Part]


class Options(msgspec.Struct):
    """The arguments of a program, sorted out."""

    flags: set[str] = msgspec.field(default_factory=set)
    values: dict[str, list[Word]] = msgspec.field(default_factory=dict)
    operands: list[Word] = msgspec.field(default_factory=list)

    def has(self, *names: str) -> bool:
        """Whether one of these was given."""
        return not (self.flags.isdisjoint(names) and self.values.keys().isdisjoint(names))

    def value(self, *names: str) -> str | None:
        """The last value given to one of these."""
        for name in names:
            if name in self.values:
                return self.values[name][-1].text
        return None

    def number(self, *names: str) -> int | None:
        """The last value as a number."""
        text = self.value(*names)
        return int(text) if text is not None and text.isdigit() and len(text) < 10 else None


class Call(msgspec.Struct):
    """One simple command after expansion."""

    walker: Walker
    name: str
    args: list[Word]
    stdin: Parts | None

    @property
    def cwd(self) -> str | None:
        return self.walker.cwd

    def options(self, takes: str = "", long: frozenset[str] = frozenset()) -> Options:
        """Arguments by the program's grammar: `takes` are the short options with a value."""
        found = Options()
        args = self.args
        at = 0
        while at < len(args):
            word = args[at]
            text = word.text
            at += 1
            if text == "--":
                found.operands.extend(args[at:])
                break
            if text.startswith("--") and len(text) > 2:
                name, equals, value = text.partition("=")
                if equals:
                    found.values.setdefault(name, []).append(replace(word, text=value))
                elif name in long and at < len(args):
                    found.values.setdefault(name, []).append(args[at])
                    at += 1
                else:
                    found.flags.add(name)
            elif text.startswith("-") and len(text) > 1 and not HOLES.search(text[:2]):
                at = self._short(found, word, at, takes)
            else:
                found.operands.append(word)
        return found

    def _short(self, found: Options, word: Word, at: int, takes: str) -> int:
        letters = word.text[1:]
        for index, letter in enumerate(letters):
            if letter not in takes:
                found.flags.add("-" + letter)
                continue
            rest = letters[index + 1 :]
            if rest:
                found.values.setdefault("-" + letter, []).append(replace(word, text=rest))
            elif at < len(self.args):
                found.values.setdefault("-" + letter, []).append(self.args[at])
                at += 1
            break
        return at

    def opened(self, words: Sequence[Word], rule: str | None = None) -> Parts:
        """Contents of the files that `words` name; of standard input where there are none."""
        if not words:
            return self.stdin if self.stdin is not None else [Opaque(rule=self.name)]
        parts: Parts = []
        for word in words:
            if word.text == "-":
                parts.extend(self.stdin or [])
            elif word.text in self.walker.streams:
                parts.extend(replace(part) for part in self.walker.streams[word.text])
            elif not word.known:
                parts.append(Content(path=None, spans=None, quiet=True, rule=rule or self.name))
            else:
                path = self.walker.path(word.text)
                if path is not None:
                    parts.append(Content(path=path, rule=rule or self.name))
        return parts

    def writes(self, words: Sequence[Word]) -> Parts:
        """The files that `words` name are written."""
        paths = [self.walker.path(word.text) for word in words if word.known]
        return [Write(path=path, rule=self.name) for path in paths if path is not None]

    def named(self, words: Sequence[Word], kind: str = "surfaced") -> tuple[FileRef, ...]:
        """The files that `words` name, as references."""
        paths = [self.walker.path(word.text) for word in words if word.known]
        return tuple(FileRef(path, kind, rule=self.name) for path in paths if path is not None)  # type: ignore[arg-type]


Handler = Callable[[Call], Parts]


class Entry(msgspec.Struct, frozen=True):
    """One program of the table."""

    handler: Handler
    """What it does."""


def run_command(call: Call) -> Parts:
    """Parts that a simple command prints."""
    name = call.name.lstrip("\\").rsplit("/", 1)[-1]
    call.name = name
    entry = call.walker.table.get(name)
    if entry is not None:
        return entry.handler(call)
    if call.stdin:
        return algebra.derive(call.stdin, name)
    return [Opaque(rule=name, expected=False)] if HOLES.search(name) else [Opaque(rule=name)]


# --- commands that users add ----------------------------------------------------------------

_KEYS = ("like", "kind", "operands", "value_options")
_KINDS = ("read", "matched", "surfaced", "written", "nothing", "prefix")
_PLACES = ("all", "first", "last", "rest")


def added(
    commands: Mapping[str, Mapping[str, Any]], table: Mapping[str, Entry]
) -> dict[str, Entry]:
    """Entries for the commands of groundtrace.toml.

    `like` names a command of the table that the new one behaves as. Otherwise `kind` says what
    happens to the files it names (`prefix`: it runs the command that follows), `operands` which of
    its operands they are (all, first, last, rest: all but the first), and `value_options` which of
    its options take a value.
    """
    return {name: _added(name, spec, table) for name, spec in commands.items()}


def _added(name: str, spec: Mapping[str, Any], table: Mapping[str, Entry]) -> Entry:
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
    return Entry(_handler(kind, place, short, long))


def _handler(kind: str, place: str, short: str, long: frozenset[str]) -> Handler:
    def handle(call: Call) -> Parts:
        given = call.options(short, long).operands
        if kind == "prefix":
            return call.walker.command(given, call.stdin)
        words = {"all": given, "first": given[:1], "last": given[-1:], "rest": given[1:]}[place]
        if kind == "written":
            return call.writes(words)
        if kind == "nothing":
            return [Opaque(rule=call.name, expected=False)]
        if kind == "read":
            return call.opened(words)
        return [Opaque(shows=call.named(words, kind), rule=call.name)]

    return handle
