"""Usage of a trajectory's steps; each model call counts once (D9)."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import field

from groundtrace.base.values import as_count, as_mapping, as_text
from groundtrace.traces.atif.harness import dialect_of
from groundtrace.traces.atif.steps import Loaded, Step
from groundtrace.traces.kit.ledger import Ledger, TokenCounts

_COLLAPSED = ("ATIF-v1.0", "ATIF-v1.1", "ATIF-v1.2")
"""Versions with one step per content block, for every harness."""


class StepTokens(msgspec.Struct):
    """Writes the usage of steps into the ledger of the source."""

    ledger: Ledger
    subagent: bool
    collapse: bool
    """Whether each content block is a step with the usage of the whole message. Steps in a row with
    equal usage then are one model call; there is no message id that shows it."""
    add_creation: bool
    """Whether `prompt_tokens` lacks cache creation: 14,003 where the prompt was 33,630."""
    usage_once_an_answer: bool
    """Whether a step without usage is a further call of the same model answer, not a gap."""
    last: tuple[int, int, int] | None = field(default=None)
    model_call: object = None
    """Key of the model call that the last step belongs to."""

    @classmethod
    def for_trajectory(cls, loaded: Loaded, ledger: Ledger, *, subagent: bool) -> StepTokens:
        dialect = dialect_of(loaded)
        version = as_text(loaded.schema_version) or ""
        steps = [step for step in loaded.steps if isinstance(step, Step)]
        return cls(
            ledger,
            subagent,
            collapse=dialect.repeats_usage or version in _COLLAPSED,
            add_creation=any(_leaves_creation_out(step.metrics) for step in steps),
            usage_once_an_answer=dialect.usage_once_an_answer,
        )

    def step(self, step: Step) -> None:
        """Account for one step."""
        if step.source == "corpus_builder":
            # A placeholder for steps that were removed: their usage is unknown.
            self.ledger.interrupt()
            self.last = None
            return
        if step.source in ("user", "system"):
            self.last = None
            return
        if step.llm_call_count == 0 and step.llm_call_count is not False:
            return
        metrics = as_mapping(step.metrics)
        prompt = as_count(metrics.get("prompt_tokens"))
        if prompt is None:
            if not self.usage_once_an_answer and step.tool_calls:
                self.ledger.interrupt()
            return
        extra = as_mapping(metrics.get("extra"))
        created = as_count(extra.get("cache_creation_input_tokens")) or 0
        cached = as_count(metrics.get("cached_tokens")) or 0
        key = (prompt, cached, created)
        if not (self.collapse and key == self.last):
            self.model_call = object()
        self.last = key
        counts = TokenCounts(
            prompt + (created if self.add_creation else 0),
            as_count(metrics.get("completion_tokens")) or 0,
        )
        self.ledger.add(self.model_call, counts, subagent=self._is_subagent(step))

    def _is_subagent(self, step: Step) -> bool:
        return self.subagent or as_mapping(step.extra).get("is_sidechain") is True


def _leaves_creation_out(metrics: Any) -> bool:
    """Whether a prompt is smaller than its cached and created parts, so it cannot include both."""
    metrics = as_mapping(metrics)
    prompt = as_count(metrics.get("prompt_tokens"))
    created = as_count(as_mapping(metrics.get("extra")).get("cache_creation_input_tokens"))
    cached = as_count(metrics.get("cached_tokens")) or 0
    return prompt is not None and created is not None and prompt < cached + created
