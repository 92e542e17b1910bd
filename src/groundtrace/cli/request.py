"""From flags to a request, and from results to an exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundtrace.cli.terminal import Progress, print_message
from groundtrace.visible import visible

if TYPE_CHECKING:
    from groundtrace.config import Settings
    from groundtrace.impact.options import ImpactOptions
    from groundtrace.stages import Request

SHOWN_FAILURES = 20
"""Failures that are named; the rest is counted and stands in outcomes.json."""


def settings_from_flags(flags: dict[str, Any]) -> Settings:
    """Settings of the file, with the flags that were given on top; what is wrong stops here.

    An addition with a mistake in it would otherwise fail every trial, one by one.
    """
    from groundtrace.config import load_settings, override

    settings = load_settings(flags.get("config_file"))
    if settings.tools or settings.shell_commands:
        from groundtrace.tools import check_tools

        check_tools(settings)
    return override(
        settings,
        shell=flags.get("shell"),
        trials=flags.get("trials"),
        mcp_servers=tuple(flags["mcp_servers"]) if flags.get("mcp_servers") else None,
        schema_version=flags.get("schema_version"),
        baseline=flags.get("baseline"),
    )


@contextmanager
def request_from_flags(what: str, flags: dict[str, Any]) -> Iterator[Request]:
    """A request, with progress shown on stderr while the block runs."""
    from groundtrace.engine import make_engine
    from groundtrace.errors import UsageError
    from groundtrace.stages import Request

    if flags.get("only") and flags.get("prune"):
        raise UsageError(
            "--prune and --only do not go together: what is not asked for would look gone"
        )
    engine = make_engine(
        flags.get("engine", "local"),
        jobs=flags.get("jobs"),
        scheduler=flags.get("scheduler"),
        preload=("groundtrace.stages.preload",),
    )
    settings = settings_from_flags(flags)
    show = not (flags.get("quiet") or flags.get("no_progress") or flags.get("as_json"))
    with closing(engine), Progress(what, show=show) as progress:
        yield Request(
            runs=flags["runs"],
            engine=engine,
            tasks=flags.get("tasks"),
            ground_truth=flags.get("ground_truth"),
            out=flags.get("out"),
            only=flags.get("only"),
            settings=settings,
            force=flags.get("force", False),
            prune=flags.get("prune", False),
            ticker=progress,
        )


def options_from_flags(flags: dict[str, Any], settings: Settings) -> ImpactOptions:
    """Options of the impact analysis."""
    from groundtrace.impact.options import ImpactOptions

    return ImpactOptions(
        baseline=flags.get("baseline") or settings.baseline,
        against=flags.get("against"),
        pair_across_runs=flags["pair_across_runs"],
        allow_unknown_version=flags["allow_unknown_version"],
        seed=flags["seed"],
        draws=flags["draws"],
    )


def say_failures(failed: list[str], quiet: bool) -> int:
    """Name what failed; exit code 1 when anything did."""
    for line in failed[:SHOWN_FAILURES]:
        print_message(f"failed: {visible(line)}", quiet=quiet)
    if len(failed) > SHOWN_FAILURES:
        print_message(f"and {len(failed) - SHOWN_FAILURES} more", quiet=quiet)
    return 1 if failed else 0


def is_file(path: str | None) -> bool:
    """Whether a path is a file on this machine."""
    return path is not None and Path(path).is_file()
