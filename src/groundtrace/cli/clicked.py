"""Commands as click takes them: flags made from the table in `options.py`, and help in groups."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any

import click

from groundtrace.base.shapes import Limits, checked
from groundtrace.cli.completion import NAMES
from groundtrace.cli.from_options import ARCHIVES, Command
from groundtrace.errors import UsageError
from groundtrace.options import GROUPS, OptionRow


class ClickCommand(click.Command):
    """A command whose help shows its flags in groups."""

    rows: Mapping[str, OptionRow] = {}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the flags, group by group, in one common column."""
        groups: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, click.Option) and record is not None:
                row = self.rows.get(parameter.name or "")
                groups["output" if row is None else row.option.group].append(record)
        shown = {group: records for group, records in groups.items() if records}
        widest = max(len(record[0]) for records in shown.values() for record in records)
        for group, records in shown.items():
            # click makes the column of a section as wide as its longest flag, up to 30 characters.
            (flag, text), *others = records
            padded = [(flag.ljust(min(widest, 30)), text), *others]
            heading = "Options" if len(shown) == 1 else f"{group.capitalize()} options"
            with formatter.section(heading):
                formatter.write_dl(padded)


def click_command(made: Command) -> ClickCommand:
    """The same command for click."""

    @wraps(made.function)
    def with_given(**values: Any) -> Any:
        return made.call(values)

    parameters: list[click.Parameter] = [flag_of(row) for row in made.rows.values()]
    if made.takes_runs:
        parameters.append(click.Argument(["runs"], metavar="RUNS", callback=_no_archive))
    found = click.command(made.name, cls=ClickCommand, params=parameters)(with_given)
    found.rows = made.rows
    return found


def flag_of(row: OptionRow) -> click.Option:
    """The flag of an option."""
    option, shape = row.option, row.shape
    several = shape.many and not option.commas
    words = [
        option.help,
        "repeatable" if several else "",
        row.default and f"default: {row.default}",
    ]
    return click.Option(
        [*([option.short] if option.short else []), row.flag, row.name],
        type=None if shape.kind is bool else _type(row),
        is_flag=shape.kind is bool,
        multiple=several,
        required=option.required,
        default=False if shape.kind is bool else option.default,
        metavar=option.metavar,
        callback=_commas(row) if option.commas else None,
        help="; ".join(word for word in words if word) + ".",
        shell_complete=NAMES.get(row.name),
    )


_LOCATION = click.Path(readable=False)
"""One for all flags: each looks for a translation of its name, which takes as long as the flag."""


def _type(row: OptionRow) -> click.ParamType[Any]:
    """How a value is read from the command line."""
    limits = row.option.limits
    if row.shape.choices and not row.option.commas:
        return click.Choice(row.shape.choices)
    if row.shape.kind is os.PathLike:
        return _LOCATION
    if row.shape.kind is str:
        return click.STRING
    if limits == Limits():
        return click.INT if row.shape.kind is int else click.FLOAT
    made = click.IntRange if row.shape.kind is int else click.FloatRange
    least = limits.least if limits.above is None else limits.above
    return made(min=least, max=limits.most, min_open=limits.above is not None)


def _commas(row: OptionRow) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """The values in one, such as `md,html`."""

    def split(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Any:
        parts = [part.strip() for part in (value or "").split(",") if part.strip()]
        if value is not None and not parts:
            raise click.BadParameter(f"{value!r}: choose from {', '.join(row.shape.choices)}")
        try:
            return checked(row.shape, dict.fromkeys(parts).keys(), row.name, row.option.limits)
        except UsageError as error:
            raise click.BadParameter(str(error)) from error

    return split


def _no_archive(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """`value`, unless it is an archive: “no trials found” did not say what to do."""
    if value.lower().endswith(ARCHIVES) and Path(value).is_file():
        raise click.BadParameter(f"{value} is an archive; unpack it and name the folder")
    return value
