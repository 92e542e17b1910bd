"""A generated benchmark of any size: `python -m benchmarks.generate FOLDER [--trials N]`.

Writes `runs/` and `benchmarks/` below FOLDER, the same bytes every time. The mixture is that of
real trials. Half of the calls are shell commands, an eighth are searches. Half of the trials have a
stream and a session log, a sixth have a stream and a trajectory, the others only an OpenHands
trajectory. A trial has two dozen calls and a quarter of a megabyte. Code, commands and answers are
made up and rarely repeat.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from benchmarks.traces import full_stream, openhands, session
from groundtrace.demo.recorder import Recorder, iso, record, trajectory
from groundtrace.demo.world import ToolAnswer

RUN_SIZE = 1000
TASKS = 500
"""Fewest tasks. See `tasks_of`."""
REPOS = ("harbour", "lantern", "tideway", "ropewalk", "beacon", "slipway")
CONFIGS = ("baseline-local-direct", "mcp-remote-direct")
FORMS = ("session",) * 10 + ("trajectory",) * 3 + ("openhands",) * 5
"""Which files a trial has, in the proportions of real trials."""
EPOCH = 1777888800.0
MODEL = "tern-small-1"

_WORDS = [
    "anchor",
    "beam",
    "cargo",
    "derrick",
    "eddy",
    "fender",
    "gauge",
    "hawser",
    "inlet",
    "jetty",
    "keel",
    "lock",
    "mooring",
    "notch",
    "oar",
    "pilot",
    "quay",
    "rudder",
    "shoal",
    "tide",
    "upstream",
    "vessel",
    "winch",
    "yard",
]
_FOLDERS = ("src/core", "src/api", "internal/store", "pkg/net", "cmd", "test/unit", "docs")
_ENDINGS = (".go", ".go", ".py", ".ts", ".rs", ".md")


@dataclass(frozen=True, slots=True)
class World:
    """The made-up code: every file with its lines."""

    files: dict[str, tuple[str, ...]]
    names: tuple[str, ...]


@lru_cache
def world() -> World:
    """Six repositories of 120 files."""
    chance = random.Random("world")
    files: dict[str, tuple[str, ...]] = {}
    for repo in REPOS:
        for number in range(120):
            first, second = chance.sample(_WORDS, 2)
            ending = chance.choice(_ENDINGS)
            name = f"{repo}/{chance.choice(_FOLDERS)}/{first}_{second}_{number}{ending}"
            files[name] = tuple(_line(chance) for _ in range(chance.randrange(30, 260)))
    return World(files, tuple(files))


def _line(chance: random.Random) -> str:
    a, b, c = chance.choices(_WORDS, k=3)
    indent = "    " * chance.randrange(3)
    return indent + chance.choice(
        (
            f"func {a}{b.title()}(ctx Context, {c} int) error {{",
            f"{a} := new{b.title()}({c}, {chance.randrange(900)})",
            f'log.Printf("{a} of %s waits for {b}", {c})',
            f"return {a}.{b}({c}), nil",
            f"// {a} keeps the {b} until the {c} is full",
            "}",
        )
    )


def _mirror(repo: str) -> str:
    return f"github.com/sg-evals/{repo}--a1b2c3d4"


def _matches(chance: random.Random, pattern: str, limit: int) -> list[tuple[str, int, str]]:
    """Some lines that contain a pattern, as a search would find them."""
    wanted = re.compile(pattern)
    found: list[tuple[str, int, str]] = []
    names = world().names
    start = chance.randrange(len(names))
    for name in (*names[start : start + 90], *names[: max(0, start + 90 - len(names))]):
        for number, line in enumerate(world().files[name], 1):
            if wanted.search(line):
                found.append((name, number, line))
                if len(found) >= limit:
                    return found
    return found


def _shell(command: str, output: str) -> ToolAnswer:
    data = {"stdout": output, "stderr": "", "interrupted": False}
    return ToolAnswer("Bash", {"command": command, "description": "Look around"}, output, data)


def _patterns(chance: random.Random) -> tuple[str, str]:
    """A pattern to search for, in the syntax of grep and of Python. Two trials rarely have the same
    one."""
    a, b = chance.sample(_WORDS, 2)
    return chance.choice(
        (
            (rf"{a}\|{b}", rf"{a}|{b}"),
            (rf"{a}[.(]\|{b}[.(]", rf"{a}[.(]|{b}[.(]"),
            (rf"func {a}\|{b} of", rf"func {a}|{b} of"),
            (rf"new{a.title()}\|{b}{a.title()}", rf"new{a.title()}|{b}{a.title()}"),
        )
    )


def shell_grep(chance: random.Random) -> ToolAnswer:
    given, pattern = _patterns(chance)
    lines = [f"/workspace/{n}:{i}:{t}" for n, i, t in _matches(chance, pattern, 14)]
    return _shell(f'grep -rn "{given}" /workspace --include="*.go" | head -14', "\n".join(lines))


def shell_find(chance: random.Random) -> ToolAnswer:
    repo, word = chance.choice(REPOS), chance.choice(_WORDS)
    names = [n for n in world().names if n.startswith(repo) and word in n]
    command = f'find /workspace/{repo} -type f -name "*{word}*" -not -path "*/node_modules/*"'
    return _shell(command, "\n".join(f"/workspace/{name}" for name in names))


def shell_cat(chance: random.Random) -> ToolAnswer:
    name = chance.choice(world().names)
    lines = world().files[name]
    start = chance.randrange(1, max(2, len(lines) - 30))
    shown = lines[start - 1 : start + 39]
    command = chance.choice(
        (
            f"sed -n '{start},{start + 39}p' /workspace/{name}",
            f"cat /workspace/{name} | sed -n '{start},{start + 39}p'",
        )
    )
    return _shell(command, "\n".join(shown))


def shell_several(chance: random.Random) -> ToolAnswer:
    repo, word = chance.choice(REPOS), chance.choice(_WORDS)
    here = [n.removeprefix(f"{repo}/") for n in world().names if n.startswith(repo)]
    picked = chance.sample(here, 3)
    command = (
        f'cd /workspace/{repo}\necho "=== where {word} is used ==="\n'
        f'grep -ln "{word}" {" ".join(picked)} 2>/dev/null\necho "---"\nhead -5 {picked[0]}'
    )
    using = [n for n in picked if any(word in line for line in world().files[f"{repo}/{n}"])]
    head = world().files[f"{repo}/{picked[0]}"][:5]
    return _shell(command, "\n".join([f"=== where {word} is used ===", *using, "---", *head]))


def shell_list(chance: random.Random) -> ToolAnswer:
    repo = chance.choice(REPOS)
    folder = chance.choice(_FOLDERS)
    below = f"{repo}/{folder}/"
    names = sorted(n.removeprefix(below) for n in world().names if n.startswith(below))
    return _shell(f"ls /workspace/{repo}/{folder}", "\n".join(names))


def shell_test(chance: random.Random) -> ToolAnswer:
    word = chance.choice(_WORDS)
    lines = [f"=== RUN   Test{w.title()}" for w in chance.sample(_WORDS, 8)]
    command = f"cd /workspace/{chance.choice(REPOS)} && go test ./... -run {word.title()} 2>&1"
    return _shell(command, "\n".join([*lines, "ok  \tharbour/core\t0.412s"]))


def read(chance: random.Random) -> ToolAnswer:
    name = chance.choice(world().names)
    lines = world().files[name]
    text = "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, 1))
    file = {
        "filePath": f"/workspace/{name}",
        "content": "\n".join(lines),
        "startLine": 1,
        "numLines": len(lines),
        "totalLines": len(lines),
    }
    return ToolAnswer(
        "Read", {"file_path": f"/workspace/{name}"}, text, {"type": "text", "file": file}
    )


def grep(chance: random.Random) -> ToolAnswer:
    word = chance.choice(_WORDS)
    names = list(dict.fromkeys(n for n, _, _ in _matches(chance, word, 25)))
    text = "\n".join([f"Found {len(names)} files", *(f"/workspace/{n}" for n in names)])
    data = {"mode": "files_with_matches", "filenames": names, "numFiles": len(names)}
    arguments = {"pattern": word, "path": "/workspace", "output_mode": "files_with_matches"}
    return ToolAnswer("Grep", arguments, text if names else "No files found", data)


def search(chance: random.Random) -> ToolAnswer:
    word = chance.choice(_WORDS)
    blocks: dict[str, list[str]] = {}
    for name, number, line in _matches(chance, word, 20):
        repo, _, path = name.partition("/")
        blocks.setdefault(f"# {_mirror(repo)} – {path}", []).append(f"{number}: {line}")
    text = "\n\n".join("\n".join([head, *lines]) for head, lines in blocks.items())
    return ToolAnswer("mcp__sourcegraph__keyword_search", {"query": word}, text or "No results.")


def remote_read(chance: random.Random) -> ToolAnswer:
    name = chance.choice(world().names)
    repo, _, path = name.partition("/")
    lines = world().files[name]
    url = f"URL: https://sg.example.com/{_mirror(repo)}@a1b2c3d4/-/blob/{path}?L1-{len(lines)}"
    text = "\n".join([url, *(f"{n}: {line}" for n, line in enumerate(lines, 1))])
    return ToolAnswer("mcp__sourcegraph__read_file", {"repo": _mirror(repo), "path": path}, text)


def remote_list(chance: random.Random) -> ToolAnswer:
    repo, folder = chance.choice(REPOS), chance.choice(_FOLDERS)
    below = f"{repo}/{folder}/"
    names = [n.removeprefix(f"{repo}/") for n in world().names if n.startswith(below)]
    arguments = {"repo": _mirror(repo), "path": folder}
    return ToolAnswer("mcp__sourcegraph__list_files", arguments, "\n".join(names))


def edit(chance: random.Random) -> ToolAnswer:
    path = f"/workspace/{chance.choice(world().names)}"
    arguments = {"file_path": path, "old_string": "}", "new_string": "} //", "replace_all": False}
    return ToolAnswer("Edit", arguments, f"The file {path} has been updated successfully.")


def write(chance: random.Random) -> ToolAnswer:
    path = f"/workspace/answer_{chance.randrange(99)}.md"
    content = "\n".join(_line(chance) for _ in range(chance.randrange(40, 160)))
    text = f"File created successfully at: {path}"
    return ToolAnswer("Write", {"file_path": path, "content": content}, text)


def todo(chance: random.Random) -> ToolAnswer:
    todos = [{"content": f"check the {w}", "status": "pending"} for w in chance.sample(_WORDS, 3)]
    return ToolAnswer("TodoWrite", {"todos": todos}, "Todos have been modified successfully.")


Tool = Callable[[random.Random], ToolAnswer]
MIX: tuple[tuple[Tool, int], ...] = (
    (shell_grep, 16),
    (shell_several, 14),
    (shell_cat, 9),
    (shell_find, 8),
    (shell_list, 5),
    (shell_test, 3),
    (search, 13),
    (read, 11),
    (grep, 5),
    (remote_read, 5),
    (edit, 3),
    (write, 4),
    (remote_list, 2),
    (todo, 2),
)
"""How many of a hundred calls use each tool."""
_LOCAL: dict[Tool, Tool] = {search: grep, remote_read: read, remote_list: shell_list}
"""What a configuration without code search does instead."""


def calls(chance: random.Random, config: str) -> list[ToolAnswer]:
    """The calls of one trial."""
    tools = [tool for tool, _ in MIX]
    weights = [weight for _, weight in MIX]
    chosen = chance.choices(tools, weights, k=chance.randrange(6, 37))
    if config == CONFIGS[0]:
        chosen = [_LOCAL.get(tool, tool) for tool in chosen]
    return [tool(chance) for tool in chosen]


def tasks_of(run_size: int) -> int:
    """Number of tasks: at least one for two trials of a run, one in each configuration.

    In one run, a later trial of the same task and configuration supersedes the earlier one: of
    10,000 trials of 500 tasks, only 1,000 counted.
    """
    return max(TASKS, (run_size + 1) // 2)


def write_tasks(root: Path, tasks: int = TASKS) -> None:
    """Task definitions with ground truth, each of five files of the made-up code."""
    for number in range(tasks):
        chance = random.Random(f"task {number}")
        folder = root / "csb_sdlc_fix" / _task(number)
        names = chance.sample(world().names, 5)
        repos = sorted({name.partition("/")[0] for name in names})
        tables = "\n".join(
            f'[[repos]]\nurl = "https://{_mirror(r)}"\npath = "{r}"\n' for r in repos
        )
        _write(
            folder / "task.toml",
            f'[task]\nid = "{_task(number)}"\nrepo = "{_mirror(repos[0])}"\n\n{tables}',
        )
        _write(folder / "instruction.md", f"# {_task(number)}\n\nFind what is asked for.\n")
        truth = {"files": [f"{_mirror(n.partition('/')[0])}::{n.partition('/')[2]}" for n in names]}
        _write(folder / "tests" / "ground_truth.json", json.dumps(truth, indent=1))


def _task(number: int) -> str:
    return f"harbour-task-{number:03d}"


def task_and_config(number: int, run_size: int) -> tuple[str, str]:
    """Task and configuration of a trial."""
    return _task(number // 2 % tasks_of(run_size)), CONFIGS[number % 2]


def write_trial(runs: Path, number: int, run_size: int = RUN_SIZE) -> int:
    """One trial of a run of `run_size` trials; returns the bytes of its trace files."""
    chance = random.Random(f"trial {number}")
    task, config = task_and_config(number, run_size)
    name = f"{task}__{number:07d}"
    run = runs / f"csb_sdlc_fix_tern_{number // run_size:06d}"
    folder = run / config / "2026-05-04__10-00-00" / name
    recorder = Recorder(seed=f"{number:012d}", started=EPOCH + number, model=MODEL)
    made = record(calls(chance, config), recorder)
    form = FORMS[number % len(FORMS)]
    files: dict[str, str] = {}
    if form == "openhands":
        files["agent/trajectory.json"] = openhands(made, recorder)
    else:
        files["agent/claude-code.txt"] = full_stream(made, recorder, chance)
        if form == "session":
            files["agent/session.jsonl"] = session(made, recorder, chance)
        else:
            files["agent/trajectory.json"] = trajectory(made, recorder)
    for relative, text in files.items():
        _write(folder / relative, text)
    result = {
        "task_name": task,
        "trial_name": name,
        "agent_info": {"name": "claude-code", "version": "2.1.220", "model_info": {"name": MODEL}},
        "agent_result": {"n_output_tokens": 4000, "cost_usd": 0.2 + chance.random() / 10},
        "verifier_result": {"rewards": {"reward": round(chance.random(), 2)}},
        "started_at": iso(recorder.started),
        "finished_at": iso(recorder.clock),
    }
    metrics = {"task_id": task, "benchmark": "csb_sdlc_fix", "config_name": config}
    _write(folder / "result.json", json.dumps(result, indent=2))
    _write(folder / "task_metrics.json", json.dumps(metrics, indent=2))
    return sum(len(text.encode()) for text in files.values())


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def generate(folder: Path, trials: int, run_size: int = RUN_SIZE) -> int:
    """Write tasks and trials below a folder; returns the bytes of all traces."""
    write_tasks(folder / "benchmarks", tasks_of(min(run_size, trials)))
    return sum(write_trial(folder / "runs", number, run_size) for number in range(trials))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trials", type=int, default=250)
    parser.add_argument("--run-size", type=int, default=RUN_SIZE, help="trials of a run")
    arguments = parser.parse_args()
    size = generate(arguments.folder, arguments.trials, arguments.run_size)
    print(f"{arguments.trials:,} trials, {size / 1e6:,.1f} MB of traces in {arguments.folder}")


if __name__ == "__main__":
    main()
