"""What a reader is, and what it produces from one file before the sources of a trial are joined.

A `Source` states what the join must know about it (its rank, whether it holds subagents' calls), so
joining does not depend on the name of a harness. `Keep`, `Probe` and `Recognised` can be imported
from here too: a reader of another package finds everything in this module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

import msgspec
from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import clean_text
from groundtrace.base.jsonl import RawLine
from groundtrace.model import ContextMark, OutputOf, Problem, Stated, ToolResult, Usage
from groundtrace.problems import ProblemKind
from groundtrace.storage import Folder
from groundtrace.traces.kit.claims import Probe, Recognised, Sample
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.ledger import Ledger

__all__ = [
    "Keep",
    "Probe",
    "RawCall",
    "RawChange",
    "Reader",
    "Recognised",
    "Sample",
    "Source",
    "SourceKind",
    "Stated",
]

SourceKind = Literal["trajectory", "transcript"]

DAMAGE = frozenset({"broken_line", "truncated_line", "line_too_long", "not_utf8"})
"""Problems after which a log is not complete, so its spare copies are read too."""


class RawCall(msgspec.Struct):
    """A tool call while it is being read."""

    name: str
    arguments: dict[str, Any]
    call_id: str | None = None
    step_id: str | None = None
    result: ToolResult | None = None
    result_cut: bool = False
    """Whether the result is damaged, or only the start of what the agent saw."""
    server: str | None = None
    made_at: float | None = None
    """Time of the call's own line."""
    answered_at: float | None = None
    """Time of its result's line."""
    position: int = 0
    """Model calls so far in the source's ledger; -1 if unknown."""
    is_subagent: bool = False
    cwd: str | None = None
    agent: str | None = None
    """Name or id of the subagent that made the call, if the source has it."""
    spawned_by: str | None = None
    """Id of the call that started this call's subagent."""
    context_change: ContextMark | None = None
    """What the harness did to the context before the next call."""
    output_of: OutputOf | None = None
    """The earlier call whose whole output the result is."""
    tokens: int | None = None
    """Cumulative tokens, once the ledger is closed."""


MAX_CALLS = 100_000
"""Most calls that are read from one file; the longest real trace seen has some thousands. All are
kept until the trial is done."""


class TooManyCallsError(Exception):
    """A file holds more calls than the limit; `source` has the calls up to there."""

    def __init__(self, source: Source) -> None:
        super().__init__(f"more than {MAX_CALLS:,} calls; the rest of the file is not read")
        self.source = source


class Calls(list[RawCall]):
    """The calls of a source, up to the limit."""

    source: Source

    def append(self, call: RawCall) -> None:
        """Add a call; raises TooManyCallsError beyond the limit."""
        if len(self) >= MAX_CALLS:
            raise TooManyCallsError(self.source)
        list.append(self, call)  # super() takes as long as the rest of it


class RawChange(Frozen, frozen=True):
    """A point at which the harness removed something from the model's context."""

    kind: str
    """`compaction`, `rollback`, `truncation`."""
    after: RawCall | None
    """The last call before the change."""
    dropped: tuple[RawCall, ...] | None
    """Calls that are no longer in the context; None if unknown."""


class Source(msgspec.Struct):
    """Everything read from one file (or one chain of files)."""

    file: str
    kind: SourceKind
    dialect: str
    """Name of this form of the format, for users: `stream`, `session`, `atif`, …"""
    calls: list[RawCall] = field(default_factory=Calls)
    problems: list[Problem] = field(default_factory=list)
    parsed: bool = False
    """Whether the file could be read in its format."""
    first_timestamp: float | None = None
    harness: str | None = None
    harness_version: str | None = None
    model: str | None = None
    cwd: str | None = None
    branch: str | None = None
    """Branch of the repository in which the harness started, if the file says it."""
    mcp_servers: dict[str, None] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    ledger: Ledger = field(default_factory=Ledger)
    agent_id: str | None = None
    """For a subagent's own file: the id of the agent."""
    agent_calls: dict[str, str] = field(default_factory=dict)
    """Agent id to the id of the call that started it."""
    cut_results: int = 0
    """Results that were cut."""
    notes: list[str] = field(default_factory=list)
    """What the reader repaired, for the evidence."""
    rank: int = 0
    """Of sources of one kind, the lowest rank comes first: its order and its results count."""
    is_main_log: bool = False
    """Whether this is the harness's own log of the whole trial. If it is undamaged, spare copies
    are not read."""
    is_one_subagent: bool = False
    """Whether it holds only the calls of one subagent. They follow the call that started it, and
    its model and tokens are not the trial's."""
    omits_subagents: bool = False
    """Whether a call that starts a subagent may be there without the subagent's model calls. Totals
    after such a call are then unknown."""
    spawners: frozenset[str] = frozenset()
    """Names of the tools that start a subagent."""
    no_trial: str | None = None
    """Why it is not a trial of its own, such as a subagent's session."""
    stated: Stated = field(default_factory=Stated)
    """What the file says about its trial, besides the calls."""
    context_changes: list[RawChange] = field(default_factory=list)
    """Where the harness removed something from the context, in order."""
    prompts: list[tuple[int, float]] = field(default_factory=list)
    """How many calls were made before each message of the user, and its time."""

    def __post_init__(self) -> None:
        """Tell the list of calls its source, for the error when there are too many calls."""
        if isinstance(self.calls, Calls):
            self.calls.source = self

    @property
    def first_call(self) -> float | None:
        """When the first call was made."""
        return min((c.made_at for c in self.calls if c.made_at is not None), default=None)

    def problem(
        self,
        kind: ProblemKind,
        reason: str,
        *,
        line: int | None = None,
        place: str | None = None,
        lost_calls: int = 0,
        file: str | None = None,
    ) -> None:
        """Record a loss."""
        self.problems.append(
            Problem(file or self.file, kind, clean_text(reason), line, place, lost_calls)
        )

    def report_long_line(self, line: RawLine) -> None:
        """Report a line that was not decoded because of its length."""
        reason = f"line of {line.length:,} bytes at offset {line.offset:,} was not decoded"
        self.problem("line_too_long", reason, line=line.number)

    def report_lines(self, seen: int, noise: int, first_noise: int | None = None) -> None:
        """Report problems of a transcript after its last line: `noise` lines are not events."""
        if not seen:
            self.problem("empty_file", "the file is empty")
        elif not self.parsed:
            self.problem("not_a_transcript", "no line of the file is an event")
        elif noise:
            reason = f"{noise} lines are not events of the transcript"
            self.problem("non_json_lines", reason, line=first_noise)

    def report_cut_results(self) -> None:
        """Report one problem for all results that the memory budget cut."""
        if self.cut_results:
            self.problem(
                "result_cut",
                f"{self.cut_results} results were shortened: over the memory limit",
            )

    def totals(self, where: str, **others: Any) -> Usage:
        """Totals of the main thread as its model calls state them; `where` names what states them."""
        output = self.ledger.main_output()
        return Usage(
            output_tokens=output,
            output_tokens_source=None if output is None else where,
            input_tokens=self.ledger.main_input(),
            **others,
        )

    def saw(self, moment: float | None) -> None:
        """Note a time that the file states."""
        if moment is not None and (self.first_timestamp is None or moment < self.first_timestamp):
            self.first_timestamp = moment

    @property
    def is_whole(self) -> bool:
        """Whether this is the harness's own log, read without loss: spare copies add nothing."""
        damaged = any(problem.kind in DAMAGE for problem in self.problems)
        return self.parsed and self.is_main_log and not damaged


def within_limits(read: Callable[[], Source]) -> Source:
    """What a reader produces from a file; if it has too many calls, those up to the limit."""
    try:
        return read()
    except TooManyCallsError as error:
        source = error.source
        source.parsed = True
        source.problem("too_many", str(error), lost_calls=1)
        return source


class Reader(Protocol):
    """A reader of one trace format; other packages register theirs as `groundtrace.readers`.

    A reader may also have these members; a missing one counts as empty:

    `spare_patterns`  those of its patterns whose files are copies of another one, read only if no
                      log is complete (`agent/command-0/stdout.txt`)
    `sidecars`        patterns of files that show that there was a trace but are not read alone,
                      such as a trajectory's continuation
    `own_names`       patterns of names that only its traces have (`*.traj`): a file with such a name
                      that no reader knows is reported, because a trial may be missing; this reader is
                      asked first for it, and no other one if the file has its marker
    `reads_text`      True: its files are text, not JSON
    `harness_words`   pairs: a word in the path of a harness's class, as `config.json` records it,
                      and the name of that harness
    `samples`         `samples(folder, path)`: the `Sample`s of a file, each one trial, with what it
                      states; without it, or if it gives None, a file is one sample and must be
                      read to know what it states
    `read_sample`     `read_sample(folder, path, sample_id, keep)`: one sample of a file of several
    `companions`      `companions(folder, path)`: files that belong to the trace in this one and are
                      read with it, such as the logs of its subagents
    `is_part`         `is_part(path)`: whether a file is only a part of another trace, not a trial
    `part_of`         `part_of(folder, path)`: the trace that a file is a part of, if the files next
                      to it show this; else None, and the file is a trial
    `sessions_continue`  True: a session that continues in a new file repeats its calls there with
                      their ids, which no other call has
    """

    name: str
    """Unique name, shown in the evidence."""
    patterns: tuple[str, ...]
    """Glob patterns of the files it can read, relative to the trial's folder."""

    def recognise(self, probe: Probe) -> Recognised | None:
        """Whether the file has this format, and by which evidence."""

    def read(self, folder: Folder, path: str, keep: Keep) -> Source:
        """Read the file; never raises because of its content."""
