"""Messages of a trajectory as types, what the model asked to run, and what came back.

Only what is needed has a field, so msgspec skips the rest: `extra.response` repeats every reply
with its reasoning, which is half of a file. A message of any other form is decoded completely and
fitted (`kit.fit`).

The frame of an answer is `<returncode>0</returncode>` and `<output>…</output>`. Output over 10,000
characters shows its start and its end, with the number of characters between them. A timeout has no
code. The ContextBench variant puts the context that the agent declared first, and refuses commands
that print code without it. The output of a submission goes to the harness and is never shown to the
agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from groundtrace.base.frozen import Frozen
from groundtrace.base.mcp import content_text
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_mapping, as_text
from groundtrace.model import StatedLines
from groundtrace.traces.kit.fit import as_arguments


class Tokens(msgspec.Struct, frozen=True, gc=False):
    """Tokens of one model call, as the file states them."""

    prompt_tokens: Any = None
    completion_tokens: Any = None
    prompt_tokens_details: Any = None


class Response(msgspec.Struct, frozen=True, gc=False):
    """The answer of the model's server, without the reply itself."""

    model: Any = None
    usage: Tokens | None = None


class Extra(msgspec.Struct, frozen=True, gc=False):
    """What the harness adds to a message."""

    actions: Any = None
    response: Response | None = None
    timestamp: Any = None
    tool_call_id: Any = None
    raw_output: Any = None
    returncode: Any = None


NO_EXTRA, NO_RESPONSE, NO_TOKENS = Extra(), Response(), Tokens()


class Message(msgspec.Struct, frozen=True, gc=False):
    """One message."""

    role: Any = None
    content: Any = None
    timestamp: Any = msgspec.UNSET
    """Unset if the message has no such member: then the one in `extra` counts."""
    tool_calls: Any = None
    tool_call_id: Any = None
    extra: Extra | None = None
    object: Any = None
    """`response` for a reply of the Responses API, which has no role."""
    call_id: Any = None
    output: Any = None
    """The answer to a call of the Responses API."""

    @property
    def is_reply(self) -> bool:
        """Whether the model wrote it."""
        return bool(self.role == "assistant" or self.object == "response")

    @property
    def text(self) -> str:
        """What an answer says."""
        return content_text(self.output if self.content is None else self.content)

    @property
    def moment(self) -> float | None:
        """When it was written: stated on the message in 1.17, in `extra` from 2.0 on."""
        stated = self.timestamp
        if stated is msgspec.UNSET:
            stated = None if self.extra is None else self.extra.timestamp
        return None if stated is None else parse_time(stated)


class Root(msgspec.Struct):
    """A trajectory, with the members that are needed."""

    messages: list[Message]
    info: Any = None
    instance_id: Any = None


# --- what the model asked to run in one reply ---
# Up to 1.x, and in 2.x without tool calling, a command is the only fence of a reply. A reply with no
# fence or with several is answered with a reminder, and nothing runs. In 2.x the harness also
# records what it took from the reply (`extra.actions`), which is the best evidence, and models may
# call the tool `bash`, several times in one reply.

_FENCES = {
    opens: regex(opens + r"\s*\n(.*?)\n```", re.DOTALL)
    for opens in ("```mswea_bash_command", "```bash")
}


class Asked(Frozen, frozen=True):
    """One command of a reply."""

    command: str
    call_id: str | None = None


class Reply(Frozen, frozen=True):
    """The commands of a reply, and how many fences it had."""

    commands: tuple[Asked, ...] = ()
    fences: int = 0
    bad: int = 0
    """Commands that are not texts."""


def read_reply(message: Message) -> Reply:
    """The commands that ran, or would have run, after a reply of the model."""
    actions = None if message.extra is None else message.extra.actions
    if isinstance(actions, list):
        found = [_action(item) for item in actions]
        return Reply(tuple(asked for asked in found if asked), 0, found.count(None))
    calls = message.tool_calls
    if isinstance(calls, list) and calls:
        found = [_tool_call(item) for item in calls]
        return Reply(tuple(asked for asked in found if asked), 0, found.count(None))
    text = content_text(message.content)
    for opens, pattern in _FENCES.items():
        commands = _fenced(text, opens, pattern) if opens in text else ()
        if commands:
            single = (Asked(commands[0].strip()),) if len(commands) == 1 else ()
            return Reply(single, len(commands))
    return Reply()


def _fenced(text: str, opens: str, pattern: re.Pattern[str]) -> Sequence[str]:
    """What the pattern finds, looked for as plain text: ten times as fast on long commands."""
    found: list[str] = []
    at = 0
    while (start := text.find(opens, at)) >= 0:
        line_end = _LINE_END.match(text, start + len(opens))
        if line_end is None:
            at = start + 1
            continue
        at = text.find("\n```", line_end.end())
        if at < 0:
            return pattern.findall(text)
        found.append(text[line_end.end() : at])
        at += 4
    return found


_LINE_END = regex(r"\s*\n")


def _action(item: Any) -> Asked | None:
    command = as_mapping(item).get("command", as_mapping(item).get("action"))
    if not isinstance(command, str):
        return None
    return Asked(command, as_text(as_mapping(item).get("tool_call_id")))


def _tool_call(item: Any) -> Asked | None:
    function = as_mapping(as_mapping(item).get("function"))
    arguments = as_arguments(function.get("arguments")) or {}
    command = arguments.get("command", arguments.get("cmd"))
    return Asked(command, as_text(as_mapping(item).get("id"))) if isinstance(command, str) else None


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


def read_answer(command: str, messages: Sequence[Message], *, ended: bool) -> CallAnswer:
    """The answer that one or more messages give to a command.

    `ended` says that the run ended by submitting right after these messages.
    """
    texts = [message.text for message in messages]
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
        return CallAnswer(refused, failed=True)
    # The output of a submission is handed in and not shown: the agent read nothing of it.
    if _SUBMITS.search(command) or ended:
        return CallAnswer(f"{SUBMIT}\n")
    rest = [text for text in texts if not text.lstrip().startswith(_NOTES)]
    return CallAnswer("\n".join(rest), failed=True)


def _checked(command: str, text: str, failed: bool) -> CallAnswer:
    """An answer with a code; it can be a submission that the harness asked to repeat."""
    shown = text.lstrip()
    is_submission = shown.startswith(SUBMIT) and shown.partition("\n")[0].strip() == SUBMIT
    if is_submission and _SUBMITS.search(command):
        return CallAnswer(f"{SUBMIT}\n", failed)
    return CallAnswer(text, failed)


def has_code(messages: Sequence[Message]) -> bool:
    """Whether any of these messages shows that a command ran."""
    return any(_CODE.match(message.text) for message in messages)


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
