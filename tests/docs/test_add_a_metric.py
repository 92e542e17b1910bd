"""The guide for adding a metric, followed exactly on a copy of the package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import examples
import pytest

GUIDE = examples.ROOT / "docs" / "guides" / "add-a-metric.md"
BLOCKS = list(examples.blocks(GUIDE.read_text(encoding="utf-8")))


class Copy:
    """The package and its documentation in a folder of their own, with the guide's changes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ignore = shutil.ignore_patterns("__pycache__")
        for name in ("src", "docs", "schemas"):
            shutil.copytree(examples.ROOT / name, folder / name, ignore=ignore)

    def run(self, *command: str, given: str = "") -> str:
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder / "src"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "GIT_CEILING_DIRECTORIES": str(self.folder.parent),
            "NO_COLOR": "1",
            "COLUMNS": "100",
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            input=given,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """The copy after every change and every command of the guide."""
    made = Copy(tmp_path_factory.mktemp("guide") / "clone")
    for block in BLOCKS:
        if block.language == "diff":
            made.run("git", "apply", "--recount", given="\n".join(block.lines) + "\n")
    return made


def changed_files() -> list[str]:
    return [
        line.removeprefix("+++ b/")
        for block in BLOCKS
        if block.language == "diff"
        for line in block.lines
        if line.startswith("+++ ")
    ]


def holds(output: list[str], shown: tuple[str, ...]) -> bool:
    """Whether the output has the lines that the page shows, in order; `...` leaves lines out."""
    parts = ("\n".join(shown) + "\n").split(f"{examples.ELLIPSIS}\n")
    text = "\n".join(line.rstrip() for line in output) + "\n"
    at = 0
    for part in parts:
        lines = part.strip("\n")
        found = text.find(f"{lines}\n", at) if lines else at
        if found < 0:
            return False
        at = found + len(lines)
    return True


def test_two_files_change() -> None:
    assert changed_files() == [
        "src/groundtrace/documents/metrics.py",
        "src/groundtrace/metrics/file_level/ranked_list.py",
    ]


def test_the_commands_of_the_guide_show_the_metric(copy: Copy) -> None:
    compared = 0
    output: list[str] = []
    for block in BLOCKS:
        if block.language == "sh":
            output = [line for c in block.lines for line in copy.run("bash", "-c", c).splitlines()]
        elif block.language == "text":
            assert holds(output, block.lines), "\n".join(output)
            compared += 1
    assert compared == 2
    documents = list((copy.folder / "demo").rglob("*.retrieval_metrics.json"))
    sections = [json.loads(path.read_text())["file_level_metrics"] for path in documents]
    values = [section["r_precision"] for section in sections if section["computable"]]
    assert len(values) == 75
    assert 0 < sum(values) < len(values)
    copy.run("groundtrace", "validate", *map(str, documents))
    aggregate = copy.folder / "demo/runs/official/retrieval_events_aggregate"
    summary = json.loads((aggregate / "run_retrieval_summary.json").read_text())
    assert summary["overall"]["more_metrics"]["shown.r_precision"]["n"] == 75
    report = (aggregate / "retrieval_report.html").read_text(encoding="utf-8")
    found = report.count("<code>r_precision</code>")
    assert found > 2, "finding, every configuration, the comparison"
    page = (copy.folder / "docs/reference/metrics.md").read_text(encoding="utf-8")
    assert "### R-precision" in page
    assert "r_precision" in (copy.folder / "schemas/retrieval_metrics_schema.json").read_text()


def test_the_example_of_the_guide_is_worked_out_right(copy: Copy) -> None:
    """What `tests/metrics/test_catalogue.py` does for every metric."""
    script = (
        "from groundtrace.metrics import evaluate\n"
        "from groundtrace.metrics.catalogue import METRICS\n"
        "from groundtrace.metrics.example import example_document\n"
        "made = evaluate(example_document(), generated_at='now')\n"
        "own = [m for m in METRICS.values() if m.family == 'r_precision']\n"
        "print([(m.name, round(m.getter(made), 4), m.example[1]) for m in own])\n"
    )
    assert copy.run(sys.executable, "-c", script).strip() == (
        "[('r_precision', 0.3333, 0.3333), ('shown.r_precision', 0.6667, 0.6667)]"
    )


def test_lines_that_the_page_leaves_out_are_left_out_and_no_others() -> None:
    output = ["a", "b", "c", "d"]
    assert holds(output, ("...", "b", "...", "d"))
    assert not holds(output, ("...", "d", "...", "b"))
    assert not holds(output, ("...", "b", "d"))
