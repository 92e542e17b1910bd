"""Model calls from running totals (D86).

`token_count` states the total so far, once or several times for each model call, and sometimes not
at all. The difference to the total before it is the tokens of one model call. It comes before the
calls of its reply in 0.40 and 0.47, and after them in 0.66.
"""

from __future__ import annotations

from groundtrace.base.values import as_count
from groundtrace.traces.codex.lines import Counts, Info
from groundtrace.traces.kit.ledger import Ledger, TokenCounts
from groundtrace.traces.source import RawCall


class Totals:
    """The totals of one rollout, and which calls each of them covers."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.last = TokenCounts(0, 0)
        self.cached = 0
        self.cached_at: list[int] = []
        """What came from a cache so far, at each model call."""
        self.is_counted = False
        """Whether the total of the current reply has come."""
        self.waiting: list[RawCall] = []
        """Calls of a reply whose total has not come yet."""
        self.is_answered = False
        """Whether one of the waiting calls has an answer."""
        self.is_known = True

    def call(self, call: RawCall) -> None:
        """Add a call of the current reply."""
        call.position = -1
        if self.is_counted:
            call.position = self.ledger.position
        else:
            self.waiting.append(call)

    def answer(self) -> None:
        """Note an answer: the reply before it is complete."""
        self.is_counted = False
        self.is_answered = bool(self.waiting)

    def turn(self) -> None:
        """Note that the model is asked again: a total that has not come yet will not come."""
        self.is_counted = False
        self.is_answered = False
        self.waiting.clear()

    def total(self, info: Info | None) -> None:
        """Read a total so far; a repeated one adds nothing."""
        usage = None if info is None else info.total
        last = self.last
        if info is None or usage is None:
            return
        if usage.input_tokens == last.input and usage.output_tokens == last.output:
            return
        found = _counts(usage)
        if found is None:
            return
        added = TokenCounts(found.input - last.input, found.output - last.output)
        if added.input < 0 or added.output < 0:
            # The count started again. All of it is new if it is the last call's tokens alone.
            if _counts(info.last) != found:
                self.ledger.interrupt()
                self.is_known = False
            added = found
        self.cached = as_count(usage.cached_input_tokens) or 0
        self.last = found
        self.ledger.add(len(self.ledger.order), added)
        self.cached_at.append(self.cached)
        for call in self.waiting:
            call.position = self.ledger.position
        # A total that comes after an answer belongs to the reply before that answer.
        self.is_counted = not self.is_answered
        self.is_answered = False
        self.waiting.clear()


def _counts(usage: Counts | None) -> TokenCounts | None:
    """Tokens so far; the input includes tokens from a cache."""
    if usage is None:
        return None
    given, made = as_count(usage.input_tokens), as_count(usage.output_tokens)
    return None if given is None or made is None else TokenCounts(given, made)
