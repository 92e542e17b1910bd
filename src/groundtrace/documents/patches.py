"""Sections of the metrics document about edits: the patch, published numbers, the funnel."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from groundtrace.documents.base import Count, Record, Share

AtMostOne = Annotated[float, Meta(le=1)]
"""A number that may be below 0."""

EditSource = Literal["trace", "predictions", "writes"]
"""Where edited files come from: a patch in the trace, one in a predictions file, or calls."""

PatchSource = Literal["trace", "predictions"]
"""The same of a patch: files that calls wrote are none."""

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


class PartAndWhole(Record, frozen=True, kw_only=True):
    """A share before its division."""

    part: Annotated[Count, Meta(description="Numerator.")]
    whole: Annotated[Count, Meta(description="Denominator.")]


class PublishedMetrics(Record, frozen=True, kw_only=True):
    """Metrics as papers define them, in addition to ours (D95). Since 1.2."""

    source: Annotated[
        PatchSource | None,
        Meta(
            description="Where the patch comes from: the submission in the trace, or a "
            "predictions file; null without a patch. Files that calls wrote are never used. "
            "Since 1.3."
        ),
    ] = None
    parts: Annotated[
        dict[str, PartAndWhole],
        Meta(
            description="Numerator and denominator, by metric, of shares that papers also sum "
            "over all tasks. Since 1.3."
        ),
    ] = msgspec.field(default_factory=dict)
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
    correct_location_line: Annotated[
        Share | None, Meta(description="1 if the patch changes every gold line (Agentless).")
    ] = None
    locagent_file_acc_at_1: Annotated[
        Share | None, Meta(description="1 if the first file is gold (LocAgent).")
    ] = msgspec.field(default=None, name="locagent_file_acc@1")
    locagent_file_acc_at_3: Annotated[
        Share | None, Meta(description="1 if the first 3 files hold all gold files, or 3 of them.")
    ] = msgspec.field(default=None, name="locagent_file_acc@3")
    locagent_file_acc_at_5: Annotated[
        Share | None, Meta(description="1 if the first 5 files hold all gold files, or 5 of them.")
    ] = msgspec.field(default=None, name="locagent_file_acc@5")
    correct_location_function: Annotated[
        Share | None, Meta(description="1 if the patch changes every gold function (Agentless).")
    ] = None
    locagent_function_acc_at_5: Annotated[
        Share | None,
        Meta(description="1 if the first 5 functions hold all gold functions, or 5 of them."),
    ] = msgspec.field(default=None, name="locagent_function_acc@5")
    locagent_function_acc_at_10: Annotated[
        Share | None,
        Meta(description="1 if the first 10 functions hold all gold functions, or 10 of them."),
    ] = msgspec.field(default=None, name="locagent_function_acc@10")
    locagent_function_recall_at_5: Annotated[
        Share | None, Meta(description="Gold functions among the first 5 / gold functions.")
    ] = msgspec.field(default=None, name="locagent_function_recall@5")
    locagent_function_recall_at_10: Annotated[
        Share | None, Meta(description="Gold functions among the first 10 / gold functions.")
    ] = msgspec.field(default=None, name="locagent_function_recall@10")
    locagent_function_precision_at_5: Annotated[
        Share | None, Meta(description="Gold functions among the first 5 / 5.")
    ] = msgspec.field(default=None, name="locagent_function_precision@5")
    locagent_function_precision_at_10: Annotated[
        Share | None, Meta(description="Gold functions among the first 10 / 10.")
    ] = msgspec.field(default=None, name="locagent_function_precision@10")
    contextbench_editloc_recall: Annotated[
        Share | None, Meta(description="Share of gold lines that the patch changes.")
    ] = None
    contextbench_editloc_precision: Annotated[
        Share | None, Meta(description="Share of the patch's lines that are gold.")
    ] = None
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
        AtMostOne | None,
        Meta(description="1 - gold files of the final context / gold files shown."),
    ] = None
    contextbench_line_usage_drop: Annotated[
        AtMostOne | None,
        Meta(description="1 - gold lines of the final context / gold lines shown."),
    ] = None
    contextbench_file_auc: Annotated[
        Share | None, Meta(description="Mean coverage of gold files over the calls. Since 1.3.")
    ] = None
    contextbench_line_auc: Annotated[
        Share | None, Meta(description="Mean coverage of gold lines over the calls. Since 1.3.")
    ] = None
    contextbench_final_file_recall: Annotated[
        Share | None, Meta(description="Share of gold files in the final context. Since 1.3.")
    ] = None
    contextbench_final_file_precision: Annotated[
        Share | None, Meta(description="Share of the final context's files that are gold.")
    ] = None
    contextbench_final_block_recall: Annotated[
        Share | None, Meta(description="Share of gold ranges that the final context meets.")
    ] = None
    contextbench_final_block_precision: Annotated[
        Share | None, Meta(description="Share of the final context's ranges that meet gold lines.")
    ] = None
    contextbench_final_line_recall: Annotated[
        Share | None, Meta(description="Share of gold lines in the final context.")
    ] = None
    contextbench_final_line_precision: Annotated[
        Share | None, Meta(description="Share of the final context's lines that are gold.")
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
