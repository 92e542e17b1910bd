"""Commands typed into a terminal, and the screen that answers all of a step (Terminus 2).

Each call holds keystrokes. One observation without the id of a call shows the screen: after a prompt
the command again, then what it printed, then the next prompt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from groundtrace.base.patterns import regex
from groundtrace.base.values import text_or_empty
from groundtrace.model import ToolResult
from groundtrace.traces.source import RawCall

TOOL = "bash_command"
KEYS = "keystrokes"
_WIDTH = 160
"""Columns of Terminus's terminal: a longer line goes on in the next row."""
_PROMPT = regex(
    r"(?:\([^()\n]{1,60}\) )?[\w.-]{1,64}@[\w.-]{1,64}:(?P<cwd>[^\n#$]{1,400})[#$](?: |$)"
)


def types(calls: Sequence[RawCall | None]) -> bool:
    """Whether all calls of a step are keystrokes."""
    return bool(calls) and all(
        call is not None and call.name == TOOL and KEYS in call.arguments for call in calls
    )


def answered(calls: Sequence[RawCall | None], screen: ToolResult) -> None:
    """Give each call what the screen shows of it; a call that it does not show has no result."""
    lines = list(_joined(screen.text.split("\n")))
    at = 0
    for call in calls:
        if call is None:
            continue
        call.result = None
        typed = text_or_empty(call.arguments.get(KEYS)).strip("\n").split("\n")
        found = next((n for n in range(at, len(lines)) if _echoes(lines[n], typed[0])), None)
        if found is None:
            continue
        prompt = _PROMPT.match(lines[found])
        cwd = "" if prompt is None else prompt["cwd"]
        call.cwd = cwd if cwd.startswith("/") else call.cwd
        at = found + 1
        for line in typed[1:]:
            at += at < len(lines) and lines[at].removeprefix("> ").rstrip() == line.rstrip()
        end = next((n for n in range(at, len(lines)) if _PROMPT.match(lines[n])), len(lines))
        text = "".join([f"{line}\n" for line in lines[at:end]])
        if end == len(lines):
            text = text.rstrip("\n")  # rows of the screen that are not used yet
        call.result = replace(screen, text=text)
        at = end


def _echoes(line: str, command: str) -> bool:
    prompt = _PROMPT.match(line)
    return prompt is not None and line[prompt.end() :].strip() == command.strip()


def _joined(rows: Sequence[str]) -> Iterator[str]:
    """The lines of a screen, whose rows end at its width."""
    line = ""
    for row in rows:
        line += row
        if len(row) != _WIDTH:
            yield line
            line = ""
    if line:
        yield line
