"""The guide to adding a tool in code, followed step by step on a copy of the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import examples
import pytest

PACKAGE = Path("src/groundtrace")
PAGE = examples.ROOT / "docs/guides/add-a-tool.md"
BLOCKS = {
    block.title: textwrap.dedent("\n".join(block.lines)) + "\n"
    for block in examples.blocks(PAGE.read_text(encoding="utf-8"))
    if block.title is not None
}


def clone(folder: Path) -> Path:
    """The parts of the repository that the steps change."""
    parts = (PACKAGE, Path("tests/tools"), Path("tests/fixtures/tools"), Path("benchmarks"))
    for part in parts:
        shutil.copytree(
            examples.ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("pyproject.toml", "tests/__init__.py"):
        shutil.copy(examples.ROOT / name, folder / name)
    return folder


def write_function(root: Path) -> None:
    name = "src/groundtrace/tools/outline.py"
    (root / name).write_text(BLOCKS[name])


def add_to_table(root: Path) -> None:
    path = root / PACKAGE / "tools/table.json"
    before, group, after = path.read_text().partition('"files of the working copy": {\n')
    path.write_text(f"{before}{group}{BLOCKS['entry.json']}{after}")


def name_the_reader(root: Path) -> None:
    path = root / PACKAGE / "tools/readers.py"
    before, readers, after = path.read_text().partition("def call_readers()")
    after = after.replace("import (\n", "import (\n        outline,\n", 1)
    after = after.replace("return {\n", f"return {{\n        {BLOCKS['reader.py']}", 1)
    path.write_text(before + readers + after)


def add_case(root: Path) -> None:
    (root / "tests/fixtures/tools/outline.toml").write_text(BLOCKS["case.toml"])


def cases_pass(root: Path) -> subprocess.CompletedProcess[str]:
    command = [*(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"), "-k", "outline"]
    return subprocess.run(
        [*command, "tests/tools/test_tools_cases.py", "tests/tools/test_tools_table.py"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_steps_make_a_tool(tmp_path: Path) -> None:
    root = clone(tmp_path)
    for step in (write_function, add_to_table, name_the_reader, add_case):
        step(root)
    done = cases_pass(root)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith(".. "), "the case, and that its tool is known"


@pytest.mark.parametrize("left_out", [write_function, add_to_table, name_the_reader])
def test_every_step_is_needed(tmp_path: Path, left_out: object) -> None:
    root = clone(tmp_path)
    for step in (write_function, add_to_table, name_the_reader, add_case):
        if step is not left_out:
            step(root)
    assert cases_pass(root).returncode != 0
