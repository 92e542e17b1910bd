"""From flags to what the stages take: settings, a request, options of the analysis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from groundtrace.cli.more import say_settings
from groundtrace.cli.options import (
    ImpactFlags,
    NormalizeFlags,
    OutputFlags,
    TruthFlags,
    WorkFlags,
)
from groundtrace.cli.terminal import Progress

if TYPE_CHECKING:
    from groundtrace.config import Settings
    from groundtrace.impact.options import ImpactOptions
    from groundtrace.runs.request import Request


def settings_for(
    config_file: Path | None,
    normalizing: NormalizeFlags | None = None,
    comparing: ImpactFlags | None = None,
    *,
    no_mask: bool = False,
    trial_seconds: int | None = None,
) -> Settings:
    """Settings from the file, overridden by the flags that were given. Mistakes raise here.

    Otherwise a mistake in an added tool, command or mapping would fail every trial, one by one.
    """
    from groundtrace.config import load_mappings, load_settings, override
    from groundtrace.discover.outcome import load_prices

    settings = override(
        load_settings(config_file), mask=False if no_mask else None, trial_seconds=trial_seconds
    )
    if settings.tools or settings.shell_commands:
        from groundtrace.tools import check_tools

        check_tools(settings)
    if normalizing is not None:
        settings = override(
            settings,
            shell=normalizing.shell,
            trials=normalizing.trials,
            mcp_servers=normalizing.mcp_servers or None,
            schema_version=normalizing.schema_version,
            config_name=normalizing.config_name,
            prices=None if normalizing.prices is None else load_prices(normalizing.prices),
            readers=(*load_mappings(normalizing.readers), *settings.readers),
        )
    if settings.readers:
        from groundtrace.traces import all_readers

        all_readers(settings.readers)  # raises if a mapping is wrong
    if comparing is None:
        return settings
    return override(settings, baseline=comparing.baseline, primaries=comparing.primaries or None)


@contextmanager
def prepared_request(
    what: str,
    runs: str,
    output: OutputFlags,
    work: WorkFlags,
    *,
    truth: TruthFlags | None = None,
    normalizing: NormalizeFlags | None = None,
    comparing: ImpactFlags | None = None,
) -> Iterator[Request]:
    """A request, with progress shown on stderr as `what` while the block runs."""
    from groundtrace.errors import UsageError
    from groundtrace.runs.engine import make_engine
    from groundtrace.runs.request import Request

    if output.only and work.prune:
        raise UsageError(
            "--prune and --only cannot be used together: tasks outside --only would look deleted"
        )
    engine = make_engine(
        work.engine,
        jobs=work.jobs,
        scheduler=work.scheduler,
        preload=("groundtrace.runs.preload",),
        may_fork=True,
    )
    only = output.only
    if only is not None:
        only = _only_for(runs, output, truth)
    settings = settings_for(
        output.config_file,
        normalizing,
        comparing,
        no_mask=output.no_mask,
        trial_seconds=work.trial_seconds,
    )
    say_settings(output)
    show = not (output.quiet or work.no_progress or output.as_json)
    with closing(engine), Progress(what, show=show, times=output.verbose) as progress:
        yield Request(
            runs=runs,
            engine=engine,
            tasks=truth.tasks if truth is not None else (),
            ground_truth=truth.ground_truth if truth is not None else None,
            out=output.out,
            only=only,
            settings=settings,
            force=work.force,
            prune=work.prune,
            ticker=progress,
        )


def _only_for(runs: str, output: OutputFlags, truth: TruthFlags | None) -> str:
    """`--only` as the stages take it; raises NothingFoundError if no task or document fits."""
    from groundtrace.runs.only import require_fitting, with_other_names
    from groundtrace.runs.output_folders import OutputFolders
    from groundtrace.truth.definitions import load_tasks

    only = output.only or ""
    if truth is not None:
        return with_other_names(only, load_tasks(truth.tasks))
    require_fitting(OutputFolders(runs, output.out), only)
    return only


def impact_options_for(comparing: ImpactFlags, settings: Settings) -> ImpactOptions:
    """Options of the impact analysis."""
    from groundtrace.impact.options import ImpactOptions

    return ImpactOptions(
        baseline=comparing.baseline or settings.baseline,
        against=comparing.against,
        pair_across_runs=comparing.pair_across_runs,
        allow_unknown_version=comparing.allow_unknown_version,
        primaries=settings.primaries,
        margin=comparing.margin,
        seed=comparing.seed,
        draws=comparing.draws,
    )
