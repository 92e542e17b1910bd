"""Input tokens of subagents: each model call once, the last turn from the result (D131)."""

from __future__ import annotations

import pytest

from groundtrace.traces.kit.ledger import Ledger, TokenCounts


def ledger(*turns: tuple[str, int | None], last: int | None = None) -> Ledger:
    made = Ledger()
    made.add("main", TokenCounts(1000, 5))
    for key, tokens in turns:
        counts = None if tokens is None else TokenCounts(tokens, 1)
        made.add(key, counts, subagent=True, agent="call-1")
    if last is not None:
        made.last_of_agent["call-1"] = TokenCounts(last, 40)
    return made


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (ledger(("a", 10), ("b", 25), last=40), {"call-1": 75}),
        (ledger(("a", 10), ("b", 12), ("b", 25), last=40), {"call-1": 75}),
        (ledger(("a", 10), ("b", 40), last=40), {"call-1": 50}),
        (ledger(("a", 10), ("b", 25)), {}),
        (ledger(("a", 10), ("b", None), last=40), {}),
        (ledger(last=40), {}),
    ],
    ids=[
        "the last turn is only in the result",
        "a repeated line counts once",
        "the last turn is shown as well",
        "no result: its last turn is missing",
        "a turn without usage",
        "no turn is shown",
    ],
)
def test_input_tokens_of_a_subagent(made: Ledger, expected: dict[str, int]) -> None:
    assert made.agent_inputs() == expected


def test_lost_usage_makes_all_sums_unknown() -> None:
    made = ledger(("a", 10), last=40)
    made.interrupt()
    assert made.agent_inputs() == {}
