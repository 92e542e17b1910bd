"""Progress: a bar with rate and time left on a terminal, plain lines elsewhere, quiet when asked."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading

import pytest

from groundtrace.cli.terminal import Progress

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
