"""No output of a run shows a credential, whatever field of a trace, a record or a task held it.

Every field gets a credential of its own, so a failure names the field. Names of files, repositories,
tasks, trials and runs get none: they are never masked (D77, D226).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from groundtrace.redact import masking
from groundtrace.report.blocks_of_trials import unpack
from groundtrace.view.responses import Answers
from tests.adversarial.worlds import World, line, put
from tests.conftest import Ran
from tests.view.worlds import library_of

Call = Callable[..., Ran]

KINDS: dict[str, Callable[[str], str]] = {
    "form": lambda body: f"ghp_{body}",
    "name": lambda body: f"DB_PASSWORD={body}",
    "literal line end": lambda body: f"A=1\\nREGISTRY_PASSWORD={body}\\n",
    "address": lambda body: f"https://me:{body}@host/x",
    "command": lambda body: f"vault login {body}",
    "header": lambda body: f"Authorization: Bearer {body}",
    "object": lambda body: json.dumps({"password": body}),
    "object in a text": lambda body: json.dumps(json.dumps({"a": f"x\ntoken: {body}"})),
}


class Poison:
    """A credential of its own for each field."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.fields: list[str] = []

    def __call__(self, field: str) -> str:
        self.fields.append(field)
        return KINDS[self.kind](self.body(field))

    def body(self, field: str) -> str:
        number = self.fields.index(field)
        return f"Zq{number:03}Kd9vLm2TxR8bWn4Pc7Yh{number:03}Gs1"

    def kept_in(self, text: str) -> list[str]:
        """Fields whose credential a text shows."""
        return [field for field in self.fields if self.body(field) in text]


def transcript(poison: Poison) -> str:
    """A transcript whose every text has a credential."""
    init = line(
        type="system",
        subtype="init",
        cwd="/workspace",
        session_id="s",
        model=poison("trace model"),
        claude_code_version=poison("trace version"),
        mcp_servers=[{"name": poison("init server"), "status": "connected"}],
    )
    server = re.sub(r"\W", "_", poison("server")) if poison.kind == "form" else "srv"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("Bash", {"command": poison("command"), "description": poison("description")}),
        ("Read", {"file_path": "/workspace/src/a.py"}),
        (poison("tool name"), {"query": poison("query")}),
        (f"mcp__{server}__search", {"query": "x", "repo": "r"}),
        ("Grep", {"pattern": poison("pattern"), "glob": poison("glob")}),
        ("go_to_definition", {"symbol": poison("symbol")}),
        ("Task", {"subagent_type": poison("agent"), "prompt": poison("prompt")}),
        ("WebFetch", {"url": poison("url"), "prompt": "x"}),
    ]
    text = init + line(type="user", message={"role": "user", "content": poison("first prompt")})
    for number, (name, arguments) in enumerate(calls):
        call_id = poison(f"call id {number}")
        use = {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
        message = {"id": f"m{number}", "model": poison(f"model {number}"), "content": [use]}
        answer = {
            "type": "tool_result",
            "tool_use_id": call_id,
            "content": f"src/a.py:1:{poison(f'answer {number}')}",
            "is_error": number == 5,
        }
        text += line(type="assistant", message=message)
        text += line(type="user", message={"role": "user", "content": [answer]})
    return text + "{broken " + poison("broken line") + "\n"


def with_records(top: Path, poison: Poison) -> tuple[Path, Path]:
    """A run with records; its folder and the tasks."""
    world = World(top)
    folder = world.task("good-1")
    truth = {
        "files": ["src/a.py"],
        "symbols": [{"file": "src/a.py", "symbol": poison("truth symbol")}],
        "chunks": [
            {
                "file": "src/a.py",
                "line_start": 1,
                "line_end": 2,
                "annotation": poison("annotation"),
            }
        ],
    }
    put(folder / "tests/ground_truth.json", truth)
    for number in range(2):
        trial = world.trial(
            "good-1",
            trace=transcript(poison) if number else None,
            agent_info={
                "name": poison(f"harness {number}"),
                "version": poison(f"version {number}"),
                "model_info": {"name": poison(f"model of the record {number}")},
            },
            exception_info={"exception_type": poison(f"exception {number}")},
        )
        kwargs = {
            "label_config": poison(f"configuration {number}"),
            "label_benchmark": poison(f"suite {number}"),
        }
        put(trial / "config.json", {"environment": {"kwargs": kwargs}})
    return world.run, world.tasks


def with_manifest(top: Path, poison: Poison) -> tuple[Path, Path]:
    """Loose traces with a manifest, and rows of tasks."""
    runs = top / "loose"
    rows = []
    for number in range(2):
        put(runs / f"t{number}.jsonl", transcript(poison) if number else plain())
        rows.append(
            {
                "trace": f"t{number}.jsonl",
                "task": "good-1",
                "config": poison(f"manifest configuration {number}"),
                "model": poison(f"manifest model {number}"),
                "harness": poison(f"manifest harness {number}"),
                "harness_version": poison(f"manifest version {number}"),
                "group": poison(f"group {number}"),
                poison("column") if number == 0 else "other": "x",
                "reward": "1",
            }
        )
    text = io.StringIO()
    columns = list(dict.fromkeys(key for row in rows for key in row))
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(rows)
    manifest = put(runs / "manifest.csv", text.getvalue())
    patch = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\n"
    row = {"instance_id": "good-1", "patch": patch, "difficulty": poison("difficulty")}
    return manifest, put(runs / "tasks.jsonl", json.dumps(row) + "\n")


def plain() -> str:
    """A transcript without credentials."""
    from tests.adversarial.worlds import stream

    return stream("/workspace/src/a.py")


def outputs(call: Call, runs: Path, tasks: Path, top: Path) -> Iterator[tuple[str, str]]:
    """Everything that a user can see of a run, by its name."""
    out = top / "out"
    options = ("--tasks", tasks, "--out", out)
    for command in (
        ("normalize", runs, *options, "--dry-run"),
        ("normalize", runs, *options, "--dry-run", "--json"),
        ("run", runs, *options, "--jobs", 1, "--draws", 100, "-v"),
        ("run", runs, *options, "--jobs", 1, "--draws", 100, "--json", "--force"),
        ("report", runs, "--out", out),
        ("explain", "good-1", runs, "--tasks", tasks),
        ("explain", "good-1", runs, "--tasks", tasks, "--json"),
        *(("explain", trial, "--tasks", tasks) for trial in trials_of(runs)),
        *(("explain", trial, "--tasks", tasks, "--json") for trial in trials_of(runs)),
        ("export", runs, top / "csv", "--to", "csv", "--out", out),
        ("export", runs, top / "trec", "--to", "trec", "--out", out),
        *(
            ("sql", f"SELECT * FROM {table}", runs, "--out", out, "--json")
            for table in ("trials", "events", "accesses", "tools", "truth", "problems", "discovery")
        ),
    ):
        ran = call(*command)
        assert "internal error" not in ran.err, ran.err
        # Two trials of one task: `explain TASK` lists them and asks for one.
        assert ran.code == 0 or command[1] == "good-1", (command, ran.err)
        name = " ".join(str(word) for word in command[:2])
        yield f"stdout of {name}", ran.out
        yield f"stderr of {name}", ran.err
    for path in sorted(top.rglob("*")):
        if path.is_file() and path.relative_to(top).parts[0] not in ("in", "loose"):
            yield str(path.relative_to(top)), path.read_bytes().decode("latin-1")
            if path.suffix == ".html":
                yield f"blocks of {path.name}", blocks_of(path)
    yield from viewer(runs, out)


def trials_of(runs: Path) -> list[Path]:
    if runs.is_dir():
        return sorted(path.parent for path in runs.rglob("result.json"))
    return sorted(runs.parent.glob("t?.jsonl"))


def blocks_of(page: Path) -> str:
    """What a page unpacks when a reader opens a trial."""
    found = re.findall(r">([A-Za-z0-9+/=]{100,})<", page.read_text(encoding="utf-8"))
    return json.dumps([unpack(block) for block in found])


def viewer(runs: Path, out: Path) -> Iterator[tuple[str, str]]:
    """What the viewer says, with the tab Raw."""
    library = library_of(runs, out=out)
    answers = Answers(library)
    yield "viewer, state", json.dumps(answers.state({"words": "1"}))
    listed = answers.trials({})
    yield "viewer, list", json.dumps(listed)
    for row in listed["trials"]:
        trial = row["id"]
        yield "viewer, trial", json.dumps(answers.trial(trial, {}))
        files = answers.files(trial, {})
        yield "viewer, files", json.dumps(files)
        for number in range(len((files or {}).get("files", ()))):
            yield "viewer, raw", json.dumps(answers.raw(trial, number, {}))
        for step in range(9):
            yield "viewer, call", json.dumps(answers.call(trial, step, {}))


def fields_shown(call: Call, runs: Path, tasks: Path, top: Path, poison: Poison) -> dict[str, str]:
    """Fields whose credential is shown, and one output that shows it."""
    shown: dict[str, str] = {}
    for name, text in outputs(call, runs, tasks, top):
        shown |= dict.fromkeys(poison.kept_in(text), name)
    return shown


Fill = Callable[[Path, Poison], tuple[Path, Path]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fill", [with_records, with_manifest])
def test_no_output_shows_a_credential(
    fill: Fill, kind: str, tmp_path: Path, groundtrace: Call
) -> None:
    poison = Poison(kind)
    runs, tasks = fill(tmp_path, poison)
    assert fields_shown(groundtrace, runs, tasks, tmp_path, poison) == {}


@pytest.mark.parametrize("fill", [with_records, with_manifest])
def test_every_field_reaches_an_output(fill: Fill, tmp_path: Path, groundtrace: Call) -> None:
    """Without masking each of these credentials is shown: the test above looks at them all."""
    poison = Poison("form")
    runs, tasks = fill(tmp_path, poison)
    with masking(False):
        shown = fields_shown(
            lambda *words: groundtrace(*words, *_unmasked(words)), runs, tasks, tmp_path, poison
        )
    assert set(poison.fields) - shown.keys() == NOT_SHOWN


NOT_SHOWN: set[str] = set()
"""Fields that no output shows."""


def _unmasked(words: tuple[object, ...]) -> tuple[str, ...]:
    return ("--no-mask",) if words[0] in ("run", "normalize", "report") else ()
