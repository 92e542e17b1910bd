"""Make each row of the conformance table untrue once, and see which of its tests notices.

    python -m tests.conformance.break_rows [WORD ...]

Each edit of `breaks.toml` is made in a copy of the package, and the tests that the row names run on
the copy. With words, only rows whose demand contains one of them are used. Exits with 1 if an edit
is not noticed.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.conformance.test_conformance import ROOT, rows

BREAKS = Path(__file__).with_name("breaks.toml")
PACKAGE = ROOT / "src" / "groundtrace"


@dataclass(frozen=True, slots=True)
class Break:
    """An edit that makes a row untrue."""

    row: str
    """Beginning of the row's demand."""
    file: str
    """Relative to the package."""
    old: str
    new: str


def breaks() -> list[Break]:
    """Every edit of the list."""
    return [Break(**entry) for entry in tomllib.loads(BREAKS.read_text())["break"]]


def held_by(row: str) -> list[str]:
    """Names of the tests that hold a row."""
    (cell,) = [cells[1] for cells in rows() if cells[0].startswith(row)]
    return re.findall(r"`(test_\w+)`", cell)


def places(names: list[str]) -> list[str]:
    """Where tests of these names are, as pytest wants them."""
    return [
        f"{path}::{name}"
        for path, text in _texts()
        for name in names
        if f"def {name}(" in text and name in _defined(text)
    ]


@cache
def _texts() -> list[tuple[Path, str]]:
    """Every file of tests with its text."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [(path.relative_to(ROOT), path.read_text(encoding="utf-8")) for path in files]


@cache
def _defined(text: str) -> set[str]:
    return {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


def noticed(edit: Break) -> list[str]:
    """The first test of the row that fails on a package with the edit, or none."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "groundtrace"
        shutil.copytree(PACKAGE, copy)  # with its bytecode: only the edited file is compiled again
        path = copy / edit.file
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-p", "no:cacheprovider"]
        ran = subprocess.run(
            [*command, *places(held_by(edit.row))],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": folder},
            capture_output=True,
            text=True,
        )
    found = re.findall(r"^(?:FAILED|ERROR) \S*?::(test_\w+)", ran.stdout, re.MULTILINE)
    return list(dict.fromkeys(found)) if ran.returncode == 1 else []


def chosen(words: list[str]) -> Iterator[Break]:
    """The edits of rows that hold one of the words."""
    for edit in breaks():
        if not words or any(word in edit.row for word in words):
            yield edit


def main(words: list[str]) -> int:
    """Try the edits and print a line for each."""
    missed = 0
    for edit in chosen(words):
        caught = noticed(edit)
        missed += not caught
        print(f"{'noticed' if caught else 'MISSED '}  {edit.row}: {', '.join(caught)}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
