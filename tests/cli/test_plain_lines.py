"""Lines that are read without click: the same values, or click is asked."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from groundtrace.cli import echo
from groundtrace.cli.clicked import click_command
from groundtrace.cli.from_options import Command, plain_line
from groundtrace.cli.main import WRITE_INTO_RUNS
from groundtrace.demo import write_sample


def command(name: str) -> Command:
    module = __import__(f"groundtrace.cli.{name}", fromlist=["command"])
    found: Command = module.command
    return found


def by_click(made: Command, words: list[str]) -> dict[str, Any] | None:
    """The values that click reads in the words; None if it has something to say."""
    try:
        return dict(click_command(made).make_context(made.name, list(words)).params)
    except (click.exceptions.Exit, click.ClickException):
        return None


VALUES = ("x", "3", "-3", "07", "0", "99999999999", "1.5", "all", "md", "md,html", "1.3", "", "-q")
"""Values that one flag or another takes, and values that none takes."""
MORE = ("RUNS", "a.zip", "a.ZIP", "-q", "-v", "-qv", "--", "-", "-x", "--nothing", "--jobs=2")


def some_lines(made: Command) -> list[list[str]]:
    """Every flag with every value before and behind RUNS, and words at random (seed 7)."""
    flags = [row.flag for row in made.rows.values()]
    lines = [["RUNS", flag] for flag in flags] + [[], ["RUNS"], ["RUNS", "RUNS"]]
    for flag, value in itertools.product(flags, VALUES):
        lines += [["RUNS", flag, value], [flag, value, "RUNS"], ["RUNS", f"{flag}={value}"]]
        lines.append(["RUNS", flag, value, flag, "x"])
    draw = random.Random(7)
    words = (*flags, *VALUES, *MORE)
    return lines + [draw.choices(words, k=draw.randint(1, 6)) for _ in range(1500)]


@pytest.mark.parametrize("name", WRITE_INTO_RUNS)
def test_a_plain_line_says_what_click_would_say(name: str) -> None:
    made = command(name)
    plain = 0
    for words in some_lines(made):
        found = plain_line(made, words)
        if found is not None:
            plain += 1
            assert found == by_click(made, words), words
    assert plain > len(made.rows)


EVERY_DAY = {
    "run": ["RUNS", "--tasks", "A", "--tasks", "B", "--out", "C", "--jobs", "2", "-q", "--json"],
    "normalize": ["--tasks", "A", "RUNS", "--only", "fix-*", "--dry-run", "--trials", "all", "-v"],
    "evaluate": ["RUNS", "--out", "C", "--force", "--no-progress"],
    "impact": ["RUNS", "--baseline", "base*", "--primary", "reward", "--seed", "4"],
    "report": ["RUNS", "--config", "groundtrace.toml", "--no-mask"],
}


@pytest.mark.parametrize("name", WRITE_INTO_RUNS)
def test_lines_of_every_day_are_plain(name: str) -> None:
    assert plain_line(command(name), EVERY_DAY[name]) is not None


@pytest.mark.parametrize(
    "line",
    [
        "RUNS --help",
        "RUNS -h",
        "RUNS --job 2",
        "RUNS --jobs 0",
        "RUNS --jobs ٣",
        "RUNS --out",
        "RUNS --out --json",
        "RUNS extra",
        "--json",
        "runs.tar.gz",
    ],
)
def test_what_needs_an_answer_is_left_to_click(line: str) -> None:
    assert plain_line(command("evaluate"), line.split()) is None


RUN = """
import sys
from groundtrace.cli.main import invoke
code = invoke(sys.argv[1:])
print(code, "click" in sys.modules, file=sys.stderr)
"""


def test_a_plain_line_needs_no_click_and_does_the_same(tmp_path: Path) -> None:
    write_sample(tmp_path)
    runs, tasks = str(tmp_path / "runs" / "official"), str(tmp_path / "benchmarks")

    def ran(out: str, last: str) -> tuple[str, str, dict[str, bytes]]:
        words = ["normalize", runs, "--tasks", tasks, "--out", str(tmp_path / out), last]
        done = subprocess.run(
            [sys.executable, "-c", RUN, *words], capture_output=True, text=True, check=True
        )
        folder = tmp_path / out
        files = {
            str(file.relative_to(folder)): file.read_bytes()
            for file in folder.rglob("*.retrieval_events.json")
        }
        return done.stdout, done.stderr.splitlines()[-1], files

    said, end, files = ran("plain", "--no-progress")
    again, other, more = ran("clicked", "--jobs=1")
    assert files and files.keys() == more.keys()
    assert said == again
    assert (end, other) == ("0 False", "0 True")


@pytest.mark.parametrize("closed", [(), (1,)])
@pytest.mark.parametrize("nobody_reads", ["stdout", "stderr"])
def test_a_pipe_that_nobody_reads_ends_a_plain_line(
    nobody_reads: str, closed: tuple[int, ...], tmp_path: Path
) -> None:
    """As with click: exit code 1, also where stdout was closed before (`>&-`)."""
    write_sample(tmp_path)
    line = [
        "normalize",
        "runs/official",
        "--tasks",
        "benchmarks",
        "--out",
        "out",
        "--jobs",
        "1",
        "-v",
    ]
    read, write = os.pipe()
    os.close(read)

    def close() -> None:
        for number in closed:
            os.close(number)

    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    pipes[nobody_reads] = write
    done = subprocess.run(
        [sys.executable, "-m", "groundtrace", *line],
        cwd=tmp_path,
        preexec_fn=close,
        check=False,
        **pipes,
    )
    os.close(write)
    unread = nobody_reads == "stderr" or not closed
    assert done.returncode == int(unread)
    assert b"Traceback" not in (done.stderr or b"")


def test_a_line_is_printed_as_click_prints_it(capsysbinary: Any) -> None:
    for text in ("plain", "", "two\nlines", "umläut ½", "\033[1mbold\033[0m"):
        for err in (False, True):
            echo(text, err=err)
            mine = capsysbinary.readouterr()
            click.echo(text, err=err)
            assert mine == capsysbinary.readouterr()
        echo(text, coloured=True)
        mine = capsysbinary.readouterr()
        click.echo(text, color=True)
        assert mine == capsysbinary.readouterr()
