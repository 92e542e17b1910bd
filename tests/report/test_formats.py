"""Numbers are formatted in one place, and a missing number is never a zero (D19, D35)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from groundtrace.documents.answer import AnswerRow
from groundtrace.impact.row_numbers import Numbers
from groundtrace.report import formats
from groundtrace.report.answer_text import shown_rows
from groundtrace.rows.value_columns import distribution
from tests.conftest import Ran


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("file_recall", 0.8095, "0.8095"),
        ("file_recall", 0.0, "0.0000"),
        ("shown.ndcg@10", 1.0, "1.0000"),
        ("reward", -0.5, "−0.5000"),
        ("ttfr_seconds", 7.04, "7.0 s"),
        ("agent_seconds", 99.96, "100 s"),
        ("agent_seconds", 4321.4, "4,321 s"),
        ("ttfr_tokens", 14893.0, "14,893"),
        ("cost_usd", 0.1229, "$0.123"),
        ("cost_usd", 1234.5, "$1,234.50"),
        ("reward", 1e300, "1e+300"),
    ],
)
def test_a_value_is_written_by_its_unit(name: str, value: float, text: str) -> None:
    assert formats.value(name, value) == text


@pytest.mark.parametrize("missing", [None, math.nan, math.inf, -math.inf])
def test_what_is_missing_is_never_a_zero(missing: float | None) -> None:
    """D19: an invented zero is worse than a gap."""
    texts = [formats.value(name, missing) for name in ("file_recall", "cost_usd", "ttfr_seconds")]
    texts += [
        *formats.compared("reward", Numbers(missing, missing, missing)),
        formats.signed(missing),
        formats.p_value(missing),
    ]
    assert set(texts) == {formats.MISSING}
    assert formats.percent(0, 0) == formats.MISSING
    assert formats.interval(None, 0.5) == formats.MISSING


def test_only_nothing_reads_as_nothing_and_everything_as_everything() -> None:
    """72 of 506,280 characters were “0 %”, the others “100 %”, and one file in 36 tasks “0.0”."""
    cases = ((0, "0 %"), (72, "< 1 %"), (253140, "50 %"), (506208, "> 99 %"), (506280, "100 %"))
    assert [formats.percent(part, 506280) for part, _ in cases] == [text for _, text in cases]
    assert formats.brief("file_recall", 0.999) == "> 99 %"
    assert [formats.files(n) for n in (0, 1 / 36, 0.05, 4.04, 17.2)] == [
        *("0", "0.03", "0.1", "4.0", "17"),
    ]


def test_shares_are_not_rounded_twice() -> None:
    """D40: documents hold the exact value, and only what is shown is rounded. The mean of 1/3 and
    0 was 0.1666 while documents held 0.3333."""
    made = distribution([1 / 3, 0.0], {})
    assert (made.mean, formats.share(made.mean)) == (1 / 6, "0.1667")


def test_a_delta_has_its_sign_and_no_change_has_none() -> None:
    change = 2
    assert formats.compared("file_recall", Numbers(0.5, 0.75, 0.25))[change] == "+0.250"
    assert formats.compared("cost_usd", Numbers(0.143, 0.1, -0.043))[change] == "−$0.043"
    assert formats.compared("reward", Numbers(0.5, 0.5, 0.0))[change] == "0.000"


def test_small_p_values_are_bounded_not_zero() -> None:
    assert formats.p_value(0.00004) == "<0.0001"
    assert formats.p_value(0.0625) == "0.0625"


def test_every_heading_has_the_direction_of_its_metric() -> None:
    """D35: lower cost is better."""
    assert formats.heading("cost_usd") == "cost_usd ↓"
    assert formats.heading("shown.ttfr_tokens") == "shown.ttfr_tokens ↓"
    assert formats.heading("mrr") == "mrr ↑"


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("file_recall", 0.8095, "81 %"),
        ("mrr", 0.8095, "0.81"),
        ("reward", -0.5, "−0.50"),
        ("cost_usd", 0.0987, "$0.099"),
        ("cost_usd", 1.436, "$1.44"),
        ("ttfr_seconds", 7.04, "7.0 s"),
        ("reward", None, "–"),
        ("reward", math.nan, "–"),
    ],
)
def test_a_glance_gets_two_or_three_digits(name: str, value: float | None, text: str) -> None:
    assert formats.brief(name, value) == text


def test_markdown_page_and_terminal_show_the_same_number(
    groundtrace: Callable[..., Ran], tmp_path: Path
) -> None:
    """The answer's numbers in the terminal, the Markdown and the page, and one trial's time to its
    first relevant file in the page and in `explain`."""
    ran = groundtrace("demo", "--out", tmp_path)
    assert ran.code == 0, ran.err
    folder = tmp_path / "runs/official/retrieval_events_aggregate"
    markdown = (folder / "retrieval_report.md").read_text(encoding="utf-8")
    page = (folder / "retrieval_report.html").read_text(encoding="utf-8")
    answer = json.loads((folder / "impact_analysis.json").read_text())["answer"]
    shown = " ".join(ran.out.split())
    for text in shown_rows([AnswerRow(**row) for row in answer["rows"]]):
        for place in (shown, " ".join(markdown.split())):
            assert f"{text.label} {text.baseline} → {text.config} {text.verdict}" in place
        cells = "".join(
            f'<td class="right number">{value}</td>' for value in (text.baseline, text.config)
        )
        assert cells in page
        assert f"<strong>{text.change}</strong> <span>{text.interval}</span>" in page
    summary = json.loads((folder / "run_retrieval_summary.json").read_text())
    for config, group in summary["by_config"].items():
        mean = formats.short("file_recall", group["metrics"]["file_recall"]["mean"])
        assert re.search(rf"`{config}` .* {mean} / ", markdown)
        assert f"{mean} / " in page
    assert answer["headline"] in page
    assert answer["headline"] in shown
    table = json.loads(re.search(r'id="table-data">(.*?)</script>', page)[1])
    row = next(row for row in table["rows"] if row[0] == "quay-timeout-fix-001")
    column = [column["name"] for column in table["columns"]].index("ttfr_seconds")
    trial = next((tmp_path / "runs/official").glob(f"*/*/*/{row[1]}"))
    explained = groundtrace("explain", trial, "--tasks", tmp_path / "benchmarks").out
    assert re.search(rf"^ttfr_seconds +{re.escape(row[9][column])} ", explained, re.MULTILINE)
