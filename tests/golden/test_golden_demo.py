"""The demo's documents and reports are the same as before: nobody changes a number unnoticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.made import FOLDER, results

KEPT = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return results(tmp_path_factory.mktemp("golden"))


def test_the_demo_writes_the_files_that_are_kept(made: dict[str, bytes]) -> None:
    assert sorted(made) == KEPT, "run `make golden` and read the difference"


@pytest.mark.parametrize("name", KEPT)
def test_a_file_of_the_demo_is_as_kept(name: str, made: dict[str, bytes]) -> None:
    """Line by line, so that the first difference is shown; `make golden` accepts all of them."""
    now = made[name].decode().splitlines()
    kept = Path(FOLDER, name).read_bytes().decode().splitlines()
    for number, (new, old) in enumerate(zip(now, kept, strict=False), 1):
        assert new == old, f"{name}:{number} changed; run `make golden` and read the difference"
    assert len(now) == len(kept)
