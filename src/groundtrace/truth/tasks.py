"""The task index: every task definition below a folder, found by any of its names.

A task is a folder with a `task.toml`, an instruction or a `tests` folder, inside the folder of
its suite. Its name comes from task.toml or, if that has none, is the folder's name (D60). It is
found by the folder's name, by the name and the id in task.toml, and by `suite/name`. Suites have
old and new names (`ccb_fix` is `csb_sdlc_fix`). Case is ignored (D31).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import field
from msgspec.structs import replace

from groundtrace.base import tomlio
from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import clean_text
from groundtrace.base.limit import OverLimitError, guarded
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, as_mapping
from groundtrace.model import Problem, Task
from groundtrace.paths.repos import is_placeholder
from groundtrace.storage import Folder, Links
from groundtrace.storage.folder import EntryKind

MAX_DEPTH = 5
"""Most folders between TASKS and a task; real trees have one or two."""
MAX_TEXT = 4 * 1024 * 1024
"""Largest size of an instruction or a task.toml, in bytes."""
INSTRUCTIONS = ("instruction.md", "instruction_mcp.md")
_READ = frozenset({"task.toml", "task.yaml", *INSTRUCTIONS})
"""Files of a task that are read for the index."""

_SUITE_FAMILIES = (
    ("csb_sdlc_", "sdlc"),
    ("csb_org_", "org"),
    ("ccb_mcp_", "org"),
    ("csb_", "sdlc"),
    ("ccb_", "sdlc"),
)
"""Prefixes of suite names, longest first, with the family of each."""

_NAME = r"[A-Za-z0-9_.-]*[A-Za-z0-9_]"
_MIRROR = regex(
    rf"(?<![\w-])(?:github\.com/)?sg-(?:evals|benchmarks)/{_NAME}"  # a mirror, in any form
    rf"|(?<![\w./-])github\.com/{_NAME}/{_NAME}(?![\w/-]|\.\w)"  # as code search names it
)
"""Repositories in instructions. A link (`https://github.com/o/r/issues/1`) is not a repository
of the task; the slashes before it show that it is a link."""


def suite_key(name: str) -> tuple[str, str]:
    """Equal for the old and the new name of one suite."""
    low = name.casefold()
    for prefix, family in _SUITE_FAMILIES:
        if low.startswith(prefix):
            return family, low[len(prefix) :]
    return "", low


class History(Frozen, frozen=True):
    """A repository whose commits are the tasks of the sessions that made them."""

    repo: str
    """Path as the user gave it."""
    name: str
    trees: tuple[str, ...]
    """Its folder and its other work trees."""
    remotes: tuple[str, ...] = ()
    authors: frozenset[str] = frozenset()
    """Addresses of those who committed in this clone; empty if unknown."""
    mark: str = ""
    """Changes with every commit and every branch that moves."""


class TaskIndex(Frozen, frozen=True):
    """Tasks by name; small and picklable, so that it can be sent to worker processes."""

    tasks: tuple[Task, ...] = ()
    problems: tuple[Problem, ...] = ()
    histories: tuple[History, ...] = ()
    """Repositories in which sessions find their own tasks."""
    _by_folder: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    _by_alias: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    _by_words: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def for_nameless(self) -> Task | None:
        """The task of trials that name no task: the only task that accepts them (D97)."""
        taking = [task for task in self.tasks if task.takes_nameless]
        return taking[0] if len(taking) == 1 else None

    @property
    def names(self) -> list[str]:
        """The names of all tasks that are defined."""
        return [task.name for task in self.tasks]

    def find(self, name: str, benchmark: str | None = None) -> Task | None:
        """The task of that name; None if there is none, or if `benchmark` does not decide."""
        found = self.candidates(name)
        if not found and "/" in name:
            suite, _, rest = name.rstrip("/").rpartition("/")
            found = self.candidates(rest)
            benchmark = suite.rpartition("/")[2] or benchmark
            found = tuple(t for t in found if suite_key(t.benchmark) == suite_key(benchmark or ""))
        if len(found) <= 1:
            return found[0] if found else None
        return _choose(found, benchmark)

    def candidates(self, name: str) -> tuple[Task, ...]:
        """Every task of that name; folder names count before names in task.toml.

        Where signs alone differ (`django_django-11099`), the only task with these words.
        """
        key = name.casefold()
        numbers = self._by_folder.get(key) or self._by_alias.get(key) or ()
        if not numbers and len(alike := self._by_words.get(_words(key), ())) == 1:
            numbers = alike
        return tuple(self.tasks[number] for number in numbers)


def _choose(tasks: tuple[Task, ...], benchmark: str | None) -> Task | None:
    """One of several tasks of one name, if the suite decides; never a guess."""
    if benchmark is not None:
        exact = [t for t in tasks if t.benchmark.casefold() == benchmark.casefold()]
        if len(exact) == 1:
            return exact[0]
        tasks = tuple(t for t in tasks if suite_key(t.benchmark) == suite_key(benchmark))
    if not tasks or len({suite_key(t.benchmark) for t in tasks}) > 1:
        return None
    names = {t.benchmark.casefold() for t in tasks}
    if len(names) < len(tasks):
        return None
    # One suite under its old and its new name: the definitions of the new one are maintained.
    return max(tasks, key=lambda task: task.benchmark.casefold().startswith("csb_"))


def build_index(tasks: Folder) -> TaskIndex:
    """The index of every task below `tasks`: a folder of suites, one suite, or one task."""
    found: list[Task] = []
    problems: list[Problem] = []
    for folder, path, suite, names in _task_folders(tasks, problems):
        try:
            with guarded():
                task, troubles = read_task(folder, suite, path, names)
        except OverLimitError as error:
            problems.append(Problem(path, "too_large", str(error)))
            continue
        found.append(task)
        problems += troubles
    return index_of(found, problems)


def index_of(found: list[Task], problems: list[Problem]) -> TaskIndex:
    """The index of these tasks."""
    by_folder: dict[str, list[int]] = {}
    by_alias: dict[str, list[int]] = {}
    by_words: dict[str, list[int]] = {}
    found = _with_stated_names(found)
    for number, task in enumerate(found):
        own = _folder_name(task).casefold()
        by_folder.setdefault(own, []).append(number)
        for alias in {alias.casefold() for alias in (task.name, *task.aliases)} - {own}:
            by_alias.setdefault(alias, []).append(number)
        by_words.setdefault(_words(own), []).append(number)
    for names in (by_folder, by_alias):
        problems += _duplicates(names, found)
    return TaskIndex(
        tuple(found),
        tuple(problems),
        _by_folder={name: tuple(numbers) for name, numbers in by_folder.items()},
        _by_alias={name: tuple(numbers) for name, numbers in by_alias.items()},
        _by_words={name: tuple(numbers) for name, numbers in by_words.items() if name},
    )


def _words(name: str) -> str:
    """The words of a name of three or more, which tools separate in their own ways
    (`django_1776_django-11099`); empty for others."""
    words = _SEPARATORS.split(name)
    return "-".join(words) if len(words) > 2 else ""


_SEPARATORS = regex(r"_1776_|[^a-z0-9.]+")


def _folder_name(task: Task) -> str:
    """The name of a task's folder; without a folder, its only name."""
    return task.name if task.folder is None else clean_text(task.folder.name)


def _with_stated_names(tasks: Sequence[Task]) -> list[Task]:
    """The tasks with the names that their definitions state; the folder's name becomes an alias.

    A stated name is ignored if it does not tell the tasks of a suite apart. When a definition was
    copied, two folders can state the same name, or one can state the name of another's folder.
    """
    claimed: Counter[tuple[str, str]] = Counter()
    for task in tasks:
        names = {_folder_name(task).casefold(), _stated_name(task).casefold()}
        claimed.update((task.benchmark.casefold(), name) for name in names)
    made = []
    for task in tasks:
        name = _stated_name(task)
        if claimed[task.benchmark.casefold(), name.casefold()] > 1:
            name = _folder_name(task)
        aliases = dict.fromkeys((_folder_name(task), *task.aliases))
        aliases.pop(name, None)
        made.append(replace(task, name=name, aliases=tuple(aliases)))
    return made


def _stated_name(task: Task) -> str:
    """The first name that the definition states; a title with spaces is not a name."""
    stated = () if task.folder is None else task.aliases
    return next((name for name in stated if not re.search(r"\s", name)), task.name)


def _duplicates(names: Mapping[str, list[int]], tasks: list[Task]) -> Iterator[Problem]:
    for name, numbers in names.items():
        if len(numbers) > 1:
            where = sorted(f"{tasks[n].benchmark}/{tasks[n].name}" for n in numbers)
            yield Problem(
                where[0],
                "duplicate_task",
                f"{len(where)} tasks are named {name!r}: {', '.join(where)}; a trial gets one "
                "of them only if its benchmark says which",
            )


def _task_folders(
    root: Folder, problems: list[Problem]
) -> Iterator[tuple[Folder, str, str, Mapping[str, EntryKind]]]:
    """Task folders, with their path below the root, the name of their suite, and what they hold."""
    stack: list[tuple[Folder, tuple[str, ...]]] = [(root, ())]
    links = Links()
    while stack:
        folder, parts = stack.pop()
        if not links.enters(folder):
            reason = "a link to a folder that another link already led to; not followed again"
            problems.append(Problem("/".join(parts), "link_loop", reason))
            continue
        below: list[str] = []
        names: dict[str, EntryKind] = {}
        for name, kind in folder.kinds():
            names[name] = kind
            if kind == "folder" and not name.startswith("."):
                below.append(name)
            elif kind == "unlisted":
                why = "".join(entry.stamp for entry in folder.entries() if entry.kind == kind)
                reason = f"the folder cannot be listed ({why}); its tasks are missing"
                problems.append(Problem("/".join(parts) or ".", "unlisted_folder", reason))
            elif kind == "escape":
                reason = "a link that leaves the folder of tasks or makes a loop; not followed"
                problems.append(
                    Problem("/".join((*parts, clean_text(name))), "link_not_followed", reason)
                )
        if _is_task(names, is_root=not parts):
            suite = parts[-2] if len(parts) > 1 else (clean_text(root.name) if parts else "")
            yield folder, "/".join(parts), suite, names
        elif len(parts) < MAX_DEPTH:
            stack += [(folder.folder(name), (*parts, clean_text(name))) for name in reversed(below)]


def _is_task(names: Mapping[str, str], *, is_root: bool) -> bool:
    if any(names.get(name) == "file" for name in ("task.toml", "gold.patch", *INSTRUCTIONS)):
        return True
    # A folder of suites may have tests of its own, so at the root these names are not enough.
    return not is_root and (names.get("tests") == "folder" or names.get("solution") == "folder")


def read_task(
    folder: Folder, suite: str, path: str = "", names: Mapping[str, EntryKind] | None = None
) -> tuple[Task, list[Problem]]:
    """The definition in a task folder, and problems of reading it.

    `names` are what the folder holds, if it was listed: files that it lacks are not asked for.
    """
    problems: list[Problem] = []
    lacks = frozenset[str]()
    if names is not None:
        lacks = _READ.difference(names)
    record = {} if "task.toml" in lacks else _task_toml(folder, path, problems)
    task, metadata = as_mapping(record.get("task")), as_mapping(record.get("metadata"))
    # Names before the id: the first of these becomes the task's name (D60).
    places = ((task, "name"), (metadata, "name"), (record, "name"), (task, "id"))
    aliases = [_text(place.get(key)) for place, key in places]
    repos = [repo for table in (task, record, metadata) for repo in _repos(table.get("repo"))]
    repos += [repo for item in as_items(task.get("repos")) for repo in _repos(item)]
    repo_paths: dict[str, str] = {}
    for entry in as_items(record.get("repos")):
        if not isinstance(entry, dict):
            repos += _repos(entry)
            continue
        repo = _repo(entry.get("url")) or _repo(entry.get("repo")) or _repo(entry.get("name"))
        repos += [name for name in (repo, _repo(entry.get("mirror"))) if name]
        where = entry.get("path")
        if repo and isinstance(where, str) and where.strip():
            repo_paths[clean_text(where.strip())] = repo
    for file in INSTRUCTIONS:
        if file not in lacks:
            repos += _mirrors(folder, file, path, problems)
    stated = {} if "task.yaml" in lacks else _task_yaml(folder, path, problems)
    aliases.append(stated.get("instance_id"))
    repos += _repos(stated.get("repo"))
    unique: dict[str, str] = {}
    for name in repos:
        unique.setdefault(name.casefold().removeprefix("github.com/"), name)
    return (
        Task(
            name=clean_text(folder.name),
            benchmark=suite,
            folder=folder,
            repos=tuple(unique.values()),
            repo_paths=repo_paths,
            aliases=tuple(dict.fromkeys(alias for alias in aliases if alias)),
        ),
        problems,
    )


def _task_toml(folder: Folder, path: str, problems: list[Problem]) -> Mapping[str, Any]:
    where = _below(path, "task.toml")
    entry = folder.stat("task.toml")
    if entry is None:
        return {}
    try:
        return tomlio.loads(folder.read("task.toml", MAX_TEXT).decode("utf-8-sig"))
    except OSError as error:
        problems.append(Problem(where, "unreadable", f"cannot be read: {error}"))
    except UnicodeDecodeError:
        problems.append(
            Problem(where, "not_utf8", "not UTF-8; the task is known by its folder only")
        )
    except (ValueError, RecursionError) as error:
        problems.append(
            Problem(
                where, "broken_toml", f"not TOML ({error}); the task is known by its folder only"
            )
        )
    return {}


_YAML_LINE = regex(r"([A-Za-z_][\w-]*+)\s*+:\s++(\S(?:.*\S)?)\s*+$")


def _task_yaml(folder: Folder, path: str, problems: list[Problem]) -> dict[str, str]:
    """The plain `key: value` lines of a SWE-bench task.yaml; lists and blocks are not needed."""
    found: dict[str, str] = {}
    for line in _text_in(folder, "task.yaml", path, problems).splitlines():
        match = _YAML_LINE.match(line)
        if match is not None:
            value = match[2]
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
            plain = value[1:-1] if quoted else re.sub(r"\s#.*$", "", value)
            found.setdefault(match[1], clean_text(plain))
    return found


def _mirrors(folder: Folder, name: str, path: str, problems: list[Problem]) -> list[str]:
    """Repositories that an instruction names."""
    text = _text_in(folder, name, path, problems, "so repositories that it names are unknown")
    return [repo for repo in map(_repo, _MIRROR.findall(text)) if repo]


def _text_in(folder: Folder, name: str, path: str, problems: list[Problem], lost: str = "") -> str:
    """The text of a file of a task; empty if there is none, or if it cannot be read."""
    try:
        if folder.has_file(name):
            return folder.read(name, MAX_TEXT).decode("utf-8-sig", errors="replace")
    except OSError as error:
        reason = f"cannot be read{lost and f', {lost}'}: {error}"
        problems.append(Problem(_below(path, name), "unreadable", reason))
    return ""


def _below(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _text(value: Any) -> str | None:
    return clean_text(value.strip()) if isinstance(value, str) and value.strip() else None


def _repos(value: Any) -> list[str]:
    """The repositories in a `repo` value, which may hold several, separated by commas."""
    names = value.split(",") if isinstance(value, str) else []
    return [repo for repo in map(_repo, names) if repo]


def _repo(value: Any) -> str | None:
    """A repository's name, without scheme, `.git` and slashes at the end."""
    if not isinstance(value, str):
        return None
    name = clean_text(value.strip())
    if "://" in name:
        name = re.sub(r"^[a-z+]+://(?:[^/@]*@)?", "", name)
    if name.startswith("git@"):
        name = re.sub(r"^git@([^:/]+):", r"\1/", name)
    name = name.rstrip("/").removesuffix(".git")
    return None if is_placeholder(name) else name
