"""The message for a wrong name suggests the right one."""

from __future__ import annotations

from groundtrace.base.suggest import unknown_name


def test_an_unknown_name_is_answered_with_the_nearest_and_all_others() -> None:
    said = unknown_name("metric", "Recal@10", ["mrr", "recall@10"])
    assert said == "unknown metric 'Recal@10'; nearest is 'recall@10' (known: mrr, recall@10)"


def test_where_nothing_is_known_nothing_is_near() -> None:
    assert unknown_name("table", "x", []) == "unknown table 'x' (known: )"
