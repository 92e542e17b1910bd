"""The examples of README.md and the pages, as data that can be run.

How a page marks them, in fenced blocks:

- `console`: lines that begin with `$ ` are commands, what follows is their standard output. A line
  `...` stands for lines that are left out.
- `python`: run in order in one namespace; an `output` block right behind holds what it prints.
- any language with `title=NAME`: the file NAME.
- `sh`: commands that are not run, because they install something, serve, or take hours; only
  `pip install ./FOLDER` of a folder that the page wrote is imitated, without building it.

A command goes on in the next line while a double quote is open or after a backslash.

All blocks of a page run in order in one empty folder; scripts of the repository run in its clone.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ELLIPSIS = "..."
_FENCE = re.compile(r"(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`]*)")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block."""

    language: str
    title: str | None
    start: int
    """Index of its first line in the page, fence aside."""
    lines: tuple[str, ...]

    @property
    def end(self) -> int:
        return self.start + len(self.lines)


class Shown(NamedTuple):
    """What an example printed, for comparison with what the page shows."""

    block: Block
    lines: tuple[str, ...]
    """The block as it should be."""


def pages() -> list[Path]:
    """Every page that may hold examples, README first."""
    return [
        path
        for path in [
            ROOT / "README.md",
            ROOT / "CONTRIBUTING.md",
            *sorted((ROOT / "docs").rglob("*.md")),
        ]
        if path.parent.name != "reference"
    ]


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        fence = _FENCE.fullmatch(lines[at])
        at += 1
        if fence is None:
            continue
        start = at
        while at < len(lines) and lines[at].strip() != fence["ticks"]:
            at += 1
        words = fence["info"].split()
        titles = [word.partition("=")[2] for word in words if word.startswith("title=")]
        yield Block(
            words[0] if words else "",
            titles[0] if titles else None,
            start,
            tuple(lines[start:at]),
        )
        at += 1


def run_page(path: Path, folder: Path) -> list[Shown]:
    """Run the examples of a page in a folder; the blocks as they should be."""
    text = path.read_text(encoding="utf-8")
    runner = _Runner(folder, copies=" unchanged" not in text)
    try:
        return _run_blocks(path, text, runner)
    finally:
        runner.close()


def _run_blocks(path: Path, text: str, runner: _Runner) -> list[Shown]:
    found = []
    before: Block | None = None
    for block in blocks(text):
        if block.title is not None:
            target = runner.folder / block.title
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        elif block.language == "console":
            found.append(Shown(block, tuple(runner.console(block))))
        elif block.language == "python":
            runner.python(block, path)
        elif block.language == "sh":
            runner.install(block)
        elif block.language == "output":
            if before is None or before.language != "python":
                raise ValueError(f"{path}:{block.start}: output without python before it")
            found.append(Shown(block, cut_like(runner.printed, block.lines)))
        before = block
    return found


def updated(text: str, shown: list[Shown]) -> str:
    """The page with its examples as they are now."""
    lines = text.split("\n")
    for block, fresh in reversed(shown):
        lines[block.start : block.end] = fresh
    return "\n".join(lines)


def cut_like(lines: tuple[str, ...], shown: tuple[str, ...]) -> tuple[str, ...]:
    """Output with the same lines left out as the page leaves out."""
    if ELLIPSIS not in shown:
        return lines
    head = shown.index(ELLIPSIS)
    tail = len(shown) - head - 1
    if len(lines) <= head + tail:
        return lines
    return (*lines[:head], ELLIPSIS, *lines[len(lines) - tail :])


class CommandFailedError(Exception):
    """An example did not run."""


SAMPLE = "groundtrace demo --quiet --out . > /dev/null"
"""The command that most pages begin with."""
MOST_SECONDS = 240.0
"""Seconds that one example may take."""
_ENDED = "\x00\n"
"""What the interpreter prints after a block."""
_INTERPRETER = """
import ast, sys
names = {"__name__": "__main__"}
for line in sys.stdin:
    exec(compile(ast.literal_eval(line), "<page>", "exec"), names)
    print("\\x00", flush=True)
"""
"""Runs the blocks of a page in one namespace: each comes as the text of a literal on one line."""


@dataclass(slots=True)
class _Runner:
    folder: Path
    printed: tuple[str, ...] = ()
    copies: bool = True
    """Whether the page shows the same on a copy of the sample: a copy has none of a run's state, so
    nothing in it is unchanged."""
    _paths: tuple[str, ...] = ()
    _python: subprocess.Popen[str] | None = None
    """Where the Python of the page runs."""
    _errors: IO[str] | None = None

    def console(self, block: Block) -> Iterator[str]:
        commands = [n for n, line in enumerate(block.lines) if line.startswith("$ ")]
        ends = [*commands[1:], len(block.lines)]
        for start, end in zip(commands, ends, strict=True):
            command = block.lines[start]
            first = start + 1
            while first < end and (command.endswith("\\") or command.count('"') % 2):
                command = f"{command}\n{block.lines[first]}"
                first += 1
            yield from block.lines[start:first]
            yield from cut_like(self._run(command[2:]), block.lines[first:end])

    def install(self, block: Block) -> None:
        """Make packages that the page wrote importable, with their entry points."""
        for line in block.lines:
            name = line.removeprefix("pip install ./")
            project = self.folder / name / "pyproject.toml"
            if name == line or not project.is_file():
                continue
            data = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
            info = self.folder / name / f"{name}-{data['version']}.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Name: {name}\nVersion: {data['version']}\n")
            groups = [
                f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
                for group, points in data.get("entry-points", {}).items()
            ]
            (info / "entry_points.txt").write_text("".join(groups))
            self._paths = (*self._paths, str(self.folder / name))

    def close(self) -> None:
        """End the interpreter of the page."""
        if self._python is not None and self._errors is not None:
            self._python.communicate()
            self._errors.close()

    def python(self, block: Block, path: Path) -> None:
        """Blocks of a page run in one interpreter, one after the other."""
        if self._python is None:
            self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the page
            self._python = subprocess.Popen(
                [sys.executable, "-c", _INTERPRETER],
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
            )
        sent, printed = self._python.stdin, self._python.stdout
        assert sent is not None and printed is not None and self._errors is not None
        late = threading.Timer(MOST_SECONDS, self._python.kill)
        late.start()
        sent.write(f"{chr(10).join(block.lines)!r}\n")
        sent.flush()
        lines = []
        while (line := printed.readline()) not in ("", _ENDED):
            lines.append(line)
        late.cancel()
        if not line:
            self._errors.seek(0)
            raise CommandFailedError(f"{path}:{block.start}: {self._errors.read()}")
        self.printed = _lines("".join(lines))

    def _run(self, command: str) -> tuple[str, ...]:
        if command == SAMPLE and self.copies and not any(self.folder.iterdir()):
            shutil.copytree(_sample(), self.folder, dirs_exist_ok=True)
            return ()
        return self._ran(command)

    def _ran(self, command: str) -> tuple[str, ...]:
        in_clone = command.startswith(("python benchmarks/", "python docs/"))
        done = subprocess.run(
            ["bash", "-c", recipe(command)],
            cwd=ROOT if in_clone else self.folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            check=False,
        )
        if done.returncode:
            raise CommandFailedError(f"{command}: exit {done.returncode}: {done.stderr}")
        return _lines(done.stdout)

    def _environment(self) -> dict[str, str]:
        paths = [*self._paths, *filter(None, [os.environ.get("PYTHONPATH")])]
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "SOURCE_DATE_EPOCH": "1779840000",
            "GROUNDTRACE_CORPUS": "",
            "NO_COLOR": "1",
            "COLUMNS": "100",
            "LC_ALL": "C.UTF-8",
        }


@cache
def _sample() -> Path:
    """What `SAMPLE` makes in an empty folder, made once for all pages that begin with it."""
    folder = Path(tempfile.mkdtemp(prefix="groundtrace-docs-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _Runner(folder)._ran(SAMPLE)
    return folder


def recipe(command: str) -> str:
    """`make TARGET` as the last command of its recipe, so that it runs in the example's folder."""
    words = command.split()
    if words[:1] != ["make"]:
        return command
    dry = subprocess.run(
        ["make", "-n", "-C", str(ROOT), *words[1:]], capture_output=True, text=True, check=True
    )
    last = [line for line in dry.stdout.splitlines() if not line.startswith("make")][-1]
    return last.replace(".venv/bin/", "")


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.rstrip() for line in text.rstrip("\n").split("\n")) if text.strip() else ()


def stripped(shown: Shown) -> Shown:
    """The same with the block's own lines without trailing blanks."""
    block, lines = shown
    return Shown(replace(block, lines=tuple(line.rstrip() for line in block.lines)), lines)
