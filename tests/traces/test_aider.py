"""aider's histories: what notices say, and several sessions in one file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.discover.found import Skipped
from groundtrace.model import Trial
from groundtrace.storage import LocalFolder
from groundtrace.testing import Case, check_reader
from groundtrace.traces.aider.reader import AiderReader
from groundtrace.traces.kit.loose import read_trace_of
from tests.traces.seen import seen
from tests.traces.trials import FIXTURES, read, read_bytes

NAME = ".aider.chat.history.md"
DATA = (FIXTURES / "aider-history/agent" / NAME).read_bytes()


def test_notices_are_what_aider_did() -> None:
    trace, problems = read("aider-history")
    assert seen(trace) == [
        "aider_add | file_read | read src/egg.py",
        "aider_add | file_read | read docs/my notes.md",
        "aider_add | file_read | read src/nest.py",  # the user agreed; not to src/other.py
        "aider_edit | file_write | written src/nest.py",  # not the line inside the edit block
        "aider_add | file_read | read CONVENTIONS.md",
        "aider_run? | other",
        "aider_edit | file_write | written tests/test_nest.py",
        "aider_run? | other",
        "aider_run? | other",
        "aider_add | file_read | read src/nest.py",  # it was removed before
    ]
    commands = [call.arguments["command"] for call in trace.calls if call.name == "aider_run"]
    assert commands == ["pytest -q tests/test_nest.py", "python -m pytest", "cat src/egg.py"]
    assert (trace.model, trace.harness_version) == ("lab/tern-2", "0.86.1")
    assert trace.usage.cost_usd == 0.0085 and trace.usage.output_tokens == 40 + 120 + 80
    assert any("map of the repository" in said for said in trace.evidence) and not problems


def test_the_reader_passes_the_checks(tmp_path: Path) -> None:
    trace, _ = read("aider-history")
    calls = tuple((None, call.name, call.result is not None) for call in trace.calls)
    check_reader(AiderReader(), Case(NAME, DATA, calls, is_text=False), tmp_path)


def test_every_call_of_a_history_with_traps() -> None:
    """Worked out by hand. Nothing that the model quotes counts, nor a heading of its own, nor later
    lines of a message; a reply that was cut off in an edit hides nothing behind it."""
    trace, problems = read("aider-sessions")
    assert seen(trace) == [
        "aider_add | file_read | read src/egg.py",
        "aider_add | file_read | read CONVENTIONS.md",
        "aider_edit | file_write | written src/egg.py",
        "aider_add | file_read | read src/bird.py",  # the answer was: all
        "aider_add | file_read | read src/nest.py",  # so aider answered this one itself
        "aider_edit | file_write | written src/wing.py",
        "aider_run? | other",
        "aider_add | file_read | read src/wing.py",  # in the chat by the edit; seen by this reply
        "aider_run? | other",
        "aider_add | file_read | read src/egg.py",  # after /reset
        "aider_add | file_read | read src/egg.py",  # after /drop
        "aider_add | file_read | read src/egg.py",  # the second session begins without files
        "aider_edit | file_write | written src/egg.py",
        "aider_add | file_read | read src/old.py",
    ]
    commands = [call.arguments["command"] for call in trace.calls if call.name == "aider_run"]
    assert commands == ["pytest -q", "cat src/wing.py"] and not problems
    assert trace.usage.cost_usd == pytest.approx(0.05 + 0.01) and trace.usage.output_tokens == 300
    assert any("a whole folder was added" in said for said in trace.evidence)


@pytest.mark.parametrize("change", [lambda d: d.replace(b"\n", b"\r\n"), lambda d: d + b"\n" * 9])
def test_line_ends_do_not_matter(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    data = (FIXTURES / "aider-sessions/agent" / NAME).read_bytes()
    changed = read_bytes(tmp_path, NAME, change(data)).trace
    assert seen(changed) == seen(read("aider-sessions").trace)


SECOND = b"""
# aider chat started at 2026-05-05 09:00:00

> Aider v0.86.1
> Added src/a.py to the chat

# aider chat started at 2026-05-05 11:00:00

#### what is this?

> Tokens: 12k sent, 1.1k received. Cost: $0.05 message, $0.05 session.
> Added src/b.py to the chat

# aider chat started at 2026-05-05 11:00:00

#### again

> Added src/c.py to the chat
"""


def test_every_session_in_which_something_was_asked_is_a_trial(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(DATA + SECOND)
    found = list(discover(LocalFolder(tmp_path), settings=Settings()))
    trials = {t.trial_name.rpartition("#")[2]: t for t in found if isinstance(t, Trial)}
    assert list(trials) == ["2026-05-04_10-00-00", "2026-05-05_11-00-00", "2026-05-05_11-00-00.2"]
    assert [s.reason for s in found if isinstance(s, Skipped)] == [
        "a chat of aider in which nothing was asked"
    ]
    counts = {name: len(read_trace_of(trial).trace.calls) for name, trial in trials.items()}
    assert counts == {
        "2026-05-04_10-00-00": 10,
        "2026-05-05_11-00-00": 1,
        "2026-05-05_11-00-00.2": 1,
    }
    usage = read_trace_of(trials["2026-05-05_11-00-00"]).trace.usage
    assert usage.output_tokens is None and usage.cost_usd == 0.05  # 1.1k is not a count


@pytest.mark.parametrize(
    ("lines", "files"),
    [
        ("> a.py\n> b.py\n> Add these files to the chat? yes", ["a.py", "b.py"]),
        ("> a.py\n> Add file to the chat? (Y)es/(N)o [Yes]:", ["a.py"]),
        ("> a.py\n> Add file to the chat? (Y)es/(N)o [Yes]: n", []),
        ("> Git repo: .git\n> a.py\n> Add these files to the chat? y", ["a.py"]),
        ("> http://x.y\n> Add URL to the chat? (Y)es/(N)o [Yes]: y", []),
        ("> Added a.py to the chat.\n> Added a.py to the chat.", ["a.py"]),
        ("> Added 3 lines of output to the chat.", []),
        ("a reply\n<<<<<<< SEARCH\n> Added a.py to the chat\n=======\n>>>>>>> REPLACE", []),
    ],
)
def test_which_files_were_added(lines: str, files: list[str], tmp_path: Path) -> None:
    text = f"# aider chat started at 2026-05-04 10:00:00\n\n#### go\n\n{lines}\n"
    trace, _ = read_bytes(tmp_path, NAME, text.encode())
    assert [call.arguments["path"] for call in trace.calls] == files


def test_old_notices_of_tokens_are_summed(tmp_path: Path) -> None:
    text = """# aider chat started at 2024-05-04 10:00:00
#### go
> 5,434 prompt tokens, 123 completion tokens, $0.25 cost
> 6,000 prompt tokens, 77 completion tokens, $0.50 cost
"""
    usage = read_bytes(tmp_path, NAME, text.encode()).trace.usage
    assert (usage.output_tokens, usage.input_tokens, usage.cost_usd) == (200, 11_434, 0.75)


def test_a_session_of_two_models() -> None:
    """Eleven things that happened, read by hand. What the model quotes, asks for in a message of
    several lines or fails to edit is none."""
    trace, problems = read("aider-architect")
    assert [(call.name, *call.arguments.values()) for call in trace.calls] == [
        ("aider_add", "docs/my notes.md"),
        ("aider_add", "src/nest.py"),
        ("aider_add", "src/birds.toml"),
        ("aider_add", "src/wing.py"),
        ("aider_edit", "src/nest.py"),
        ("aider_run", "pytest -x tests/test_nest.py"),
        ("aider_run", "git diff HEAD~1"),
        ("aider_run", "ls src"),
        ("aider_edit", "docs/new.md"),
        ("aider_run", "python -m nest"),
        ("aider_add", "src/birds.toml"),
    ]
    assert (trace.model, trace.harness_version) == ("o3", "0.84.0")
    assert (trace.usage.cost_usd, trace.usage.output_tokens) == (0.12, None)
    assert not [problem for problem in problems if problem.lost_calls]
