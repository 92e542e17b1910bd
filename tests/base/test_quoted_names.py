"""Names in C quotes, with git as the oracle."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.base.quoted_names import unquote, without_quotes


@pytest.mark.parametrize(
    "name", ["été.md", 'a"b.py', "tab\there", "back\\slash", "日本.txt", "é à"]
)
def test_git_names_are_decoded(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    listed = subprocess.run(
        ["git", "ls-files", "--others"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert without_quotes(listed.stdout.removesuffix("\n")) == name


@given(st.text(st.characters(codec="ascii", exclude_characters='"\\'), min_size=1))
def test_a_plain_name_stays(name: str) -> None:
    assert without_quotes(name) == name
    assert unquote(name) == name
