"""Folders of containers that are repositories by convention, whatever the task says.

| folder | who |
|---|---|
| `/testbed` | SWE-bench images |
| `/<owner>__<repo>[__<version>]`, `/workspace/<owner>__<repo>[__<version>]` | SWE-agent, OpenHands |
| `/code/<owner>/<repo>` | several others |
"""

from __future__ import annotations

from collections.abc import Iterable

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex

_NAME = r"[A-Za-z0-9][\w.-]{0,99}?"
_JOINED = regex(rf"({_NAME})__({_NAME})(?:__([\w.-]{{1,200}}))?")
_CLONE = regex(
    rf"(/(?:workspace/)?({_NAME}__[\w.-]{{1,200}}+)|/code/({_NAME}/[\w.-]{{1,200}}+))(?=/)"
)
_TESTBED = "/testbed"


class Clone(Frozen, frozen=True):
    """A folder of a container that is a clone of a repository."""

    folder: str
    """Its path."""
    repo: str | None
    """Owner and name, if the folder's name has them."""


def joined_name(name: str) -> str | None:
    """`owner/repo` for a folder that joins them: `cli__cli__0.1` is `cli/cli`."""
    found = _JOINED.fullmatch(name)
    return None if found is None else f"{found[1]}/{found[2]}"


def may_name_repos(paths: Iterable[str]) -> list[str]:
    """The paths that may lie in a clone whose folder has the repository's name.

    It looks for plain text only: all paths of every trial come here, and few are in such a folder.
    """
    return [path for path in paths if "__" in path or path.startswith("/code/")]


def clone_of(path: str) -> Clone | None:
    """The clone that a path of a container lies in, if its folders show that."""
    if path == _TESTBED or path.startswith(f"{_TESTBED}/"):
        return Clone(_TESTBED, None)
    found = _CLONE.match(path)
    if found is None:
        return None
    repo = found[3] or joined_name(found[2])
    return None if repo is None else Clone(found[1], repo)
