"""Tokens that a transcript states: for each message, and on its last line for the trial."""

from __future__ import annotations

from groundtrace.base.values import as_count, as_mapping
from groundtrace.traces.claude_code.lines import Line, Tokens
from groundtrace.traces.kit.ledger import TokenCounts


def counts_of(usage: Tokens | None) -> TokenCounts | None:
    """Counts from a message's usage; None if it states none."""
    fresh = None if usage is None else as_count(usage.input_tokens)
    if usage is None or fresh is None:
        return None
    created = as_count(usage.cache_creation_input_tokens) or 0
    read = as_count(usage.cache_read_input_tokens) or 0
    return TokenCounts(fresh + created + read, as_count(usage.output_tokens) or 0)


def stated_counts(usage: object) -> TokenCounts | None:
    """The same from the usage that a structured result states."""
    stated = as_mapping(usage)
    fresh, made = as_count(stated.get("input_tokens")), as_count(stated.get("output_tokens"))
    if fresh is None or made is None:
        return None
    created = as_count(stated.get("cache_creation_input_tokens")) or 0
    return TokenCounts(
        fresh + created + (as_count(stated.get("cache_read_input_tokens")) or 0), made
    )


def stated_total(result: Line | None) -> int | None:
    """Tokens of all models that the `result` line states: input with cache, and output."""
    models = [] if result is None else list(as_mapping(result.model_usage).values())
    fields = ("inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens", "outputTokens")
    counts = [as_count(as_mapping(model).get(field)) for model in models for field in fields]
    stated = [count for count in counts if count is not None]
    return sum(stated) if stated and len(stated) == len(counts) else None


def stated_output(result: Line | None) -> tuple[int | None, str | None]:
    """Output tokens of the trial from its `result` line, and where they are stated."""
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
