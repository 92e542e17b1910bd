"""The page on design names files, tables and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import groundtrace

PACKAGE = Path(groundtrace.__file__).parent
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/design.md").read_text(encoding="utf-8")
QUOTED = re.findall(r"`([^`\n]+)`", PAGE)


def test_every_file_and_folder_on_the_page_exists() -> None:
    named = {one for one in QUOTED if re.fullmatch(r"[\w./-]+(?:/|\.py|\.toml|\.yml)", one)}
    named |= {one for one in QUOTED if one.startswith("tests/")}
    assert len(named) > 50
    missing = [one for one in named if not ((PACKAGE / one).exists() or (ROOT / one).exists())]
    assert missing == []


def test_every_table_that_the_page_names_is_in_its_file() -> None:
    told = re.findall(r"`(\w+)` (?:of|in) `([\w./]+\.(?:py|yml))`", PAGE)
    assert len(told) > 10
    wrong = []
    for name, file in told:
        path = PACKAGE / file if (PACKAGE / file).exists() else ROOT / file
        if not re.search(rf"^(?:def |class )?{name}\b", path.read_text("utf-8"), re.MULTILINE):
            wrong.append((name, file))
    assert wrong == []


def test_the_map_names_every_package() -> None:
    map_of_code = PAGE.partition("## The map")[2].partition("```\n")[0]
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert [name for name in sorted(packages) if f"{name}/" not in map_of_code] == []
