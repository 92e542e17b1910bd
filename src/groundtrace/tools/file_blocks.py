"""Answers in blocks that begin with the name of a file.

Gemini CLI's search prints `File: path` and below it `L12: text`, with `---` between blocks; that of
opencode prints `path:` and below it `  Line 12: text`; that of Cursor prints the path alone and
below it `  12:text`, in a tag. Gemini CLI's tool for several files prints `--- path ---` before the
text of each file. Searches of other harnesses answer with an object that lists the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from groundtrace.answers.fold import FilesWithLines
from groundtrace.answers.places import absolute, locate
from groundtrace.answers.refusals import is_refusal, shown_text
from groundtrace.base import jsonio
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, as_mapping, text_or_empty, whole_number
from groundtrace.model import ToolCall
from groundtrace.tools.findings import NOTHING, Findings
from groundtrace.tools.table import ToolEntry

_FILE = regex(r"File: (?P<path>[^\n]+)")
_LINE = regex(r"(?:L|  Line )(?P<number>\d{1,9})(?P<mark>[:-]) ?")
_WORKSPACE = regex(r'\s*<workspace_result workspace_path="(?P<root>[^"\n]{1,4096})">\n')
_NUMBER = regex(r"\s*(?P<number>\d{1,9})[:-]")
_ABOVE_LINES = regex(r"(?P<path>\S[^\n]{0,4095}):")
_BLOCK = regex(r"^--- (?P<path>[^\n]{1,4096}?) ---$", re.MULTILINE)
_END = "End of content"


def found_blocks(text: str, cwd: str | None, scope: str) -> FilesWithLines | None:
    """Files and lines of an answer in blocks below names; None if it has no such block."""
    workspace = _WORKSPACE.match(text[:5000])
    if workspace is not None:
        return _in_workspace(text[workspace.end() :], workspace["root"])
    spans = FilesWithLines("matched", "grep: blocks of lines")
    path = None
    lines = text.split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        file = _FILE.fullmatch(line)
        if file is None and following.startswith("  Line "):
            file = _ABOVE_LINES.fullmatch(line)
        if file is not None:
            path = locate(file["path"].strip(), cwd, scope)
            spans.add(path)
        elif path is not None and (shown := _LINE.match(line)) is not None:
            spans.add(path, int(shown["number"]), chars=len(line) + 1)
    return spans if path is not None else None


def _in_workspace(body: str, root: str) -> FilesWithLines:
    """Files below the root of a workspace: a name, and below it the lines that were found."""
    spans = FilesWithLines("matched", "grep: blocks of lines", bare_kind="surfaced")
    path = None
    for line in body.partition("</workspace_result>")[0].split("\n"):
        shown = _NUMBER.match(line)
        if path is not None and shown is not None:
            spans.add(path, int(shown["number"]), chars=len(line) + 1)
        elif line and line[0] not in " \t([" and not line.endswith(":"):
            path = absolute(line.strip(), root)
            spans.add(path)
    return spans


def listed_files(text: str, cwd: str | None, scope: str) -> FilesWithLines | None:
    """Files of an answer that is an object with `files`; None for any other answer.

    `{"files": [{"path": …, "firstMatchLine": 69, "sample": "…"}]}` shows that one line of each
    file.
    """
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = jsonio.loads(text.encode("utf-8", errors="surrogatepass"))
    except jsonio.BadJsonError:
        return None
    spans = FilesWithLines("matched", "grep: files of the result", bare_kind="surfaced")
    if not isinstance(as_mapping(value).get("files"), list):
        return None
    for entry in as_items(value["files"]):
        path, line, sample = _entry(entry)
        if path:
            spans.add(locate(path, cwd, scope), line if sample else None, chars=len(sample) or None)
    return spans


def _entry(entry: Any) -> tuple[str, int | None, str]:
    if isinstance(entry, str):
        return entry, None, ""
    members = as_mapping(entry)
    line = whole_number(members.get("firstMatchLine"))
    return text_or_empty(members.get("path")), line, text_or_empty(members.get("sample"))


def several_files(call: ToolCall, _entry: ToolEntry, cwd: str | None) -> Findings:
    """A tool that prints several files, each below its name: these files were read.

    The text has no line numbers. If a file was cut, the answer does not say which lines are left.
    """
    result = call.result
    text = shown_text(result)
    if result is None or result.is_error or is_refusal(text):
        return NOTHING
    spans = FilesWithLines("read", "read: files below their names")
    for path, size in _blocks(text):
        spans.add(absolute(path, cwd), shown=True, chars=size)
    return Findings(refs=spans.refs(), failed=not spans)


def _blocks(text: str) -> Iterator[tuple[str, int]]:
    marks = list(_BLOCK.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):  # `ends` has one item even without marks
        body = text[mark.end() : end].strip("\n")
        if body and mark["path"] != _END:
            yield mark["path"], len(body)
