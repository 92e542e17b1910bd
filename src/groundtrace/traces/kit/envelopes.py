"""Frames of agents that nobody knows by name: their authors put the output of a command into JSON,
between tags, below a label, or between fences (D394).

`frames` knows the words of harnesses. Data sets of chats and logs of model calls come from agents
with words of their own, but the words mean the same everywhere: output, standard error, exit code.
With them, `cat hooks.py` showed lines 1 to 10 of a file that has five.

A frame counts only if it explains the whole text; otherwise all of it is the output.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import BadJsonError, loads
from groundtrace.base.limit import OverLimitError
from groundtrace.base.patterns import regex

_CODES = ("exit_code", "exitcode", "exit_status", "returncode", "return_code", "code")
_OUTPUTS = ("stdout", "output", "command_output", "bash_output", "terminal_output")
_FACTS = frozenset(
    {
        *_CODES,
        *("status", "success", "duration", "duration_ms", "duration_seconds", "execution_time"),
        *("metadata", "exception_info", "truncated", "timed_out", "timeout", "command", "cwd"),
        *("working_directory", "working_dir", "interrupted", "is_image", "isimage", "is_error"),
        *("signal", "pid", "error", "stderr", "message", "wall_time", "elapsed", "name", "system"),
    }
)
_OF_FILES = frozenset(
    {"name", "message", "system", "command", "cwd", "working_directory", "working_dir"}
)
"""Facts that settings of a program hold beside `output`: `{"command": "build", "output": "dist"}`."""


class Unwrapped(Frozen, frozen=True):
    """What a program printed, taken out of a frame."""

    output: str
    errors: str = ""
    failed: bool = False
    """The frame says so, and there is no output."""
    trimmed: bool | None = None
    """Whether a last line break may be missing; None if the whole text says it."""


def unwrapped(text: str) -> Unwrapped | None:
    """The output in a frame; None if there is no frame."""
    start = text[:200].lstrip()
    if start.startswith("{"):
        return _in_json(text)
    if start.startswith("<"):
        return _in_tags(text.strip())
    if start.startswith("```"):
        inner = _unfenced(text.strip())
        return None if inner == text.strip() else Unwrapped(inner)
    if _LABEL.match(start):
        return _below_labels(text.lstrip())
    return None


def _made(output: str, errors: str, code: Any, *, trimmed: bool | None = None) -> Unwrapped:
    is_failure = str(code).strip() not in ("0", "None", "")
    return Unwrapped(output, errors, is_failure and not output.strip(), trimmed)


# --- JSON ---------------------------------------------------------------------------------


def _in_json(text: str) -> Unwrapped | None:
    if not text.rstrip().endswith("}") or not any(f'"{key}"' in text for key in _OUTPUTS):
        return None
    try:
        value = loads(text.encode("utf-8", "surrogatepass"))
    except (BadJsonError, OverLimitError, ValueError):
        return None
    if not isinstance(value, dict):
        return None
    low: Mapping[str, Any] = {key.casefold(): held for key, held in value.items()}
    output = _output_in(low)
    known = _FACTS if low.keys() & {*_OUTPUTS[:1], *_OUTPUTS[2:]} else _FACTS - _OF_FILES
    if output is None or not low.keys() & known or not low.keys() <= {*_FACTS, *_OUTPUTS}:
        return None  # a file may hold `{"output": …}`
    errors = low.get("stderr")
    code = next((low[key] for key in _CODES if low.get(key) is not None), None)
    trimmed = not output.endswith("\n")
    return _made(output, errors if isinstance(errors, str) else "", code, trimmed=trimmed)


def _output_in(fields: Mapping[str, Any]) -> str | None:
    """The output among fields: the first that has text, since a frame may have an empty `stdout`
    beside its `output`."""
    texts = [text for key in _OUTPUTS if isinstance(text := fields.get(key), str)]
    return next((text for text in texts if text.strip("\n")), texts[0] if texts else None)


# --- tags ---------------------------------------------------------------------------------

_AROUND = regex(
    r"<(?P<tag>result|results|function_results?|tool_response|tool_result|execution_results?|observation)>"
    r"(?P<inner>.*)</(?P=tag)>",
    re.DOTALL,
)
_TAG = regex(r"<(\w{1,20})>")


def _in_tags(text: str) -> Unwrapped | None:
    is_told = False
    while (around := _AROUND.fullmatch(text)) is not None:
        text, is_told = around["inner"].strip("\n"), around["tag"] not in ("result", "results")
    fields: dict[str, str] = {}
    at = 0
    while (tag := _TAG.match(text, at)) is not None:
        name = tag[1].casefold()
        # An output may itself hold the closing tag of its field; its last one closes it.
        end = text.rfind(f"</{tag[1]}>", tag.end())
        if end < 0 or name in fields or name not in (*_FACTS, *_OUTPUTS):
            return None
        fields[name] = text[tag.end() : end]
        at = end + len(tag[1]) + 3
        while at < len(text) and text[at].isspace():
            at += 1
    if at < len(text):
        return Unwrapped(text) if is_told and not fields else None
    output = _output_in(fields)
    if output is None:
        return None
    code = next((fields[code] for code in _CODES if code in fields), None)
    errors = fields.get("stderr", "")
    said = _inner(errors) if errors.strip() else ""
    return _made(_inner(output), said, code, trimmed=True)


def _inner(text: str) -> str:
    """The text between tags that stand on lines of their own."""
    if not text.startswith("\n"):
        return text
    return text[1:-1] if text.endswith("\n") and len(text) > 1 else text[1:]


# --- labels and fences --------------------------------------------------------------------

_FACT = (
    r"(?:(?:exit|return)[ _]?(?:code|status)|returncode|execution time|duration|elapsed|wall time|"
    r"working directory|cwd|status|command)[ ]?:[^\n]{0,300}"
    r"|command (?:executed|completed|finished|succeeded|failed)\b[^\n]{0,300}"
)
_OUTPUT = (
    r"(?:\[stdout\]|(?:(?:command|shell|terminal|bash|execution|tool|standard)[ _])?"
    r"(?:output|stdout|result|observation)(?: of \[\w{1,40}\])?:)"
)
_LABEL = regex(rf"(?:{_FACT}|{_OUTPUT}|(?:stdout|output): [^\n]*)(?:\n|\Z)", re.IGNORECASE)
_FACTS_ABOVE = regex(rf"(?:(?:{_FACT})\n)+\n?", re.IGNORECASE)
_CODE_ABOVE = regex(r"(?:exit|return)[ _]?(?:code|status)|returncode", re.IGNORECASE)
_OUTPUT_LINE = regex(rf"(?:{_OUTPUT})\n\n?", re.IGNORECASE)
_KEY = regex(r"(?:output|result|observation):")
"""The first key of many settings in YAML."""
_INLINE = regex(r"(?:stdout|output): ", re.IGNORECASE)
_ERRORS = regex(
    r"(?:\A|\n)\n?(?:\[stderr\]|(?:standard error|stderr):?)[ ]?(?P<errors>[^\n]*(?:\n.*)?)\Z",
    re.IGNORECASE | re.DOTALL,
)
_FACTS_BELOW = regex(rf"(?:\n\n?(?:{_FACT}))+\n*\Z", re.IGNORECASE)


def _below_labels(text: str) -> Unwrapped | None:
    above = _FACTS_ABOVE.match(text)
    rest = text[above.end() :] if above is not None else text
    line = _OUTPUT_LINE.match(rest)
    if line is not None and (above is not None or not _KEY.match(rest)):
        rest = rest[line.end() :]
    elif _INLINE.match(rest) and (_ERRORS.search(rest) or _FACTS_BELOW.search(rest)):
        rest = rest[rest.index(": ") + 2 :]
    elif above is None or not above[0].endswith("\n\n") or not _CODE_ABOVE.search(above[0]):
        return None
    below = _FACTS_BELOW.search(rest)
    code = re.search(r"(?:code|status)\D{0,3}(-?\d+)", above[0] if above is not None else "", re.I)
    if below is not None:
        rest = rest[: below.start() + 1]
    found = _ERRORS.search(rest)
    errors = ""
    if found is not None:
        end = found.start() + rest.startswith("\n", found.start())
        rest, errors = rest[:end], found["errors"].strip("\n")
    return _made(_unfenced(rest), errors, None if code is None else code[1])


def _unfenced(text: str) -> str:
    """The text between two fences that have nothing around them."""
    whole = text.strip()
    if not (whole.startswith("```") and whole.endswith("\n```")) or whole.count("\n```") != 1:
        return text
    return whole[whole.find("\n") + 1 : -4] + "\n"


# --- the prompt of a terminal -------------------------------------------------------------

_PROMPT = regex(r"(?:[^\n]{0,100}[$#%>] ?)?")


def without_prompt(text: str, command: str) -> str:
    """The text without a first line that repeats the command, behind a prompt or not, and without the
    same prompt at the end."""
    line, _, rest = text.partition("\n")
    command = command.strip()
    if not command or "\n" in command or not line.rstrip().endswith(command):
        return text
    prompt = line.rstrip()[: -len(command)]
    if not _PROMPT.fullmatch(prompt):
        return text
    ended = rest.rstrip("\n")
    if prompt.strip() and (
        ended == prompt.strip() or ended.rstrip().endswith("\n" + prompt.strip())
    ):
        rest = ended[: ended.rstrip().rfind(prompt.strip())]
    return rest
