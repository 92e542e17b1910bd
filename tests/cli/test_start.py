"""Starting the program imports nothing that is for traces, statistics or pages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from groundtrace.demo import write_sample

HEAVY = ("numpy", "scipy", "jinja2", "tree_sitter", "duckdb", "pyarrow", "distributed")
PROGRAM = """
import json, sys
from groundtrace.cli.main import main
sys.argv = ["groundtrace", *sys.argv[1:]]
try:
    main()
except SystemExit:
    pass
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def imported(*arguments: str) -> set[str]:
    """Modules that are there after a command ran, in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip(), "it said what it was asked for"
    return set(json.loads(ran.stderr.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["run", "--help"]])
def test_asking_for_help_imports_no_large_package(arguments: list[str]) -> None:
    found = imported(*arguments)
    assert "click" in found, "the program itself ran"
    assert not found & set(HEAVY)


def test_the_version_needs_no_pattern_of_masking() -> None:
    """A hundred patterns were a third of the time of `--version`."""
    assert not {m for m in imported("--version") if m.startswith("groundtrace.redact")}


def test_the_list_of_commands_imports_none_of_them() -> None:
    found = {name for name in imported("--help") if name.startswith("groundtrace.")}
    assert found == {
        f"groundtrace.{name}"
        for name in ("base", "base.visible", "cli", "cli.group", "cli.main", "errors")
    }


LEFT_OUT = """
import sys
from groundtrace.__main__ import main
sys.argv = ["groundtrace", "--version"]
try:
    main()
except SystemExit:
    pass
left_out = "msgspec" in sys.modules and "typing_extensions" not in sys.modules
import typing_extensions  # a reader of another package may need it
assert left_out and typing_extensions.TypedDict
"""


def test_msgspec_comes_without_typing_extensions_which_can_still_be_imported() -> None:
    subprocess.run([sys.executable, "-c", LEFT_OUT], check=True)


WATCHED = """
import json, sys
import groundtrace.runs.engine.local as local
import groundtrace.runs.engine as here
here.SMALL_BYTES = 0
is_alone = local._is_alone
seen = []
def watched():
    seen.append([is_alone(), sorted(sys.modules)])
    return seen[-1][0]
local._is_alone = watched
from groundtrace.cli.main import main
sys.argv = ["groundtrace", *sys.argv[1:]]
try:
    main()
finally:
    print(json.dumps(seen), file=sys.stderr)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_nothing_that_starts_threads_is_loaded_before_workers_start(tmp_path: Path) -> None:
    """`run` loaded numpy first. Then nothing is forked, and each worker loads every module again."""
    write_sample(tmp_path / "demo")
    runs, tasks = tmp_path / "demo" / "runs" / "official", tmp_path / "demo" / "benchmarks"
    arguments = ["run", runs, "--tasks", tasks, "--out", tmp_path / "out", "--jobs", "2", "-q"]
    ran = subprocess.run(
        [sys.executable, "-c", WATCHED, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    seen = json.loads(ran.stderr.splitlines()[-1])
    assert seen and all(alone for alone, _ in seen)
    assert not {"numpy", "jinja2", "duckdb"} & set(seen[-1][1])


def test_a_run_without_changes_imports_no_large_package(tmp_path: Path) -> None:
    """It prints the answer again, whose words need no arithmetic."""
    write_sample(tmp_path / "demo")
    runs, tasks = tmp_path / "demo" / "runs" / "official", tmp_path / "demo" / "benchmarks"
    arguments = ["run", runs, "--tasks", tasks, "--draws", "100", "--format", "md", "--jobs", "1"]
    first = imported(*map(str, arguments))
    assert "numpy" in first
    again = imported(*map(str, arguments))
    assert "groundtrace.runs.whole_run" in again
    assert not {*HEAVY, "groundtrace.pipeline"} & again
