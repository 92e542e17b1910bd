"""Names of repositories: when two of them mean one repository (D14).

A repository is written in many ways: `github.com/sg-evals/kafka--0753c489` (a mirror at a
revision), `https://github.com/apache/kafka`, `apache/kafka`, `kafka` (a folder, a ground-truth
prefix), `sg-evals/kubernetes-client-go` (a mirror whose name joins owner and name).

Two names are one repository if their short names are equal and their owners, if both are known, are
equal too. They are also one if one is `<owner>-<name>` of the other and something in the trial
supports that owner. Support is: the other name has the owner (`kubernetes/client-go`), the name
repeats itself (`etcd-io-etcd`), or the task or its ground truth knows the owner as an owner or as a
project (`kubernetes` beside `kubernetes-client-go`).

In doubt there are too few matches rather than too many. A project that changed its owner
(facebook/jest, jestjs/jest) is two repositories if both owners are named. If a trace shows two
owners of one short name and the task names none, neither is taken for the task's repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from functools import lru_cache

import msgspec
from msgspec import field
from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex

MIRROR_OWNERS = frozenset({"sg-evals", "sg-benchmarks"})
"""Organisations that only hold mirrors: as owners they say nothing about the repository."""

_PLACEHOLDERS = frozenset(
    {"", "n/a", "none", "null", "tbd", "unknown", "multi", "multiple"}
    | {"org/repo", "org/repo-name", "owner/repo", "repo", "repo-name"}
)
"""Text in place of a repository that nobody filled in; real task files hold `repo = "org/repo"`.
Taken as a repository, it would make every access of a trial a miss (D16)."""

_PORTS = frozenset(
    {"c", "cpp", "dotnet", "go", "java", "js", "kotlin", "net", "node", "php", "py", "python"}
    | {"ruby", "rs", "rust", "swift", "ts"}
)
"""Last words that name a port of a project: `grpc-go` is not the repository `go`."""

_COMMON = frozenset(
    {"api", "app", "backend", "charts", "cli", "client", "common", "community", "core", "demo"}
    | {"docs", "examples", "frontend", "lib", "operator", "proto", "proxy", "sdk", "server"}
    | {"spec", "test", "tests", "tools", "ui", "utils", "web", "website"}
)
"""Names that many owners use: `istio/api` is not the `api` of a task on kubernetes."""

_GITHUB = frozenset({"github.com", "www.github.com"})

_SCHEME = regex(r"^(?:[a-z][a-z0-9+.-]*://(?:[^/@]*@)?|[\w.-]+@(?=[\w.-]+:))", re.IGNORECASE)


@lru_cache(maxsize=1024)
def short_repo(name: str) -> str:
    """The short name of a repository, in every spelling (D14).

    `github.com/sg-evals/kafka--0753c489` and `https://github.com/apache/kafka.git` are `kafka`. The
    revision of a mirror begins at the first `--`. Case is kept; idempotent.
    """
    while (short := _shortened(name)) != name:
        name = short
    return name


def _shortened(name: str) -> str:
    last = repo_parts(name)[-1]
    cut = last.find("--")
    return last[:cut] if cut > 0 else last


def repo_names(name: str) -> frozenset[str]:
    """Short names, in lower case, that follow from a repository's name alone.

    `kubernetes/client-go` is also `kubernetes-client-go`, `etcd-io-etcd` is also `etcd`.
    """
    parsed = parse_repo(name)
    return frozenset() if parsed is None else frozenset(parsed.split().names())


class RepoName(Frozen, frozen=True):
    """The parts of a repository's name; owner and name in lower case."""

    name: str
    owner: str | None
    """None if unknown, or if it is only the owner of a mirror."""
    text: str
    """The short name as written."""
    pinned: bool
    """The name has a `--revision`; such mirrors are named after the repository alone."""
    elsewhere: bool = False
    """It is on another host than GitHub. A search over everything also shows copies such as
    `bitbucket.org/linea-supply-demo/envoy`; that is not the repository that the task mirrors."""

    def names(self) -> tuple[str, ...]:
        """All short names of the repository, its own name first."""
        return (self.name,) if self.owner is None else (self.name, f"{self.owner}-{self.name}")

    def split(self, projects: Set[str] = frozenset()) -> RepoName:
        """Split a name that joins owner and name, if there is support for it.

        Without `projects` only the doubled form is enough support.
        """
        if self.owner is not None or self.pinned or "-" not in self.name:
            return self
        ways = list(_splits(self.name))
        doubled = [way for way in ways if _repeats(*way)]
        known = [way for way in ways if way[0] in projects and way[1] not in _PORTS]
        for owner, name in (*doubled, *known):
            return replace(self, owner=owner, name=name)
        return self


def is_placeholder(name: str) -> bool:
    """Whether a text is only a placeholder for a repository that nobody named."""
    return name.strip().lower() in _PLACEHOLDERS


@lru_cache(maxsize=1024)
def parse_repo(name: str) -> RepoName | None:
    """The parts of a repository's name; None if the text names no repository."""
    if is_placeholder(name):
        return None
    parts = repo_parts(name)
    text = short_repo(name)
    if not text or text.startswith("-"):
        return None
    owner = parts[-2].lower() if len(parts) > 1 else None
    pinned = parts[-1] != text
    if owner is not None and (pinned or owner in MIRROR_OWNERS or _is_host(parts, owner)):
        owner = None
    elsewhere = len(parts) > 2 and "." in parts[0] and parts[0].lower() not in _GITHUB
    return RepoName(text.lower(), owner, text, pinned, elsewhere)


def is_pinned(folder: str) -> bool:
    """Whether a folder's name has a revision, as the folders of mirrors have: `kafka--0753c489`."""
    return folder.find("--") > 0


def _is_host(parts: list[str], owner: str) -> bool:
    return len(parts) == 2 and "." in owner


def _splits(name: str) -> Iterable[tuple[str, str]]:
    """All ways to read a name as `<owner>-<name>`."""
    for dash in re.finditer("-", name):
        owner, rest = name[: dash.start()], name[dash.end() :]
        if owner and rest:
            yield owner, rest


def _repeats(owner: str, rest: str) -> bool:
    """The doubled form: `etcd-io` + `etcd`, `kubernetes` + `kubernetes`, `envoyproxy` + `envoy`."""
    return owner == rest or owner.startswith(f"{rest}-" if len(rest) < 4 else rest)


def repo_parts(name: str) -> list[str]:
    """Host, owner and name of a repository, as many as the name has; never empty."""
    text = name.strip().removeprefix("^").removesuffix("$").replace("\\", "")
    bare = _SCHEME.sub("", text) if ":" in text else text
    if bare != text:
        bare = bare.replace(":", "/", 1) if "/" not in bare.partition(":")[0] else bare
    bare = bare.split("?", 1)[0].split("#", 1)[0]
    parts = [part for part in bare.split("/") if part not in ("", ".", "..")]
    if len(parts) > 3 and parts[0].lower() == "github.com":
        parts = parts[:3]  # https://github.com/owner/name/tree/main
    if not parts:
        return [""]
    parts[-1] = _plain(parts[-1])
    return parts


def _plain(name: str) -> str:
    """A last component without `@revision` and `.git`."""
    revision = name.find("@")
    if revision > 0:
        name = name[:revision]
    return name[:-4] if name.lower().endswith(".git") and len(name) > 4 else name


class Repo(msgspec.Struct, eq=False):
    """One repository of a trial, with all names found for it."""

    label: str
    """Short name for spelling, unique in the trial."""
    names: set[str] = field(default_factory=set)
    owners: set[str] = field(default_factory=set)

    def fits(self, parsed: RepoName) -> bool:
        """Whether the owners do not contradict it."""
        return parsed.owner is None or not self.owners or parsed.owner in self.owners


class RepoTable:
    """The repositories of one trial: those of the task first, then the truth's, then the trace's."""

    def __init__(
        self, task: Iterable[str], truth: Iterable[str] = (), trace: Iterable[str] = ()
    ) -> None:
        sources = [_parsed(task), _parsed(truth), _parsed(trace)]
        everything = [name for names in sources for name in names]
        wanted = [*sources[0], *sources[1]]
        self._projects = {n.name for n in wanted} | {n.owner for n in wanted if n.owner}
        # A name that is complete somewhere is not split: `spring-boot--3f2` shows that
        # `spring-boot` is one name, not `boot` of `spring`.
        self._whole = {n.name for n in everything if n.pinned or n.owner is not None}
        task_names, truth_names, trace_names = (
            list(dict.fromkeys(map(self._split, names))) for names in sources
        )
        self._by_name: dict[str, list[Repo]] = {}
        self._labels: set[str] = set()
        self._owners: set[str] = set()
        self._found: dict[str, Repo | None] = {}
        self.task = _unique(self._join(name) for name in task_names)
        """Repositories that the task names."""
        self.truth = _unique(self._join(name) for name in truth_names)
        """Repositories that entries of the ground truth name."""
        rivals = self._rivals(trace_names)
        # Names with an owner first: a bare `kafka` is then joined to a known repository.
        self.trace = _unique(
            self._join(name, alone=(name.name, name.owner) in rivals)
            for name in sorted(trace_names, key=lambda n: n.owner is None)
        )
        """Repositories that calls or their results name."""

    @property
    def lone(self) -> Repo | None:
        """The only repository of a trial whose task names none, if nothing names another."""
        if self.task or not self.truth:
            return None
        return self.truth[0] if len({*self.truth, *self.trace}) == 1 else None

    def find(self, name: str) -> Repo | None:
        """The repository that a name means; None if the trial knows no repository of that name."""
        if name not in self._found:
            parsed = parse_repo(name)
            self._found[name] = None if parsed is None else self._match(self._split(parsed))
        return self._found[name]

    def is_owner(self, name: str) -> bool:
        """Whether a known repository has this owner, in lower case."""
        return name in self._owners

    def add(self, name: str) -> Repo | None:
        """The repository of that name, added if it is not known yet; None if there is no name."""
        parsed = parse_repo(name)
        if parsed is None:
            return None
        self._found.clear()
        return self._join(self._split(parsed))

    def _rivals(self, names: list[RepoName]) -> set[tuple[str, str | None]]:
        """Trace names with one of several owners, for a short name without a known owner."""
        owners: dict[str, set[str]] = {}
        for name in names:
            if name.owner is not None:
                owners.setdefault(name.name, set()).add(name.owner)
        return {
            (short, owner)
            for short, several in owners.items()
            if len(several) > 1 and not any(repo.owners for repo in self._by_name.get(short, ()))
            for owner in several
        }

    def _join(self, parsed: RepoName, *, alone: bool = False) -> Repo:
        repo = self._match(parsed, alone=alone)
        if repo is None:
            clash = parsed.text.lower() in self._labels and parsed.owner is not None
            repo = Repo(label=f"{parsed.owner}/{parsed.text}" if clash else parsed.text)
            self._labels.add(repo.label.lower())
        if parsed.owner is not None:
            repo.owners.add(parsed.owner)
            self._owners.add(parsed.owner)
        for name in parsed.names():
            if name not in repo.names:
                repo.names.add(name)
                self._by_name.setdefault(name, []).append(repo)
        return repo

    def _match(self, parsed: RepoName, *, alone: bool = False) -> Repo | None:
        """The first known repository that shares a name and whose owners do not differ.

        With `alone` the owners must be equal: one of several owners, or a copy on another host, is
        not the task's repository just because it came first.
        """
        shared = [repo for name in parsed.names() for repo in self._by_name.get(name, ())]
        if not shared:  # true for most names of folders
            return None
        if parsed.owner is not None:
            for repo in shared:
                if parsed.owner in repo.owners:
                    return repo
        common = parsed.name in _COMMON and parsed.owner not in self._projects
        if alone or parsed.elsewhere or (parsed.owner is not None and common):
            return None
        for repo in shared:
            if repo.fits(parsed):
                return repo
        return None

    def _split(self, parsed: RepoName) -> RepoName:
        return parsed if parsed.name in self._whole else parsed.split(self._projects)


def _parsed(names: Iterable[str]) -> list[RepoName]:
    # Calls repeat the names of few repositories.
    parsed = map(parse_repo, dict.fromkeys(names))
    return list(dict.fromkeys(name for name in parsed if name is not None))


def _unique(repos: Iterable[Repo]) -> tuple[Repo, ...]:
    return tuple(dict.fromkeys(repos))


# --- revisions in names (D49) ----------------------------------------------------------------

_MOVING = frozenset({"head", "main", "master", "trunk", "develop", "default"})
"""Names of branches: their meaning changes, so they show nothing."""
_HASH = regex(r"[0-9a-f]{7,64}")
_TAG = regex(r"v?\d++(?:\.\d++)*+(?:[-+.]?[a-z0-9]++)*+")


def revision_of(repo: str) -> str | None:
    """The revision in a repository's name: `kafka--0753c489`, `grpc-go@v1.62`."""
    last = repo.rstrip("/").rpartition("/")[2]
    name, _, stated = last.partition("@")
    cut = name.find("--")
    found = stated or (name[cut + 2 :] if cut > 0 else "")
    return found.lower() or None


def revisions_of(repos: Iterable[str]) -> dict[str, set[str]]:
    """From the short name of each repository to the revisions that its names state."""
    found: dict[str, set[str]] = {}
    for repo in repos:
        revision = revision_of(repo)
        if revision is not None:
            found.setdefault(short_repo(repo.partition("@")[0]).lower(), set()).add(revision)
    return found


def differ(one: str, other: str) -> bool:
    """Whether two revisions are certainly different: two tags, or two hashes."""
    one, other = one.lower(), other.lower()
    if one in _MOVING or other in _MOVING:
        return False
    if _HASH.fullmatch(one) and _HASH.fullmatch(other):
        return not (one.startswith(other) or other.startswith(one))
    if _HASH.fullmatch(one) or _HASH.fullmatch(other):
        return False  # a tag has a hash, but it is not known here
    tags = _TAG.fullmatch(one[:64]) and _TAG.fullmatch(other[:64])
    return bool(tags) and one.removeprefix("v") != other.removeprefix("v")
