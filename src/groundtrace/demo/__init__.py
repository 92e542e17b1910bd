"""The bundled sample: an invented code base, tasks on it, and trials of two configurations.

`write_sample` writes the folders `runs/` and `benchmarks/` as a real benchmark has them. Users see
what inputs look like, and tests have data. It writes the same bytes every time.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from groundtrace.demo.world import asset, call, files, write

RUN = "demo_harbour_20260504"
MODEL = "tern-small-1"
BATCH = "2026-05-04__10-00-00"
EPOCH = 1777888800.0
"""When the demo's first trial began: 2026-05-04, 10:00 UTC."""


def write_sample(folder: Path, *, whole: bool = False) -> None:
    """Write the sample's `runs/official/<run>` and `benchmarks/` below `folder`.

    The small sample has 12 tasks that show how inputs can look. The `whole` one has 18 more, and
    calls that take as long as real ones: enough for an answer.
    """
    story = tomllib.loads(asset("story.toml"))
    if whole:
        rows = tomllib.loads(asset("more.toml"))["task"]
        more = {"task": map(_task, rows), "trial": _trials(rows)}
        story = {key: [*story[key], *added] for key, added in more.items()}
    for task in story["task"]:
        _write_task(folder / "benchmarks" / task["suite"] / task["name"], task)
    suites = {task["name"]: task["suite"] for task in story["task"]}
    for number, trial in enumerate(story["trial"]):
        _write_trial(
            folder / "runs" / "official" / RUN, trial, suites[trial["task"]], number, varied=whole
        )


def _write_task(folder: Path, task: dict[str, Any]) -> None:
    repos = [f"sg-evals/{repo}--a1b2c3d4" for repo in task["repos"]]
    lines = [
        'version = "1.0"',
        "",
        "[metadata]",
        f'name = "{task["name"]}"',
        'license = "Apache-2.0"',
        "",
        "[task]",
        f'id = "{task["name"]}"',
        f'repo = "{repos[0]}"',
        'language = "go"',
    ]
    for repo, name in zip(repos, task["repos"], strict=True):
        lines += ["", "[[repos]]", f'url = "https://github.com/{repo}"', f'path = "{name}"']
    mirrors = "\n".join(f"- github.com/{repo}" for repo in repos)
    instruction = f"# {task['name']}\n\n{task['instruction']}\n\nRepositories:\n{mirrors}\n"
    write(folder / "task.toml", "\n".join(lines) + "\n")
    write(folder / "instruction.md", instruction)
    for name, content in task.get("files", {}).items():
        write(folder / name, content.lstrip("\n"))


def _write_trial(
    run: Path, trial: dict[str, Any], suite: str, number: int, *, varied: bool
) -> None:
    from groundtrace.demo.recorder import Recorder, record, stream, trajectory

    task_name = trial.get("wrapper", "{task}").format(task=trial["task"])
    mark = hashlib.sha256(f"{number}/{task_name}".encode()).hexdigest()[:7]
    trial_name = f"{task_name[:32]}__{mark}"
    batch = trial.get("batch", BATCH)
    folder = run / trial["config"] / batch / trial_name
    started = EPOCH + 600.0 * number
    model = trial.get("model", MODEL)
    recorder = Recorder(seed=mark, started=started, model=model, varied=varied)
    made = record([call(spec) for spec in trial["calls"]], recorder)
    writers: dict[str, tuple[str, Callable[[], str]]] = {
        "stream": ("claude-code.txt", lambda: stream(made, recorder, trial["cost"])),
        "trajectory": ("trajectory.json", lambda: trajectory(made, recorder)),
    }
    for name in trial["formats"]:
        file_name, made_text = writers[name]
        write(folder / "agent" / file_name, made_text())
    write(folder / "result.json", _result(trial, task_name, trial_name, recorder))
    metrics = {"task_id": task_name, "benchmark": suite, "config_name": trial["config"]}
    write(folder / "task_metrics.json", json.dumps(metrics, indent=2) + "\n")


def _result(trial: dict[str, Any], task_name: str, trial_name: str, recorder: Any) -> str:
    from groundtrace.demo.recorder import VERSION, iso

    rewards = {"rewards": {"reward": trial["reward"]}} if "reward" in trial else None
    exception = {"exception_type": trial["exception"]} if "exception" in trial else None
    result = {
        "task_name": task_name,
        "trial_name": trial_name,
        "task_id": {"path": f"/tmp/{task_name}"},
        "agent_info": {
            "name": "claude-code",
            "version": VERSION,
            "model_info": {"name": recorder.model, "provider": "harbour"},
        },
        "agent_result": {"n_input_tokens": None, "n_output_tokens": None, "cost_usd": None},
        "verifier_result": rewards,
        "exception_info": exception,
        "started_at": iso(recorder.started - 20),
        "finished_at": iso(recorder.clock + 15),
        "agent_execution": {
            "started_at": iso(recorder.started - 3),
            "finished_at": iso(recorder.clock + 2),
        },
    }
    return json.dumps(result, indent=2) + "\n"


CONFIGS = {
    "local": "baseline-local-direct",
    "remote": "mcp-remote-direct",
    "index": "index-only-direct",
}


def _trials(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The trials of more.toml in the form of story.toml."""
    for key, config in CONFIGS.items():
        for row in rows:
            yield {
                "task": row["name"],
                "config": config,
                "reward": float(row[key][1]),
                "cost": row[key][2],
                "formats": ["stream"],
                "calls": list(_calls(key, row, row[key][0])),
            }


def _task(row: dict[str, Any]) -> dict[str, Any]:
    """A task of more.toml in the form of story.toml."""
    repos = list(dict.fromkeys(path.partition("/")[0] for path in row["files"]))
    if _is_fix(row):
        names = [path.partition("/")[2] for path in row["files"]]
        content = {"task_id": row["name"], "expected_files": names, "compilation_required": True}
        definition = {"tests/expected_changes.json": json.dumps(content) + "\n"}
    else:
        named = [path.replace("/", "::", 1) for path in row["files"]]
        definition = {"tests/ground_truth.json": json.dumps({"files": named}) + "\n"}
    return {
        "name": row["name"],
        "suite": row["suite"],
        "repos": repos,
        "instruction": row["ask"],
        "files": definition,
    }


def _is_fix(row: dict[str, Any]) -> bool:
    return bool(row["suite"] == "demo_sdlc_fix")


def _calls(key: str, row: dict[str, Any], opened: int) -> Iterator[list[Any]]:
    """Look for files, open as many relevant ones as the row says, then edit or answer."""
    repo = row["files"][0].partition("/")[0]
    yield ["Todo", "look around", "do it"]
    if key == "remote":
        yield ["search", row["word"]]
    else:
        ending = "*.ts*" if repo == "berth-ui" else "*.go"
        yield ["find", f"/workspace/{repo}", ending] if key == "local" else ["Glob", f"{repo}/*"]
    own = row["files"][:opened]
    if opened < len(row["files"]):
        yield ["Read", f"/workspace/{_other(row)}"]
    for path in own:
        folder, _, name = path.partition("/")
        yield ["sg_read", folder, name] if key == "remote" else ["Read", f"/workspace/{path}"]
    if not _is_fix(row):
        yield ["Write", "/workspace/answer.json", "{}"]
        return
    for path in own:
        line = max(files()[path], key=len)
        yield ["Edit", f"/workspace/{path}", line, f"{line} // {row['name']}"]
    yield ["run", f"cd /workspace/{repo} && make test", "ok"]


def _other(row: dict[str, Any]) -> str:
    """A file of the same repository that is not relevant."""
    repo = row["files"][0].partition("/")[0]
    return next(path for path in files() if path.startswith(repo) and path not in row["files"])
