"""Names of traces are compared as `fnmatch` compares them."""

from __future__ import annotations

from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from groundtrace.traces.kit.trial_files import TrialFiles

NAMES = st.text("ab.*?[]", min_size=1, max_size=5)


@given(st.lists(NAMES, max_size=3), NAMES)
def test_a_name_fits_where_fnmatch_says_so(globs: list[str], name: str) -> None:
    below = TrialFiles([f"p/{glob}" for glob in globs])
    wanted = any(fnmatchcase(name, glob) for glob in globs if glob != "**")
    if "**" not in globs:
        assert below.is_file(name, "p") is wanted
    assert TrialFiles(globs).is_file(name) is any(fnmatchcase(name, glob) for glob in globs)
    assert below.is_parent("p") is bool(globs) and not below.is_parent("p2")


def test_a_folder_with_a_star_is_compared_too() -> None:
    files = TrialFiles(["agent*/run-*.json"])
    assert files.is_file("run-1.json", "agent_2") and files.is_parent("agent_2")
    assert not files.is_file("run-1.json", "other") and not files.is_file("run-.jso", "agent")
    assert not files.is_file("run-json", "agent")
