"""Which folders tell configurations apart."""

from __future__ import annotations

import pytest

from groundtrace.discover.loose import config_level

ROLLOUT = "rollout-2026-05-04T10-00-00-1f.jsonl"
LATER = "rollout-2026-06-11T09-30-00-2a.jsonl"


@pytest.mark.parametrize(
    ("paths", "level"),
    [
        (["with/a.jsonl", "without/a.jsonl"], 0),
        (["all/with/a.jsonl", "all/without/a.jsonl"], 1),
        (["one/a.jsonl", "one/b.jsonl"], None),
        # Codex keeps sessions in folders of year, month and day, wherever RUNS begins.
        ([f"2025/12/31/{LATER}", f"2026/05/04/{ROLLOUT}"], None),
        ([f"2026/05/04/{ROLLOUT}", f"2026/06/11/{LATER}"], None),
        ([f"05/04/{ROLLOUT}", f"06/11/{LATER}"], None),
        ([f"04/{ROLLOUT}", f"11/{LATER}"], None),
        ([f"2026-05-04/{ROLLOUT}", f"2026-06-11/{LATER}"], None),
        (["2026/05/04/a.jsonl", "2026/05/11/b.jsonl"], None),
        # Below the dates, or above them, folders count as everywhere.
        ([f"2026/05/04/x/{ROLLOUT}", f"2026/06/11/y/{LATER}"], 3),
        ([f"with/2026/05/04/{ROLLOUT}", f"without/2026/06/11/{LATER}"], 0),
        # A number that is no date of its file is a name like any other.
        (["04/a.jsonl", "11/a.jsonl"], 0),
        ([f"01/{ROLLOUT}", f"02/{LATER}"], 0),
        (["2025/a.jsonl", "2026/a.jsonl"], 0),
        ([f"2026/05/04/{ROLLOUT}", f"other/{LATER}"], 0),
    ],
)
def test_folders_of_dates_are_no_configurations(paths: list[str], level: int | None) -> None:
    """D145. A folder of sessions of two years was a comparison of 2025 with 2026."""
    assert config_level((path.split("/") for path in paths), [set[str]() for _ in paths]) == level
