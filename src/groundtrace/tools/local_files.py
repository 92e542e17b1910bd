"""Tools of harnesses that work on the working copy: Read, Glob, LS, Write, Edit and similar ones.

Structured results (`tool_use_result`) are used if the trace kept them, else the printed text.
Results of subagents have only text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from groundtrace.answers.changed import patch_sections
from groundtrace.answers.cuts import begun_lines
from groundtrace.answers.file_names import usable
from groundtrace.answers.fold import fold, gaps, surfaced, written
from groundtrace.answers.headed import between_dashes
from groundtrace.answers.line import Shown, text_size
from groundtrace.answers.listed import DASHED, dashed_tree, indented, long_listing, tree
from groundtrace.answers.numbered import Numbered, contents, numbered
from groundtrace.answers.object_lines import objects_in
from groundtrace.answers.places import absolute, inside, locate
from groundtrace.answers.tagged import Tagged, in_tags
from groundtrace.base.patterns import regex
from groundtrace.base.values import (
    as_items,
    as_mapping,
    as_texts,
    first_text,
    text_or_empty,
    whole_number,
)
from groundtrace.model import FileRef, ToolCall
from groundtrace.tools import structured
from groundtrace.tools.findings import NOTHING, Findings
from groundtrace.tools.line_shift import body_shift, edit_changes, with_changes
from groundtrace.tools.table import ToolEntry
from groundtrace.traces.kit.frames import is_refusal, shown_text, without_more

_DEFAULT_LIMIT = 2000
_UNREADABLE = regex(
    r"shorter than the provided offset|the file exists but the contents are empty", re.IGNORECASE
)
_NO_FILES = regex(
    r"\s*(?:No files found|No matches found|\(no content\)|\(empty directory\)|Directory [^\n]{1,4096} is empty\.?\s*$)",
    re.IGNORECASE,
)
_NOTE = regex(
    r"\(Results are truncated|\[Showing results|Found \d+ (?:files?|total|matches|results?)|\.\.\.|NOTE:"
    r"|There are more than \d+ |Absolute path: |More than \d+ entries |\(Showing |\[\d+ (?:more|truncated)|Directory listing for |\[Truncated at \d|Only the first \d+ match|\(\d+ (?:items? were )?ignored|Result of search in '",
    re.IGNORECASE,
)
"""Lines in a listing that are notes about the listing, not names."""
_NOT_WRITTEN = regex(
    r"\s*(?:Error:\s*)?(?:String to replace not found|Found \d+ matches of the string|"
    r"File has (?:not been read yet|been modified since|been unexpectedly)|No changes to make|"
    r"No replacements? (?:was|were) (?:performed|made)|Cannot create new file|Failed to (?:apply|edit|write)|"
    r"old_string and new_string are|Could not find)|\s*Error: ",
    re.IGNORECASE,
)
_SIZE = regex(r" \(\d{1,15} bytes\)$")
"""What Gemini CLI writes after a name."""


def read(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """A file that was opened, with the lines shown (D4: a refusal shows no lines)."""
    result = call.result
    if result is None:
        return NOTHING
    stated = structured.stated(result.data)
    if stated is not None:
        return structured.read(call, entry, cwd, stated)
    answer = shown_text(result)
    text = without_more(answer)
    tagged = None if result.is_error else in_tags(text, lambda name: absolute(name, cwd))
    if tagged is not None:
        return _in_tags(tagged, text)
    file = as_mapping(as_mapping(result.data).get("file"))
    path = first_text(call.arguments, entry.path_arguments) or text_or_empty(file.get("filePath"))
    path = absolute(path, cwd)
    lines = begun_lines(text)
    shown = numbered(lines)
    if shown is None and _shows_nothing(text, file):
        return NOTHING
    span = _span_of_data(file)
    shown = contents(lines) if shown is None else _of_the_file(shown, call)
    runs = [span] if span else [] if shown is None else shown.runs
    rule = "read: lines of the structured result" if span else "read: numbered lines of the output"
    if not runs:
        shows = bool(text.strip() or file) and not result.is_error
        if not shows or is_refusal(text) or _UNREADABLE.search(text):
            return NOTHING
        rule = "read: opened, output without line numbers"
    if not usable(path):
        return NOTHING
    chars = text_size(text, cut=text != answer) if shown is None else shown.chars
    ref = FileRef(
        path,
        "read",
        line_start=min(runs)[0] if runs else None,
        line_end=max([end for _, end in runs]) if runs else None,
        ranges=gaps(runs),
        rule=rule,
        shown_chars=chars if text else None,
        printed=text,
    )
    return Findings(refs=(ref,))


def _in_tags(tagged: Tagged, text: str) -> Findings:
    """The files of an answer in tags, or the entries of a directory."""
    if tagged.is_folder:
        refs = fold(tagged.shown, "read: files listed in a directory")
        return Findings(refs=refs, category="file_search", failed=not refs)
    refs = fold(tagged.shown, "read: files in tags")
    if len(refs) == 1:
        refs = (replace(refs[0], printed=text),)
    return Findings(refs=refs, failed=not refs)


def _shows_nothing(text: str, file: Mapping[str, Any]) -> bool:
    """Whether an empty file or a read past the end was shown: no lines (D4).

    The structured result counts one line in both cases.
    """
    is_empty = isinstance(file.get("content"), str) and not file["content"]
    return is_empty or _UNREADABLE.search(text) is not None


def _span_of_data(file: object) -> tuple[int, int] | None:
    """First and last line from `{startLine, numLines, totalLines, content}`.

    If the file ends in a newline, the result counts one more, empty line at its end.
    """
    data = as_mapping(file)
    start, count = whole_number(data.get("startLine")), whole_number(data.get("numLines"))
    if start is None or count is None or start < 1 or count < 1:
        return None
    end = start + count - 1
    total = whole_number(data.get("totalLines"))
    content = text_or_empty(data.get("content"))
    at_end = total is not None and end >= total
    if at_end and end > start and (content.endswith("\n") or not content):
        end -= 1
    return start, end


def _of_the_file(shown: Numbered, call: ToolCall) -> Numbered:
    """The lines shown, without the extra empty line at the end of the file.

    If the answer has as many lines as were asked for, the last one is a line of the file, even if
    it is empty.
    """
    limit = whole_number(call.arguments.get("limit")) or _DEFAULT_LIMIT
    if shown.ends_empty() and shown.end - shown.first + 1 < limit:
        return shown.without_last()
    return shown


def glob(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """File names that a pattern matched, absolute or relative to the working directory."""
    result = call.result
    if result is None:
        return NOTHING
    stated = structured.stated(result.data)
    if stated is not None:
        return structured.glob(call, entry, cwd, stated)
    scope = _scope(call, entry, cwd)
    text = shown_text(result)
    names = as_texts(as_mapping(result.data).get("filenames"))
    if not names or result.persisted_path is not None:
        names = () if is_refusal(text) or result.is_error else tuple(listed(text))
    refs = surfaced((locate(name, cwd, scope) for name in names), "glob: names listed")
    return Findings(refs=refs, failed=not refs)


def _scope(call: ToolCall, entry: ToolEntry, cwd: str | None) -> str:
    """The absolute path that was searched, from the path argument or an absolute pattern."""
    path = first_text(call.arguments, entry.path_arguments)
    if path:
        return absolute(path, cwd)
    pattern = first_text(call.arguments, ("pattern", "globPattern", "glob_pattern"))
    if pattern.startswith("/"):
        literal = re.split(r"[*?\[{]", pattern, maxsplit=1)[0]
        return absolute(posixpath.dirname(literal) or "/", None)
    return cwd if cwd and cwd.startswith("/") else ""


def listed(text: str) -> Iterator[str]:
    """The file names in a listing of one name per line: no notes, no directories (D5)."""
    if _NO_FILES.match(text):
        return
    for line in text.split("\n"):
        name = line.strip().removeprefix("- ./")  # Cursor puts a dash before each name
        if name and not _NOTE.match(name) and usable(name):
            yield name


def listing(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """A directory listing: a tree of `- name` lines, or one name per line, `/` after folders."""
    result = call.result
    if result is None or result.is_error:
        return NOTHING
    stated = structured.stated(result.data)
    if stated is not None:
        return structured.listing(stated)
    text = shown_text(result)
    if is_refusal(text) or not text.strip():
        return NOTHING
    scope = _scope(call, entry, cwd)
    objects = objects_in(text, "name")
    if objects is not None:
        files = (one["name"] for one in objects if one.get("isDir") is not True)
        return Findings(
            refs=surfaced((inside(name, scope) for name in files), "listing: files listed")
        )
    head, _, below = text.partition("\n")
    rows = text.split("\n")
    drawn = next((found for shape in (tree, long_listing) if (found := tuple(shape(rows)))), ())
    if drawn:
        names = tuple(inside(name, scope) for name in drawn)
    elif DASHED.match(text):
        names = tuple(absolute(name, cwd) for name in dashed_tree(rows))
    elif head.endswith("/") and DASHED.match(below):
        names = tuple(
            absolute(name, absolute(head, cwd)) for name in dashed_tree(below.split("\n"))
        )
    elif nested := tuple(indented([row for row in rows if not _NOTE.match(row)])):
        names = tuple(inside(name, scope) for name in nested)
    else:
        plain = (_SIZE.sub("", name).removeprefix("[FILE] ") for name in listed(text))
        names = tuple(
            inside(name, scope)
            for name in plain
            if not name.startswith("[DIR]") and not name.endswith(":")
        )
    return Findings(refs=surfaced(names, "listing: files listed"))


EDITS = ("replacements", "files")
"""Arguments that hold edits with a file each."""


def write(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """The file that was written, from the arguments alone, because results quote whole files."""
    result = call.result
    if result is None or result.is_error:
        return NOTHING
    text = shown_text(result)
    if is_refusal(text) or _NOT_WRITTEN.match(text):
        return NOTHING
    stated = text_or_empty(as_mapping(result.data).get("filePath"))
    path = absolute(first_text(call.arguments, entry.path_arguments) or stated, cwd)
    if usable(path):
        ref = FileRef(path, "written", rule="write: file named in the arguments")
        return Findings(refs=(with_changes(ref, edit_changes(call, text)),))
    # `multi_replace_string_in_file`, and Roo Code's `apply_diff` of several files.
    edits = [as_mapping(one) for name in EDITS for one in as_items(call.arguments.get(name))]
    named = [absolute(first_text(one, entry.path_arguments), cwd) for one in edits]
    return Findings(refs=written(named, "write: file named in one of several edits"))


def patch(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """The files in the text of an `apply_patch` call (`*** Update File: …`)."""
    result = call.result
    if result is None or result.is_error or is_refusal(shown_text(result)):
        return NOTHING
    body = first_text(call.arguments, entry.path_arguments)
    sections = patch_sections(body)
    shifts = {
        absolute(section.name, cwd): body_shift(section.lines)
        for section in sections
        if section.verb == "Update"
    }
    names = (absolute(section.name, cwd) for section in sections)
    named = written(names, "patch: file named in the patch")
    refs = tuple(replace(ref, line_shift=shifts.get(ref.path)) for ref in named)
    changes = as_items(call.arguments.get("changes"))
    if not refs and changes:
        paths = (absolute(text_or_empty(as_mapping(change).get("path")), cwd) for change in changes)
        refs = written(paths, "patch: file named in the changes")
    return Findings(refs=refs, failed=not refs)


def several_files(call: ToolCall, _entry: ToolEntry, cwd: str | None) -> Findings:
    """A tool that prints several files, each below `--- path ---`: these files were read.

    The text has no line numbers. If a file was cut, the answer does not say which lines are left.
    """
    result = call.result
    text = shown_text(result)
    if result is None or result.is_error or is_refusal(text):
        return NOTHING
    shown = [
        Shown(absolute(name, cwd), "read", chars=text_size(body))
        for name, body in between_dashes(text)
    ]
    refs = fold(shown, "read: files below their names")
    return Findings(refs=refs, failed=not refs)
