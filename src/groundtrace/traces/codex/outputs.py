"""The output of a call: Codex puts exit codes and facts about the run around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace.base import jsonio
from groundtrace.base.mcp import content_text
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping, as_text

_FACTS = regex(
    r"(?:(?:Exit code: (?P<exit>-?\d+)|Chunk ID: \S+|Wall time:? [\d.]+ seconds?"
    r"|Process exited with code (?P<code>-?\d+)|Process running with session ID (?P<session>\d+)"
    r"|Script (?:completed|failed|running[^\n]*)|Original token count: \d+"
    r"|Total output lines: \d+)\n)+Output:(?:\n|$)"
)
"""Facts about the run, then the output: 0.66 `Exit code`, 2026 `Process exited with code`."""
_FAILED = regex(
    r"failed in sandbox |patch rejected|execution error: |exec_command failed|write_stdin failed"
    r"|apply_patch verification failed|unsupported (?:custom tool )?call|failed to parse function "
    r"|aborted(?: by user|$)|exec_command (?:rejected|declined)|rejected by user|err: |Script failed\n"
    r"|command timed out|sandbox error|Rejected\("
)
"""Answers in plain words: the call was refused, or did not run."""


class Output(msgspec.Struct, frozen=True, gc=False):
    """The output of a call."""

    text: str
    failed: bool = False
    data: Any = None
    session: str | None = None
    """Id of the process, if it is still running."""


def read_output(value: Any) -> Output:
    """The output of a call, without what Codex put around it."""
    if isinstance(value, dict) and value:
        return _members(value)
    text = content_text(value)
    if text.startswith("{"):
        found = _decoded(text)
        if isinstance(found.get("output"), str) and "metadata" in found:
            code = as_mapping(found["metadata"]).get("exit_code")
            return Output(found["output"], _is_failure(code))
    facts = _FACTS.match(text)
    if facts is not None:
        code = facts["exit"] or facts["code"]
        failed = code not in (None, "0") or text.startswith("Script failed")
        return Output(text[facts.end() :], failed, session=facts["session"])
    return Output(text, _FAILED.match(text) is not None)


def started_agent(text: str) -> str | None:
    """The id of the agent that a call started, from its answer."""
    answer = _decoded(text)
    return as_text(answer.get("agent_id", answer.get("thread_id")))


def _decoded(text: str) -> Mapping[str, Any]:
    try:
        return as_mapping(jsonio.loads(text.encode("utf-8", errors="surrogatepass")))
    except jsonio.BadJsonError:
        return {}


def _members(members: Mapping[str, Any]) -> Output:
    """An output that is an object: a block of text, or streams and an exit code."""
    if isinstance(members.get("content"), str | list):
        inner = read_output(members["content"])
        refused = members.get("success") is False
        return msgspec.structs.replace(inner, failed=True) if refused else inner
    if isinstance(members.get("text"), str):
        return read_output(members["text"])
    return streams(members)


def streams(members: Mapping[str, Any]) -> Output:
    """What a command printed, from separate stdout and stderr."""
    text = as_text(members.get("aggregated_output")) or as_text(members.get("output"))
    if text is None:
        told = [as_text(members.get(name)) for name in ("stdout", "stderr")]
        text = "\n".join(part.removesuffix("\n") for part in told if part)
        text += "\n" if text else ""
    code = members.get("exit_code", members.get("exitCode"))
    failed = members.get("status") in ("failed", "declined") or members.get("success") is False
    return Output(text, failed or _is_failure(code))


def mcp_output(result: Any, error: Any = None) -> Output:
    """The output of a server's tool: `{"Ok": …}`, `{"Err": …}` or the answer itself."""
    if error is not None:
        return Output(as_text(as_mapping(error).get("message")) or content_text(error), failed=True)
    members = as_mapping(result)
    if "Err" in members:
        return Output(content_text(members["Err"]), failed=True)
    answer = as_mapping(members.get("Ok", members))
    structured = answer.get("structured_content", answer.get("structuredContent"))
    return Output(
        content_text(answer.get("content")),
        answer.get("isError") is True or answer.get("is_error") is True,
        structured if isinstance(structured, dict | list) else None,
    )


def _is_failure(code: Any) -> bool:
    return isinstance(code, int) and not isinstance(code, bool) and code != 0
