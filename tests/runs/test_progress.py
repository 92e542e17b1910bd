"""Progress: a bar with rate and time left on a terminal, plain lines elsewhere, quiet when asked."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.cli import terminal
from groundtrace.cli.terminal import Progress
from groundtrace.runs.session import with_last
from tests.conftest import Ran

PROGRAM = """
import time
from groundtrace.cli.terminal import Progress
with Progress("working", show=True) as progress:
    progress.add_total(40)
    for _ in range(40):
        time.sleep(0.02)
        progress.advance()
"""


def test_a_terminal_sees_a_bar_with_count_rate_and_time_left() -> None:
    leader, follower = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stderr=follower, env=environment)
    os.close(follower)
    seen: list[bytes] = []

    def read() -> None:
        try:
            while block := os.read(leader, 4096):
                seen.append(block)
        except OSError:  # the other end is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    assert process.wait(60) == 0
    reader.join(10)
    os.close(leader)
    text = b"".join(seen).decode()
    assert "working" in text
    assert "/40" in text
    assert "/s" in text
    assert "0:00:0" in text


def test_elsewhere_plain_lines_say_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("normalizing", show=True) as progress:
        progress.add_total(1000)
        for _ in range(1000):
            progress.advance()
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[0] == "normalizing: 100 of 1,000"
    assert 9 <= len(lines) <= 11
    assert "\x1b" not in err


def test_small_work_and_quiet_work_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for show, total in ((True, 20), (False, 1000)):
        with Progress("normalizing", show=show) as progress:
            progress.add_total(total)
            progress.advance(total)
    assert capsys.readouterr() == ("", "")


def test_each_stage_says_a_line_in_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("running", show=True) as progress:
        for name, unit, total in (("reading", "trials", 3), ("comparing", "analyses", 1)):
            progress.stage(name, unit)
            progress.add_total(total)
            progress.advance(total)
    assert capsys.readouterr().err.splitlines() == ["reading: 3 trials", "comparing: 1 analysis"]


def test_a_total_that_still_grows_is_not_said(capsys: pytest.CaptureFixture[str]) -> None:
    """“900 of 1,000” of 20,000 was wrong twenty times."""
    with Progress("running", show=True) as progress:
        progress.stage("reading", "trials")
        progress.add_total(1000, final=False)
        progress.advance(1000)
        assert capsys.readouterr().err == ""
        progress.add_total(500)
        progress.advance(250)
        progress.advance(250)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["reading: 1,250 of 1,500", "reading: 1,500 trials"]


def test_the_stages_of_a_run_are_named_with_true_totals(
    groundtrace: Callable[..., Ran], sample: Path
) -> None:
    ran = groundtrace("run", sample / "runs/official", "--tasks", sample / "benchmarks")
    assert ran.code == 0, ran.err
    stages = [line for line in ran.err.splitlines() if ": " in line][:5]
    assert stages == [
        "discovering: 1 run",
        "reading: 24 trials",
        "evaluating: 1 run",
        "comparing: 2 analyses",
        "report: 4 files",
    ]


@given(sizes=st.lists(st.integers(1, 9), max_size=6))
def test_the_last_batch_is_known_as_such(sizes: list[int]) -> None:
    found = list(with_last(iter([[n] * n for n in sizes])))
    assert [len(batch) for batch, _ in found] == sizes
    assert [last for _, last in found] == [False] * (len(sizes) - 1) + [True] * bool(sizes)


def test_a_command_that_fails_at_once_says_its_error_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(ValueError, match="full"), Progress("running", show=True) as progress:
        progress.stage("discovering", "runs")
        progress.advance()
        progress.stage("reading", "trials")
        raise ValueError("full")
    assert capsys.readouterr().err == ""


def test_long_work_says_its_stages_while_it_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Progress("running", show=True) as progress:
        progress.stage("discovering", "runs")
        progress.advance()
        monkeypatch.setattr(terminal, "SOON", -1.0)
        progress.stage("reading", "trials")
        assert capsys.readouterr().err == "discovering: 1 run\n"
