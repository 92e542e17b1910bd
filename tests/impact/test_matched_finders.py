"""Who found the relevant files of matched tasks (D130): worked by hand, and file by file."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from groundtrace.impact import ImpactOptions, analyse
from tests.impact.trial_rows import row

BASE, OTHER = "baseline-local", "mcp-remote"
GREP, SERVER = ("Grep", "none", "main"), ("mcp__s__find", "s", "main")
AGENT = ("Read", "none", "subagent")


def finders(rows):
    (found, *_) = analyse(
        rows, ImpactOptions(draws=200), generated_at="now", scope="run-1"
    ).matched_comparisons
    return {(f.by, f.finder): f for f in found.finders}


def trial(task, config, found, **more):
    return replace(row(task, config, **more), found_by=found)


def test_what_the_server_found_that_grep_did_not() -> None:
    """Three tasks of two files. The server meets b in each; grep never does in two of them."""
    rows = []
    for task, grep in (("t1", {"b": None}), ("t2", {"b": None}), ("t3", {"b": GREP})):
        rows.append(trial(task, BASE, {"a": GREP, **grep}))
        rows.append(trial(task, OTHER, {"a": GREP, "b": SERVER}))
    found = finders(rows)
    server, none = found["server", "s"], found["server", "none"]
    assert (server.n, server.share_baseline, server.share_config) == (3, 0, 0.5)
    assert abs(server.not_in_baseline - (0.5 + 0.5 + 0) / 3) < 1e-12
    assert abs(none.share_baseline - (0.5 + 0.5 + 1) / 3) < 1e-12
    assert (none.share_config, none.not_in_config, none.not_in_baseline) == (0.5, 0, 0)
    assert abs(found["tool", "Grep"].delta - (0.5 - 2 / 3)) < 1e-12
    assert ("agent", "subagent") not in found


def test_a_trial_that_says_nothing_of_files_does_not_count_as_finding_none() -> None:
    rows = [
        made
        for task in ("t1", "t2", "t3")
        for made in (
            trial(task, BASE, {} if task == "t1" else {"a": GREP}),
            trial(task, OTHER, {"a": SERVER}),
        )
    ]
    assert finders(rows)["tool", "Grep"].n == 2
    assert finders(rows)["tool", "Grep"].share_baseline == 1


FOUND = st.dictionaries(
    st.sampled_from(["a", "b", "c"]), st.sampled_from([GREP, SERVER, AGENT, None]), min_size=1
)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(FOUND, FOUND), min_size=3, max_size=4))
def test_against_counting_files_one_by_one(tasks) -> None:
    rows = [
        made
        for at, (ours, theirs) in enumerate(tasks)
        for made in (trial(f"t{at}", BASE, ours), trial(f"t{at}", OTHER, theirs))
    ]
    found = finders(rows)
    for place, by in enumerate(("tool", "server", "agent")):
        for name in {who[place] for who in (GREP, SERVER, AGENT)}:
            ours = [sum(bool(w) and w[place] == name for w in t[0].values()) for t in tasks]
            new = [
                sum(bool(w) and w[place] == name and not t[0].get(f) for f, w in t[1].items())
                for t in tasks
            ]
            entry = found.get((by, name))
            share = sum(k / len(t[0]) for k, t in zip(ours, tasks, strict=True)) / len(tasks)
            alone = sum(k / len(t[1]) for k, t in zip(new, tasks, strict=True)) / len(tasks)
            assert abs((entry.share_baseline if entry else 0) - share) < 1e-9
            assert abs((entry.not_in_baseline if entry else 0) - alone) < 1e-9
