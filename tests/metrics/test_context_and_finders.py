"""Context, finders and subagents: computed by hand, and compared with a simple recount (D73 to
D75)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, structs

from groundtrace.documents.events import Access, ContextChange, EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from tests.metrics.builders import metrics_of, step, trial

A, B, C, OTHER = "src/a.py", "src/b.py", "src/c.py", "docs/x.md"
TRUTH = (A, B, C)


def call(
    *accesses: Access,
    tool: str = "Read",
    chars: int | None = None,
    server: str | None = None,
    agent: str | None = None,
    call_id: str | None = None,
) -> dict[str, Any]:
    return {
        **step(tool=tool, mcp=server is not None),
        "accesses": list(accesses),
        "is_subagent": agent is not None,
        "call_id": call_id,
        "result_chars": UNSET if chars is None else chars,
        "agent": UNSET if agent is None else agent,
        "mcp_server": UNSET if server is None else server,
    }


def look(
    file: str, lines: tuple[int, int] | None = None, chars: int | None = None, kind: str = "read"
) -> Access:
    return Access(
        file=file,
        kind=kind,
        ground_truth_file=file if file in TRUTH else UNSET,
        line_start=lines[0] if lines else UNSET,
        line_end=lines[1] if lines else UNSET,
        shown_chars=UNSET if chars is None else chars,
    )


def write(file: str) -> dict[str, Any]:
    return call(look(file, kind="written"), tool="Edit", chars=0)


def made(*calls: dict[str, Any], changes: list[ContextChange] | None = None) -> EventsDocument:
    document = trial(*calls, truth=TRUTH, version="1.2")
    return structs.replace(document, context_changes=UNSET if changes is None else changes)


def sections(*calls: dict[str, Any], **more: Any) -> MetricsDocument:
    return metrics_of(made(*calls, **more))


# --- context ----------------------------------------------------------------------------------


def test_characters_worked_by_hand() -> None:
    found = sections(
        call(tool="Bash", chars=300),
        call(look(OTHER, (1, 10), 100), chars=100),
        call(look(A, (1, 10), 400), chars=410, tool="mcp__s__read", server="s"),
        call(look(A, (6, 15), 200), look(OTHER, (1, 5), 60), chars=290, tool="Grep"),
    ).context_metrics
    assert (found.chars_shown, found.chars_relevant) == (1100, 600)
    assert found.relevant_chars_share == 600 / 1100
    assert found.chars_to_first_relevant == 400
    # 5 of 10 lines of a again: 100; all 5 lines of x again: 60; of 100 + 400 + 200 + 60
    assert found.repeated_chars_share == 160 / 760
    assert found.by_server["s"].relevant == 400
    assert (found.by_server["none"].shown, found.by_server["none"].relevant) == (690, 200)
    assert (found.by_tool["Bash"].shown, found.by_tool["Bash"].relevant) == (300, 0)
    assert (found.by_kind["read"].shown, found.by_kind["read"].relevant) == (760, 600)


def test_lines_that_one_call_shows_twice_are_not_repeated() -> None:
    """`cat a; grep x a` is one result. Repeated is what an earlier result had shown."""
    both = call(look(A, (1, 10), 100), look(A, (4, 5), 20, "matched"), chars=120)
    once = sections(both)
    assert once.context_metrics.repeated_chars_share == 0
    assert once.published_metrics.contextbench_line_redundancy == 0
    twice = sections(both, call(look(A, (9, 12), 40), chars=40))
    assert twice.context_metrics.repeated_chars_share == 20 / 160, "2 of 4 lines: 20 of 40"
    # The first call shows 10 lines, the second 4 lines, of which 2 were shown before.
    assert twice.published_metrics.contextbench_line_redundancy == 2 / 14


def test_sizes_that_are_not_known_make_no_number() -> None:
    unknown = sections(call(look(A, (1, 2)), chars=50), call(look(B, (1, 2), 9), chars=9))
    found = unknown.context_metrics
    assert (found.relevant_chars_share, found.chars_shown) == (None, None)
    assert found.undefined["relevant_chars_share"] == "chars_unknown"
    assert found.repeated_chars_share is None
    assert found.chars_to_first_relevant == 0, "answers before it are known: none"
    assert sections(call(look(OTHER, (1, 2), 5))).context_metrics.undefined == {
        "chars_to_first_relevant": "never_hit",
        "relevant_in_context_at_first_edit": "nothing_written",
    }
    no_sizes = sections(call(look(OTHER)), call(look(A))).context_metrics
    assert no_sizes.chars_to_first_relevant is None


def compacted(after: int, dropped: list[int] | None) -> list[ContextChange]:
    return [ContextChange(after_step=after, kind="compaction", dropped_steps=dropped)]


@pytest.mark.parametrize(
    ("changes", "share"),
    [
        (None, 2 / 3),
        (compacted(0, [0]), 1 / 3),
        (compacted(1, [0, 1]), 0.0),
        (compacted(2, [0, 1, 2]), 2 / 3),
        (compacted(1, None), None),
        (compacted(0, None), None),
    ],
    ids=["none", "first dropped", "both dropped", "after the edit", "unknown", "one in doubt"],
)
def test_what_is_in_context_at_the_first_edit(
    changes: list[ContextChange] | None, share: float | None
) -> None:
    calls = (call(look(A, (1, 2), 9)), call(look(B, kind="matched")), write(A), call(look(C)))
    found = sections(*calls, changes=changes).context_metrics
    assert found.relevant_in_context_at_first_edit == share
    assert found.first_edit_step == 2
    why = found.undefined.get("relevant_in_context_at_first_edit")
    assert why == ("context_unknown" if share is None else None)


def test_the_context_of_a_subagent_is_not_that_of_the_main_thread() -> None:
    found = sections(call(look(A), agent="x"), call(look(B)), write(B)).context_metrics
    assert found.relevant_in_context_at_first_edit == 1 / 3
    inside = sections(call(look(A), agent="x"), {**write(B), "is_subagent": True, "agent": "x"})
    assert inside.context_metrics.relevant_in_context_at_first_edit == 1 / 3


# --- finders ----------------------------------------------------------------------------------


def test_first_finders_by_hand() -> None:
    found = sections(
        call(look(A, kind="surfaced"), tool="Glob"),
        call(look(A), look(B), tool="mcp__s__search", server="s"),
        call(look(B), tool="mcp__s__read", server="s", agent="x"),
        write(C),
    ).discovery
    a, b, c = found.files
    assert (a.first_met.tool, a.first_met.kind, a.first_met.step) == ("Glob", "surfaced", 0)
    assert (a.first_shown.tool, a.first_shown.mcp_server) == ("mcp__s__search", "s")
    assert (b.first_met.step, b.first_met.agent, b.agents) == (1, None, ["main", "x"])
    assert (a.mcp_servers, b.mcp_servers) == (["none", "s"], ["s"])
    assert (c.first_met, c.first_shown, c.tools) == (None, None, []), "a write finds nothing"
    assert (found.found_first_by_mcp, found.shown_first_by_mcp) == (1 / 3, 2 / 3)
    assert (found.found_only_by_mcp, found.found_first_by_subagents) == (1 / 3, 0)


# --- subagents --------------------------------------------------------------------------------


def test_subagents_by_hand() -> None:
    found = sections(
        call(look(A)),
        call(tool="Task", chars=70, call_id="t1"),
        call(look(A), chars=10, agent="t1"),
        call(look(B), chars=20, agent="t1"),
        call(look(C, kind="surfaced"), chars=5, agent="t2"),
        call(look(B)),
    ).subagent_metrics
    assert (found.main_thread_recall, found.found_only_by_subagents) == (2 / 3, 1 / 3)
    assert found.subagent_findings_used == 1 / 3, "b came back; a was met before and not again"
    one, two = found.agents
    assert (one.agent, one.calls, one.result_chars, one.returned_chars) == ("t1", 2, 30, 70)
    assert (one.relevant_met, one.relevant_read, one.came_back) == ([A, B], [A, B], [B])
    assert (two.relevant_met, two.relevant_read, two.files_read) == ([C], [], 0)
    assert two.returned_chars is None


def test_without_subagents_there_is_no_number() -> None:
    found = sections(call(look(A))).subagent_metrics
    assert (found.reason, found.main_thread_recall, found.agents) == ("no_subagents", None, [])


# --- a plain recount --------------------------------------------------------------------------

LOOKS = st.tuples(
    st.sampled_from([A, B, C, OTHER]),
    st.sampled_from(["read", "matched", "surfaced", "written"]),
    st.sampled_from([None, "s"]),
    st.sampled_from([None, "x", "y"]),
    st.integers(1, 9),
    st.integers(1, 50),
)


@given(st.lists(LOOKS, min_size=1, max_size=10))
def test_what_came_back_against_a_recount(looks: list[tuple[Any, ...]]) -> None:
    found = sections(*(call(look(f, kind=kind), agent=agent) for f, kind, _, agent, _, _ in looks))
    met = [(f, agent) for f, kind, _, agent, _, _ in looks if kind != "written"]
    for work in found.subagent_metrics.agents:
        mine = [n for n, (_, agent) in enumerate(met) if agent == work.agent]
        assert work.came_back == sorted(
            f for f in TRUTH if any(met[n][0] == f and (f, None) in met[n:] for n in mine)
        )


@given(st.lists(LOOKS, min_size=1, max_size=10))
def test_against_a_recount(looks: list[tuple[Any, ...]]) -> None:
    calls = [
        call(look(f, (n, n), size, kind), chars=size, server=server, agent=agent)
        for f, kind, server, agent, n, size in looks
    ]
    found = sections(*calls)
    met = {f: [row for row in looks if row[0] == f and row[1] != "written"] for f in TRUTH}
    only = [f for f in TRUTH if met[f] and all(row[2] for row in met[f])]
    first = [f for f in TRUTH if met[f] and met[f][0][2]]
    assert found.discovery.found_only_by_mcp == len(only) / 3
    assert found.discovery.found_first_by_mcp == len(first) / 3
    main = [f for f in TRUTH if any(row[3] is None for row in met[f])]
    both = [f for f in TRUTH if met[f]]
    if any(row[3] for row in looks):
        work = found.subagent_metrics
        assert work.main_thread_recall == len(main) / 3
        assert work.found_only_by_subagents == (len(both) - len(main)) / 3
        recall = found.file_level_metrics.file_recall
        assert recall == pytest.approx(work.main_thread_recall + work.found_only_by_subagents)
    seen: set[tuple[str, int]] = set()
    again = whole = 0
    for f, kind, _, _, n, size in looks:
        if kind in ("read", "matched"):
            whole += size
            again += size if (f, n) in seen else 0
            seen.add((f, n))
    share = found.context_metrics.repeated_chars_share
    if whole and not any(row[1] == "written" for row in looks):
        assert share == again / whole
    assert share is None or 0 <= share <= 1
