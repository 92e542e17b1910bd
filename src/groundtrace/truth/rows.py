"""Data sets as task definitions: one task per row, in JSONL, JSON or Parquet.

A row names its task (`instance_id`, `task` or `id`; `original_inst_id` comes first if present,
because traces use it), its repository and commit, and its truth as text. A row that cannot be used
is a problem with its place; the other rows count.
"""

from __future__ import annotations

import importlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from groundtrace.base.jsonio import BadJsonError, clean_text, loads, name_text
from groundtrace.base.jsonl import read_lines
from groundtrace.base.patterns import regex
from groundtrace.base.values import known
from groundtrace.errors import MissingExtraError
from groundtrace.model import Problem, Task, TaskRow
from groundtrace.storage import Folder, LocalFolder, TooLargeError
from groundtrace.truth.entries import shown

SUFFIXES = (".jsonl", ".json", ".parquet")
"""Files that hold tasks as rows."""

NAMES = ("original_inst_id", "instance_id", "task", "task_id", "id")
"""Columns that name a task; the first is its name, the others are aliases."""
CONTEXTS = ("gold_context", "snippets", "files")
"""Columns that list relevant files, best first."""
COLUMNS = (*NAMES, *CONTEXTS, "repo", "base_commit", "patch", "test_patch", "difficulty")

MAX_JSON = 512 * 1024 * 1024
"""A JSON file is decoded as a whole; a larger data set should be JSONL or Parquet."""
MAX_NAME = 512
_PARQUET = "read_parquet(?, hive_partitioning = false)"
_NUMBERED = "read_parquet(?, hive_partitioning = false, file_row_number = true)"
_BETWEEN = "WHERE file_row_number >= ? AND file_row_number < ?"
"""Not `LIMIT`: DuckDB would keep the texts to count them."""
PARQUET_MEMORY = "256MB"
"""What DuckDB may use: a file of 29 kB with one cell of 900 MB took 2.6 GB."""
PARQUET_SECONDS = 120.0
"""Seconds by the clock after which DuckDB is interrupted."""
MAX_ROWS = 200_000
"""Most rows of a file. The largest data sets have tens of thousands; a million tasks take 800 MB."""
MOST_PROBLEMS = 10_000
"""Problems that are named: ten million rows without a name took 500 MB."""
MAX_TEXT = 128 * 1024 * 1024
MAX_RATIO = 6
"""Characters that the rows of a Parquet file may hold, and times its size that a larger one may:
repeated text takes hardly any room in the file, and all of its length in memory."""
MAX_LEVELS = 8
"""Most lists and structs in each other in a column that is read. DuckDB takes twice as long for each
level, and nothing interrupts it: a file of 3 kB with 60 levels took 22 GB."""
MAX_BATCH = 32 * 1024 * 1024
"""Characters of the rows that DuckDB gives at once. Its limit of memory does not count them, and it
copies 2,048 rows together: 2,000 rows of a million equal letters each, 10 kB of a file, took 2 GB."""
BATCH = 64
"""Rows of a Parquet file in memory at a time."""

_INSTANCE = regex(r"([A-Za-z0-9][\w.-]{0,99}?)__([A-Za-z0-9][\w.-]{0,99}?)-\d{1,9}")


def read_task_rows(folder: Folder, name: str, problems: list[Problem]) -> Iterator[Task]:
    """The tasks of a data file, each name once; of rows with one name, the first counts."""
    seen: dict[str, int] = {}
    stem = name_text(name.rpartition(".")[0])
    for number, row in _rows(folder, name, problems):
        task, why = _task(row, stem, name, number)
        if number > MAX_ROWS:
            reason = f"more than {MAX_ROWS:,} rows; the others are not read"
            problems.append(Problem(name, "too_large", reason))
            break
        if task is None:
            _note(problems, Problem(name, "bad_task", f"row {number}: {why}", line=number))
            continue
        first = seen.setdefault(task.name.casefold(), number)
        if first != number:
            reason = f"{shown(task.name)} occurs twice; row {first} counts"
            _note(problems, Problem(name, "duplicate_task", reason, line=number))
            continue
        yield task
    if not seen and not problems:
        problems.append(Problem(name, "empty_file", "no task in it"))


def memory_of(name: str, size: int) -> int | None:
    """The size of a data file, by which the memory of its reading is limited; None for Parquet.

    DuckDB keeps its own limit. The system's, which counts reserved memory too, ended the whole
    program in it, without a message, on a good file of 20,000 tasks.
    """
    return None if name.casefold().endswith(".parquet") else size


def _note(problems: list[Problem], problem: Problem) -> None:
    if len(problems) < MOST_PROBLEMS:
        problems.append(problem)
    elif len(problems) == MOST_PROBLEMS:
        reason = f"more than {MOST_PROBLEMS:,} rows with a problem; the others are not named"
        problems.append(Problem(problem.file, "too_large", reason))


def _rows(folder: Folder, name: str, problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    if name.casefold().endswith(".parquet"):
        yield from _parquet_rows(folder, name, problems)
    elif name.casefold().endswith(".jsonl"):
        yield from _lines(folder, name, problems)
    else:
        yield from _values(folder, name, problems)


def _lines(folder: Folder, name: str, problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    try:
        with folder.open(name) as stream:
            for line in read_lines(stream):
                if line.too_long:
                    reason = f"a line of {line.length:,} bytes was not decoded"
                    _note(problems, Problem(name, "line_too_long", reason, line=line.number))
                    continue
                try:
                    yield line.number, loads(line.data)
                except BadJsonError as error:
                    kind = "broken_line" if line.ended else "truncated_line"
                    reason = f"not valid JSON: {error}"
                    _note(problems, Problem(name, kind, reason, line=line.number))  # type: ignore[arg-type]
    except OSError as error:
        problems.append(Problem(name, "unreadable", f"cannot be read: {error}"))


def _parquet_rows(folder: Folder, name: str, problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    """Rows through DuckDB (extra `tables`), with the columns that the file has of those that are
    read; a damaged file is a problem."""
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError as error:
        raise MissingExtraError(f"reading tasks from {name}", "tables") from error
    import tempfile  # with modules for every kind of compression

    with tempfile.TemporaryDirectory(prefix="groundtrace-") as scratch:
        try:
            path = _on_disk(folder, name, Path(scratch))
            with duckdb.connect(":memory:") as database, _ended(database):
                database.execute("SET autoinstall_known_extensions = false")
                database.execute("SET threads = 1")
                database.execute("SET enable_progress_bar = false")  # it is printed to stdout
                database.execute(f"SET memory_limit = '{PARQUET_MEMORY}'")
                yield from _read_parquet(database, str(path), name, problems)
        except (OSError, duckdb.Error) as error:
            reason = f"cannot be read as Parquet: {str(error).splitlines()[0]}"
            problems.append(Problem(name, "unreadable", reason))


def _read_parquet(
    database: Any, path: str, name: str, problems: list[Problem]
) -> Iterator[tuple[int, Any]]:
    described = database.sql(f"SELECT * FROM {_PARQUET} LIMIT 0", params=[path])
    types = dict(zip(described.columns, described.types, strict=True))
    there = [column for column in types if column in COLUMNS]
    deep = [column for column in there if _levels(types[column]) > MAX_LEVELS]
    if deep:
        reason = f"{', '.join(deep)}: more than {MAX_LEVELS} levels of lists and structs"
        problems.append(Problem(name, "bad_task", reason))
        return
    if not there:
        reason = f"it has none of the columns {', '.join(COLUMNS)}"
        problems.append(Problem(name, "bad_task", reason))
        return
    size = " + ".join(_characters(f'"{column}"', types[column]) for column in there)
    asked = f"SELECT {size} FROM {_NUMBERED} {_BETWEEN}"
    sizes = [row[0] for row in database.execute(asked, [path, 0, MAX_ROWS + 1]).fetchall()]
    wanted = ", ".join(f'"{column}"' for column in there)
    most = max(MAX_TEXT, MAX_RATIO * Path(path).stat().st_size)
    last = 0
    for first, last in _batches(sizes, most):
        asked = f"SELECT {wanted} FROM {_NUMBERED} {_BETWEEN}"
        found = database.execute(asked, [path, first, last])
        done = first
        while rows := found.fetchmany(BATCH):
            for number, row in enumerate(rows, start=done + 1):
                yield number, dict(zip(there, row, strict=True))
            done += len(rows)
    if last < len(sizes):
        reason = f"row {last + 1} and those after it are not read: too much text"
        problems.append(Problem(name, "too_large", reason, line=last + 1))


def _levels(kind: Any) -> int:
    inner = kind.children if kind.id in ("list", "array", "struct", "map", "union") else ()
    children = (child for _, child in inner if not isinstance(child, int))
    return 1 + max(map(_levels, children), default=0)


def _characters(value: str, kind: Any) -> str:
    """SQL for the bytes of text in a value, without a copy of it."""
    if kind.id in ("varchar", "blob"):
        return f"coalesce(strlen({value}::VARCHAR), 0)"
    if kind.id == "struct":
        parts = [_characters(f'({value})."{n}"', child) for n, child in kind.children]
        return f"({' + '.join(parts)})"
    if kind.id in ("list", "array"):
        inner = _characters("e", kind.children[0][1])
        return f"coalesce(list_sum(list_transform({value}, lambda e: {inner})), 0)"
    return "16"


def _batches(sizes: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Rows that are read together, as the numbers before the first and of the last. They end where
    all of them hold more text than allowed."""
    first, held = 0, 0
    for number, size in enumerate(sizes):
        if size > most:
            break
        if held + size > MAX_BATCH and number > first:
            yield first, number
            first, held = number, 0
        held += size
        most -= size
    else:
        number = len(sizes)
    if number > first:
        yield first, number


@contextmanager
def _ended(database: Any) -> Iterator[None]:
    """End a query that takes long: a signal does not interrupt DuckDB."""
    late = threading.Timer(PARQUET_SECONDS, database.interrupt)
    late.daemon = True
    late.start()
    try:
        yield
    finally:
        late.cancel()


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
        import shutil

        shutil.copyfileobj(stream, copy)
    return path


def _values(folder: Folder, name: str, problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    """Rows of a JSON file: a list, an object that holds one, or an object from name to row."""
    try:
        value = loads(folder.read(name, MAX_JSON))
    except TooLargeError as error:
        problems.append(Problem(name, "too_large", f"{error}; JSONL has no such limit"))
        return
    except OSError as error:
        problems.append(Problem(name, "unreadable", f"cannot be read: {error}"))
        return
    except BadJsonError as error:
        reason = f"not valid JSON: {error}"
        problems.append(Problem(name, "broken_json", reason, line=error.line))
        return
    if isinstance(value, dict):
        if any(isinstance(value.get(key), str) for key in NAMES):
            value = [value]
        else:
            inner = next((value[k] for k in ("tasks", "rows", "data") if k in value), value)
            value = inner
    if isinstance(value, dict):
        value = [_named(key, row) for key, row in value.items() if not key.startswith("_")]
    if not isinstance(value, list):
        reason = f"holds {shown(value)}, where rows are expected"
        problems.append(Problem(name, "not_an_object", reason))
        return
    yield from enumerate(value, start=1)


def _named(key: str, row: Any) -> Any:
    if isinstance(row, list):
        row = {"files": row}
    return {**row, "instance_id": row.get("instance_id", key)} if isinstance(row, dict) else row


def _task(row: Any, stem: str, file: str, number: int) -> tuple[Task | None, str]:
    """The task of a row, or why it has none."""
    if not isinstance(row, Mapping):
        return None, f"{shown(row)} is not an object"
    row = row["row"] if isinstance(row.get("row"), Mapping) else row  # as data-set viewers wrap it
    names = [name for key in NAMES if (name := _name(row.get(key))) is not None]
    if not names:
        return None, f"it has no {' or '.join(NAMES[1:])}"
    key = next((key for key in CONTEXTS if _as_context(row.get(key)) is not None), None)
    repo = _name(row.get("repo"))
    owned = _INSTANCE.fullmatch(names[0])
    repos = [repo] if repo is not None else []
    if owned is not None and (repo is None or "/" not in repo):
        # A short name alone (`cli`) says less than the name in the instance's id (`cli__cli-1567`).
        repos.insert(0, f"{owned[1]}/{owned[2]}")
    return (
        Task(
            name=names[0],
            benchmark=stem,
            folder=None,
            repos=tuple(dict.fromkeys(repos)),
            aliases=tuple(dict.fromkeys(names[1:])),
            row=TaskRow(
                file=name_text(file),
                number=number,
                patch=_text(row.get("patch")),
                test_patch=_text(row.get("test_patch")),
                context=None if key is None else _as_context(row.get(key)),
                context_key=key,
                base_commit=_text(row.get("base_commit")),
                difficulty=_text(row.get("difficulty")) or None,
            ),
        ),
        "",
    )


def _name(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return known(clean_text(value)) if isinstance(value, str) and len(value) <= MAX_NAME else None


def _text(value: Any) -> str | None:
    return clean_text(value) if isinstance(value, str) else None


def _as_context(value: Any) -> str | None:
    """A list of context as text; None if it is empty."""
    if isinstance(value, str):
        return clean_text(value) if value.strip() not in ("", "[]", "{}", "null") else None
    if isinstance(value, list | dict) and value:
        return clean_text(json.dumps(value, default=str))
    return None
