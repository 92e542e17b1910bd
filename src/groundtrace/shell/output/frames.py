"""What harnesses put around an output: exit codes, directories, notices. No program printed it."""

from __future__ import annotations

import re

import msgspec

from groundtrace.base.patterns import regex

REFUSED = regex(
    r"\s*(?:<tool_use_error>|ERROR: Cannot execute multiple commands at once"
    r"|Permission to use \w+ .*(?:denied|not allowed)|This command requires approval"
    r"|The user doesn't want to proceed|\[Request interrupted by user|\[Operation Cancelled\] Reason: "
    r"|Claude requested permissions|Error: Permission|Sibling tool call errored"
    r"|ERROR: This action appears to print |Repeated read-file actions without valid "
    r"|failed in sandbox |patch rejected by user|exec_command failed"
    r"|execution error: [^\n]*\(os error \d+\)\s*$|aborted by user after [\d.]+s)"
)
"""The command was not run."""
_NOTHING = {
    "(Bash completed with no output)",
    "(no output)",
    "(empty)",
    "<system>Tool ran without output</system>",
    "Tool ran without output",
    "Command executed successfully with no output",
    "Your command ran successfully and did not produce any output.",
}
_TRAILER = regex(
    r"(?:Shell cwd was reset to \S.*"
    r"|\[The command completed with exit code -?\d+\.?\].*"
    r"|\[Command finished with exit code -?\d+\]"
    r"|\[Current working directory: .*\]"
    r"|\[Python [Ii]nterpreter: .*\]"
    r"|\[Command timed out.*"
    r"|\[The command (?:has no new output|timed out).*"
    r"|Command timed out after .*"
    r"|Command running in background with ID.*"
    r"|Command exited with code -?\d+|Command aborted"  # pi
    r"|Command failed with exit code: -?\d+\."  # Kimi
    r"|<exited with exit code -?\d+>)$"  # Copilot CLI
)
_EXIT = regex(r"(?:Error: )?Exit code -?\d+$|\[Below is the output of the previous command\.\]$")
_TAGGED = regex(
    r"\s*+(?:<explore_context>(?>.*?</explore_context>)\s*+)?+"
    r"<returncode>(?P<code>-?\d+)</returncode>\n(?:<warning>(?>.*?</warning>)\s*+)?+"
    r"(?:<output>\n?(?P<output>.*?)\n?</output>\s*$|(?P<rest><output_head>.*)$)",
    re.DOTALL,
)
"""mini-swe-agent: the exit code and the output between tags."""
_LABELLED = regex(
    r"(?:Command: (?:(?!\nChunk ID: )[\s\S]){0,20000}+\n(?=Chunk ID: ))?"
    r"(?:(?:Exit code: -?\d+|Chunk ID: \w+|Wall time: [\d.]+ seconds?|Process exited with code -?\d+"
    r"|Process running with session ID \d+|Original token count: \d+|Total output lines: \d+)\n)+Output:\n"
)
"""Codex: facts about the run, then the output. Codex Desktop repeats the command before them."""
_NAMED_FIELDS = regex(r"(?:Command: .*?\nDirectory: [^\n]*\n)?(?:Output|Stdout): ", re.DOTALL)
_LAST_FIELD = regex(
    r"(?:Error|Stderr|Exit Code|Signal|Background PIDs|Process Group PGID|Warning): .*$"
)
"""Gemini: named fields, one of them the output."""
_SAVED = regex(
    r"Tool output was too large and has been truncated\.\n(?:The full output has been saved to: [^\n]*\n)?"
    r"(?:To read the complete output[^\n]*\n(?:[^\n]*\n){0,6}?)?(?:Truncated part of the output:\n)"
)
_PREVIEW = regex(r"Preview \(first [^)]*\):\n")


class Framed(msgspec.Struct, frozen=True):
    """An output without its frame."""

    text: str
    failed: bool = False
    """The frame says that the command failed."""


def preview(text: str) -> str:
    """The part of a persisted output that the model saw (D4)."""
    found = _PREVIEW.search(text)
    shown = text[found.end() :] if found else text
    return shown.split("</persisted-output>")[0].removesuffix("\n").removesuffix("\n...")


_OPENINGS = (
    "<returncode>", "<explore_context>", "Exit code: ", "Chunk ID: ", "Wall time: ", "Command: ",
    "Output: ", "Stdout: ", "Tool output was too large",
)  # fmt: skip
"""How the frames below begin; most outputs have none of them."""


def unframed(text: str) -> Framed:
    """The output inside the frame of a harness."""
    start = text[:200].lstrip()
    if not start.startswith(_OPENINGS):
        return Framed(text)
    if start.startswith(("<returncode>", "<explore_context>")):
        found = _TAGGED.match(text)
        if found is not None:
            inner = found["rest"] if found["output"] is None else found["output"]
            return Framed(inner, found["code"] != "0" and not inner.strip())
    elif start.startswith(("Exit code: ", "Chunk ID: ", "Wall time: ")):
        found = _LABELLED.match(text)
        if found is not None:
            return Framed(text[found.end() :])
    elif start.startswith(("Command: ", "Output: ", "Stdout: ")):
        found = _LABELLED.match(text) if "\nChunk ID: " in text else None
        if found is not None:
            return Framed(text[found.end() :])
        found = _NAMED_FIELDS.match(text)
        inner = _without_fields(text[found.end() :]) if found is not None else None
        if inner is not None:
            return Framed(inner)
    elif start.startswith("Tool output was too large"):
        found = _SAVED.match(text)
        if found is not None:
            return Framed(text[found.end() :])
    return Framed(text)


def _without_fields(text: str) -> str | None:
    """The output field; None if no other field follows, because then it is not a frame."""
    lines = text.rstrip("\n").split("\n")
    end = len(lines)
    while end and _LAST_FIELD.match(lines[end - 1]):
        end -= 1
    return None if end == len(lines) else "\n".join(lines[:end]) + "\n"


def _without_reminders(text: str) -> str:
    """The text without notes of Claude Code to its model at the end."""
    while text.endswith("</system-reminder>"):
        start = text.rfind("<system-reminder>")
        if start < 0 or (start and text[start - 1] != "\n"):
            break
        text = text[:start].rstrip("\n")
    return text


def lines_of(text: str) -> list[str]:
    """The lines that programs printed: without notices before and after."""
    if text.endswith(("</system-reminder>", "</system-reminder>\n")):
        text = _without_reminders(text.rstrip("\n"))
    if len(text) < 100 and text.strip() in _NOTHING:
        return []
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    while lines and _TRAILER.match(lines[-1]):
        lines.pop()
        while lines and not lines[-1]:
            lines.pop()
    if lines and _EXIT.match(lines[0]):
        del lines[0]
    if lines and lines[0].startswith("Command timed out after ") and _TRAILER.match(lines[0]):
        del lines[0]  # Claude Code says it above what the command had printed until then
    return lines
