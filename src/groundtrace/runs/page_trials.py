"""The trials of a page, made from their documents by the engine's processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from groundtrace.config import Settings
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.errors import OutputError
from groundtrace.redact import masking
from groundtrace.report.blocks_of_trials import MadeTrial, made_trial
from groundtrace.runs.evaluated_trials import read_detail
from groundtrace.runs.file_names import EVENTS_ENDING
from groundtrace.runs.output_folders import RunOutput
from groundtrace.runs.read import OutcomeIndex, document_paths, read_outcomes
from groundtrace.runs.request import Request
from groundtrace.storage import Folder


@dataclass(frozen=True, slots=True)
class PageWork:
    """One trial of a page."""

    number: int
    """Its place in the order of the rows of its run."""
    output: Folder
    path: str
    """Path of the events document, relative to `output`."""
    outcome: TrialOutcome
    """The outcome that names the document."""
    level: int
    settings: Settings

    def folders(self) -> tuple[Folder]:
        """Folders that a worker must see."""
        return (self.output,)


def made_trials(
    outputs: Sequence[RunOutput], request: Request, level: Callable[[], int]
) -> Iterator[MadeTrial]:
    """Trials of these output folders, in the order of their rows.

    Raises OutputError if a trial cannot be made: a chart that leaves it out would be wrong.
    """
    for output in outputs:
        index = OutcomeIndex(read_outcomes(output.folder))
        every = document_paths(output.folder, EVENTS_ENDING)
        paths = [path for path in every if index.wants(path, request.only)]
        works = _works(output.folder, paths, index, level, request.settings)
        found: dict[int, MadeTrial | None] = {
            number: None for number, path in enumerate(paths) if index.by_document(path) is None
        }
        following = 0
        for done in chain(request.engine.map(_made, works), (None,)):
            if done is not None:
                if done.error is not None:
                    raise OutputError(f"{done.item.path}: not made for the page ({done.error})")
                found[done.item.number] = done.result
            while following in found:
                made = found.pop(following) or _made_here(
                    output.folder, paths[following], index, level(), request.settings
                )
                following += 1
                if made is not None:
                    yield made


def known_by(settings: Settings) -> Callable[[str], bool]:
    """Whether a tool is known, with the tools that the settings add."""
    from groundtrace.tools import is_known_tool

    return partial(is_known_tool, settings=settings)


def _works(
    output: Folder,
    paths: Sequence[str],
    index: OutcomeIndex,
    level: Callable[[], int],
    settings: Settings,
) -> Iterator[PageWork]:
    for number, path in enumerate(paths):
        outcome = index.by_document(path)
        if outcome is not None:
            yield PageWork(number, output, path, outcome, level(), settings)


def _made(work: PageWork) -> MadeTrial | None:
    """A trial of the page; None if it cannot be read, or the outcome may be of another trial."""
    one = OutcomeIndex.of_one(work.path, work.outcome)
    detail, _ = read_detail(work.output, work.path, one, known_by(work.settings))
    if detail is None or detail.row.outcome is None:
        return None
    with masking(work.settings.mask):
        return made_trial(detail, work.level)


def _made_here(
    output: Folder, path: str, index: OutcomeIndex, level: int, settings: Settings
) -> MadeTrial | None:
    """A trial that only all outcomes together can tell about; None if it cannot be read."""
    detail, _ = read_detail(output, path, index, known_by(settings))
    return None if detail is None else made_trial(detail, level)
