"""The outcomes of all trials of a run, and of all runs of a folder, in one document each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from groundtrace.documents.base import SCHEMA_VERSION, Count, Version
from groundtrace.documents.codec import encode_in_parts
from groundtrace.documents.outcomes import (
    OutcomesDocument,
    OutsideRuns,
    SkippedFolder,
    TrialOutcome,
)
from groundtrace.runs.output_folders import OUTCOMES_FILE, RunOutput
from groundtrace.runs.read import MAX_DOCUMENT, read_outcomes
from groundtrace.runs.request import ALL_RUNS, Request
from groundtrace.runs.session import AllRunsSession, RunSession
from groundtrace.runs.state import fingerprint
from groundtrace.runs.write import write_in_parts
from groundtrace.storage import Folder

if TYPE_CHECKING:
    from groundtrace.runs.plan import Plan


def outcomes_of(outputs: Iterable[RunOutput]) -> Iterator[OutcomesDocument]:
    """The outcomes documents of the runs that have one, one at a time."""
    stored = (read_outcomes(output.folder).document for output in outputs)
    return (document for document in stored if document is not None)


def run_outcomes(
    output: RunOutput, plan: Plan, made: Mapping[str, TrialOutcome], request: Request
) -> OutcomesDocument:
    """The outcomes of a run: `made` has those of its documents, made now or earlier."""
    # Here: it imports discovery, which evaluating documents does not need.
    from groundtrace.discover.outcome import outcome_entry

    records = [made[document] for document in sorted(made)]
    records += [
        outcome_entry(plan.waiting.get(number), "superseded", reason=reason, run_path=plan.run_path)
        for number, reason in plan.superseded
    ]
    if request.only is not None:
        # Earlier outcomes of the trials that `--only` left out.
        have = {record.path for record in records}
        for stored in outcomes_of([output]):
            records += [trial for trial in stored.trials if trial.path not in have]
    records.sort(key=lambda r: (r.config_name, r.task_name, r.path))
    return OutcomesDocument(
        schema_version=SCHEMA_VERSION,
        generated_at=request.generated_at,
        scope=output.run_id,
        trials=records,
        skipped=list(plan.skipped),
        problems=dict(plan.problems),
    )


def write_outcomes(session: RunSession, document: OutcomesDocument) -> None:
    """Write the outcomes of a run, unless the same ones are there."""
    without = replace(document, trials=[])

    def parts(made: str | None) -> Iterator[bytes]:
        dated = without if made is None else replace(without, generated_at=made)
        return encode_in_parts(dated, "trials", document.trials)

    written = write_in_parts(session.folder, OUTCOMES_FILE, parts)
    session.enter_result(OUTCOMES_FILE, "", written)
    session.outcomes_are_written()


def write_all_outcomes(
    request: Request,
    all_runs: AllRunsSession,
    outputs: Iterable[RunOutput],
    skipped: Sequence[SkippedFolder],
    problems: Mapping[str, int],
    left_out: Sequence[str] | None = None,
) -> None:
    """Write the outcomes of all runs in one document, with what was met outside of the runs.

    `left_out` are runs that have results but do not count any more; None keeps the earlier list.
    """
    outputs = sorted(outputs, key=lambda output: output.folder.url)
    now = request.generated_at
    target = RunOutput(ALL_RUNS, request.output_folders.aggregate())
    marks = [(one.run_id, request.known.mark_of(one.folder, OUTCOMES_FILE)) for one in outputs]
    made_from = fingerprint(marks, skipped, problems)

    def is_current(session: RunSession) -> bool:
        return not request.force and session.is_current(OUTCOMES_FILE, made_from)

    def is_known(session: RunSession) -> bool:
        return left_out is None or session.state.left_out == list(left_out)

    def nothing_is_new(session: RunSession) -> bool:
        return is_current(session) and is_known(session)

    with all_runs.if_stale(target, request.known, nothing_is_new) as session:
        if session is None:
            return
        if left_out is not None:
            session.leave_out(list(left_out))
            session.save_if_changed()  # later stages read from disk which runs count
        if is_current(session):
            return
        written = write_in_parts(
            session.folder,
            OUTCOMES_FILE,
            lambda made: _all_outcomes(outputs, skipped, problems, made or now),
        )
        session.enter_result(OUTCOMES_FILE, made_from, written)


class _WithoutTrials(msgspec.Struct):
    """The outcomes of all runs without their trials: there may be a million trials."""

    schema_version: Version
    skipped: list[SkippedFolder]
    problems: dict[str, Count]


def outside_runs(folder: Folder, outputs: Iterable[RunOutput]) -> OutsideRuns | None:
    """What discovery met outside of all runs.

    `folder` has the outcomes over all runs. What they contain and no run's own outcomes contain was
    met outside. None if these outcomes do not exist or cannot be read.
    """
    try:
        found = msgspec.json.decode(folder.read(OUTCOMES_FILE, MAX_DOCUMENT), type=_WithoutTrials)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    of_runs: Counter[tuple[str, str]] = Counter()
    problems = Counter(found.problems)
    for output in outputs:
        for stored in outcomes_of([output]):
            of_runs.update((f"{output.run_id}/{s.path}", s.reason) for s in stored.skipped)
            problems.subtract(stored.problems)
    outside = []
    for skipped in found.skipped:
        key = (skipped.path, skipped.reason)
        if of_runs[key] > 0:
            of_runs[key] -= 1
        else:
            outside.append(skipped)
    return OutsideRuns(scope=ALL_RUNS, skipped=outside, problems=dict(+problems))


def _all_outcomes(
    outputs: Sequence[RunOutput],
    skipped: Sequence[SkippedFolder],
    problems: Mapping[str, int],
    generated_at: str,
) -> Iterator[bytes]:
    """The document, with the trials of only one run in memory at a time.

    Each run is read once for the counts over all runs, and a second time for its trials.
    """
    counts = Counter(problems)
    everything = list(skipped)
    for output in outputs:
        for stored in outcomes_of([output]):
            counts.update(stored.problems)
            everything += [
                SkippedFolder(path=f"{output.run_id}/{s.path}", reason=s.reason)
                for s in stored.skipped
            ]
    document = OutcomesDocument(
        schema_version=SCHEMA_VERSION,
        generated_at=generated_at,
        scope=ALL_RUNS,
        trials=[],
        skipped=everything,
        problems=dict(sorted(counts.items())),
    )
    trials = (trial for stored in outcomes_of(outputs) for trial in stored.trials)
    return encode_in_parts(document, "trials", trials)
