"""Print requirements with hashes from a report of pip, for `pip install --require-hashes -r FILE`.

`make hashes` asks pip what it would install here and prints its answer. The hashes are those of the
files that pip chose, so they hold for one system and one version of Python.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def requirements(report: dict[str, Any]) -> Iterator[str]:
    """A line for each package that comes from an index; the folder itself has no hash."""
    for item in report["install"]:
        hashes = item["download_info"].get("archive_info", {}).get("hashes", {})
        if "sha256" in hashes:
            found = item["metadata"]
            yield f"{found['name']}=={found['version']} --hash=sha256:{hashes['sha256']}"


if __name__ == "__main__":
    data = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print("\n".join(sorted(requirements(data), key=str.casefold)))
