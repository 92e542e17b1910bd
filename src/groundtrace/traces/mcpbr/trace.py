"""One log of mcpbr as a `Source`."""

from __future__ import annotations

from groundtrace.base.patterns import regex
from groundtrace.base.values import as_text
from groundtrace.model import Problem, Stated
from groundtrace.storage import Folder
from groundtrace.traces.claude_code.records import Line, fit_line
from groundtrace.traces.claude_code.trace import ClaudeTranscript
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.lists import ListKind, load_listed
from groundtrace.traces.mcpbr.records import typed
from groundtrace.traces.source import Source

_EVENTS = ListKind("events", regex(rb'"type"\s*+:\s*+"tool_use"'))


def read(folder: Folder, path: str, keep: Keep) -> Source:
    """Read the events of a log as Claude Code's."""
    transcript = ClaudeTranscript(path, keep)
    source = transcript.source
    loaded = load_listed(folder, path, _EVENTS, typed)
    for number, event in enumerate(loaded.items, start=1):
        transcript.log.lines += 1
        if isinstance(event, Line):
            transcript.event(event, number)
        elif isinstance(event, dict):
            transcript.event(fit_line(event), number)
        elif isinstance(event, Problem):
            source.problems.append(event)
            source.ledger.interrupt()
        else:
            transcript.log.noise(number)
    source.problems += loaded.problems
    if loaded.problems:
        source.ledger.interrupt()
    source = transcript.finish()
    source.dialect = "mcpbr"
    source.is_main_log = True
    task = as_text(loaded.root.get("instance_id"))
    source.stated = Stated(
        task=task,
        task_place="instance_id" if task else None,
        config=as_text(loaded.root.get("run_type")),
        config_place="run_type",
        model=source.model or as_text(loaded.root.get("model")),
        harness=source.harness,
        harness_version=source.harness_version,
    )
    return source
