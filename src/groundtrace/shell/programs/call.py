"""One program as it was called, and the shell that it can ask.

A handler is a function from a call to the parts that the program prints. It says which options take
a value, so that their values are not taken for operands. Programs that are not in the table print
something unknown; their input still counts as shown if they print.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from groundtrace.base.patterns import regex
from groundtrace.model import FileRef, RootSign
from groundtrace.shell.align.loop import Loop
from groundtrace.shell.programs.environment import Environment
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.part import Opaque, Part, Parts, Write
from groundtrace.shell.streams.text import Text
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.holes import HOLES, has_hole
from groundtrace.shell.syntax.statements import Stage


class Program(msgspec.Struct, frozen=True):
    """One program as data."""

    effect: str
    """What it does with the files that it names: a key of `EFFECTS`, or of `HANDLERS` for programs
    that need code of their own."""
    takes: str = ""
    """Short options with a value, letter by letter: with `n`, the `5` of `-n 5` is not a file."""
    long: frozenset[str] = frozenset()
    """Long options with a value."""
    form: str = ""
    """Where the name is in its lines (`streams.name_lists`)."""
    stop: int | None = None
    """Operands after this many are not files; None: all are."""
    skip: int = 0
    """Number of operands before the command that it runs."""
    speaks: tuple[str, ...] = ()
    """Other names that it uses in error messages: `gzip` for `zcat`."""


if TYPE_CHECKING:
    from tree_sitter import Node


class Options(msgspec.Struct):
    """The arguments of a program: options, values and operands."""

    flags: set[str] = msgspec.field(default_factory=set)
    values: dict[str, list[Word]] = msgspec.field(default_factory=dict)
    operands: list[Word] = msgspec.field(default_factory=list)

    def has(self, *names: str) -> bool:
        """Whether one of these was given."""
        if not self.flags.isdisjoint(names):
            return True
        return bool(self.values) and not self.values.keys().isdisjoint(names)

    def value(self, *names: str) -> str | None:
        """The last value given to one of these."""
        for name in names:
            if name in self.values:
                return self.values[name][-1].text
        return None

    def every(self, *names: str) -> list[Word]:
        """All values given to these, name by name."""
        return [word for name in names for word in self.values.get(name, ())]

    def number(self, *names: str) -> int | None:
        """The last value as a number."""
        text = self.value(*names)
        return int(text) if text is not None and text.isdigit() and len(text) < 10 else None


class Shell(Protocol):
    """The shell as far as the walk has followed it: what programs and expansions may ask of it.

    `walk.walker.Walker` is the only implementation. Programs know only this protocol, so they can
    be read and changed without the walk, which calls them.
    """

    env: Environment
    """Its directory, and what it knows at this point."""
    lines: Sequence[str]
    """The output of the whole command."""
    errors_seen: bool
    """Some program printed an error message."""
    start: str | None
    """Where the command began."""
    missing: frozenset[str]
    """Names that error messages report as missing."""
    absent: frozenset[str]
    """Programs that the shell could not find."""
    idle: frozenset[str]
    """Programs that rejected their options or their script, and did nothing."""
    speakers: frozenset[str]
    """Programs that said that they failed."""
    failed: frozenset[str]
    """Programs that said that they failed and that occur once in the command, so it is known which
    call failed."""
    stopped: Mapping[str, int]
    """Scripts that ended with an exception, and their last line that ran."""
    table: Mapping[str, ProgramEntry]
    """Programs by name, with those that users added."""
    streams: dict[str, tuple[Part, ...]]
    """Holes that stand for captured output, and the parts that would print it."""
    written: dict[str, str]
    """Texts of the files that the command, or the agent before it, wrote, by path."""
    repos: dict[str, None]
    """Repositories that remote readers name, in order."""
    signs: dict[RootSign, None]
    """What the command shows about folders as repositories."""

    def change(self, env: Environment) -> None:
        """Use another environment from here on, as after `cd`."""

    def inside(self, env: Environment) -> AbstractContextManager[None]:
        """Run a part of the command in `env` and forget what it changes."""

    def write(self, path: str, text: str, adds: bool) -> None:
        """Note the text of a file that the command writes, or adds to the end of a file."""

    def hole(self) -> str:
        """A new hole."""

    def hole_for(self, stream: Sequence[Part]) -> str:
        """A hole that stands for captured output."""

    def substitute(self, node: Node) -> str | tuple[Part, ...]:
        """What `$(...)` gives: text if it is known, else the parts that print it."""

    def inner_parts(self, node: Node) -> Parts:
        """Parts of the commands inside a substitution, which is a subshell."""

    def path(self, name: str) -> str | None:
        """The path of a file that a command names; None if it cannot be a file."""

    def command(self, words: Sequence[Word], stdin: Parts | None) -> Parts:
        """A simple command after expansion."""

    def run(self, node: Node, stdin: Parts | None = None) -> Parts:
        """Parts that a statement prints."""

    def run_all(self, nodes: Sequence[Node], stdin: Parts | None = None) -> Parts:
        """Parts that statements print one after another."""

    def run_text(self, source: str, positional: Sequence[Word] = ()) -> Parts:
        """Run a script given as text in a subshell, as `bash -c` does."""

    def run_here(self, source: str) -> Parts:
        """Run a script given as text in this shell, as `source` and `eval` do."""

    def flow(self, items: Sequence[Stage | str], stdin: Parts | None) -> Parts:
        """Stages joined by `|`, `&&` and `||`, in order."""

    def loop(
        self,
        names_of: Sequence[str],
        source: Parts,
        body: Callable[[], Parts],
        globs: tuple[str, ...] = (),
    ) -> Loop:
        """A loop over words that only the output shows."""


_UNKNOWN = Program("unknown")


class Call(msgspec.Struct):
    """One simple command after expansion."""

    shell: Shell
    name: str
    args: list[Word]
    stdin: Parts | None
    program: Program = _UNKNOWN
    """The program's row of the table."""

    @property
    def cwd(self) -> str | None:
        return self.shell.env.cwd

    def options(self) -> Options:
        """The arguments, sorted by the program's row: it says which options take a value."""
        operands: list[Word] = []
        options = Options(operands=operands)
        args, takes, long = self.args, self.program.takes, self.program.long
        at = 0
        while at < len(args):
            word = args[at]
            text = word.text
            at += 1
            if text[:1] != "-" or text == "-" or has_hole(text[1]):
                operands.append(word)
            elif text == "--":
                operands.extend(args[at:])
                break
            elif text.startswith("--"):
                name, equals, value = text.partition("=")
                if equals:
                    options.values.setdefault(name, []).append(replace(word, text=value))
                elif name in long and at < len(args):
                    options.values.setdefault(name, []).append(args[at])
                    at += 1
                else:
                    options.flags.add(name)
            else:
                at = self._short(options, word, at, takes)
        return options

    def _short(self, options: Options, word: Word, at: int, takes: str) -> int:
        letters = word.text[1:]
        for index, letter in enumerate(letters):
            if letter not in takes:
                options.flags.add("-" + letter)
                continue
            rest = letters[index + 1 :]
            if rest:
                options.values.setdefault("-" + letter, []).append(replace(word, text=rest))
            elif at < len(self.args):
                options.values.setdefault("-" + letter, []).append(self.args[at])
                at += 1
            break
        return at

    def opened(self, words: Sequence[Word], rule: str | None = None) -> Parts:
        """Contents of the files that `words` name; of standard input if there are none."""
        if not words:
            return self.stdin if self.stdin is not None else [Opaque(rule=self.name)]
        parts: Parts = []
        for word in words:
            if word.text == "-":
                parts.extend(self.stdin or [])
            elif word.text in self.shell.streams:
                parts.extend(self.shell.streams[word.text])
            elif not word.known:
                parts.append(Content(path=None, spans=None, quiet=True, rule=rule or self.name))
            else:
                path = self.shell.path(word.text)
                if path is not None:
                    parts.append(Content(path=path, rule=rule or self.name))
        return parts

    def writes(self, words: Sequence[Word], restored: bool = False) -> Parts:
        """The files that `words` name are written, or put back as git holds them."""
        paths = [self.shell.path(word.text) for word in words if word.known]
        return [
            Write(path=path, restored=restored, rule=self.name)
            for path in paths
            if path is not None
        ]

    def named(self, words: Sequence[Word], kind: str = "surfaced") -> tuple[FileRef, ...]:
        """The files that `words` name, as references."""
        paths = [self.shell.path(word.text) for word in words if word.known]
        return tuple(FileRef(path, kind, rule=self.name) for path in paths if path is not None)  # type: ignore[arg-type]


Handler = Callable[[Call], Parts]


class ProgramEntry(msgspec.Struct, frozen=True):
    """One program of the table."""

    program: Program
    """Its row of data."""
    handler: Handler
    """What it does."""

    def run(self, call: Call) -> Parts:
        """Parts that the program prints for this call."""
        call.program = self.program
        return self.handler(call)


_SHEBANG = regex(r"#!\s?\S{0,200}?(?:env\s+(?:-S\s+)?)?(?P<name>[a-z]+)[\d.]*(?:\s|$)")


def _runner(call: Call) -> Parts | None:
    """How `./script` runs if the agent wrote it: by its first line, else by the shell."""
    path = call.shell.path(call.name)
    text = None if path is None else call.shell.written.get(path)
    if text is None:
        return None
    shebang = _SHEBANG.match(text)
    name = shebang["name"].rsplit("/", 1)[-1] if shebang else "bash"
    entry = call.shell.table.get(name)
    if entry is None:
        return [Opaque(rule=name)]
    return entry.run(replace(call, name=name, args=[Word(call.name), *call.args]))


def run_command(call: Call) -> Parts:
    """Parts that a simple command prints."""
    name, shell = call.name, call.shell
    if "/" in name or "\\" in name:
        if shell.written and "/" in name:
            runner = _runner(call)
            if runner is not None:
                return runner
        call.name = name = name.lstrip("\\").rsplit("/", 1)[-1]
    if name in shell.absent or name in shell.idle:
        return []
    entry = shell.table.get(name)
    if entry is not None:
        call.program = entry.program
        return entry.handler(call)
    if call.stdin:
        return algebra.derive(call.stdin, name)
    return [Opaque(rule=name, expected=False)] if has_hole(name) else [Opaque(rule=name)]


def words_as_text(shell: Shell, words: Sequence[Word]) -> list[Part]:
    """What a here-string or `echo` feeds: the words, or the stream that they stand for."""
    if len(words) == 1 and words[0].stream is not None:
        return list(words[0].stream)
    text = " ".join(
        [shell.hole_for(word.stream) if word.stream is not None else word.text for word in words]
    )
    return [text_part(shell, text)]


def text_part(shell: Shell, text: str, ended: bool = True, rule: str = "echo") -> Text:
    """A text with the streams that its holes stand for."""
    holes = HOLES.findall(text) if shell.streams else ()
    streams = {hole: shell.streams[hole] for hole in holes if hole in shell.streams}
    lines = text.split("\n")
    if not ended and lines and lines[-1] == "" and len(lines) > 1:
        lines.pop()
        ended = True
    return Text(lines=tuple(lines), streams=streams, unended=not ended, rule=rule)
