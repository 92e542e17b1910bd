"""Commands joined by pipes and `&&`: which of them printed."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from tests.shell.scratch_repository import environment
from tests.shell.views import seen, shell_refs, touched, view

WORDS = ["heron", "nest", "egg", "reed", "pond", "wing", "beak", "song", "moss", "fern"]


FORMS = (
    "def {0}_{1}(x):",
    "    return {0}({1})",
    "import {0}",
    "",
    "# {0} {1}",
    "- {0}",
    "{0}: {1}",
)


FILES = (
    "src/app.py", "src/util.py", "src/core/parse.py", "lib/main.js", "docs/guide.md", "README.md",
    "Makefile", "tests/test_app.py", "pkg/a/b/deep.go", "setup.cfg",
)  # fmt: skip


FOLDERS = ("src", "src/core", "lib", "tests", ".", "pkg", "docs")


COMMANDS = (
    "cat {f}", "head -n {n} {f}", "tail -n {n} {f}", "sed -n {a},{b}p {f}", "grep -n {w} {f}",
    "grep {w} {f}", "grep -rn {w} {d}", "grep -rn {w} --include='*.py' {d}", "grep -l {w} {f} {g}",
    "grep -rl {w} {d}", "find {d} -name '*.py'", "find {d} -type f", "ls {d}", "ls -la {d}",
    "wc -l {f}", "wc -l {f} {g}", "nl -ba {f} | sed -n {a},{b}p", "cat -n {f} | head -{n}",
    "awk 'NR>={a} && NR<={b}' {f}", "cat {f} | grep {w}", "grep -n {w} {f} | head -{n}",
    "grep -rn {w} {d} | head -{n}", "grep -c {w} {f}", "grep -n -A2 {w} {f}", "grep -n -C1 {w} {f}",
    "grep -En '{w}|{v}' {f}", "grep -n {w} {f} {g}", "pwd", "cat {f} {g}", "head -n {n} {f} {g}",
    "ls {f} {g}", "test -f {f} && cat {f}", "cat {f} | wc -l", "sed -n '/{w}/p' {f}",
    "find {d} -name '*.py' -exec grep -l {w} {{}} +", "grep -rn {w} {d} | grep -v test",
    "cut -c1-20 {f}", "sort {f} | uniq | head -{n}",
)  # fmt: skip


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("several")
    chance = random.Random(1)
    for name in FILES:
        lines = [
            chance.choice(FORMS).format(*chance.sample(WORDS, 2))
            for _ in range(chance.randint(25, 60))
        ]
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("".join(f"{line}\n" for line in lines))
    return root


def _shown(command: str, tree: Path) -> tuple[set[str], set[str]]:
    """Files that are shown and files that are named, by what bash prints."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tree,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    failed = done.returncode != 0
    found = shell_refs(command, ToolResult(done.stdout, is_error=failed), str(tree), Settings())
    shown = {ref.path for ref in found.refs if ref.kind != "surfaced"}
    return shown, {ref.path for ref in found.refs}


def _part(chance: random.Random) -> str:
    first = chance.randint(1, 12)
    f, g = chance.sample(FILES, 2)
    w, v = chance.sample(WORDS, 2)
    d, n, b = chance.choice(FOLDERS), chance.randint(1, 12), first + chance.randint(0, 12)
    return chance.choice(COMMANDS).format(f=f, g=g, w=w, v=v, d=d, n=n, a=first, b=b)


@pytest.mark.parametrize("seed", range(12))
def test_files_behind_a_command_are_those_behind_its_parts(seed: int, tree: Path) -> None:
    chance = random.Random(seed)
    for _ in range(12):
        parts = [_part(chance) for _ in range(chance.randint(2, 4))]
        whole = '; echo "=== next ==="; '.join(parts)
        apart = [_shown(part, tree) for part in parts]
        assert _shown(whole, tree) == tuple(map(set().union, *apart)), whole


@pytest.mark.parametrize(
    "silent",
    [
        "find . -name zzz", "fd zzz", "git status -s", "git diff --stat", "git diff --name-only",
        "git ls-files zzz", "flake8 src", "npx tsc --noEmit", "go build ./...", "python -m mypy src",
    ],
)  # fmt: skip
def test_a_program_without_names_to_print_succeeded(silent: str) -> None:
    """What follows `&&` ran, although nothing was printed before it."""
    assert seen(f"{silent} && cat q.py", "x = 1\ny = 2\n") == [("read", "q.py", 1, 2)]
    assert seen(f"{silent} && grep -n y q.py", "2:y = 2\n") == [("matched", "q.py", 2, 2)]


def test_a_program_that_fails_without_names_guards_what_follows() -> None:
    """`grep -l` without a match fails, so the lines are those of b.py."""
    assert seen("grep -l zzz a.py && cat a.py; cat b.py", "x = 1\n") == [("read", "b.py", 1, 1)]


def test_only_separators_were_printed() -> None:
    found = view('grep -n a x.py; echo "---"; grep -n b y.py', "---\n")
    assert found.refs == () and found.failed


def test_the_text_decides_which_of_several_commands_printed() -> None:
    command = 'grep -n alpha x.py\necho "---"\ngrep -n beta y.py'
    assert touched(command, "---\n7:beta\n") == [("matched", "/w/y.py", 7, 7)]
