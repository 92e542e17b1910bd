"""Commands typed into a terminal, and the screen that answers all of a step (Terminus 2).

Each call holds keystrokes. One observation without the id of a call shows the screen: after a prompt
the command again, then what it printed, then the next prompt.
"""

from __future__ import annotations

import re
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

_NO_COMMAND = regex(r"\s*+(?:C-.)?\s*+")
"""Keystrokes that wait for what runs, or stop it."""


def types(calls: Sequence[RawCall | None]) -> bool:
    """Whether all calls of a step are keystrokes."""
    return bool(calls) and all(
        call is not None and call.name == TOOL and KEYS in call.arguments for call in calls
    )


def answered(calls: Sequence[RawCall | None], screen: ToolResult) -> None:
    """Give each call what the screen shows of it; a call that it does not show has no result.

    The last place counts: a screen can still show the same command of an earlier step.
    """
    lines = list(_joined(screen.text.split("\n")))
    prompts = {n: found for n, line in enumerate(lines) if (found := _PROMPT.match(line))}
    places = [*prompts, len(lines)]
    below = len(places) - 1
    for call in reversed(calls):
        if call is None:
            continue
        call.result = None
        typed = text_or_empty(call.arguments.get(KEYS)).strip("\n").split("\n")
        if _NO_COMMAND.fullmatch(typed[0]):
            call.result = screen if len(calls) == 1 else replace(screen, text="")
            continue
        echoes = (k for k in range(below - 1, -1, -1) if _echoes(prompts[places[k]], typed[0]))
        place = next(echoes, None)
        if place is None:
            continue
        cwd = prompts[places[place]]["cwd"]
        call.cwd = cwd if cwd.startswith(("/", "~")) else call.cwd
        below, at, shown = place, places[place] + 1, list[str]()
        for line in typed[1:]:
            end = places[place + 1]
            if at < end and lines[at].removeprefix("> ").rstrip() == line.rstrip():
                at += 1
            elif end < len(lines) and _echoes(prompts[end], line):
                shown += lines[at:end]
                place, at = place + 1, end + 1
        end = places[place + 1]
        text = "".join([f"{line}\n" for line in (*shown, *lines[at:end])])
        if end == len(lines):
            text = text.rstrip("\n")  # rows of the screen that are not used yet
        call.result = replace(screen, text=text)


def _echoes(prompt: re.Match[str], command: str) -> bool:
    """Whether the command was typed behind the prompt."""
    return prompt.string[prompt.end() :].strip() == command.strip()


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
