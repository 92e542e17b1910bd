"""Results and traces on disk for the viewer: documents written in the test, and their traces."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from groundtrace.config import Settings
from groundtrace.documents.codec import encode
from groundtrace.documents.outcomes import OutcomesDocument, TrialOutcome
from groundtrace.rows.trial_row import Detail
from groundtrace.runs.output_folders import OutputFolders
from groundtrace.view.library import Library, Results
from tests.metrics.builders import NOW, Seen, step, trial
from tests.report.pages import HOSTILE, detail

SECRET = "ghp_" + "a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6"
"""Something that looks like a credential."""


def write_results(run: Path, details: Sequence[Detail]) -> None:
    """The documents of a run, in the order of the trials."""
    folder = run / "retrieval_events"
    outcomes: list[TrialOutcome] = []
    for number, found in enumerate(details):
        config = folder / f"config-{found.row.config_name.startswith('m'):d}"
        config.mkdir(parents=True, exist_ok=True)
        name = f"{config.name}/{number:05}.retrieval_events.json"
        write_whole(folder / name, encode(found.events))
        metrics = name.replace("retrieval_events", "retrieval_metrics")
        write_whole(folder / metrics, encode(found.metrics))
        assert found.row.outcome is not None
        fields = {name: getattr(found.row.outcome, name) for name in TrialOutcome.__struct_fields__}
        outcomes.append(TrialOutcome(**(fields | {"document": name})))
    document = OutcomesDocument(
        schema_version="1.2",
        generated_at=NOW,
        scope=run.name,
        trials=outcomes,
        skipped=[],
        problems={},
    )
    write_whole(folder / "outcomes.json", encode(document))


def write_whole(path: Path, data: bytes) -> None:
    """A file that is replaced, as groundtrace writes its own."""
    temporary = path.with_name(f".{path.name}.0123abcd.tmp")
    temporary.write_bytes(data)
    os.replace(temporary, path)


def claude_lines(calls: Sequence[tuple[str, str, dict[str, Any], str]]) -> list[str]:
    """A transcript of Claude Code: id, tool, arguments and answer of each call."""
    lines: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "session_id": "s", "model": "m", "tools": []}
    ]
    for number, (call_id, tool, arguments, answer) in enumerate(calls):
        use = {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}
        message = {"id": f"msg_{number}", "role": "assistant", "content": [use]}
        lines.append({"type": "assistant", "message": message})
        result = {"type": "tool_result", "tool_use_id": call_id, "content": answer}
        lines.append({"type": "user", "message": {"role": "user", "content": [result]}})
    return [json.dumps(line, ensure_ascii=False) for line in lines]


def write_trace(run: Path, path: str, lines: Sequence[str]) -> Path:
    """A transcript where a trial of that path has its own."""
    file = run / path / "agent" / "claude-code.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def call(call_id: str, *seen: Seen, tool: str = "Read", **arguments: Any) -> dict[str, Any]:
    """A call of a document with the id that a trace has for it."""
    made = step(*seen, tool=tool, seconds=3.0)
    made["call_id"] = call_id
    made["arguments"] = arguments
    return made


def story(run: Path) -> list[Detail]:
    """Three tasks in two configurations, with their traces: what they find differs."""
    details = []
    for number, task in enumerate(("alpha", "beta", "gamma")):
        for config in ("baseline", "mcp"):
            truth = [f"src/{task}.py", f"src/{task}_missed.py"]
            path = f"{config}/{task}__{config}"
            ids = [f"toolu_{task}_{config}_{n}" for n in range(3)]
            found = config == "mcp" or task != "gamma"
            read = Seen("read", truth[0], truth[0]) if found else Seen("read", "docs/other.md")
            calls = [
                call(ids[0], tool="Bash", command=f"grep -rn 'needle_{task}' ."),
                call(ids[1], read, file_path=read.file),
                call(ids[2], Seen("written", "src/new.py"), tool="Edit", file_path="src/new.py"),
            ]
            document = trial(
                *calls,
                truth=truth,
                task_name=task,
                trial_name=f"{task}__{config}",
                config_name=config,
                benchmark="first" if number < 2 else "second",
                run_id=run.name,
            )
            details.append(detail(document, reward=number / 2, path=path))
            answers = [f"./src/{task}.py:1:needle", f"def {task}_{config}():\n    pass", "done"]
            tools = ("Bash", "Read", "Edit")
            arguments = [made["arguments"] for made in calls]
            lines = claude_lines(list(zip(ids, tools, arguments, answers, strict=True)))
            write_trace(run, path, lines)
    write_results(run, details)
    return details


def hostile(run: Path) -> list[Detail]:
    """Trials whose names, files, arguments and answers are hostile strings, with a credential."""
    details = []
    for number, text in enumerate(HOSTILE):
        path = f"trials/{number}"
        call_id = f"toolu_{number}"
        made = call(call_id, Seen("read", text, text), tool=text, query=text, command=SECRET)
        document = trial(
            made,
            truth=[text],
            task_name=text,
            trial_name=f"{number}{text}",
            config_name=text,
            benchmark=text,
            run_id=run.name,
        )
        details.append(detail(document, path=path, exception=text, reward=float(number % 2)))
        answer = f"{text}\nexport TOKEN={SECRET}\n{text}"
        write_trace(run, path, claude_lines([(call_id, text, {"query": text}, answer)]))
    write_results(run, details)
    return details


def library_of(
    runs: Path,
    *,
    out: Path | None = None,
    mask: bool = True,
    load: bool = True,
    only: str | None = None,
) -> Library:
    """The library of some runs, read to the end, without a thread."""
    settings = Settings() if mask else Settings(mask=False)
    library = Library(Results(OutputFolders(str(runs), str(out) if out else None), only, settings))
    if load:
        library.current.load()
    return library
