"""One task from a repository's own history: `git:REPO@REV` or `git:REPO@A..B` (D97).

For users without a benchmark: a session is evaluated against the commit that came out of it. The
files that the change touches are relevant and are the edit targets, as with any gold patch.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from groundtrace.base.jsonio import clean_text
from groundtrace.base.patterns import regex
from groundtrace.base.visible import visible
from groundtrace.errors import InputError, UsageError
from groundtrace.model import Task, TaskRow
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
            repository=top,
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


# --- git in a repository that is not trusted -------------------------------------------------
#
# A repository's own configuration can name programs: external diffs, text converters, monitors,
# hooks, transports. None of them may run here. So git gets settings that override the repository's,
# an empty list of allowed transports, an environment without the caller's `GIT_` variables, a time
# limit and an output limit.

TIME_LIMIT = 60.0
"""Seconds that one command may take."""

MAX_OUTPUT = 64 * 1024 * 1024
"""Largest patch in bytes; a larger change is not a task."""

_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.quotePath=true",
    "diff.external=",
    "protocol.allow=never",
    "submodule.recurse=false",
)

_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # overrides any `protocol.*.allow` of the repository
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}


class GitError(InputError):
    """git refused, failed, took too long or wrote too much; the message says which."""


def run_git(repo: str, arguments: Sequence[str], *, time_limit: float = TIME_LIMIT) -> bytes:
    """Standard output of a git command in a repository.

    Raises GitError with git's own message if the command fails.
    """
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                [*git_command(), "-C", repo, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=git_environment(),
            )
        except FileNotFoundError:
            raise GitError(f"git:{visible(repo)}: git is not installed") from None
        late = threading.Timer(time_limit, process.kill)
        late.start()
        try:
            assert process.stdout is not None
            with process.stdout as stream:
                output = stream.read(MAX_OUTPUT + 1)
            if len(output) > MAX_OUTPUT:
                process.kill()
            code = process.wait()
        finally:
            stopped = not late.is_alive()
            late.cancel()
        if len(output) > MAX_OUTPUT:
            raise GitError(f"git:{visible(repo)}: more than {MAX_OUTPUT:,} bytes of changes")
        if stopped and code != 0:
            raise GitError(f"git:{visible(repo)}: git took more than {time_limit:g} seconds")
        if code != 0:
            errors.seek(0)
            raise GitError(f"git:{visible(repo)}: {_said(errors.read(4096))}")
    return output


def git_command() -> list[str]:
    """git with the settings that override a repository's own."""
    command = ["git", "--no-pager", "--no-replace-objects"]
    for setting in _SETTINGS:
        command += ["-c", setting]
    return command


def git_environment() -> dict[str, str]:
    """The caller's variables without git's: in a git hook, GIT_DIR names another repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, **_ENVIRONMENT}


def _said(errors: bytes) -> str:
    lines = errors.decode("utf-8", errors="replace").strip().splitlines()
    return visible(lines[0].removeprefix("fatal: ")) if lines else "git failed without a message"
