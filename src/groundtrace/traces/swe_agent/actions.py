"""Command lines of SWE-agent's tools as calls with arguments, and what their output says.

An action is a command line, even if the model called a function. `open`, `goto`, `edit` and others
work on the open file, so they get that file as `path`. A line that does not begin with a word of
this vocabulary is a shell command. This includes text that was not meant as a command
(`DISCUSSION`): it was executed as one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex

SHELL = "bash"
NOT_RUN = frozenset(
    {
        "skip",
        "exit_api",
        "exit_context",
        "exit_cost",
        "exit_error",
        "exit_format",
    }
)
"""Actions that the harness writes when a run ends; nothing is executed (D83)."""

_NO_OUTPUT = "Your command ran successfully and did not produce any output."
_BARE_NUMBER = regex(r" *\d+")
_WINDOW = regex(r"\s*\[File: ")
_EDITED = regex(r"\s*(?:\[File: |\[?File (?:updated|\S+ created)|Text replaced|Inserted )")
_FAILED = regex(
    r"""\s*(?:
      EXECUTION\ TIMED\ OUT | COMMAND\ FAILED\ TO\ EXECUTE | BROKEN\ PIPE\ ERROR | EXIT\ DUE\ TO
    | The\ command\ '.*?'\ was\ cancelled\ because | Your\ bash\ command\ contained\ syntax\ errors
    | Interactive\ operation\ | Operation\ '.*?'\ is\ not\ supported | Action\ '.*?'\ is\ not\ allowed
    )""",
    re.VERBOSE | re.DOTALL,
)
"""Texts with which the harness says that a command did not finish."""


class Action(Frozen, frozen=True):
    """The call in a command line."""

    name: str
    arguments: dict[str, Any]
    before: str = ""
    """Commands of the same line that ran before it and show nothing: `cd src && `."""


def read_action(action: str, open_file: str | None = None) -> Action:
    """The call in a command line; `open_file` is the file that is open before it."""
    whole = action.strip()
    before = _quiet_start(whole)
    line = whole[len(before) :]
    first, _, rest = line.partition("\n")
    name = first.split(None, 1)[0] if first else ""
    build = _VOCABULARY.get(name)
    if build is None:
        return Action(SHELL, {"command": whole})
    arguments = build(line[len(name) :].strip(), rest, open_file)
    return Action(name, {k: v for k, v in arguments.items() if v not in (None, "")}, before)


_QUIET = regex(
    r"(?:(?:cd|pushd|export|source|\.|set|unset|mkdir|sleep|true|clear)\b[^\n&|;<>`$()]*+(?:&&|;|\n)\s*+)*+"
)
"""Commands that print nothing from a file, each with the operator after it."""


def _quiet_start(line: str) -> str:
    found = _QUIET.match(line)
    return found[0] if found is not None else ""


def answer_of(name: str, observation: str) -> tuple[str, bool]:
    """The tool's own output, and whether the text says that the call failed.

    The terminal of 1.x ends lines with CRLF; the files that it shows do not.
    """
    text = observation.replace("\r\n", "\n") if "\r" in observation else observation
    if text.strip() == _NO_OUTPUT:
        text = ""
    if name == "str_replace_editor":
        # The end of an output is stripped, and with it the tab of an empty last line.
        last = text.rfind("\n") + 1
        text += "\t" if last and _BARE_NUMBER.fullmatch(text, last) else ""
    if name in ("edit", "insert"):
        return text, _EDITED.match(text) is None
    if name == "create":
        return text, _WINDOW.match(text) is None
    return text, _FAILED.match(text) is not None


# --- the vocabulary -------------------------------------------------------------------------

_Build = Callable[[str, str, str | None], Mapping[str, Any]]


_JOINS = frozenset({"&&", "||", "|", ";", "&"})


def _first_line(text: str) -> list[str]:
    """The words of a line up to the next command: `open a.py && goto 50` opens `a.py`."""
    words: list[str] = []
    for word in split_words(text.partition("\n")[0]):
        if word in _JOINS:
            break
        words.append(word.removesuffix(";"))
        if word.endswith(";"):
            break
    return words


def _at(words: Sequence[str], index: int) -> str | None:
    return words[index] if index < len(words) else None


def _open(text: str, _: str, __: str | None) -> Mapping[str, Any]:
    words = _first_line(text)
    return {"path": _at(words, 0), "line_number": _at(words, 1)}


def _goto(text: str, _: str, open_file: str | None) -> Mapping[str, Any]:
    return {"path": open_file, "line_number": _at(_first_line(text), 0)}


def _search_file(text: str, _: str, open_file: str | None) -> Mapping[str, Any]:
    words = _first_line(text)
    return {"search_term": _at(words, 0), "path": _at(words, 1) or open_file}


def _search_dir(text: str, _: str, __: str | None) -> Mapping[str, Any]:
    words = _first_line(text)
    return {"search_term": _at(words, 0), "dir": _at(words, 1)}


def _find_file(text: str, _: str, __: str | None) -> Mapping[str, Any]:
    words = _first_line(text)
    return {"file_name": _at(words, 0), "dir": _at(words, 1)}


_LINES = regex(r"(\d+):(\d+)\b")


def _edit(text: str, body: str, open_file: str | None) -> Mapping[str, Any]:
    """`edit 3:5`, the new lines and `end_of_edit`; in 1.x also `edit <search> <replace>`."""
    lines = _LINES.match(text)
    if lines is not None:
        body = body.rpartition("end_of_edit")[0] if "end_of_edit" in body else body
        return {
            "path": open_file,
            "start_line": lines[1],
            "end_line": lines[2],
            "replacement_text": body,
        }
    words = split_words(text)
    return {"path": open_file, "search": _at(words, 0), "replace": _at(words, 1)}


def _insert(text: str, _: str, open_file: str | None) -> Mapping[str, Any]:
    words = split_words(text)
    return {"path": open_file, "text": _at(words, 0), "line": _at(words, 1)}


_NUMBERS = {"view_range": 2, "insert_line": 1}
"""Flags of the editor that take numbers, and how many numbers."""


def _editor(text: str, _: str, __: str | None) -> Mapping[str, Any]:
    words = split_words(text)
    arguments: dict[str, Any] = {"command": _at(words, 0)}
    position = 1
    while position < len(words):
        word = words[position]
        position += 1
        if not word.startswith("--"):
            arguments.setdefault("path", word)
            continue
        flag, equals, value = word[2:].partition("=")
        count = _NUMBERS.get(flag, 1)
        values = [value] if equals else words[position : position + count]
        position += 0 if equals else count
        if flag in _NUMBERS:
            numbers = [int(v) for v in values if re.fullmatch(r"-?\d{1,9}", v)]
            arguments[flag] = numbers if count > 1 else next(iter(numbers), None)
        else:
            arguments[flag] = values[0] if values else None
    return arguments


def _submit(text: str, _: str, __: str | None) -> Mapping[str, Any]:
    return {"submission": text}


_VOCABULARY: Mapping[str, _Build] = {
    "open": _open,
    "create": _open,
    "filemap": _open,
    "goto": _goto,
    "scroll_down": _goto,
    "scroll_up": _goto,
    "search_file": _search_file,
    "search_dir": _search_dir,
    "find_file": _find_file,
    "edit": _edit,
    "insert": _insert,
    "str_replace_editor": _editor,
    "submit": _submit,
}


_QUOTED = r"""'([^']*+)'|"((?:[^"\\]++|\\.)*+)"|\\(.)"""
_PIECE = r"""[^ \t\r\n"'\\]++|'[^']*+'|"(?:[^"\\]++|\\.)*+"|\\."""
_LINE = regex(rf"(?:[ \t\r\n]++|{_PIECE})*+", re.DOTALL)
_WORD = regex(rf"(?:{_PIECE})++", re.DOTALL)
_PART = regex(_QUOTED, re.DOTALL)
_ESCAPED = regex(r'\\(["\\])')


def split_words(text: str) -> list[str]:
    """The words of a line without their quotes; if a quote is not closed, what blanks separate."""
    if not _LINE.fullmatch(text):
        return text.split()
    return [_PART.sub(_unquoted, word) for word in _WORD.findall(text)]


def _unquoted(part: re.Match[str]) -> str:
    single, double, escaped = part.groups()
    if double is not None:
        return _ESCAPED.sub(r"\1", double)
    return single if single is not None else escaped
