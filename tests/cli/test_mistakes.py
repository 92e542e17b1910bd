"""Mistakes that people make on the command line, and what helps them on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundtrace import errors

Call = Callable[..., Any]


def test_the_old_order_of_sql_works_with_a_note(groundtrace: Call, sample: Path) -> None:
    runs = sample / "runs/official"
    assert groundtrace("run", runs, "--jobs", "1").code == 0
    query = "SELECT count(*) AS n FROM trials"
    new = groundtrace("sql", runs, query, "--json")
    old = groundtrace("sql", query, runs, "--json")
    assert (new.code, old.code) == (0, 0)
    assert new.out == old.out
    assert "RUNS comes first now" in old.err
    assert "RUNS comes first" not in new.err


def test_a_mistyped_folder_gets_the_nearest_name(groundtrace: Call, sample: Path) -> None:
    ran = groundtrace("run", sample / "runs/oficial")
    assert ran.code == 2
    assert "did you mean" in ran.err
    assert "runs/official?" in ran.err
    ran = groundtrace("run", sample / "runs/official", "--tasks", sample / "benchmark")
    assert "benchmarks?" in ran.err
    ran = groundtrace("run", sample / "rnus/official")
    assert "/runs?" in ran.err


def test_a_folder_unlike_all_others_gets_no_guess(groundtrace: Call, sample: Path) -> None:
    assert "did you mean" not in groundtrace("run", sample / "zebra").err


def test_swapped_folders_are_seen(groundtrace: Call, sample: Path) -> None:
    ran = groundtrace("run", sample / "benchmarks", "--tasks", sample / "runs/official")
    assert ran.code == 3
    # First, not behind a list of all formats.
    start = ran.err.partition("; looked for ")[0]
    assert start.endswith("are RUNS and --tasks swapped?")


@pytest.mark.parametrize("command", [("report",), ("impact",), ("evaluate",), ("sql",)])
def test_without_results_one_command_is_named(
    command: tuple[str, ...], groundtrace: Call, sample: Path
) -> None:
    query = ("SELECT 1",) if command == ("sql",) else ()
    ran = groundtrace(*command, sample / "runs/official", *query)
    assert ran.code == 3
    assert "run 'groundtrace run'" in ran.err
    assert "normalize" not in ran.err


@pytest.mark.parametrize(
    ("prefix", "config", "said"),
    [
        ("env", "", "pip install 'groundtrace[view]'"),
        (".local/pipx/venvs/groundtrace", "", "pipx install --force 'groundtrace[view]'"),
        (".local/share/uv/tools/groundtrace", "", "uv tool install 'groundtrace[view]'"),
        ("env", "home = /usr/bin\nuv = 0.9.1\n", "uv pip install 'groundtrace[view]'"),
    ],
)
def test_an_extra_is_installed_as_groundtrace_was(
    prefix: str, config: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / prefix
    folder.mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text(config)
    monkeypatch.setattr(sys, "prefix", str(folder))
    assert str(errors.MissingExtraError("The viewer", "view")).endswith(f": {said}")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str, groundtrace: Call) -> None:
    ran = groundtrace("completion", shell)
    assert ran.code == 0
    assert "_GROUNDTRACE_COMPLETE" in ran.out


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (("impact", "RUNS", "--baseline", "ba"), {"baseline-local-direct"}),
        (("impact", "RUNS", "--against", ""), {"baseline-local-direct", "mcp-remote-direct"}),
        (("evaluate", "RUNS", "--only", "lock"), {"lock-order-007"}),
        (("impact", "nowhere", "--baseline", ""), set()),
    ],
)
def test_names_complete(
    words: tuple[str, ...], completed: set[str], groundtrace: Call, sample: Path
) -> None:
    from click.shell_completion import BashComplete

    from groundtrace.cli.group import cli

    runs = sample / "runs/official"
    assert groundtrace("run", runs, "--jobs", "1").code == 0
    given = [str(runs) if word == "RUNS" else word for word in words]
    shell = BashComplete(cli, {}, "groundtrace", "_GROUNDTRACE_COMPLETE")
    found = shell.get_completions(given[:-1], given[-1])
    assert {item.value for item in found} == completed
