"""Tokens that a transcript states: of each message, and of the whole trial on its last line."""

from __future__ import annotations

from groundtrace.traces.claude_code.lines import Line, Tokens
from groundtrace.traces.ledger import Counts
from groundtrace.values import as_count, as_mapping


def counts_of(usage: Tokens | None) -> Counts | None:
    """Counts of a message's usage; None when it does not say."""
    fresh = None if usage is None else as_count(usage.input_tokens)
    if usage is None or fresh is None:
        return None
    created = as_count(usage.cache_creation_input_tokens) or 0
    read = as_count(usage.cache_read_input_tokens) or 0
    return Counts(fresh + created + read, as_count(usage.output_tokens) or 0)


def stated_output(result: Line | None) -> tuple[int | None, str | None]:
    """Output tokens of the trial as its `result` line states them, and where they are."""
    if result is None:
        return None, None
    per_model = [
        as_count(as_mapping(item).get("outputTokens"))
        for item in as_mapping(result.model_usage).values()
    ]
    if per_model and None not in per_model:
        return sum(count for count in per_model if count is not None), "modelUsage"
    stated = as_count(as_mapping(result.usage).get("output_tokens"))
    return stated, None if stated is None else "result.usage"
