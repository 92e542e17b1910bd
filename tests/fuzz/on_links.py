"""Trees on disk with what only a disk has: many links, loops, pipes, names that are not text."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from random import Random

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.model import Trial
from groundtrace.runs.state import files_mark
from groundtrace.storage import LocalFolder
from groundtrace.traces import read_trace
from groundtrace.truth.tasks import build_index
from tests.fuzz import checks, seeds
from tests.fuzz.cases import Case, damaged

ODD = (b"\xff\xfe", b"a\nb", b"\xe2\x80\xae.txt", b"-rf", b"%s", b"x" * 250, b" ", b"\x1b[31m")
"""Names that a file may have and that text may not."""

SECRET = b'{"task_name": "outside", "trial_name": "outside__1"}'
"""Lies outside of the tree; nothing of it may be read through a link."""


def make_links(rng: Random) -> Case:
    """A tree of a few trials and tasks, with links between any of its folders and files."""
    trials = [rng.choice(seeds.trials()) for _ in range(rng.randrange(1, 3))]
    files: dict[str, bytes] = {}
    for number, trial in enumerate(trials):
        top = f"runs/run/{rng.choice(('baseline', 'mcp'))}/t__{number}"
        files |= {f"{top}/{name}": data for name, data in trial.files.items() if len(data) < 50_000}
    for name, data in rng.choice(seeds.tasks()).items():
        files[f"tasks/suite/task/{name}"] = data
    for name in rng.sample(sorted(files), min(2, len(files))):
        files[name] = damaged(name, files[name], rng)
    folders = sorted(
        {"/".join(n.split("/")[:end]) for n in files for end in range(1, n.count("/"))}
    )
    links = []
    for number in range(rng.randrange(1, 24)):
        target = rng.choice([*folders, *files, "..", "outside", "outside/result.json", "nowhere"])
        links.append((f"{rng.choice(folders)}/l{number}", target))
    odd = [(rng.choice(folders), rng.choice(ODD)) for _ in range(rng.randrange(4))]
    return Case(files, (links, odd, rng.random() < 0.2), any(trial.real for trial in trials))


def check_links(case: Case) -> None:
    """Discovery, readers, the index of tasks and fingerprints end; nothing outside is read."""
    links, odd, with_pipe = case.values
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        for path, data in case.files.items():
            (top / "in" / path).parent.mkdir(parents=True, exist_ok=True)
            (top / "in" / path).write_bytes(data)
        (top / "outside").mkdir()
        (top / "outside/result.json").write_bytes(SECRET)
        for place, target in links:
            where = top / target if target.startswith("outside") else top / "in" / target
            (top / "in" / place).symlink_to(where)
        for place, raw in odd:
            odd_path = Path(os.fsdecode(os.fsencode(top / "in" / place) + b"/" + raw))
            if not odd_path.exists():
                odd_path.write_bytes(b"{}")
        if with_pipe:
            (top / "in/runs/run").mkdir(parents=True, exist_ok=True)
            os.mkfifo(top / "in/runs/run/pipe.json")
        _check(top / "in")


def _check(top: Path) -> None:
    index = build_index(LocalFolder(top / "tasks"))
    checks.check_problems(index.problems)
    runs = LocalFolder(top / "runs")
    for item in discover(runs, settings=Settings(), tasks=index):
        if isinstance(item, Trial):
            assert item.task_name != "outside"
            checks.check_text(item.path)
            if item.loose is None:
                checks.check_trace(read_trace(item.folder))
                assert files_mark(item.folder) == files_mark(item.folder)
