"""`groundtrace validate`: documents against their schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypedDict, Unpack

import click

from groundtrace.cli import from_options
from groundtrace.options import Option, Tracebacks


class Validate(TypedDict, total=False):
    """Flags of this command."""

    quiet: Annotated[bool, Option("output", "Print only invalid files", short="-q")]
    verbose: Tracebacks


@from_options.command("validate")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
def command(files: tuple[Path, ...], **given: Unpack[Validate]) -> int:
    """Check documents against their schema. The name says which schema, or else the content.

    Exit 0: all valid; 1: at least one is invalid; 2: at least one cannot be read.

    \b
    Examples:
      groundtrace validate runs/official/my_run/retrieval_events/*/*.json
      groundtrace schema retrieval_events
    """
    from groundtrace.base.given_files import read_given
    from groundtrace.base.limit import OverLimitError, guarded
    from groundtrace.cli.terminal import print_message, print_result
    from groundtrace.documents.codec import decode, kind_of_file
    from groundtrace.errors import InputError, VersionError
    from groundtrace.runs.read import MAX_DOCUMENT

    worst = 0
    for path in files:
        try:
            data = read_given(path, MAX_DOCUMENT)
        except InputError as error:
            print_message(str(error))
            worst = 2
            continue
        try:
            with guarded(len(data)):
                kind = kind_of_file(path.name, data)
                decode(kind, data, str(path))
        except OverLimitError as error:
            print_message(f"{path}: {error}")
            worst = 2
        except VersionError as error:
            print_message(str(error))
            worst = 2
        except InputError as error:
            print_message(str(error))
            worst = max(worst, 1)
        else:
            if not given["quiet"]:
                print_result(f"{path}: valid {kind}")
    return worst
