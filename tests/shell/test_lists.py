"""The lists of commands: bash gives the output, the lists say which files and lines it shows."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.shell.scores import judge
from tests.shell.scratch_repository import (
    TWO_REPOSITORIES,
    Case,
    build,
    one_repository_lists,
    read_cases,
)
from tests.shell.two_repositories import build_workspace, judge_workspace

CASES = [case for name in one_repository_lists() for case in read_cases(name)]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_command_touches_the_files_and_lines_the_list_says(
    case: Case, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """D4 to D7: kinds, files, lines and whether anything was obtained."""
    if not case.runnable():
        pytest.skip(f"needs {' '.join(case.needs)}")
    judged = judge(case, build(tmp_path_factory.mktemp("r")))
    assert judged.found_files == case.files
    assert judged.found_spans == case.spans
    assert judged.view.failed == case.failed


WRITERS = re.compile(r"\b(?:cp|mkdir|mv|rm|tar|tee|touch)\b| -i\b|[^2&<]>")
WORKSPACE = list(read_cases(TWO_REPOSITORIES))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two repositories, of which every command that writes gets a copy."""
    return build_workspace(tmp_path_factory.mktemp("w"))


@pytest.mark.parametrize("case", WORKSPACE, ids=[case.name for case in WORKSPACE])
def test_a_command_over_two_repositories_does_so_as_a_harness_shows_it(
    case: Case, tmp_path: Path, workspace: Path
) -> None:
    """The same, in a workspace of two repositories and with the ends of the output cut off."""
    if not case.runnable():
        pytest.skip(f"needs {' '.join(case.needs)}")
    changes = any(kind == "written" for kind, _ in case.files) or WRITERS.search(case.command)
    own = Path(shutil.copytree(workspace, tmp_path / "ws")) if changes else workspace
    judged = judge_workspace(case, own)
    assert judged.found_files == case.files
    assert judged.found_spans == case.spans
    assert judged.view.failed == case.failed


def test_the_lists_hold_enough() -> None:
    assert len(CASES) >= 1035
    assert len(WORKSPACE) >= 342
