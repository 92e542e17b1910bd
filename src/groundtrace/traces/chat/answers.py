"""The answer to a call, without the frame that a data set or a harness put around it."""

from __future__ import annotations

import re

from groundtrace.frozen import Frozen
from groundtrace.patterns import regex
from groundtrace.traces.swe_agent.actions import answer_of

_FRAME = regex(
    r"\s*(?:Exit code: (?P<code>[^\n]*)\n)?"
    r"(?:OBSERVATION:\n?|(?:EXECUTION RESULT|(?P<fresh>Execution output)) of \[[^\]\n]*\]:\n?)",
)
_STEP = regex(
    r"(?<!\n)\n*+This is step \d++ of a maximum of \d++\. Steps Remaining: -?\d++\.\s*+\Z"
)
_STREAMS = regex(
    r"(?:Error executing command:\s*)?\[STDOUT\]\n\n(.*?) ?\n\n\[STDERR\](?!.*\n\[STDERR\])(.*)\Z",
    re.DOTALL,
)
_PROMPT = regex(
    r"\n?\(Open file: (?P<file>[^\n]*)\)\n\(Current directory: (?P<folder>[^\n]*)\)\nbash-\$\s*\Z"
)
_FOOTER = regex(
    r"(?:\n\[(?:The command completed with exit code|Current working directory:"
    r"|Python interpreter:|Command finished with exit code|Jupyter|The command has no new output)"
    r"[^\n]*\]?)+\s*\Z"
)
# Each of the three stands at the end of an answer, and a pattern that is tried at every character
# took more time than all else about a chat. So plain text is looked for first.
_STEP_BEGINS = "This is step "
_PROMPT_BEGINS = "(Open file: "
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
    if _STEP_BEGINS in text:
        text = _STEP.sub("", text)
    streams = _STREAMS.match(text)
    if streams is not None:
        out, err = streams[1].strip("\n"), streams[2].strip()
        text = "\n".join(part for part in (out, err) if part.strip())
    folder, open_file = None, None
    prompt = _prompt_in(text)
    if prompt is not None:
        folder, open_file = prompt["folder"], prompt["file"].replace("n/a", "")
        text = text[: prompt.start()]
    footer = _footer_of(text)
    if footer is not None:
        code_in = _EXIT.search(footer[0])
        failed = failed or (code_in is not None and code_in[1] != "0")
        place = _FOLDER.search(footer[0])
        folder = place[1] if place else folder
        text = text[: footer.start()]
    if text.lstrip().startswith("ERROR:"):
        failed = True
    text, refused = answer_of(name, text)
    return CallAnswer(text, failed or refused, folder, open_file, fresh)


def _prompt_in(text: str) -> re.Match[str] | None:
    return _PROMPT.search(text) if _PROMPT_BEGINS in text else None


def _footer_of(text: str) -> re.Match[str] | None:
    """The footer, looked for in the last lines that begin as its lines do."""
    shown = text.rstrip()
    start = len(shown)
    while (line := shown.rfind("\n", 0, start)) >= 0 and shown.startswith("[", line + 1):
        start = line
    return _FOOTER.search(text, start) if start < len(shown) else None


def state_of(text: str) -> CallAnswer:
    """Directory and open file that the prompt at the end of a message shows."""
    prompt = _prompt_in(text)
    if prompt is None:
        return CallAnswer("")
    return CallAnswer("", folder=prompt["folder"], open_file=prompt["file"].replace("n/a", ""))
