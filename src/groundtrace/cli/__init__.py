"""The command line, with a small module for each command. Only this package prints and exits."""

from __future__ import annotations

import os
import sys


def echo(text: str, *, err: bool = False, coloured: bool = False) -> None:
    """Print a line at once, on stdout or stderr. `coloured`: leave colours to whoever reads it.

    A usual line needs nothing of click, which knows terminals that cannot show every character, and
    takes colours away where nobody sees them.
    """
    stream = sys.stderr if err else sys.stdout
    plain = stream is not None and (text.isascii() or stream.encoding.lower() == "utf-8")
    if not plain or os.name == "nt" or ("\033" in text and not coloured):
        import click

        click.echo(text, err=err, color=coloured or None)
        return
    stream.write(text + "\n")
    stream.flush()
