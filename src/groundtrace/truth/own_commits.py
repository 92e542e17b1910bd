"""Which commits came out of which session: `--tasks git:REPO`, without a revision (D244).

A session writes files; later somebody commits them. So a write belongs to the first commit of its
file after it, and a commit to the session whose writes it holds:

    session A  --w(a.py)------w(b.py)----|
    commits          c1(a.py)      c2(a.py, b.py)        c1 and c2 are A's
    session B                          --w(d.py)--|
    commit                                   c3(d.py)    c3 is B's

A commit that holds writes of several sessions belongs to none of them, unless one session printed
it (`[main 1a2b3c4] …`), or was running and wrote every file that the others wrote. Who only makes
the commit of what another session wrote does not own it. What is ambiguous is left out, with the
reason. Merges hold no writes of their own.

Commits that were amended or rebased keep their author's time, so their versions are one commit
here. What was written between that time and the last version may be in it too, unless the file was
the same in a version before (D295). A commit that was made in one work tree holds no write of
another (D296).
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

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
    made_in,
    run_git,
)
from groundtrace.truth.tasks import History

SECOND = 1.0
"""git keeps whole seconds, so a commit may seem to be up to one second before what it holds."""

MOST_COMMITS = 100_000
"""Commits that are looked at in one repository, from the newest; far more than a year of work."""


MOST_VERSIONS = 100
"""Commits of one author and second that may be versions of one commit. A history that a program
wrote has thousands."""

DAY = 86_400.0
"""How much later than what stands on it a commit may seem to be made: clocks differ."""


class Write(Frozen, frozen=True):
    """A file that a session wrote."""

    path: str
    """Absolute, as the session names it; of a session that was placed, in the repository."""
    time: float
    tree: str | None = None
    """Work tree that it is in; None if the session ran on another machine."""


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


class Match(Frozen, frozen=True):
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
    files: Mapping[str, str] = {}
    """Files that it changes, by old and new name, with the ids of their new contents."""
    versions: tuple[Commit, ...] = ()
    """All commits that are this one, before and after it was amended or rebased."""
    trees: frozenset[str] = frozenset()
    """Work trees that it was made in; empty if unknown."""

    def is_printed(self, session: OwnSession, *, exactly: bool = False) -> bool:
        """Whether git printed it in a session; if not exactly, any version of it."""
        shas = (self.sha,) if exactly else [version.sha for version in self.versions]
        return any(sha.startswith(made) for made in session.made for sha in shas)


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


class Placed(Frozen, frozen=True):
    """A session in one repository: its writes by path in it, and why it is there."""

    session: OwnSession
    writes: tuple[Write, ...]
    where: str


def _placed(session: OwnSession, history: History) -> Placed | None:
    """The session, if it ran in a work tree of the repository or says that it worked on it."""
    trees, where = history.trees, "ran in its work tree"
    if not any(_in_tree(folder, trees) for folder in session.folders):
        if not any(_is_same(session.remote or "", remote) for remote in history.remotes):
            return None
        # Recorded on another machine: the folder it started in stands for the repository.
        trees, where = tuple(sorted(session.folders, key=len)[:1]), "names its remote"
    writes = []
    for write in session.writes:
        placed = _in_tree(write.path, trees)
        if placed is not None:
            tree, path = placed
            writes.append(Write(path, write.time, tree if tree in history.trees else None))
    return Placed(session, tuple(dict.fromkeys(writes)), where)


def _is_same(one: str, other: str) -> bool:
    """Whether two addresses are of one repository: `git@host:o/r.git` and `https://host/o/r`."""
    names = [parse_repo(name) for name in (one, other)]
    keys = [None if name is None else (name.owner, name.name) for name in names]
    return keys[0] is not None and keys[0] == keys[1]


def _in_tree(path: str, trees: Sequence[str]) -> tuple[str, str] | None:
    """The innermost tree that holds a path, and the path below it; links in it are resolved, as git
    does."""
    for one in (path.replace("\\", "/"), os.path.realpath(path)):
        holding = [t for t in trees if one == t or one.startswith(t.rstrip("/") + "/")]
        if holding:
            tree = max(holding, key=len)
            below = one[len(tree.rstrip("/")) + 1 :]
            return tree, os.path.normpath(below) if below else ""
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


class Holds(Frozen, frozen=True):
    """Sessions whose writes a commit holds, with the files."""

    at_first: dict[int, set[str]]
    """Written before the commit was made."""
    later: dict[int, set[str]]
    """Written before its last version was made, and perhaps in that."""

    def sessions(self) -> set[int]:
        return {*self.at_first, *self.later}


def assign(
    sessions: Mapping[int, Placed], commits: Sequence[Commit], within: float
) -> tuple[dict[int, list[Commit]], dict[int, str]]:
    """The commits of each session, oldest first; and sessions whose commits are not theirs alone."""
    ordered = sorted(commits, key=lambda c: (c.authored, c.committed, c.sha))
    owned: dict[int, list[Commit]] = defaultdict(list)
    shared: dict[int, str] = {}
    for commit, holds in zip(ordered, _held(sessions, ordered, within), strict=True):
        owner = _owner(commit, holds, sessions)
        held_by, name = holds.sessions(), commit.sha[:SHORT]
        if owner is not None:
            owned[owner].append(commit)
        elif len(held_by) > 1:
            what = f"commit {name} holds files of {len(held_by)} sessions"
            shared.update(dict.fromkeys(held_by, what))
        elif held_by:
            what = f"commit {name} was changed after it was made, perhaps without what it wrote"
            shared.update(dict.fromkeys(held_by, what))
        else:
            what = f"commit {name} was made in it, but it wrote none of its files"
            shared.update(dict.fromkeys(_printed_in(commit, sessions), what))
    return owned, shared


def _held(sessions: Mapping[int, Placed], commits: Sequence[Commit], within: float) -> list[Holds]:
    """What each of the commits holds, which are in the order of their authors' times."""
    pending: dict[str, list[tuple[int, Write]]] = defaultdict(list)
    for number, placed in sessions.items():
        for write in placed.writes:
            pending[write.path].append((number, write))
    writes = {path: tuple(own) for path, own in pending.items()}
    kept: set[tuple[int, Write]] = set()
    """Writes that a commit holds to which a branch leads: no other commit holds them."""
    found = []
    for commit in commits:
        at_first: dict[int, set[str]] = defaultdict(set)
        for path in commit.files if len(commit.parents) < 2 else ():
            left = []
            for number, write in pending.get(path, ()):
                if write.time > commit.authored + SECOND or not _is_there(write, commit):
                    left.append((number, write))
                elif min(commit.authored, commit.committed) <= _last(sessions[number]) + within:
                    at_first[number].add(path)
                    if commit.reachable:
                        kept.add((number, write))
            if path in pending:
                pending[path] = left
        found.append(Holds(at_first, defaultdict(set)))
    for commit, holds in zip(commits, found, strict=True):
        if commit.committed <= commit.authored + SECOND or len(commit.parents) > 1:
            continue
        for path in commit.files:
            for number, write in writes.get(path, ()):
                is_between = commit.authored + SECOND < write.time <= commit.committed + SECOND
                if (
                    is_between
                    and (number, write) not in kept
                    and commit.committed <= _last(sessions[number]) + within
                    and _is_there(write, commit)
                    and not _is_older(write, path, commit)
                ):
                    holds.later[number].add(path)
    return found


def _is_there(write: Write, commit: Commit) -> bool:
    """Whether a write may be in a commit by their work trees."""
    return write.tree is None or not commit.trees or write.tree in commit.trees


def _is_older(write: Write, path: str, commit: Commit) -> bool:
    """Whether a version from before a write has the file as the commit has it."""
    return any(
        version.committed < write.time and version.files.get(path) == commit.files[path]
        for version in commit.versions
    )


def _printed_in(
    commit: Commit, sessions: Mapping[int, Placed], *, exactly: bool = False
) -> list[int]:
    """Sessions in which git printed a commit."""
    return [n for n, p in sessions.items() if commit.is_printed(p.session, exactly=exactly)]


def _owner(commit: Commit, holds: Holds, sessions: Mapping[int, Placed]) -> int | None:
    """The one session that a commit came out of; None if there is none or several may be it."""
    for number in (printed := _printed_in(commit, sessions, exactly=bool(holds.later))):
        # Who is asked to commit what others wrote makes the commit, and did not do the work.
        wrote = any(write.path in commit.files for write in sessions[number].writes)
        if len(printed) == 1 and wrote:
            return number
    if holds.later:
        only = holds.sessions()
        return next(iter(only)) if len(only) == 1 and holds.at_first else None
    if len(holds.at_first) == 1:
        return next(iter(holds.at_first))
    whole = set().union(*holds.at_first.values()) if holds.at_first else set()
    running = [
        number
        for number, files in holds.at_first.items()
        if _first(sessions[number]) <= commit.authored + SECOND
        and commit.authored <= _last(sessions[number])
    ]
    if len(running) == 1 and holds.at_first[running[0]] == whole:
        return running[0]
    return None


def _match(placed: Placed, own: Sequence[Commit], history: History) -> Match:
    """The task of a session with commits: their combined change, against the first one's parent."""
    first, last = _on_one_line(own[0], own[-1], history)
    files = frozenset[str]().union(*(commit.files for commit in own))
    base = first.parents[0] if first.parents else None
    if base is None and has_missing_parent(history, first.sha):
        # A shallow clone: git would show every file of the repository as new.
        return Match(None, f"the commit before {first.sha[:SHORT]} is missing", is_ambiguous=True)
    if not leads(history, first.sha, last.sha):
        return Match(None, "its commits are on branches that do not meet", is_ambiguous=True)
    task = change_task(history, base, last.sha, sorted(files))
    if task.row is not None and not task.row.patch:
        return Match(None, "its commits change nothing together")
    wrote = {write.path for write in placed.writes}
    shas = ", ".join(commit.sha[:SHORT] for commit in own)
    said = [f"{'commit' if len(own) == 1 else 'commits'} {shas}", _when(last, placed)]
    if any(commit.is_printed(placed.session) for commit in own):
        said.append("printed in the session")
    said.append(f"it wrote {len(files & wrote)} of {len(files)} files in it")
    on = placed.session.branches & branches_at(history, last.sha)
    if on:
        said.append(f"branch {min(on)}")
    said.append(placed.where)
    return Match(task, "; ".join(said))


def _on_one_line(first: Commit, last: Commit, history: History) -> tuple[Commit, Commit]:
    """Versions of the first and the last commit of a session of which one leads to the other. A
    commit that was also picked for another branch has a version there."""
    pairs = ((one, other) for other in last.versions for one in first.versions)
    chosen = ((o, t) for o, t in pairs if leads(history, o.sha, t.sha))
    if leads(history, first.sha, last.sha):
        return first, last
    return next(chosen, (first, last))


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
    merged = _merged(spans)
    starts, ends = [start for start, _ in merged], [end for _, end in merged]
    wanted = [
        commit
        for commit in known.values()
        if (not own or commit.author in own)
        and any(
            bisect_right(starts, time) > bisect_left(ends, time)
            for time in (commit.authored, commit.committed)
        )
    ]
    return _with_files(history, list(_once(wanted, known)))


def _merged(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The spans in order, those that overlap as one; each begins a second early."""
    merged: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if merged and start - SECOND <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start - SECOND, end))
    return merged


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
        if len(group) > MOST_VERSIONS:
            yield from (replace(commit, versions=(commit,)) for commit in group)
            continue
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
            yield replace(line[0], versions=tuple(line))


def _is_above(one: Commit, other: Commit, known: Mapping[str, Commit]) -> bool:
    """Whether one of two commits leads to the other."""
    return _leads(one.sha, other.sha, known) or _leads(other.sha, one.sha, known)


def _leads(start: str, end: str, known: Mapping[str, Commit]) -> bool:
    """Whether `end` is among the commits that `start` stands on."""
    oldest = known[end].committed - DAY
    stack, seen = [start], set()
    while stack:
        sha = stack.pop()
        if sha == end:
            return True
        if sha in seen or sha not in known or known[sha].committed < oldest:
            continue
        seen.add(sha)
        stack += known[sha].parents
    return False


def _with_files(history: History, commits: Sequence[Commit]) -> list[Commit]:
    """The commits and their versions with the files that they change and where they were made."""
    asked = ["diff-tree", "--stdin", "--root", "-r", "--no-renames", "--raw", "--no-abbrev", "-z"]
    asked += ["--no-ext-diff", "--no-textconv", "--no-relative"]
    shas = dict.fromkeys(version.sha for commit in commits for version in commit.versions)
    output = run_git(history.repo, asked, given="".join(f"{sha}\n" for sha in shas).encode())
    files: dict[str, dict[str, str]] = defaultdict(dict)
    parts = iter(output.decode("utf-8", errors="replace").split("\0"))
    current = ""
    for part in parts:  # a commit's id, then `:MODE MODE OLD NEW LETTER` and a path for each file
        if part.startswith(":"):
            files[current][next(parts, "")] = part.split(" ")[3]
        else:
            current = part
    made = made_in(history)
    return [
        replace(
            commit,
            files=files[commit.sha],
            versions=tuple(replace(v, files=files[v.sha]) for v in commit.versions),
            trees=frozenset(tree for v in commit.versions for tree in made.get(v.sha, ())),
        )
        for commit in commits
    ]
