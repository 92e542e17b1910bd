"""Entry points are found wherever `importlib.metadata` finds them, and it is loaded only then."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from groundtrace.base.entry_points import entry_points

GROUP = "groundtrace.test_group"
TEXT = f"[other]\na = b:c\n\n[{GROUP}]\nmine = package.module:Reader\n"
METADATA = "Metadata-Version: 2.1\nName: other\nVersion: 1.5\n"


def names(group: str = GROUP) -> list[tuple[str, str]]:
    found = [(point.name, point.value) for point in entry_points(group=group)]
    assert found == [(p.name, p.value) for p in metadata.entry_points(group=group)]
    return found


def test_there_are_none() -> None:
    assert names() == []


@pytest.mark.parametrize(
    "folder", ["other-1.5.dist-info", "other-1.5.egg-info", "other.egg/EGG-INFO"]
)
def test_a_package_in_a_folder(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / folder
    place.mkdir(parents=True)
    for name in ("METADATA", "PKG-INFO"):
        (place / name).write_text(METADATA)
    (place / "entry_points.txt").write_text(TEXT)
    monkeypatch.syspath_prepend(str(place.parent))
    assert names() == [("mine", "package.module:Reader")]
    (point,) = entry_points(group=GROUP)
    assert point.dist is not None
    assert point.dist.version == "1.5"


def test_a_package_in_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "packages.zip", "w") as archive:
        archive.writestr("other-1.5.dist-info/METADATA", METADATA)
        archive.writestr("other-1.5.dist-info/entry_points.txt", TEXT)
    monkeypatch.syspath_prepend(str(tmp_path / "packages.zip"))
    assert names() == [("mine", "package.module:Reader")]


def test_packages_that_only_a_finder_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    class Finder:
        def find_spec(self, *_: object) -> None:
            return None

        def find_distributions(self, *_: object) -> list[metadata.Distribution]:
            return [Package()]

    class Package(metadata.Distribution):
        def read_text(self, filename: str) -> str | None:
            return {"entry_points.txt": TEXT, "METADATA": METADATA}.get(filename)

        def locate_file(self, path: object) -> Path:
            return Path(str(path))

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert names() == [("mine", "package.module:Reader")]


def test_without_such_a_package_the_module_is_not_loaded() -> None:
    program = f"""
import sys
from groundtrace.base.entry_points import entry_points
print(len(entry_points(group={GROUP!r})), "importlib.metadata" in sys.modules)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["0", "False"]
