"""What a user points to besides traces and tasks: stored state, manifests, layouts, repositories."""

from __future__ import annotations

import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from random import Random

import msgspec

from groundtrace import __version__
from groundtrace.base.jsonio import clean_text
from groundtrace.config import Settings
from groundtrace.discover.layout import Layout
from groundtrace.discover.manifest import is_manifest, read_manifest
from groundtrace.errors import GroundtraceError, UsageError
from groundtrace.functions.objects import objects_folder
from groundtrace.functions.repositories import close_repositories, open_tree
from groundtrace.model import Problem, Task, TaskRow, ToolResult
from groundtrace.runs.state import FILE_NAME, RunSeen, State, load_state
from groundtrace.truth.git_history import git_environment, tasks_of_history
from tests.fuzz import checks, mutate, seeds
from tests.fuzz.cases import Case, damaged
from tests.fuzz.memory import MemoryFolder
from tests.shell.views import shell_refs


@cache
def _state() -> bytes:
    seen = RunSeen(fingerprint="a1", superseded=0, skipped=1, without_task=2, broken=("x",))
    entries = {f"baseline/t{n}.retrieval_events.json": f"f{n} 12:{n}" for n in range(3)}
    state = State(documents=entries, evaluated=entries, results={"s.json": "a b"}, run=seen)
    return msgspec.json.encode(state)


def make_state(rng: Random) -> Case:
    data = damaged(".json", _state(), rng)
    if rng.random() < 0.1:
        data = b'{"groundtrace":"' + __version__.encode() + b'","x":' + b"[" * rng.randrange(5000)
    return Case({FILE_NAME: data})


def check_state(case: Case) -> None:
    """A state or an empty one; what is read can be stored and read back."""
    state = load_state(MemoryFolder(case.files))
    again = msgspec.json.decode(msgspec.json.encode(state), type=State)
    assert again == state
    assert all(isinstance(value, str) for value in state.documents.values())


_CSV = (
    b"trace,task,config,reward,cost_usd,team\na.jsonl,t1,baseline,1,0.5,x\nb.jsonl#s1,t2,mcp,0,,y\n"
)
_JSONL = (
    b'{"trace": "a.jsonl", "task": "t", "reward": 1, "team": "x"}\n{"trace": "b#1", "config": 2}\n'
)


def make_manifest(rng: Random) -> Case:
    name, data = rng.choice((("m.csv", _CSV), ("m.jsonl", _JSONL)))
    data = damaged(name, data, rng)
    if rng.random() < 0.2:
        data = data.replace(b"\n", rng.choice((b"\r", b"\r\n", b"\n\r", b"\n\n", b"\0")))
    return Case({name: data}, (name,))


def check_manifest(case: Case) -> None:
    """Rows with a trace, finite numbers and text that can be written; the others are problems."""
    folder, problems = MemoryFolder(case.files), list[Problem]()
    is_manifest(folder, case.values[0])
    for row in read_manifest(folder, case.values[0], problems):
        assert row.number >= 1
        for text in (row.trace, *row.texts.values(), *row.groups, *row.groups.values()):
            assert text == clean_text(text)
        assert all(abs(number) < float("inf") for number in row.numbers.values())
    checks.check_problems(tuple(problems))


_PIECES = (
    *("{task}", "{config}", "{trial}", "{run}", "{model}", "{", "}", "{}", "{x}", "*", "**", "?"),
    *(
        "/",
        "/",
        "/",
        "a",
        "-",
        "_",
        ".",
        "[",
        "(",
        "\\",
        "+",
        "$",
        "é",
        " ",
        "..",
        "{task}{config}",
    ),
)


def make_layout(rng: Random) -> Case:
    pattern = "".join(rng.choices(_PIECES, k=rng.randrange(1, 14)))
    parts = tuple("".join(rng.choices("ab-_.é ", k=rng.choice((0, 3, 300)))) for _ in range(4))
    return Case({"pattern.txt": pattern.encode()}, (pattern, parts[: rng.randrange(1, 5)]))


def check_layout(case: Case) -> None:
    """Refused with a message, or names that are pieces of the path."""
    pattern, parts = case.values
    try:
        layout = Layout(pattern)
    except UsageError:
        return
    found = layout.roles(parts) or {}
    assert all(any(name in part for part in parts) for name in found.values())


@cache
def _windows() -> tuple[tuple[str, str], ...]:
    """Commands of PowerShell and cmd, with what they printed."""
    found: list[tuple[str, str]] = []
    for path in sorted(seeds.FIXTURES.glob("windows/*.commands")):
        command, printed = "", list[str]()
        for line in [*path.read_text(encoding="utf-8").splitlines(), "$ "]:
            if line.startswith("$ "):
                found.append((command, "\n".join(printed)))
                command, printed = line[2:], []
            elif line.startswith("| "):
                printed.append(line[2:])
    return tuple(pair for pair in found if pair[0])


_WRAPS = (
    *("{}", "{}; {}", "{} | Select-Object -First 3", "foreach ($f in {}) {{ {} }}", "& {{ {} }}"),
    *("if ($true) {{ {} }}", "$x = @({}); $x", 'powershell -Command "{}"', "cmd /c {}", "$({})"),
    *("{} | ForEach-Object {{ {} }}", "for /f %i in (a.txt) do {}", "@'\n{}\n'@ | {}", "({})" * 9),
)


def make_powershell(rng: Random) -> Case:
    command, output = rng.choice(_windows())
    wrap = rng.choice(_WRAPS)
    command = wrap.format(*[command] * wrap.count("{}"))
    for _ in range(rng.choice((0, 1, 1, 3))):
        command = mutate.damage_text(command, rng)
    if rng.random() < 0.5:
        output = mutate.damage_text(output, rng)
    cwd = rng.choice((None, "C:\\w", "/workspace", "\\\\srv\\share"))
    return Case({"command.ps1": command.encode("utf-8", "replace")}, (command, output, cwd))


def check_powershell(case: Case) -> None:
    """The same files twice, and none of a command that failed."""
    command, output, cwd = case.values
    result = ToolResult(clean_text(output))
    view = shell_refs(command, result, cwd, Settings())
    checks.check_refs(view.refs)
    checks.check_problems(view.problems)
    assert view == shell_refs(command, result, cwd, Settings())


@cache
def _repository() -> dict[str, bytes]:
    """The files of a small repository of two commits."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        own = git_environment() | {"HOME": name, "GIT_CONFIG_GLOBAL": "/dev/null"}
        for who in ("AUTHOR", "COMMITTER"):
            own |= {
                f"GIT_{who}_NAME": "a",
                f"GIT_{who}_EMAIL": "a@b",
                f"GIT_{who}_DATE": "1700000000 +0000",
            }

        def git(*words: str) -> None:
            subprocess.run(["git", "-C", name, *words], env=own, check=True, capture_output=True)

        git("init", "-q", "-b", "main")
        for text in ("def f():\n    pass\n", "def f():\n    return 1\n"):
            (top / "a.py").write_text(text, encoding="utf-8")
            git("add", "a.py")
            git("commit", "-q", "-m", "x")
        return {name: data for name, data in seeds.files_below(top / ".git").items() if data}


def make_repository(rng: Random) -> Case:
    files = {name: data for name, data in _repository().items() if not name.endswith(".sample")}
    for name in rng.sample(sorted(files), rng.choice((1, 1, 2, 5))):
        files[name] = mutate.damage_bytes(files[name], rng, rng.choice((1, 3)))
    if rng.random() < 0.3:
        files["config"] = files.get("config", b"") + rng.choice(_SETTINGS)
    if rng.random() < 0.2:
        files["objects/info/alternates"] = rng.choice((b"/\n", b"../objects\n", b'"x"\n', b"\0\n"))
    head = _repository()["refs/heads/main"].decode().strip()
    return Case(files, (rng.choice((head, head[:9], "HEAD", "f" * 40)), rng.random() < 0.2))


_SETTINGS = (
    b"[core]\n\tfsmonitor = touch RAN\n\tsshCommand = touch RAN\n\thooksPath = .\n",
    b"[diff]\n\texternal = touch RAN\n[core]\n\tpager = touch RAN\n",
    b"[include]\n\tpath = /dev/zero\n",
    b'[remote "o"]\n\tpromisor = true\n\turl = ext::touch RAN\n[extensions]\n\tpartialClone = o\n',
)


def check_repository(case: Case) -> None:
    """`git:` and `--repos` give tasks and files, or say why not; nothing of it runs."""
    revision, with_pipe = case.values
    with tempfile.TemporaryDirectory() as name:
        for path, data in case.files.items():
            file = Path(name, "r", ".git", path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        if with_pipe:
            os.mkfifo(Path(name, "r", ".git", "commondir"))
        try:
            # git itself waits for a pipe until its time is over.
            location = f"{name}/r@{revision}"
            for task in () if with_pipe else tasks_of_history(location).tasks:
                assert task.row is not None
        except GroundtraceError:
            pass
        row = TaskRow(file="x", number=1, base_commit=revision)
        task = Task("t", "b", None, ("r",), row=row)
        try:
            opened = open_tree(task, [name])
            if opened.tree is not None:
                opened.tree.file("a.py")
                checks.check_problems(opened.tree.problems)
            objects_folder(Path(name, "r"), [Path(name)])
        except GroundtraceError:
            pass
        finally:
            close_repositories()
        assert not list(Path(name).rglob("RAN")) and not Path("RAN").exists()
