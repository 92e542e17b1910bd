"""The answer to a command: its output without the frame, and whether it failed.

The frame is `<returncode>0</returncode>` and `<output>…</output>`. Output over 10,000 characters
shows its start and its end, with the number of characters between them. A timeout has no code. The
ContextBench variant puts the context that the agent declared first, and refuses commands that print
code without it. The output of a submission goes to the harness and is never shown to the agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from groundtrace.base.frozen import Frozen
from groundtrace.base.mcp import content_text
from groundtrace.base.patterns import regex
from groundtrace.model import StatedLines
from groundtrace.traces.mini_swe_agent.records import Message

SUBMIT = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
"""If the output of a command begins with this line, the rest of it is the submission."""
_SUBMITS = regex(rf"\b(?:{SUBMIT}|MINI_SWE_AGENT_FINAL_OUTPUT)\b")


def _tagged(name: str) -> str:
    """Pattern for an optional element with its content; it never backtracks into the element."""
    return rf"(?:<{name}>(?:(?!</{name}>).)*+</{name}>\s*+)?"


_BEFORE = r"\s*+" + _tagged("explore_context") + _tagged("context_received") + _tagged("exception")
_CODE = regex(_BEFORE + r"<returncode>\s*+(-?\d++)\s*+</returncode>", re.DOTALL)
_TIMEOUT = regex(r"\s*The last command <command>.*?</command> timed out", re.DOTALL)
_ELIDED = regex(r"\s*+(\d++)")
_NOTES = ("<context_received>", "<context_request>", "No context provided. Submitting")
REFUSALS = (
    "ERROR: This action appears to print source code content",
    "Repeated read-file actions without valid EXPLORE_CONTEXT",
)
"""Answers to commands that the ContextBench variant did not run."""


class CallAnswer(Frozen, frozen=True):
    """The answer to one command."""

    text: str
    """The part of the command's output that the agent saw."""
    failed: bool = False
    """Whether it was refused, timed out, or ended with a code other than 0."""
    submitted: bool = False
    """Whether the output was submitted and not shown."""
    ran: bool = True
    """Whether something shows that the command ran."""


def read_answer(command: str, messages: Sequence[Message], *, ended: bool) -> CallAnswer:
    """The answer that one or more messages give to a command.

    `ended` says that the run ended by submitting right after these messages.
    """
    texts = [content_text(message.content) for message in messages]
    for text, message in zip(texts, messages, strict=True):
        code = _CODE.match(text)
        if code is not None:
            return _checked(command, _output(text[code.end() :]), code[1] != "0")
        if _TIMEOUT.match(text):
            return CallAnswer(_output(text).removesuffix("\n"), failed=True)  # the frame's newline
        extra = message.extra
        if extra is None:
            continue
        if isinstance(extra.raw_output, str) and isinstance(extra.returncode, int):
            return _checked(command, extra.raw_output, extra.returncode != 0)
    refused = next((text for text in texts if text.lstrip().startswith(REFUSALS)), None)
    if refused is not None:
        return CallAnswer(refused, failed=True, ran=False)
    # The output of a submission is handed in and not shown: the agent read nothing of it.
    if _SUBMITS.search(command) or ended:
        return CallAnswer(f"{SUBMIT}\n", submitted=True)
    rest = [text for text in texts if not text.lstrip().startswith(_NOTES)]
    return CallAnswer("\n".join(rest), failed=True, ran=False)


def _checked(command: str, text: str, failed: bool) -> CallAnswer:
    """An answer with a code; it can be a submission that the harness asked to repeat."""
    shown = text.lstrip()
    is_submission = shown.startswith(SUBMIT) and shown.partition("\n")[0].strip() == SUBMIT
    if is_submission and _SUBMITS.search(command):
        return CallAnswer(f"{SUBMIT}\n", failed, submitted=True)
    return CallAnswer(text, failed)


def has_code(messages: Sequence[Message]) -> bool:
    """Whether any of these messages shows that a command ran."""
    return any(_CODE.match(content_text(message.content)) for message in messages)


def _output(text: str) -> str:
    head = _between(text, "<output_head>", "</output_head>")
    tail = elided = None
    if head is not None:
        tail = _between(text, "<output_tail>", "</output_tail>", to_last=True)
        elided = _ELIDED.match(_between(text, "<elided_chars>", "</elided_chars>") or "")
    if head is None or tail is None or elided is None:
        whole = _between(text, "<output>", "</output>", to_last=True) or ""
        return whole.removeprefix("\n")
    head = head.removeprefix("\n").removesuffix("\n")
    tail = tail.removeprefix("\n").removesuffix("\n")
    return f"{_whole_end(head)}... [{elided[1]} characters truncated] ...\n{_whole_start(tail)}"


def _between(text: str, start: str, end: str, *, to_last: bool = False) -> str | None:
    """The text between the first `start` and the next `end` (with `to_last`, the last `end`)."""
    begin = text.find(start)
    if begin < 0:
        return None
    begin += len(start)
    stop = text.rfind(end) if to_last else text.find(end, begin)
    return text[begin:stop] if stop >= begin else None


def _whole_end(head: str) -> str:
    """The start up to its last whole line: half a path would name another file."""
    return head if head.endswith("\n") else head[: head.rfind("\n") + 1]


def _whole_start(tail: str) -> str:
    """The end without its first line, which may be incomplete."""
    return tail.partition("\n")[2]


# --- the context that an agent states at the end, if a variant of the harness asks for it ---
# ContextBench's variant asks for a block with the code that the patch is based on:
#
#     <PATCH_CONTEXT>
#     File: /repo/src/app.py
#     Lines: 10-20
#     </PATCH_CONTEXT>

OPENS, CLOSES = "<PATCH_CONTEXT>", "</PATCH_CONTEXT>"

_DIGITS = 9
"""A number with more digits is not a line number."""


def stated_context(text: str) -> tuple[StatedLines, ...]:
    """The files and lines of the last block in a reply; empty if there is none."""
    found: tuple[StatedLines, ...] = ()
    for part in text.split(OPENS)[1:]:
        block, closed, _ = part.partition(CLOSES)
        lines = tuple(_entries(block)) if closed else ()
        found = lines or found
    return found


def _entries(block: str) -> Iterator[StatedLines]:
    path = ""
    for line in block.splitlines():
        name, _, value = line.strip().partition(":")
        if name == "File":
            path = value.strip()
        elif name == "Lines" and path:
            first, _, last = (part.strip() for part in value.partition("-"))
            if _is_line(first) and _is_line(last) and 1 <= int(first) <= int(last):
                yield StatedLines(path, int(first), int(last))


def _is_line(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _DIGITS
