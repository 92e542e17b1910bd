"""Clones at `/code/<owner>/<repo>`: no known root lies above them."""

from __future__ import annotations

import pytest

from groundtrace.model import FileRef, GroundTruth, Task, TruthFile
from groundtrace.paths import Resolver


@pytest.mark.parametrize("cwd", [None, "/home/agent"])
def test_a_clone_below_its_owner_is_the_repository(cwd: str | None) -> None:
    """Eight solved tasks had a recall of 0: their files counted as outside of the repository."""
    path = "heron/nest/egg.py"
    entry = TruthFile(path, path, None)
    refs = [
        FileRef(f"/code/heron/heron/{path}", "read"),
        FileRef("/tmp/try.py", "written"),
    ]
    resolver = Resolver(
        truth=GroundTruth(files=(entry,)),
        task=Task("heron__heron-1", "suite", None, repos=("heron/heron",)),
        refs=refs,
        cwd=cwd,
    )
    found = [resolver.resolve(ref) for ref in refs]
    assert found[0] is not None and found[1] is not None
    assert (found[0].file, found[0].truth) == (path, entry)
    assert (found[1].file, found[1].truth) == ("/tmp/try.py", None)
