"""Run every example of README.md and the pages, and write what they print now.

python docs/update_examples.py [PAGE…]    exit 1 when an example does not run
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from examples import ROOT, CommandFailedError, pages, run_page, updated


def main(arguments: list[str]) -> int:
    """Update the pages named, or all; the exit code."""
    wanted = [Path(argument).resolve() for argument in arguments] or pages()
    failed = 0
    for path in wanted:
        text = path.read_text(encoding="utf-8")
        try:
            with tempfile.TemporaryDirectory() as folder:
                fresh = updated(text, run_page(path, Path(folder)))
        except CommandFailedError as error:
            print(f"{path.relative_to(ROOT)}: {error}", file=sys.stderr)
            failed = 1
            continue
        if fresh != text:
            path.write_text(fresh, encoding="utf-8")
            print(f"updated {path.relative_to(ROOT)}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
