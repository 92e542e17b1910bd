"""`groundtrace completion`: completion for a shell, and the names that it completes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> int:
    """Print the script for completion in a shell.

    Add the line of your shell to its start-up file and open a new shell.

    \b
    Examples:
      eval "$(groundtrace completion bash)"         in ~/.bashrc, Bash 4.4 or later
      eval "$(groundtrace completion zsh)"          in ~/.zshrc
      groundtrace completion fish | source          in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    program = click.get_current_context().find_root().command
    click.echo(made(program, {}, "groundtrace", "_GROUNDTRACE_COMPLETE").source())
    return 0


def configurations(context: click.Context, _parameter: click.Parameter, typed: str) -> Items:
    """Configurations of the runs that stand on the command line."""
    return _beginning(typed, (row.config_name for row in _stored(context)))


def tasks(context: click.Context, _parameter: click.Parameter, typed: str) -> Items:
    """Tasks of the runs that stand on the command line."""
    return _beginning(typed, (row.task_name for row in _stored(context)))


Items = list["CompletionItem"]
NAMES: dict[str, Callable[[click.Context, click.Parameter, str], Items]] = {
    "baseline": configurations,
    "against": configurations,
    "config_name": configurations,
    "only": tasks,
}
"""Options whose values are names in the results."""


def _beginning(typed: str, names: Iterable[str]) -> Items:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in sorted({n for n in names if n.startswith(typed)})]


def _stored(context: click.Context) -> list[Any]:
    """Trials in the results of RUNS; none if there are none, or if they cannot be read."""
    from groundtrace.errors import GroundtraceError
    from groundtrace.runs.output_folders import OutputFolders
    from groundtrace.runs.read import read_outcomes

    # A flag whose value is being typed stops click's parser, so RUNS may be left among the words.
    words = (context.params.get("runs"), *context.args)
    runs = next((word for word in words if word and Path(word).exists()), ".")
    try:
        outputs, _ = OutputFolders(runs, context.params.get("out")).existing()
        found = [read_outcomes(output.folder).document for output in outputs]
    except (GroundtraceError, OSError):  # a key press must not print an error
        return []
    return [trial for document in found if document is not None for trial in document.trials]
