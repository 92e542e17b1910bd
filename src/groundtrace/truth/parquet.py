"""Rows of a Parquet file, a few at a time, through DuckDB (extra `tables`)."""

from __future__ import annotations

import importlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from groundtrace.errors import MissingExtraError
from groundtrace.model import Problem
from groundtrace.storage import Folder, LocalFolder

_ROWS = "read_parquet(?, hive_partitioning = false)"
BATCH = 256
"""Rows in memory at a time."""


def parquet_rows(
    folder: Folder, name: str, columns: Sequence[str], problems: list[Problem]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows, with the requested columns that the file has; a damaged file is a problem."""
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError as error:
        raise MissingExtraError(f"reading tasks from {name}", "tables") from error
    with tempfile.TemporaryDirectory(prefix="groundtrace-") as scratch:
        try:
            path = _on_disk(folder, name, Path(scratch))
            with duckdb.connect(":memory:") as database:
                database.execute("SET autoinstall_known_extensions = false")
                database.execute("SET threads = 1")
                described = database.execute(
                    f"SELECT * FROM {_ROWS} LIMIT 0", [str(path)]
                ).description
                there = [item[0] for item in described if item[0] in columns]
                if not there:
                    reason = f"it has none of the columns {', '.join(columns)}"
                    problems.append(Problem(name, "bad_task", reason))
                    return
                wanted = ", ".join(f'"{column}"' for column in there)
                found = database.execute(f"SELECT {wanted} FROM {_ROWS}", [str(path)])
                number = 0
                while rows := found.fetchmany(BATCH):
                    for row in rows:
                        number += 1
                        yield number, dict(zip(there, row, strict=True))
        except (OSError, duckdb.Error) as error:
            reason = f"cannot be read as Parquet: {str(error).splitlines()[0]}"
            problems.append(Problem(name, "unreadable", reason))


def _on_disk(folder: Folder, name: str, scratch: Path) -> Path:
    """The file under a name that DuckDB takes literally.

    It reads `tasks[AB].parquet` as a pattern, and takes columns from folders like `patch=none`. A
    file in an object store is copied.
    """
    path = scratch / "tasks.parquet"
    if isinstance(folder, LocalFolder):
        folder.open(name).close()
        try:
            path.symlink_to((folder.path / name).resolve())
            return path
        except OSError:
            pass  # not every system lets every user make links
    with folder.open(name) as stream, path.open("wb") as copy:
        shutil.copyfileobj(stream, copy)
    return path
