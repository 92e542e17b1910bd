"""Name the actions of a workflow by the hash of their commit, as the site says it is now.

`make pins` asks `git ls-remote` for each `owner/name@tag` and writes `owner/name@HASH # tag`. A line
that has a hash already is asked for again by its tag: a hash that is another one now stops the
command, because then the tag was moved, or the hash was never right.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SITE = "https://github.com/"
_USES = re.compile(
    r"(?P<uses>uses: (?P<action>[\w.-]+/[\w.-]+)(?:/[\w./-]+)?@)(?P<at>[\w.-]+)(?: # (?P<tag>\S+))?"
)
_HASH = re.compile(r"[0-9a-f]{40}")


class MovedError(Exception):
    """A tag has another commit than the one that was written down."""


def commit_of(action: str, tag: str) -> str:
    """The commit of a tag; of an annotated tag the commit that it names."""
    refs = (f"refs/tags/{tag}", f"refs/tags/{tag}^{{}}")
    asked = ["git", "ls-remote", "--exit-code", f"{SITE}{action}", *refs]
    answer = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    found = dict(reversed(line.split("\t")) for line in answer.splitlines())
    return found.get(refs[1]) or found[refs[0]]


def pinned(workflow: str) -> str:
    """The workflow with a hash for each tag; raises MovedError."""

    def with_hash(uses: re.Match[str]) -> str:
        at, tag = uses["at"], uses["tag"]
        is_hash = _HASH.fullmatch(at) is not None
        if is_hash and tag is None:
            return uses[0]
        tag = tag if is_hash else at
        commit = commit_of(uses["action"], tag)
        if is_hash and commit != at:
            raise MovedError(f"{uses['action']}: {tag} is {commit}, and not {at}")
        return f"{uses['uses']}{commit} # {tag}"

    return _USES.sub(with_hash, workflow)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(pinned(path.read_text(encoding="utf-8")), encoding="utf-8")
