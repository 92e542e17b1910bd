"""Writing tables: CSV without extras, Parquet through duckdb. One trial at a time in memory.

duckdb is imported when used, with access only to its own tables.
"""

from __future__ import annotations

import csv
import importlib
import io
import os
import tempfile
from collections.abc import Callable, Container, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from groundtrace.base.visible import visible
from groundtrace.documents.impact import ImpactDocument
from groundtrace.errors import MissingExtraError
from groundtrace.rows.trial_row import Detail
from groundtrace.tables.analysis import ALL_TABLES, ANALYSIS_TABLES, analysis_rows
from groundtrace.tables.columns import SQL_TYPES, TABLES
from groundtrace.tables.flat_rows import flat_rows

_MEMORY = "400MB"
"""What duckdb may keep of its tables in memory; the rest lies in the scratch folder. Its own limit
is 80 % of the machine's memory."""


def connect(scratch: Path) -> Any:
    """A database in a scratch folder, so that large tables go to disk."""
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError as error:
        raise MissingExtraError("SQL or Parquet", "tables") from error
    database = duckdb.connect(str(scratch / "tables.duckdb"))
    database.execute(f"SET temp_directory = {quoted(str(scratch))}")
    database.execute(f"SET memory_limit = {quoted(_MEMORY)}")
    # After two seconds it prints one to stdout, where `--json` and CSV go.
    database.execute("SET enable_progress_bar = false")
    database.execute("SET autoinstall_known_extensions = false")
    database.execute("SET autoload_known_extensions = false")
    return database


def close_off(database: Any) -> None:
    """After this call nothing outside the database can be read, written or loaded."""
    database.execute("SET enable_external_access = false")
    database.execute("SET lock_configuration = true")


def quoted(text: str) -> str:
    """A string literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def error_type() -> type[BaseException]:
    """What duckdb raises for a query that is wrong."""
    error: type[BaseException] = importlib.import_module("duckdb").Error
    return error


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""First characters that make a spreadsheet read a cell as a formula."""


def write_csv(
    details: Iterable[Detail], folder: Path, analysis: ImpactDocument | None = None
) -> list[Path]:
    """Every table as `<table>.csv`."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {table: folder / f"{table}.csv" for table in ALL_TABLES}
    with ExitStack() as stack:
        writers = {}
        for table, path in paths.items():
            stream = stack.enter_context(WholeFile(path))
            writers[table] = csv.writer(stream, lineterminator="\n")
            writers[table].writerow([column.name for column in ALL_TABLES[table]])
        for detail in details:
            for table in TABLES:
                writers[table].writerows(map(_csv_row, flat_rows(table, detail)))
        for table in ANALYSIS_TABLES:
            writers[table].writerows(map(_csv_row, analysis_rows(table, analysis)))
    return list(paths.values())


def _csv_row(row: Iterable[Any]) -> list[Any]:
    return [csv_cell(value) for value in row]


def csv_cell(value: Any) -> Any:
    """A value as a cell that no spreadsheet reads as a formula, and that no terminal obeys.

    A bare carriage return was written without quotes: readers took what followed for a row.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return "" if value is None else value
    text = visible(value, keep="\n\t")
    return f"'{text}" if value.startswith(_FORMULA) else text


class WholeFile:
    """A text file that appears when it is complete, or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")

    def __enter__(self) -> io.TextIOWrapper:
        # Mode "x" makes a new file: an existing link would lead to another file.
        self.stream = self.temporary.open("x", encoding="utf-8", newline="")
        return self.stream

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self.stream.close()  # on a full disk this can fail too
            if kind is None:
                self.temporary.replace(self.path)
        finally:
            self.temporary.unlink(missing_ok=True)


_ROW_GROUP = 20_480
"""Rows of a Parquet file that are in memory at once, for each processor."""


def write_parquet(
    details: Iterable[Detail], folder: Path, analysis: ImpactDocument | None = None
) -> list[Path]:
    """Every table as `<table>.parquet`."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as scratch,
        tempfile.TemporaryDirectory(dir=folder, prefix=".groundtrace-") as beside,
        connect(Path(scratch)) as database,
    ):
        lines = write_json_lines(details, Path(scratch), analysis)
        paths = []
        for table, source in lines.items():
            path = folder / f"{table}.parquet"
            temporary = Path(beside) / path.name
            database.execute(
                f"COPY (SELECT * FROM {json_lines_table(table, source)}) "
                f"TO {quoted(str(temporary))} (FORMAT parquet, ROW_GROUP_SIZE {_ROW_GROUP})"
            )
            temporary.replace(path)
            paths.append(path)
    return paths


def write_json_lines(
    details: Iterable[Detail],
    folder: Path,
    analysis: ImpactDocument | None = None,
    tables: Container[str] = ALL_TABLES,
) -> dict[str, Path]:
    """Tables as lines of JSON, for duckdb to read."""
    paths = {table: folder / f"{table}.jsonl" for table in ALL_TABLES if table in tables}
    encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode
    with ExitStack() as stack:
        streams = {table: stack.enter_context(path.open("wb")) for table, path in paths.items()}
        names = {table: [c.name for c in columns] for table, columns in ALL_TABLES.items()}

        def put(table: str, rows: Iterable[tuple[Any, ...]]) -> None:
            for row in rows:
                streams[table].write(encode(dict(zip(names[table], row, strict=True))) + b"\n")

        of_trials = [table for table in TABLES if table in tables]
        for detail in details if of_trials else ():
            for table in of_trials:
                put(table, flat_rows(table, detail))
        for table in ANALYSIS_TABLES:
            if table in tables:
                put(table, analysis_rows(table, analysis))
    return paths


def json_lines_table(table: str, path: Path) -> str:
    """The SQL that reads such lines with the table's own types."""
    columns = ", ".join(
        f"{quoted(column.name)}: {quoted(SQL_TYPES[column.type])}" for column in ALL_TABLES[table]
    )
    return f"read_json({quoted(str(path))}, format = 'newline_delimited', columns = {{{columns}}})"
