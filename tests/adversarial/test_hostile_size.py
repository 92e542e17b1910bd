"""Files that are too large for memory: bounded memory, losses are counted, the rest is read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.adversarial.worlds import read_of, stream
from tests.fuzz import giants

LIMIT_MB = 300
"""Of memory, for one trial of any size."""
LINE = 100 * 1024 * 1024
"""Over every limit of the readers; `make fuzz` does the same with a gigabyte."""
UNDER = 40 * 1024 * 1024
"""Under the limits of size, yet some of it would take thirty times that when decoded."""


@pytest.mark.parametrize("kind", giants.KINDS)
def test_a_giant_is_read_in_bounded_memory(kind: str, tmp_path: Path) -> None:
    """A line, a string, a list or a step without end between two good calls."""
    found = giants.read(kind, LINE, tmp_path)
    assert found.megabytes < LIMIT_MB, f"{found.megabytes} MB of memory for {kind}"
    assert found.calls == 2, "the good calls before and after it were lost"
    assert found.problems, "something was left out and nothing says so"


@pytest.mark.parametrize("kind", ["a line of objects", "a step of a list"])
def test_what_would_grow_when_decoded_is_not_decoded(kind: str, tmp_path: Path) -> None:
    """40 MB of `{"a":1},` took 1.2 GB: its values are counted before it is decoded."""
    found = giants.read(kind, UNDER, tmp_path)
    assert found.megabytes < LIMIT_MB, f"{found.megabytes} MB of memory for {kind}"
    assert found.calls == 2 and found.problems


def test_a_transcript_of_many_lines_is_a_stream(tmp_path: Path) -> None:
    """Fifty thousand short lines of noise around two calls."""
    text = stream("/workspace/src/a.py") + "noise\n" * 50_000 + read_of("/workspace/src/b.py", 2)
    path = tmp_path / "agent/claude-code.txt"
    path.parent.mkdir()
    path.write_text(text)
    found = giants.measured(tmp_path)
    assert found.megabytes < LIMIT_MB
    assert found.calls == 2


def test_the_measure_sees_memory() -> None:
    """Were the measure blind, the tests above would prove nothing."""
    program = f"{giants.MEASURE}\nx = bytearray(400 * 1024 * 1024)\nprint(peak())"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert int(ran.stdout) > 400
