"""What harnesses say around the output of a tool, or instead of it. No tool printed it.

A harness puts exit codes, directories and notices around an output, refuses a call in its own
words, repeats the command, or marks the agent's submission. The same harness writes several formats,
and formats such as ATIF and chats hold the outputs of any harness, so all of it is known here, by
what it looks like. What comes after the traces sees an output alone: `printed` for a command,
`shown_text` for every other tool.
"""

from __future__ import annotations

import re

from groundtrace.base.patterns import regex
from groundtrace.model import Printed, ToolResult
from groundtrace.traces.kit.envelopes import unwrapped, without_prompt

MAX_CHARS = 8_000_000
"""More output than this is not read: no harness shows so much to a model."""
_NOT_RUN = regex(
    r"\s*(?:<tool_use_error>|ERROR: Cannot execute multiple commands at once"
    r"|Permission to use \w+ .*(?:denied|not allowed)|This command requires approval"
    r"|The user doesn't want to proceed|\[Request interrupted by user|\[Operation Cancelled\] Reason: "
    r"|Claude requested permissions|Error: Permission|Sibling tool call errored"
    r"|ERROR: This action appears to print |Repeated read-file actions without valid "
    r"|failed in sandbox |patch rejected by user|exec_command failed"
    r"|execution error: [^\n]*\(os error \d+\)\s*$|aborted by user after [\d.]+s"
    r"|Command was (?:automatically )?cancelled [^\n]*$"  # Gemini; the output may follow
    r"|timed out: bash has (?:not returned|exited))"  # Anthropic's bash tool
)
"""The command was not run."""
_NOT_EXECUTED = '" is NOT executed. The previous command is still running'
"""OpenHands: below what an earlier command printed."""
_REFUSALS = (
    "<tool_use_error>", "ERROR: ", "Permission to use", "This command requires", "The user doesn't",
    "[Request", "[Operation", "Claude requested", "Error: Permission", "Sibling tool",
    "Repeated read-file", "failed in sandbox", "patch rejected", "exec_command failed",
    "execution error: ", "aborted by user", "Command was ", "timed out: bash",
)  # fmt: skip
"""How these begin: most outputs begin otherwise, and the pattern is never compiled for them."""
_NOTHING = {
    "(Bash completed with no output)",
    "(no output)",
    "(empty)",
    "<system>Tool ran without output</system>",
    "Tool ran without output",
    "Command executed.",  # Cline
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
    r"|<(?:exited|shellId: \S{1,40} completed) with exit code -?\d+>"  # Copilot CLI
    r"|\[(?:Process (?:completed|exited) with )?exit code:? -?\d+\]|Exit code: -?\d+)$"
)
_TRAILERS = (
    *(
        "Shell cwd",
        "[The command",
        "[Command ",
        "[Current",
        "[Python",
        "Command ",
        "<exited",
        "<shellId: ",
    ),
    *("[Process ", "[exit code", "Exit code: "),
)
_EXIT = regex(
    r"(?:Error: )?Exit code -?\d+$|<system>(?:Command executed successfully\.|ERROR: Command failed with exit code: -?\d+\.)</system>$|\[Below is the output of the previous command\.\]$"
)
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
SHORTENED = regex(
    r"\A(?:Warning: truncated output \(original token count: \d+\)\n)?Total output lines: \d+\n\n"
)
"""Codex: above an output that it shortened, inside the frame."""
_NAMED_FIELDS = regex(r"(?:Command: .*?\nDirectory: [^\n]*\n)?(?:Output|Stdout): ", re.DOTALL)
_LAST_FIELD = regex(
    r"(?:Error|Stderr|Exit Code|Signal|Background PIDs|Process Group PGID|Warning): .*$"
)
"""Gemini: named fields, one of them the output."""
_TASK = regex(
    r"\s*+(?:<(?:retrieval_status|task_id|task_type|status|exit_code)>[^<\n]{0,200}</\w{1,20}>\s*+)++"
    r"(?:<(?P<tag>output|stdout)>\n?(?P<output>.*?)\n?</(?P=tag)>)?+",
    re.DOTALL,
)
"""Claude Code: what a command in the background printed, below facts about it."""
_SAVED = regex(
    r"Tool output was too large and has been truncated\.\n(?:The full output has been saved to: [^\n]*\n)?"
    r"(?:To read the complete output[^\n]*\n(?:[^\n]*\n){0,6}?)?(?:Truncated part of the output:\n)"
)
_STARTED = regex(r"(?:Process|Command) started with PID \d+[^\n]*\nInitial output:\n")
_STATES = ("✅ Process ", "🔄 Process ", "⏳ Process ", "Command is still running")
"""Desktop Commander, a server with a shell."""
_ANSI = regex(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_PREVIEW = regex(r"Preview \(first [^)]*\):\n")


_ENDED_BADLY = regex(
    r"(?:<returncode>|[Ee]xit [Cc]ode:? |exited with code )-?(?!0\b)\d|timed out|has no new output"
)


def printed(result: ToolResult | None, command: str) -> Printed:
    """What the programs of a command printed; standard error apart if the harness kept it so."""
    if result is None:
        return Printed(refused=True)
    text = result.text if isinstance(result.text, str) else ""
    if (_begins(text, _REFUSALS) and _NOT_RUN.match(text)) or _NOT_EXECUTED in text[-1500:]:
        return Printed(refused=True, is_error=result.is_error)
    # If the output is stored, its structured form holds all of it; the model saw a preview (D4).
    data = result.data if result.persisted_path is None else None
    trimmed = not text.endswith("\n")
    errors = ""
    if isinstance(data, dict) and isinstance(data.get("stdout"), str) and "<persisted" not in text:
        stdout = data["stdout"]
        stderr = data.get("stderr")
        errors = stderr if isinstance(stderr, str) else ""
        # A stored result can hold less than the text that the model saw; what the model saw counts.
        if len(stdout) + len(errors) + 200 >= len(text):
            text, trimmed = stdout, not stdout.endswith("\n")
        else:
            errors = ""
    if "<persisted-output>" in text:
        text = _preview(text)
    text = text[:MAX_CHARS]
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    framed = text
    text, failed = _unframed(text)
    if text is framed and (found := unwrapped(text)) is not None:
        text, failed = found.output, found.failed
        errors = errors or found.errors
        trimmed = trimmed if found.trimmed is None else found.trimmed
    if text.startswith(("Total output lines: ", "Warning: truncated output")):
        text = SHORTENED.sub("", text)
    text = _without_notices(text)
    submitted = _submits(command, text)
    at = framed.find(text) if len(text) < len(framed) else -1
    around = framed[:at] + framed[at + len(text) :] if at >= 0 else ""
    return Printed(
        without_prompt(text, command),
        errors[:MAX_CHARS],
        failed=failed,
        is_error=result.is_error,
        ended_badly=around != "" and _ENDED_BADLY.search(around) is not None,
        submitted=submitted,
        trimmed=trimmed,
    )


def _begins(text: str, openings: tuple[str, ...]) -> bool:
    """Whether a text may begin with one of these, after blanks; a quick no for most texts."""
    start = text[:200].lstrip()
    return start.startswith(openings) or (len(start) < 40 and len(text) > 200)


def _preview(text: str) -> str:
    """The part of a persisted output that the model saw (D4)."""
    found = _PREVIEW.search(text)
    shown = text[found.end() :] if found else text
    return shown.split("</persisted-output>")[0].removesuffix("\n").removesuffix("\n...")


_OPENINGS = (
    "<returncode>", "<explore_context>", "Exit code: ", "Chunk ID: ", "Wall time: ", "Command: ",
    "Output: ", "Stdout: ", "Tool output was too large", "Process started with", "Command started with",
    "<retrieval_status>", "<status>",
)  # fmt: skip
"""How the frames below begin; most outputs have none of them."""


def task_output(text: str) -> str | None:
    """What a command in the background printed, as Claude Code says it; None for other texts."""
    found = _TASK.match(text)
    is_frame = found is not None and (
        found["tag"] or text.lstrip().startswith("<retrieval_status>")
    )
    return (found["output"] or "") if found is not None and is_frame else None


def _unframed(text: str) -> tuple[str, bool]:
    """The output inside the frame of a harness, and whether the frame says that it failed."""
    start = text[:200].lstrip()
    if not start.startswith(_OPENINGS):
        return text, False
    if start.startswith(("<returncode>", "<explore_context>")):
        found = _TAGGED.match(text)
        if found is not None:
            inner = found["rest"] if found["output"] is None else found["output"]
            return inner, found["code"] != "0" and not inner.strip()
    elif start.startswith(("<retrieval_status>", "<status>")):
        inner = task_output(text)
        return (text if inner is None else inner), False
    elif start.startswith(("Exit code: ", "Chunk ID: ", "Wall time: ")):
        found = _LABELLED.match(text)
        if found is not None:
            return text[found.end() :], False
    elif start.startswith(("Command: ", "Output: ", "Stdout: ")):
        found = _LABELLED.match(text) if "\nChunk ID: " in text else None
        if found is not None:
            return text[found.end() :], False
        found = _NAMED_FIELDS.match(text)
        inner = _without_fields(text[found.end() :]) if found is not None else None
        if inner is not None:
            return inner, False
    elif start.startswith(("Process started with", "Command started with")):
        found = _STARTED.match(text)
        if found is not None:
            return _without_states(text[found.end() :]), False
    elif start.startswith("Tool output was too large"):
        found = _SAVED.match(text)
        if found is not None:
            return text[found.end() :], False
    return text, False


def _without_fields(text: str) -> str | None:
    """The output field; None if no other field follows, because then it is not a frame."""
    lines = text.rstrip("\n").split("\n")
    end = len(lines)
    while end and _LAST_FIELD.match(lines[end - 1]):
        end -= 1
    return None if end == len(lines) else "\n".join(lines[:end]) + "\n"


def _without_states(text: str) -> str:
    """The output without the last lines, which say what became of the process."""
    lines = text.rstrip().split("\n")
    while lines and lines[-1].startswith(_STATES):
        lines.pop()
    return "\n".join(lines)


def _without_reminders(text: str) -> str:
    """The text without notes of Claude Code to its model at the end."""
    while text.endswith("</system-reminder>"):
        start = text.rfind("<system-reminder>")
        if start < 0 or (start and text[start - 1] != "\n"):
            break
        text = text[:start].rstrip("\n")
    return text


def _without_notices(text: str) -> str:
    """The text that programs printed: without notices before and after it."""
    if text.endswith(("</system-reminder>", "</system-reminder>\n")):
        text = _without_reminders(text.rstrip("\n"))
    if text.endswith(("</bash_metadata>", "</bash_metadata>\n")):  # opencode: why it ended
        text = text[: text.rfind("<bash_metadata>")].rstrip("\n")
    if len(text) < 100 and text.strip() in _NOTHING:
        return ""
    end = len(text) - text.endswith("\n")
    start = text.rfind("\n", 0, end) + 1
    while text.startswith(_TRAILERS, start) and _TRAILER.match(text, start, end):
        text = text[:start].rstrip("\n")
        end = len(text)
        start = text.rfind("\n") + 1
    line = _first_line(text)
    if line.startswith(("Error: Exit", "Exit code", "[Below is", "<system>")) and _EXIT.match(line):
        text = text[len(line) + 1 :]
        line = _first_line(text)
    if line.startswith(("Command timed out after ", "Error: Command timed out after ")):
        text = text[len(line) + 1 :]  # Claude Code says it above what was printed until then
    return text


def _first_line(text: str) -> str:
    end = text.find("\n")
    return text if end < 0 else text[:end]


_MARKS = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_SUBMISSION = regex(
    rf"\s*(?:cd \S{{1,1000}} && )?echo (['\"]?)(?:{'|'.join(_MARKS)})\1\s*(?:$|&&|;|\n)"
)
"""mini-swe-agent: what follows the mark is the answer, not something read."""


def _submits(command: str, text: str) -> bool:
    """Whether this is the final submission."""
    if "_FINAL_OUTPUT" in text[:200] and _first_line(text).strip() in _MARKS:
        return True
    return "_FINAL_OUTPUT" in command and _SUBMISSION.match(command) is not None


_REFUSED = regex(
    r"""\s*(?:Error:\s*)?(?:
      <tool_use_error> | InputValidationError | MCP\ error\ | EISDIR | ENOENT | EACCES
    | File\ does\ not\ exist | Path\ does\ not\ exist | Directory\ does\ not\ exist
    | No\ such\ file\ or\ directory | No\ such\ tool\ available | Tool\ .{1,80}\ not\ found
    | File\ content\ \([\d.,]++\s?+[\w ]*+\)\ exceeds | File\ is\ too\ large
    | File\ unchanged\ since\ last\ read
    | Cancelled:\ parallel | Sibling\ tool\ call\ errored
    | The\ user\ doesn't\ want\ to\ | Claude\ requested\ permissions\ | Permission\ to\ use\b
    | Request\ interrupted\ by\ user | \[Request\ interrupted
    | Permission\ denied | This\ tool\ cannot\ read | Cannot\ read\b
    | apply_patch\ verification\ failed
    )
    | \s*+(?:Error|ERROR):\ [^\n]{1,2000}+\s*+\Z""",
    re.VERBOSE,
)
"""How a refusal begins if the harness did not mark it as an error (results of subagents)."""


_REFUSED_BEGINS = (
    "Error", "ERROR", "<tool_use_error>", "InputValidation", "MCP error", "EISDIR", "ENOENT",
    "EACCES", "File ", "Path does", "Directory does", "No such", "Tool ", "Cancelled: ", "Sibling",
    "The user", "Claude req", "Permission", "Request int", "[Request", "This tool", "Cannot read",
    "apply_patch",
)  # fmt: skip


def is_refusal(text: str) -> bool:
    """Whether the text is a refusal by a harness or a tool, and not the tool's output."""
    return _begins(text, _REFUSED_BEGINS) and _REFUSED.match(text) is not None


_MORE = regex(
    r"\n\n(?:\.\.\. \(\d{1,9} more lines? not shown[^\n]*\)"
    r"|\[(?:Showing lines |\d{1,9} more lines? )[^\n]*\])\n?\Z"
)


def without_more(text: str) -> str:
    """The lines of a file without the note behind them that there are more (pi)."""
    return _MORE.sub("", text) if text.endswith((")", "]", ")\n", "]\n")) else text


def shown_text(result: ToolResult | None) -> str:
    """The tool's own text, without the reminders that the harness appends.

    Lines of Windows end as others do: a shape is the same, and its characters too.
    """
    if result is None:
        return ""
    text = result.text
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    kept = len(text)
    while True:
        end = kept
        while end and text[end - 1].isspace():
            end -= 1
        if not text.endswith("</system-reminder>", 0, end):
            return text[:kept]
        start = text.rfind("<system-reminder>", 0, end)
        if start < 0:
            return text[:kept]
        kept = start
