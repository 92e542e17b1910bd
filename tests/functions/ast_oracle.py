"""The contract's rules written a second time, for Python, with the standard library's `ast`.

Nothing here uses groundtrace: tests hold its spans and its functions of patches against this.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Function(NamedTuple):
    name: str
    first: int
    last: int


def functions_of(source: bytes) -> list[Function]:
    """All functions of a file; raises SyntaxError or ValueError if `ast` cannot read it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    return sorted(_below(tree, ()))


def _below(node: ast.AST, names: tuple[str, ...]) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        own = names
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            own = (*names, child.name)
            first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
            if not isinstance(child, ast.ClassDef):
                yield Function(".".join(own), first, child.end_lineno or first)
        elif isinstance(child, ast.Assign | ast.AnnAssign) and isinstance(child.value, ast.Lambda):
            target = child.targets[-1] if isinstance(child, ast.Assign) else child.target
            if isinstance(target, ast.Name):
                own = (*names, target.id)
                last = child.value.end_lineno or target.lineno
                yield Function(".".join(own), target.lineno, last)
        yield from _below(child, own)


def innermost(functions: list[Function], first: int, last: int) -> Function | None:
    """The smallest function that holds all these lines."""
    holding = [one for one in functions if one.first <= first and last <= one.last]
    return min(holding, key=lambda one: (one.last - one.first, -len(one.name)), default=None)


def changed(patch: str, read: dict[str, bytes | None]) -> set[str]:
    """Names of the functions that a patch changes; `read` has the text of each old file."""
    found = set()
    for path, first, last in old_lines(patch):
        source = read.get(path)
        if path.endswith(".py") and source is not None:
            function = innermost(functions_of(source), first, last)
            if function is not None:
                found.add(f"{path}::{function.name}")
    return found


def old_lines(patch: str) -> Iterator[tuple[str, int, int]]:
    """Each removed line, and the two lines around each insertion, by the old file's name."""
    path, number = "", 0
    inserting = removing = False
    counts = [0, 0]
    for line in patch.split("\n"):
        header = re.match(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@", line)
        if header and counts == [0, 0]:
            counts = [int(header[2] or 1), int(header[3] or 1)]
            number = int(header[1]) + (counts[0] == 0)
            inserting = removing = False
        elif counts == [0, 0]:
            if line.startswith("--- "):
                path = line[4:].split("\t")[0].removeprefix("a/")
        elif line.startswith("+"):
            inserting = True
            counts[1] -= 1
        else:
            if line.startswith("-"):
                yield path, number, number
                removing = True
                counts[0] -= 1
                number += 1
            elif not line.startswith("\\"):
                if inserting and not removing:
                    yield path, number - 1, number
                inserting = removing = False
                counts = [counts[0] - 1, counts[1] - 1]
                number += 1
        if counts == [0, 0] and inserting and not removing:
            yield path, number - 1, number
            inserting = False


def fitting(patch: str, read: dict[str, bytes | None]) -> str:
    """The same patch with its hunks where git applies them.

    A comparison of the two files is not the same: of two equal lines it may remove the other one
    (matplotlib-26342 removes the last line of a function, an empty one).
    """
    with tempfile.TemporaryDirectory() as folder:
        for path, source in read.items():
            if source is not None:
                Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, path).write_bytes(source)
        command = ["git", "apply", "--verbose", "-"]
        made = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "LC_ALL": "C"},
            input=patch.encode(),
            capture_output=True,
            check=True,
        )
    return _with_places(patch, _places(made.stderr.decode()))


def _places(said: str) -> dict[tuple[str, int], int]:
    """Where git put the hunks that it moved, by file and number of the hunk: lines of the file as
    the earlier hunks left it."""
    found, path = {}, ""
    for line in said.splitlines():
        if file := re.fullmatch(r"Checking patch (?:.* => )?(.*)\.\.\.", line):
            path = file[1]
        elif hunk := re.fullmatch(r"Hunk #(\d+) succeeded at (\d+) \(offset .*\)\.", line):
            found[path, int(hunk[1])] = int(hunk[2])
    return found


def _with_places(patch: str, places: dict[tuple[str, int], int]) -> str:
    path, lines = "", []
    earlier: list[tuple[int, int]] = []
    for line in patch.split("\n"):
        header = re.match(r"@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@", line)
        if line.startswith("+++ "):
            path, earlier = line[4:].split("\t")[0].removeprefix("b/"), []
        if header:
            at = places.get((path, len(earlier) + 1), int(header[3]))
            first = at - sum(grown for place, grown in earlier if place < at)
            if (path, len(earlier) + 1) in places:
                line = f"@@ -{first}{header[2]} +{at}{header[4]} @@{line[header.end() :]}"
            old, new = (int(header[n][1:] or 1) for n in (2, 4))
            earlier.append((at, new - old))
        lines.append(line)
    return "\n".join(lines)


def paths_of(patch: str) -> list[str]:
    """The old names of a patch's files."""
    return sorted({path for path, _, _ in old_lines(patch)})


def text_at(repository: Path, commit: str, path: str) -> bytes | None:
    """A file at a commit; None if it is not there."""
    command = ["git", "-C", str(repository), "cat-file", "blob", f"{commit}:{path}"]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None
