"""A small folder of runs and tasks, to which each test adds its own difficulty."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import Ran

Call = Callable[..., Ran]
REPO = "sg-evals/quay--a1b2c3d4"


def line(**members: Any) -> str:
    """One line of a stream."""
    return json.dumps(members) + "\n"


def read_of(path: str, number: int = 1) -> str:
    """A call that reads a file, and its answer."""
    call_id = f"toolu_{number:02}"
    use = {"type": "tool_use", "id": call_id, "name": "Read", "input": {"file_path": path}}
    usage = {"input_tokens": 10, "output_tokens": 1}
    message = {"id": f"msg_{number:02}", "model": "m", "content": [use], "usage": usage}
    answer = {"type": "tool_result", "tool_use_id": call_id, "content": "     1\tx\n"}
    return line(type="assistant", message=message) + line(
        type="user", message={"role": "user", "content": [answer]}
    )


def stream(*paths: str) -> str:
    """A transcript that reads some files."""
    init = line(type="system", subtype="init", cwd="/workspace", claude_code_version="2.1.62")
    return init + "".join(read_of(path, number) for number, path in enumerate(paths, 1))


def result_of(task: str, trial: str, **more: Any) -> dict[str, Any]:
    """A trial's result.json."""
    return {
        "task_name": task,
        "trial_name": trial,
        "agent_info": {"name": "claude-code", "model_info": {"name": "m"}},
        "verifier_result": {"rewards": {"reward": 0.5}},
        "started_at": "2026-03-20T18:00:00",
        "finished_at": "2026-03-20T18:10:00",
        **more,
    }


def put(path: Path, content: str | bytes | Any) -> Path:
    """A file; anything but text and bytes as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not isinstance(content, str | bytes):
        content = json.dumps(content)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


class World:
    """One run with configurations and tasks, its output elsewhere."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.runs = top / "in" / "runs"
        self.run = self.runs / "run_one"
        self.tasks = top / "in" / "benchmarks"
        self.out = top / "out"
        self._number = 0

    def task(self, name: str, *files: str, suite: str = "csb_sdlc_fix") -> Path:
        """A task whose ground truth are some files."""
        folder = self.tasks / suite / name
        put(folder / "task.toml", f'[task]\nid = "{name}"\nrepo = "{REPO}"\n')
        put(folder / "tests/ground_truth.json", {"files": list(files or ("src/a.py",))})
        return folder

    def trial(
        self,
        task: str = "good-1",
        config: str = "baseline",
        trace: str | bytes | None = None,
        **more: Any,
    ) -> Path:
        """A trial whose records name the task; its folder has a harmless name."""
        self._number += 1
        folder = self.run / "baseline" / f"trial-{self._number}__abcd{self._number:03}"
        put(folder / "result.json", result_of(task, folder.name, **more))
        put(folder / "config.json", {"environment": {"kwargs": {"label_config": config}}})
        put(
            folder / "agent/claude-code.txt",
            stream("/workspace/src/a.py") if trace is None else trace,
        )
        return folder

    def good(self) -> None:
        """A task and a trial that nothing is wrong with."""
        self.task("good-1")
        self.trial("good-1")

    def evaluate(self, call: Call, *flags: object, command: str = "run") -> Ran:
        """The command line over this world."""
        where = (self.run, "--tasks", self.tasks, "--out", self.out, "--jobs", 1)
        formats = ("--format", "md") if command == "run" else ()
        return call(command, *where, *formats, *flags)

    @property
    def results(self) -> Path:
        """Where the documents of the run go."""
        return self.out / "run_one" / "retrieval_events"

    def documents(self, ending: str = "retrieval_events.json") -> dict[str, Any]:
        """Documents by the task's name as they state it; each task once per configuration."""
        found = {}
        for path in sorted(self.results.glob(f"*/*.{ending}")):
            document = json.loads(path.read_text(encoding="utf-8"))
            where = document["provenance"]
            found[f"{where['config_name']} {where['task_name']}"] = document
        return found

    def summary(self) -> Any:
        """The run's summary."""
        path = self.results / "run_retrieval_summary.json"
        return json.loads(path.read_text(encoding="utf-8"))

    def outcomes(self) -> Any:
        """The run's outcomes."""
        return json.loads((self.results / "outcomes.json").read_text(encoding="utf-8"))

    def outside(self) -> set[str]:
        """Everything that lies outside the output folder."""
        below = (p for p in self.top.rglob("*") if not p.is_relative_to(self.out))
        return {str(p.relative_to(self.top)) for p in below}


def assert_good_trial_was_evaluated(world: World) -> None:
    """The rest is evaluated: the good trial found its one file."""
    metrics = world.documents("retrieval_metrics.json")["baseline good-1"]
    assert metrics["file_level_metrics"]["file_recall"] == 1.0


def assert_said(ran: Ran, *parts: str) -> None:
    """A clear message: no traceback, and it names what it is about."""
    assert "Traceback" not in ran.err and "internal error" not in ran.err, ran.err
    for part in parts:
        assert part in ran.err, ran.err
