"""Every command and Python block shown in README.md and the pages is run, its output compared."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import examples
import pytest

from groundtrace.cli.group import COMMANDS, cli

PAGES = {path.relative_to(examples.ROOT).as_posix(): path for path in examples.pages()}
NOT_RUN = re.compile(
    r"pip install |pipx install |uv tool install |python3? -m venv |git clone |make |dask |export|python (?:-m )?(?:benchmarks|docs)[/.]|#|$"
)
"""How a line of a `sh` block may begin that is no groundtrace command."""


def runs_something(path: Path) -> bool:
    found = examples.blocks(path.read_text(encoding="utf-8"))
    return any(block.language in ("console", "python") for block in found)


@pytest.mark.parametrize("name", [name for name, path in PAGES.items() if runs_something(path)])
def test_examples_print_what_the_page_shows(name: str, tmp_path: Path) -> None:
    """Mend with `python docs/update_examples.py PAGE`, and look at what changed."""
    shown = examples.run_page(PAGES[name], tmp_path)
    assert shown
    for block, fresh in map(examples.stripped, shown):
        assert "\n".join(fresh) == "\n".join(block.lines), f"{name}:{block.start}"


@pytest.mark.parametrize("name", PAGES)
def test_every_block_says_what_it_is(name: str) -> None:
    """A block in another language would be a command or an output that nothing runs."""
    known = {"console", "python", "output", "sh", "text", "toml", "json", "yaml", "sql", "ini"}
    if name == "docs/explanation/shell.md":
        known.add("powershell")  # a command of an agent; there is no such shell here
    if name == "docs/guides/add-a-metric.md":
        known.add("diff")  # test_add_a_metric applies them
    for block in examples.blocks(PAGES[name].read_text(encoding="utf-8")):
        assert block.language in known, f"{name}:{block.start}: {block.language!r}"
        if block.language == "text":
            assert not any(line.startswith("$ ") for line in block.lines), f"{name}:{block.start}"


def commands_not_run() -> list[tuple[str, str]]:
    return [
        (name, line)
        for name, path in PAGES.items()
        for block in examples.blocks(path.read_text(encoding="utf-8"))
        if block.language in ("sh", "bash")
        for line in "\n".join(block.lines).replace("\\\n", " ").split("\n")
        if line.strip()
    ]


@pytest.mark.parametrize(("name", "line"), commands_not_run())
def test_commands_that_are_not_run_are_at_least_commands(name: str, line: str) -> None:
    words = [word for word in shlex.split(line, comments=True) if not re.match(r"[A-Z_]+=", word)]
    if "groundtrace" not in words[:1]:
        assert NOT_RUN.match(" ".join(words)) or re.match(r"[A-Z_]+=", line.strip()), (
            f"{name}: {line}"
        )
        return
    command = cli.get_command(click.Context(cli), words[1])
    assert command is not None, f"{name}: {line}"
    command.make_context(words[1], words[2:])


def test_the_readme_has_two_commands_that_the_makefile_has() -> None:
    text = PAGES["README.md"].read_text(encoding="utf-8")
    assert "$ make demo" in text and "\nmake test\n" in text
    for target in ("demo", "test"):
        assert re.search(rf"^{target}:", (examples.ROOT / "Makefile").read_text(), re.MULTILINE)


def test_the_cookbook_has_ten_queries() -> None:
    text = PAGES["docs/guides/sql-cookbook.md"].read_text(encoding="utf-8")
    headings = re.findall(r"^## (\d+)\. ", text, re.MULTILINE)
    assert headings == [str(n) for n in range(1, 11)]
    assert text.count("$ groundtrace sql ") == 10


def test_output_is_cut_as_the_page_cuts_it() -> None:
    lines = ("a", "b", "c", "d")
    assert examples.cut_like(lines, ("x", "...", "y")) == ("a", "...", "d")
    assert examples.cut_like(lines, ("x", "y")) == lines
    assert examples.cut_like(("a",), ("x", "...", "y")) == ("a",)


def test_a_wrong_example_is_seen(tmp_path: Path) -> None:
    """The check itself: output that differs, and a command that fails."""
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo a \\\n  b\nc\n```\n")
    (shown,) = examples.run_page(page, tmp_path)
    assert shown.lines == ("$ echo a \\", "  b", "a b")
    assert examples.updated(page.read_text(), [shown]) == page.read_text().replace(
        "\nc\n", "\na b\n"
    )
    page.write_text("```console\n$ false\n```\n")
    with pytest.raises(examples.CommandFailedError):
        examples.run_page(page, tmp_path)


def inline_commands() -> list[tuple[str, str]]:
    """Commands named inside sentences and tables."""
    return sorted(
        {
            (name, found)
            for name, path in PAGES.items()
            for found in re.findall(r"`(groundtrace [^`]+)`", path.read_text(encoding="utf-8"))
        }
    )


@pytest.mark.parametrize(("name", "line"), inline_commands())
def test_commands_named_in_prose_exist_with_their_flags(name: str, line: str) -> None:
    words = line.split()
    command = cli.get_command(click.Context(cli), words[1])
    assert command is not None, f"{name}: {line}"
    known = {flag for option in command.params for flag in option.opts}
    assert {word for word in words[2:] if word.startswith("--")} <= known, f"{name}: {line}"


def test_flags_named_in_prose_exist() -> None:
    """A flag alone, such as `--force`, belongs to some command, or to a script of the repository."""
    known = {"--check", "--death-timeout", *(flag for option in cli.params for flag in option.opts)}
    for script in (*examples.ROOT.glob("benchmarks/*.py"), *examples.ROOT.glob("tests/fuzz/*.py")):
        known |= set(
            re.findall(r'add_argument\(\s*"(--[a-z-]+)"', script.read_text(encoding="utf-8"))
        )
    for command in COMMANDS:
        found = cli.get_command(click.Context(cli), command)
        assert found is not None
        known |= {flag for option in found.params for flag in option.opts}
    for name, path in PAGES.items():
        for flag in re.findall(r"`(--[a-z-]+)", path.read_text(encoding="utf-8")):
            assert flag in known, f"{name}: {flag}"
