"""Calls of unknown tools: what they touched, from their arguments and answers alone (D46).

There are three steps, one module each. The names of arguments and fields are one table (`words`).

1. `arguments`: the files, folders and repositories that the arguments name, and whether the call
   asks or writes something.
2. `objects` for JSON, `texts` for text: the files that the answer holds, with lines. The shapes of
   text are one table, tried in order.
3. `_findings` below is the only rule for kinds and category. It looks at what the call did, never
   at the tool's name. If it cannot decide, the call stays unknown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from msgspec.structs import replace

from groundtrace.answers.payload import Payload, parse, payload_of
from groundtrace.answers.places import locate
from groundtrace.base.values import distinct
from groundtrace.model import AccessKind, CallView, Category, FileRef, Problem, ToolCall
from groundtrace.tools.findings import Findings
from groundtrace.tools.generic import status
from groundtrace.tools.generic.arguments import AskedFile, AskedFiles, asked_of, joined
from groundtrace.tools.generic.numbers import is_past_the_end, shown_lines
from groundtrace.tools.generic.objects import objects_in
from groundtrace.tools.generic.pieces import (
    MAX_CHARACTERS,
    MAX_FILES,
    Piece,
    bounded,
    is_drive,
    refs_of,
)
from groundtrace.tools.generic.texts import SHAPES, body_of, matches
from groundtrace.tools.table import ToolEntry

__all__ = ["generic_findings", "generic_reader", "generic_view"]

_DATA_FILES = (".json", ".jsonl", ".ndjson", ".ipynb", ".lock", ".map", ".geojson", ".webmanifest")
"""Files whose own content is JSON."""


class AnswerFiles(NamedTuple):
    """The files that an answer holds."""

    pieces: tuple[Piece, ...] = ()
    repos: tuple[str, ...] = ()
    shape: str = ""
    left_out: bool = False


def generic_view(call: ToolCall, cwd: str | None) -> CallView:
    """The view of a call as if its tool were not in the tool table."""
    found = generic_findings(call, cwd)
    return CallView(
        category=found.category or "other",
        tool=None,
        refs=found.refs,
        failed=found.failed and not found.refs,
        repos=found.repos,
        problems=found.problems,
    )


def generic_reader(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """Read a tool of the table whose answers have a common shape; the table gives its category."""
    found = generic_findings(call, cwd)
    refs = tuple(
        replace(
            ref, evidence="declared", rule=f"{entry.short}: {ref.rule.removeprefix('generic: ')}"
        )
        for ref in found.refs
    )
    return replace(found, refs=refs, category=None)


def generic_findings(call: ToolCall, cwd: str | None) -> Findings:
    """What a call touched, from its arguments and its answer alone."""
    asked = asked_of(call.arguments)
    if call.result is None:  # unknown whether it would have read or written
        return Findings(failed=True, repos=asked.repos)
    result = call.result
    left_out = len(result.text) > MAX_CHARACTERS
    if left_out:
        result = replace(result, text=result.text[:MAX_CHARACTERS])
    payload = _json_lines(payload_of(result))
    found = _findings(asked, payload, cwd, is_error=result.is_error or payload.is_error)
    if left_out and not found.problems:
        found = replace(found, problems=(_too_large(),))
    return found


def _too_large() -> Problem:
    reason = (
        f"the result of an unknown tool is over the limit ({MAX_CHARACTERS} characters, "
        f"{MAX_FILES} files); the rest was left out"
    )
    return Problem("", "answer_too_large", reason)


def _json_lines(payload: Payload) -> Payload:
    """Read an answer with one JSON object per line as a list of objects."""
    text = payload.text.strip()
    if text[:1] != "{" or "}\n{" not in text[:MAX_CHARACTERS].replace("\r", ""):
        return payload
    values: list[Any] = []
    for line in text.split("\n"):
        if line.strip():
            try:
                values.append(json.loads(line))
            except (ValueError, RecursionError):
                value = parse(line.strip()) if line.strip()[:1] == "{" else None
                values += [value] if value is not None else []
    return Payload(values, payload.text, payload.is_error)


def _findings(asked: AskedFiles, payload: Payload, cwd: str | None, *, is_error: bool) -> Findings:
    """The only rule for kinds and category."""
    repos = asked.repos
    failed = is_error or status.is_failure(payload)
    if failed:
        shown = tuple(_error_pieces(payload, asked)) if is_error else ()
        refs = _placed(shown, "lines beside an error", asked, cwd, read=False)
        return _said(refs, "code_search", repos, failed=not refs)
    written = _written(asked, payload)
    if written is not None:
        return _said(
            _placed_files(written, "written", "named by a write", asked, cwd), "file_write", repos
        )
    if asked.data:
        return Findings(repos=repos)
    answer = _answer(payload, asked)
    repos = distinct((*repos, *answer.repos))
    own = None if asked.question else _opened(asked, payload, answer)
    if own is not None:
        kind, pieces, rule = own
        refs = _placed(pieces, rule, asked, cwd, read=True)
        return _said(refs, "file_read" if kind == "read" else "file_search", repos)
    pieces = answer.pieces
    if asked.question and not pieces:
        pieces = tuple(_matched_in_file(asked, payload))
    refs = _placed(pieces, answer.shape or "numbered lines", asked, cwd, read=False)
    shown_any = any(ref.kind != "surfaced" for ref in refs)
    repos = distinct((*repos, *(ref.repo or "" for ref in refs)))
    problems = (_too_large(),) if answer.left_out else ()
    said = _said(refs, "code_search" if shown_any else "file_search", repos)
    return replace(said, problems=problems)


def _said(
    refs: tuple[FileRef, ...], category: Category, repos: Iterable[str], *, failed: bool = False
) -> Findings:
    """Findings; the category applies only if a file was found."""
    return Findings(refs, failed, distinct(repos), category=category if refs else "other")


# --- what the answer holds ----------------------------------------------------------------


def _answer(payload: Payload, asked: AskedFiles) -> AnswerFiles:
    """The files of the answer, in any form."""
    if payload.value is not None and not isinstance(payload.value, str):
        found = objects_in(payload.value, asked.repo)
        pieces = tuple(bounded(found.pieces))
        return AnswerFiles(pieces, tuple(found.repos), "fields of the result", found.left_out)
    body = body_of(payload.text)
    for shape in SHAPES:
        pieces = tuple(bounded(shape.read(body, asked)))
        if pieces:
            left_out = len({(piece.repo, piece.path) for piece in pieces}) >= MAX_FILES
            return AnswerFiles(pieces, (), shape.name, left_out)
    return AnswerFiles()


def _error_pieces(payload: Payload, asked: AskedFiles) -> Iterable[Piece]:
    """Lines that an answer shows although it is an error (D4)."""
    if payload.value is not None:
        return ()
    return bounded(matches(body_of(payload.text), asked))


def _matched_in_file(asked: AskedFiles, payload: Payload) -> Iterable[Piece]:
    """Numbered lines of the one file that was searched."""
    if len(asked.files) == 1 and payload.value is None:
        lines = shown_lines(body_of(payload.text).lines)
        if lines is not None:
            yield Piece(asked.files[0].path, asked.repo, lines, shown=True)


# --- files that the arguments name ----------------------------------------------------------


def _opened(
    asked: AskedFiles, payload: Payload, answer: AnswerFiles
) -> tuple[AccessKind, tuple[Piece, ...], str] | None:
    """The content of the files that the arguments name; None if the answer shows other files."""
    if not asked.files:
        return None
    if answer.pieces and all(_is_asked(piece, asked) for piece in answer.pieces):
        if any(piece.shown for piece in answer.pieces):
            return "read", _with_asked_lines(answer.pieces, asked), answer.shape
        return "surfaced", answer.pieces, answer.shape
    if payload.value is not None:
        return _opened_json(asked, payload)
    text = body_of(payload.text).text
    several = tuple(_one_by_one(asked, text)) if len(asked.files) > 1 else ()
    if several:
        return "read", several, "content below the names of the arguments"
    if status.is_done(payload) or status.is_staged(text):
        return "surfaced", (), ""
    first = asked.files[0]
    if status.is_fact_sheet(text):
        return "surfaced", (Piece(first.path, asked.repo),), "facts about the file of the arguments"
    if status.is_remark(text, first.path) or _is_other_list(answer, text):
        return None
    if len(asked.files) > 1:
        return None
    if is_past_the_end(text):
        return "surfaced", (), ""
    lines = shown_lines(text.split("\n")) or _asked_lines(first, text)
    piece = Piece(first.path, asked.repo, lines, shown=True)
    return "read", (piece,), "content of the file of the arguments"


def _opened_json(
    asked: AskedFiles, payload: Payload
) -> tuple[AccessKind, tuple[Piece, ...], str] | None:
    """A file whose own content is JSON, a picture, or an object with content and no name."""
    first = asked.files[0]
    rule = "content of the file of the arguments"
    blocks = payload.value if isinstance(payload.value, list) else [payload.value]
    is_picture = any(isinstance(b, dict) and b.get("type") in ("image", "audio") for b in blocks)
    is_own = first.path.lower().endswith(_DATA_FILES)
    content = payload.mapping.get("content") or payload.mapping.get("text")
    if len(asked.files) > 1 or not (is_picture or is_own or isinstance(content, str)):
        return None
    lines = first.lines
    if isinstance(content, str):
        lines = shown_lines(content.split("\n")) or lines
    return "read", (Piece(first.path, asked.repo, lines, shown=True),), rule


def _is_asked(piece: Piece, asked: AskedFiles) -> bool:
    """Whether the arguments name a file of the answer; one path may be longer than the other."""
    name = _tail(
        piece.path[2:] if piece.from_diff and piece.path[:2] in ("a/", "b/") else piece.path
    )
    for file in asked.files:
        other = _tail(file.path)
        if name == other or name.endswith(f"/{other}") or other.endswith(f"/{name}"):
            return True
    return False


def _tail(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./").strip("/")


def _with_asked_lines(pieces: tuple[Piece, ...], asked: AskedFiles) -> tuple[Piece, ...]:
    """The lines that were asked for, if the answer states none."""
    if len(asked.files) > 1 or any(piece.lines for piece in pieces):
        return pieces
    return tuple(replace(piece, lines=asked.files[0].lines) for piece in pieces)


def _asked_lines(file: AskedFile, text: str) -> tuple[int, int] | None:
    """The lines that were asked for, but not more lines than the answer has."""
    if file.lines is None:
        return None
    start, end = file.lines
    count = text.removesuffix("\n").count("\n") + 1
    return start, min(end, start + count - 1)


def _one_by_one(asked: AskedFiles, text: str) -> Iterable[Piece]:
    """Several opened files: `name:` alone on a line, then its content."""
    lines = text.split("\n")
    names = {file.path: file for file in asked.files}
    for number, line in enumerate(lines):
        file = names.get(line.rstrip().removesuffix(":")) if line.rstrip().endswith(":") else None
        if file is not None and any(below.strip() for below in lines[number + 1 : number + 3]):
            yield Piece(file.path, asked.repo, file.lines, shown=True)


def _is_other_list(answer: AnswerFiles, text: str) -> bool:
    """Whether the answer is a heading and a list of other files.

    It shows no content of the file.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    is_headed = len(lines) > 1 and lines[0].rstrip().endswith(":")
    return answer.shape == "names" and is_headed and lines[1].lstrip().startswith(("- ", "* "))


def _written(asked: AskedFiles, payload: Payload) -> tuple[str, ...] | None:
    """Files that the call wrote.

    The answer says so, or the arguments hold content and nothing failed.
    """
    given = tuple(file.path for file in asked.files)
    if payload.value is not None:
        if given and (asked.writes or status.says_written(payload)):
            return given
        return None
    text = body_of(payload.text).text
    if status.is_staged(text):
        return None
    said = tuple(status.written_names(text)) if status.is_done(payload) or not given else ()
    if said:
        return said if not given else tuple(dict.fromkeys((*_among(given, said), *said)))
    return given if given and asked.writes and not asked.question else None


def _among(given: tuple[str, ...], said: tuple[str, ...]) -> Iterable[str]:
    """The given paths that the answer names too."""
    return (path for path in given if path in said)


# --- where files lie ------------------------------------------------------------------------


def _placed(
    pieces: Iterable[Piece], rule: str, asked: AskedFiles, cwd: str | None, *, read: bool
) -> tuple[FileRef, ...]:
    """References to the pieces, with paths in the container or in their repository."""
    given = {file.path for file in asked.files}
    placed = [
        replace(
            piece, path=_where(piece.path, piece.repo, asked, cwd, is_given=piece.path in given)
        )
        if not piece.from_diff
        else piece
        for piece in pieces
    ]
    refs = refs_of(placed, f"generic: {rule}", read=read)
    return tuple(replace(ref, evidence="generic") for ref in refs)


def _placed_files(
    paths: Iterable[str], kind: AccessKind, rule: str, asked: AskedFiles, cwd: str | None
) -> tuple[FileRef, ...]:
    places = (_where(path, asked.repo, asked, cwd, is_given=True) for path in paths)
    return tuple(
        FileRef(path, kind, repo=asked.repo, rule=f"generic: {rule}", evidence="generic")
        for path in dict.fromkeys(places)
    )


def _where(
    path: str, repo: str | None, asked: AskedFiles, cwd: str | None, *, is_given: bool
) -> str:
    """Where a path lies: names of an answer in the folder that was asked about.

    Paths of the arguments lie in the working directory.
    """
    if repo is not None or is_drive(path) or is_given or not asked.folder:
        return joined(path, "", cwd, repo)
    return locate(path, cwd, joined(asked.folder, "", cwd, None))
