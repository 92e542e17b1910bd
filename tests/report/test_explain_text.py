"""`explain` in the terminal: every stage of one trial; without colours in files and pipes."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from groundtrace.report import formats
from groundtrace.report.explain_text import render
from tests.conftest import Ran
from tests.report.pages import HOSTILE, SECRET

Call = Callable[..., Ran]


def trial_of(sample: Path, name: str, config: str) -> Path:
    return next((sample / "runs/official").glob(f"*/{config}/*/*{name}*"))


@pytest.fixture
def explained(groundtrace: Call, sample: Path) -> Callable[..., Ran]:
    def call(*flags: object) -> Ran:
        folder = trial_of(sample, "rate-limit-trace-004", "baseline-local-direct")
        ran = groundtrace("explain", folder, "--tasks", sample / "benchmarks", *flags)
        assert ran.code == 0, ran.err
        return ran

    return call


def test_every_stage_has_its_section(explained: Callable[..., Ran]) -> None:
    text = explained().out
    titles = [line for line in text.splitlines() if re.fullmatch(r"[A-Z][a-z ]+", line)]
    assert titles == [
        "Identity",
        "Trace",
        "Ground truth",
        "Outcome",
        "Calls",
        "Ranking",
        "Metrics",
    ]
    assert "result.json task_name" in text, "identity with its evidence"
    assert "source: tests/ground_truth.json (high confidence), 4 files" in text
    assert "missed: berth-ui::src/api/client.ts" in text


def test_the_ranking_can_be_counted_off(explained: Callable[..., Ran]) -> None:
    """As many ranks as the list has files, and the arithmetic of recall is theirs."""
    text = explained().out
    retrieved = text.partition("met: ")[2].partition("shown: ")[0]
    ranks = re.findall(r"^ +(\d+)  ", retrieved, re.MULTILINE)
    assert [int(rank) for rank in ranks] == list(range(1, len(ranks) + 1))
    assert retrieved.startswith(f"{len(ranks)} files")
    hits = retrieved.count("  relevant")
    assert re.search(rf"^file_recall +0\.7500 +{hits} of 4 ", text, re.MULTILINE)


def test_json_has_the_same_numbers(explained: Callable[..., Ran]) -> None:
    text, data = explained().out, json.loads(explained("--json").out)
    for metric in data["metrics"]:
        shown = formats.value(metric["metric"], metric["value"])
        assert re.search(
            rf"^{re.escape(metric['metric'])} +{re.escape(shown)} ", text, re.MULTILINE
        )
    assert {"identity", "trace", "ground_truth", "calls", "ranking", "outcome"} <= data.keys()


def test_colour_is_for_terminals_alone(
    explained: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b" not in explained().out
    found = json.loads(explained("--json").out)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert "\x1b[" in render(found)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_trace_cannot_move_the_cursor_or_leak(
    text: str, explained: Callable[..., Ran]
) -> None:
    found = json.loads(explained("--json").out)
    call = found["calls"][0]
    call["tool"] = call["call_id"] = text
    call["arguments"] = {text: text, "command": SECRET}
    call["accesses"][0]["file"] = text
    found["ground_truth"]["files"][0] = text
    found["identity"]["task_name"]["value"] = text
    shown = render(found)
    assert all(line.isprintable() for line in shown.splitlines())
    assert SECRET.partition("=")[2] not in shown
    assert len(shown) < 40_000
