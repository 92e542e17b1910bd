"""Tasks from a repository's own history: `git:REPO@REV`, `git:REPO@A..B` (D97), or `git:REPO`.

For users without a benchmark: a session is evaluated against the commits that came out of it. The
files that the change touches are relevant and are the edit targets, as with any gold patch. With a
revision all sessions are held against one change; without one, `own_commits` finds the commits of
each session.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from groundtrace.base.digests import sha256
from groundtrace.base.jsonio import clean_text
from groundtrace.base.patterns import regex
from groundtrace.base.visible import visible
from groundtrace.errors import InputError, UsageError
from groundtrace.model import Task, TaskRow
from groundtrace.truth.tasks import History, TaskIndex, index_of

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

_USAGE = "write git:REPO, git:REPO@REVISION or git:REPO@FROM..TO"


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
    if _names_no_revision(location):
        return TaskIndex(histories=(history_of(location),))
    change = parse_location(location)
    history = history_of(change.repo)
    new = _commit(change.repo, change.new)
    old = (
        _first_parent(change.repo, new) if change.old is None else _commit(change.repo, change.old)
    )
    task = change_task(history, old, new)
    return index_of([replace(task, takes_nameless=True)], [])


def change_task(
    history: History, old: str | None, new: str, files: Sequence[str] | None = None
) -> Task:
    """The task of a change from one commit to another; `files` are those that count."""
    name = history.name
    patch = _patch(history.repo, old, new, files)
    return Task(
        name=f"{name}@{new}",
        benchmark=BENCHMARK,
        folder=None,
        repos=(name,),
        repo_paths={clean_text(tree): name for tree in history.trees},
        aliases=tuple(dict.fromkeys((f"{name}@{new[:SHORT]}", f"{name}@{new[:7]}"))),
        row=TaskRow(
            file=f"{SCHEME}:{name}@{new[:SHORT]}",
            number=1,
            patch=clean_text(patch.decode("utf-8", errors="replace")),
            base_commit=old,
            repository=history.trees[0],
        ),
    )


def _names_no_revision(location: str) -> bool:
    """Whether a location is a repository alone; a folder may have an `@` in its name."""
    return bool(location) and ("@" not in location or Path(location).is_dir())


def history_of(repo: str) -> History:
    """A repository as it is now; raises GitError if git cannot read it."""
    top = _top(repo)
    name = clean_text(Path(top).name.removesuffix(".git")) or "repository"
    trees = _trees(repo)
    # `remote` and `config --get-regexp` read settings only; addresses are names here.
    remotes = _remotes_of(repo)
    refs = run_git(repo, ["for-each-ref", "--format=%(objectname) %(refname)"])
    logs = _reflogs(repo, trees)
    lines = [line for log in logs.values() for line in log]
    mark = sha256(refs + b"\n".join(lines)).hexdigest()[:20]
    return History(
        repo=repo,
        name=name,
        trees=tuple(dict.fromkeys((top, *trees))),
        remotes=tuple(remotes),
        authors=frozenset(_who_committed(lines)),
        mark=mark,
    )


def _remotes_of(repo: str) -> list[str]:
    """The addresses that the repository's own settings state; empty if there are none."""
    names = r"^remote\..*\.url$"
    try:
        output = run_git(repo, ["config", "--local", "--no-includes", "-z", "--get-regexp", names])
    except GitError:  # git calls "none" a failure
        return []
    parts = output.decode("utf-8", errors="replace").split("\0")
    return [clean_text(part.partition("\n")[2]) for part in parts if "\n" in part]


def _trees(repo: str) -> list[str]:
    """The work trees of a repository, the main one first."""
    listed = run_git(repo, ["worktree", "list", "--porcelain", "-z"]).split(b"\0")
    return [os.fsdecode(line[9:]) for line in listed if line.startswith(b"worktree ")]


def _reflogs(repo: str, trees: Sequence[str]) -> dict[str, list[bytes]]:
    """What happened to HEAD in each work tree, oldest lines first."""
    common = Path(repo, os.fsdecode(run_git(repo, ["rev-parse", "--git-common-dir"])).rstrip("\n"))
    found = {tree: _lines(common / "logs/HEAD") for tree in trees[:1]}
    for folder in sorted(common.glob("worktrees/*"))[:MAX_TREES]:
        place = _lines(folder / "gitdir")  # the path of the tree's own `.git`
        if place:
            found[str(Path(os.fsdecode(place[0])).parent)] = _lines(folder / "logs/HEAD")
    return found


def _lines(path: Path) -> list[bytes]:
    """The last lines of a file; empty if there is none, as in a bare repository or a fresh clone."""
    try:
        if not path.is_file():  # a pipe would wait for ever
            return []
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - MAX_REFLOG))
            return stream.read(MAX_REFLOG).split(b"\n")
    except OSError:
        return []


_COMMITTED = re.compile(rb"^[0-9a-f]+ (?P<sha>[0-9a-f]+) .*<(?P<who>[^<>]*)> \d+ [-+]\d+\tcommit")


def _who_committed(lines: Sequence[bytes]) -> Iterator[str]:
    """Addresses of those who committed in this clone: commits that were fetched are not theirs."""
    for line in lines:
        found = _COMMITTED.match(line)
        if found is not None:
            yield found["who"].decode("utf-8", errors="replace")


def made_in(history: History) -> dict[str, set[str]]:
    """Commits that were made in a work tree, with the trees; empty where there is only one."""
    found: dict[str, set[str]] = {}
    if len(history.trees) > 1:
        for tree, lines in _reflogs(history.repo, _trees(history.repo)).items():
            for line in lines:
                made = _COMMITTED.match(line)
                if made is not None:
                    found.setdefault(made["sha"].decode(), set()).add(tree)
    return found


def leads(history: History, old: str, new: str) -> bool:
    """Whether a commit is the other one, or one that it stands on."""
    asked = ["rev-list", "--max-count=1", old, f"^{new}"]
    return not run_git(history.repo, asked).strip()


def has_missing_parent(history: History, sha: str) -> bool:
    """Whether a commit without parents has some in another clone; this one is shallow then."""
    head, _, _ = run_git(history.repo, ["cat-file", "commit", sha]).partition(b"\n\n")
    return b"\nparent " in head


def branches_at(history: History, sha: str) -> frozenset[str]:
    """Local branches that hold a commit."""
    asked = ["for-each-ref", f"--contains={sha}", "--format=%(refname:short)", "refs/heads"]
    return frozenset(run_git(history.repo, asked).decode("utf-8", errors="replace").split("\n"))


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


def _patch(repo: str, old: str | None, new: str, files: Sequence[str] | None = None) -> bytes:
    ends = ["--root", new] if old is None else [old, new]
    named = [] if files is None else [f":(top,literal){file}" for file in files]
    try:
        return run_git(repo, [*_DIFF, *ends, "--", *named])
    except GitError:
        # A file that is 900 MB of deltas cannot be compared, even to say that it is too large.
        large = _large_files(repo, ends, named)
        if not large:
            raise
    without = [f":(top,literal,exclude){os.fsdecode(change.path)}" for change in large]
    small = run_git(repo, [*_DIFF, *ends, "--", *named, *without])
    return small + b"".join(map(_as_binary, large))


class _Change(NamedTuple):
    """A file that a commit changes, as git lists it."""

    modes: tuple[bytes, bytes]
    """Before and after; zeros where there is no file."""
    blobs: tuple[bytes, bytes]
    path: bytes


def _large_files(repo: str, ends: list[str], named: list[str]) -> list[_Change]:
    """The changed files that are too large to be compared."""
    asked = ["diff-tree", "-r", "-z", "--raw", "--full-index", "--no-commit-id", "--no-renames"]
    parts = run_git(repo, [*asked, *ends, "--", *named]).split(b"\0")
    changes = []
    for head, path in zip(parts[::2], parts[1::2], strict=False):
        old_mode, new_mode, old, new, _ = head.removeprefix(b":").split(b" ")
        changes.append(_Change((old_mode, new_mode), (old, new), path))
    blobs = b"".join(blob + b"\n" for change in changes for blob in change.blobs)
    check = ["cat-file", "--batch-check=%(objectname) %(objectsize)"]
    sizes = dict(line.split(b" ", 1) for line in run_git(repo, check, given=blobs).splitlines())
    return [
        change
        for change in changes
        if any(sizes[blob].isdigit() and int(sizes[blob]) > LARGE_FILE for blob in change.blobs)
    ]


def _as_binary(change: _Change) -> bytes:
    """What git says of a file that it does not compare."""
    a, b = _quoted(b"a/" + change.path), _quoted(b"b/" + change.path)
    old_mode, new_mode = change.modes
    if not int(old_mode, 8):
        said, a = b"new file mode %s\n" % new_mode, b"/dev/null"
    elif not int(new_mode, 8):
        said, b = b"deleted file mode %s\n" % old_mode, b"/dev/null"
    else:
        said = b"" if old_mode == new_mode else b"old mode %s\nnew mode %s\n" % change.modes
    names = (_quoted(b"a/" + change.path), _quoted(b"b/" + change.path))
    index = b"index %s..%s" % change.blobs + (b" " + new_mode if not said else b"")
    return (
        b"diff --git %s %s\n" % names + said + index + b"\nBinary files %s and %s differ\n" % (a, b)
    )


def _quoted(path: bytes) -> bytes:
    """A path as git prints it (`core.quotePath`)."""
    signs = [
        _SIGNS.get(byte) or (bytes([byte]) if 32 <= byte < 127 else b"\\%03o" % byte)
        for byte in path
    ]
    quoted = b"".join(signs)
    return path if quoted == path else b'"' + quoted + b'"'


_SIGNS = {ord('"'): b'\\"', ord("\\"): b"\\\\", 9: b"\\t", 10: b"\\n", 13: b"\\r"}


# --- git in a repository that is not trusted -------------------------------------------------
#
# A repository's own configuration can name programs: external diffs, text converters, monitors,
# hooks, transports. None of them may run here. So git gets settings that override the repository's,
# an empty list of allowed transports, an environment without the caller's `GIT_` variables, a time
# limit and an output limit.

TIME_LIMIT = 60.0
"""Seconds that one command may take."""

MAX_REFLOG = 4 * 1024 * 1024
"""Bytes of a reflog that are read, from its end: some twenty thousand entries."""

MAX_TREES = 1000
"""Work trees of one repository whose reflogs are read."""

MAX_MEMORY = 400 * 1024 * 1024
"""Bytes that one process of git may allocate: an object of a gigabyte takes a megabyte in a pack."""

LARGE_FILE = 64 * 1024 * 1024
"""Bytes from which git does not compare a file line by line."""

MAX_OUTPUT = 64 * 1024 * 1024
"""Largest patch in bytes; a larger change is not a task."""

_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.quotePath=true",
    f"core.bigFileThreshold={LARGE_FILE}",
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


def run_git(
    repo: str, arguments: Sequence[str], *, given: bytes = b"", time_limit: float = TIME_LIMIT
) -> bytes:
    """Standard output of a git command in a repository; `given` is its standard input.

    Raises GitError with git's own message if the command fails.
    """
    # Most commands ask git nothing, and importing these two takes 6 % of their start.
    import subprocess
    import tempfile

    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as asked:
        asked.write(given)
        asked.seek(0)
        try:
            process = subprocess.Popen(
                [*git_command(), "-C", repo, *arguments],
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=git_environment(),
            )
        except FileNotFoundError:
            raise GitError(f"git:{visible(repo)}: git is not installed") from None
        bound(process.pid)
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


def bound(process: int) -> None:
    """Limit what git may allocate, where the system can do that. What it maps does not count, so
    that large repositories can be read."""
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        resource.prlimit(process, resource.RLIMIT_DATA, (MAX_MEMORY, MAX_MEMORY))


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
