"""Writes the golden files again: `python -m tests.golden.update`, or `make golden`.

Look at the difference before you keep it: if a number changed, the changelog must say why.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import tempfile
from pathlib import Path

from tests.golden.made import FOLDER, results


def main() -> None:
    """Replace the golden files by what the demo gives now."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        made = results(Path(folder))
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, data in made.items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    print(f"{len(made)} files written below {FOLDER}")


if __name__ == "__main__":
    main()
