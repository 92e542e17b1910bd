"""Where the clone lies if no rule of `layout` knows its folder: a vote of what the trial shows (D181).

300 sessions started in `swebench_9_15` and worked in `swebench_9_15/testbed`. No name says that
`testbed` is the clone, but the trial does: git ran there, nearly all files that were opened lie
there, and a relevant file is at its place below it.

A path that only ends like a relevant file proves nothing: copies in `site-packages` or `vendor`, a
fork beside the original and a second worktree end alike. So a folder needs `ENOUGH` weight, one
relevant file alone is not enough, and no other folder may explain the files nearly as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set

import msgspec

from groundtrace.model import RootSign

WEIGHTS: Mapping[str, int] = {
    # `git clone https://github.com/django/django w`: the command itself says what and where. Decides.
    "clone": 6,
    # `git rev-parse --show-toplevel` printed it, or `git init` made it: the top of some repository.
    "top": 3,
    # `cd w && git log`, `git -C w status` got an answer. A folder inside the clone does as well, so
    # with one relevant file it is just enough.
    "git": 2,
    # The harness's own directory moved there: agents run `cd testbed` once and stay.
    "workdir": 2,
    # `cd /home/u/w && grep …`: agents also enter folders of the clone.
    "entered": 1,
    # Listings show `.gitignore`, `.github` or `.git` there: packages inside a clone rarely have one.
    "git_files": 2,
    # Two of `setup.py`, `go.mod`, … are there: each package of a monorepo may have them.
    "project_files": 1,
    # The folder is called `testbed`, as in the images of SWE-bench: 300 sessions.
    "name": 2,
    # A relevant file at its place, in a folder. One alone is found in copies too; two are enough.
    "relevant_file": 2,
    # Nearly all files that the agent opened lie below it, in two or more of its folders: agents work
    # in the clone. A vendored package fails here, because the files around it are opened too.
    "files": 2,
    # The harness started there. Less than git: sessions start above the clone.
    "start": 1,
    # Git also ran in a folder above and not here: a part of that repository, such as vendored code.
    "inside_other": -3,
}
"""What each kind of evidence weighs, and the case that set it."""

ENOUGH = 4
"""Weight that a folder needs."""
LEAD = 2
"""Weight by which it must lead every other folder that holds a relevant file at its place."""
MOST_FILES = 0.8
FEW_FILES = 5

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

_GIT_FILES = frozenset([".git", ".github", ".gitignore", ".gitattributes", ".gitmodules"])
_PROJECT_FILES = frozenset(
    {"setup.py", "setup.cfg", "pyproject.toml", "tox.ini", "go.mod", "cargo.toml", "package.json"}
    | {"pom.xml", "build.gradle", "cmakelists.txt", "makefile", "gemfile", "composer.json"}
    | {"readme.md", "readme.rst", "license", "changelog.md", "contributing.md", "manifest.in"}
)


class RepoRoot(msgspec.Struct, frozen=True):
    """A folder that is taken to be a repository, and why."""

    path: str
    repo: str | None
    """Its short name, if known."""
    evidence: tuple[str, ...]
    votes: int | None = None
    """Weight of the evidence; None if a rule decided without a vote."""


class Candidate(msgspec.Struct):
    """A folder below which relevant files are at their places, and what speaks for it."""

    folder: str
    relevant: set[str] = msgspec.field(default_factory=set)
    weight: int = 0
    evidence: list[str] = msgspec.field(default_factory=list)

    def count(self, kind: str, text: str, times: int = 1) -> None:
        """Add a piece of evidence."""
        self.weight += WEIGHTS[kind] * times
        self.evidence.append(text)


def places_of_truth(paths: Iterable[str], truths: Set[str]) -> dict[str, set[str]]:
    """From each folder to the relevant files that lie at their places below it.

    `truths` are paths in lower case. A bare name (`__init__.py`) is everywhere and shows nothing.
    """
    by_name: dict[str, list[str]] = {}
    for truth in truths:
        folder, slash, name = truth.rpartition("/")
        if slash and folder:
            by_name.setdefault(name, []).append(truth)
    found: dict[str, set[str]] = {}
    if not by_name:
        return found
    for path in paths:
        name = path.rpartition("/")[2].lower()
        for truth in by_name.get(name, ()):
            # The lower case of a few letters is longer than they are.
            if path[-len(truth) :].lower() == truth:
                above = path[: -len(truth)]
                if above == "" or (above[-1] == "/" and above != "/"):
                    found.setdefault(above[:-1], set()).add(truth)
    return found


class RootVote:
    """The vote of one trial."""

    def __init__(
        self,
        looked: Collection[str],
        signs: Sequence[RootSign],
        start: str,
        is_other: Callable[[str], bool],
    ) -> None:
        """`looked` are paths that were not only written, `start` is the working directory.

        `is_other` says whether the text of a `git clone` names another repository than the task's.
        """
        self._start = start
        self._looked = [path for path in looked if not self._is_copy(path.rpartition("/")[0])]
        self._signs = signs
        self._excluded = {
            sign.folder
            for sign in signs
            if sign.kind == "worktree" or (sign.kind == "clone" and is_other(sign.repo))
        }

    def winner(
        self, found: Mapping[str, Set[str]], taken: Mapping[str, Set[str]]
    ) -> Candidate | None:
        """The folder that is the clone; None if the evidence is too weak or not clear.

        `found` are folders with relevant files at their places, `taken` those of them that are
        repositories by the rules of `layout`.
        """
        seen = {folder: set(truths) for folder, truths in found.items() if self._may_be(folder)}
        for sign in self._signs:
            if sign.kind == "clone" and sign.folder and self._may_be(sign.folder):
                seen.setdefault(sign.folder, set())
        rated = sorted(
            (self._rate(folder, truths) for folder, truths in seen.items() if folder not in taken),
            key=lambda candidate: (-candidate.weight, candidate.folder),
        )
        if not rated or rated[0].weight < ENOUGH:
            return None
        rivals = [*rated[1:], *(self._rate(folder, truths) for folder, truths in taken.items())]
        best = rated[0]
        if any(best.weight - other.weight < LEAD for other in rivals if other.relevant):
            return None
        return best

    def _may_be(self, folder: str) -> bool:
        inside = any(_within(other, folder) for other in self._excluded)
        return not inside and not self._is_copy(folder) and not _of_system(folder)

    def _is_copy(self, folder: str) -> bool:
        """Whether it lies in a folder of copies; what lies above the harness says nothing."""
        if self._start and _within(self._start, folder):
            folder = folder[len(self._start) :]
        return not COPIES.isdisjoint(folder.lower().split("/"))

    def _rate(self, folder: str, relevant: Set[str]) -> Candidate:
        rated = Candidate(folder, set(relevant))
        if relevant:
            files = (
                f"{len(relevant)} relevant file{'s' if len(relevant) > 1 else ''} at their places"
            )
            rated.count("relevant_file", files, min(len(relevant), 3))
        self._rate_signs(rated)
        if folder == self._start:
            rated.count("start", "the harness started there")
        if folder.rpartition("/")[2].lower() in NAMES:
            rated.count("name", "named as in the images of SWE-bench")
        cut = len(folder) + 1 if folder else 0
        below = [path[cut:] for path in self._looked if _within(folder, path)]
        tops = {path.partition("/")[0].lower() for path in below}
        if (
            len(below) >= FEW_FILES
            and len(below) >= MOST_FILES * len(self._looked)
            and len(tops) > 1
        ):
            rated.count("files", f"{len(below)} of {len(self._looked)} files that were opened")
        if tops & _GIT_FILES:
            rated.count("git_files", "files of git are there")
        if len({path.lower() for path in below if "/" not in path} & _PROJECT_FILES) > 1:
            rated.count("project_files", "files of a project's top are there")
        return rated

    def _rate_signs(self, rated: Candidate) -> None:
        folder = rated.folder
        here = [sign.kind for sign in self._signs if sign.folder == folder]
        below = [sign.kind for sign in self._signs if _within(folder, sign.folder)]
        if "clone" in here:
            rated.count("clone", "git clone")
        if "top" in here:
            rated.count("top", "git says that it is the top")
        ran = {"git", "top", "clone"}
        if "git" in below:
            rated.count("git", "git ran there")
        elif not ran & {*below} and any(
            sign.kind in ran and folder.startswith(f"{sign.folder}/") for sign in self._signs
        ):
            rated.count("inside_other", "inside a folder in which git ran")
        if "workdir" in here:
            rated.count("workdir", "the harness worked there")
        elif "entered" in here:
            rated.count("entered", "commands entered it")


def _of_system(folder: str) -> bool:
    """Whether it is a folder of the system or of people, which hold repositories but are none."""
    parts = folder.lower().split("/")
    if parts[0] or len(parts) < 2:
        return False  # a relative folder
    first, depth = parts[1], len(parts) - 1
    return first in _SYSTEM or depth < _DEEPER.get(first, 1)


_SYSTEM = frozenset({"bin", "dev", "etc", "lib", "lib64", "proc", "sys"})
_DEEPER = {"home": 3, "users": 3, "root": 2, "tmp": 2, "opt": 2, "usr": 3, "var": 3, "mnt": 3}


def _within(folder: str, path: str) -> bool:
    if not folder:  # the unknown folder that relative paths are relative to
        return path[:1] != "/"
    return path == folder or path.startswith(f"{folder}/")
