"""The records that pass between the stages.

They are small, frozen and have no behaviour. A stage takes some of them and returns others; it
knows nothing else about the stages before and after it. Documents on disk have their own types in
`groundtrace.documents`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.problems import ProblemKind

if TYPE_CHECKING:
    from groundtrace.storage import Folder

Category = Literal[
    "file_read",
    "file_search",
    "symbol_navigation",
    "code_search",
    "commit_search",
    "deep_search",
    "file_write",
    "other",
]
"""The specification's `tool_category` values."""

AccessKind = Literal["read", "matched", "surfaced", "written"]
"""How a call touched a file (D7)."""

Evidence = Literal["declared", "generic"]
"""`declared`: a known tool's rules found the file. `generic`: the file was read from an unknown
tool's arguments and answer."""

OldSide = Literal["index", "head", "revision"]
"""What the old side of a diff is: what git holds of the files in place, or another revision."""

TraceSource = Literal["trajectory", "transcript", "merged"]
"""Which source produced the events; `None` means degraded mode."""

Confidence = Literal["high", "medium", "low"]
"""The specification's confidence in a ground-truth source."""

READER_ENTRY_POINTS = "groundtrace.readers"
"""Group of entry points for trace readers of other packages. `traces` loads them, and a plan's
fingerprint contains their versions."""


class Problem(Frozen, frozen=True):
    """Something that could not be read or understood, with the place to look at."""

    file: str
    """Path of the file, relative to the folder that was being read."""
    kind: ProblemKind
    """Short stable name, such as `broken_json`; summaries count by it."""
    reason: str
    """One sentence for people."""
    line: int | None = None
    """Line in the file, from 1, if the format has lines."""
    place: str | None = None
    """JSON path inside the file, such as `$.steps[3].tool_calls`, where known."""
    lost_calls: int = 0
    """Number of tool calls that were certainly lost through this problem."""

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        inside = "" if self.place is None else f" {self.place}:"
        return f"{where}:{inside} {self.reason} [{self.kind}]"


# --- traces -------------------------------------------------------------------------------


class ToolResult(msgspec.Struct, frozen=True):
    """What a tool call returned, without what the harness wrapped around it."""

    text: str = ""
    """The tool's own output as text, without the harness's appended copies and metadata."""
    data: Any = None
    """The structured result where the trace has one (`tool_use_result` and the like)."""
    is_error: bool = False
    """The harness marked the call as failed, refused or cancelled."""
    persisted_path: str | None = None
    """Where the harness stored the full output, if `text` is only a preview of it."""


class Printed(msgspec.Struct, frozen=True):
    """What the programs of a command printed, without what the harness put around it."""

    text: str = ""
    """Standard output, with standard error in it unless the harness kept that apart."""
    errors: str = ""
    """Standard error, if the harness kept it apart."""
    refused: bool = False
    """The harness did not run the command, or there is no answer at all."""
    failed: bool = False
    """The harness says with the exit code that the command failed, and nothing was printed."""
    is_error: bool = False
    """The harness marked the call as failed, refused or cancelled."""
    ended_badly: bool = False
    """The frame of the harness says that the command failed or ran out of time."""
    submitted: bool = False
    """The command hands in the agent's work: its output is no evidence."""
    trimmed: bool = False
    """The harness may have cut off white space at both ends."""


class ContextMark(msgspec.Struct, frozen=True):
    """The harness changed what the model still sees."""

    kind: str
    """`compaction` (a summary replaced the conversation) or `truncation` (answers were removed)."""
    drops_all: bool
    """Every earlier answer is gone; False if it is not known which ones are."""


class OutputOf(Frozen, frozen=True):
    """An earlier call whose output a later call shows."""

    name: str
    """Raw tool name."""
    arguments: Mapping[str, Any]
    cwd: str | None = None


class ToolCall(msgspec.Struct, frozen=True):
    """One tool call of the agent. Readers of all harness formats make it; all tools read it."""

    name: str
    """Raw tool name as the trace has it."""
    arguments: Mapping[str, Any]
    """Arguments as the agent gave them (repaired where the harness is known to garble them)."""
    call_id: str | None = None
    """The harness's id of the call; not always unique within a trace."""
    step_id: str | None = None
    """The trajectory's step id, if there is one."""
    result: ToolResult | None = None
    """None when the trace holds no answer to this call."""
    server: str | None = None
    """MCP server that offered the tool, where the reader knows it."""
    timestamp: float | None = None
    """Seconds since the epoch, UTC, when the call was made."""
    answered_at: float | None = None
    """When its result came in, if the trace says both times."""
    cumulative_tokens: int | None = None
    """Tokens of all model calls up to and including the one that made this call (D9)."""
    is_subagent: bool = False
    """Made by a subagent, not by the main thread."""
    agent: str | None = None
    """Id of the subagent that made this call: the id of the call that started the subagent, else
    the harness's id of the subagent."""
    context_change: ContextMark | None = None
    """What the harness did to the context after this call and before the next one."""
    cwd: str | None = None
    """Working directory of the harness at this call, where known."""
    output_of: OutputOf | None = None
    """The earlier call whose whole output this call's result is, such as a command that had printed
    nothing when its own call returned; None for nearly all calls."""


class Usage(Frozen, frozen=True):
    """Totals that a trace states about itself, for outcomes."""

    output_tokens: int | None = None
    """Output tokens of the trial."""
    output_tokens_source: str | None = None
    """Where they were found, such as `modelUsage`."""
    input_tokens: int | None = None
    """Input tokens of the main thread, cache included, each model call once."""
    cached_tokens: int | None = None
    """Input tokens that were read from a cache, if the trace states them separately."""
    total_tokens: int | None = None
    """Tokens of all model calls (input with cache, and output), if the trace states their sum."""
    cost_usd: float | None = None
    """Cost as the trace states it."""
    cost_source: str | None = None
    """Where it was found."""
    model_calls: int | None = None
    """How often the model was called, subagents included, if known."""


class StatedLines(Frozen, frozen=True):
    """Lines of a file that the agent says it used."""

    path: str
    """As the agent writes it."""
    first: int
    last: int


class RankedPlaces(Frozen, frozen=True):
    """Places in the code that a method names as relevant, best first, as written."""

    files: tuple[str, ...]
    modules: tuple[str, ...] = ()
    """Such as `src/app.py:Class`."""
    entities: tuple[str, ...] = ()
    """Such as `src/app.py:Class.method`."""


class Stated(Frozen, frozen=True):
    """What a trace of any format says about its own trial, apart from the calls.

    Discovery takes the names of a trial without records from here; outcomes take verdict and
    submission. A reader fills what its format has and leaves the rest None.
    """

    task: str | None = None
    """The task's name: an instance id, as written."""
    task_place: str | None = None
    """Where in the trace it is, such as `instance_id`."""
    config: str | None = None
    """The configuration, if the trace says which side of a comparison it is."""
    config_place: str | None = None
    """Where in the trace it is, such as `run_type`."""
    model: str | None = None
    """Model name, raw."""
    harness: str | None = None
    harness_version: str | None = None
    repo: str | None = None
    """Repository that the trace says it works on, raw."""
    cost_usd: float | None = None
    cost_source: str | None = None
    reward: float | None = None
    """A verdict or score that the trace itself holds; a verdict is 1.0 or 0.0."""
    reward_source: str | None = None
    agent_seconds: float | None = None
    """Length of the agent's work, where the trace states it."""
    exit_status: str | None = None
    """How the harness says that the run ended."""
    submission: str | None = None
    """What the agent handed in: a patch as text; empty if it handed in nothing."""
    submission_source: str | None = None
    final_context: tuple[StatedLines, ...] = ()
    """The context that the agent states at the end of its work; empty if it states none."""
    ranking: RankedPlaces | None = None
    """A ranked list, which is all that there is of some trials."""
    settings: Mapping[str, str] = {}
    """What else may tell its runs from others, such as the name of an evaluation."""
    origin: tuple[str, str] | None = None
    """Id of the evaluation that its log belongs to, which stays the same when the evaluation is
    resumed, and when this log was begun."""


class ContextPoint(Frozen, frozen=True):
    """A point at which the harness removed something from the model's context."""

    kind: str
    """Such as `compaction` or `rollback`."""
    after: int | None
    """Index of the last call before it; None at the start."""
    dropped: tuple[int, ...] | None
    """Indices of the calls that are no longer in the context; None if unknown."""


class Trace(Frozen, frozen=True):
    """Everything that the sources of one trial say about its tool calls, in order."""

    calls: tuple[ToolCall, ...] = ()
    """All calls in order of first appearance (D1)."""
    source: TraceSource | None = None
    """Which sources contributed; None when no usable trace was found."""
    has_trajectory: bool = False
    """A trajectory was found and could be parsed."""
    has_transcript: bool = False
    """A transcript (stream, session log, Cursor JSONL) was found and could be parsed."""
    first_timestamp: float | None = None
    """Earliest time that any source states, UTC seconds since the epoch."""
    harness: str | None = None
    """Name of the harness, such as `claude-code`."""
    harness_version: str | None = None
    """Its version as the trace states it."""
    model: str | None = None
    """Model name as the trace states it."""
    cwd: str | None = None
    """Working directory in which the harness started."""
    branch: str | None = None
    """Branch that was checked out there, if the trace says it."""
    file: str | None = None
    """The main source file, relative to the trial's folder; None when no usable trace was found."""
    mcp_servers: tuple[str, ...] = ()
    """MCP servers that the trace names."""
    usage: Usage = field(default_factory=Usage)
    """Totals that the trace states about itself."""
    tokens_share: float | None = None
    """Tokens summed over model calls, divided by the total that the trace states."""
    evidence: tuple[str, ...] = ()
    """For each file that was read: which reader took it, and why."""
    stated: Stated = field(default_factory=Stated)
    """What the trace says of its own trial."""
    context_changes: tuple[ContextPoint, ...] = ()
    """Where the main thread's context was compacted or rolled back, in order."""
    subagent_inputs: Mapping[str, int] = field(default_factory=dict)
    """Subagent, as its calls name it, to the input tokens of its model calls, if known."""

    @property
    def readable(self) -> bool:
        """At least one source was parsed far enough to say what the agent did."""
        return self.has_trajectory or self.has_transcript


class ReadResult(NamedTuple):
    """What a trace reader returns: the trace and the problems while reading it."""

    trace: Trace
    problems: tuple[Problem, ...]


# --- tools --------------------------------------------------------------------------------


class FileRef(msgspec.Struct, frozen=True):
    """One file that a call touched, as far as the call itself says."""

    path: str
    """Absolute in the container, relative to the root of `repo`, or to an unknown folder."""
    kind: AccessKind
    """How it was touched."""
    repo: str | None = None
    """Repository as the call names it (`github.com/sg-evals/kafka--0753c489`), if it names one."""
    line_start: int | None = None
    """First line shown, from 1, where known."""
    line_end: int | None = None
    """Last line shown, inclusive, where known."""
    from_diff: bool = False
    """The path comes from a diff and may begin with `a/` or `b/` (D13)."""
    rule: str = ""
    """Name of the rule that found it, for `explain`."""
    ranges: tuple[tuple[int, int], ...] | None = None
    """Ranges of lines shown, if some lines between the first and the last were not shown. None if
    all were; empty if it is not known which were."""
    shown_chars: int | None = None
    """Characters of this file in the answer, if they can be counted."""
    line_shift: int | None = None
    """Lines by which a write made the file longer, where known."""
    line_changes: tuple[tuple[int, int, int], ...] = ()
    """Places that a write changed, in order: first and last line replaced (numbered as before that
    change), and the number of lines added. Empty if they are not known (D72)."""
    restored: bool = False
    """The write put the file back as git holds it (D129)."""
    printed: str | Sequence[str] | None = None
    """The answer's text or lines that show it and nothing else, where that is certain."""
    whole: bool = False
    """All of the file was shown, from the first line to the last."""
    old_lines: tuple[int, int] | None = None
    """Of a hunk of a diff: first and last line on the old side; the last is the one before the
    first where that side has none."""
    old_side: OldSide | None = None
    """What the old side is; `revision`: both sides may be other revisions than the files in place."""
    revision: str | None = None
    """Revision of the repository, if the call names one."""
    evidence: Evidence = "declared"
    """Whether the tool is known (`declared`) or its call was read generically (D46)."""


class RootSign(Frozen, frozen=True):
    """What a call shows about a folder as a repository (D181)."""

    kind: Literal["clone", "top", "git", "workdir", "entered", "worktree", "prompt"]
    """`git clone` made it; git says that it is the top; git ran there; the harness worked there; a
    command entered it; it is a second tree of a repository; the user says that the code is there."""
    folder: str
    """Absolute, or relative to an unknown folder."""
    repo: str = ""
    """What `git clone` cloned, as written."""


class CallView(msgspec.Struct, frozen=True):
    """What the tools stage says about one call."""

    category: Category
    """The specification's category (D2)."""
    tool: str | None
    """Canonical tool name from the tool table; None for an unknown tool."""
    is_mcp: bool = False
    """The call went to one of the MCP servers that count (D3)."""
    looks: bool = False
    """Only the answer says what it found: a search, a shell command, an unknown tool (D47)."""
    refs: tuple[FileRef, ...] = ()
    """Files touched, in order of appearance."""
    symbols: tuple[str, ...] = ()
    """Symbols asked for by symbol navigation."""
    failed: bool = False
    """The call obtained nothing: failed, refused, cancelled or empty (D4)."""
    repos: tuple[str, ...] = ()
    """Repositories named by the call, raw, whether or not files were found."""
    signs: tuple[RootSign, ...] = ()
    """What the call shows about folders as repositories."""
    problems: tuple[Problem, ...] = ()
    """What could not be understood, such as a command that does not parse."""


# --- ground truth -------------------------------------------------------------------------


class TruthFile(Frozen, frozen=True):
    """One ground-truth file."""

    spelling: str
    """As the ground truth writes it; `ground_truth.files` keeps this (D17)."""
    path: str
    """The path without the repository."""
    repo: str | None = None
    """Repository that the entry names, raw."""


class TruthSymbol(Frozen, frozen=True):
    """A symbol inside a ground-truth file."""

    file: str
    symbol: str
    repo: str | None = None


class TruthChunk(Frozen, frozen=True):
    """A line range inside a ground-truth file."""

    file: str
    line_start: int
    line_end: int
    annotation: str | None = None
    repo: str | None = None


class PatchHunk(Frozen, frozen=True):
    """One hunk of a patch, in line numbers of the file before it."""

    path: str
    """The file's name before the patch."""
    removed: tuple[tuple[int, int], ...]
    """Runs of removed lines."""
    inserted: tuple[int, ...]
    """For each insertion without removals, the number of the next old line, which may not exist."""
    first: int
    """First old line that the hunk shows."""
    old: tuple[str, ...]
    """The old lines that it shows."""


class GroundTruth(Frozen, frozen=True):
    """What the task says an agent should have found."""

    files: tuple[TruthFile, ...] = ()
    """Relevant files; empty means unknown (D25)."""
    symbols: tuple[TruthSymbol, ...] = ()
    chunks: tuple[TruthChunk, ...] = ()
    expected_edit_files: tuple[TruthFile, ...] = ()
    """Edit targets, only from sources that mean edits (D27). Empty without a source means unknown;
    empty with one means that the source expects no edit (D58)."""
    expected_edit_files_source: str | None = None
    expected_edit_files_confidence: Confidence | None = None
    source: str | None = None
    """Name of the source that gave the files, such as `tests/ground_truth.json`."""
    confidence: Confidence | None = None
    edit_chunks: tuple[TruthChunk, ...] = ()
    """Lines that a gold patch changes, as they were before it (D55)."""
    hunks: tuple[PatchHunk, ...] = ()
    """The gold patch itself, as far as it changes files that existed before."""
    old_names: tuple[str, ...] = ()
    """Names of the gold patch's files before it, as SWE-PolyBench reads them (D232)."""
    test_files: tuple[str, ...] = ()
    """Files of the task's test patch: neither evidence nor edit targets."""


class TruthResult(NamedTuple):
    """What the ground-truth chain returns."""

    truth: GroundTruth
    problems: tuple[Problem, ...]


# --- trials and tasks ---------------------------------------------------------------------


class TaskRow(Frozen, frozen=True):
    """A task that is a row of a data set: the parts that ground truth needs.

    Texts stay unparsed until a trial of the task needs its ground truth.
    """

    file: str
    """Name of the data set's file."""
    number: int
    """Row in it, from 1."""
    patch: str | None = None
    test_patch: str | None = None
    context: str | None = None
    """What the row lists as context: JSON text, or free text."""
    context_key: str | None = None
    """Column that `context` comes from: `gold_context`, `snippets` or `files`."""
    base_commit: str | None = None
    difficulty: str | None = None
    """How hard the data set says the task is; a group of trials."""
    repository: str | None = None
    """Folder of the git repository that the task was made from."""


class Task(Frozen, frozen=True):
    """A task definition, as the task index knows it."""

    name: str
    """Canonical name: as its definition states it, else the folder's (D60)."""
    benchmark: str
    """Folder of the suite that the task is in."""
    folder: Folder | None
    """Its directory; None when it is only known from a registry."""
    repos: tuple[str, ...] = ()
    """Repositories that the task names, raw (`sg-evals/kubernetes--v1.32.0`)."""
    repo_paths: Mapping[str, str] = field(default_factory=dict)
    """Where the task says a repository is in the workspace: path to raw repository name."""
    aliases: tuple[str, ...] = ()
    """Other names of the task (its folder's name, the name and id in task.toml)."""
    row: TaskRow | None = None
    """The row of a data set that defines it; None for a folder's task."""
    takes_nameless: bool = False
    """Trials that name no task belong to this one, unless another task claims them too. For users
    who name one commit as the task of all their sessions."""


class Outcome(Frozen, frozen=True):
    """Reward, cost, times and the like of a trial, from its records; nothing is invented."""

    reward: float | None = None
    reward_reason: str | None = None
    """Why there is no valid reward (D34)."""
    reward_source: str | None = None
    """Where the reward was found, for trials without records."""
    found_in: Mapping[str, str] = field(default_factory=dict)
    """Outcome to the record that states it, for outcomes without a `..._source` field."""
    cost_usd: float | None = None
    cost_source: str | None = None
    agent_seconds: float | None = None
    trial_seconds: float | None = None
    output_tokens: int | None = None
    output_tokens_source: str | None = None
    model_calls: int | None = None
    """How often the model was called, as the trace shows."""
    exception: str | None = None
    """Type or first line of the recorded exception."""
    started_at: float | None = None
    finished_at: float | None = None
    agent_started_at: float | None = None


class Repeats(Frozen, frozen=True):
    """What a session repeats of an earlier one that it goes on from."""

    file: str
    """The earlier session's file."""
    calls: frozenset[str]
    """Ids of the calls."""
    replies: int = 0
    """How many of the model's messages, from the first one on."""


class Claimed(Frozen, frozen=True):
    """Which reader a file was recognised for, so that reading does not have to find out again."""

    reader: str
    evidence: str
    """By what the reader knows the file, in words."""
    mark: str
    """State of the file on disk; another one may be a file of another format."""


class LooseTrace(Frozen, frozen=True):
    """The trace of a trial that has no folder and no records of its own."""

    file: str
    """Name of the file in the trial's folder."""
    sample: str | None = None
    """Id of the sample in the file; None if the whole file is one trace."""
    inputs: str = ""
    """Fingerprint of what discovery used: the file, verdicts beside it, a manifest's row."""
    submission: str | None = None
    """What the agent handed in, according to a file of predictions beside the trace."""
    submission_source: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    """Columns of a manifest that groundtrace does not know, kept for grouping."""
    repeats: Repeats | None = None
    """Calls that count in another session of the run."""
    is_result: bool = False
    """There is no trace: the trial is a row of predictions or of ranked lists."""
    ranking: RankedPlaces | None = None
    claimed: Claimed | None = None
    """What discovery recognised the file as."""


class TrialId(Frozen, frozen=True):
    """The four names of a trial. Every record about a trial extends this one; only the
    specification's `Provenance` has an order of its own and declares them again."""

    run_id: str
    """Run of the trial."""
    config_name: str
    """Configuration."""
    task_name: str
    """Task."""
    trial_name: str
    """Name of the trial."""

    @property
    def names(self) -> tuple[str, str, str, str]:
        """All four, in this order."""
        return self.run_id, self.config_name, self.task_name, self.trial_name


class Contender(TrialId, frozen=True, kw_only=True):
    """What it takes to choose between trials and to name them, without their files and records."""

    path: str
    """Path below the runs folder, with forward slashes."""
    benchmark: str | None = None
    batch_timestamp: str | None = None
    trial_key: str = ""
    """Equal for copies of one trial in several runs."""
    task: Task | None = None
    """The task definition that the trial was joined to."""
    outcome: Outcome = field(default_factory=Outcome)
    """From the records only; what the trace adds is filled in later."""
    first_call: float | None = None
    """When the first call was made, where finding the trial meant reading its trace."""
    file_time: float | None = None
    """When the trace's file last changed, for trials without records."""


class Trial(Contender, frozen=True, kw_only=True):
    """One execution of one task by one configuration: a folder and what it is."""

    folder: Folder
    """The folder with its files."""
    model: str | None = None
    harness: str | None = None
    harness_version: str | None = None
    repo: str | None = None
    """Repository that a manifest or the trace names, raw; it is used before the task's."""
    files: tuple[str, ...] = ()
    """Files present, relative to the folder."""
    records: Mapping[str, str] = field(default_factory=dict)
    """Path of each record that was read, and its mark (state on disk) just before it was read."""
    evidence: Mapping[str, str] = field(default_factory=dict)
    """Identity field to where its value came from."""
    loose: LooseTrace | None = None
    """Set for a trial that is one trace (or a sample of one) without records."""
    title: str | None = None
    """What the user asked first, for a session that no data set names."""
