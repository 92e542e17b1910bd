"""The command line: wiring only. Parse, call one library function, print its result.

Errors and exit codes are turned into messages here and nowhere else.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType
from typing import Any

import click

from groundtrace import __version__
from groundtrace.base.visible import visible
from groundtrace.errors import GroundtraceError, OutputError

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

WRITE_INTO_RUNS = ("run", "normalize", "evaluate", "impact", "report")
"""Commands whose results go into RUNS, or below `--out`."""

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
        command: click.Command = module.command
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


GRACE_SECONDS = 10.0
"""How long the process may take to end after a signal."""


class Stopped(KeyboardInterrupt):
    """A signal told the process to end. Files on disk are complete, as after Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def main(arguments: list[str] | None = None) -> None:
    """Entry point: run the command and turn every error into a message and an exit code."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Not if the signal is ignored: nohup asks to go on without a terminal.
        usual = (signal.SIG_DFL, signal.default_int_handler)
        if number is not None and signal.getsignal(number) in usual:
            signal.signal(number, _stop)
    # No product here is large enough for threads of numpy's library, and starting them takes as
    # long as half of importing numpy. Without them, workers can be forked after numpy is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code = invoke(arguments if arguments is not None else sys.argv[1:])
        # The exit code is known now, so nothing may interrupt the end of the program.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt as error:
        code = 128 + error.number if isinstance(error, Stopped) else 130
    if "duckdb" in sys.modules:  # it prints a complaint about objects that are left
        gc.unfreeze()
    else:
        # The end of the process frees everything; looking for unreachable objects once more took a
        # tenth of a run without changes.
        gc.freeze()
    sys.exit(code)


def _stop(number: int, _frame: FrameType | None) -> None:
    # Only once: a second signal must not interrupt the clean-up.
    signal.signal(number, signal.SIG_IGN)
    _end_soon(128 + number)
    raise Stopped(number)


def _end_soon(code: int) -> None:
    """End the process if it is still there after `GRACE_SECONDS`.

    Libraries can lose the exception of a signal: one of fifty Ctrl-C on a busy machine came while
    numpy was loaded, and the run went on. Files on disk are whole at any time.
    """
    import threading

    def end() -> None:
        os.write(2, b"groundtrace: stopped\n")
        os._exit(code)

    timer = threading.Timer(GRACE_SECONDS, end)
    timer.daemon = True
    timer.start()


def invoke(arguments: list[str]) -> int:
    """Run a command line and return its exit code. Exceptions become messages only here."""
    verbose = "-v" in arguments or "--verbose" in arguments
    try:
        result: Any = cli.main(args=arguments, prog_name="groundtrace", standalone_mode=False)
    except click.exceptions.Exit as error:
        return error.exit_code
    except NO_ARGUMENTS as error:
        # The message is the help text: print its lines unchanged.
        click.echo(error.format_message(), err=True)
        return int(error.exit_code)
    except click.ClickException as error:
        return _say(_click_message(error), error.exit_code)
    except OutputError as error:
        where = "; --out DIR writes elsewhere" if arguments[0] in WRITE_INTO_RUNS else ""
        return _fail(error, f"{error}{where}", error.exit_code, verbose)
    except GroundtraceError as error:
        return _fail(error, str(error), error.exit_code, verbose, getattr(error, "place", ""))
    except (click.Abort, KeyboardInterrupt) as error:
        # click turns every KeyboardInterrupt into an Abort.
        cause = error if isinstance(error, Stopped) else error.__cause__
        return _say("stopped", 128 + cause.number if isinstance(cause, Stopped) else 130)
    except BrokenPipeError:
        return _closed_pipe()
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return _fail(error, f"{name}{error.strerror or error}", 2, verbose)
    except Exception as error:  # noqa: BLE001 - the boundary: a traceback never reaches a user
        kind = type(error).__name__
        message = f"internal error: {kind}: {error} (run with -v for the traceback)"
        return _fail(error, message, 1, verbose)
    return result if isinstance(result, int) else 0


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


def _fail(error: BaseException, message: str, code: int, verbose: bool, place: str = "") -> int:
    if verbose:
        import traceback

        for line in "".join(traceback.format_exception(error)).splitlines():
            click.echo(_shown(line), err=True)
    _say(message, code)
    for line in place.splitlines():
        # Keep all blanks: a caret must stay below the text that it points at.
        click.echo(_shown(line), err=True)
    return code


def _shown(line: str) -> str:
    # Imported only when a message is printed: it compiles a hundred patterns, and --version needs
    # none of them.
    from groundtrace.redact import mask

    return visible(mask(line))


def _say(message: str, code: int) -> int:
    # Always one line: a folder's name in it can contain a line break.
    click.echo(f"groundtrace: {_shown(message)}", err=True)
    return code


def _closed_pipe() -> int:
    """The reader of the output, such as `head`, closed the pipe early; that is not an error."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
