"""The commands as click has them: help, completion, and what is wrong with a command line.

Loaded unless a line is plain (`from_options.plain_line`).
"""

from __future__ import annotations

from typing import Any

import click

from groundtrace import __version__
from groundtrace.cli import say

EPILOG = """\b
Examples:
  groundtrace demo
  groundtrace run runs/official --tasks benchmarks
  groundtrace run runs/official/my_run --tasks benchmarks --out results
  groundtrace explain runs/official/my_run/baseline/task__abc --tasks benchmarks
  groundtrace report runs/official --format md

\b
Exit codes: 0 done; 1 some trials could not be processed (the others were);
2 wrong usage or unreadable input; 3 nothing found to evaluate."""

COMMANDS = {
    "demo": "Evaluate a small sample and say where its report is.",
    "run": "Normalize, evaluate, analyse and report, in one command.",
    "normalize": "Turn every trial's trace into a retrieval-events document.",
    "evaluate": "Compute metrics of events documents and summaries of runs.",
    "impact": "Compare configurations; relate retrieval to reward and cost.",
    "report": "Write the reports of evaluated runs from their documents.",
    "view": "Look at evaluated runs and their raw traces in a browser.",
    "explain": "Show how the numbers of one trial were computed.",
    "validate": "Check documents against their schema. The name says which schema, or else the content.",
    "export": "Write evaluated runs as tables or as TREC files.",
    "sql": "Query the flat tables of evaluated runs with SQL.",
    "schema": "Print the JSON Schema of a document, or list the documents.",
    "completion": "Print the script for completion in a shell.",
}
"""Command, which is also its module here, to the first lines of its help: `--help` imports no command."""

HELP_NAMES = ["-h", "--help"]
NO_ARGUMENTS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""What click raises for a bare command; before 8.2 it printed the help itself."""


class InOrder(click.Group):
    """A group that lists its commands in the order in which they were given."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


class LazyGroup(click.Group):
    """A group that imports the module of a command only when the command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = __import__(f"groundtrace.cli.{cmd_name}", fromlist=["command"])
        made: Any = module.command
        if not isinstance(made, click.Command):
            from groundtrace.cli.clicked import click_command

            made = click_command(made)
        command: click.Command = made
        # Set here too, for a command that is called directly: its help is the same everywhere.
        command.context_settings.setdefault("help_option_names", HELP_NAMES)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        shown = InOrder(
            commands=[click.Command(name, help=text) for name, text in COMMANDS.items()]
        )
        shown.format_commands(ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1) if args else []
            hint = f" Did you mean {near[0]!r}?" if near else " See 'groundtrace --help'."
            raise click.UsageError(f"no command {args[0]!r}.{hint}", ctx) from error


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": HELP_NAMES})
@click.version_option(__version__, message="groundtrace %(version)s")
def cli() -> None:
    """Did the coding agent find the right code, did it use it, and did that matter?"""


def run(arguments: list[str]) -> Any:
    """What a command line returns; mistakes in it become messages."""
    try:
        return cli.main(args=arguments, prog_name="groundtrace", standalone_mode=False)
    except click.exceptions.Exit as error:
        return error.exit_code
    except NO_ARGUMENTS as error:
        # The message is the help text: print its lines unchanged.
        click.echo(error.format_message(), err=True)
        return int(error.exit_code)
    except click.ClickException as error:
        return say(_click_message(error), error.exit_code)
    except click.Abort as error:
        # click turns every KeyboardInterrupt into an Abort.
        raise error.__cause__ or KeyboardInterrupt from None


def _click_message(error: click.ClickException) -> str:
    """click's message in one line, and where the usage of the command is."""
    said = " ".join(error.format_message().split())
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None or context.parent is None:
        return said
    if said.startswith("Got unexpected extra argument") and _takes_tasks(context.command):
        said += "; tasks are named with --tasks"
    return f"{said.removesuffix('.')}; see '{context.command_path} --help'"


def _takes_tasks(command: click.Command) -> bool:
    """Whether a second folder on the command line is probably the tasks."""
    return any("--tasks" in parameter.opts for parameter in command.params)
