"""A message as a type, and the calls that are XML in the text of a reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_amount, as_count, as_items, as_mapping, as_text
from groundtrace.traces.kit.fit import as_arguments
from groundtrace.traces.kit.ledger import TokenCounts

TOOLS = (
    *("read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content"),
    *("search_files", "list_files", "list_code_definition_names", "execute_command"),
    *("browser_action", "use_mcp_tool", "access_mcp_resource", "new_task", "fetch_instructions"),
    *("ask_followup_question", "attempt_completion", "plan_mode_respond", "switch_mode"),
)
"""Tools that older versions call by XML."""
_OPENED = regex(rf"<({'|'.join(TOOLS)})>")
_PARAMETER = regex(r"<(\w{1,60}+)>")
_PATH = regex(r"<file>\s*<path>([^<\n]{1,1000})</path>")
_LONG = frozenset({"content", "diff", "arguments", "result"})
"""Parameters that may contain any text, also tags; they are the last of a call."""
_HEADER = regex(r"\[(?P<tool>\w{1,40}+)(?: for [^\n]{0,4000}?)?\] Result:[ \t]*\n?")
"""What stands in the brackets: `read_file for 'a.py'`, `search_files for 'x' in '*.py'`."""
_DETAILS = regex(r"<environment_details>")
_COMMAND = regex(
    r"Command (?:executed|is still running)[^\n]{0,1200}?(?:Exit code: (?P<code>-?\d{1,9}))?\.?\n"
    r"(?:Here is the output so far|Output):[ \t]*\n"
)
"""What the editor writes before the output of a command."""
_DENIED = ("The user denied this operation", "The user cancelled this operation")
_CWD = regex(r"# Current (?P<kind>Working|Workspace) Directory \((?P<path>[^)\n]{1,1000})\)")


class Block(msgspec.Struct, frozen=True, gc=False):
    """One block of a message."""

    type: Any = None
    text: Any = None
    id: Any = None
    name: Any = None
    input: Any = None
    tool_use_id: Any = None
    content: Any = None
    is_error: Any = None


class Message(msgspec.Struct, frozen=True, gc=False):
    """One message."""

    role: Any = None
    content: str | list[Block] | None = None
    ts: Any = None

    @property
    def blocks(self) -> list[Block]:
        """Its blocks; a text alone is one block."""
        if isinstance(self.content, str):
            return [Block("text", self.content)]
        return self.content or []

    @property
    def text(self) -> str:
        """Its texts, one below the other."""
        return "\n".join(
            b.text for b in self.blocks if b.type == "text" and isinstance(b.text, str)
        )


decode_messages = msgspec.json.Decoder(list[Message]).decode
"""The messages of a file of the usual form; for any other raises one of NOT_FITTING."""


class Asked(Frozen, frozen=True):
    """A call in the text of a reply."""

    name: str
    arguments: dict[str, Any]


def asked_in(text: str) -> Asked | None:
    """The call in a reply: there is at most one. One that is cut off did not run."""
    opened = _OPENED.search(text)
    if opened is None:
        return None
    end = text.rfind(f"</{opened[1]}>")
    if end < opened.end():
        return None
    found = dict(_parameters(text[opened.end() : end]))
    if opened[1] == "apply_diff" and "path" not in found and "args" in found:
        named = _PATH.findall(found["args"])  # Roo Code: `<args><file><path>…`, one or several
        files = [{"path": path} for path in named]
        return Asked(opened[1], found | (files[0] if len(files) == 1 else {"files": files}))
    return Asked(opened[1], found)


def of_server(asked: Asked) -> tuple[str, dict[str, Any], str | None]:
    """Tool, arguments and server of a call; `use_mcp_tool` names them in its parameters."""
    server = as_text(asked.arguments.get("server_name"))
    name = as_text(asked.arguments.get("tool_name"))
    if asked.name != "use_mcp_tool" or name is None:
        return asked.name, asked.arguments, server
    given = as_arguments(asked.arguments.get("arguments"))
    return name, asked.arguments if given is None else given, server


def _parameters(body: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    position = 0
    while (opened := _PARAMETER.search(body, position)) is not None:
        closing = f"</{opened[1]}>"
        is_long = opened[1] in _LONG
        end = body.rfind(closing) if is_long else body.find(closing, opened.end())
        if end < opened.end():
            position = opened.end()
            continue
        value = body[opened.end() : end]
        found[opened[1]] = value.strip("\n") if is_long else value.strip()
        position = end + len(closing)
    return found


def answer_in(text: str, tool: str) -> str | None:
    """The answer to a call in the message after it; None if the message is something else."""
    header = _HEADER.match(text)
    if header is None or header["tool"] != tool:
        return None
    return without_details(text[header.end() :])


def without_details(text: str) -> str:
    """A text without what the editor adds to a message of the user."""
    details = _DETAILS.search(text)
    return text if details is None else text[: details.start()].removesuffix("\n")


def shown_by(tool: str, text: str) -> tuple[str, bool]:
    """What a tool showed, without the editor's words around it, and whether it failed."""
    if text.startswith(_DENIED):
        return "", True  # nothing ran, so none of these words is output of a command
    found = _COMMAND.match(text) if tool == "execute_command" else None
    if found is None:
        return text, False
    return text[found.end() :], found["code"] not in (None, "0")


def place_in(text: str) -> tuple[str, str] | None:
    """The working directory that the editor's details state, and the harness that writes so."""
    found = _CWD.search(text) if "# Current Work" in text else None
    if found is None:
        return None
    return found["path"], "cline" if found["kind"] == "Working" else "roo-code"


# --- files beside a conversation ---


class Request(Frozen, frozen=True):
    """A model call as the editor showed it."""

    moment: float | None
    counts: TokenCounts | None
    cost: float | None


def requests_in(shown: Any) -> list[Request]:
    """The model calls in `ui_messages.json`; those that were cancelled before a reply are none."""
    found = []
    for message in map(as_mapping, as_items(shown)):
        if message.get("say") != "api_req_started":
            continue
        facts = as_arguments(message.get("text")) or {}
        if facts.get("cancelReason"):
            continue
        keys = ("tokensIn", "cacheWrites", "cacheReads")
        inputs = [as_count(facts.get(key)) for key in keys]
        output = as_count(facts.get("tokensOut"))
        known = inputs[0] is not None and output is not None
        counts = TokenCounts(sum(count or 0 for count in inputs), output or 0) if known else None
        found.append(Request(parse_time(message.get("ts")), counts, as_amount(facts.get("cost"))))
    return found


def model_in(metadata: Any) -> str | None:
    """The last model that `task_metadata.json` names."""
    used = as_items(as_mapping(metadata).get("model_usage"))
    return as_text(as_mapping(used[-1]).get("model_id")) if used else None
