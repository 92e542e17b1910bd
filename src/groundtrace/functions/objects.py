"""Objects of a git repository, read by one process of git that knows nothing else of it (D217).

git works in an empty repository of its own and only takes the objects from the other one. So nothing
in that repository's configuration, hooks, attributes, references or remotes is ever read, and a
missing object is missing: it is not fetched. What remains are alternates, which let a folder of
objects lead to another one; they are followed only inside of the folders that the user named.
"""

from __future__ import annotations

import contextlib
import select
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from groundtrace.base.given_files import read_given
from groundtrace.base.patterns import regex
from groundtrace.base.visible import visible
from groundtrace.errors import InputError
from groundtrace.truth.git_history import TIME_LIMIT, GitError, bound, git_command, git_environment

if TYPE_CHECKING:
    import subprocess

_MAX_LINES = 65_536
"""Bytes of a file of git that names other folders."""

OBJECT_ID = regex(r"[0-9a-f]{7,64}")

_CONFIG = (
    "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = {}\n"
)


class ObjectInfo(NamedTuple):
    """What git says of an object before its contents."""

    id: str
    kind: str
    size: int


class Objects:
    """One process of `git cat-file --batch-command`, started when it is first asked."""

    def __init__(self, folder: Path, *, sha256: bool = False) -> None:
        self.folder = folder
        self._sha256 = sha256
        self._process: subprocess.Popen[bytes] | None = None

    def info(self, name: str) -> ObjectInfo | None:
        """Kind and size of an object; None if git does not have it, or this cannot be its name."""
        if OBJECT_ID.fullmatch(name) is None:
            return None
        return self._asked("info", name)[0]

    def contents(self, name: str, limit: int) -> bytes | None:
        """The contents of an object; None if git does not have it, or it is larger than `limit`."""
        info = self.info(name)
        if info is None or info.size > limit:
            return None
        return self._asked("contents", info.id)[1]

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            process.wait()

    def _asked(self, command: str, name: str) -> tuple[ObjectInfo | None, bytes]:
        process = self._process or self._started()
        try:
            found = _answer(process, f"{command} {name}\n".encode("ascii"), command == "contents")
        except BaseException:
            # Whatever happened, the rest of this answer would be taken for the next one.
            self.close()
            raise
        return found

    def _started(self) -> subprocess.Popen[bytes]:
        import subprocess
        import tempfile

        with tempfile.TemporaryDirectory(prefix="groundtrace-git-") as own:
            empty = Path(own)
            (empty / "refs").mkdir()
            (empty / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
            kind = "sha256" if self._sha256 else "sha1"
            (empty / "config").write_text(_CONFIG.format(kind), encoding="ascii")
            environment = git_environment() | {
                "GIT_DIR": own,
                "GIT_OBJECT_DIRECTORY": str(self.folder),
                "GIT_CONFIG_GLOBAL": "/dev/null",
            }
            try:
                process = subprocess.Popen(
                    [*git_command(), "cat-file", "--batch-command"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=environment,
                    cwd=own,
                )
            except FileNotFoundError:
                raise GitError("git is not installed") from None
            bound(process.pid)
            self._process = process
            # git has read its own folder when it answers; then the folder can go.
            self._asked("info", "0" * (64 if self._sha256 else 40))
        return process


def _answer(
    process: subprocess.Popen[bytes], request: bytes, whole: bool
) -> tuple[ObjectInfo | None, bytes]:
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(request)
        process.stdin.flush()
        if not _is_ready(process.stdout):
            raise GitError(f"git took more than {TIME_LIMIT:g} seconds for an object")
        words = process.stdout.readline().split()
        if len(words) != 3:
            if len(words) == 2:  # `… missing`, `… ambiguous`
                return None, b""
            raise GitError("git stopped while it read objects")
        info = ObjectInfo(words[0].decode("ascii"), words[1].decode("ascii"), int(words[2]))
        data = b""
        if whole:
            data = process.stdout.read(info.size + 1)[:-1]
            if len(data) != info.size:
                raise GitError("git stopped while it read an object")
    except (OSError, ValueError) as error:
        raise GitError(f"git cannot be asked for objects: {error}") from None
    return info, data


def _is_ready(stream: IO[bytes]) -> bool:
    """Whether an answer begins in time. A timer's thread for each request took longer than git."""
    if not hasattr(select, "poll"):  # Windows
        return True
    waiting = select.poll()
    waiting.register(stream, select.POLLIN)
    return bool(waiting.poll(TIME_LIMIT * 1000))


# --- which folder holds the objects -----------------------------------------------------------


class OutsideError(GitError):
    """A repository leads to a folder that the user did not name."""


def objects_folder(repository: Path, inside: Sequence[Path] | None) -> Path | None:
    """The folder of a repository's objects; None if the folder is no repository.

    `inside` are the folders that links and alternates may lead to, beside the repository itself;
    None for any. Raises OutsideError if they lead elsewhere.
    """
    repository = repository.resolve()
    allowed = None if inside is None else [repository, *(folder.resolve() for folder in inside)]
    git = _git_folder(repository, allowed)
    if git is None:
        return None
    common = _line_of(git / "commondir")
    if common is not None:
        git = _within(git / common, allowed)
    objects = git / "objects"
    if not (objects.is_dir() and (git / "HEAD").exists()):
        return None
    objects = _within(objects, allowed)
    _check_alternates(objects, allowed)
    return objects


def _git_folder(repository: Path, allowed: Sequence[Path] | None) -> Path | None:
    marker = repository / ".git"
    if marker.is_dir():
        return _within(marker, allowed)
    if not marker.is_file():
        return repository
    line = _line_of(marker)
    if line is None or not line.startswith("gitdir:"):
        return None
    return _within(repository / line.removeprefix("gitdir:").strip(), allowed)


def _within(folder: Path, allowed: Sequence[Path] | None) -> Path:
    try:
        folder = folder.resolve()
    except (ValueError, RuntimeError, OSError) as error:  # a NUL in a name, a loop of links
        raise OutsideError("it names a folder that cannot be") from error
    if allowed is not None and not any(folder.is_relative_to(one) for one in allowed):
        raise OutsideError(f"it leads to {visible(str(folder))}, outside of the folders given")
    return folder


def _check_alternates(objects: Path, allowed: Sequence[Path] | None) -> None:
    waiting, seen = [objects], {objects}
    while waiting:
        here = waiting.pop()
        file = here / "info" / "alternates"
        if not file.exists():
            continue
        try:
            text = read_given(file, _MAX_LINES)
        except InputError as error:
            raise OutsideError("it has alternates that cannot be read") from error
        for line in text.decode("utf-8", errors="surrogateescape").split("\n"):
            if not line or line.startswith("#"):
                continue
            if line.startswith('"'):
                raise OutsideError("it has alternates with a quoted name")
            other = _within(here / line, allowed)
            if other not in seen:
                seen.add(other)
                waiting.append(other)


def _line_of(file: Path) -> str | None:
    try:
        text = read_given(file, _MAX_LINES).decode("utf-8", errors="surrogateescape")
    except InputError:
        return None
    return text.partition("\n")[0].rstrip("\r") or None
