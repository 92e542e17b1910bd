"""A world for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adversarial.worlds import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.good()
    return made
