"""Tool calls, shell commands and text of any kind."""

from __future__ import annotations

from random import Random

from groundtrace.base import jsonio
from groundtrace.config import Settings
from groundtrace.events import build_document
from groundtrace.model import (
    GroundTruth,
    ToolCall,
    ToolResult,
    Trace,
    Trial,
    TruthFile,
)
from groundtrace.redact import mask
from groundtrace.tools import view_calls
from tests.fuzz import checks, mutate, seeds, shells
from tests.fuzz.cases import Case, json_copy, shown_values
from tests.fuzz.memory import MemoryFolder
from tests.shell.views import shell_refs


def make_call(rng: Random) -> Case:
    """Calls of known tools with any arguments and any results."""
    calls = []
    for _ in range(rng.randrange(1, 4)):
        seed = rng.choice(seeds.tool_cases())
        arguments = dict(seed.get("arguments", {}))
        data = seed.get("data")
        text = seed.get("text", "")
        if rng.random() < 0.6:
            arguments = mutate.damage_value(json_copy(arguments), rng)
            arguments = arguments if isinstance(arguments, dict) else {"x": arguments}
        if rng.random() < 0.6:
            data = mutate.damage_value(json_copy(data), rng) if data else mutate.value(rng)
        if rng.random() < 0.6:
            other = rng.choice(seeds.tool_cases()).get("text", "")
            text = mutate.damage_text(rng.choice((text, other, str(mutate.value(rng)))), rng)
        result = ToolResult(
            jsonio.clean_text(text),
            data,
            rng.random() < 0.2,
            rng.choice((None, None, "/x/out.txt", "")),
        )
        name = seed["tool"] if rng.random() < 0.9 else rng.choice(mutate.WORDS) or "x"
        calls.append(
            ToolCall(
                jsonio.clean_text(name),
                arguments,
                "id",
                result=result if rng.random() < 0.95 else None,
                server=rng.choice((None, seed.get("server"), "sourcegraph", "")),
                cwd=rng.choice((None, "/workspace", "", "relative", "/")),
            )
        )
    return Case(shown_values(calls), tuple(calls))


def check_call(case: Case) -> None:
    trace = Trace(case.values, "transcript", cwd="/workspace")
    views = view_calls(trace, Settings())
    checks.check_views(trace, views)
    document = build_document(
        Trial("r", "c", "t", "t", path="p", folder=MemoryFolder({})),
        trace,
        views,
        GroundTruth((TruthFile("src/a.py", "src/a.py"),), source="x", confidence="high"),
        (),
        Settings(),
    )
    checks.check_document("retrieval_events", document)


def make_shell(rng: Random) -> Case:
    command, output = shells.command(rng), shells.output(rng)
    result = ToolResult(jsonio.clean_text(output), is_error=rng.random() < 0.1)
    files = {"command.sh": command.encode("utf-8", "replace"), "output.txt": result.text.encode()}
    cwd = rng.choice((None, "/workspace", "/", "", "a"))
    return Case(files, (command, result if rng.random() < 0.95 else None, cwd))


def check_shell(case: Case) -> None:
    command, result, cwd = case.values
    view = shell_refs(command, result, cwd, Settings())
    checks.check_refs(view.refs)
    checks.check_problems(view.problems)
    assert not (view.failed and view.refs)
    again = shell_refs(command, result, cwd, Settings())
    assert again == view, "the same command gave another answer"


def make_text(rng: Random) -> Case:
    words = (
        *mutate.WORDS,
        "Authorization: ",
        "Bearer ",
        "sk-",
        "TOKEN=",
        "://",
        "-----BEGIN ",
        "a1" * 9,
    )
    text = "".join(rng.choices(words, k=rng.randrange(40))) * rng.choice((1, 1, 1, 30))
    return Case({"text.txt": text.encode("utf-8", "replace")}, (text,))


def check_text(case: Case) -> None:
    """Masking is done after one go (D39)."""
    once = mask(case.values[0])
    assert mask(once) == once
    assert "ghp_0123456789" not in once
