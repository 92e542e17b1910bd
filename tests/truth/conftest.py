"""A repository, and a folder of sessions, for tests of own commits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.truth.own_sessions import Repository, Sessions


@pytest.fixture
def heron(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "heron")
    repository.commit("08:00", "nest.py", "wing.py", "egg.py", "src/pond.py")
    return repository


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(tmp_path / "sessions")
