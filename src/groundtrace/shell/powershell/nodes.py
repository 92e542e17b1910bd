"""The pieces of a PowerShell script, as far as they are followed."""

from __future__ import annotations

import msgspec


class Node(msgspec.Struct, frozen=True):
    """A value, a command or a statement."""


class Literal(Node, frozen=True):
    """Text or a number that the script spells out."""

    value: str | int
    bare: bool = False
    """Not in quotes: a wildcard in it is a pattern, and a leading dash is an option."""


class Joined(Node, frozen=True):
    """Text with values in it: `"line $n of $($f.Name)"`."""

    pieces: tuple[Node, ...]


class Variable(Node, frozen=True):
    """`$name`; `$env:NAME` keeps its drive."""

    name: str


class Array(Node, frozen=True):
    """`a, b, c`."""

    items: tuple[Node, ...]


class Script(Node, frozen=True):
    """Statements in order: a whole script, `( … )`, `$( … )` or `@( … )`."""

    statements: tuple[Node, ...]


class Block(Node, frozen=True):
    """`{ … }`: statements that a command runs, often once for each object."""

    body: Script


class Indexed(Node, frozen=True):
    """`$lines[10..20]`."""

    base: Node
    index: Node


class Member(Node, frozen=True):
    """`$file.FullName`, `$text.Split("x")`, `[IO.File]::ReadAllText($f)`."""

    base: Node
    name: str
    arguments: tuple[Node, ...] | None = None
    """None if it is a property and not a call."""


class Type(Node, frozen=True):
    """`[System.IO.File]`."""

    name: str


class Unary(Node, frozen=True):
    """An operator before a value; `++` and `--` also behind it."""

    operator: str
    value: Node


class Binary(Node, frozen=True):
    """An operator between two values."""

    operator: str
    left: Node
    right: Node


class Hash(Node, frozen=True):
    """`@{ Name = 'x'; Expression = { … } }`: names of its keys, and their values."""

    pairs: tuple[tuple[str, Node], ...]


class Argument(Node, frozen=True):
    """An argument of a command."""

    value: Node | None
    """None for a switch."""
    option: str = ""
    """`Path` of `-Path`; empty for an operand."""
    raw: str = ""
    """As the script spells it; a program that is no cmdlet gets its options in this form."""


class Redirect(Node, frozen=True):
    """`> file`, `2>$null`, `2>&1`."""

    stream: str
    """`1`, `2`, `*` and so on."""
    target: Node | None
    """None if the stream goes into another one."""
    adds: bool = False


class Command(Node, frozen=True):
    """A cmdlet or a program with its arguments."""

    name: Node
    arguments: tuple[Argument, ...] = ()
    redirects: tuple[Redirect, ...] = ()


class Pipeline(Node, frozen=True):
    """Commands or values, each of which gets what the one before it gives."""

    stages: tuple[Node, ...]
    redirects: tuple[Redirect, ...] = ()


class Chain(Node, frozen=True):
    """Pipelines joined by `&&` and `||`."""

    items: tuple[Node, ...]
    operators: tuple[str, ...]


class Assignment(Node, frozen=True):
    """`$name = …`; `operator` is `=`, `+=` and so on."""

    target: Node
    operator: str
    value: Node


class If(Node, frozen=True):
    """Conditions with their bodies; a body without a condition is `else`."""

    branches: tuple[tuple[Node | None, Script], ...]


class ForEach(Node, frozen=True):
    """`foreach ($name in …) { … }`."""

    name: str
    source: Node
    body: Script


class For(Node, frozen=True):
    """`for ($i = 0; $i -lt 9; $i++) { … }`."""

    start: Node | None
    condition: Node | None
    step: Node | None
    body: Script


class Unread(Node, frozen=True):
    """A statement that is not followed: `while`, `switch`, `function`."""

    what: str
    body: Script
