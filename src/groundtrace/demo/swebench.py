"""The second sample: made-up SWE-bench tasks, and trajectories of two models with verdicts.

Everything is invented and computed: a small code base (`lantern.txt`), tasks on it and what the
models did (`lantern.toml`). A simulated shell answers commands from the code base, and patches come
from comparing files, so the traces are consistent with the code base. The same bytes every time.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import tomllib
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from groundtrace.demo.world import asset, sections, write

BASELINE = "tern-small-1"
"""The model that the demo compares the other one with."""
REPO = "lantern/lantern"
REPOS = "repos"
"""The folder for `--repos`."""
VERSION = "1.15.0"
EPOCH = 1777888800.0
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached"
PRICES = {"tern-small-1": 0.4, "tern-large-1": 3.0}
"""Dollars for a million tokens."""

Files = dict[str, str]


def write_swebench(folder: Path) -> None:
    """Write `tasks.jsonl`, `trajs/<model>/…` and the repository of the tasks below `folder`."""
    story = tomllib.loads(asset("lantern.toml"))
    world = code_base()
    tasks = {task["id"]: task for task in story["task"]}
    commit = write_repository(folder / REPOS / f"{REPO.replace('/', '__')}.git", world)
    rows = [json.dumps(_row(task, world, commit)) for task in story["task"]]
    write(folder / "tasks.jsonl", "\n".join(rows) + "\n")
    predictions: dict[str, dict[str, Any]] = {}
    for number, trial in enumerate(story["trial"]):
        task, model = tasks[trial["task"]], trial["model"]
        shell = Shell(world, task)
        trajectory = _trajectory(trial, task, shell, EPOCH + 900.0 * number)
        place = folder / "trajs" / model
        write(place / task["id"] / f"{task['id']}.traj.json", json.dumps(trajectory, indent=1))
        verdict = {task["id"]: {"resolved": trial["resolved"]}}
        write(place / "logs" / task["id"] / "report.json", json.dumps(verdict) + "\n")
        predictions.setdefault(model, {})[task["id"]] = {
            "model_name_or_path": model,
            "instance_id": task["id"],
            "model_patch": trajectory["info"]["submission"],
        }
    for model, made in predictions.items():
        write(folder / "trajs" / model / "preds.json", json.dumps(made, indent=1) + "\n")


def code_base() -> Files:
    """The files of the code base."""
    return {name: f"{text}\n" for name, text in sections("lantern.txt").items()}


def _row(task: Mapping[str, Any], world: Files, commit: str) -> dict[str, str]:
    """A task as the data set publishes it."""
    solved = dict(world)
    for file, old, new in task["changes"]:
        solved[file] = solved[file].replace(old, new)
    tested = {**world, task["test"]: world[task["test"]] + _new_test(task["id"])}
    return {
        "instance_id": task["id"],
        "repo": REPO,
        "base_commit": commit,
        "problem_statement": task["issue"],
        "patch": diff(world, solved),
        "test_patch": diff(world, tested),
    }


def _new_test(task: str) -> str:
    return f"\n\ndef test_issue_{task.rpartition('-')[2]}():\n    assert True\n"


# --- the code base as a repository ----------------------------------------------------------


def write_repository(folder: Path, files: Files) -> str:
    """Write a bare repository with one commit, without git; returns the commit."""
    tree = _tree(folder, {tuple(name.split("/")): text for name, text in files.items()})
    person = f"Tern <tern@example.org> {EPOCH:.0f} +0000"
    said = f"tree {tree}\nauthor {person}\ncommitter {person}\n\nLantern\n"
    commit = _object(folder, "commit", said.encode())
    write(folder / "HEAD", "ref: refs/heads/main\n")
    write(folder / "refs/heads/main", f"{commit}\n")
    return commit


def _tree(folder: Path, files: Mapping[tuple[str, ...], str]) -> str:
    """A folder of the commit; git sorts folders as if their names ended with a slash."""
    entries = {
        name: f"100644 {name}\0".encode() + bytes.fromhex(_object(folder, "blob", text.encode()))
        for (name, *below), text in files.items()
        if not below
    }
    for name in {path[0] for path in files if path[1:]}:
        inside = {path[1:]: text for path, text in files.items() if path[0] == name and path[1:]}
        entries[f"{name}/"] = f"40000 {name}\0".encode() + bytes.fromhex(_tree(folder, inside))
    return _object(folder, "tree", b"".join(entries[name] for name in sorted(entries)))


def _object(folder: Path, kind: str, data: bytes) -> str:
    """Write an object of git; returns its id."""
    data = f"{kind} {len(data)}\0".encode() + data
    name = hashlib.sha1(data, usedforsecurity=False).hexdigest()
    path = folder / "objects" / name[:2] / name[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zlib.compress(data))
    return name


# --- a shell over the code base -------------------------------------------------------------


class Shell:
    """Answers the commands of one trial, and keeps what they change."""

    def __init__(self, world: Files, task: Mapping[str, Any]) -> None:
        self.before = dict(world)
        self.files = dict(world)
        self._task = task
        self._verbs: Mapping[str, Callable[[str], tuple[str, str]]] = {
            "grep": self._grep,
            "ls": self._ls,
            "cat": self._cat,
            "show": self._show,
            "fix": self._fix,
            "test": self._test,
            "put": self._put,
            "new": self._new,
            "rm": self._rm,
        }

    def run(self, call: str) -> tuple[str, str]:
        """The shell command for a call of the story, and what it prints."""
        verb, _, rest = call.partition(" ")
        return self._verbs[verb](rest)

    def _grep(self, word: str) -> tuple[str, str]:
        found = [
            f"{file}:{number}:{line}"
            for file, text in sorted(self.files.items())
            if file.startswith("lantern/")
            for number, line in enumerate(text.split("\n"), start=1)
            if word in line
        ]
        return f"grep -rn {word} lantern", "\n".join(found)

    def _ls(self, folder: str) -> tuple[str, str]:
        inside = {f.split("/")[1] for f in self.files if f.startswith(f"{folder}/")}
        return f"ls {folder}", "\n".join(sorted(inside))

    def _cat(self, file: str) -> tuple[str, str]:
        return f"cat {file}", self.files[file].rstrip("\n")

    def _show(self, rest: str) -> tuple[str, str]:
        file, first, last = rest.split()
        lines = self.files[file].splitlines()[int(first) - 1 : int(last)]
        return f"sed -n '{first},{last}p' {file}", "\n".join(lines)

    def _fix(self, file: str) -> tuple[str, str]:
        changes = [(old, new) for name, old, new in self._task["changes"] if name == file]
        for old, new in changes:
            self.files[file] = self.files[file].replace(old, new)
        return _script(file, changes), ""

    def _test(self, _: str) -> tuple[str, str]:
        file = self._task["test"]
        added = _new_test(self._task["id"])
        self.files[file] += added
        return f"cat >> {file} <<'EOF'\n{added.rstrip()}\nEOF", ""

    def _put(self, rest: str) -> tuple[str, str]:
        file, _, change = rest.partition(" ")
        old, _, new = change.partition(" => ")
        self.files[file] = self.files[file].replace(old, new)
        return _script(file, [(old, new)]), ""

    def _new(self, file: str) -> tuple[str, str]:
        self.files[file] = "import lantern\n\nprint(lantern.Lamp(100).range())\n"
        return f"cat > {file} <<'EOF'\n{self.files[file].rstrip()}\nEOF", ""

    def _rm(self, file: str) -> tuple[str, str]:
        del self.files[file]
        return f"rm {file}", ""


def _script(file: str, changes: Iterable[tuple[str, str]]) -> str:
    """The edit as a command; `sed` if one line replaces one line."""
    commands = []
    for old, new in changes:
        written = new.replace("\n", "\\n")
        commands.append(f"s|{_escaped(old)}|{_escaped(written, r'&|')}|")
    return f"sed -i '{'; '.join(commands)}' {file}"


def _escaped(text: str, special: str = r".*[]^$|") -> str:
    return "".join(f"\\{char}" if char in special else char for char in text).replace("'", r"'\''")


# --- what the harness writes ----------------------------------------------------------------


def _trajectory(
    trial: Mapping[str, Any], task: Mapping[str, Any], shell: Shell, clock: float
) -> dict[str, Any]:
    model = trial["model"]
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You solve problems with a shell.", "timestamp": clock},
        {"role": "user", "content": f"Solve this issue:\n\n{task['issue']}", "timestamp": clock},
    ]
    status = "Submitted"
    tokens = 0
    steps = [call for call in trial["calls"] if not call.startswith("end ")]
    for call in trial["calls"]:
        if call.startswith("end "):
            status = call.removeprefix("end ")
    for turn, call in enumerate(steps):
        command, output = shell.run(call)
        clock += 9.0
        tokens += _ask(messages, command, turn, clock, model)
        clock += 2.0
        answer = f"<returncode>0</returncode>\n<output>\n{output}\n</output>"
        messages.append({"role": "user", "content": answer, "timestamp": clock})
    patch = ""
    if status == "Submitted":
        patch = diff(shell.before, shell.files)
        tokens += _ask(messages, SUBMIT, len(steps), clock + 6.0, model)
        messages.append({"role": "user", "content": patch, "timestamp": clock + 7.0})
    return {
        "info": {
            "exit_status": status,
            "submission": patch,
            "model_stats": {
                "instance_cost": round(tokens * PRICES[model] / 1e6, 6),
                "api_calls": len(steps) + (status == "Submitted"),
            },
            "mini_version": VERSION,
            "config": {
                "model": {"model_name": f"harbour/{model}"},
                "environment": {"cwd": "/testbed"},
            },
        },
        "messages": messages,
        "trajectory_format": "mini-swe-agent-1",
        "instance_id": task["id"],
    }


def _ask(messages: list[dict[str, Any]], command: str, turn: int, clock: float, model: str) -> int:
    """Add a reply of the model that runs a command; returns the tokens that it took."""
    asked, made = 1200 + 700 * turn, 60 + len(command) // 4
    messages.append(
        {
            "role": "assistant",
            "content": f"THOUGHT: step {turn + 1}.\n\n```bash\n{command}\n```",
            "timestamp": clock,
            "extra": {
                "response": {
                    "model": model,
                    "usage": {"prompt_tokens": asked, "completion_tokens": made},
                }
            },
        }
    )
    return asked + made


def diff(before: Files, after: Files) -> str:
    """The changes between two states of the files, as git shows them."""
    parts: list[str] = []
    for file in sorted(before.keys() | after.keys()):
        old, new = before.get(file), after.get(file)
        if old == new:
            continue
        parts.append(f"diff --git a/{file} b/{file}")
        if old is None:
            parts.append("new file mode 100644")
        names = ("/dev/null" if old is None else f"a/{file}", f"b/{file}")
        lines = difflib.unified_diff(
            (old or "").splitlines(), (new or "").splitlines(), *names, lineterm=""
        )
        parts += lines
    return "\n".join(parts) + "\n" if parts else ""
