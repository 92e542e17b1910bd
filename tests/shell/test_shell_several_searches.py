"""Searches and lists side by side: each line goes to the command that can have printed it (D4, D6).

The files behind `A; echo mark; B` are those behind A and those behind B. Real bash prints.
"""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import shell_refs
from tests.shell.scratch_repository import environment

Found = list[tuple[str, str, int | None, int | None]]


def seen(command: str, output: str) -> Found:
    found = shell_refs(command, ToolResult(output), "/w/repo", Settings())
    return [
        (ref.kind, ref.path.removeprefix("/w/"), ref.line_start, ref.line_end) for ref in found.refs
    ]


@pytest.mark.parametrize("program", ["grep", "rg"])
@pytest.mark.parametrize("joint", ["; ", " && ", "\n"])
def test_a_numbered_line_belongs_to_the_search_whose_pattern_it_holds(
    program: str, joint: str
) -> None:
    command = joint.join(f"{program} -n {word} {word}.py" for word in ("heron", "nest", "egg"))
    assert seen(command, "3:heron = 1\n7:nest = 2\n9:egg = 3\n") == [
        ("matched", "repo/heron.py", 3, 3),
        ("matched", "repo/nest.py", 7, 7),
        ("matched", "repo/egg.py", 9, 9),
    ]


def test_a_search_that_found_nothing_gets_no_lines_of_the_next() -> None:
    assert seen("grep -n heron a.py; grep -n nest b.py", "7:nest = 2\n") == [
        ("matched", "repo/b.py", 7, 7)
    ]
    assert seen("grep -n -C1 heron a.py; grep -n nest b.py", "7:nest = 2\n") == [
        ("matched", "repo/b.py", 7, 7)
    ]


def test_lines_that_are_left_over_by_an_inverted_search_lack_its_pattern() -> None:
    assert seen("grep -vn heron a.py; grep -n heron b.py", "1:nest\n2:heron\n") == [
        ("matched", "repo/a.py", 1, 1),
        ("matched", "repo/b.py", 2, 2),
    ]


@pytest.mark.parametrize("program", ["rg -n heron", "rg heron -n", "ag heron", "grep -rn heron"])
@pytest.mark.parametrize(
    ("folder", "printed"), [(".", "./"), ("./", "./"), ("..", "../repo/"), ("../", "../repo/")]
)
def test_a_search_of_a_folder_that_is_named_by_dots_names_its_files(
    program: str, folder: str, printed: str
) -> None:
    output = f"{printed}src/nest.tsx:20:  <heron\n{printed}src/(in)/egg.tsx:14:  <heron\n"
    assert seen(f"{program} {folder}", output) == [
        ("matched", "repo/src/nest.tsx", 20, 20),
        ("matched", "repo/src/(in)/egg.tsx", 14, 14),
    ]


@pytest.mark.parametrize("folder", ["CMS", "my.pkg", "k8s.io"])
def test_rg_in_a_folder_whose_name_looks_like_a_files_names_its_files(folder: str) -> None:
    assert seen(f"rg -n heron {folder}", f"{folder}/a.py:3:heron\n{folder}/b.py:4:heron\n") == [
        ("matched", f"repo/{folder}/a.py", 3, 3),
        ("matched", f"repo/{folder}/b.py", 4, 4),
    ]


def test_small_letters_find_capitals_with_ag() -> None:
    assert seen("ag heron a.py; ag nest b.py", "3:Heron\n5:Nest\n") == [
        ("matched", "repo/a.py", 3, 3),
        ("matched", "repo/b.py", 5, 5),
    ]


def test_a_list_of_names_takes_no_found_lines() -> None:
    output = "./a.py:1:heron\n./b.py:7:- heron\n./a.py\n./b.py\n./c.py\n"
    assert seen("grep -rn heron .; find . -type f", output) == [
        ("matched", "repo/a.py", 1, 1),
        ("matched", "repo/b.py", 7, 7),
        ("surfaced", "repo/c.py", None, None),
    ]


def test_a_list_of_names_takes_no_counts() -> None:
    output = "17 src/a.py\ntests/test_a.py\n"
    assert seen("wc -l src/a.py\ngit ls-files tests", output) == [
        ("surfaced", "repo/src/a.py", None, None),
        ("surfaced", "repo/tests/test_a.py", None, None),
    ]


def test_the_pattern_of_git_ls_files_matches_across_folders() -> None:
    assert seen("git ls-files '*.py'", "a.py\nsrc/b.py\n") == [
        ("surfaced", "repo/a.py", None, None),
        ("surfaced", "repo/src/b.py", None, None),
    ]


# --- random commands ------------------------------------------------------------------------------

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
