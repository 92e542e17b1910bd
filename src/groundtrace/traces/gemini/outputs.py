"""The output of a call: the answer to the model, without what Gemini CLI puts around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping
from groundtrace.traces.gemini.records import Call
from groundtrace.traces.kit.fit import value_of

SHELL = "run_shell_command"
"""Gemini CLI's shell."""
_ROOT = "(root)"
"""Name, in a command's output, of the folder in which Gemini CLI runs."""
_FACT = regex(
    r"\n(?:Error: (?P<error>[^\n]*)|Exit Code: (?P<code>-?\d+|\(none\))|Signal: [^\n]*"
    r"|Background PIDs: [^\n]*|Process Group PGID: [^\n]*)\Z"
)
"""The last line after a command's output that states a fact about the run."""
_MAX_FACTS = 8
READ = "read_file"
_PARTS = regex(
    r"\n?(?:IMPORTANT: The file content has been truncated\.\n"
    r"Status: Showing lines (?P<first>\d{1,9})-(?P<last>\d{1,9}) of \d{1,9} total lines\.\n"
    r"(?:[^\n]*\n){0,4}?--- FILE CONTENT \(truncated\) ---\n"
    r"|\[File content truncated: showing lines (?P<from>\d{1,9})-(?P<to>\d{1,9}) of[^\n]*\]\n)"
)
"""The text before the lines of a file that was shown in part."""
_PLACES = ("offset", "limit", "start_line", "end_line")
_NO_TEXT = regex(r"Cannot display content of|Skipped |Read (?:image|pdf|audio|video) file")


class Output(msgspec.Struct, frozen=True, gc=False):
    """The output of a call."""

    text: str
    failed: bool = False
    cwd: str | None = None
    """The folder in which a command ran, if its output states it."""
    data: Any = None
    """Which lines of a file are shown, because the text has no line numbers."""


def read_result(call: Call, name: str, arguments: Mapping[str, Any]) -> Output | None:
    """The answer to a call as the model saw it; None if the session has none."""
    failed = call.status in ("error", "cancelled")
    answer = _answer(call.result)
    if answer is None:
        return Output(_displayed(call), True) if failed else None
    text, is_error = answer
    if name == SHELL and not is_error:
        command = arguments.get("command")
        output = shell_output(text, command if isinstance(command, str) else "")
        return msgspec.structs.replace(output, failed=True) if failed else output
    if name == READ and not is_error and not failed:
        return _shown_lines(text, arguments)
    return Output(text, is_error or failed)


def _displayed(call: Call) -> str:
    """The text that the terminal displayed."""
    shown = value_of(call.result_display)
    return shown if isinstance(shown, str) else ""


def _shown_lines(text: str, arguments: Mapping[str, Any]) -> Output:
    """The text of a file, and which lines it shows. A whole file begins at line 1; a part states
    its lines."""
    part = _PARTS.match(text)
    if part is not None:
        first, last = int(part["first"] or part["from"]), int(part["last"] or part["to"])
        shown = {"startLine": first, "numLines": last - first + 1}
        return Output(text[part.end() :], data={"file": shown} if last >= first >= 1 else None)
    given = any(arguments.get(name) is not None for name in _PLACES)
    if given or not text or _NO_TEXT.match(text):
        return Output(text)
    count = text.count("\n") + (not text.endswith("\n"))
    return Output(text, data={"file": {"startLine": 1, "numLines": count}})


def _answer(result: Any) -> tuple[str, bool] | None:
    """The text, and whether it is an error, from a part, a list of parts or a text."""
    parts = result if isinstance(result, list) else [result]
    texts: list[str] = []
    is_error = found = False
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            found = True
            continue
        members = as_mapping(part)
        response = members.get("functionResponse")
        if isinstance(response, dict):
            found = True
            said = as_mapping(response.get("response"))
            if "output" in said:
                texts.append(_text(said["output"]))
            if "error" in said:
                texts.append(_text(said["error"]))
                is_error = is_error or "output" not in said
            elif said and "output" not in said:
                texts.append(_text(said))
        elif isinstance(members.get("text"), str):
            texts.append(members["text"])
            found = True
        elif "inlineData" in members or "fileData" in members:
            found = True
    return ("\n".join([text for text in texts if text]), is_error) if found else None


def _text(value: Any) -> str:
    """A response as text; answers of servers are objects."""
    if isinstance(value, str):
        return value
    content = as_mapping(value).get("content")
    if isinstance(content, list):
        from groundtrace.base.mcp import content_text

        return content_text(content)
    if value is None:
        return ""
    import json

    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def shell_output(text: str, command: str) -> Output:
    """What a command printed, without the facts around it.

    Until 2025: `Command: …`, `Directory: …`, `Output: …`, then facts. Later: only `Output: …` and
    the facts that are not trivial.
    """
    directory = None
    body = text
    if body.startswith(f"Command: {command}\nDirectory: "):
        line, _, body = body[len(f"Command: {command}\nDirectory: ") :].partition("\n")
        directory = line.strip()
    if not body.startswith("Output: "):
        return Output(text)
    body = body.removeprefix("Output: ")
    code, error = None, ""
    for _ in range(_MAX_FACTS):
        fact = _FACT.search(body, max(0, body.rfind("\n")))
        if fact is None:
            break
        code = fact["code"] if fact["code"] is not None else code
        error = fact["error"] if fact["error"] is not None else error
        body = body[: fact.start()]
    printed = "" if body == "(empty)" else body
    failed = code not in (None, "0", "(none)") or (
        code is None and error not in ("", "(none)") and not printed
    )
    if error not in ("", "(none)"):
        printed = f"{printed}\n{error}" if printed else error
    absolute = directory is not None and directory != _ROOT and directory.startswith("/")
    return Output(printed, failed, directory if absolute else None)
