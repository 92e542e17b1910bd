"""Counting each model call once (D9).

A ledger lists the model calls of a source in the order of their first appearance. A tool call
remembers how many model calls came before it; its cumulative tokens are the sum over these. Usage
is repeated on several lines of one message, and grows, so the last one counts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import msgspec
from msgspec import field


class TokenCounts(msgspec.Struct, frozen=True):
    """Tokens of one model call."""

    input: int
    """Input with cache creation and cache reads."""
    output: int

    @property
    def total(self) -> int:
        return self.input + self.output


class Ledger(msgspec.Struct):
    """The model calls of one source, in order."""

    order: list[Hashable] = field(default_factory=list)
    counts: dict[Hashable, TokenCounts | None] = field(default_factory=dict)
    subagents: set[Hashable] = field(default_factory=set)
    agents: dict[Hashable, str] = field(default_factory=dict)
    """Model call of a subagent to the call that started it, where the source says so."""
    last_of_agent: dict[str, TokenCounts] = field(default_factory=dict)
    """The same starting call to its subagent's last model call, as the result states it."""
    broken_from: int | None = None
    """Usage was lost after this many model calls: totals are unknown from there on."""

    @property
    def position(self) -> int:
        """How many model calls were seen so far; -1 if that is no longer known."""
        return len(self.order) if self.broken_from is None else -1

    def add(
        self,
        key: Hashable,
        counts: TokenCounts | None,
        *,
        subagent: bool = False,
        agent: str | None = None,
    ) -> None:
        """Add a line of the model call `key`; later usage of a call replaces earlier usage."""
        if key not in self.counts:
            self.order.append(key)
            self.counts[key] = counts
            if subagent:
                self.subagents.add(key)
            if agent is not None:
                self.agents[key] = agent
        elif counts is not None:
            self.counts[key] = counts

    def interrupt(self) -> None:
        """Note that usage may have been lost here: what follows has no total."""
        if self.broken_from is None:
            self.broken_from = len(self.order)

    def improve(self, others: Iterable[Ledger]) -> None:
        """Take the usage of a call from the ledger that states it in full.

        Stream lines hold a placeholder for output tokens. The session log's last line of the same
        message holds the true number, which is never smaller.
        """
        for other in others:
            for key, counts in other.counts.items():
                mine = self.counts.get(key)
                if counts is None or key not in self.counts:
                    continue
                if mine is None or counts.total > mine.total:
                    self.counts[key] = counts

    def counts_at(self, position: int) -> TokenCounts | None:
        """Tokens of the last model call before a tool call at this position."""
        return self.counts[self.order[position - 1]] if 0 < position <= len(self.order) else None

    def set_counts_at(self, position: int, counts: TokenCounts) -> None:
        """Replace these tokens."""
        if 0 < position <= len(self.order):
            self.counts[self.order[position - 1]] = counts

    def totals(self) -> list[int | None]:
        """Cumulative tokens after 0, 1, 2 … model calls; None where they are unknown."""
        end = len(self.order) if self.broken_from is None else self.broken_from
        # If no model call came before a tool call, the source does not record model calls.
        result: list[int | None] = [None]
        total = 0
        for key in self.order[:end]:
            counts = self.counts[key]
            if counts is None:
                break
            total += counts.total
            result.append(total)
        return result

    def total_at(self, position: int, totals: list[int | None]) -> int | None:
        """The total for a tool call with that many model calls before it."""
        return totals[position] if 0 <= position < len(totals) else None

    def main_input(self) -> int | None:
        """Input tokens of the main thread, each model call once."""
        if self.broken_from is not None:
            return None
        total = 0
        for key in self.order:
            if key in self.subagents:
                continue
            counts = self.counts[key]
            if counts is None:
                return None
            total += counts.input
        return total if self.order else None

    def agent_inputs(self) -> dict[str, int]:
        """Input tokens of each subagent, each model call once, by the call that started it.

        The stream leaves out a subagent's last turn, whose usage the result states. A subagent
        without such a result, or with a model call without usage, is left out.
        """
        if self.broken_from is not None:
            return {}
        found: dict[str, int] = {}
        for agent, last in self.last_of_agent.items():
            own = [self.counts[key] for key, starter in self.agents.items() if starter == agent]
            if not own or None in own:
                continue
            inputs = [counts.input for counts in own if counts is not None]
            # A version that does show the last turn is not counted twice.
            found[agent] = sum(inputs) + (0 if last.input in inputs else last.input)
        return found

    def main_output(self) -> int | None:
        """Output tokens of the main thread as the calls state them."""
        if self.broken_from is not None or not self.order:
            return None
        stated = [self.counts[key] for key in self.order if key not in self.subagents]
        return None if None in stated else sum(counts.output for counts in stated if counts)
