"""The trials of the results as tables of DuckDB, and a reader's questions to them: filters, words,
an order and a page of the list.

From the first statement on, nothing outside of the database can be read: rows are passed as a
parameter, never as a file. Every text that comes from a request is a parameter too; SQL statements
contain only this module's own words.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from groundtrace.base.jsonio import clean_text
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.report.safe_text import plain, shown_name
from groundtrace.report.trial_table import found_word, shown_numbers, trial_columns
from groundtrace.report.wording import reason
from groundtrace.rows.trial_row import Detail, TrialRow
from groundtrace.rows.verdicts import VERDICTS, verdict_of_reward
from groundtrace.tables.columns import TABLES
from groundtrace.tables.export import close_off, connect, quoted
from groundtrace.tables.flat_rows import flat_rows

NOT_READ = "not read yet"
"""Text in the column `found` of a trial whose documents are not read yet."""
UNREADABLE = "documents cannot be read"

_TYPES: Mapping[str, Mapping[str, str]] = {
    "trials": {
        "place": "BIGINT",
        "id": "VARCHAR",
        "output": "BIGINT",
        "document": "VARCHAR",
        "run": "VARCHAR",
        "config": "VARCHAR",
        "suite": "VARCHAR",
        "task": "VARCHAR",
        "trial": "VARCHAR",
        "verdict": "VARCHAR",
        "found": "VARCHAR",
        "labels": "VARCHAR[]",
        "numbers": "DOUBLE[]",
        "texts": "VARCHAR[]",
    },
    "calls": {
        "place": "BIGINT",
        "step": "BIGINT",
        "tool": "VARCHAR",
        "command": "VARCHAR",
        "text": "VARCHAR",
    },
    "files": {"place": "BIGINT", "step": "BIGINT", "file": "VARCHAR"},
}
"""Tables and the types of their columns. `step` is null for a relevant file that no call met."""

_COMMANDS = ("command", "cmd", "script", "code")
"""Arguments that contain a command line."""


@dataclass(frozen=True, slots=True)
class ListedTrial:
    """One line of the list."""

    place: int
    """Position in the order of runs and documents."""
    id: str
    """The id in links; it stays the same while run, configuration, task and trial keep their
    names."""
    output: int
    """Number of its output folder."""
    document: str
    """Its events document in that folder."""
    run: str
    """This and the next two are stored as they are shown: filters offer them."""
    config: str
    suite: str
    task: str
    """This and the next are stored in full; they are cut when they are shown."""
    trial: str
    verdict: str
    """The reward in words."""
    found: str = NOT_READ
    labels: tuple[str, ...] = ()
    """Labels of errors that the trial has."""
    numbers: tuple[float | None, ...] = ()
    """Values to sort by, in the order of `trial_columns`."""
    texts: tuple[str, ...] = ()
    """The same values as they are shown."""


def trial_id(*names: str) -> str:
    """The id of a trial, from its run, configuration, task and name."""
    text = "\0".join(names)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def reward_words(outcome: TrialOutcome | None, no_outcome: str) -> str:
    """The verdict in words, or why there is none."""
    if outcome is None:
        return reason(no_outcome)
    return VERDICTS[verdict_of_reward(outcome.reward)]


def with_row(listed: ListedTrial, row: TrialRow, counted_in: str | None) -> dict[str, Any]:
    """The line of a trial whose documents were read."""
    numbers, texts = shown_numbers(row)
    return unread_line(listed, "") | {
        "run": shown_name(row.run_id),
        "config": shown_name(row.config_name),
        "suite": shown_name(row.benchmark or "unknown"),
        "task": row.task_name,
        "trial": row.trial_name,
        "verdict": reward_words(row.outcome, row.no_outcome),
        "found": found_word(row, counted_in),
        "labels": [label for label, count in row.labels.items() if count],
        "numbers": numbers,
        "texts": texts,
    }


def unread_line(listed: ListedTrial, found: str) -> dict[str, Any]:
    """The line of a trial that has no row, with the reason in the column `found`."""
    return {name: getattr(listed, name) for name in _TYPES["trials"]} | {"found": found}


class TrialIndex:
    """The database. One thread writes; any thread may read, each with its own cursor."""

    def __init__(self) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="groundtrace-view-")
        self._database = connect(Path(self._scratch.name))
        for table, columns in _TYPES.items():
            named = ", ".join(f"{name} {kind}" for name, kind in columns.items())
            self._database.execute(f"CREATE TABLE {table} ({named})")
        close_off(self._database)

    def close(self) -> None:
        """Close the database and remove its files."""
        self._database.close()
        self._scratch.cleanup()

    def add_read(self, lines: Sequence[dict[str, Any]], details: Sequence[Detail | None]) -> None:
        """Replace the lines of trials whose documents have now been read."""
        calls: list[dict[str, Any]] = []
        files: list[dict[str, Any]] = []
        for line, detail in zip(lines, details, strict=True):
            if detail is not None:
                calls += _calls(line["place"], detail)
                files += _files(line["place"], detail)
        places = [line["place"] for line in lines]
        self._database.execute("BEGIN TRANSACTION")
        try:
            self._database.execute("DELETE FROM trials WHERE list_contains(?, place)", [places])
            self.insert("trials", lines)
            self.insert("calls", calls)
            self.insert("files", files)
            self._database.execute("COMMIT")
        except BaseException:
            self._database.execute("ROLLBACK")
            raise

    def set_found(self, found: Mapping[int, str]) -> None:
        """Set the text in the column `found`, by place."""
        for place, text in found.items():
            self._database.execute("UPDATE trials SET found = ? WHERE place = ?", [text, place])

    def ask(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query; `values` are its parameters."""
        with self._database.cursor() as cursor:
            rows: list[tuple[Any, ...]] = cursor.execute(query, list(values)).fetchall()
        return rows

    def insert(self, table: str, rows: Sequence[Any]) -> None:
        """Add rows to a table, such as the trials that are only known from their outcomes."""
        if not rows:
            return
        columns = _TYPES[table]
        shape = msgspec.json.encode([dict(columns)]).decode()
        names = ", ".join(f"made.{name}" for name in columns)
        self._database.execute(
            f"INSERT INTO {table} SELECT {names} FROM "
            f"(SELECT unnest(from_json(?, {quoted(shape)})) AS made)",
            [msgspec.json.encode(rows).decode()],
        )


def _column(table: str, name: str) -> int:
    return next(at for at, column in enumerate(TABLES[table]) if column.name == name)


_STEP, _TOOL = _column("events", "step_index"), _column("events", "tool_name")
_ACCESS_STEP, _ACCESS_FILE = _column("accesses", "step_index"), _column("accesses", "file")
_TRUTH_KIND, _TRUTH_FILE = _column("truth", "kind"), _column("truth", "file")


def _calls(place: int, detail: Detail) -> Iterable[dict[str, Any]]:
    for event, row in zip(detail.events.events, flat_rows("events", detail), strict=True):
        command = next((event.arguments[key] for key in _COMMANDS if key in event.arguments), None)
        yield {
            "place": place,
            "step": row[_STEP],
            "tool": shown_name(row[_TOOL]),
            "command": None if command is None else _kept(str(command)),
            "text": _kept(_arguments_text(event.arguments)),
        }


def _arguments_text(arguments: Mapping[str, Any]) -> str:
    """The words of a call's arguments as a person would type them, not as escaped JSON."""
    return "  ".join(f"{name}: {value}" for name, value in arguments.items())


def _files(place: int, detail: Detail) -> Iterable[dict[str, Any]]:
    seen: dict[tuple[int | None, str], None] = {}
    for row in flat_rows("accesses", detail):
        seen.setdefault((row[_ACCESS_STEP], _kept(row[_ACCESS_FILE])))
    met = {file for _, file in seen}
    for row in flat_rows("truth", detail):
        if row[_TRUTH_KIND] == "file" and _kept(row[_TRUTH_FILE]) not in met:
            seen.setdefault((None, _kept(row[_TRUTH_FILE])))
    return ({"place": place, "step": step, "file": file} for step, file in seen)


def _kept(text: str) -> str:
    # DuckDB's JSON ends a text at a NUL. It is shown as `\x00` anyway.
    return text.replace("\0", "\\x00")


PAGE = 100
"""Trials of one page of the list."""
LINE = ("place", "id", "run", "config", "suite", "task", "trial", "verdict", "found")
"""Columns of a trial that the page gets as they are, or cut."""
MAX_WORDS = 12
MAX_MATCHES = 3
"""Most matching calls that the list shows for each trial."""
MAX_CHOICES = 2_000
"""Most names that a filter offers."""
MATCH_LENGTH = 160

FILTERS: Mapping[str, str] = {
    "config": "trials.config = ?",
    "suite": "trials.suite = ?",
    "run": "trials.run = ?",
    "verdict": "trials.verdict = ?",
    "found": "trials.found = ?",
    "label": "list_contains(trials.labels, ?)",
    "tool": "trials.place IN (SELECT place FROM calls WHERE tool = ?)",
}
"""Filter to its SQL condition."""

_CHOICES: Mapping[str, str] = {
    **{
        name: f"SELECT {name}, count(*) FROM trials GROUP BY 1"
        for name in ("config", "suite", "run", "verdict", "found")
    },
    "label": "SELECT label, count(*) FROM (SELECT unnest(labels) AS label FROM trials) GROUP BY 1",
    "tool": "SELECT tool, count(DISTINCT place) FROM calls GROUP BY 1",
}

_IN_CALLS = "SELECT place, step, {column} AS shown FROM calls WHERE {column} IS NOT NULL"
_SEARCHED: Mapping[str, str] = {
    "files": "SELECT place, step, file AS shown FROM files",
    "tools": _IN_CALLS.format(column="tool"),
    "commands": _IN_CALLS.format(column="command"),
    "text": _IN_CALLS.format(column="text"),
    "names": "SELECT place, NULL AS step, task || ' ' || trial AS shown FROM trials",
}
"""Where words are searched."""
_EVERYTHING = ("names", "files", "tools", "text")

SCOPES = ("everything", *_SEARCHED)

_NAMES = {"task": "lower(task)", "config": "lower(config)", "found": "found"}
"""Columns with names that the list can be sorted by."""

_WORD = re.compile(r'"([^"]+)"|(\S+)')


@dataclass(frozen=True, slots=True)
class Question:
    """Filters, words, order and page of the list."""

    filters: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()
    scope: str = "everything"
    sort: str = ""
    """A column, with `-` before it for the largest first; empty for the order of the results."""
    page: int = 0


def question_of(given: Mapping[str, str]) -> Question:
    """The question in an address; unknown parameters are ignored."""
    given = {name: clean_text(text) for name, text in given.items()}
    scope = given.get("in", "")
    page = given.get("page", "")
    return Question(
        filters=tuple((name, given[name]) for name in FILTERS if given.get(name)),
        words=words_of(given.get("q", "")),
        scope=scope if scope in SCOPES else "everything",
        sort=given.get("sort", ""),
        page=int(page) if page.isascii() and page.isdigit() and len(page) < 9 else 0,
    )


def words_of(text: str) -> tuple[str, ...]:
    """The words that must all be found; quotes keep words together."""
    found = (whole or word for whole, word in _WORD.findall(text[:2_000]))
    return tuple(dict.fromkeys(found))[:MAX_WORDS]


def places_of(index: TrialIndex, question: Question) -> array[int]:
    """The places of all trials that fit a question, in its order."""
    where, values = _conditions(question)
    query = f"SELECT place FROM trials{where} ORDER BY {_order(question.sort)}"
    return array("q", (place for (place,) in index.ask(query, values)))


def list_page(
    index: TrialIndex, question: Question, places: array[int] | None = None
) -> dict[str, Any]:
    """One page of the list: how many trials there are, and the lines of the page.

    `places` are the places for the question, if they are already known.
    """
    found = places_of(index, question) if places is None else places
    shown = found[question.page * PAGE : (question.page + 1) * PAGE].tolist()
    rows = index.ask(f"SELECT {', '.join(LINE)}, labels, texts FROM trials WHERE {_AMONG}", [shown])
    matches = _matches(index, question, shown)
    lines = {}
    for row in rows:
        line = dict(zip(LINE, row, strict=False))
        line |= {name: shown_name(line[name]) for name in ("task", "trial")}
        line |= {
            "labels": row[-2] or [],
            "texts": row[-1] or [],
            "matches": matches.get(row[0], []),
        }
        lines[row[0]] = line
    trials = [lines[place] for place in shown if place in lines]
    return {"total": len(found), "page": question.page, "size": PAGE, "trials": trials}


def choices(index: TrialIndex) -> dict[str, list[tuple[str, int]]]:
    """The names that each filter offers, with the number of trials of each."""
    found = {}
    for name, query in _CHOICES.items():
        rows = index.ask(f"{query} ORDER BY 2 DESC, 1 LIMIT ?", [MAX_CHOICES])
        found[name] = sorted((text, count) for text, count in rows if text is not None)
    return found


def _conditions(question: Question) -> tuple[str, list[Any]]:
    parts = [FILTERS[name] for name, _ in question.filters]
    values: list[Any] = [value for _, value in question.filters]
    for word in question.words:
        searched = " UNION ALL ".join(
            f"SELECT place FROM ({_SEARCHED[scope]}) WHERE contains(lower(shown), lower(?))"
            for scope in _scopes(question)
        )
        parts.append(f"trials.place IN ({searched})")
        values += [word] * len(_scopes(question))
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), values


def _scopes(question: Question) -> tuple[str, ...]:
    return _EVERYTHING if question.scope == "everything" else (question.scope,)


def _order(sort: str) -> str:
    """The order of the list; a trial without a value comes last in both directions (D19)."""
    name = sort.removeprefix("-")
    direction = "DESC" if sort.startswith("-") else "ASC"
    if name in _NAMES:
        return f"{_NAMES[name]} {direction}, place"
    columns = [column["name"] for column in trial_columns()]
    if name in columns:
        return f"numbers[{columns.index(name) + 1}] {direction} NULLS LAST, place"
    return "place"


def _matches(
    index: TrialIndex, question: Question, places: list[int]
) -> dict[int, list[dict[str, Any]]]:
    """The first calls of each trial in which a word was found."""
    scopes = [scope for scope in _scopes(question) if scope != "names"]
    if not question.words or not scopes or not places:
        return {}
    searched = " UNION ALL ".join(
        f"SELECT place, step, shown FROM ({_SEARCHED[scope]}) "
        f"WHERE {_AMONG} AND ({' OR '.join([_CONTAINS] * len(question.words))})"
        for scope in scopes
    )
    rows = index.ask(
        f"SELECT place, step, min(shown) FROM ({searched}) GROUP BY place, step "
        "QUALIFY row_number() OVER (PARTITION BY place ORDER BY step NULLS LAST) <= ? "
        "ORDER BY place, step NULLS LAST",
        [*([places, *question.words] * len(scopes)), MAX_MATCHES],
    )
    found: dict[int, list[dict[str, Any]]] = {}
    for place, step, shown in rows:
        found.setdefault(place, []).append({"step": step, "text": plain(shown, MATCH_LENGTH)})
    return found


_CONTAINS = "contains(lower(shown), lower(?))"
_AMONG = "place IN (SELECT unnest(?::BIGINT[]))"
