"""The table of options: what a row says is true on every surface, and an option is one row."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Unpack, get_args

import click
import pytest
from click.testing import CliRunner

import groundtrace
from groundtrace import api, config
from groundtrace import options as option_table
from groundtrace.base.shapes import Limits
from groundtrace.cli import from_options, group
from groundtrace.cli.clicked import ClickCommand, click_command
from groundtrace.config import Settings
from groundtrace.documents import SCHEMA_VERSION, SCHEMA_VERSIONS
from groundtrace.impact.options import ImpactOptions
from groundtrace.options import GROUPS, Option, OptionRow, RunOptions, rows_of
from groundtrace.runs.engine import ENGINES, EngineOptions
from groundtrace.runs.output_folders import REPORTS
from groundtrace.runs.prepare import impact_options_for, settings_for
from groundtrace.runs.request import Request

SOURCE = Path(groundtrace.__file__).parent
TERMINAL = {"json", "quiet", "verbose", "no_progress", "dry_run"}
"""Options for which a function has no use: it returns its result and prints nothing."""
FUNCTIONS = {"run": "run", "compare": "impact", "evaluate_trial": "explain", "load_table": "sql"}
"""Function of the API to the command that takes the same options."""
ROWS = rows_of(RunOptions)


def commands() -> dict[str, ClickCommand]:
    context = click.Context(group.cli)
    found = {name: group.cli.get_command(context, name) for name in group.COMMANDS}
    return {name: made for name, made in found.items() if isinstance(made, ClickCommand)}


EVERY = [(name, row) for name, made in commands().items() for row in made.rows.values()]


def test_every_command_with_flags_takes_them_from_the_table() -> None:
    assert set(group.COMMANDS) - set(commands()) == {"schema", "completion"}
    for made in commands().values():
        flags = {one.name for one in made.params if isinstance(one, click.Option)}
        assert flags == set(made.rows)


@pytest.mark.parametrize(("command", "row"), EVERY, ids=lambda one: getattr(one, "flag", one))
def test_a_row_is_true_of_its_command(command: str, row: OptionRow) -> None:
    flag = next(one for one in commands()[command].params if one.name == row.name)
    assert isinstance(flag, click.Option)
    short = [row.option.short] if row.option.short else []
    assert flag.opts == [*short, "--" + row.name.replace("_", "-")]
    assert row.option.group in GROUPS
    assert not row.option.help.endswith(".") and (flag.help or "").endswith(".")
    assert "default" not in row.option.help, "the default is added"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_takes_what_its_command_takes(function: str) -> None:
    made = getattr(groundtrace, function)
    keywords = set(inspect.signature(made).parameters) - {"runs", "trial", "name", "settings"}
    taken = set(commands()[FUNCTIONS[function]].rows)
    assert keywords <= taken and keywords == set(rows_of(option_table.taken_by(made)))
    if function == "run":
        assert taken - keywords == TERMINAL


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)
def test_an_option_that_sets_a_setting_allows_what_the_setting_allows(row: OptionRow) -> None:
    if row.option.sets is None:
        return
    shape, at = config.FIELDS[row.option.sets]
    for name in ("kind", "many", "choices"):
        assert getattr(shape, name) == getattr(row.shape, name)
    assert at.limits == row.option.limits


def names_read() -> set[str]:
    """Names that code takes out of `given`: `given["x"]`, `given.get("x")`, `"x" in given`."""
    found = set()
    for path in (*(SOURCE / "cli").glob("*.py"), SOURCE / "api.py", SOURCE / "runs/prepare.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            read: list[ast.expr] = []
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                read = [node.slice]
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get":
                read = node.args[:1]
            found |= {one.value for one in read if isinstance(one, ast.Constant)}
    return found


def test_every_option_arrives_somewhere() -> None:
    """An option that no code reads is a flag that does nothing."""
    records = {one.name for made in (ImpactOptions, Request) for one in fields(made)}
    read = names_read()
    lost = {
        row.flag
        for _, row in EVERY
        if row.option.sets is None and row.name not in records and row.name not in read
    }
    assert lost == set()
    assert {"jobs", "scheduler"} <= {one.name for one in fields(EngineOptions)}


def test_what_the_table_repeats_is_the_same() -> None:
    """Values that the table cannot import: it would load half of the package."""
    from groundtrace.view.server import PORT

    assert ROWS["engine"].shape.choices == tuple(ENGINES)
    assert ROWS["format"].shape.choices == tuple(REPORTS)
    assert get_args(config.SchemaVersion) == SCHEMA_VERSIONS
    assert Settings().schema_version == SCHEMA_VERSION
    assert commands()["view"].rows["port"].option.default == PORT
    assert (ImpactOptions().seed, ImpactOptions().draws) == (
        ROWS["seed"].option.default,
        ROWS["draws"].option.default,
    )


@from_options.command("probe")
def probe(**given: Unpack[RunOptions]) -> dict[str, Any]:
    """Gives back what it was given."""
    return dict(given)


@api.with_options
def keywords(**given: Unpack[RunOptions]) -> dict[str, Any]:
    """The same for a function."""
    return dict(given)


def other_than_default(row: OptionRow) -> Any:
    """A value that is allowed and not the default."""
    if row.shape.kind is bool:
        return True
    if row.shape.kind in {int, float}:
        return row.shape.kind((row.option.limits.least or 0) + 7)
    if row.name == "config_by":  # a few words, or `tool:` and any name
        return "tool:word"
    return row.shape.choices[-1] if row.shape.choices[1:] else "word"


def flags_for(row: OptionRow, value: Any) -> list[str]:
    return [row.flag] if value is True else [row.flag, str(value)]


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)
def test_a_flag_and_a_keyword_give_the_same(row: OptionRow) -> None:
    value = other_than_default(row)
    by_flag = click_command(probe).main(flags_for(row, value), standalone_mode=False)
    plain = click_command(probe).main([], standalone_mode=False)
    by_keyword = keywords(**{row.name: value})
    assert by_keyword.keys() == {row.name}
    assert {name for name in by_flag if by_flag[name] != plain.get(name)} <= {row.name}
    assert by_flag[row.name] == by_keyword[row.name]
    if row.name in {"prices", "reader", "repos", "primary"}:
        return  # they name files, folders and metrics
    settings = settings_for(by_flag, Settings())
    assert settings == settings_for(by_keyword, Settings())
    found = impact_options_for(by_flag, settings)
    assert found == impact_options_for(by_keyword, settings)
    if row.option.sets is not None and value != row.option.default:
        assert getattr(settings, row.option.sets) in (value, (value,))
    elif row.name in {one.name for one in fields(ImpactOptions)}:
        assert getattr(found, row.name) == value != getattr(ImpactOptions(), row.name)


def test_options_that_are_not_given_change_nothing() -> None:
    """Flags that are not given leave the settings of the file, and so do keywords of None."""
    ours = Settings(shell="ignore", baseline="a", mcp_servers=("b",), mask=False, trial_seconds=5)
    nothing: Mapping[str, Any] = dict.fromkeys(ROWS, None)
    for given in (click_command(probe).main([], standalone_mode=False), keywords(**nothing), {}):
        assert settings_for(given, ours) == ours
        assert impact_options_for(given, ours) == ImpactOptions(baseline="a")
    assert settings_for({"no_mask": False}, Settings()).mask


def test_old_names_of_keywords_still_work() -> None:
    assert keywords(primaries=["mrr"], formats=["md"]) == {  # type: ignore[arg-type]
        "primary": ("mrr",),
        "format": ("md",),
    }


class Added(RunOptions, total=False):
    """The table with a new row."""

    patience: Annotated[
        int | None,
        Option("speed", "How long to wait", "HOURS", otherwise="a day", limits=Limits(least=1)),
    ]


def test_a_new_option_is_one_row() -> None:
    """With a row an option is a flag, a keyword, a line of help and a check."""

    @from_options.command("added")
    def command(**given: Unpack[Added]) -> Any:
        return given.get("patience")

    @api.with_options
    def function(**given: Unpack[Added]) -> Any:
        return given.get("patience")

    assert click_command(command).main(["--patience", "3"], standalone_mode=False) == 3
    assert click_command(command).main([], standalone_mode=False) is None
    assert function(patience=3) == 3
    assert inspect.signature(function).parameters["patience"].default is None
    shown = CliRunner().invoke(click_command(command), ["--help"], terminal_width=100).output
    speed = shown.partition("Speed options:")[2].partition("Output options:")[0]
    assert "--patience HOURS" in speed and "How long to wait; default: a day.  [x>=1]" in speed
    with pytest.raises(groundtrace.GroundtraceError, match="patience must be a whole number"):
        function(patience=0)
    with pytest.raises(click.BadParameter):
        click_command(command).main(["--patience", "0"], standalone_mode=False)
