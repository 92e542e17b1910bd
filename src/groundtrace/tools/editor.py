"""`str_replace_editor` and similar tools, by sub-command (D2).

For several parallel calls OpenHands records the arguments of the first call for all of them. So the
file that the output names is used, and the arguments only if the output names none.
"""

from __future__ import annotations

from groundtrace.answers.cuts import begun_lines
from groundtrace.answers.editor_text import (
    View,
    abbreviated_view,
    file_view,
    folder_files,
    folder_view,
    written_file,
)
from groundtrace.answers.file_names import is_file, looks_like_folder, usable
from groundtrace.answers.fold import gaps, surfaced
from groundtrace.answers.line import text_size
from groundtrace.answers.numbered import SPACED, SURE, Line, contents, dotted, numbered, runs_of
from groundtrace.answers.places import absolute
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, first_text, text_or_empty, whole_number
from groundtrace.model import Category, FileRef, ToolCall
from groundtrace.tools.findings import Findings
from groundtrace.tools.line_shift import edit_changes, with_changes
from groundtrace.tools.table import ToolEntry
from groundtrace.traces.kit.frames import is_refusal, shown_text

_REFUSED = regex(
    r"\s*(?:ERROR|Error\b|Invalid |No replacement was performed|No edit history|Parameter `|"
    r"Missing required|The path |File already exists|Unrecognized command|Ran into |Traceback \(most recent call last\):\n)"
)
_WRITES = ("create", "str_replace", "insert", "undo_edit", "set", "add", "remove")
"""The last three are those of Trae's editor of JSON."""


def editor(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """What a call of the editor viewed or wrote."""
    text = shown_text(call.result)
    given = absolute(first_text(call.arguments, entry.path_arguments), cwd)
    command = first_text(call.arguments, ("command", "operation"))
    shows, folder, wrote = file_view(text), folder_view(text), written_file(text)
    if wrote or (command in _WRITES and shows is None and folder is None):
        return _written(call, text, absolute(wrote or given, cwd))
    if shows is None and folder is None and _lists(given, text):
        folder = View(given, text)
    if folder is not None:
        root = absolute(folder.path, cwd)
        names = tuple(folder_files(folder.body, root))
        refs = surfaced(names, "editor: files listed by view")
        return Findings(refs=refs, category="file_search")
    category: Category = "file_search" if _is_folder(call, text) else "file_read"
    if call.result is None or category == "file_search":
        return Findings(failed=True, category=category)
    if shows is None and (call.result.is_error or _REFUSED.match(text) or is_refusal(text)):
        return Findings(failed=True, category=category)
    short = abbreviated_view(text) if shows is None and usable(given) else None
    if short is not None:
        return _viewed_in_part(short, given)
    return _viewed(call, text, shows, given, cwd)


def _viewed_in_part(lines: list[Line], path: str) -> Findings:
    """A view that left out lines of the file and said so."""
    runs = runs_of(lines)
    if not runs:
        return Findings(failed=True, category="file_read")
    ref = FileRef(
        path,
        "read",
        line_start=runs[0][0],
        line_end=runs[-1][1],
        ranges=gaps(runs),
        rule="editor: lines of an abbreviated view",
        shown_chars=sum([line.size for line in lines]),
    )
    return Findings(refs=(ref,), category="file_read")


def _written(call: ToolCall, text: str, path: str) -> Findings:
    refused = (
        call.result is None or call.result.is_error or _REFUSED.match(text) or is_refusal(text)
    )
    if refused or not usable(path):
        return Findings(failed=True, category="file_write")
    ref = FileRef(path, "written", rule="editor: file that was created or edited")
    changes = [] if call.arguments.get("command") == "undo_edit" else edit_changes(call, text)
    return Findings(refs=(with_changes(ref, changes),), category="file_write")


def _viewed(call: ToolCall, text: str, shows: View | None, given: str, cwd: str | None) -> Findings:
    """A file that was opened.

    The extra empty line at the end of a view is not a line of the file.
    """
    path = absolute(shows.path, cwd) if shows else given
    body = shows.body if shows else text
    spaced = shows is not None and SPACED.match(body) is not None
    lines = begun_lines(body)
    shown = numbered(lines, SPACED if spaced else SURE) or contents(lines) or dotted(lines)
    if not usable(path) or (shown is None and not body.strip()):
        return Findings(failed=True, category="file_read")
    if shown is not None and shown.ends_empty():
        asked = as_items(call.arguments.get("view_range"))
        wanted = whole_number(asked[1]) if len(asked) == 2 and path == given else None
        if wanted != shown.last.number:
            shown = shown.without_last()
    ref = FileRef(
        path,
        "read",
        line_start=None if shown is None else shown.first,
        line_end=None if shown is None else shown.end,
        ranges=None if shown is None else gaps(shown.runs),
        rule="editor: lines that view showed",
        shown_chars=text_size(body) if shown is None else shown.chars,
        printed=body,
    )
    return Findings(refs=(ref,), category="file_read")


def _lists(path: str, text: str) -> bool:
    """Whether an answer lists a folder and says nothing else, as Copilot CLI's `view` does."""
    lines = text.split()
    return (
        looks_like_folder(path) and text.count("\n") >= len(lines) - 1 and any(map(is_file, lines))
    )


def _is_folder(call: ToolCall, text: str) -> bool:
    """Whether a view that showed no file showed a directory."""
    path = text_or_empty(call.arguments.get("path"))
    return (
        path.endswith("/")
        or "files and directories" in text[:200]
        or "is a directory" in text[:300]
    )
