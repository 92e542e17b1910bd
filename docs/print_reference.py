"""Print the reference pages and the JSON Schemas from the code they describe.

python docs/print_reference.py            write what has changed
python docs/print_reference.py --check    exit 1 with the names of stale files; write nothing
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from api_page import api
from reference_pages import PAGES

from groundtrace.documents import KINDS
from groundtrace.documents.schema import render

ROOT = Path(__file__).resolve().parents[1]
NOTICE = "<!-- Printed by `python docs/print_reference.py`; do not edit. -->"


def printed() -> Iterator[tuple[Path, str]]:
    """Every printed file with its text."""
    for name, make in {**PAGES, "api.md": api}.items():
        yield ROOT / "docs" / "reference" / name, f"{NOTICE}\n\n{make()}"
    for kind in KINDS:
        yield ROOT / "schemas" / f"{kind}_schema.json", render(kind)


def stale() -> list[tuple[Path, str]]:
    """Files that are missing or differ from what the code prints."""
    return [
        (path, text)
        for path, text in printed()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def main(arguments: list[str]) -> int:
    """Write or check; the exit code."""
    changed = stale()
    for path, text in changed:
        name = path.relative_to(ROOT)
        if "--check" in arguments:
            print(f"{name} is stale; run python docs/print_reference.py", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return 1 if changed and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
