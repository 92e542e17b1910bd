"""Which files are read, and by which reader; readers of other packages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from groundtrace import traces
from groundtrace.config import Settings
from groundtrace.discover import discover, records, trial_at
from groundtrace.model import READER_ENTRY_POINTS, Trial
from groundtrace.storage import Folder, LocalFolder
from groundtrace.traces import read_trace
from groundtrace.traces.source import Keep, Probe, RawCall, Recognised, Source
from tests.traces.trials import read


class ToyReader:
    """Another package's reader, with no more members than it needs: one call per line."""

    name = "toy"
    patterns: tuple[str, ...] = (
        "agent/toy.trace",
        "**/toy.trace",
        "logs/*.toy",
        "logs/deep/*.toy",
        "out/**/toy.bin",
    )

    def recognise(self, probe: Probe) -> Recognised | None:
        return Recognised("marker", "TOY") if probe.head.startswith(b"TOY") else None

    def read(self, folder: Folder, path: str, keep: Keep) -> Source:
        names = folder.read(path).decode().splitlines()[1:]
        return Source(path, "transcript", "toy", [RawCall(name, {}) for name in names], parsed=True)


@pytest.fixture
def with_toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The toy reader is installed, and another one that does not load."""
    points = [
        EntryPoint("toy", f"{__name__}:ToyReader", READER_ENTRY_POINTS),
        EntryPoint("gone", "no_such_package:Reader", READER_ENTRY_POINTS),
    ]
    caches = (traces.all_readers, traces.trial_files, records._has_other_readers)
    for module in (traces, records):
        monkeypatch.setattr(module, "entry_points", lambda group: _points(points, group))
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


def _points(points: list[EntryPoint], group: str) -> list[EntryPoint]:
    assert group == "groundtrace.readers"
    return points


def toy_trial(folder: Path, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True)
    path.write_text("TOY\nopen\nclose\n")
    return folder


@pytest.mark.usefixtures("with_toy")
def test_another_package_can_add_a_reader(tmp_path: Path) -> None:
    trace, problems = read_trace(LocalFolder(toy_trial(tmp_path, "agent/toy.trace")))
    assert [call.name for call in trace.calls] == ["open", "close"]
    assert trace.evidence == ("agent/toy.trace: toy by marker (TOY)",)
    assert [problem.kind for problem in problems] == ["reader_failed"]


@pytest.mark.usefixtures("with_toy")
@pytest.mark.parametrize(
    "name", ["agent/toy.trace", "toy.trace", "logs/run-7.toy", "logs/deep/7.toy", "out/a/toy.bin"]
)
def test_a_folder_whose_only_log_is_another_packages_is_a_trial(tmp_path: Path, name: str) -> None:
    """It "held no trial", whatever reader was installed."""
    toy_trial(tmp_path / "runs/config-a/task-1", name)
    found = list(discover(LocalFolder(tmp_path / "runs"), settings=Settings()))
    (trial,) = [item for item in found if isinstance(item, Trial)]
    assert trial.path.startswith("config-a/task-1")


@pytest.mark.parametrize("name", ["agent/toy.trace", "toy.trace", "logs/run-7.toy"])
def test_without_that_reader_it_is_none(tmp_path: Path, name: str) -> None:
    toy_trial(tmp_path / "runs/config-a/task-1", name)
    found = list(discover(LocalFolder(tmp_path / "runs"), settings=Settings()))
    assert not any(isinstance(item, Trial) for item in found)


NAMED = [
    "agent/trajectory.json",
    "agent/trajectory-2.json",
    "agent/trajectory.cont-1.json",
    "agent/any.jsonl",
    "agent/any.jsonl.gz",
    "agent/any.jsonl.zst",
    "agent/i-1.traj",
    "agent/i-1.traj.json",
    "agent/claude-code.txt",
    "agent/openhands.txt",
    "agent/codex.txt",
    "agent/gemini.txt",
    "agent/gemini-cli.json",
    "agent/cursor.txt",
    "agent/cursor-agent.txt",
    "agent/stdout.log",
    "agent_trace.jsonl",
    "agent_stdout.log",
    "agent/sessions/",
    "agent/command-0/",
    "agent/command-12/",
]
OTHERS = [
    "agent/install.sh",
    "agent/notes.txt",
    "agent/result.json",
    "agent/stderr.log",
    "agent/setup/",
    "verifier/",
    "trajectory.json.bak",
    "other.jsonl",
    "notes.txt",
]


@pytest.mark.parametrize(
    ("name", "expected"), [*((n, True) for n in NAMED), *((n, False) for n in OTHERS)]
)
def test_names_that_make_a_folder_a_trial(tmp_path: Path, name: str, expected: bool) -> None:
    """A trial whose records are gone is known by its log, also one that no reader reads yet."""
    path = tmp_path / "runs/config-a/task-1" / name
    if name.endswith("/"):
        path.mkdir(parents=True)
    else:
        path.parent.mkdir(parents=True)
        path.write_bytes(b"")
    trial, _ = trial_at(LocalFolder(tmp_path / "runs/config-a/task-1"), ["runs", "config-a"])
    assert (trial is not None) is expected


def test_own_readers_files_make_a_folder_a_trial(tmp_path: Path) -> None:
    """A reader's patterns are all that discovery needs to know of a format."""
    for number, pattern in enumerate(p for reader in traces.READERS for p in reader.patterns):
        folder = tmp_path / str(number)
        path = folder / pattern.replace("**", "p").replace("*", "0")
        path.parent.mkdir(parents=True)
        path.write_bytes(b"")
        assert trial_at(LocalFolder(folder), ["runs", "config-a"])[0] is not None, pattern


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("agents.claude_baseline:BaselineClaude", "claude-code"),
        ("agents.OpenHands:X", "openhands"),
        ("a.cursor_cli:X", "cursor-cli"),
        ("a.mini_swe:X", "mini-swe-agent"),
        ("a.b:Unheard", None),
    ],
)
def test_the_class_that_was_run_tells_the_harness(path: str, expected: str | None) -> None:
    assert traces.harness_in(path) == expected


def test_asking_for_names_imports_nothing_that_reads() -> None:
    """Discovery asks in runs without changes too."""
    program = (
        "import sys, groundtrace.traces as traces\n"
        "assert traces.trial_files().is_file('claude-code.txt', 'agent')\n"
        "print(*(name for name in sys.modules if name.startswith('groundtrace.traces.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = {name.removeprefix("groundtrace.traces.") for name in done.stdout.split()}
    formats = {
        "aider", "antigravity", "api_log", "atif", "chat", "claude_code", "cline", "codex", "cursor",
        "gemini", "inspect_ai", "mapped", "mcpbr", "mini_swe_agent", "openhands", "otel", "swe_agent",
    }  # fmt: skip
    kit = {"kit", "kit.claims", "kit.reading", "kit.trial_files"}
    light = {*kit, *formats, *(f"{name}.reader" for name in formats)}
    assert loaded == light


def test_a_folder_without_traces_is_no_trace(tmp_path: Path) -> None:
    trace, problems = read_trace(LocalFolder(tmp_path))
    assert trace.source is None and not trace.readable and not problems


def test_evidence_names_marker_shape_or_name() -> None:
    trace, _ = read("trajectory-and-transcript")
    assert trace.evidence[0] == "agent/trajectory.json: atif by marker (schema_version ATIF-v1.2)"
    assert "by shape" in read("stream-top-level-entries").trace.evidence[0]


QUOTING = (
    '{"type": "system", "subtype": "init", "claude_code_version": "2.1.0"}\n'
    '{"type": "user", "parent_tool_use_id": null, "message": {"content": [{"type": "tool_result", '
    '"tool_use_id": "a", "content": [{"type": "session_meta", "payload": {}}]}]}}\n'
)
"""A stream of Claude Code in which a result holds, as JSON, what a rollout of Codex begins with."""


@pytest.mark.parametrize(
    ("name", "reader"),
    [("agent/claude-code.txt", "claude-code"), ("agent/rollout-1.jsonl", "codex")],
)
def test_a_reader_that_expects_the_file_and_finds_its_marker_reads_it(
    tmp_path: Path, name: str, reader: str
) -> None:
    """D140: each of the two finds its marker; the file's name says which of them it is for."""
    (tmp_path / "agent").mkdir()
    (tmp_path / name).write_text(QUOTING)
    (evidence,) = read_trace(LocalFolder(tmp_path)).trace.evidence
    assert evidence.startswith(f"{name}: {reader} by marker")


def test_a_mapping_of_the_user_comes_before_a_reader_that_expects_the_file(tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent/claude-code.txt").write_text(QUOTING)
    mapping = 'reader = "mine"\nlayout = "lines"\nmatch = "claude_code_version"\ncalls = "call"\nname = "n"'
    found = read_trace(LocalFolder(tmp_path), mappings=(("mine.toml", mapping),))
    (evidence,) = found.trace.evidence
    assert evidence.startswith("agent/claude-code.txt: mine by marker")
