"""Write the extraction table of docs/validity.md anew from the labels of real trials.

GROUNDTRACE_CORPUS=FOLDER python docs/update_figures.py
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validity.md"
_PLACE = re.compile(
    r"(<!-- extraction: begin -->\n```text\n)(.*?)(```\n<!-- extraction: end -->)", re.DOTALL
)


def measured(corpus: Path) -> str:
    """What the benchmark prints."""
    command = [sys.executable, "benchmarks/extraction.py", str(corpus / "labels.jsonl"), "--shell"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def shown() -> str:
    """What the page shows."""
    found = _PLACE.search(PAGE.read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"{PAGE}: no place for the table")
    return found[2]


def main() -> int:
    """The exit code."""
    corpus = os.environ.get("GROUNDTRACE_CORPUS")
    if not corpus:
        print("GROUNDTRACE_CORPUS names no folder of real trials", file=sys.stderr)
        return 2
    text = PAGE.read_text(encoding="utf-8")
    fresh = measured(Path(corpus))
    PAGE.write_text(_PLACE.sub(lambda m: m[1] + fresh + m[3], text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
