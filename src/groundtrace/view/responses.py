"""What the viewer's page asks for, as data: the state, the list, a trial, its files, its text."""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from groundtrace.base.limit import OverLimitError, allowed_seconds, guarded
from groundtrace.documents.impact import ImpactDocument
from groundtrace.report.answer_text import PRICES, others, shown
from groundtrace.report.packed_trials import Limits, trial_data
from groundtrace.report.parts import colours_of, words_of_parts
from groundtrace.report.safe_text import plain, shown_name, with_note
from groundtrace.rows.trial_row import Detail
from groundtrace.runs.output_folders import IMPACT
from groundtrace.runs.read import StoredDocument, read_one
from groundtrace.runs.state import mark_of
from groundtrace.view.call_text import CallText, CallTexts
from groundtrace.view.index import (
    LINE,
    SCOPES,
    ListedTrial,
    Question,
    choices,
    list_page,
    places_of,
    question_of,
)
from groundtrace.view.library import Library, Snapshot
from groundtrace.view.raw_text import part_at
from groundtrace.view.trace_files import TraceFiles, trace_files

LIMITS = Limits(1_000, 200, 2_000)
"""How much of a trial is sent at once; more calls are sent on request."""
MAX_OTHERS = 200
"""Most other trials of a task that are offered for comparison."""
_KEPT_QUESTIONS = 16
STATUS = (
    "The viewer runs on this machine only. It reads the results and the traces, and changes "
    "nothing."
)


class Answers:
    """The answers; each method takes the parameters of the address as `given`."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._texts = CallTexts()
        self._answer = StoredAnswer()
        self._lock = threading.Lock()
        self._asked: OrderedDict[tuple[str, int, Question], array[int]] = OrderedDict()
        self._choices: tuple[tuple[str, int], dict[str, Any]] | None = None

    def state(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Which results are shown, and how much of them was read."""
        snapshot = self.library.current
        found: dict[str, Any] = {
            "version": snapshot.version,
            "read": snapshot.read,
            "total": snapshot.total,
        }
        if "words" in given:
            offered = self._offered(snapshot)
            found |= {
                "title": shown_name(
                    snapshot.results.folders.runs.rstrip("/").rpartition("/")[2] or "."
                ),
                "status": with_note(STATUS),
                "answer": self._answer.texts(snapshot),
                "problems": [plain(problem) for problem in snapshot.problems[:100]],
                "scopes": SCOPES,
                "choices": offered,
                "words": words_of_parts(colours_of(name for name, _ in offered["config"])),
            }
        return found

    def trials(self, given: Mapping[str, str]) -> dict[str, Any]:
        """A page of the list."""
        snapshot = self.library.current
        question = question_of(given)
        found = list_page(snapshot.index, question, self._places(snapshot, question))
        return found | {"of": snapshot.total, "read": snapshot.read, "version": snapshot.version}

    def trial(self, trial: str, given: Mapping[str, str]) -> dict[str, Any] | None:
        """One trial with its calls, from the call `from` on."""
        snapshot = self.library.current
        found = snapshot.trial(trial)
        if found is None:
            return None
        listed, detail = found
        row = {name: getattr(listed, name) for name in LINE}
        return row | {
            "task": shown_name(listed.task),
            "trial": shown_name(listed.trial),
            "version": snapshot.version,
            "labels": listed.labels or (),
            "texts": listed.texts or _no_texts(),
            "detail": None
            if detail is None
            else trial_data(detail, LIMITS, _number(given, "from")),
            "others": _others(snapshot, listed),
        }

    def files(self, trial: str, given: Mapping[str, str]) -> dict[str, Any] | None:
        """The files of a trial's trace."""
        found = self._found(trial)
        if found is None:
            return None
        files = found[2]
        return {
            "files": [{"name": shown_name(file.path), "size": file.size} for file in files.files],
            "note": files.why_none,
        }

    def raw(self, trial: str, file: int, given: Mapping[str, str]) -> dict[str, Any] | None:
        """A part of a file of a trial's trace, from the offset `at`."""
        found = self._found(trial)
        if found is None or file >= len(found[2].files):
            return None
        try:
            part = part_at(found[2].files[file], _number(given, "at"))
        except OSError:
            return {"note": "The file can no longer be read."}
        return {"start": part.start, "end": part.end, "size": part.size, "text": part.text}

    def call(self, trial: str, step: int, given: Mapping[str, str]) -> dict[str, Any] | None:
        """What the trace says about one call."""
        found = self._found(trial)
        if found is None or found[1] is None:
            return None
        events = found[1].events.events
        event = next((e for e in events if e.step_index == step), None)
        if event is None:
            return None
        is_unique = sum(e.call_id == event.call_id for e in events) == 1
        try:
            with allowed_seconds(self.library.results.settings.trial_seconds), guarded(None):
                text = self._texts.text_of(
                    found[2], event, is_unique=is_unique, whole="all" in given
                )
        except OSError:
            text = CallText(note="The trace can no longer be read.")
        except OverLimitError as error:
            text = CallText(note=f"The trace was {error}.")
        return {
            "pieces": [
                {
                    "what": piece.what,
                    "file": piece.file,
                    "name": ""
                    if piece.file is None
                    else shown_name(found[2].files[piece.file].path),
                    "offset": piece.offset,
                    "text": piece.text,
                    "length": piece.length,
                    "cut": piece.is_cut,
                }
                for piece in text.pieces
            ],
            "looking": text.looking,
            "note": text.note,
        }

    def _found(self, trial: str) -> tuple[ListedTrial, Detail | None, TraceFiles] | None:
        snapshot = self.library.current
        found = snapshot.trial(trial)
        if found is None:
            return None
        outcome = snapshot.outcome(*found)
        path = None if outcome is None else outcome.path
        return *found, trace_files(
            snapshot.run_folder(found[0]), path, self.library.results.settings.readers
        )

    def _places(self, snapshot: Snapshot, question: Question) -> array[int]:
        """The answer to a question; it is kept for other pages of the same question."""
        key = (snapshot.version, snapshot.read, replace(question, page=0))
        with self._lock:
            known = self._asked.get(key)
        if known is None:
            known = places_of(snapshot.index, question)
            with self._lock:
                self._asked[key] = known
                while len(self._asked) > _KEPT_QUESTIONS:
                    self._asked.popitem(last=False)
        return known

    def _offered(self, snapshot: Snapshot) -> dict[str, Any]:
        """What filters offer; computed once for each number of trials read."""
        key = (snapshot.version, snapshot.read)
        with self._lock:
            if self._choices is None or self._choices[0] != key:
                self._choices = (key, choices(snapshot.index))
            return self._choices[1]


def _others(snapshot: Snapshot, listed: ListedTrial) -> list[dict[str, Any]]:
    """Other trials of the same task."""
    rows = snapshot.index.ask(
        "SELECT id, config, run, trial FROM trials WHERE task = ? AND suite = ? AND id != ? "
        "ORDER BY place LIMIT ?",
        [listed.task, listed.suite, listed.id, MAX_OTHERS],
    )
    return [
        {"id": made, "config": config, "run": run, "trial": shown_name(trial)}
        for made, config, run, trial in rows
    ]


def _no_texts() -> list[str]:
    return ["–"] * len(words_of_parts({})["columns"])


def _number(given: Mapping[str, str], name: str) -> int:
    text = given.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else 0


class StoredAnswer:
    """The answer over all results, read again only when the analysis on disk changes."""

    def __init__(self) -> None:
        self._mark = ""
        self._found: dict[str, Any] | None = None

    def texts(self, snapshot: Snapshot) -> dict[str, Any] | None:
        """The texts of the answer and of other pairs; None if there is no analysis.

        With `--only` there is none: the stored analysis is not about these trials alone.
        """
        mark = mark_of(snapshot.widest, IMPACT) if snapshot.results.only is None else ""
        if mark != self._mark:
            stored: StoredDocument[ImpactDocument] = read_one(
                snapshot.widest, IMPACT, "impact_analysis"
            )
            self._found = None if stored.document is None else answer_texts(stored.document)
            self._mark = mark
        return self._found


def answer_texts(document: ImpactDocument) -> dict[str, Any]:
    """The answer as the viewer's script lays it out."""
    found = shown(document.answer)
    return {
        **asdict(found),
        "look_at": [item.line for item in found.look_at],
        "also": others(document),
        "unpriced": PRICES,
    }
