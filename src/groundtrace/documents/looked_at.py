"""What trials looked at: for one trial in its metrics document, for many in a summary."""

from groundtrace.documents.base import Count, Record, Seconds


class FileUse(Record, frozen=True, kw_only=True):
    """What a trial did with one file."""

    file: str
    """The file."""
    repo: str | None
    """Short name of its repository, where known."""
    reads: Count
    """Calls that opened it."""
    searches: Count
    """Calls whose search showed it or its name."""
    writes: Count
    """Calls that wrote it."""
    repeated_reads: Count
    """Reads of lines that were read before, with no write in between."""
    shown_chars: Count | None
    """Characters of it in results; null if a result does not show how many."""


class ToolCalls(Record, frozen=True, kw_only=True):
    """The calls of one tool."""

    tool: str
    """Raw name of the tool."""
    calls: Count
    """Calls."""
    failed: Count
    """Calls that failed."""
    unanswered: Count
    """Calls without a result in the trace."""
    result_chars: Count
    """Characters of the results."""


class ServerUse(Record, frozen=True, kw_only=True):
    """What the calls of one MCP server, or of all other tools, took."""

    calls: Count
    """Calls."""
    result_chars: Count
    """Characters of the results."""
    seconds: Seconds | None
    """Seconds until the results came in; null if unknown."""


class LookedAt(Record, frozen=True, kw_only=True):
    """What a trial looked at."""

    calls: Count
    """Calls."""
    failed: Count
    """Calls that failed."""
    unanswered: Count
    """Calls without a result in the trace."""
    repeated_reads: Count
    """Reads of lines that were read before."""
    files_read: Count
    """Files opened."""
    files_searched: Count
    """Files that searches showed."""
    files_written: Count
    """Files written."""
    files: list[FileUse]
    """Files; those with the most characters shown come first. If there are many, not all are
    listed."""
    tools: list[ToolCalls]
    """Tools; those with the longest results come first."""


class FileUseSummary(Record, frozen=True, kw_only=True):
    """What was done with one file, over trials."""

    file: str
    """The file."""
    repo: str | None
    """Short name of its repository, where known."""
    trials: Count
    """Trials that touched it."""
    reads: Count
    """Calls that opened it."""
    searches: Count
    """Calls whose search showed it or its name."""
    writes: Count
    """Calls that wrote it."""
    repeated_reads: Count
    """Reads of lines that were read before, with no write in between."""
    shown_chars: Count | None
    """Characters of it in results; null if a result does not show how many."""


class LookedAtSummary(Record, frozen=True, kw_only=True):
    """What the trials of a configuration without ground truth looked at."""

    config_name: str
    """Configuration."""
    trials: Count
    """Trials without ground truth that have calls."""
    calls: Count
    """Calls."""
    failed: Count
    """Calls that failed."""
    unanswered: Count
    """Calls without a result in the trace."""
    repeated_reads: Count
    """Reads of lines that were read before."""
    files_read: Count
    """Files opened; a file counts in each trial."""
    files_searched: Count
    """Files that searches showed; a file counts in each trial."""
    files_written: Count
    """Files written; a file counts in each trial."""
    cost_usd: float | None
    """Cost of the trials that record one; null if none does."""
    cost_trials: Count
    """Trials that record a cost."""
    files: list[FileUseSummary]
    """Files; those with the most characters shown come first. If there are many, not all are
    listed."""
    files_left_out: Count
    """Files that the list leaves out."""
    tools: list[ToolCalls]
    """Tools; those with the longest results come first."""
