"""Whole inputs to damage. Real traces are used only in memory, and only if they are named."""

from __future__ import annotations

import os
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from groundtrace.demo import write_sample

FIXTURES = Path(__file__).parent.parent / "fixtures"
MAX_SEED = 300_000
"""Larger real files are left out: the damage counts, not the size."""


class Trial(NamedTuple):
    """The files of a trial's folder."""

    files: dict[str, bytes]
    real: bool
    """Of the corpus: never stored."""


def files_below(folder: Path) -> dict[str, bytes]:
    """Every regular file below a folder, by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


@cache
def sample() -> dict[str, bytes]:
    """The demo's runs and tasks."""
    with tempfile.TemporaryDirectory() as folder:
        write_sample(Path(folder))
        return files_below(Path(folder))


@cache
def trials() -> tuple[Trial, ...]:
    """Trial folders: the readers' fixtures, inputs that broke something, the sample, real ones."""
    found = [Trial(files_below(path), False) for path in sorted(FIXTURES.glob("traces/*/"))]
    found += [Trial(files_below(path), False) for path in sorted(FIXTURES.glob("broken/trace-*/"))]
    found += [Trial(_small(files), False) for files in _grouped(sample(), "result.json")]
    root = os.environ.get("GROUNDTRACE_CORPUS", "")
    if root:
        for path in sorted(Path(root).glob("runs/**/agent")):
            files = _small({f"agent/{k}": v for k, v in files_below(path).items()})
            found.append(Trial(files, True))
    return tuple(trial for trial in found if trial.files)


@cache
def tasks() -> tuple[dict[str, bytes], ...]:
    """Task folders: the loaders' fixtures and the sample's."""
    found = [files_below(path) for path in sorted(FIXTURES.glob("truth/*/"))]
    return (*found, *_grouped(sample(), "task.toml"))


@cache
def tool_cases() -> tuple[dict[str, Any], ...]:
    """Calls and results of the tools' fixtures."""
    found: list[dict[str, Any]] = []
    for path in sorted(FIXTURES.glob("tools/*.toml")):
        found += tomllib.loads(path.read_text(encoding="utf-8")).get("case", [])
    return tuple(found)


@cache
def commands() -> tuple[str, ...]:
    """Shell commands: the shell's fixtures, and those in the sample's and the real traces."""
    found: list[str] = []
    for path in sorted(FIXTURES.glob("shell/*.commands")):
        text = path.read_text(encoding="utf-8")
        found += [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    return tuple(dict.fromkeys(found))


def _grouped(files: dict[str, bytes], marker: str) -> list[dict[str, bytes]]:
    """The files of each folder that holds `marker`."""
    tops = [name.rpartition("/")[0] for name in files if name.rpartition("/")[2] == marker]
    return [
        {name[len(top) + 1 :]: data for name, data in files.items() if name.startswith(f"{top}/")}
        for top in tops
    ]


def _small(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if len(data) <= MAX_SEED}
