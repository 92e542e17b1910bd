"""Help: the list of commands, and flags in groups. What flags do: tests/test_options.py."""

from __future__ import annotations

import inspect
import re

import click
import pytest
from click.testing import CliRunner

from groundtrace.cli import group
from groundtrace.options import GROUPS


def commands() -> dict[str, click.Command]:
    context = click.Context(group.cli)
    found = {name: group.cli.get_command(context, name) for name in group.COMMANDS}
    return {name: command for name, command in found.items() if command is not None}


def test_the_list_of_commands_says_what_each_says_of_itself() -> None:
    """`--help` shows the lines of a table, so that it imports no command."""
    assert list(group.COMMANDS) == list(commands())
    for name, command in commands().items():
        first = inspect.cleandoc(command.help or "").partition("\n\n")[0]
        assert " ".join(first.split()) == group.COMMANDS[name]
        assert not (command.hidden or command.deprecated or command.short_help)


def headings(command: str) -> list[str]:
    shown = CliRunner().invoke(group.cli, [command, "--help"], terminal_width=100).output
    return re.findall(r"^([A-Z]\w+)(?: options|):$", shown, re.MULTILINE)


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("run", [group.capitalize() for group in GROUPS]),
        ("evaluate", ["Input", "Speed", "Output"]),
        ("explain", ["Input", "Truth", "Output"]),
        ("validate", ["Options"]),
        ("schema", ["Options"]),
    ],
)
def test_flags_are_shown_in_groups(command: str, wanted: list[str]) -> None:
    assert headings(command) == wanted


@pytest.mark.parametrize("command", group.COMMANDS)
def test_every_flag_is_shown_once(command: str) -> None:
    shown = CliRunner().invoke(group.cli, [command, "--help"], terminal_width=100).output
    listed = re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, re.MULTILINE)
    flags = [one for one in commands()[command].params if isinstance(one, click.Option)]
    assert sorted(listed) == sorted([*(one.opts[-1] for one in flags), "--help"])


def test_texts_start_in_one_column() -> None:
    shown = CliRunner().invoke(group.cli, ["run", "--help"], terminal_width=100).output
    columns = {
        match.start(1) for line in shown.splitlines() if (match := re.match(r"  -.*?  +(\S)", line))
    }
    assert len(columns) == 1
