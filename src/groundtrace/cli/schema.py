"""`groundtrace schema`: print a JSON Schema."""

from __future__ import annotations

import click

from groundtrace.base.suggest import unknown_name
from groundtrace.base.visible import in_columns
from groundtrace.errors import UsageError


@click.command("schema")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the JSON Schema of a document, or list the documents.

    \b
    Examples:
      groundtrace schema
      groundtrace schema retrieval_events > retrieval_events_schema.json
    """
    from groundtrace.cli.terminal import print_result
    from groundtrace.documents import KINDS
    from groundtrace.documents.schema import render

    if name is None:
        rows = ([kind, info.file_name, info.purpose] for kind, info in KINDS.items())
        print_result(in_columns(["name", "file", "purpose"], rows))
        return
    kind = name.removesuffix(".json").removesuffix("_schema")
    if kind not in KINDS:
        raise UsageError(unknown_name("schema", kind, KINDS))
    click.echo(render(kind), nl=False)
