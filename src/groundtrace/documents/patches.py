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

    source: EditSource | None
    """Where the edited files come from: a patch in the trace, one in a predictions file, or the
    calls that wrote; null if unknown."""
    reason: str | None
    """Why there are no values at all."""
    undefined: dict[str, str] = msgspec.field(default_factory=dict)
    """Reason of each value that is missing, by its name."""
    recall: Share | None = None
    """Share of the gold patch's files that were edited."""
    precision: Share | None = None
    """Share of the edited files, without test files, that are gold."""
    f1: Share | None = None
    """Harmonic mean of `recall` and `precision`."""
    seen_not_edited: Count | None = None
    """Gold files that were shown but not edited."""
    edited_unseen: Count | None = None
    """Edited files, without new files, that were never shown."""
    test_files_touched: Count | None = None
    """Files of the test patch that were edited."""
    acc_at_1: Share | None = msgspec.field(default=None, name="acc@1")
    """1 if the only gold file is the first file shown."""
    acc_at_3: Share | None = msgspec.field(default=None, name="acc@3")
    """1 if all gold files are among the first 3 shown."""
    acc_at_5: Share | None = msgspec.field(default=None, name="acc@5")
    """1 if all gold files are among the first 5 shown."""
    files_gold: Count | None = None
    """Files of the gold patch."""
    files_submitted: Count | None = None
    """Edited files without the task's test files."""
    files_right: Count | None = None
    """Gold files that were edited."""
    seen_not_edited_files: list[str] = msgspec.field(default_factory=list)
    """The files behind `seen_not_edited`."""
    edited_unseen_files: list[str] = msgspec.field(default_factory=list)
    """The files behind `edited_unseen`."""
    test_files: list[str] = msgspec.field(default_factory=list)
    """The files behind `test_files_touched`."""


class PartAndWhole(Record, frozen=True, kw_only=True):
    """A share before its division."""

    part: Count
    """Numerator."""
    whole: Count
    """Denominator."""


class PublishedMetrics(Record, frozen=True, kw_only=True):
    """Metrics as papers define them, in addition to ours (D95). Since 1.2."""

    source: PatchSource | None = None
    """Where the patch comes from: the submission in the trace, or a predictions file; null without
    a patch. Files that calls wrote are never used. Since 1.3."""
    parts: dict[str, PartAndWhole] = msgspec.field(default_factory=dict)
    """Numerator and denominator, by metric, of shares that papers also sum over all tasks. Since
    1.3."""
    undefined: dict[str, str] = msgspec.field(default_factory=dict)
    """Reason of each value that is missing, by its name."""
    correct_location: Share | None = None
    """1 if the patch edits every gold file (Agentless)."""
    polybench_file_recall: Share | None = None
    """Share of gold files in the patch (SWE-PolyBench)."""
    polybench_file_precision: Share | None = None
    """Share of the patch's files that are gold; 0 if empty."""
    polybench_file_f1: Share | None = None
    """Harmonic mean of the two."""
    correct_location_line: Share | None = None
    """1 if the patch changes every gold line (Agentless)."""
    locagent_file_acc_at_1: Share | None = msgspec.field(default=None, name="locagent_file_acc@1")
    """1 if the first file is gold (LocAgent)."""
    locagent_file_acc_at_3: Share | None = msgspec.field(default=None, name="locagent_file_acc@3")
    """1 if the first 3 files hold all gold files, or 3 of them."""
    locagent_file_acc_at_5: Share | None = msgspec.field(default=None, name="locagent_file_acc@5")
    """1 if the first 5 files hold all gold files, or 5 of them."""
    correct_location_function: Share | None = None
    """1 if the patch changes every gold function (Agentless)."""
    locagent_function_acc_at_5: Share | None = msgspec.field(
        default=None, name="locagent_function_acc@5"
    )
    """1 if the first 5 functions hold all gold functions, or 5 of them."""
    locagent_function_acc_at_10: Share | None = msgspec.field(
        default=None, name="locagent_function_acc@10"
    )
    """1 if the first 10 functions hold all gold functions, or 10 of them."""
    locagent_function_recall_at_5: Share | None = msgspec.field(
        default=None, name="locagent_function_recall@5"
    )
    """Gold functions among the first 5 / gold functions."""
    locagent_function_recall_at_10: Share | None = msgspec.field(
        default=None, name="locagent_function_recall@10"
    )
    """Gold functions among the first 10 / gold functions."""
    locagent_function_precision_at_5: Share | None = msgspec.field(
        default=None, name="locagent_function_precision@5"
    )
    """Gold functions among the first 5 / 5."""
    locagent_function_precision_at_10: Share | None = msgspec.field(
        default=None, name="locagent_function_precision@10"
    )
    """Gold functions among the first 10 / 10."""
    contextbench_editloc_recall: Share | None = None
    """Share of gold lines that the patch changes."""
    contextbench_editloc_precision: Share | None = None
    """Share of the patch's lines that are gold."""
    contextbench_file_coverage: Share | None = None
    """Share of gold files that were shown (ContextBench)."""
    contextbench_file_precision: Share | None = None
    """Share of files shown that are gold."""
    contextbench_line_coverage: Share | None = None
    """Share of gold lines that were shown."""
    contextbench_line_precision: Share | None = None
    """Share of lines shown that are gold."""
    contextbench_file_redundancy: Share | None = None
    """Share of views of files that repeat an earlier one."""
    contextbench_line_redundancy: Share | None = None
    """Share of views of lines that repeat an earlier one."""
    contextbench_file_usage_drop: AtMostOne | None = None
    """1 - gold files of the final context / gold files shown."""
    contextbench_line_usage_drop: AtMostOne | None = None
    """1 - gold lines of the final context / gold lines shown."""
    contextbench_file_auc: Share | None = None
    """Mean coverage of gold files over the calls. Since 1.3."""
    contextbench_line_auc: Share | None = None
    """Mean coverage of gold lines over the calls. Since 1.3."""
    contextbench_final_file_recall: Share | None = None
    """Share of gold files in the final context. Since 1.3."""
    contextbench_final_file_precision: Share | None = None
    """Share of the final context's files that are gold."""
    contextbench_final_block_recall: Share | None = None
    """Share of gold ranges that the final context meets."""
    contextbench_final_block_precision: Share | None = None
    """Share of the final context's ranges that meet gold lines."""
    contextbench_final_line_recall: Share | None = None
    """Share of gold lines in the final context."""
    contextbench_final_line_precision: Share | None = None
    """Share of the final context's lines that are gold."""


class FunnelMetrics(Record, frozen=True, kw_only=True):
    """How far each relevant file got: never met, met, shown, edited (D96). Since 1.2."""

    reason: str | None
    """Why there are no values, when there are none."""
    source: EditSource | None = None
    """Where the edited files come from, as in `patch_metrics`."""
    funnel_never_met: Share | None = None
    """Share of relevant files that were never met."""
    funnel_met: Share | None = None
    """Share that were met only by name, and not edited."""
    funnel_shown: Share | None = None
    """Share whose content was shown, and not edited."""
    funnel_edited: Share | None = None
    """Share that were edited."""
    files: dict[str, FunnelStage] = msgspec.field(default_factory=dict)
    """Each relevant file with the last step it reached."""
