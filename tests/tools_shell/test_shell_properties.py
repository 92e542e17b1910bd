"""Random compositions of readers, held against what bash really printed.

Every line of the scratch files is unique, so the output alone says which lines of which file were
shown. What the evidence claims must be just these lines, wherever it claims any (D7).
"""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.tools.shell import shell_refs
from tests.tools_shell.shell_scratch import environment

SIZES = {"a.txt": 60, "b.py": 35, "c.md": 12}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("scratch")
    for name, size in SIZES.items():
        lines = [f"{name} unique line {n} of {size}" for n in range(1, size + 1)]
        (root / name).write_text("".join(f"{line}\n" for line in lines))
    return root


@st.composite
def _stages(draw: st.DrawFn, size: int) -> tuple[list[str], bool]:
    """Filters over a stream of `size` lines, and whether its lines can be known."""
    out: list[str] = []
    known = True
    left = size
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(["head", "from", "sed", "awk", "cat", "two", "tail"]))
        low = draw(st.integers(1, max(1, left)))
        high = draw(st.integers(low, max(low, left)))
        if kind == "head":
            out.append(f"head -n {high}")
            left = min(left, high)
        elif kind == "from":
            out.append(f"tail -n +{low}")
            left -= low - 1
        elif kind == "sed":
            out.append(f"sed -n '{low},{high}p'")
            left = high - low + 1
        elif kind == "awk":
            out.append(f"awk 'NR>={low} && NR<={high}'")
            left = high - low + 1
        elif kind == "two" and high + 2 <= left:
            out.append(f"sed -n '{low},{high}p;{high + 2}p'")
            left = high - low + 2
        elif kind == "tail":
            out.append(f"tail -n {max(1, left // 2)}")
            known = known and bool(out[:-1]) and any("+" not in stage for stage in out[:-1])
            known = known and not out[0].startswith("cat")
            left = max(1, left // 2)
        else:
            out.append("cat")
    return out, known


@st.composite
def _commands(draw: st.DrawFn) -> tuple[str, bool]:
    """One or more pipelines, with a separator between them."""
    pieces: list[str] = []
    for index in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(sorted(SIZES)))
        stages, _ = draw(_stages(SIZES[name]))
        source = draw(
            st.sampled_from(["cat {}", "cat -n {}", "nl -ba {}", "cat < {}", "sed '' {}"])
        )
        pieces.append(" | ".join([source.format(name), *stages]))
        if draw(st.booleans()):
            pieces.append(f'echo "=== {index} ==="')
    joint = draw(st.sampled_from(["; ", " && ", "\n"]))
    separated = all(
        "echo" in after or "echo" in before for before, after in itertools.pairwise(pieces)
    )
    return joint.join(pieces), separated


def _shown(output: str) -> set[tuple[str, int]]:
    return {(name, int(n)) for name, n in re.findall(r"(\S+) unique line (\d+) of", output)}


def _claimed(
    command: str, output: str, folder: Path
) -> Iterator[tuple[str, int | None, int | None]]:
    view = shell_refs(command, ToolResult(text=output), str(folder), Settings())
    for ref in view.refs:
        assert ref.kind == "read"
        yield Path(ref.path).name, ref.line_start, ref.line_end


@settings(
    max_examples=250, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(drawn=_commands())
def test_claimed_lines_are_the_lines_bash_printed(folder: Path, drawn: tuple[str, bool]) -> None:
    command, separated = drawn
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    shown = _shown(done.stdout)
    claims = list(_claimed(command, done.stdout, folder))
    assert {name for name, _, _ in claims} == {name for name, _ in shown}
    known = {(n, i) for n, low, high in claims if low and high for i in range(low, high + 1)}
    assert known <= shown
    unknown = {name for name, low, _ in claims if low is None}
    if separated:
        assert {(name, n) for name, n in shown if name not in unknown} == {
            (name, n) for name, n in known if name not in unknown
        }
    if separated and " tail -n " not in command.replace("tail -n +", "from "):
        assert not unknown
