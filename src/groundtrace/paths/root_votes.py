"""Where the clone lies if no rule of `layout` knows its folder: a vote of what the trial shows (D181).

300 sessions started in `swebench_9_15` and worked in `swebench_9_15/testbed`. No name says that
`testbed` is the clone, but the trial does: git ran there, nearly all files that were opened lie
there, and a relevant file is at its place below it.

A path that only ends like a relevant file proves nothing: copies in `site-packages` or `vendor`, a
fork beside the original and a second worktree end alike. So a folder needs `ENOUGH` weight, one
relevant file alone is not enough, and no other folder may explain the files nearly as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set

import msgspec
from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.model import RootSign
from groundtrace.paths.folder_places import RepoPlace
from groundtrace.paths.repos import Repo, RepoTable
from groundtrace.paths.windows import without_drive

WEIGHTS: Mapping[str, int] = {
    # `git clone https://github.com/django/django w`: the command itself says what and where. Decides.
    "clone": 6,
    # `git rev-parse --show-toplevel` printed it, or `git init` made it: the top of some repository.
    "top": 3,
    # "The repository is in /home/u/w": the user says so. A prompt may name several folders.
    "prompt": 3,
    # `cd w && git log`, `git -C w status` got an answer. Git answers in every folder of a clone, so
    # with one relevant file it is just enough.
    "git": 2,
    # The harness's own directory moved there: agents run `cd testbed` once and stay.
    "workdir": 2,
    # `cd /home/u/w && grep …`: agents also enter folders of the clone.
    "entered": 1,
    # `.gitignore`, `.github` or `.git` is there: packages inside a clone rarely have one.
    "git_files": 2,
    # Two of `setup.py`, `go.mod`, … are there: each package of a monorepo may have them.
    "project_files": 1,
    # The folder is called `testbed`, as in the images of SWE-bench: 300 sessions.
    "name": 2,
    # The folder has the repository's name: `/home/u/w/clones/envoy`. So has its main package.
    "repo_name": 2,
    # A relevant file at its place. One alone is found in copies too; two are enough.
    "relevant_file": 2,
    # Its path is its own: `src/index.ts` is in each package of a monorepo, `sklearn/multioutput.py`
    # and `src/flask/app.py` are not.
    "own_path": 1,
    # Nearly all files that the agent met lie below it, in two or more of its folders: agents work
    # in the clone.
    "files": 2,
    # Most files that the agent met lie elsewhere: a vendored package, a copy for comparison.
    "few_files": -2,
    # The harness started there. Less than git: sessions start above the clone.
    "start": 1,
    # Git ran in a folder above, and nothing shows that this is a top: a part of that repository.
    "inside_other": -3,
}
"""What each kind of evidence weighs, and the case that set it."""

ENOUGH = 4
"""Weight that a folder needs."""
LEAD = 2
"""Weight by which it must lead every other folder that may be the clone."""
MOST_FILES = 0.8
HALF_OF_FILES = 0.5
FEW_FILES = 5
"""Fewer files than this say nothing about where an agent works."""
MAX_COUNTED = 3
"""Relevant files that count."""
TELLING = frozenset({"clone", "top", "prompt", "git_files", "name", "repo_name"})
"""Evidence for a top. Without any, fewer than `MAX_COUNTED` relevant files must have paths of their
own: an agent that works in `packages/foo` of a monorepo enters it, runs git and reads `src/index.ts`."""
_COMMON = frozenset(
    {"api", "app", "apps", "bin", "client", "cmd", "common", "config", "core", "doc", "docs"}
    | {"examples", "include", "internal", "lib", "libs", "main", "packages", "pkg", "public"}
    | {"scripts", "server", "src", "test", "tests", "tools", "ui", "util", "utils", "web"}
)
"""First folders that many repositories and packages have."""

NAMES = frozenset({"testbed"})
"""Names of folders that hold the clone by convention, wherever they lie."""

COPIES = frozenset(
    {"site-packages", "dist-packages", "node_modules", "bower_components", "vendor", "vendored"}
    | {"_vendor", "third_party", "third-party", "thirdparty", "3rdparty", "external", "extern"}
    | {"build", "dist", "target", "__pycache__", ".git", ".cache", ".cargo", ".venv", "venv"}
    | {".tox", ".nox", "virtualenv", ".eggs", ".m2", ".gradle", "mod", "backup", "backups", "copy"}
    | {"old", "trash", ".trash", "worktrees"}
)
"""Folders that hold copies of repositories: nothing in them is the clone."""

_ROOTS = ("/", "~")
_GIT_FILES = frozenset([".git", ".github", ".gitignore", ".gitattributes", ".gitmodules"])
_PROJECT_FILES = frozenset(
    {"setup.py", "setup.cfg", "pyproject.toml", "tox.ini", "go.mod", "cargo.toml", "package.json"}
    | {"pom.xml", "build.gradle", "cmakelists.txt", "makefile", "gemfile", "composer.json"}
    | {"readme.md", "readme.rst", "license", "changelog.md", "contributing.md", "manifest.in"}
)


class Candidate(msgspec.Struct):
    """A folder that may be the clone, and what speaks for it."""

    folder: str
    weight: int = 0
    evidence: list[str] = msgspec.field(default_factory=list)
    is_certain: bool = False
    """Something shows that it is a top, and not a folder of a clone that looks like one."""

    def count(self, kind: str, text: str, times: int = 1) -> None:
        """Add a piece of evidence."""
        self.weight += WEIGHTS[kind] * times
        self.evidence.append(text)
        if kind in TELLING or kind == "own_path" or times == MAX_COUNTED:
            self.is_certain = True


def places_of_truth(paths: Iterable[str], truths: Set[str]) -> dict[str, set[str]]:
    """From each folder to the relevant files that lie at their places below it.

    `truths` are paths in lower case. A bare name (`__init__.py`) is everywhere and shows nothing.
    """
    wanted = tuple(truth for truth in truths if "/" in truth[1:])
    found: dict[str, set[str]] = {}
    if not wanted:
        return found
    for path in paths:
        lower = path.lower()
        if not lower.endswith(wanted):  # true for nearly all paths
            continue
        for truth in wanted:
            # The lower case of a few letters is longer than they are.
            above = path[: -len(truth)]
            is_below = above == "" or (above[-1] == "/" and above != "/")
            if is_below and path[len(above) :].lower() == truth:
                found.setdefault(above[:-1], set()).add(truth)
    return found


class Scene(Frozen, frozen=True):
    """What a trial shows, beside the rules of `layout`."""

    looked: Collection[str]
    """Clean paths that were not only written."""
    signs: Sequence[RootSign]
    start: str
    """The working directory; empty if it is unknown, or if paths are relative to it."""
    place: Callable[[str], RepoPlace]
    """Where a path lies by the rules of `layout`."""


def clones_by_vote(
    scene: Scene,
    repos: RepoTable,
    mounts: Mapping[str, Repo],
    truths: Mapping[Repo | None, Set[str]],
) -> Iterator[tuple[Repo, Candidate]]:
    """Repositories of the task in folders that no rule found."""
    open_truths = truths.get(None, frozenset())
    for wanted in repos.task or (None,):
        # With several repositories, an entry that names none may be in any of them.
        of_repo = truths.get(wanted, frozenset())
        found = places_of_truth(
            scene.looked, of_repo if len(repos.task) > 1 else of_repo | open_truths
        )
        taken = {folder: met for folder, met in found.items() if _is_taken(scene, folder, met)}
        if len(taken) == len(found) and not any(sign.kind == "clone" for sign in scene.signs):
            continue  # true for most trials
        if wanted is not None and _is_mounted(wanted, mounts, scene.looked):
            continue
        vote = RootVote(scene, repos, wanted, must_be_named=len(repos.task) > 1)
        winner = vote.winner(found, taken)
        if winner is not None:
            repo = wanted or repos.lone or repos.add(winner.folder.rpartition("/")[2])
            if repo is not None:
                yield repo, winner


def _is_taken(scene: Scene, folder: str, truths: Set[str]) -> bool:
    """Whether the files of a folder are already read as files of the task's repository."""
    path = next(iter(truths))
    place = scene.place(f"{folder}/{path}" if folder else path)
    return not place.outside and place.path.lower() == path


def _is_mounted(repo: Repo, mounts: Mapping[str, Repo], looked: Iterable[str]) -> bool:
    """Whether files of the trial lie in a folder that a rule took for the repository."""
    folders = tuple(
        f"{folder}/" for folder, mounted in mounts.items() if mounted is repo and folder
    )
    return bool(folders) and any(path.startswith(folders) for path in looked)


class RootVote:
    """The vote of one trial on one repository."""

    def __init__(
        self, scene: Scene, repos: RepoTable, wanted: Repo | None, *, must_be_named: bool
    ) -> None:
        """`wanted` is None if the task names no repository.

        `must_be_named`: the task has several, and only a name says which one a folder is.
        """
        self._repos, self._wanted, self._must_be_named = repos, wanted, must_be_named
        self._start = scene.start
        self._looked = [p for p in scene.looked if not self._is_copy(p.rpartition("/")[0])]
        self._absolute = sum(path[0] in _ROOTS for path in self._looked)
        self._relative = len(self._looked) - self._absolute
        self._signs = [
            # If nothing says which repository is the right one, any clone is only some repository.
            replace(sign, kind="top") if sign.kind == "clone" and wanted is None else sign
            for sign in scene.signs
        ]
        self._excluded = {
            sign.folder
            for sign in self._signs
            if sign.kind == "worktree"
            or (sign.kind == "clone" and repos.find(sign.repo) is not wanted)
        }

    def winner(
        self, found: Mapping[str, Set[str]], taken: Mapping[str, Set[str]]
    ) -> Candidate | None:
        """The folder that is the clone; None if the evidence is too weak or not clear.

        `found` are folders with relevant files at their places, `taken` those of them that are
        repositories by the rules of `layout`.
        """
        seen = {
            folder: set(truths)
            for folder, truths in found.items()
            if folder not in taken and self._may_be(folder)
        }
        for sign in self._signs:
            if sign.kind == "clone" and sign.folder not in taken and self._may_be(sign.folder):
                seen.setdefault(sign.folder, set())
        rated = [self._rate(folder, truths) for folder, truths in seen.items()]
        best = max(rated, key=lambda candidate: candidate.weight, default=None)
        if best is None or best.weight < ENOUGH or not best.is_certain:
            return None
        # The folder in which the harness started may be the clone too, whatever was found there.
        others = {self._start: set[str](), **taken}
        rivals = [other for other in rated if other is not best]
        rivals += [
            self._rate(folder, truths, beside=best.folder)
            for folder, truths in others.items()
            if folder != best.folder
        ]
        return best if all(best.weight - other.weight >= LEAD for other in rivals) else None

    def _may_be(self, folder: str) -> bool:
        inside = any(_within(other, folder) for other in self._excluded)
        if inside or self._is_copy(folder) or _of_system(folder):
            return False
        return self._is_named(folder) or not self._must_be_named

    def _is_named(self, folder: str) -> bool:
        """Whether a folder is named like the repository."""
        name = folder.rpartition("/")[2]
        return self._wanted is not None and self._repos.find(name) is self._wanted

    def _is_copy(self, folder: str) -> bool:
        """Whether it lies in a folder of copies; what lies above the harness says nothing."""
        if self._start and _within(self._start, folder):
            folder = folder[len(self._start) :]
        return not COPIES.isdisjoint(folder.lower().split("/"))

    def _rate(self, folder: str, relevant: Set[str], beside: str | None = None) -> Candidate:
        """What speaks for a folder; files and signs below `beside` are another folder's."""
        rated = Candidate(folder)
        if relevant:
            one = len(relevant) == 1
            places = "at its place" if one else "at their places"
            text = f"{len(relevant)} relevant {'file' if one else 'files'} {places}"
            rated.count("relevant_file", text, min(len(relevant), MAX_COUNTED))
            if any(map(_is_own, relevant)):
                rated.count("own_path", "in folders that few repositories have")
        self._rate_signs(rated, beside)
        if folder == self._start:
            rated.count("start", "the harness started there")
        if self._is_named(folder):
            rated.count("repo_name", "named like the repository")
        elif folder.rpartition("/")[2].lower() in NAMES:
            rated.count("name", "named as in the images of SWE-bench")
        self._rate_files(rated, beside)
        return rated

    def _rate_files(self, rated: Candidate, beside: str | None) -> None:
        cut = len(rated.folder) + 1 if rated.folder else 0
        below = [
            path[cut:]
            for path in self._looked
            if _within(rated.folder, path) and (beside is None or not _within(beside, path))
        ]
        tops = {path.partition("/")[0].lower() for path in below}
        # Where relative paths lie is not known; the agent may have been in this folder.
        known = self._relative if rated.folder[:1] not in _ROOTS else self._absolute
        share = len(below) / known if known else 0
        files = f"{len(below)} of {known} files that were met"
        if share >= MOST_FILES and len(below) >= FEW_FILES and len(tops) > 1:
            rated.count("files", files)
        elif share < HALF_OF_FILES and beside is None and not self._must_be_named:
            rated.count("few_files", f"only {files}")
        if tops & _GIT_FILES:
            rated.count("git_files", "files of git are there")
        if len({path.lower() for path in below if "/" not in path} & _PROJECT_FILES) > 1:
            rated.count("project_files", "files of a project's top are there")

    def _rate_signs(self, rated: Candidate, beside: str | None) -> None:
        folder = rated.folder
        here = {sign.kind for sign in self._signs if sign.folder == folder}
        below = {
            sign.kind
            for sign in self._signs
            if _within(folder, sign.folder) and (beside is None or not _within(beside, sign.folder))
        }
        if "clone" in here:
            rated.count("clone", "git clone")
        if "top" in here:
            rated.count("top", "git says that it is the top")
        if "prompt" in here:
            rated.count("prompt", "the prompt says that the code is there")
        if "git" in below:
            rated.count("git", "git ran there")
        if "workdir" in here:
            rated.count("workdir", "the harness worked there")
        elif "entered" in here:
            rated.count("entered", "commands entered it")
        is_inside = any(
            sign.kind in ("git", "top", "clone") and folder.startswith(f"{sign.folder}/")
            for sign in self._signs
        )
        if is_inside and here.isdisjoint(("clone", "top")) and not self._has_git_files(folder):
            rated.count("inside_other", "inside a folder in which git ran")

    def _has_git_files(self, folder: str) -> bool:
        start = f"{folder}/.git"
        return any(path.startswith(start) for path in self._looked)


def _is_own(path: str) -> bool:
    """Whether a path, in lower case, is one that few repositories have."""
    first, _, rest = path.partition("/")
    return "/" in rest or first not in _COMMON


def _of_system(folder: str) -> bool:
    """Whether it is a folder of the system or of people, which hold repositories but are none."""
    parts = without_drive(folder).lower().split("/")
    if parts[0] or len(parts) < 2:
        return False  # a relative folder
    first, depth = parts[1], len(parts) - 1
    return first in _SYSTEM or depth < _DEEPER.get(first, 1)


_SYSTEM = frozenset({"bin", "dev", "etc", "lib", "lib64", "proc", "sys"})
_DEEPER = {"home": 3, "users": 3, "root": 2, "tmp": 2, "opt": 2, "usr": 3, "var": 3, "mnt": 3}


def _within(folder: str, path: str) -> bool:
    if not folder:  # the unknown folder that relative paths are relative to
        return path[:1] not in _ROOTS
    return path == folder or path.startswith(f"{folder}/")
