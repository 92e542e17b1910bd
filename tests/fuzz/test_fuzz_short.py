"""The short, seeded part of the fuzzing, and every input that once broke something.

`make fuzz` runs for as long as you tell it. A failure here prints the command that tries the input
again.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from groundtrace.config import Settings, settings_from
from groundtrace.errors import GroundtraceError
from groundtrace.model import ToolResult
from groundtrace.tools import check_tools
from groundtrace.traces import READERS, read_trace
from groundtrace.traces.kit.loose import recognise
from tests.fuzz import checks, loose_seeds, runner
from tests.fuzz.cases import Case
from tests.fuzz.memory import MemoryFolder
from tests.fuzz.on_calls import check_shell
from tests.fuzz.on_rest import check_document
from tests.fuzz.on_tasks import check_registry
from tests.fuzz.seeds import files_below
from tests.fuzz.shells import output
from tests.fuzz.targets import TARGETS
from tests.fuzz.typed import TYPED

BROKEN = Path(__file__).parent.parent / "fixtures" / "broken"
SEED = 20260504
INPUTS = (
    dict.fromkeys(TARGETS, 250)
    | dict.fromkeys(TYPED, 1)
    | {
        "command": 3,
        "links": 60,
        "repos": 6,
        "long": 30,
        "stopped": 40,
        "pipeline": 120,
        "records": 25,
        "trees": 120,
        "documents": 120,
        "shell": 300,
    }
)
"""Inputs a target, and batches of them where hypothesis makes them: the whole takes seconds."""


@pytest.mark.parametrize("target", INPUTS)
def test_a_short_fuzz_of(target: str) -> None:
    for number in range(INPUTS[target]):
        failure = runner.try_one(target, SEED, number, seconds=30)
        again = f"python -m tests.fuzz --only {target} --seed {SEED} --case {number}"
        assert failure is None, f"{again}\n{failure.error}"


def test_every_reader_is_fuzzed_without_a_trials_folder() -> None:
    """A reader that is added needs a seed; without one its first damaged file is a user's."""
    known = set()
    for files in loose_seeds.folders():
        folder = MemoryFolder(files)
        for name in files:
            found, _, _ = recognise(folder, name, READERS, named=True)
            known |= {found.reader.name} if found is not None else set()
    assert known == {reader.name for reader in READERS}


def broken(pattern: str) -> list[Path]:
    return sorted(BROKEN.glob(pattern))


def test_every_broken_input_is_tried_and_told() -> None:
    """Each has a line in the README, and a prefix that one of the tests below knows."""
    told = (BROKEN / "README.md").read_text(encoding="utf-8")
    kinds = ("command-", "trace-", "document-", "settings-", "registry-")
    for path in BROKEN.iterdir():
        if path.name != "README.md":
            assert path.name.startswith(kinds), path.name
            assert f"`{path.name}`" in told, f"{path.name}: what did it break?"


@pytest.mark.parametrize("path", broken("command-*"), ids=lambda path: path.name)
def test_a_command_that_broke_something(path: Path) -> None:
    from random import Random

    command = path.read_text(encoding="utf-8")
    results = [None, ToolResult(""), *(ToolResult(output(Random(n))) for n in range(20))]
    for result in results:
        check_shell(Case({}, (command, result, "/workspace")))


@pytest.mark.parametrize("path", broken("trace-*"), ids=lambda path: path.name)
def test_a_trace_that_broke_something(path: Path) -> None:
    with runner.time_guard(30):
        checks.check_trace(read_trace(MemoryFolder(files_below(path))))


@pytest.mark.parametrize("path", broken("document-*"), ids=lambda path: path.name)
def test_a_document_that_broke_something(path: Path) -> None:
    check_document(Case({"x": path.read_bytes()}, (path.name.split(".")[-2],)))


@pytest.mark.parametrize("path", broken("registry-*"), ids=lambda path: path.name)
def test_a_registry_that_broke_something(path: Path) -> None:
    check_registry(Case({}, (json.loads(path.read_text(encoding="utf-8")),)))


@pytest.mark.parametrize("path", broken("settings-*"), ids=lambda path: path.name)
def test_settings_that_broke_something(path: Path) -> None:
    """They are refused in a sentence, not with a traceback."""
    with pytest.raises(GroundtraceError):
        settings = settings_from(tomllib.loads(path.read_text(encoding="utf-8")))
        check_tools(settings)
        assert settings != Settings()
