"""Flags are typed: none is forgotten on its way from the command line to the work."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from groundtrace.cli import main, options

GROUPS = {
    name: made
    for name, made in vars(options).items()
    if is_dataclass(made) and made.__module__ == options.__name__
}
CLI = Path(options.__file__).parent


def commands() -> dict[str, click.Command]:
    context = click.Context(main.cli)
    found = {name: main.cli.get_command(context, name) for name in main.COMMANDS}
    return {name: command for name, command in found.items() if command is not None}


def test_the_list_of_commands_says_what_each_says_of_itself() -> None:
    """`--help` shows the lines of a table, so that it imports no command."""
    assert list(main.FIRST_LINES) == list(main.COMMANDS)
    for name, command in commands().items():
        first = inspect.cleandoc(command.help or "").partition("\n\n")[0]
        assert " ".join(first.split()) == main.FIRST_LINES[name]
        assert not (command.hidden or command.deprecated or command.short_help)


@dataclass(frozen=True)
class Pair:
    left: str | None
    right: bool


LEFT = click.option("--left")
RIGHT = click.option("--right", is_flag=True)


def test_a_group_reaches_the_command_as_one_object() -> None:
    seen: list[Any] = []

    @click.command()
    @click.argument("first")
    @options.group("pair", Pair, LEFT, RIGHT)
    def command(first: str, pair: Pair) -> None:
        seen.append((first, pair))

    command.main(["a", "--left", "b", "--right"], standalone_mode=False)
    assert seen == [("a", Pair("b", True))]
    assert [parameter.name for parameter in command.params] == ["first", "left", "right"]


@pytest.mark.parametrize(
    "flags", [(LEFT,), (LEFT, RIGHT, click.option("--forgotten")), (LEFT, click.option("--wright"))]
)
def test_a_flag_without_a_field_and_a_field_without_a_flag_stop_the_import(flags: Any) -> None:
    with pytest.raises(TypeError, match="Pair and its flags differ"):
        options.group("pair", Pair, *flags)


def test_every_command_takes_each_of_its_flags_and_nothing_else() -> None:
    """A command once took `**flags`, where a misspelt name was a flag that nobody had given."""
    assert set(commands()) == set(main.COMMANDS)
    for name, command in commands().items():
        assert command.callback is not None
        parameters = inspect.signature(inspect.unwrap(command.callback), eval_str=True).parameters
        taken: set[str] = set()
        for parameter in parameters.values():
            assert parameter.kind is not parameter.VAR_KEYWORD, name
            if parameter.annotation in GROUPS.values():
                taken |= {field.name for field in fields(parameter.annotation)}
            else:
                taken.add(parameter.name)
        given = {parameter.name for parameter in command.params if parameter.expose_value}
        assert given == taken, name


def test_every_flag_of_a_group_is_read_somewhere() -> None:
    """A field that no code reads is a flag that does nothing."""
    read = {
        node.attr
        for path in CLI.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    assert len(GROUPS) == 5
    unread = [
        f"{name}.{field.name}"
        for name, made in GROUPS.items()
        for field in fields(made)
        if field.name not in read
    ]
    assert unread == []
