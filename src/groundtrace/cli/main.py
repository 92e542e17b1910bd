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

from groundtrace.cli import echo, say, shown
from groundtrace.errors import GroundtraceError, OutputError

WRITE_INTO_RUNS = ("run", "normalize", "evaluate", "impact", "report")
"""Commands whose results go into RUNS, or below `--out`, each in the module of its name."""

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
        result = _run(arguments)
    except OutputError as error:
        where = "; --out DIR writes elsewhere" if arguments[0] in WRITE_INTO_RUNS else ""
        return _fail(error, f"{error}{where}", error.exit_code, verbose)
    except GroundtraceError as error:
        return _fail(error, str(error), error.exit_code, verbose, getattr(error, "place", ""))
    except KeyboardInterrupt as error:
        return say("stopped", 128 + error.number if isinstance(error, Stopped) else 130)
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


def _run(arguments: list[str]) -> Any:
    """What a command line returns: read here if it is plain, else by click."""
    values = None
    # On Windows click replaces patterns such as `*` by names of files.
    if arguments and arguments[0] in WRITE_INTO_RUNS and os.name != "nt" and not _completes():
        from groundtrace.cli.from_options import plain_line

        module = __import__(f"groundtrace.cli.{arguments[0]}", fromlist=["command"])
        values = plain_line(module.command, arguments[1:])
    if values is None:
        from groundtrace.cli.group import run

        return run(arguments)
    try:
        return module.command.call(values)
    except KeyboardInterrupt:
        echo("", err=True)  # the line in which the terminal shows ^C ends
        raise
    except BrokenPipeError:
        _closed_pipe()
        return 1  # as click does


def _completes() -> bool:
    """Whether a shell asks for completion."""
    return bool(os.environ.get("_GROUNDTRACE_COMPLETE"))


def _fail(error: BaseException, message: str, code: int, verbose: bool, place: str = "") -> int:
    if verbose:
        import traceback

        for line in "".join(traceback.format_exception(error)).splitlines():
            echo(shown(line), err=True)
    say(message, code)
    for line in place.splitlines():
        # Keep all blanks: a caret must stay below the text that it points at.
        echo(shown(line), err=True)
    return code


def _closed_pipe() -> int:
    """The reader of the output, such as `head`, closed the pipe early; that is not an error."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # `>&-` closes it
                stream.flush()
        except BrokenPipeError:  # what is left in it would be an error when the program ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return 0
