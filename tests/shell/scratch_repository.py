"""A scratch repository whose every line is unique, and a reader of the lists of commands.

The lists (`tests/fixtures/shell/*.commands`) say which files and lines a command touches. They do
not contain the output: bash runs the command here, so bash is the oracle for the output.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "shell"
TWO_REPOSITORIES = "two_repositories.commands"
"""The list over a workspace of two repositories; the others are over one scratch repository."""
KINDS = {"R": "read", "M": "matched", "S": "surfaced", "W": "written"}


def _numbered(count: int, line: Callable[[int], str], **special: str) -> str:
    lines = [special.get(f"l{n}", line(n)) for n in range(1, count + 1)]
    return "".join(f"{text}\n" for text in lines)


def _code(name: str, todo: tuple[int, ...]) -> Callable[[int], str]:
    def line(n: int) -> str:
        text = f"def {name}_{n}():" if n % 10 == 1 else f"    {name}_value_{n} = {n}"
        return f"{text}  # TODO" if n in todo else text

    return line


def _go(n: int) -> str:
    if n == 1:
        return "package core"
    text = f"func Engine{n}() {{" if n % 15 == 1 else f"\t// engine line {n}"
    return f"{text} TODO" if n == 20 else text


FILES: dict[str, str] = {
    "README.md": _numbered(12, lambda n: f"readme line {n}"),
    "LICENSE": _numbered(8, lambda n: f"license line {n}"),
    "Makefile": _numbered(6, lambda n: f"# make line {n}"),
    "package.json": (
        '{\n  "name": "scratch",\n  "version": "1.2.3",\n  "scripts": {\n    "test": "run tests"\n'
        '  },\n  "dependencies": {\n    "lodash": "^4.17.19",\n    "axios": "^0.21.1"\n  }\n}\n'
    ),
    ".gitignore": "*.pyc\nbuild/\n*.log\n",
    ".github/workflows/ci.yml": _numbered(14, lambda n: f"# ci line {n}"),
    "src/app.py": _numbered(120, _code("app", (15, 47, 93))),
    "src/util.py": _numbered(60, _code("util", (8, 33))),
    "src/data/config.yaml": _numbered(30, lambda n: f"key_{n}: value {n}", l1="---"),
    "src/data/empty.txt": "",
    "src/core/engine.go": _numbered(90, _go),
    "src/core/engine_test.go": _numbered(40, lambda n: f"// engine test line {n}"),
    "docs/guide.md": _numbered(
        50, lambda n: "" if n % 5 == 0 else f"guide line {n}", l7="guide line 7 TODO"
    ),
    "docs/intro.md": _numbered(15, lambda n: f"intro line {n}"),
    "docs/api notes.md": _numbered(10, lambda n: f"api line {n}"),
    "tests/test_app.py": _numbered(30, _code("test_app", (5,))),
    "tests/test-util-2.py": _numbered(25, _code("test_util", (12,))),
    "lib/index.js": _numbered(25, lambda n: f"// index line {n}"),
    "lib/helpers/trim.js": _numbered(12, lambda n: f"// trim line {n}"),
}


def build(root: Path) -> Path:
    """The scratch repository below `root`: one commit, one change, one file git does not know."""
    repo = root / "repo"
    write_files(repo, FILES)
    commit_all(repo, "First")
    util = repo / "src/util.py"
    util.write_text(
        util.read_text().replace("util_value_40 = 40\n", "util_value_40 = 40  # changed\n")
    )
    (repo / "notes.txt").write_text(_numbered(4, lambda n: f"note {n}"))
    return repo


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Files by their paths below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def commit_all(repo: Path, message: str) -> None:
    """A folder as a repository with all of its files in one commit."""
    git(repo, "init", "-q", "-b", "main")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", message)


def git(repo: Path, *arguments: str) -> None:
    """git in a repository."""
    command = ["git", *arguments]
    subprocess.run(command, cwd=repo, check=True, env=environment(), capture_output=True)


def environment() -> dict[str, str]:
    """An environment in which programs print the same everywhere."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.invalid",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.invalid",
        "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
        "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    }


Span = tuple[int | None, int | None]


@dataclass
class Case:
    """One command of a list and what it must be found to touch."""

    name: str
    command: str
    files: set[tuple[str, str]] = field(default_factory=set)
    """(kind, path) pairs."""
    spans: set[tuple[str, Span]] = field(default_factory=set)
    """(path, lines) of what was shown; unknown lines are (None, None)."""
    failed: bool = False
    output: str | None = None
    """Given output, for programs that need not be installed."""
    needs: tuple[str, ...] = ()
    debatable: bool = False
    """Its author noted that another answer could be defended."""

    def runnable(self) -> bool:
        return all(shutil.which(program) for program in self.needs)


def one_repository_lists() -> list[str]:
    """Names of the lists over the one scratch repository."""
    names = sorted(path.name for path in FIXTURES.glob("*.commands"))
    return [name for name in names if name != TWO_REPOSITORIES]


def read_cases(name: str) -> Iterator[Case]:
    """Cases of one list; its form is described in the fixtures' README."""
    case: Case | None = None
    debatable = False
    for number, raw in enumerate((FIXTURES / name).read_text().splitlines(), 1):
        mark, _, rest = raw.partition(" ")
        if not raw.strip() or mark == "#":
            debatable = debatable or rest.startswith("debatable:")
            continue
        if mark == "$":
            if case is not None:
                yield case
            case = Case(f"{name}:{number}", rest, debatable=debatable)
            debatable = False
        elif case is None:
            raise ValueError(f"{name}:{number}: nothing before the first command")
        else:
            _fill(case, mark, rest, f"{name}:{number}")
    if case is not None:
        yield case


def _fill(case: Case, mark: str, rest: str, where: str) -> None:
    if mark == ">":
        case.command += "\n" + rest
    elif mark == "|":
        case.output = (case.output or "") + rest + "\n"
    elif mark == "!":
        case.failed = True
    elif mark == "needs":
        case.needs = tuple(rest.split())
    elif mark in KINDS:
        found = re.fullmatch(r"(.+?)(?: +([\d,?-]+))?", rest)
        if found is None:
            raise ValueError(f"{where}: not understood: {rest}")
        path, spans = found.groups()
        case.files.add((KINDS[mark], path))
        if mark in "RM":
            for span in (spans or "?").split(","):
                low, _, high = span.partition("-")
                known = (None, None) if span == "?" else (int(low), int(high or low))
                case.spans.add((path, known))
    else:
        raise ValueError(f"{where}: unknown mark {mark!r}")


def run(case: Case, repo: Path) -> str:
    """What bash prints for the case, errors in place as a terminal shows them."""
    if case.output is not None:
        return case.output.replace("{root}", str(repo))
    command = case.command.replace("{root}", str(repo))
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=repo,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        timeout=20,
        check=False,
    )
    return done.stdout.decode("utf-8", "replace")
