"""The page on shell commands: its example is true, and following its guide works."""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

import examples
import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell.programs.call import Program
from groundtrace.shell.programs.effects import EFFECTS
from groundtrace.shell.programs.table import PROGRAMS, TABLE, entry
from tests.shell import scratch_repository
from tests.shell.scores import judge_output
from tests.shell.views import shell_refs

PAGE = (examples.ROOT / "docs/explanation/shell.md").read_text(encoding="utf-8")
BLOCKS = [
    (found[1], textwrap.dedent(found[2]))
    for found in re.finditer(r"^ *```(\w+)\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
]


def blocks(kind: str) -> list[str]:
    return [text for name, text in BLOCKS if name == kind]


def test_the_example_gives_the_accesses_that_the_page_tells() -> None:
    command, output, accesses, _row, _case = blocks("text")
    view = shell_refs(command.strip(), ToolResult(text=output), "/w", Settings())
    told = []
    for ref in view.refs:
        lines = f" {ref.line_start}-{ref.line_end}" if ref.line_start else ""
        told.append(f"{ref.kind} {ref.path.removeprefix('/w/')}{lines}")
    assert told == accesses.strip().split("\n")


def test_the_guide_names_every_effect_and_no_other() -> None:
    rows = re.findall(r"^\| (`.+`) \| ", PAGE, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(EFFECTS)


def row() -> tuple[str, Program]:
    """The row of the guide, as the table would hold it."""
    parsed = ast.parse("{" + blocks("text")[3].strip() + "}", mode="eval").body
    assert isinstance(parsed, ast.Dict)
    value = eval(compile(ast.Expression(parsed), "row", "eval"), {"Program": Program})
    return next(iter(value.items()))


def test_a_program_that_is_added_by_the_guide_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name, program = row()
    assert name not in TABLE
    (tmp_path / "guide.commands").write_text(blocks("text")[4])
    monkeypatch.setattr(scratch_repository, "FIXTURES", tmp_path)
    (case,) = scratch_repository.read_cases("guide.commands")
    output = scratch_repository.run(case, tmp_path)
    assert judge_output(case, tmp_path, output).found_files != case.files
    monkeypatch.setitem(TABLE, name, entry(program))
    judged = judge_output(case, tmp_path, output)
    assert (judged.found_files, judged.found_spans) == (case.files, case.spans)
    missing = f"{name}: data/log.zst: No such file or directory\n"
    view = shell_refs(f"{name} data/log.zst", ToolResult(text=missing), "/w", Settings())
    assert (view.refs, view.failed) == ((), True)


@pytest.mark.parametrize("name", [name for name, row in PROGRAMS.items() if row.effect == "shows"])
def test_whoever_shows_files_may_complain_of_missing_ones(name: str) -> None:
    """There is one list of programs: what the table knows may speak in a message."""
    missing = f"{name}: cannot open missing.py: No such file or directory\n"
    view = shell_refs(f"{name} missing.py 2>&1", ToolResult(text=missing), "/w", Settings())
    assert (view.refs, view.failed) == ((), True)
