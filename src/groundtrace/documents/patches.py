"""Sections of the metrics document about edits: the patch, published numbers, the funnel."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from groundtrace.documents.base import Count, Record, Share

EditSource = Literal["trace", "predictions", "writes"]
"""Where edited files come from: a patch in the trace, one in a predictions file, or calls."""

FunnelStage = Literal["never_met", "met", "shown", "edited"]
"""The furthest stage that a relevant file reached."""


class PatchMetrics(Record, frozen=True, kw_only=True):
    """Files that the agent edited, compared with those that the gold patch edits (D94). Since 1.2."""

    source: Annotated[
        EditSource | None,
        Meta(
            description="Where the edited files come from: a patch in the trace, one in a "
            "predictions file, or the calls that wrote; null if unknown."
        ),
    ]
    reason: Annotated[str | None, Meta(description="Why there are no values at all.")]
    undefined: Annotated[
        dict[str, str], Meta(description="Reason of each value that is missing, by its name.")
    ] = msgspec.field(default_factory=dict)
    recall: Annotated[
        Share | None, Meta(description="Share of the gold patch's files that were edited.")
    ] = None
    precision: Annotated[
        Share | None,
        Meta(description=("Share of the edited files, without test files, that are gold.")),
    ] = None
    f1: Annotated[Share | None, Meta(description="Harmonic mean of `recall` and `precision`.")] = (
        None
    )
    seen_not_edited: Annotated[
        Count | None, Meta(description="Gold files that were shown but not edited.")
    ] = None
    edited_unseen: Annotated[
        Count | None, Meta(description="Edited files, without new files, that were never shown.")
    ] = None
    test_files_touched: Annotated[
        Count | None, Meta(description="Files of the test patch that were edited.")
    ] = None
    acc_at_1: Annotated[
        Share | None, Meta(description="1 if the only gold file is the first file shown.")
    ] = msgspec.field(default=None, name="acc@1")
    acc_at_3: Annotated[
        Share | None, Meta(description="1 if all gold files are among the first 3 shown.")
    ] = msgspec.field(default=None, name="acc@3")
    acc_at_5: Annotated[
        Share | None, Meta(description="1 if all gold files are among the first 5 shown.")
    ] = msgspec.field(default=None, name="acc@5")
    files_gold: Annotated[Count | None, Meta(description="Files of the gold patch.")] = None
    files_submitted: Annotated[
        Count | None, Meta(description="Edited files without the task's test files.")
    ] = None
    files_right: Annotated[Count | None, Meta(description="Gold files that were edited.")] = None
    seen_not_edited_files: Annotated[
        list[str], Meta(description="The files behind `seen_not_edited`.")
    ] = msgspec.field(default_factory=list)
    edited_unseen_files: Annotated[
        list[str], Meta(description="The files behind `edited_unseen`.")
    ] = msgspec.field(default_factory=list)
    test_files: Annotated[list[str], Meta(description="The files behind `test_files_touched`.")] = (
        msgspec.field(default_factory=list)
    )


class PublishedMetrics(Record, frozen=True, kw_only=True):
    """Metrics as papers define them, in addition to ours (D95). Since 1.2."""

    undefined: Annotated[
        dict[str, str], Meta(description="Reason of each value that is missing, by its name.")
    ] = msgspec.field(default_factory=dict)
    correct_location: Annotated[
        Share | None, Meta(description="1 if the patch edits every gold file (Agentless).")
    ] = None
    polybench_file_recall: Annotated[
        Share | None, Meta(description="Share of gold files in the patch (SWE-PolyBench).")
    ] = None
    polybench_file_precision: Annotated[
        Share | None, Meta(description="Share of the patch's files that are gold; 0 if empty.")
    ] = None
    polybench_file_f1: Annotated[Share | None, Meta(description="Harmonic mean of the two.")] = None
    contextbench_file_coverage: Annotated[
        Share | None, Meta(description="Share of gold files that were shown (ContextBench).")
    ] = None
    contextbench_file_precision: Annotated[
        Share | None, Meta(description="Share of files shown that are gold.")
    ] = None
    contextbench_line_coverage: Annotated[
        Share | None, Meta(description="Share of gold lines that were shown.")
    ] = None
    contextbench_line_precision: Annotated[
        Share | None, Meta(description="Share of lines shown that are gold.")
    ] = None
    contextbench_file_redundancy: Annotated[
        Share | None, Meta(description="Share of views of files that repeat an earlier one.")
    ] = None
    contextbench_line_redundancy: Annotated[
        Share | None, Meta(description="Share of views of lines that repeat an earlier one.")
    ] = None
    contextbench_file_usage_drop: Annotated[
        Share | None,
        Meta(description=("Share of gold files shown that are not in the agent's final context.")),
    ] = None
    contextbench_line_usage_drop: Annotated[
        Share | None,
        Meta(description=("Share of gold lines shown that are not in the agent's final context.")),
    ] = None


class FunnelMetrics(Record, frozen=True, kw_only=True):
    """How far each relevant file got: never met, met, shown, edited (D96). Since 1.2."""

    reason: Annotated[str | None, Meta(description="Why there are no values, when there are none.")]
    source: Annotated[
        EditSource | None,
        Meta(description="Where the edited files come from, as in `patch_metrics`."),
    ] = None
    funnel_never_met: Annotated[
        Share | None, Meta(description="Share of relevant files that were never met.")
    ] = None
    funnel_met: Annotated[
        Share | None, Meta(description="Share that were met only by name, and not edited.")
    ] = None
    funnel_shown: Annotated[
        Share | None, Meta(description="Share whose content was shown, and not edited.")
    ] = None
    funnel_edited: Annotated[Share | None, Meta(description="Share that were edited.")] = None
    files: Annotated[
        dict[str, FunnelStage],
        Meta(description="Each relevant file with the last step it reached."),
    ] = msgspec.field(default_factory=dict)
