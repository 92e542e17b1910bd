"""The command line, with a small module for each command. Only this package prints and exits."""

from __future__ import annotations

import os
import sys

from groundtrace.base.visible import visible


def echo(text: str, *, err: bool = False, coloured: bool = False) -> None:
    """Print a line at once, on stdout or stderr. `coloured`: leave colours to whoever reads it.

    A usual line needs nothing of click, which knows terminals that cannot show every character, and
    takes colours away where nobody sees them.
    """
    stream = sys.stderr if err else sys.stdout
    encoding = getattr(stream, "encoding", None) or ""
    plain = stream is not None and (text.isascii() or encoding.lower() == "utf-8")
    if not plain or os.name == "nt" or ("\033" in text and not coloured):
        import click

        click.echo(text, err=err, color=coloured or None)
        return
    stream.write(text + "\n")
    stream.flush()


def shown(line: str) -> str:
    """A line that can be printed, whatever text it holds."""
    # Imported only when a message is printed: it compiles a hundred patterns, and --version needs
    # none of them.
    from groundtrace.redact import mask

    return visible(mask(line))


def say(message: str, code: int) -> int:
    """Print a message about a command line or an error; returns the exit code."""
    # Always one line: a folder's name in it can contain a line break.
    echo(f"groundtrace: {shown(message)}", err=True)
    return code
