"""Calls of unknown tools: what they touched, from their arguments and answers alone (D46).

There are three steps, one module each. The names of arguments and fields are one table (`words`).

1. `arguments`: the files, folders and repositories that the arguments name, and whether the call
   asks or writes something.
2. `objects` for JSON, `texts` for text: the files that the answer holds, with lines. The shapes of
   text are one table, tried in order.
3. `_findings` below is the only rule for kinds and category. It looks at what the call did, not at
   the tool's name, except that agents are known by theirs: their prose is no write (D204). If it
   cannot decide, the call stays unknown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from groundtrace.answers.fold import Run, fold
from groundtrace.answers.found import BARE, BREAK, found_in
from groundtrace.answers.line import Shown, in_runs, text_size
from groundtrace.answers.numbered import contents, is_past_the_end
from groundtrace.answers.objects import MAX_FILES, objects_in
from groundtrace.answers.payload import Payload, parse, payload_of
from groundtrace.answers.places import locate
from groundtrace.answers.texts import SHAPES, matches, text_of
from groundtrace.base.patterns import regex
from groundtrace.base.values import distinct
from groundtrace.model import AccessKind, CallView, Category, FileRef, Problem, ToolCall
from groundtrace.paths.windows import is_drive
from groundtrace.tools.findings import Findings
from groundtrace.tools.generic import status
from groundtrace.tools.generic.arguments import AskedFile, AskedFiles, asked_of, joined
from groundtrace.tools.table import ToolEntry
from groundtrace.traces.kit.frames import without_more

__all__ = ["generic_findings", "generic_reader", "generic_view"]

MAX_CHARACTERS = 4_000_000
"""How many characters of one answer are read."""
_AGENT = regex(r"(?:^|[_.-]|(?<=[a-z]))(?:[Ss]ub)?[Aa]gents?$")
"""Tools that hand work to agents, or wait for them (`waitForAgents`)."""
_CONTENT_RULE = "content of the file of the arguments"
_DATA_FILES = (".json", ".jsonl", ".ndjson", ".ipynb", ".lock", ".map", ".geojson", ".webmanifest")
"""Files whose own content is JSON."""


class AnswerFiles(msgspec.Struct, frozen=True):
    """The files that an answer holds."""

    shown: tuple[Shown, ...] = ()
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
    # `documentSymbol` of a file shows names and lines, not its content.
    found = generic_findings(call, cwd, question=entry.category == "symbol_navigation")
    refs = tuple(
        replace(
            ref, evidence="declared", rule=f"{entry.short}: {ref.rule.removeprefix('generic: ')}"
        )
        for ref in found.refs
    )
    return replace(found, refs=refs, category=None)


def generic_findings(call: ToolCall, cwd: str | None, *, question: bool = False) -> Findings:
    """What a call touched, from its arguments and its answer alone. `question`: the tool asks."""
    asked = asked_of(call.arguments)
    if question:
        asked = replace(asked, question=True)
    if _AGENT.search(call.name):
        asked = replace(asked, delegates=True)
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
        shown = tuple(_beside_error(payload, asked)) if is_error else ()
        refs = _placed(shown, "lines beside an error", asked, cwd, read=False)
        return _said(refs, "code_search", repos, failed=not refs)
    written = None if asked.delegates else _written(asked, payload)
    if written is not None:
        return _said(_written_files(written, asked, cwd), "file_write", repos)
    if asked.data:
        return Findings(repos=repos)
    answer = _answer(payload, asked)
    repos = distinct((*repos, *answer.repos))
    own = None if asked.question else _opened(asked, payload, answer)
    if own is not None:
        kind, lines, rule = own
        refs = _placed(lines, rule, asked, cwd, read=True)
        return _said(refs, "file_read" if kind == "read" else "file_search", repos)
    lines = answer.shown
    if asked.question and not lines:
        lines = tuple(_matched_in_file(asked, payload))
    refs = _placed(lines, answer.shape or "numbered lines", asked, cwd, read=False)
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
        return AnswerFiles(
            bounded(found.shown), tuple(found.repos), "fields of the result", found.left_out
        )
    body = text_of(payload.text, asked.repo, question=asked.question)
    for shape in SHAPES:
        lines = bounded(shape.read(body))
        if lines:
            left_out = len({(line.repo, line.path) for line in lines}) >= MAX_FILES
            return AnswerFiles(lines, (), shape.name, left_out)
    return AnswerFiles()


def bounded(lines: Iterable[Shown]) -> tuple[Shown, ...]:
    """The lines of the first `MAX_FILES` files."""
    known: set[tuple[str | None, str]] = set()
    kept = []
    for line in lines:
        key = (line.repo, line.path)
        if key not in known:
            if len(known) >= MAX_FILES:
                continue
            known.add(key)
        kept.append(line)
    return tuple(kept)


def _beside_error(payload: Payload, asked: AskedFiles) -> Iterable[Shown]:
    """Lines that an answer shows although it is an error (D4)."""
    if payload.value is not None:
        return ()
    return bounded(matches(text_of(payload.text, asked.repo)))


def _matched_in_file(asked: AskedFiles, payload: Payload) -> Iterable[Shown]:
    """Numbered lines of the one file that was searched."""
    if len(asked.files) == 1 and payload.value is None:
        lines = [line for line in text_of(payload.text).lines if line.strip()]
        if all(line == BREAK or BARE.match(line) for line in lines):
            yield from found_in(lines, asked.files[0].path, asked.repo)
            return
        found = contents(lines)
        if found is not None:
            yield from in_runs(asked.files[0].path, "matched", found.runs, found.chars, asked.repo)


# --- files that the arguments name ----------------------------------------------------------


def _opened(
    asked: AskedFiles, payload: Payload, answer: AnswerFiles
) -> tuple[AccessKind, tuple[Shown, ...], str] | None:
    """The content of the files that the arguments name; None if the answer shows other files."""
    if not asked.files:
        return None
    if answer.shown and all(_is_asked(line, asked) for line in answer.shown):
        if any(line.kind != "surfaced" for line in answer.shown):
            return "read", _with_asked_lines(answer.shown, asked), answer.shape
        return "surfaced", answer.shown, answer.shape
    if payload.value is not None:
        return _opened_json(asked, payload)
    text = text_of(payload.text).text
    several = tuple(_one_by_one(asked, text)) if len(asked.files) > 1 else ()
    if several:
        return "read", several, "content below the names of the arguments"
    if status.is_done(payload) or status.is_staged(text):
        return "surfaced", (), ""
    first = asked.files[0]
    if status.is_fact_sheet(text):
        return (
            "surfaced",
            (Shown(first.path, "surfaced", repo=asked.repo),),
            "facts about the file of the arguments",
        )
    if status.is_remark(text, first.path) or _is_other_list(answer, text):
        return None
    if len(asked.files) > 1:
        return None
    if is_past_the_end(text):
        return "surfaced", (), ""
    lines = _asked_lines(first, without_more(text))
    return "read", _content(first, lines, text, asked.repo), _CONTENT_RULE


def _content(file: AskedFile, stated: Run | None, text: str, repo: str | None) -> tuple[Shown, ...]:
    """Content of one file: its lines by their numbers, else as the arguments state them."""
    numbered = contents(text.split("\n"))
    if numbered is not None:
        return tuple(in_runs(file.path, "read", numbered.runs, numbered.chars, repo))
    first, last = stated or (None, None)
    own = without_more(text)
    return (Shown(file.path, "read", first, last, text_size(own, cut=own != text), repo),)


def _opened_json(
    asked: AskedFiles, payload: Payload
) -> tuple[AccessKind, tuple[Shown, ...], str] | None:
    """A file whose own content is JSON, a picture, or an object with content and no name."""
    first = asked.files[0]
    blocks = payload.value if isinstance(payload.value, list) else [payload.value]
    is_picture = any(isinstance(b, dict) and b.get("type") in ("image", "audio") for b in blocks)
    is_own = first.path.lower().endswith(_DATA_FILES)
    content = payload.mapping.get("content") or payload.mapping.get("text")
    if len(asked.files) > 1 or not (is_picture or is_own or isinstance(content, str)):
        return None
    if isinstance(content, str):
        return "read", _content(first, first.lines, content, asked.repo), _CONTENT_RULE
    start, end = first.lines or (None, None)
    return "read", (Shown(first.path, "read", start, end, repo=asked.repo),), _CONTENT_RULE


def _is_asked(line: Shown, asked: AskedFiles) -> bool:
    """Whether the arguments name a file of the answer; one path may be longer than the other."""
    name = _tail(line.path[2:] if line.from_diff and line.path[:2] in ("a/", "b/") else line.path)
    for file in asked.files:
        other = _tail(file.path)
        if name == other or name.endswith(f"/{other}") or other.endswith(f"/{name}"):
            return True
    return False


def _tail(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./").strip("/")


def _with_asked_lines(lines: tuple[Shown, ...], asked: AskedFiles) -> tuple[Shown, ...]:
    """The lines that were asked for, if the answer states none."""
    stated = asked.files[0].lines
    if len(asked.files) > 1 or stated is None or any(line.first for line in lines):
        return lines
    return tuple(replace(line, first=stated[0], last=stated[1]) for line in lines)


def _asked_lines(file: AskedFile, text: str) -> Run | None:
    """The lines that were asked for, but not more lines than the answer has."""
    if file.lines is None:
        return None
    start, end = file.lines
    count = text.removesuffix("\n").count("\n") + 1
    return start, min(end, start + count - 1)


def _one_by_one(asked: AskedFiles, text: str) -> Iterable[Shown]:
    """Several opened files: `name:` alone on a line, then its content."""
    lines = text.split("\n")
    names = {file.path: file for file in asked.files}
    for number, line in enumerate(lines):
        file = names.get(line.rstrip().removesuffix(":")) if line.rstrip().endswith(":") else None
        if file is not None and any(below.strip() for below in lines[number + 1 : number + 3]):
            first, last = file.lines or (None, None)
            yield Shown(file.path, "read", first, last, repo=asked.repo)


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
    text = text_of(payload.text).text
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
    lines: Iterable[Shown], rule: str, asked: AskedFiles, cwd: str | None, *, read: bool
) -> tuple[FileRef, ...]:
    """References to the files, with paths in the container or in their repository.

    `read`: the call asked for the content itself, so nothing of it is a match.
    """
    given = {file.path for file in asked.files}
    paths: dict[tuple[str | None, str], str] = {}
    placed = []
    for line in lines:
        key = (line.repo, line.path)
        path = line.path if line.from_diff else paths.get(key)
        if path is None:
            is_given = line.path in given
            path = paths[key] = _where(line.path, line.repo, asked, cwd, is_given=is_given)
        kind = "read" if read and line.kind == "matched" else line.kind
        placed.append(replace(line, path=path, kind=kind))
    refs = fold(placed, f"generic: {rule}")
    return tuple(replace(ref, evidence="generic") for ref in refs)


def _written_files(paths: Iterable[str], asked: AskedFiles, cwd: str | None) -> tuple[FileRef, ...]:
    places = (_where(path, asked.repo, asked, cwd, is_given=True) for path in paths)
    return tuple(
        FileRef(
            path, "written", repo=asked.repo, rule="generic: named by a write", evidence="generic"
        )
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
