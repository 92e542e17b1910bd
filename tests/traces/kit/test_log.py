"""Calls joined with answers, and every loss reported once."""

from __future__ import annotations

from groundtrace.base.jsonl import RawLine
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.ledger import TokenCounts
from groundtrace.traces.kit.log import Log
from groundtrace.traces.source import Source


def new_log() -> Log:
    return Log(Source("a.jsonl", "transcript", "x", parsed=True), Keep())


def test_a_call_has_its_place_in_order_and_among_model_calls() -> None:
    log = new_log()
    log.source.ledger.add("m1", TokenCounts(3, 4))
    first = log.call("Read", {"path": "a.py"}, "c1", "docs", 5.0)
    second = log.call("Bash", {"command": "ls"})
    log.answer(log.by_id["c1"], "import db", data={"a": 1})
    assert log.source.calls == [first, second]
    assert (first.position, first.made_at, first.server) == (1, 5.0, "docs")
    assert first.result is not None and first.result.text == "import db"
    assert second.result is None and list(log.by_id) == ["c1"]
    assert list(log.source.mcp_servers) == ["docs"]


def test_an_id_that_is_used_again_means_the_last_call() -> None:
    log = new_log()
    log.call("Read", {}, "c1")
    again = log.call("Bash", {}, "c1")
    assert log.by_id["c1"] is again and len(log.source.calls) == 2


def test_losses_are_reported_with_their_first_lines() -> None:
    log = new_log()
    log.lines = 6
    log.noise(2)
    log.noise(3)
    log.orphan(4)
    log.orphan(5)
    log.broken(RawLine(6, 90, b'{"a"', 4, False), "cut", 2)
    log.broken(RawLine(7, 95, b'{"a"}', 5, True), "odd", -1)
    log.unusable("a call whose name cannot be used", line=8, place="$.name")
    log.finish()
    assert [(p.kind, p.line, p.lost_calls) for p in log.source.problems] == [
        ("truncated_line", 6, 2),
        ("broken_line", 7, 0),
        ("wrong_type", 8, 1),
        ("non_json_lines", 2, 0),
        ("orphan_results", 4, 0),
    ]
    assert log.source.problems[-1].reason == "2 results answer no call of the file"


def test_a_file_without_lines_is_empty() -> None:
    log = new_log()
    log.finish()
    assert [problem.kind for problem in log.source.problems] == ["empty_file"]
