"""Writes the golden files again: `python -m tests.golden.update`, or `make golden`.

Digests of documents of real trials are written again where the trials are at hand.

Look at the difference before you keep it: if a number changed, the changelog must say why.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import tempfile
from pathlib import Path

from tests.golden import digests
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
    _update_digests()


def _update_digests() -> None:
    lines: list[str] = []
    for name, (variable, _, _) in digests.RUNS.items():
        if variable in digests.folders():
            with tempfile.TemporaryDirectory() as folder:
                lines += digests.made(name, Path(folder))
        else:
            lines += digests.kept(name)
    digests.FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} digests written to {digests.FILE.name}")


if __name__ == "__main__":
    main()
