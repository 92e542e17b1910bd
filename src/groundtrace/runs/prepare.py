"""From options to what the stages take, for the command line and the Python API alike.

An option reaches a record by its name: a field of `Settings` (as the table says), `ImpactOptions` or
`Request`. Modules are imported inside functions: help and a run without changes need few of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from groundtrace.base.limit import allowed_seconds
from groundtrace.config import Location, Settings, load_mappings
from groundtrace.errors import UsageError
from groundtrace.options import RunOptions, settings_of
from groundtrace.redact import masking
from groundtrace.runs.engine import make_engine
from groundtrace.runs.output_folders import OutputFolders
from groundtrace.runs.request import NoTicker, Request, Ticker

if TYPE_CHECKING:
    from groundtrace.impact.options import ImpactOptions


def settings_for(given: Mapping[str, Any], settings: Settings) -> Settings:
    """Settings, changed by the options that were given. Mistakes raise here.

    Otherwise a mistake in an added tool, command or mapping would fail every trial, one by one.
    """
    changes: dict[str, Any] = {
        setting: given[name] for name, setting in settings_of(RunOptions).items() if name in given
    }
    if given.get("no_mask"):
        changes["mask"] = False
    if "prices" in given:
        from groundtrace.discover.prices import load_prices

        changes["prices"] = load_prices(Path(given["prices"]))
    if "reader" in given:
        changes["readers"] = (*load_mappings(map(Path, given["reader"])), *settings.readers)
    folders = given.get("repos", settings.repos)
    if folders:
        changes["repos"] = tuple(map(_folder, folders))
    settings = replace(settings, **changes)
    if settings.tools or settings.shell_commands:
        from groundtrace.tools import check_tools

        check_tools(settings)
    if settings.readers:
        from groundtrace.traces import all_readers

        all_readers(settings.readers)  # raises if a mapping is wrong
    return settings


def _folder(given: Location) -> str:
    """A folder of `--repos`, absolute: workers may run elsewhere."""
    folder = Path(given).expanduser().absolute()
    if not folder.is_dir():
        raise UsageError(f"--repos {given}: there is no such folder")
    return str(folder)


def impact_options_for(given: Mapping[str, Any], settings: Settings) -> ImpactOptions:
    """Options of the impact analysis."""
    from groundtrace.impact.options import ImpactOptions

    if "primary" in given:
        from groundtrace.metrics.catalogue import QUANTITIES

        for name in given["primary"]:
            QUANTITIES[name]  # raises for an unknown name before any work is done
    names = given.keys() & set(ImpactOptions.__struct_fields__)
    own = {name: given[name] for name in names}
    return ImpactOptions(**own | {"baseline": settings.baseline, "primaries": settings.primaries})


@contextmanager
def request_for(
    runs: str,
    given: Mapping[str, Any],
    settings: Settings,
    *,
    reads_traces: bool = False,
    may_fork: bool = False,
    ticker: Ticker | None = None,
) -> Iterator[Request]:
    """A request with its engine, which is closed after the block."""
    if given.get("only") and given.get("prune"):
        raise UsageError(
            "--prune and --only cannot be used together: tasks outside --only would look deleted"
        )
    engine = make_engine(
        given.get("engine", "local"),
        jobs=given.get("jobs"),
        scheduler=given.get("scheduler"),
        preload=("groundtrace.runs.preload",),
        may_fork=may_fork,
    )
    own = {name: given[name] for name in Request.__struct_fields__ if name in given}
    seconds = allowed_seconds(settings.trial_seconds)
    with closing(engine), masking(settings.mask), seconds:
        if "only" in own:
            own["only"] = _only_for(runs, given, reads_traces=reads_traces)
        own |= {"engine": engine, "settings": settings, "ticker": ticker or NoTicker()}
        yield Request(runs=runs, **own)
        if reads_traces:
            from groundtrace.runs.inputs import remember

            remember(folders_for(runs, given), given)


def _only_for(runs: str, given: Mapping[str, Any], *, reads_traces: bool) -> str:
    """`--only` as the stages take it; raises NothingFoundError if no task or document fits."""
    from groundtrace.runs.only import require_fitting, with_other_names

    if reads_traces:
        from groundtrace.truth.definitions import load_tasks

        return with_other_names(given["only"], load_tasks(given.get("tasks", ())))
    require_fitting(folders_for(runs, given), given["only"])
    return str(given["only"])


def folders_for(runs: str, given: Mapping[str, Any]) -> OutputFolders:
    """Where results are."""
    return OutputFolders(runs, given.get("out"), given.get("aggregate"))


def formats_for(given: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The reports to write; None means all."""
    return given.get("format")
