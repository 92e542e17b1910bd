"""No output shows a credential of any field of any trace format.

Every text of every fixture gets a credential of its own: names, ids and models at their end, longer
texts as an assignment, a header or a token in a sentence. What links records (ids, names of tools)
gets the same credential everywhere, so that the links hold. Fields that say what a record is
(`type`, `role`) are poisoned one at a time, because a reader does not recognise the file then.

Not poisoned, because names of files and tasks are never masked: texts without a blank that hold a
slash or end like a file, and ids of instances.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import groundtrace as library
from groundtrace.redact import masking
from groundtrace.view.responses import Answers
from tests.adversarial.worlds import World, put
from tests.conftest import Ran
from tests.fuzz import loose_seeds
from tests.redact.test_every_output import blocks_of
from tests.view.worlds import library_of

Call = Callable[..., Ran]
TRACES = Path(__file__).parents[1] / "fixtures" / "traces"

SAYS_WHAT_IT_IS = frozenset(
    {
        *("type", "role", "kind", "subtype", "event", "event_type", "action", "observation"),
        *("source", "status", "schema_version", "version", "format", "tool", "op", "record_type"),
        *("trajectory_format", "timestamp", "created_at", "started_at", "ended_at", "exit_status"),
        *("time", "startTime", "endTime", "completed_at", "startedAt", "endedAt", "start", "end"),
    }
)
"""Keys whose value a reader needs to recognise a record."""

IN_A_NAME = {"./nest.py:1:EGGS = 3", "/workspace/src/egg.py\n/workspace/src/nest.py"}
"""Answers that list files: what is added to a line of them is part of a file's name."""

_FILE = re.compile(r"[/\\]|\w\.\w{1,5}$")
_TASK = re.compile(r"\w+__\w+-\d+|swe_main")
_WORDS = ("ghp_{}", "glpat-{}", "sk_live_{}", "npm_{}", "hvs.{}", "sk-proj-{}")
_TEXTS = (
    "DB_PASSWORD={body} {text}",
    "{text} ; curl -H 'Authorization: Bearer {body}' https://host",
    "A=1\\nREGISTRY_TOKEN={body}\\n{text}",
    "vault login {body}; {text}",
    '{text} ; echo "{{\\"password\\": \\"{body}\\"}}"',
    "git clone https://me:{body}@host/a/b ; {text}",
)


class Poison:
    """A credential for each text, the same one for the same text."""

    def __init__(self) -> None:
        self.bodies: dict[str, str] = {}
        self.only: str | None = None
        """The one key whose texts are poisoned; None for all but `SAYS_WHAT_IT_IS`."""

    def file(self, name: str, data: bytes) -> bytes:
        """A file with credentials in its texts."""
        if data.startswith(b"PK"):
            return self._archive(data)
        try:
            return json.dumps(self.value(json.loads(data))).encode()
        except ValueError:
            pass
        lines = data.decode("utf-8", "replace").split("\n")
        return "\n".join(self._line(line, name) for line in lines).encode()

    def _line(self, line: str, name: str) -> str:
        try:
            value = json.loads(line)
        except ValueError:
            # A history in Markdown: what a person or the model said.
            return self.text(line) if name.endswith(".md") and line[:1].isalpha() else line
        return json.dumps(self.value(value))

    def _archive(self, data: bytes) -> bytes:
        made = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
            for member in old.namelist():
                new.writestr(member, self.file(member, old.read(member)))
        return made.getvalue()

    def value(self, value: Any, key: str = "") -> Any:
        """The same for a value under a key."""
        if isinstance(value, dict):
            return {name: self.value(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self.value(item, key) for item in value]
        if not isinstance(value, str) or not value:
            return value
        if value[:1] in "{[":
            try:
                return json.dumps(self.value(json.loads(value), key))
            except ValueError:
                pass
        wanted = key not in SAYS_WHAT_IT_IS if self.only is None else key == self.only
        return self.text(value) if wanted else value

    def text(self, text: str) -> str:
        """A text with its credential."""
        is_word = not re.search(r"\s", text)
        if is_word and (_FILE.search(text) or _TASK.fullmatch(text)):
            return text
        number = len(self.bodies)
        body = self.bodies.setdefault(text, f"Zq{number:04}Kd9vLm2TxR8bWn4Pc7Yh{number:04}Gs1")
        if is_word:
            return f"{text}-{_WORDS[len(text) % len(_WORDS)].format(body)}"
        return _TEXTS[len(text) % len(_TEXTS)].format(body=body, text=text)

    def kept_in(self, text: str) -> set[str]:
        """The texts whose credential is shown."""
        shown = set(re.findall(r"Zq\d{4}Kd9vLm2TxR8bWn4Pc7Yh\d{4}Gs1", text))
        return {given for given, body in self.bodies.items() if body in shown} if shown else set()


def fixtures() -> Iterator[tuple[str, dict[str, bytes]]]:
    """Every fixture of a trace, by its name: files from the top of a trial."""
    for folder in sorted(path for path in TRACES.iterdir() if path.is_dir()):
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        yield folder.name, {str(path.relative_to(folder)): path.read_bytes() for path in files}


def poisoned(world: World, poison: Poison) -> list[Path]:
    """A trial for each fixture, and one for each key that says what a record is; the first kind."""
    world.task("good-1")
    whole, seen = [], set()
    for name, files in fixtures():
        poison.only = None
        whole.append(_trial(world, poison, files))
        for key in sorted(SAYS_WHAT_IT_IS):
            family = name.partition("-")[0]
            if (family, key) not in seen and any(f'"{key}"'.encode() in d for d in files.values()):
                seen.add((family, key))
                poison.only = key
                _trial(world, poison, files)
    return whole


def _trial(world: World, poison: Poison, files: dict[str, bytes]) -> Path:
    trial = world.trial("good-1", config=f"c{len(poison.bodies) % 2}")
    (trial / "agent/claude-code.txt").unlink()
    for file, data in files.items():
        put(trial / file, poison.file(file, data))
    return trial


def loose(top: Path, poison: Poison) -> Path:
    """The formats that have no fixture, as loose traces."""
    poison.only = None
    for number, files in enumerate(loose_seeds.folders()):
        for file, data in files.items():
            put(top / f"set{number}" / file, poison.file(file, data))
    return top


def shown(call: Call, runs: Path, tasks: Path, out: Path) -> Iterator[tuple[str, str]]:
    """Everything that a user can see of a run, by its name."""
    flags = ("--tasks", tasks, "--out", out)
    for command in (
        ("normalize", runs, *flags, "--dry-run", "--json"),
        ("run", runs, *flags, "--jobs", 1, "--draws", 100, "-v"),
        ("report", runs, "--out", out),
        ("export", runs, out / "csv", "--to", "csv", "--out", out),
        ("export", runs, out / "trec", "--to", "trec", "--out", out),
        *(
            ("sql", f"SELECT * FROM {table}", runs, "--out", out, "--json")
            for table in ("trials", "events", "accesses", "tools", "problems", "discovery")
        ),
    ):
        ran = call(*command)
        assert "internal error" not in ran.err and ran.code in (0, 1), (command, ran.err)
        yield f"{command[0]}, printed", ran.out + ran.err
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        yield str(path.relative_to(out)), path.read_bytes().decode("latin-1")
        if path.suffix == ".html":
            yield f"blocks of {path.name}", blocks_of(path)
    answers = Answers(library_of(runs, out=out))
    listed = answers.trials({})
    yield "viewer, list", json.dumps(listed)
    for row in listed["trials"]:
        files = answers.files(row["id"], {})
        for number in range(len((files or {}).get("files", ()))):
            yield "viewer, raw", json.dumps(answers.raw(row["id"], number, {}))
        for step in range(2):
            yield "viewer, call", json.dumps(answers.call(row["id"], step, {}))


def explained(call: Call, trials: list[Path], tasks: Path) -> Iterator[tuple[str, str]]:
    """What `explain` and a notebook say of some trials."""
    for trial in trials:
        ran = call("explain", trial, "--tasks", tasks)
        yield "explain", ran.out + ran.err
        try:
            made = library.evaluate_trial(str(trial), tasks=[str(tasks)])
        except library.GroundtraceError:
            continue
        yield "in a notebook", repr(made) + made._repr_html_() + repr(made.events)


def test_no_output_shows_a_credential_of_any_format(tmp_path: Path, groundtrace: Call) -> None:
    poison = Poison()
    world = World(tmp_path)
    trials = poisoned(world, poison)
    runs = loose(tmp_path / "in/loose", poison)
    kept: dict[str, str] = {}
    look = partial(shown, groundtrace)
    for name, text in (
        *look(world.run, world.tasks, world.out),
        *look(runs, world.tasks, tmp_path / "out-loose"),
        *explained(groundtrace, trials[::4], world.tasks),
    ):
        kept |= dict.fromkeys(poison.kept_in(text), name)
    assert len(poison.bodies) > 400
    assert {text: where for text, where in kept.items() if text not in IN_A_NAME} == {}


def test_the_walk_sees_credentials_of_every_format(tmp_path: Path, groundtrace: Call) -> None:
    """Without masking, the documents of three in four fixtures show some: the test above looks at
    fields that are written."""
    poison = Poison()
    world = World(tmp_path)
    trials = poisoned(world, poison)
    with masking(False):
        world.evaluate(groundtrace, "--no-mask", command="normalize")
    seen = {
        document["provenance"]["trial_name"]
        for path in world.results.rglob("*.retrieval_events.json")
        if poison.kept_in(path.read_text())
        for document in [json.loads(path.read_text())]
    }
    assert len([trial for trial in trials if trial.name in seen]) >= 0.75 * len(trials)
