"""The questions that a reader can ask: filters, words, an order and a page of the list.

Every text that comes from a request is a parameter; SQL statements contain only this module's own
words.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from groundtrace.base.jsonio import clean_text
from groundtrace.report.safe_text import plain, shown_name
from groundtrace.report.trial_table import trial_columns
from groundtrace.view.index import TrialIndex

PAGE = 100
"""Trials of one page of the list."""
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
    names = ("place", "id", "run", "config", "suite", "task", "trial", "verdict", "found")
    rows = index.ask(
        f"SELECT {', '.join(names)}, labels, texts FROM trials WHERE {_AMONG}", [shown]
    )
    lines = {
        row[0]: dict(zip(names, row, strict=False))
        | {"labels": row[-2] or [], "texts": row[-1] or [], "matches": []}
        for row in rows
    }
    for place, matches in _matches(index, question, shown).items():
        lines[place]["matches"] = matches
    trials = [_with_shown_names(lines[place]) for place in shown if place in lines]
    return {"total": len(found), "page": question.page, "size": PAGE, "trials": trials}


def _with_shown_names(line: dict[str, Any]) -> dict[str, Any]:
    return line | {"task": shown_name(line["task"]), "trial": shown_name(line["trial"])}


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
