"""Long texts that repeat one piece: they show rules whose time grows with the square of the
length."""

from __future__ import annotations

from random import Random

from groundtrace.base import jsonio
from groundtrace.config import Settings
from groundtrace.model import FileRef, GroundTruth, Task, ToolCall, ToolResult, Trace, TruthFile
from groundtrace.paths import Resolver
from groundtrace.redact import mask
from groundtrace.tools import view_calls
from groundtrace.traces import read_trace
from groundtrace.truth import load_ground_truth
from groundtrace.truth.sources import SOURCES
from tests.fuzz import checks, mutate, seeds, shells
from tests.fuzz.cases import Case
from tests.fuzz.memory import MemoryFolder

SIZE = 200_000
"""Characters; at this length the square of it is minutes, and honest work a fraction of a second."""

PIECES = (
    *(
        "a",
        "/",
        "./",
        "../",
        "a/",
        "/a.py",
        "a.py ",
        " ",
        "\t",
        "\n",
        "\\",
        "'",
        '"',
        "`",
        "$",
        "$(",
        "(",
    ),
    *(
        "[",
        "{",
        "<",
        "<<E\n",
        "|",
        ";",
        "&&",
        "#",
        "-",
        "--",
        "=",
        ":",
        "::",
        "1:",
        "1-",
        "a:1:",
        "a-1-",
    ),
    *(
        "0",
        "1\t",
        "**",
        "*",
        "\u2028",
        "\x00",
        "@@ ",
        "+++ b/a\n",
        "--- a/a\n",
        "diff --git a/a b/a\n",
    ),
    *(
        "cat a;",
        "echo ",
        "a=1 ",
        "${a}",
        "&",
        "if a;",
        "a.b",
        "A_TOKEN=",
        "x://",
        "@",
        "sk-",
        "eyJ",
        "Bearer ",
    ),
    *(
        "```\n",
        "# File: a\n",
        '{"a":',
        "[1,",
        '\\"',
        "\\n",
        "<persisted-output>",
        "[metadata] {",
        "Found ",
    ),
)


def text(rng: Random) -> str:
    """One or two pieces again and again, with something else at the ends."""
    known = [line for case in seeds.tool_cases() for line in str(case.get("text", "")).split("\n")]
    piece = "".join(
        rng.choice((*PIECES, rng.choice(known) + "\n")) for _ in range(rng.choice((1, 1, 2, 3)))
    )
    piece = piece or "x"
    ends = (*mutate.WORDS, *PIECES, "")
    made = rng.choice(ends) + piece * (SIZE // len(piece)) + rng.choice(ends)
    return jsonio.clean_text(made)


def make_long(rng: Random) -> Case:
    kind = rng.choice(("command", "output", "result", "argument", "truth", "mask", "path", "trace"))
    seed = rng.choice(seeds.tool_cases())
    made = text(rng)
    name = rng.choice(sorted({source.path for source in SOURCES}))
    values = (kind, made, seed, shells.command(rng), name)
    return Case({"about.txt": f"{kind} {seed['tool']} {name}\n{made[:2000]}".encode()}, values)


def check_long(case: Case) -> None:
    """An answer within the time that every input has."""
    kind, made, seed, command, name = case.values
    match kind:
        case "command":
            _view(ToolCall("Bash", {"command": made}, result=ToolResult("a.py\n")))
        case "output":
            _view(ToolCall("Bash", {"command": command}, result=ToolResult(made)))
        case "result":
            _view(ToolCall(seed["tool"], seed.get("arguments", {}), result=ToolResult(made)))
        case "argument":
            arguments = dict.fromkeys(seed.get("arguments", {}), made)
            _view(ToolCall(seed["tool"], arguments, result=ToolResult("x")))
        case "truth":
            folder = MemoryFolder({name: made.encode()})
            checks.check_truth(load_ground_truth(Task("t", "b", folder)))
        case "mask":
            mask(made)
        case "path":
            refs = [FileRef(made, "read"), FileRef(made[:4000], "read", made[:4000])]
            truth = GroundTruth((TruthFile(made, made),))
            Resolver(truth=truth, refs=refs, cwd=made[:4000])
        case _:
            for file in (
                "agent/claude-code.txt",
                "agent/trajectory.json",
                "agent/cursor-agent.jsonl",
            ):
                checks.check_trace(read_trace(MemoryFolder({file: made.encode()})))


def _view(call: ToolCall) -> None:
    trace = Trace((call,), "transcript", cwd="/workspace")
    checks.check_views(trace, view_calls(trace, Settings()))
