"""Which functions a patch changes (D216)."""

from __future__ import annotations

import json
import os
import random
import tarfile
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from subprocess import run

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.events.functions import ChangedFunctions, _placed, functions_changed
from groundtrace.functions.languages import language_of
from groundtrace.functions.repositories import BaseFile, close_repositories, open_tree
from groundtrace.functions.spans import spans_of
from groundtrace.model import PatchHunk, Task, TaskRow
from groundtrace.truth.patches import read_patch
from tests.functions import ast_oracle, check_history, check_study


@pytest.fixture(autouse=True, scope="module")
def closed() -> Iterator[None]:
    yield
    close_repositories()


class Files:
    """The files of a commit, given as text."""

    def __init__(self, **texts: str) -> None:
        self._texts = {name.replace("__", "/") + ".py": text for name, text in texts.items()}

    def file(self, path: str) -> BaseFile:
        language = language_of(path)
        if language is None:
            return BaseFile("none")
        if path not in self._texts:
            return BaseFile("absent")
        found = spans_of(self._texts[path].encode(), language)
        assert found is not None
        return BaseFile("known", found.spans, path)

    def text(self, file: BaseFile) -> bytes:
        return self._texts[file.id].encode()


def changed(patch: str, files: Files) -> ChangedFunctions:
    return functions_changed(files, read_patch(patch).hunks)  # type: ignore[arg-type]


def names(found: ChangedFunctions) -> list[str]:
    assert found.reason is None
    return [f"{one.file}::{one.span.name}" for one in found.functions]


CODE = """import os

class A:
    size = 1

    @property
    def read(self):
        def inner():
            return 1

        return inner

    def write(self):
        pass


top = 1
"""
LINES = CODE.split("\n")


def patch_of(*changes: tuple[int, list[str], int], path: str = "a.py", new: str = "") -> str:
    """A patch of one hunk a change: at a line, the lines added, the number of lines removed."""
    parts = [f"diff --git a/{path} b/{new or path}\n"]
    if new:
        parts.append(f"rename from {path}\nrename to {new}\n")
    parts.append(f"--- a/{path}\n+++ b/{new or path}\n")
    for line, added, removed in changes:
        before = [f" {LINES[line - 2]}\n"] if line > 1 else []
        behind = LINES[line - 1 + removed : line + removed]
        after = [f" {text}\n" for text in behind if line + removed < len(LINES)]
        old = len(before) + removed + len(after)
        new_count = len(before) + len(added) + len(after)
        start = line - len(before)
        parts.append(f"@@ -{start},{old} +{start},{new_count} @@\n")
        parts += before
        parts += [f"-{text}\n" for text in LINES[line - 1 : line - 1 + removed]]
        parts += [f"+{text}\n" for text in added]
        parts += after
    return "".join(parts)


@pytest.mark.parametrize(
    ("line", "added", "removed", "expected"),
    [
        (9, [], 1, ["A.read.inner"]),  # a removed line of the innermost function
        (11, ["        return 2"], 1, ["A.read"]),
        (6, [], 1, ["A.read"]),  # its decorator
        (4, ["    size = 2"], 1, []),  # the body of a class
        (1, ["import sys"], 1, []),  # module level
        (9, ["            x = 1"], 0, ["A.read.inner"]),  # between two lines of inner
        (10, ["            x = 1"], 0, ["A.read"]),  # behind inner's last line, before read's blank
        (12, ["        x = 1"], 0, []),  # behind read's last line
        (
            13,
            ["    def new(self):", "        pass", ""],
            0,
            [],
        ),  # a function that the patch creates
        (15, ["        x = 1"], 0, []),  # behind the last line of write
        (1, ["# first"], 0, []),  # before the file's first line
        (18, ["# last"], 0, []),  # behind its last line
        (7, [], 8, ["A.read", "A.read.inner", "A.write"]),
    ],
)
def test_the_rule(line: int, added: list[str], removed: int, expected: list[str]) -> None:
    patch = patch_of((line, added, removed))
    found = names(changed(patch, Files(a=CODE)))
    assert found == [f"a.py::{name}" for name in expected]


def test_a_renamed_file_has_its_old_name() -> None:
    patch = patch_of((14, ["        return"], 1), new="b.py")
    assert names(changed(patch, Files(a=CODE))) == ["a.py::A.write"]


@given(st.integers(1, 16), st.integers(0, 2), st.sampled_from(["a", "b__c", "x__y__z"]))
def test_renaming_a_file_changes_nothing_but_the_name(line: int, removed: int, name: str) -> None:
    path = name.replace("__", "/") + ".py"
    added = [] if removed else ["pass"]
    one = names(changed(patch_of((line, added, removed)), Files(a=CODE)))
    other = names(changed(patch_of((line, added, removed), path=path), Files(**{name: CODE})))
    assert other == [f"{path}::{found.partition('::')[2]}" for found in one]


def test_created_files_give_none() -> None:
    patch = "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,2 @@\n+def a():\n+    pass\n"
    assert names(changed(patch, Files(a=CODE))) == []


def test_line_ends_form_feeds_and_a_missing_last_break() -> None:
    """Only line feeds end lines, in the patch as in the file."""
    code = "def a():\r\n    x = '\x0c\x85\u2028'\r\n\x0c\r\ndef b():\r\n    return 1"
    patch = (
        "--- a/a.py\n+++ b/a.py\n@@ -2,4 +2,4 @@\n     x = '\x0c\x85\u2028'\r\n \x0c\r\n def b():\r\n"
        "-    return 1\n\\ No newline at end of file\n+    return 2\n"
    )
    assert names(changed(patch, Files(a=code))) == ["a.py::b"]


def test_a_patch_that_does_not_fit_says_so() -> None:
    patch = patch_of((14, ["        return"], 1))
    other = CODE.replace("write", "store")
    assert changed(patch, Files(a=other)) == ChangedFunctions((), "patch_does_not_fit")
    assert changed(patch, Files(b=CODE)) == ChangedFunctions((), "patch_does_not_fit")
    assert changed(patch.replace("pass", "pass  \r"), Files(a=CODE)).reason is None
    short = Files(a="\n".join(CODE.split("\n")[:12]))
    assert changed(patch, short).reason == "patch_does_not_fit"


@pytest.mark.parametrize("stated", [1, 5, 12, 14, 113])
def test_a_patch_of_another_commit_is_placed_as_git_places_it(stated: int) -> None:
    """The base commits of data sets are those of other patches now and then."""
    patch = patch_of((14, ["        return"], 1))
    moved = patch.replace("@@ -13,3 +13,3 @@", f"@@ -{stated},3 +{stated},3 @@")
    assert moved != patch or stated == 13
    for more in (0, 1, 40):
        found = changed(moved, Files(a="# line\n" * more + CODE))
        if stated == 1:  # git keeps a hunk at the beginning there
            assert found.reason == "patch_does_not_fit"
        else:
            assert names(found) == ["a.py::A.write"]
            assert found.functions[0].span.first == 13 + more


@pytest.mark.parametrize("seed", range(20))
def test_git_applies_what_fits_and_at_the_same_place(seed: int, tmp_path: Path) -> None:
    """Patches of files with many equal lines, held against `git apply` on other versions of them."""
    chance = random.Random(seed)
    for case in range(3):
        old = [chance.choice("abcdefgh") for _ in range(chance.randint(3, 30))]
        base, new = _edited(old, chance), _edited(old, chance)
        lines = [[f"{one}\n" for one in text] for text in (old, new)]
        diff = "".join(unified_diff(*lines, "a/f.py", "b/f.py", n=chance.choice([1, 3])))
        if not diff:
            continue
        folder = tmp_path / str(case)
        folder.mkdir()
        text = "".join(f"{one}\n" for one in base)
        (folder / "f.py").write_text(text)
        done = run(
            ["git", "apply", "-"], cwd=folder, input=diff.encode(), capture_output=True, check=False
        )
        hunks = read_patch(diff).hunks
        placed = _placed(hunks, text.encode().split(b"\n"))
        if done.returncode:  # git wants the end of the file where a patch shows none behind
            assert placed is None or placed == list(hunks)
        else:
            assert placed is not None
            assert (folder / "f.py").read_text().split() == _applied(base, diff, placed)


def test_the_oracle_places_hunks_as_git_does_and_removes_the_line_that_the_patch_removes() -> None:
    """Two hunks, two lines further down each than stated. The first removes the last of two equal
    lines in a row: a comparison of the files would take either."""
    base = "# x\n# y\ndef a():\n    x()\n    x()\n\n\ndef b():\n    return 1\n"
    patch = (
        "--- a/a.py\n+++ b/a.py\n@@ -2,4 +2,3 @@\n     x()\n-    x()\n \n \n"
        "@@ -6,2 +5,3 @@\n def b():\n+    pass\n     return 1\n"
    )
    placed = ast_oracle.fitting(patch, {"a.py": base.encode()})
    assert list(ast_oracle.old_lines(placed)) == [("a.py", 5, 5), ("a.py", 8, 9)]
    assert ast_oracle.changed(placed, {"a.py": base.encode()}) == {"a.py::a", "a.py::b"}
    assert names(changed(patch, Files(a=base))) == ["a.py::a", "a.py::b"]


def _edited(lines: list[str], chance: random.Random) -> list[str]:
    made = list(lines)
    for _ in range(chance.randint(0, 2)):
        at = chance.randint(0, len(made))
        made[at : at + chance.randint(0, 2)] = chance.choices("abcxyz", k=chance.randint(0, 3))
    return made


def _applied(base: list[str], diff: str, hunks: list[PatchHunk]) -> list[str]:
    sides = [part.split("\n")[1:] for part in diff.split("\n@@ ")[1:]]
    out = list(base)
    for hunk, side in sorted(zip(hunks, sides, strict=True), key=lambda one: -one[0].first):
        new = [line[1:] for line in side if line[:1] in ("+", " ")]
        out[hunk.first - 1 : hunk.first - 1 + len(hunk.old)] = new
    return out


def test_documents_beside_code_do_not_matter() -> None:
    patch = patch_of((14, ["        return"], 1))
    notes = "diff --git a/n.rst b/n.rst\n--- a/n.rst\n+++ b/n.rst\n@@ -1 +1 @@\n-a\n+b\n"
    assert names(changed(notes + patch, Files(a=CODE))) == ["a.py::A.write"]


# --- real patches -------------------------------------------------------------------------------


def unpack(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")


def test_gold_patches_are_as_ast_has_them(tmp_path: Path) -> None:
    """A sample; `python -m tests.functions.check_study` takes all 500."""
    study = Path(os.environ.get("GROUNDTRACE_STUDY", ""))
    if not (study / "repos").is_dir():
        pytest.skip("GROUNDTRACE_STUDY is not set")
    repos = study / "repos"
    if not any(repos.glob("*.git")):
        for archive in repos.glob("*.git.tar"):
            unpack(archive, tmp_path)
        repos = tmp_path
    rows = random.Random(0).sample(check_study.rows(study), 25)
    said = {row["instance_id"]: check_study.check(row, repos) for row in rows}
    allowed = {"equal", "no_repository"}
    assert {name: one for name, one in said.items() if one not in allowed} == {}
    assert sum(one == "equal" for one in said.values()) >= 20


def test_this_projects_own_history_is_as_ast_has_it() -> None:
    """A sample; `python -m tests.functions.check_history` takes every commit."""
    if not (check_history.HERE / ".git").exists():
        pytest.skip("no history here")
    chosen = check_history.commits(check_history.HERE, 10)[:10]
    said = {commit: check_history.check(check_history.HERE, commit) for commit in chosen}
    assert {commit: one for commit, one in said.items() if one != "equal"} == {}


def test_a_task_without_a_base_commit_has_no_functions() -> None:
    row = TaskRow("t", 1, repository=str(check_history.HERE))
    assert open_tree(Task("t", "", None, repos=("own",), row=row), []).reason == "commit_absent"


BY_HAND = {
    "cli__cli-5973": ["pkg/cmd/repo/clone/clone.go::cloneRun 77-179"],
    "cli__cli-5047": ["pkg/cmd/workflow/enable/enable.go::runEnable 58-93"],
    "cli__cli-1567": ["pkg/cmd/repo/view/view.go::viewRun 59-166"],
    "iamkun__dayjs-734": ["src/plugin/localeData/index.js::localeData.weekdaysShort 19-20"],
}
"""Read from the patches: an interface, constants and imports beside these give no function."""


def test_go_and_javascript_worked_by_hand(tmp_path: Path) -> None:
    corpus = Path(os.environ.get("GROUNDTRACE_CORPUS_NEXT", ""))
    if not (corpus / "repos" / "cli__cli.git.tar").is_file():
        pytest.skip("GROUNDTRACE_CORPUS_NEXT is not set")
    for name in ("cli__cli", "iamkun__dayjs"):
        unpack(corpus / "repos" / f"{name}.git.tar", tmp_path)
    found = {}
    for line in (corpus / "contextbench" / "gold.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        if row["original_inst_id"] in BY_HAND:
            task = TaskRow("gold.jsonl", 1, base_commit=row["base_commit"])
            opened = open_tree(Task("t", "", None, repos=(row["repo"],), row=task), [str(tmp_path)])
            assert opened.tree is not None
            functions = functions_changed(opened.tree, read_patch(row["patch"]).hunks).functions
            found[row["original_inst_id"]] = [
                f"{one.file}::{one.span.name} {one.span.first}-{one.span.last}" for one in functions
            ]
    assert found == BY_HAND
