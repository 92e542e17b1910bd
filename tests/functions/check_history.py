"""Functions of the patches of a repository's own history, held against `ast`.

`python -m tests.functions.check_history [REPOSITORY] [COMMITS]`: without arguments, all of this one.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

from groundtrace.events.functions import functions_changed
from groundtrace.functions.repositories import open_tree
from groundtrace.model import Task, TaskRow
from groundtrace.truth.patches import read_patch
from tests.functions import ast_oracle

HERE = Path(__file__).parents[2]


def git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, check=True
    )
    return done.stdout.decode("utf-8", errors="replace")


def commits(repository: Path, most: int | None = None) -> list[str]:
    """Commits with one parent, evenly chosen."""
    every = git(repository, "rev-list", "--no-merges", "--min-parents=1", "HEAD").split()
    return every if most is None else every[:: max(1, len(every) // most)]


def check(repository: Path, commit: str) -> str:
    """What the comparison of one commit's patch says."""
    patch = git(repository, "diff-tree", "-p", "-M", "--full-index", f"{commit}^", commit)
    base = git(repository, "rev-parse", f"{commit}^").strip()
    row = TaskRow("git", 1, base_commit=base, repository=str(repository))
    tree = open_tree(Task("t", "", None, repos=("own",), row=row), []).tree
    if tree is None:
        return "commit_absent"
    found = functions_changed(tree, read_patch(patch).hunks)
    if found.reason is not None:
        return found.reason
    sources = {
        path: ast_oracle.text_at(repository, base, path) for path in ast_oracle.paths_of(patch)
    }
    expected = ast_oracle.changed(patch, sources)
    own = {f"{one.file}::{one.span.name}" for one in found.functions if one.file.endswith(".py")}
    return "equal" if own == expected else f"differs: {sorted(own ^ expected)}"


def main() -> None:
    """Print the counts; exit with 1 if any differs."""
    repository = Path(sys.argv[1]) if sys.argv[1:] else HERE
    most = int(sys.argv[2]) if sys.argv[2:] else None
    results = {commit: check(repository, commit) for commit in commits(repository, most)}
    for commit, said in results.items():
        if said != "equal":
            print(commit, said)
    print(dict(Counter(said.partition(":")[0] for said in results.values())))
    sys.exit(any(said.startswith("differs") for said in results.values()))


if __name__ == "__main__":
    main()
