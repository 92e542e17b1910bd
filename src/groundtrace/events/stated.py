"""What a trace states beside its calls: changes of the context, the submission, the final context.

Where the harness changed what the model still saw, answers were gone after that. A reader marks the
call after which it happened. If it happened between calls or before the first one, the reader
states the point in the trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import UNSET, UnsetType

from groundtrace.base.jsonio import clean_text
from groundtrace.documents.events import (
    FROM_TRACE,
    Chunk,
    ContextChange,
    Ranking,
    StatedContext,
    Submission,
)
from groundtrace.model import FileRef, ToolCall, Trace, Trial
from groundtrace.paths import Resolver
from groundtrace.truth.patches import (
    NOTHING,
    PatchResult,
    created,
    edits,
    looks_like_patch,
    read_patch,
)


def context_changes(trace: Trace) -> list[ContextChange]:
    """The changes of a trace, by the points that it states, else by the marks of its calls."""
    if trace.context_changes:
        return [
            ContextChange(
                after_step=point.after,
                kind=point.kind,
                dropped_steps=None if point.dropped is None else list(point.dropped),
            )
            for point in trace.context_changes
        ]
    return [
        ContextChange(
            after_step=step,
            kind=call.context_change.kind,
            dropped_steps=_same_thread(trace.calls, step)
            if call.context_change.drops_all
            else None,
        )
        for step, call in enumerate(trace.calls)
        if call.context_change is not None
    ]


def _same_thread(calls: Sequence[ToolCall], last: int) -> list[int]:
    """Steps so far of the thread in which the change happened; other threads keep their answers."""
    thread = (calls[last].is_subagent, calls[last].agent)
    return [
        step
        for step, call in enumerate(calls[: last + 1])
        if (call.is_subagent, call.agent) == thread
    ]


def submitted(trial: Trial, trace: Trace) -> tuple[PatchResult | None, str]:
    """The patch that was handed in, as the trace states it, else a predictions file; and its source.

    A message in the trace instead of a patch is not a submission; then it is not known what was
    submitted. A prediction is what was evaluated: if it is text and no patch, such as `# No patch
    generated`, it is an empty patch (D233).
    """
    text, source = trace.stated.submission, f"{FROM_TRACE}{trace.stated.submission_source}"
    if text is not None and text.strip() and not looks_like_patch(text):
        text = None
    if text is None and trial.loose is not None:
        text, source = trial.loose.submission, trial.loose.submission_source or "predictions"
    return None if text is None else read_patch(text), source


def submission_of(patch: PatchResult, source: str, resolver: Resolver) -> Submission:
    """The submission as the document holds it. Files are spelled like edit targets and accesses
    (D94), so later stages can compare text."""
    return Submission(
        files=_spelled(edits(patch.files), resolver),
        new_files=_spelled(created(patch.files), resolver) or UNSET,
        source=clean_text(source),
        old_names=_spelled(patch.old_names, resolver),
        edit_chunks=[
            Chunk(
                file=clean_text(_spelling(lines.path, resolver)),
                line_start=lines.first,
                line_end=lines.last,
            )
            for lines in patch.changed
        ]
        or UNSET,
    )


def _spelled(paths: Iterable[str], resolver: Resolver) -> list[str]:
    return list(dict.fromkeys(clean_text(_spelling(path, resolver)) for path in paths))


def _spelling(path: str, resolver: Resolver) -> str:
    if path == NOTHING:
        return path
    # Paths in a patch begin at the root of the repository, whatever the working directory was.
    file = resolver.resolve(FileRef(path=path, kind="written", repo=resolver.home))
    if file is None:
        return path
    return resolver.edit_target(file) or file.file


def final_context_of(trace: Trace, resolver: Resolver) -> list[StatedContext] | UnsetType:
    """The context that the agent states at its end, resolved as in its calls.

    Relevant files are spelled as in the truth.
    """
    parts: dict[StatedContext, None] = {}
    for stated in trace.stated.final_context:
        file = resolver.stated(stated.path)
        if file is not None:
            name = file.file if file.truth is None else file.truth.spelling
            part = StatedContext(
                file=clean_text(name), line_start=stated.first, line_end=stated.last
            )
            parts[part] = None
    return list(parts) or UNSET


def ranking_of(trial: Trial, resolver: Resolver) -> Ranking | UnsetType:
    """The ranked list that a trial is; its files begin at the root of the repository."""
    places = None if trial.loose is None else trial.loose.ranking
    if places is None:
        return UNSET
    files: dict[str, None] = {}
    for path in places.files:
        file = resolver.resolve(FileRef(path=path, kind="surfaced", repo=resolver.home))
        name = path
        if file is not None:
            name = file.file if file.truth is None else file.truth.spelling
        files.setdefault(clean_text(name))
    return Ranking(
        files=list(files),
        modules=list(places.modules) or UNSET,
        entities=list(places.entities) or UNSET,
    )
