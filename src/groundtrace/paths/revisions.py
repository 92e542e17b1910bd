"""Which revision of a repository a name states, and whether two of them can be the same (D49)."""

from __future__ import annotations

from collections.abc import Iterable

from groundtrace.base.patterns import regex
from groundtrace.paths.repos import short_repo

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
