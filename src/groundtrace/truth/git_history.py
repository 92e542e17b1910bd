"""One task from a repository's own history: `git:REPO@REV` or `git:REPO@A..B` (D97).

For users without a benchmark: a session is evaluated against the commit that came out of it. The
files that the change touches are relevant and are the edit targets, as with any gold patch.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from groundtrace.base.jsonio import clean_text
from groundtrace.base.patterns import regex
from groundtrace.base.visible import visible
from groundtrace.errors import UsageError
from groundtrace.model import Task, TaskRow
from groundtrace.truth.git_process import GitError, run_git
from groundtrace.truth.tasks import TaskIndex, index_of

SCHEME = "git"

BENCHMARK = "loose"
"""Used as the suite: no data set gives a name."""

SHORT = 12
"""Characters of a revision in names: enough to tell revisions apart at a glance."""

_DIFF = (
    "diff-tree",
    "--no-commit-id",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--find-renames",
    "--full-index",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--unified=3",
    "--patch",
    "-r",
)

_SHA = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")

_USAGE = "write git:REPO@REVISION or git:REPO@FROM..TO"


class RevisionRange(NamedTuple):
    """The repository and the revisions that a location names."""

    repo: str
    old: str | None
    """The revision before `new`; None for the first parent of `new`."""
    new: str


def tasks_of_history(location: str) -> TaskIndex:
    """The index of the one task that a location names; `location` has no `git:`.

    Raises UsageError if the location has another form, GitError if git cannot read it.
    """
    change = parse_location(location)
    top = _top(change.repo)
    new = _commit(change.repo, change.new)
    old = (
        _first_parent(change.repo, new) if change.old is None else _commit(change.repo, change.old)
    )
    patch = _patch(change.repo, old, new)
    name = clean_text(Path(top).name.removesuffix(".git")) or "repository"
    task = Task(
        name=f"{name}@{new}",
        benchmark=BENCHMARK,
        folder=None,
        repos=(name,),
        repo_paths={clean_text(top): name},
        aliases=tuple(dict.fromkeys((f"{name}@{new[:SHORT]}", f"{name}@{new[:7]}"))),
        row=TaskRow(
            file=f"{SCHEME}:{name}@{new[:SHORT]}",
            number=1,
            patch=clean_text(patch.decode("utf-8", errors="replace")),
            base_commit=old,
        ),
        takes_nameless=True,
    )
    return index_of([task], [])


def parse_location(location: str) -> RevisionRange:
    """Repository and revisions of `REPO@REV` or `REPO@A..B`."""
    # The last `@` that does not begin `@{1}`: paths and revisions may contain others.
    parts = re.split(r"@(?!\{)", location)
    repo, spec = "@".join(parts[:-1]), parts[-1]
    if not repo or not spec:
        raise UsageError(f"git:{visible(location)}: names no revision; {_USAGE}")
    if "..." in spec:
        raise UsageError(f"git:{visible(location)}: three dots are not read; {_USAGE}")
    old, dots, new = spec.partition("..")
    ends = [old, new] if dots else [spec]
    for end in ends:
        if not end or end.startswith("-") or end.strip() != end:
            raise UsageError(
                f"git:{visible(location)}: {visible(end)!r} is not a revision; {_USAGE}"
            )
    return RevisionRange(repo, ends[0] if dots else None, ends[-1])


def _top(repo: str) -> str:
    """The top folder of the repository; the location may point to any folder in it."""
    bare = run_git(repo, ["rev-parse", "--is-bare-repository"]).strip() == b"true"
    asked = "--absolute-git-dir" if bare else "--show-toplevel"
    return os.fsdecode(run_git(repo, ["rev-parse", asked]).removesuffix(b"\n"))


def _commit(repo: str, revision: str) -> str:
    asked = ["rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"]
    try:
        sha = run_git(repo, asked).decode("ascii", errors="replace").strip()
    except GitError as error:
        what = f"git:{visible(repo)}: {visible(revision)!r} is not a commit there"
        raise GitError(f"{what} ({str(error).rpartition(': ')[2]})") from None
    if _SHA.fullmatch(sha) is None:
        raise GitError(f"git:{visible(repo)}: {visible(revision)!r} names no single commit")
    return sha


def _first_parent(repo: str, sha: str) -> str | None:
    """The first parent of a commit; None for the first commit of the repository."""
    said = run_git(repo, ["rev-list", "--parents", "--max-count=1", sha]).decode("ascii")
    _, *parents = said.split()
    return parents[0] if parents else None


def _patch(repo: str, old: str | None, new: str) -> bytes:
    return run_git(repo, [*_DIFF, "--root", new] if old is None else [*_DIFF, old, new])
