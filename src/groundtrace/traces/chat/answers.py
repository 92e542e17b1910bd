"""The answer to a call, without the frame that a data set or a harness put around it."""

from __future__ import annotations

import re

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.traces.swe_agent.actions import answer_of

_FRAME = regex(
    r"\s*(?:Exit code: (?P<code>[^\n]*)\n)?"
    r"(?:OBSERVATION:\n?|(?:EXECUTION RESULT|(?P<fresh>Execution output)) of \[[^\]\n]*\]:\n?)",
)
_STEP = regex(r"This is step \d++ of a maximum of \d++\. Steps Remaining: -?\d++\.\s*+\Z")
_STEP_BEGINS = "This is step "
_STDOUT = regex(r"(?:Error executing command:\s*+)?\[STDOUT\]\n\n")
_STREAMS = ("[STDOUT]", "Error executing command:")
_STDERR = "\n[STDERR]"
_PROMPT = regex(
    r"\n?\(Open file: (?P<file>[^\n]*)\)\n\(Current directory: (?P<folder>[^\n]*)\)\nbash-\$\s*\Z"
)
_SHELL_LINE = regex(r"[\w.-]{1,64}@[\w.-]{1,64}:(?P<at>[^\n]{1,400}) [#$] ?\r?\n")
_FOOTER_LINE = regex(
    r"\[(?:The command completed with exit code|Current working directory:|Python [Ii]nterpreter:"
    r"|Command (?:-?\d+ )?finished with exit code|Jupyter|The command has no new output)"
)
"""OpenHands of 2024 also shows the shell's prompt, above the exit code."""
_EXIT = regex(r"exit code (-?\d+)")
_FOLDER = regex(r"\[Current working directory: (/[^\n\]]{0,400}+)\]")


class CallAnswer(Frozen, frozen=True):
    """The answer to one call."""

    text: str
    failed: bool = False
    folder: str | None = None
    """Directory after the call, if the frame states it."""
    open_file: str | None = None
    """File that is open after the call; empty if none is."""
    fresh: bool = False
    """Whether the frame is from a harness that runs every command in a new shell."""


def read_answer(name: str, text: str) -> CallAnswer:
    """A call's own output, from the message that answers it."""
    failed = fresh = False
    frame = _FRAME.match(text)
    if frame is not None:
        fresh = frame["fresh"] is not None
        code = frame["code"]
        failed = code is not None and code.strip() != "0"
        text = text[frame.end() :]
    if text.rstrip().endswith("."):
        text = _without_step(text)
    if text.startswith(_STREAMS):
        text = _joined_streams(text)
    folder, open_file = None, None
    prompt = _prompt_in(text)
    if prompt is not None:
        folder, open_file = prompt["folder"], prompt["file"].replace("n/a", "")
        text = text[: prompt.start()]
    start, at = _footer_of(text)
    if start < len(text):
        code_in = _EXIT.search(text, start)
        failed = failed or (code_in is not None and code_in[1] != "0")
        place = _FOLDER.search(text, start)
        folder = place[1] if place else at if at.startswith("/") else folder
        text = text[:start]
    if text.lstrip().startswith("ERROR:"):
        failed = True
    text, refused = answer_of(name, text)
    return CallAnswer(text, failed or refused, folder, open_file, fresh)


# What the next functions look for is at the end of an answer. A pattern that was tried at every
# character of the answer took more time than all else about a chat.


def _without_step(text: str) -> str:
    """An answer without R2E-Gym's count of steps."""
    start = text.rfind(_STEP_BEGINS)
    if start < 0 or _STEP.match(text, start) is None:
        return text
    return text[:start].rstrip("\n")


def _joined_streams(text: str) -> str:
    """R2E-Gym's two streams as one text; they are separated by the last line `[STDERR]`."""
    opened = _STDOUT.match(text)
    if opened is None:
        return text
    end = text.rfind(_STDERR) - 1
    if end < opened.end() or text[end] != "\n":
        return text
    out = text[opened.end() : end].removesuffix(" ").strip("\n")
    err = text[end + 1 + len(_STDERR) :].strip()
    return "\n".join(part for part in (out, err) if part.strip())


def _prompt_in(text: str) -> re.Match[str] | None:
    """SWE-agent's prompt: the last three lines."""
    shown = text.rstrip()
    if not shown.endswith("bash-$"):
        return None
    start = len(shown)
    for _ in range(3):
        start = max(0, shown.rfind("\n", 0, start))
    return _PROMPT.search(text, start)


def _footer_of(text: str) -> tuple[int, str]:
    """Where the footer begins, and the folder of the shell's prompt in it."""
    start, folder = len(text.rstrip()), ""
    end = start
    while (line := text.rfind("\n", 0, start)) >= 0:
        prompt = _SHELL_LINE.match(text, line + 1) if start < end else None
        if prompt is None and not _FOOTER_LINE.match(text, line + 1):
            break
        start, folder = line, folder or (prompt["at"] if prompt else "")
    return (start if start < end else len(text)), folder


def state_of(text: str) -> tuple[str, str] | None:
    """Directory and open file (empty if none is) that the prompt at the end of a message shows."""
    prompt = _prompt_in(text)
    return None if prompt is None else (prompt["folder"], prompt["file"].replace("n/a", ""))
