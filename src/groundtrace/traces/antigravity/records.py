"""A step as a type, the arguments of its calls, and an answer without the frame around it.

The frame of an answer: the times of the step, then words for the model. `VIEW_FILE` says which
lines it shows and how it numbers them; `RUN_COMMAND` says how the command ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace.base import jsonio
from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.traces.kit.fit import as_arguments

ASKS = "PLANNER_RESPONSE"
"""Type of the steps that hold the model's calls."""
ERROR = "ERROR_MESSAGE"
COMPACTION = "CHECKPOINT"
NO_ANSWERS = frozenset(
    {
        *("USER_INPUT", "USER_MESSAGE", "SYSTEM_MESSAGE", "EPHEMERAL_MESSAGE", COMPACTION),
        *("CONVERSATION_HISTORY", "KNOWLEDGE_ARTIFACTS", "MEMORY", "RETRIEVE_MEMORY", "DUMMY"),
        *("PLAN_INPUT", "SUGGESTED_RESPONSES", "LINT_DIFF", "UNSPECIFIED", "FINISH"),
    }
)
"""Types of steps that answer no call."""
ANSWERED_BY: Mapping[str, frozenset[str]] = {
    "list_dir": frozenset({"LIST_DIRECTORY"}),
    "view_file": frozenset({"VIEW_FILE"}),
    "view_file_outline": frozenset({"VIEW_FILE_OUTLINE", "VIEW_FILE"}),
    "view_code_item": frozenset({"VIEW_CODE_ITEM"}),
    "view_content_chunk": frozenset({"VIEW_CONTENT_CHUNK"}),
    "grep_search": frozenset({"GREP_SEARCH"}),
    "find_by_name": frozenset({"FIND"}),
    "codebase_search": frozenset({"CODEBASE_SEARCH", "RELATED_FILES"}),
    "run_command": frozenset({"RUN_COMMAND"}),
    "command_status": frozenset({"COMMAND_STATUS"}),
    "send_command_input": frozenset({"SEND_COMMAND_INPUT", "COMMAND_STATUS"}),
    "write_to_file": frozenset({"CODE_ACTION", "WRITE_TO_FILE"}),
    "replace_file_content": frozenset({"CODE_ACTION", "PROPOSE_CODE"}),
    "multi_replace_file_content": frozenset({"CODE_ACTION", "PROPOSE_CODE"}),
    "search_web": frozenset({"SEARCH_WEB"}),
    "read_url_content": frozenset({"READ_URL_CONTENT"}),
    "notify_user": frozenset({"NOTIFY_USER"}),
    "task_boundary": frozenset({"TASK_BOUNDARY"}),
}
"""Types of the steps that answer a tool. A tool that is not here is answered by any other type."""
_KNOWN = frozenset[str]().union(*ANSWERED_BY.values())
_ENDED = ("ERROR", "CANCELED", "CANCELLED", "FAILED", "INVALID")
"""States of a step that did not do what was asked."""
_RUN = frozenset({"RUN_COMMAND", "COMMAND_STATUS", "SEND_COMMAND_INPUT"})

_TIMES = regex(r"(?:(?:Created|Completed) At:[^\n]{0,80}+\n)++")
_NUMBERING = regex(r"(?:[^\n]*+\n){0,8}?The following code has been modified to include[^\n]*+\n")
_SHOWN = "\nThe above content "
_COMMAND = regex(
    r"\s*+The command (?P<end>completed successfully|failed with exit code:? ?(?P<code>-?\d++)"
    r"|was canceled|timed out)\.?[ \t]*+\n(?:\s*+Output(?: delta)?(?: \(.{0,200}?\))?:[ \t]*+\n)?[ \t]*+"
)


class Step(msgspec.Struct, frozen=True, gc=False):
    """One line."""

    step_index: Any = None
    source: Any = None
    type: Any = None
    status: Any = None
    created_at: Any = None
    content: Any = None
    tool_calls: Any = None
    truncated_fields: Any = None


decode_step = msgspec.json.Decoder(Step).decode
"""The step of a line of the usual form; for any other line raises one of NOT_FITTING."""


class Answer(Frozen, frozen=True):
    """What a step answers."""

    text: str
    failed: bool


def answers(step_type: str, tool: str) -> bool:
    """Whether a step of this type may answer a call of this tool."""
    if step_type == ERROR:
        return True
    expected = ANSWERED_BY.get(tool)
    return step_type not in _KNOWN if expected is None else step_type in expected


def answer_of(step: Step, text: str) -> Answer:
    """The text that a step shows, and whether the call failed."""
    failed = step.type == ERROR or step.status in _ENDED
    times = _TIMES.match(text)
    text = text if times is None else text[times.end() :]
    if step.type == "VIEW_FILE":
        numbering = _NUMBERING.match(text)
        if numbering is not None:
            text = text[numbering.end() :]
            end = text.rfind(_SHOWN)
            text = text if end < 0 else text[: end + 1]
    elif step.type in _RUN:
        ended = _COMMAND.match(text)
        if ended is not None:
            failed = failed or ended["end"] != "completed successfully"
            text = text[ended.end() :]
    return Answer(text, failed)


def arguments_of(value: Any) -> dict[str, Any] | None:
    """The arguments of a call; None if they cannot be used.

    In real files each value is JSON in a text (`"\\"d:\\\\\\\\x\\""`). A text in quotes shows that a
    call has such values; only then are `12` and `true` taken as more than text.
    """
    given = as_arguments(value)
    if given is None and isinstance(value, str):
        given = as_arguments(_inner(value))
    if given is None:
        return None
    texts = [item for item in given.values() if isinstance(item, str)]
    if not any(len(item) > 1 and item[0] == item[-1] == '"' for item in texts):
        return given
    return {key: _inner(item) for key, item in given.items()}


def _inner(value: Any) -> Any:
    """The value of JSON in a text; any other value as it is."""
    return jsonio.loads_text(value, value) if isinstance(value, str) else value


def is_cut(step: Step, member: str) -> bool:
    """Whether the harness says that it shortened a member of the step."""
    named = step.truncated_fields
    names = named if isinstance(named, list | dict) else [named] if isinstance(named, str) else ()
    return any(isinstance(name, str) and name.startswith(member) for name in names)
