"""What a sample says about itself: its task, its scores, how it ended, its tokens (D91)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundtrace.base.patterns import regex
from groundtrace.base.values import as_amount, as_count, as_mapping, as_number, as_text
from groundtrace.model import Stated
from groundtrace.traces.kit.ledger import TokenCounts

HARNESS = "inspect"
_WORDS = {
    "c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0,
}  # fmt: skip
"""Scores that are words, with Inspect's values: correct, incorrect, partial, no answer."""
_OWN_NAME = regex(r"[A-Za-z][^\n]{0,200}[-_/][^\n]{1,200}")
"""An id that names a task outside of its evaluation too, unlike `1` or `default`."""


def stated_of(sample: Mapping[str, Any], header: Mapping[str, Any]) -> Stated:
    """What a sample or its summary states; `header` is the header of the log."""
    evaluation = as_mapping(header.get("eval"))
    score, where = _score(sample.get("scores"))
    task, place = _task(sample, evaluation)
    cost = _cost(sample.get("model_usage"))
    return Stated(
        task=task,
        task_place=place,
        model=as_text(evaluation.get("model")),
        harness=HARNESS,
        harness_version=as_text(as_mapping(evaluation.get("packages")).get("inspect_ai")),
        repo=as_text(as_mapping(sample.get("metadata")).get("repo")),
        cost_usd=cost,
        cost_source=None if cost is None else "model_usage",
        reward=score,
        reward_source=where,
        agent_seconds=as_amount(sample.get("total_time")),
        exit_status=_end(sample),
    )


def id_of(sample: Mapping[str, Any]) -> str | None:
    """A sample's id as text; in some data sets it is a number."""
    value = sample.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return as_text(value)


def _task(sample: Mapping[str, Any], evaluation: Mapping[str, Any]) -> tuple[str | None, str]:
    instance = as_text(as_mapping(sample.get("metadata")).get("instance_id"))
    if instance is not None:
        return instance, "metadata.instance_id"
    name = id_of(sample)
    if name is None or _OWN_NAME.fullmatch(name):
        return name, "id"
    whole = (as_text(evaluation.get("task")) or "").rpartition("/")[2]
    return (f"{whole}-{name}", "eval.task and id") if whole else (name, "id")


def _score(scores: Any) -> tuple[float | None, str | None]:
    """The first score that is a number, or a word for a number, and the name of its scorer."""
    for scorer, score in as_mapping(scores).items():
        value = score.get("value") if isinstance(score, Mapping) else score
        number = score_value(value)
        if number is not None:
            return number, f"scores.{scorer}"
    return None, None


def score_value(value: Any) -> float | None:
    """A score as a number; None if it is not one, such as a score of several values."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        return _WORDS.get(value.strip().casefold())
    return as_number(value)


def _end(sample: Mapping[str, Any]) -> str | None:
    """Why a sample was ended, if it did not end normally."""
    limit = sample.get("limit")
    kind = as_text(as_mapping(limit).get("type")) or as_text(limit)
    if kind is not None:
        return f"limit: {kind}"
    error = sample.get("error")
    reason = as_text(as_mapping(error).get("message")) or as_text(error)
    return None if reason is None else f"error: {reason.splitlines()[0][:200]}"


def _cost(usage: Any) -> float | None:
    costs = [as_amount(as_mapping(item).get("total_cost")) for item in as_mapping(usage).values()]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def counts_of(usage: Any) -> TokenCounts | None:
    """Tokens of a model call. Providers differ in whether `input_tokens` includes cached tokens;
    the total minus the output is right for both."""
    members = as_mapping(usage)
    made = as_count(members.get("output_tokens"))
    total = as_count(members.get("total_tokens"))
    if made is None:
        return None
    if total is not None and total >= made:
        return TokenCounts(total - made, made)
    names = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
    given = [as_count(members.get(name)) for name in names]
    return None if given[0] is None else TokenCounts(sum(item or 0 for item in given), made)


def cached_of(usage: Any) -> int:
    """Input tokens of a model call that were read from a cache."""
    return as_count(as_mapping(usage).get("input_tokens_cache_read")) or 0
