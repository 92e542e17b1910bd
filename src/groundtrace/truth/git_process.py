"""Running git in a repository that is not trusted (D97).

A repository's own configuration can name programs: external diffs, text converters, monitors,
hooks, transports. None of them may run here. So git gets settings that override the repository's,
an empty list of allowed transports, an environment without the caller's `GIT_` variables, a time
limit and an output limit.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence

from groundtrace.base.visible import visible
from groundtrace.errors import InputError

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
    command = ["git", "--no-pager", "--no-replace-objects"]
    for setting in _SETTINGS:
        command += ["-c", setting]
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                [*command, "-C", repo, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=_environment(),
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


def _environment() -> dict[str, str]:
    """The caller's variables without git's: in a git hook, GIT_DIR names another repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, **_ENVIRONMENT}


def _said(errors: bytes) -> str:
    lines = errors.decode("utf-8", errors="replace").strip().splitlines()
    return visible(lines[0].removeprefix("fatal: ")) if lines else "git failed without a message"
