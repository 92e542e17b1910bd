"""`str_replace_editor` and similar tools, by sub-command (D2).

For several parallel calls OpenHands records the arguments of the first call for all of them. So the
file that the output names is used, and the arguments only if the output names none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from groundtrace.answers.cuts import begun_lines
from groundtrace.answers.file_names import named_like_file, usable
from groundtrace.answers.fold import gaps, surfaced
from groundtrace.answers.line import text_size
from groundtrace.answers.numbered import SPACED, SURE, numbered, numbered_lines, runs_of
from groundtrace.answers.places import absolute
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, first_text, text_or_empty, whole_number
from groundtrace.model import Category, FileRef, ToolCall
from groundtrace.tools.findings import Findings
from groundtrace.tools.line_shift import edit_changes, with_changes
from groundtrace.tools.table import ToolEntry
from groundtrace.traces.kit.frames import is_refusal, shown_text

_SHOWS_FILE = regex(
    r"\s*Here's the result of running `cat -n` on (?:the file: )?(?!a snippet)(?P<path>[^\n]+?):?\n"
)
_SHOWS_FOLDER = regex(
    r"\s*Here(?:'s| are) the files and directories(?=[^\n]*+\n)[^\n]* in (?P<path>/[^\n,:]*+)[^\n]*+\n"
)
_WROTE = regex(
    r"\s*(?:File created successfully at: (?P<created>\S++(?:[^\S\n]++(?![(\n]|\Z)\S++)*+)"
    r"|(?:The file )(?P<edited>/[^\n]*?) has been (?:edited|created|updated|overwritten)"
    r"|Last edit to (?P<undone>/[^\n]*?) undone)"
)
_REFUSED = regex(
    r"\s*(?:ERROR|Error\b|Invalid |No replacement was performed|No edit history|Parameter `|"
    r"Missing required|The path |File already exists|Unrecognized command|Ran into )"
)
_ABBREVIATED = regex(
    r"\s*<NOTE>This file is too large to display entirely\. Showing abbreviated version\.[^\n]*\n"
)
"""SWE-agent's view of a large Python file: bodies of functions are left out."""
_LEFT_OUT = regex(r"\.\.\. eliding lines \d+-\d+ \.\.\.")
_HEAD = 8192
_WRITES = ("create", "str_replace", "insert", "undo_edit")


def editor(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """What a call of the editor viewed or wrote."""
    text = shown_text(call.result)
    given = absolute(first_text(call.arguments, entry.path_arguments), cwd)
    command = text_or_empty(call.arguments.get("command"))
    head = text[:_HEAD]
    shows, folder, wrote = _SHOWS_FILE.match(head), _SHOWS_FOLDER.match(head), _WROTE.match(head)
    if wrote is not None or (command in _WRITES and shows is None and folder is None):
        path = next((p for p in wrote.groups() if p), given) if wrote else given
        return _written(call, text, absolute(path, cwd))
    if folder is not None:
        root = absolute(folder["path"], cwd)
        names = tuple(_folder_files(text[folder.end() :], root))
        refs = surfaced(names, "editor: files listed by view")
        return Findings(refs=refs, category="file_search")
    category: Category = "file_search" if _is_folder(call, text) else "file_read"
    if call.result is None or category == "file_search":
        return Findings(failed=True, category=category)
    if shows is None and (call.result.is_error or _REFUSED.match(text) or is_refusal(text)):
        return Findings(failed=True, category=category)
    if shows is None and (short := _ABBREVIATED.match(head)) is not None and usable(given):
        return _viewed_in_part(text[short.end() :], given)
    return _viewed(call, text, shows, given, cwd)


def _viewed_in_part(body: str, path: str) -> Findings:
    """A view that left out lines of the file and said so."""
    numbers = numbered_lines(body.split("\n"), SPACED)
    lines = [line for line in numbers if not _LEFT_OUT.fullmatch(line.text.strip())]
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


def _viewed(
    call: ToolCall, text: str, shows: re.Match[str] | None, given: str, cwd: str | None
) -> Findings:
    """A file that was opened.

    The extra empty line at the end of a view is not a line of the file.
    """
    path = absolute(shows["path"], cwd) if shows else given
    body = text[shows.end() :] if shows else text
    spaced = shows is not None and SPACED.match(body) is not None
    form = SPACED if spaced else SURE
    shown = numbered(begun_lines(body), form)
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


def _is_folder(call: ToolCall, text: str) -> bool:
    """Whether a view that showed no file showed a directory."""
    path = text_or_empty(call.arguments.get("path"))
    return (
        path.endswith("/")
        or "files and directories" in text[:200]
        or "is a directory" in text[:300]
    )


def _folder_files(body: str, root: str) -> Iterator[str]:
    """Files in a view of a directory. In newer versions folders end in `/`.

    Older versions do not mark folders. There a name is a file if nothing lies below it and it has
    an extension or a name that only files have.
    """
    names: list[str] = []
    for line in body.split("\n"):
        name = line.strip()
        if not name or (name.startswith("(") and name.endswith(")")):
            if names and not name:
                break
            continue
        names.append(name if name.startswith("/") else f"{root}/{name}")
    marked = any(name.endswith("/") for name in names)
    parents = {name.rpartition("/")[0] for name in names}
    for name in names:
        if name.endswith("/") or name.rstrip("/") == root or name in parents:
            continue
        if marked or named_like_file(name):
            yield name
