"""Where the repositories lie in a trial's container (D13, D14).

`/workspace` is the root of a repository in one trial and the parent of several in another, and
`/workspace/numpy` is a package in the first and a repository in the second. A single path does not
show which. All paths of the trial together do, so it is decided once per trial and folder, and all
files of a folder are treated alike.

Two words: a *root* is a folder of the container below which tasks have their files (`/workspace`,
the working directory, what the settings name). A *mount* is a folder that is a repository. A root
with mounts below it is a *parent*: its other files are in no repository.

What decides, strongest first:

1. the task declares it (`repo_paths`);
2. the folder's name has a revision, as the folders of mirrors have: `kafka--0753c489`;
3. the folder is an owner's or a host's with a repository below it: `sg-evals/kafka`;
4. the folder is named like a repository of the trial, and nothing says that it is a package of the
   same name (`_is_repository`): first which reading matches the ground truth, then the top folders
   that code search showed, then neighbours of the ground truth, then whether it is the only folder;
5. it is the working directory;
6. nothing names any repository, and it is the only folder that the agent looked into (`_is_open`);
7. it lies in a working directory above the clones, such as `/home`, and files of the ground truth
   are at their places in it (`_holds_truth`);
8. none of these found the task's repository, and a vote of what the trial shows does
   (`root_votes`).

Folders that are clones by convention, wherever they lie, come before all of these (`containers`).
If paths repeat a relative working directory, it is left off: `repo/src/a.py` in `repo` is
`src/a.py`.

An example: the task names kafka and flink, and the agent reads `/workspace/kafka/A.java`,
`/workspace/flink/B.java` and `/workspace/notes.md`. Both folders are named like repositories and
nothing contradicts that, so both are mounts; `/workspace` is their parent, and `notes.md` is in no
repository.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache

import msgspec
from msgspec import UNSET, field
from msgspec.structs import replace

from groundtrace.config import Settings
from groundtrace.documents.events import RepoRoot
from groundtrace.model import RootSign
from groundtrace.paths.containers import clone_of, may_name_repos
from groundtrace.paths.folder_places import NOWHERE, FolderPlaces, NearestAbove, RepoPlace, Roots
from groundtrace.paths.lexical import clean_folder
from groundtrace.paths.repos import MIRROR_OWNERS, Repo, RepoTable, is_pinned
from groundtrace.paths.root_votes import Scene, clones_by_vote
from groundtrace.paths.windows import is_rooted, without_drive

ALWAYS = ("/ccb_crossrepo",)
"""Containers of cross-repository tasks, besides the configured prefixes."""

WHEN_USED = ("/app", "/repo")
"""Roots only if they are the working directory or hold a repository of the task (D13)."""

_STARTS_WHEN_USED = tuple(f"{folder}/" for folder in WHEN_USED)

_HOSTS = frozenset({"github.com", "gitlab.com"})
_NEVER_A_ROOT = frozenset({"bin", "dev", "etc", "lib", "logs", "opt", "proc", "sys", "tmp"})
_DEEPER = {"home": 3, "root": 2, "usr": 3, "users": 3, "var": 3}
"""Folders of people and systems hold projects only further down: `/home/agent` is not a root."""


_NAMED = "named like a repository of the trial"


@lru_cache(maxsize=8)
def container_roots(prefixes: tuple[str, ...]) -> tuple[str, ...]:
    """Every folder of a container below which a task may spell its own files, longest first."""
    folders = {clean_folder(prefix) for prefix in (*prefixes, *Settings().container_prefixes)}
    known = {folder for folder in folders if folder not in (None, "/")}
    return tuple(
        sorted({*map(str, known), *ALWAYS, *WHEN_USED}, key=lambda root: (-len(root), root))
    )


class RootPaths(msgspec.Struct):
    """What a trial's paths show about one root."""

    below: dict[str, set[str]] = field(default_factory=dict)
    """From the first component to the rest of each path below it."""
    read: set[str] = field(default_factory=set)
    """First components of folders in which files were not only written."""


FilesByFolder = Mapping[str, list[tuple[str, bool]]]
"""From a folder to its files, each with whether it was only written."""

Truths = Mapping[Repo | None, Set[str]]
"""Literal ground-truth paths in lower case, by repository; None for those without a repository."""


def _configured_roots(prefixes: tuple[str, ...]) -> frozenset[str]:
    """The folders that the settings name as roots."""
    return frozenset(
        folder for prefix in prefixes if (folder := clean_folder(prefix) or "/") != "/"
    )


class Layout:
    """The folders that are repositories, learned from one trial's paths."""

    def __init__(
        self,
        repos: RepoTable,
        *,
        prefixes: Iterable[str],
        repo_paths: Mapping[str, str],
        cwd: str | None,
        paths: Collection[tuple[str, bool]],
        in_repos: Mapping[Repo, Set[str]],
        truths: Truths,
        signs: Sequence[RootSign] = (),
    ) -> None:
        """`paths` are clean paths without a repository, each with whether it was only written.

        `in_repos` are the paths that came with a repository: they show its top folders. `signs` are
        folders that calls show as repositories.
        """
        self._repos = repos
        self._truths = truths
        self._in_repos = in_repos
        self.home = repos.task[0] if len(repos.task) == 1 else None
        """The task's only repository: files that lie in no other are taken to be in it."""
        start = clean_folder(cwd) if cwd else None
        self._start = f"{start}/" if start and not start.startswith(("/", "..", "~")) else ""
        """A relative working directory, with a slash."""
        if self._start:
            paths = [(self._without_start(path), written) for path, written in paths]
        self._above_clones: str | None = None
        """A working directory that is not a project but holds clones."""
        declared = _declared(repo_paths)
        by_folder = _by_folder(paths)
        self._clones = self._find_clones(prefixes, by_folder)
        self._roots = self._find_roots(prefixes, start, declared, paths, by_folder)
        self._mounts = dict(self._clones)
        self._why = {folder: ["a clone by its name and place"] for folder in self._clones}
        self._declare(declared)
        roots = Roots(self._roots)
        if any(root.rpartition("/")[0] in by_folder for root in self._roots):
            # A path of the trial may be a root: that is not a file of the folder above.
            by_folder = _by_folder(file for file in paths if file[0] not in roots.folders)
        for root, seen in self._look(by_folder, roots).items():
            self._decide(root, seen, start)
        self._places = FolderPlaces(roots, self._mounts, self.home)
        self._votes: dict[str, int] = {}
        self._vote(paths, signs, start)
        self.place: Callable[[str], RepoPlace] = (
            self._place_from_start if self._start else self._places.place
        )
        """Where a clean path lies."""

    def _vote(
        self, paths: Collection[tuple[str, bool]], signs: Sequence[RootSign], start: str | None
    ) -> None:
        """Mount repositories of the task that only a vote finds (D181)."""
        looked = [path for path, written in paths if not written]
        if self._start:
            signs = [replace(sign, folder=self._without_start(sign.folder)) for sign in signs]
            start = NOWHERE
        scene = Scene(looked, signs, start or NOWHERE, self._places.place)
        tops: set[str] = set()
        for repo, winner in clones_by_vote(scene, self._repos, self._mounts, self._truths):
            self._mounts[winner.folder] = repo
            self._why[winner.folder] = winner.evidence
            self._votes[winner.folder] = winner.weight
            below = [_below_if(winner.folder, path) for path in looked]
            tops.update(path.partition("/")[0] for path in below if "/" in path)
        if self._votes:
            outside = [
                f for f in self._votes if f[:1] in ("/", "~") and Roots(self._roots).of(f) is None
            ]
            self._roots = (*self._roots, *outside)
            self._places = FolderPlaces(Roots(self._roots), self._mounts, self.home, tops)

    def roots_used(self, start: str | None) -> Iterator[RepoRoot]:
        """The folders that files of the trial were placed in as files of a repository, and why."""
        for folder in filter(None, self._places.used):
            repo, why = self._mounts.get(folder, self.home), self._why.get(folder)
            if why is None:
                why = ["the working directory" if folder == start else "a folder for repositories"]
            name = None if repo is None else repo.label
            votes = self._votes.get(folder, UNSET)
            yield RepoRoot(path=folder, repo=name, evidence=why, votes=votes)

    def _place_from_start(self, path: str) -> RepoPlace:
        return self._places.place(self._without_start(path))

    def _without_start(self, path: str) -> str:
        """A path without the relative working directory, unless the truth has the whole path."""
        start = self._start
        if not start or not path.startswith(start) or len(path) == len(start):
            return path
        known = any(path.lower() in paths for paths in self._truths.values())
        return path if known else path[len(start) :]

    # --- roots ----------------------------------------------------------------------------

    def _find_roots(
        self,
        prefixes: Iterable[str],
        cwd: str | None,
        declared: Mapping[str, str],
        paths: Collection[tuple[str, bool]],
        by_folder: FilesByFolder,
    ) -> tuple[str, ...]:
        known = {*_configured_roots(tuple(prefixes)), *ALWAYS}
        at_work = [*declared, *([cwd] if cwd is not None else ())]
        in_use = any(name.startswith(_STARTS_WHEN_USED) for name in by_folder)
        for folder in WHEN_USED:
            if any(_within(folder, path) for path in at_work) or (
                in_use and self._holds_repository(folder, by_folder, known)
            ):
                known.add(folder)
        # `/code/django/django` is below no root, so it is a root itself. A clone below `/workspace`
        # belongs to that root.
        if self._clones:
            known.update(
                folder
                for folder in self._clones
                if not any(_within(root, folder) for root in known)
            )
        starts = [cwd] if cwd is not None and _can_be_root(cwd) else []
        if cwd is not None and not starts and self._has_clones(cwd, paths):
            self._above_clones = cwd
            starts = [cwd]
        for folder in (*starts, *(path for path in declared if path.startswith("/"))):
            if not any(_within(root, folder) for root in known):
                known.add(folder)
        return tuple(sorted(known, key=lambda root: (-len(root), root)))

    def _find_clones(self, prefixes: Iterable[str], folders: Iterable[str]) -> dict[str, Repo]:
        """Folders that are repositories by their names and places.

        If the settings name `/code` as a root, the folders below it are not owners.
        """
        found: dict[str, Repo] = {}
        for folder in may_name_repos(folders):
            clone = clone_of(f"{folder}/") if folder.startswith("/") else None
            if clone is None or clone.repo is None or clone.folder in found:
                continue
            if clone.folder.startswith("/code/") and "/code" in map(clean_folder, prefixes):
                continue
            repo = self._repos.find(clone.repo) or self._repos.add(clone.repo)
            if repo is not None:
                found[clone.folder] = repo
        return found

    def _has_clones(self, cwd: str, paths: Collection[tuple[str, bool]]) -> bool:
        """Whether folders directly in a working directory such as `/home` are repositories."""
        below: dict[str, set[str]] = {}
        for path, written in paths:
            first, _, rest = _below_if(cwd, path).partition("/")
            if rest and not written:
                below.setdefault(first, set()).add(rest)
        return cwd != "/" and any(
            self._repos.find(first) in self._repos.task or self._holds_truth(first, rests)
            for first, rests in below.items()
        )

    def _holds_truth(self, first: str, rests: Set[str]) -> bool:
        """Whether ground-truth files are at their places below a folder if its name is left out."""
        truths = self._truths.get(self.home, frozenset()) | self._truths.get(None, frozenset())
        inside = {rest.lower() for rest in rests if "/" in rest}
        package = {f"{first}/{rest}".lower() for rest in rests}
        return bool(inside & truths) and not package & truths

    def _holds_repository(self, folder: str, by_folder: FilesByFolder, roots: Set[str]) -> bool:
        """Whether the task's repository lies in a folder that is not the working directory.

        It does in three cases. A clone below the folder has the name of a repository of the task. A
        file of the ground truth is at its place in the folder. Or the agent looked at nothing in
        other folders: some tasks start in an empty /workspace and have the repository in /app.
        """
        start = f"{folder}/"
        inside = [
            path[len(start) :]
            for name, files in by_folder.items()
            if name.startswith(start)
            for path, written in files
            if not written
        ]
        if not inside:
            return False
        truths = self._truths.get(self.home, frozenset()) | self._truths.get(None, frozenset())
        if any(below.lower() in truths for below in inside):
            return True
        if any(self._repos.find(below.partition("/")[0]) in self._repos.task for below in inside):
            return True
        looked = [
            name for name, files in by_folder.items() if not all(written for _, written in files)
        ]
        return not any(_below_if(root, name) for root in roots for name in looked)

    # --- repositories below the roots --------------------------------------------------------

    def _declare(self, declared: Mapping[str, str]) -> None:
        """Mounts that the task declares; a relative one applies below every root."""
        for path, name in declared.items():
            repo = self._repos.find(name)
            if repo is None:
                continue
            if path.startswith("/"):
                self._mount(path, repo, "the task names it")
                continue
            for root in (*self._roots, NOWHERE):
                self._mount(_joined(root, path) if path != "." else root, repo, "the task names it")

    def _mount(self, folder: str, repo: Repo, why: str) -> None:
        self._mounts[folder] = repo
        self._why[folder] = [why]

    def _look(self, by_folder: FilesByFolder, roots: Roots) -> dict[str, RootPaths]:
        """The paths below each root, without those that are already declared."""
        by_root: dict[str, RootPaths] = {}
        declared = NearestAbove(self._mounts) if self._mounts else None
        for folder, files in by_folder.items():
            root = roots.of(folder)
            if root is None or folder == root:
                continue
            if declared is not None and declared.of(folder) is not None:
                continue
            cut = len(root) + 1 if root else 0
            first = folder[cut:].partition("/")[0]
            cut += len(first) + 1
            seen = by_root.get(root)
            if seen is None:
                seen = by_root[root] = RootPaths()
            rests = seen.below.get(first)
            if rests is None:
                rests = seen.below[first] = set()
            for path, written in files:
                rests.add(path[cut:])
                if not written:
                    seen.read.add(first)
        return by_root

    def _decide(self, root: str, seen: RootPaths, cwd: str | None) -> None:
        """Mount the repositories directly below a root, in the order of the module's docstring."""
        named: dict[str, Repo] = {}
        unknown: list[str] = []
        for first, rests in seen.below.items():
            folder = _joined(root, first)
            if is_pinned(first):
                repo = self._repos.add(first)
                if repo is not None:
                    self._mount(folder, repo, "its name has a revision")
                continue
            if self._mount_nested(root, folder, first, rests):
                continue
            repo = self._repos.find(first)
            if repo is None:
                unknown.append(first)
            else:
                named[first] = repo
        # Folders that the agent only wrote to are its own, such as `/workspace/output`.
        others = [first for first in unknown if first in seen.read and not first.startswith(".")]
        for first, repo in named.items():
            if self._is_repository(first, repo, seen.below[first], bool(others)):
                self._mount(_joined(root, first), repo, _NAMED)
        for first in unknown:
            alone = bool(root) and others == [first] and not named
            rests = seen.below[first]
            above = root == self._above_clones and self._holds_truth(first, rests)
            at_work = cwd == _joined(root, first)
            if at_work or above or (alone and self._is_open(first, rests)):
                repo = self.home or self._repos.add(first)
                why = "the working directory" if at_work else "relevant files at their places"
                if repo is not None:
                    self._mount(_joined(root, first), repo, why)
        if named and any(_within(root, mount) for mount in self._mounts):
            # A root that holds one repository is not a clone itself. So its other folders with the
            # name of a repository are clones too. Without this, `/workspace/hyper/Cargo.toml`
            # beside `/workspace/tokio` was in no repository, because the truth
            # `hyper::hyper/Cargo.toml` also matches if `/workspace` is the clone.
            for first, repo in named.items():
                if _joined(root, first) not in self._mounts:
                    self._mount(_joined(root, first), repo, _NAMED)

    def _mount_nested(self, root: str, folder: str, first: str, rests: Set[str]) -> bool:
        """Mount repositories that lie further down; return whether there are any."""
        lower = first.lower()
        if not (_holds_owners(root, lower) or self._repos.is_owner(lower)):
            return False  # true for most folders
        nested = False
        # A repository is at most two folders further down, so one path of each folder is enough.
        heads = dict.fromkeys(tuple(rest.split("/")[:-1][:2]) for rest in sorted(rests))
        for folders in heads:
            inner, repo = self._nested(root, first, folders)
            if repo is not None:
                self._mount(f"{folder}/{inner}", repo, "a repository in the folder of an owner")
                nested = True
        return nested

    def _nested(self, root: str, first: str, folders: Sequence[str]) -> tuple[str, Repo | None]:
        """A repository below `first`, and where it is.

        Examples: `sg-evals/kafka--0753c489`, `src/etcd`, `github.com/apache/kafka`, and
        `apache/kafka` if the trial knows that pair.
        """
        lower = first.lower()
        if not folders:
            return "", None
        if lower in _HOSTS:
            inner = "/".join(folders[:2])
            return inner, self._repos.add(f"{first}/{inner}") if len(folders) > 1 else None
        inner = folders[0]
        if _holds_owners(root, lower):
            return inner, self._repos.add(f"{first}/{inner}" if lower != "src" else inner)
        repo = self._repos.find(f"{first}/{inner}")
        if repo is None or lower not in repo.owners or self._repos.find(first) is not None:
            return inner, None  # django/django is also the package in the clone
        return inner, repo

    def _is_repository(self, first: str, repo: Repo, rests: Set[str], siblings: bool) -> bool:
        """Whether a folder named like a repository is that repository, or a package of the root.

        `/workspace/numpy/core/overrides.py` is `numpy/core/overrides.py` of numpy if /workspace is
        the clone, and `core/overrides.py` if /workspace holds clones.
        """
        lower = {rest.lower() for rest in rests}
        package = {f"{first}/{rest}".lower() for rest in rests}
        inside = self._truths.get(repo, frozenset())
        around = self._truths.get(self.home, frozenset()) | self._truths.get(None, frozenset())
        hits = len(lower & inside) - len(package & around)
        if hits:
            return hits > 0
        # `numpy/numpy/core`: the inner folder of the same name is the package, so the outer one is
        # the clone.
        if any(rest.startswith(f"{first.lower()}/") for rest in lower):
            return True
        tops = {path.partition("/")[0].lower() for path in self._in_repos.get(repo, ())}
        # Code search shows paths from the top of the repository: `core` there is `core` here.
        alike = any(rest.partition("/")[0] in tops for rest in lower)
        if alike is not (first.lower() in tops):
            return alike
        # No file of the truth was opened, but perhaps files in its folders were.
        near = len(_folders(lower) & _folders(inside)) - len(_folders(package) & _folders(around))
        if near:
            return near > 0
        # Nothing decides. A second repository of the task can only be here. The task's only
        # repository may be the root itself, unless this is the only folder.
        expected = repo is not self.home and repo in (*self._repos.task, *self._repos.truth)
        return expected or not siblings

    def _is_open(self, first: str, rests: Set[str]) -> bool:
        """Whether a folder must be a repository although nothing names it (D14).

        All of this must hold: the trial knows no repository at all, this is the only folder that
        the agent looked into, and the paths of files below its top match the ground truth without
        the folder's name, but not with it.
        """
        return not self._repos.task and self.home is None and self._holds_truth(first, rests)


def _holds_owners(root: str, lower: str) -> bool:
    """Whether the folders in a folder of this name, in lower case, are repositories or owners."""
    return lower in _HOSTS or lower in MIRROR_OWNERS or (lower == "src" and root in ALWAYS)


def _declared(repo_paths: Mapping[str, str]) -> dict[str, str]:
    declared = {}
    for path, name in repo_paths.items():
        folder = "." if path.strip() in (".", "./", "") else clean_folder(path)
        if folder not in (None, "/"):
            declared[str(folder)] = name
    return declared


def _can_be_root(cwd: str) -> bool:
    if is_rooted(cwd):  # what holds below `/` holds below a drive
        cwd = without_drive(cwd).lower()
    if cwd.startswith("~"):
        return "/" in cwd  # a folder in somebody's home
    first = cwd.split("/")[1] if cwd.startswith("/") else ""
    depth = cwd.count("/")
    return bool(first) and first not in _NEVER_A_ROOT and depth >= _DEEPER.get(first, 1)


def _within(folder: str, path: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _below_if(root: str, path: str) -> str:
    return path[len(root) + 1 :] if path.startswith(f"{root}/") else ""


def _joined(root: str, name: str) -> str:
    return f"{root}/{name}" if root else name


def _folders(paths: Iterable[str]) -> set[str]:
    """Folders of the paths, without files at the top: every repository has a top."""
    return {folder for path in paths if (folder := path.rpartition("/")[0])}


def _by_folder(paths: Iterable[tuple[str, bool]]) -> dict[str, list[tuple[str, bool]]]:
    """Paths by folder, without those at the top."""
    by_folder: dict[str, list[tuple[str, bool]]] = {}
    for file in paths:
        folder = file[0].rpartition("/")[0]
        if folder in by_folder:
            by_folder[folder].append(file)
        elif folder:
            by_folder[folder] = [file]
    return by_folder
