"""Functions in the events document and in the metrics document (D216)."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

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

    function: str
    """`path::Class.method`: the file, and the names of the classes and functions around it."""
    file: str
    """Its file, from the top of the repository."""
    line_start: LineNumber
    """Its first line: of its first decorator."""
    line_end: LineNumber
    """The last line of its code."""


class FunctionFile(Record, frozen=True, kw_only=True):
    """A file of the repository that was shown, and how many functions it has."""

    file: str
    """As accesses spell it."""
    functions: Count | None
    """Functions in it at the base commit; null if unknown."""
    reason: str | UnsetType = UNSET
    """Why they are unknown: `file_absent` or `no_grammar`."""


class Functions(Record, frozen=True, kw_only=True):
    """Functions of the task's repository at its base commit, as far as the trial met them."""

    reason: str | None = None
    """Why no function is known: `no_repository` or `commit_absent`."""
    listed: list[FunctionLines] = msgspec.field(default_factory=list)
    """Functions that were shown, in the order of first sight, then others that the submitted or the
    gold patch changes. `functions` of accesses and `edited` are positions in this list."""
    files: list[FunctionFile] = msgspec.field(default_factory=list)
    """Files with functions, or of an unknown number of them, that were shown."""
    truth_reason: str | None = None
    """Why the relevant functions are unknown; null if they are not."""
    gold_edits: list[Count] | UnsetType = UNSET
    """Functions that the gold patch changes, if the relevant ones come from lines that the task
    names; else absent."""
    edited: list[Count] | None = None
    """Functions that the submitted patch changes; null if unknown."""
    edit_reason: str | None = None
    """Why `edited` is unknown; null if it is not."""
    symbols: list[FunctionLines] | UnsetType = UNSET
    """The ground truth's symbols whose lines are known; absent if there are none."""


class FunctionLevelMetrics(Record, frozen=True, kw_only=True):
    """The right functions: those that the gold patch changes, shown and edited (D216). Since 1.3."""

    computable: bool
    """Whether `function_recall` has a value."""
    reason: str | None
    """Why it has none."""
    undefined: dict[str, str] = msgspec.field(default_factory=dict)
    """Reason of each value that is missing, by its name."""
    functions_relevant: Count | None = None
    """Relevant functions."""
    functions_shown: Count | None = None
    """Distinct functions of which at least one line was shown."""
    functions_relevant_shown: Count | None = None
    """Relevant functions of which a line was shown."""
    functions_edited: Count | None = None
    """Functions that the submitted patch changes."""
    function_recall: Share | None = None
    """Share of the relevant functions of which a line was shown."""
    function_precision: Share | None = None
    """Share of the functions shown that are relevant."""
    function_f1: Share | None = None
    """Harmonic mean of the two."""
    function_lines_recall: Share | None = None
    """Share of the lines of relevant functions that were shown."""
    function_edit_recall: Share | None = None
    """Share of the functions that the gold patch changes that were edited."""
    function_edit_precision: Share | None = None
    """Share of the functions edited that the gold patch changes."""
    func_acc_at_1: Share | None = msgspec.field(default=None, name="func_acc@1")
    """1 if the only relevant function is the first one shown."""
    func_acc_at_3: Share | None = msgspec.field(default=None, name="func_acc@3")
    """1 if all relevant functions are among the first 3 shown."""
    func_acc_at_5: Share | None = msgspec.field(default=None, name="func_acc@5")
    """1 if all relevant functions are among the first 5 shown."""
    symbol_recall: Share | None = None
    """Share of the ground truth's symbols of which a line was shown."""
    relevant_not_shown: list[str] = msgspec.field(default_factory=list)
    """Relevant functions of which no line was shown."""
