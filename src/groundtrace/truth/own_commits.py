"""Which commits came out of which session: `--tasks git:REPO`, without a revision (D244).

A session writes files; later somebody commits them. So a write belongs to the first commit of its
file after it, and a commit to the session whose writes it holds:

    session A  --w(a.py)------w(b.py)----|
    commits          c1(a.py)      c2(a.py, b.py)        c1 and c2 are A's
    session B                          --w(d.py)--|
    commit                                   c3(d.py)    c3 is B's

A commit that holds writes of several sessions belongs to none of them, unless one session printed
it (`[main 1a2b3c4] …`), or was running and wrote every file that the others wrote. What is
ambiguous is left out, with the reason. Commits that were amended or rebased keep their author's
time, so their versions are one commit here. Merges hold no writes of their own.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.model import Task
from groundtrace.paths.repos import parse_repo
from groundtrace.truth.git_history import (
    SHORT,
    branches_at,
    change_task,
    has_missing_parent,
    leads,
    run_git,
)
from groundtrace.truth.tasks import History

SECOND = 1.0
"""git keeps whole seconds, so a commit may seem to be up to one second before what it holds."""

MOST_COMMITS = 100_000
"""Commits that are looked at in one repository, from the newest; far more than a year of work."""


class Write(NamedTuple):
    """A file that a session wrote."""

    path: str
    """Absolute, as the session names it."""
    time: float


class OwnSession(Frozen, frozen=True):
    """What a session shows about where and when it worked."""

    first: float | None = None
    """Time of its first call."""
    last: float | None = None
    folders: frozenset[str] = frozenset()
    """Working directories."""
    branches: frozenset[str] = frozenset()
    remote: str | None = None
    """Repository that the session says it works on."""
    writes: tuple[Write, ...] = ()
    made: frozenset[str] = frozenset()
    """Commits that git printed in the session, as it abbreviates them."""


class Match(NamedTuple):
    """The task of a session, or why it has none."""

    task: Task | None
    why: str
    is_ambiguous: bool = False
    """There are commits, but they may be another session's too."""


class Commit(Frozen, frozen=True):
    """A commit without its contents."""

    sha: str
    parents: tuple[str, ...]
    author: str
    authored: float
    committed: float
    reachable: bool
    """A branch or tag leads to it; False if only the reflog does."""
    files: frozenset[str] = frozenset()
    """Files that it changes, by old and new name."""
    versions: tuple[str, ...] = ()
    """All commits that are this one, before and after it was amended or rebased."""


def match_sessions(
    sessions: Sequence[OwnSession], histories: Sequence[History], within: float
) -> list[Match]:
    """The task of each session: the change of its commits, or the reason that it has none.

    `within` is how long after a session's last call its work may be committed, in seconds.
    """
    found: list[list[Match]] = [[] for _ in sessions]
    for history in histories:
        here = {
            number: placed
            for number, session in enumerate(sessions)
            if (placed := _placed(session, history)) is not None
        }
        for number, match in _matches(here, history, within).items():
            found[number].append(match)
    return [_one(matches, session) for matches, session in zip(found, sessions, strict=True)]


def _one(matches: list[Match], session: OwnSession) -> Match:
    with_task = [match for match in matches if match.task is not None]
    if len(with_task) > 1:
        names = " and ".join(match.task.repos[0] for match in with_task if match.task is not None)
        return Match(None, f"commits in {names} came out of it", is_ambiguous=True)
    if with_task or matches:
        return (with_task or matches)[0]
    if not session.folders and session.remote is None:
        return Match(None, "nothing says where it ran")
    return Match(None, "it ran in none of the repositories")


# --- which repository ------------------------------------------------------------------------


class Placed(NamedTuple):
    """A session in one repository: its writes by path in it, and why it is there."""

    session: OwnSession
    writes: tuple[Write, ...]
    where: str


def _placed(session: OwnSession, history: History) -> Placed | None:
    """The session, if it ran in a work tree of the repository or says that it worked on it."""
    roots = [tree for tree in history.trees if any(_below(f, tree) for f in session.folders)]
    where = "ran in its work tree"
    if not roots and any(_is_same(session.remote or "", remote) for remote in history.remotes):
        # Recorded on another machine: the folder it started in stands for the repository.
        roots, where = sorted(session.folders, key=len)[:1], "names its remote"
    if not roots:
        return None
    writes = [
        Write(path, write.time)
        for write in session.writes
        for root in roots
        if (path := _relative(write.path, root)) is not None
    ]
    return Placed(session, tuple(dict.fromkeys(writes)), where)


def _is_same(one: str, other: str) -> bool:
    """Whether two addresses are of one repository: `git@host:o/r.git` and `https://host/o/r`."""
    names = [parse_repo(name) for name in (one, other)]
    keys = [None if name is None else (name.owner, name.name) for name in names]
    return keys[0] is not None and keys[0] == keys[1]


def _below(path: str, root: str) -> bool:
    return _relative(path, root) is not None


def _relative(path: str, root: str) -> str | None:
    """The path below a folder; links in it are resolved, as git does."""
    for one in (path.replace("\\", "/"), os.path.realpath(path)):
        if one == root:
            return ""
        if one.startswith(root.rstrip("/") + "/"):
            return os.path.normpath(one[len(root.rstrip("/")) + 1 :])
    return None


# --- which commits ---------------------------------------------------------------------------


def _matches(here: Mapping[int, Placed], history: History, within: float) -> dict[int, Match]:
    """The match of each session that ran in a repository."""
    dated = {n: p for n, p in here.items() if p.session.first is not None}
    found = {n: Match(None, "its calls have no times") for n in here.keys() - dated.keys()}
    if not dated:
        return found
    spans = [(_first(p), _last(p) + within) for p in dated.values()]
    commits = commits_between(history, spans)
    owned, shared = assign(dated, commits, within)
    for number, placed in dated.items():
        own = owned.get(number, [])
        if own:
            found[number] = _match(placed, own, history)
        elif number in shared:
            found[number] = Match(None, shared[number], is_ambiguous=True)
        elif not placed.writes:
            found[number] = Match(None, f"it wrote no file of {history.name}")
        else:
            found[number] = Match(None, f"no commit of {history.name} holds what it wrote")
    return found


def _first(placed: Placed) -> float:
    assert placed.session.first is not None
    return placed.session.first


def _last(placed: Placed) -> float:
    last = placed.session.last
    return _first(placed) if last is None else last


def assign(
    sessions: Mapping[int, Placed], commits: Sequence[Commit], within: float
) -> tuple[dict[int, list[Commit]], dict[int, str]]:
    """The commits of each session, oldest first; and sessions whose commits are not theirs alone."""
    pending: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for number, placed in sessions.items():
        for write in placed.writes:
            pending[write.path].append((number, write.time))
    owned: dict[int, list[Commit]] = defaultdict(list)
    shared: dict[int, str] = {}
    for commit in sorted(commits, key=lambda c: (c.authored, c.committed, c.sha)):
        holds = _taken(commit, pending, sessions, within)
        owner = _owner(commit, holds, sessions)
        if owner is not None:
            owned[owner].append(commit)
        elif len(holds) > 1:
            what = f"commit {commit.sha[:SHORT]} holds files of {len(holds)} sessions"
            shared.update(dict.fromkeys(holds, what))
    return owned, shared


def _taken(
    commit: Commit,
    pending: dict[str, list[tuple[int, float]]],
    sessions: Mapping[int, Placed],
    within: float,
) -> dict[int, set[str]]:
    """Sessions whose writes a commit holds, with the files. These writes are committed now."""
    holds: dict[int, set[str]] = defaultdict(set)
    if len(commit.parents) > 1:
        return holds
    for path in commit.files:
        left = []
        for number, time in pending.get(path, ()):
            if time > commit.authored + SECOND:
                left.append((number, time))
            elif min(commit.authored, commit.committed) <= _last(sessions[number]) + within:
                holds[number].add(path)
        if path in pending:
            pending[path] = left
    return holds


def _owner(
    commit: Commit, holds: Mapping[int, set[str]], sessions: Mapping[int, Placed]
) -> int | None:
    """The one session that a commit came out of; None if there is none or several may be it."""
    printed = [
        number
        for number, placed in sessions.items()
        if any(sha.startswith(made) for made in placed.session.made for sha in commit.versions)
    ]
    if len(printed) == 1:
        return printed[0]
    if len(holds) == 1:
        return next(iter(holds))
    whole = set().union(*holds.values()) if holds else set()
    running = [
        number
        for number, files in holds.items()
        if _first(sessions[number]) <= commit.authored + SECOND
        and commit.authored <= _last(sessions[number])
    ]
    if len(running) == 1 and holds[running[0]] == whole:
        return running[0]
    return None


def _match(placed: Placed, own: Sequence[Commit], history: History) -> Match:
    """The task of a session with commits: their combined change, against the first one's parent."""
    first, last = own[0], own[-1]
    files = frozenset[str]().union(*(commit.files for commit in own))
    base = first.parents[0] if first.parents else None
    if base is None and has_missing_parent(history, first.sha):
        # A shallow clone: git would show every file of the repository as new.
        return Match(None, f"the commit before {first.sha[:SHORT]} is missing", is_ambiguous=True)
    if not leads(history, first.sha, last.sha):
        return Match(None, "its commits are on branches that do not meet", is_ambiguous=True)
    task = change_task(history, base, last.sha, sorted(files))
    wrote = {write.path for write in placed.writes}
    shas = ", ".join(commit.sha[:SHORT] for commit in own)
    said = [f"{'commit' if len(own) == 1 else 'commits'} {shas}", _when(last, placed)]
    if any(sha.startswith(m) for m in placed.session.made for c in own for sha in c.versions):
        said.append("printed in the session")
    said.append(f"it wrote {len(files & wrote)} of {len(files)} files in it")
    on = placed.session.branches & branches_at(history, last.sha)
    if on:
        said.append(f"branch {min(on)}")
    said.append(placed.where)
    return Match(task, "; ".join(said))


def _when(commit: Commit, placed: Placed) -> str:
    after = commit.authored - _last(placed)
    if after <= 0:
        return "made while it ran"
    return f"made {round(after / 60)} minutes after its last call"


# --- the commits of a repository -------------------------------------------------------------


def commits_between(history: History, spans: Sequence[tuple[float, float]]) -> list[Commit]:
    """Commits that were authored or committed in one of the spans, each with all its versions.

    Only commits since the first span are listed, and only files of those in a span are read.
    """
    since = int(min(start for start, _ in spans))
    known = _listed(history, since, ["--all"], reachable=True)
    for commit in _listed(history, since, ["--all", "--reflog"], reachable=False).values():
        known.setdefault(commit.sha, commit)
    own = history.authors
    wanted = [
        commit
        for commit in known.values()
        if (not own or commit.author in own)
        and any(
            start - SECOND <= time <= end
            for time in (commit.authored, commit.committed)
            for start, end in spans
        )
    ]
    return _with_files(history, _once(wanted, known))


_FORMAT = "%H%x00%P%x00%ae%x00%at%x00%ct"


def _listed(
    history: History, since: int, which: Sequence[str], *, reachable: bool
) -> dict[str, Commit]:
    asked = ["rev-list", f"--max-age={since}", f"--max-count={MOST_COMMITS}"]
    output = run_git(history.repo, [*asked, f"--format={_FORMAT}", *which])
    found = {}
    for line in output.decode("utf-8", errors="replace").split("\n"):
        parts = line.split("\0")
        if len(parts) != 5:  # the line `commit SHA` before each
            continue
        sha, parents, author, authored, committed = parts
        found[sha] = Commit(
            sha, tuple(parents.split()), author, float(authored), float(committed), reachable
        )
    return found


def _once(wanted: Sequence[Commit], known: Mapping[str, Commit]) -> Iterator[Commit]:
    """Each commit once: of those that were amended or rebased, the one that a branch leads to."""
    groups: dict[tuple[str, float], list[Commit]] = defaultdict(list)
    for commit in wanted:
        groups[commit.author, commit.authored].append(commit)
    for group in groups.values():
        group.sort(key=lambda c: (not c.reachable, -c.committed, c.sha))
        # Two commits of one second, one on top of the other, are two.
        lines: list[list[Commit]] = []
        for commit in group:
            for line in lines:
                if not any(_is_above(commit, one, known) for one in line):
                    line.append(commit)
                    break
            else:
                lines.append([commit])
        for line in lines:
            shas = tuple(commit.sha for commit in line)
            yield replace(line[0], versions=shas)


def _is_above(one: Commit, other: Commit, known: Mapping[str, Commit]) -> bool:
    """Whether one of two commits leads to the other."""
    return _leads(one.sha, other.sha, known) or _leads(other.sha, one.sha, known)


def _leads(start: str, end: str, known: Mapping[str, Commit]) -> bool:
    """Whether `end` is among the commits that `start` stands on."""
    stack, seen = [start], set()
    while stack:
        sha = stack.pop()
        if sha == end:
            return True
        if sha in seen or sha not in known:
            continue
        seen.add(sha)
        stack += known[sha].parents
    return False


def _with_files(history: History, commits: Iterable[Commit]) -> list[Commit]:
    """The commits with the files that they change."""
    listed = list(commits)
    asked = ["diff-tree", "--stdin", "--root", "-r", "--no-renames", "--name-status", "-z"]
    asked += ["--no-ext-diff", "--no-textconv", "--no-relative"]
    data = "".join(f"{commit.sha}\n" for commit in listed).encode()
    output = run_git(history.repo, asked, given=data)
    files: dict[str, set[str]] = defaultdict(set)
    parts = iter(output.decode("utf-8", errors="replace").split("\0"))
    current = ""
    for part in parts:  # a commit's id, then a letter and a path for each file
        if len(part) == 1:
            files[current].add(next(parts, ""))
        else:
            current = part
    return [replace(commit, files=frozenset(files[commit.sha])) for commit in listed]
