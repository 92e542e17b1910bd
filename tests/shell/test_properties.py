"""Random combinations of readers, compared with what bash really printed.

Every line of the scratch files is unique, so the output says which lines of which file were shown.
If the evidence claims lines, they must be exactly these (D7).
"""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from tests.shell.scratch_repository import environment
from tests.shell.views import shell_refs

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
        kind = draw(
            st.sampled_from(["head", "from", "sed", "awk", "cat", "two", "tail", "quit", "drop"])
        )
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
        elif kind == "quit":
            out.append(f"sed '{high}q'")
            left = min(left, high)
        elif kind == "drop" and low > 1:
            out.append(f"sed '1,{low - 1}d'")
            left -= low - 1
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
            st.sampled_from(
                [
                    "cat {}",
                    "cat -n {}",
                    "nl -ba {}",
                    "cat < {}",
                    "sed '' {}",
                    "time cat {}",
                    "env A=b cat {}",
                ]
            )
        )
        pieces.append(" | ".join([source.format(name), *stages]))
        if draw(st.booleans()):
            pieces.append(f'echo "=== {index} ==="')
    joint = draw(st.sampled_from(["; ", " && ", "\n"]))
    separated = all(
        "echo" in after or "echo" in before for before, after in itertools.pairwise(pieces)
    )
    return joint.join(pieces), separated


@st.composite
def _loops(draw: st.DrawFn) -> str:
    """One body for several files, whose names it prints; the words are known or not."""
    words = draw(st.sampled_from(["a.txt b.py c.md", "*.*", "$(ls)", "?.txt c.md"]))
    low = draw(st.integers(1, 10))
    body = draw(
        st.sampled_from(
            [
                "head -n {0} $f", "sed -n '{0},{1}p' \"$f\"", "tail -n +{0} $f | head -n 3", "cat -n $f | sed -n '{0},{1}p'",
                "awk 'NR>={0} && NR<={1}' $f", "(cd . && head -{0} $f)",
            ]
        )
    ).format(low, low + 2)  # fmt: skip
    heading = draw(
        st.sampled_from(['echo "== $f =="', 'printf "### %s\\n" "$f"', "echo; echo $f:"])
    )
    end = draw(st.sampled_from(["", "; echo end", " | cat"]))
    return f"for f in {words}; do {heading}; {body}; done{end}"


@st.composite
def _searches(draw: st.DrawFn) -> str:
    """A search of files or of a stream, and filters behind it."""
    pattern = draw(
        st.sampled_from(["unique", "'line [1-3]'", "'1 of'", "-i UNIQUE", "-F 'line 2'"])
    )
    source = draw(
        st.sampled_from(
            [
                "grep -n {0} a.txt", "grep -n {0} a.txt b.py", "grep -rn {0} .", "cat b.py | grep -n {0}",
                "grep -Hn {0} c.md", "find . -name '*.py' | xargs grep -Hn {0}", "grep -n -A1 {0} a.txt",
                "find . -type f -exec grep -Hn {0} {{}} +", "sed -n '3,9p' a.txt | grep {0}",
            ]
        )
    ).format(pattern)  # fmt: skip
    filters = draw(
        st.lists(
            st.sampled_from(
                [
                    "head -n 7",
                    "tail -n 3",
                    "sort",
                    "grep -v 'line 1 '",
                    "sed -n '2,5p'",
                    "cat",
                    "tac",
                    "cut -c1-60",
                ]
            ),
            max_size=3,
        )
    )
    return " | ".join([source, *filters])


def _run(command: str, folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def _shown(output: str) -> set[tuple[str, int]]:
    return {(name, int(n)) for name, n in re.findall(r"([abc]\.\w+) unique line (\d+) of", output)}


def _numbers_go_on(output: str) -> bool:
    """Whether the numbers of one file go on where another ends (`cat -n a; cat -n b | tail -n +36`):
    then nothing says where the first ended."""
    rows = re.findall(r"^\s*(\d+)\s+([abc]\.\w+) unique", output, re.MULTILINE)
    return any(
        first[1] != second[1] and int(second[0]) > int(first[0])
        for first, second in itertools.pairwise(rows)
    )


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
    output = _run(command, folder)
    assume(separated or not _numbers_go_on(output))
    shown = _shown(output)
    claims = list(_claimed(command, output, folder))
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


@settings(
    max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(command=_loops())
def test_the_rounds_of_a_loop_claim_the_lines_bash_printed(folder: Path, command: str) -> None:
    output = _run(command, folder)
    shown = _shown(output)
    view = shell_refs(command, ToolResult(text=output), str(folder), Settings())
    read = [ref for ref in view.refs if ref.kind == "read"]
    assert {Path(ref.path).name for ref in read} == {name for name, _ in shown}
    lines = {
        (Path(ref.path).name, number)
        for ref in read
        if ref.line_start and ref.line_end
        for number in range(ref.line_start, ref.line_end + 1)
    }
    assert lines <= shown


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(command=_searches())
def test_a_filtered_search_claims_the_files_and_lines_bash_printed(
    folder: Path, command: str
) -> None:
    """First and last line of each file, where lines are told."""
    output = _run(command, folder)
    shown: dict[str, list[int]] = {}
    for name, number in _shown(output):
        shown.setdefault(name, []).append(number)
    view = shell_refs(command, ToolResult(text=output), str(folder), Settings())
    assert {Path(ref.path).name for ref in view.refs} == set(shown)
    for ref in view.refs:
        assert ref.kind == "matched"
        if ref.line_start is not None:
            numbers = shown[Path(ref.path).name]
            assert (ref.line_start, ref.line_end) == (min(numbers), max(numbers))
