"""What trials looked at: for one trial in its metrics document, for many in a summary."""

from typing import Annotated

from msgspec import Meta

from groundtrace.documents.base import Count, Record, Seconds


class FileUse(Record, frozen=True, kw_only=True):
    """What a trial did with one file."""

    file: Annotated[str, Meta(description="The file.")]
    repo: Annotated[str | None, Meta(description="Short name of its repository, where known.")]
    reads: Annotated[Count, Meta(description="Calls that opened it.")]
    searches: Annotated[Count, Meta(description="Calls whose search showed it or its name.")]
    writes: Annotated[Count, Meta(description="Calls that wrote it.")]
    repeated_reads: Annotated[
        Count, Meta(description="Reads of lines that were read before, with no write in between.")
    ]
    shown_chars: Annotated[
        Count | None,
        Meta(description="Characters of it in results; null if a result does not show how many."),
    ]


class ToolCalls(Record, frozen=True, kw_only=True):
    """The calls of one tool."""

    tool: Annotated[str, Meta(description="Raw name of the tool.")]
    calls: Annotated[Count, Meta(description="Calls.")]
    failed: Annotated[Count, Meta(description="Calls that failed.")]
    unanswered: Annotated[Count, Meta(description="Calls without a result in the trace.")]
    result_chars: Annotated[Count, Meta(description="Characters of the results.")]


class ServerUse(Record, frozen=True, kw_only=True):
    """What the calls of one MCP server, or of all other tools, took."""

    calls: Annotated[Count, Meta(description="Calls.")]
    result_chars: Annotated[Count, Meta(description="Characters of the results.")]
    seconds: Annotated[
        Seconds | None, Meta(description="Seconds until the results came in; null if unknown.")
    ]


class LookedAt(Record, frozen=True, kw_only=True):
    """What a trial looked at."""

    calls: Annotated[Count, Meta(description="Calls.")]
    failed: Annotated[Count, Meta(description="Calls that failed.")]
    unanswered: Annotated[Count, Meta(description="Calls without a result in the trace.")]
    repeated_reads: Annotated[Count, Meta(description="Reads of lines that were read before.")]
    files_read: Annotated[Count, Meta(description="Files opened.")]
    files_searched: Annotated[Count, Meta(description="Files that searches showed.")]
    files_written: Annotated[Count, Meta(description="Files written.")]
    files: Annotated[
        list[FileUse],
        Meta(
            description=(
                "Files; those with the most characters shown come first. If there are many, not "
                "all are listed."
            )
        ),
    ]
    tools: Annotated[
        list[ToolCalls], Meta(description="Tools; those with the longest results come first.")
    ]


class FileUseSummary(Record, frozen=True, kw_only=True):
    """What was done with one file, over trials."""

    file: Annotated[str, Meta(description="The file.")]
    repo: Annotated[str | None, Meta(description="Short name of its repository, where known.")]
    trials: Annotated[Count, Meta(description="Trials that touched it.")]
    reads: Annotated[Count, Meta(description="Calls that opened it.")]
    searches: Annotated[Count, Meta(description="Calls whose search showed it or its name.")]
    writes: Annotated[Count, Meta(description="Calls that wrote it.")]
    repeated_reads: Annotated[
        Count, Meta(description="Reads of lines that were read before, with no write in between.")
    ]
    shown_chars: Annotated[
        Count | None,
        Meta(description="Characters of it in results; null if a result does not show how many."),
    ]


class LookedAtSummary(Record, frozen=True, kw_only=True):
    """What the trials of a configuration without ground truth looked at."""

    config_name: Annotated[str, Meta(description="Configuration.")]
    trials: Annotated[Count, Meta(description="Trials without ground truth that have calls.")]
    calls: Annotated[Count, Meta(description="Calls.")]
    failed: Annotated[Count, Meta(description="Calls that failed.")]
    unanswered: Annotated[Count, Meta(description="Calls without a result in the trace.")]
    repeated_reads: Annotated[Count, Meta(description="Reads of lines that were read before.")]
    files_read: Annotated[Count, Meta(description="Files opened; a file counts in each trial.")]
    files_searched: Annotated[
        Count, Meta(description=("Files that searches showed; a file counts in each trial."))
    ]
    files_written: Annotated[Count, Meta(description="Files written; a file counts in each trial.")]
    cost_usd: Annotated[
        float | None, Meta(description="Cost of the trials that record one; null if none does.")
    ]
    cost_trials: Annotated[Count, Meta(description="Trials that record a cost.")]
    files: Annotated[
        list[FileUseSummary],
        Meta(
            description=(
                "Files; those with the most characters shown come first. If there are many, not "
                "all are listed."
            )
        ),
    ]
    files_left_out: Annotated[Count, Meta(description="Files that the list leaves out.")]
    tools: Annotated[
        list[ToolCalls], Meta(description="Tools; those with the longest results come first.")
    ]
