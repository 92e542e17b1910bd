"""Functions in the events document and in the metrics document (D216)."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from groundtrace.documents.base import Count, LineNumber, Record, Share

NoFunctions = Literal[
    "no_repository",
    "commit_absent",
    "file_absent",
    "no_grammar",
    "no_function_changed",
    "patch_does_not_fit",
]
"""Why functions are not known."""


class FunctionLines(Record, frozen=True, kw_only=True):
    """A function at the base commit."""

    function: Annotated[
        str,
        Meta(
            description="`path::Class.method`: the file, and the names of the classes and functions "
            "around it."
        ),
    ]
    file: Annotated[str, Meta(description="Its file, from the top of the repository.")]
    line_start: Annotated[LineNumber, Meta(description="Its first line: of its first decorator.")]
    line_end: Annotated[LineNumber, Meta(description="The last line of its code.")]


class FunctionFile(Record, frozen=True, kw_only=True):
    """A file of the repository that was shown, and how many functions it has."""

    file: Annotated[str, Meta(description="As accesses spell it.")]
    functions: Annotated[
        Count | None, Meta(description="Functions in it at the base commit; null if unknown.")
    ]
    reason: Annotated[
        str | UnsetType,
        Meta(description="Why they are unknown: `file_absent` or `no_grammar`."),
    ] = UNSET


class Functions(Record, frozen=True, kw_only=True):
    """Functions of the task's repository at its base commit, as far as the trial met them."""

    reason: Annotated[
        str | None,
        Meta(description="Why no function is known: `no_repository` or `commit_absent`."),
    ] = None
    listed: Annotated[
        list[FunctionLines],
        Meta(
            description="Functions that were shown, in the order of first sight, then others that the "
            "submitted or the gold patch changes. `functions` of accesses and `edited` are "
            "positions in this list."
        ),
    ] = msgspec.field(default_factory=list)
    files: Annotated[
        list[FunctionFile],
        Meta(description="Files with functions, or of an unknown number of them, that were shown."),
    ] = msgspec.field(default_factory=list)
    truth_reason: Annotated[
        str | None,
        Meta(description="Why the relevant functions are unknown; null if they are not."),
    ] = None
    gold_edits: Annotated[
        list[Count] | UnsetType,
        Meta(
            description="Functions that the gold patch changes, if the relevant ones come from lines "
            "that the task names; else absent."
        ),
    ] = UNSET
    edited: Annotated[
        list[Count] | None,
        Meta(description="Functions that the submitted patch changes; null if unknown."),
    ] = None
    edit_reason: Annotated[
        str | None, Meta(description="Why `edited` is unknown; null if it is not.")
    ] = None
    symbols: Annotated[
        list[FunctionLines] | UnsetType,
        Meta(
            description="The ground truth's symbols whose lines are known; absent if there are none."
        ),
    ] = UNSET


class FunctionLevelMetrics(Record, frozen=True, kw_only=True):
    """The right functions: those that the gold patch changes, shown and edited (D216). Since 1.3."""

    computable: Annotated[bool, Meta(description="Whether `function_recall` has a value.")]
    reason: Annotated[str | None, Meta(description="Why it has none.")]
    undefined: Annotated[
        dict[str, str], Meta(description="Reason of each value that is missing, by its name.")
    ] = msgspec.field(default_factory=dict)
    functions_relevant: Annotated[Count | None, Meta(description="Relevant functions.")] = None
    functions_shown: Annotated[
        Count | None, Meta(description="Distinct functions of which at least one line was shown.")
    ] = None
    functions_relevant_shown: Annotated[
        Count | None, Meta(description="Relevant functions of which a line was shown.")
    ] = None
    functions_edited: Annotated[
        Count | None, Meta(description="Functions that the submitted patch changes.")
    ] = None
    function_recall: Annotated[
        Share | None, Meta(description="Share of the relevant functions of which a line was shown.")
    ] = None
    function_precision: Annotated[
        Share | None, Meta(description="Share of the functions shown that are relevant.")
    ] = None
    function_f1: Annotated[Share | None, Meta(description="Harmonic mean of the two.")] = None
    function_lines_recall: Annotated[
        Share | None, Meta(description="Share of the lines of relevant functions that were shown.")
    ] = None
    function_edit_recall: Annotated[
        Share | None,
        Meta(description="Share of the functions that the gold patch changes that were edited."),
    ] = None
    function_edit_precision: Annotated[
        Share | None,
        Meta(description="Share of the functions edited that the gold patch changes."),
    ] = None
    func_acc_at_1: Annotated[
        Share | None, Meta(description="1 if the only relevant function is the first one shown.")
    ] = msgspec.field(default=None, name="func_acc@1")
    func_acc_at_3: Annotated[
        Share | None, Meta(description="1 if all relevant functions are among the first 3 shown.")
    ] = msgspec.field(default=None, name="func_acc@3")
    func_acc_at_5: Annotated[
        Share | None, Meta(description="1 if all relevant functions are among the first 5 shown.")
    ] = msgspec.field(default=None, name="func_acc@5")
    symbol_recall: Annotated[
        Share | None,
        Meta(description="Share of the ground truth's symbols of which a line was shown."),
    ] = None
    relevant_not_shown: Annotated[
        list[str], Meta(description="Relevant functions of which no line was shown.")
    ] = msgspec.field(default_factory=list)
