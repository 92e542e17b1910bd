"""What could not be read, or changed while it was read, is read again by the next run."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundtrace import traces
from groundtrace.storage import LocalFolder
from tests.adversarial.worlds import Call, World, put, read_of, stream


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.good()
    return made


def events_of(world: World) -> int:
    return len(world.documents()["baseline good-1"]["events"])


def test_a_passing_read_error_is_no_result(
    world: World, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One error of the disk gave 0 events, and every later run said "unchanged"."""
    real = LocalFolder.open

    def broken(self: LocalFolder, relative: str) -> object:
        if relative.endswith("claude-code.txt"):
            raise OSError(5, "Input/output error")
        return real(self, relative)

    with monkeypatch.context() as patched:
        patched.setattr(LocalFolder, "open", broken)
        assert world.evaluate(groundtrace).code == 0
    assert events_of(world) == 0
    assert world.evaluate(groundtrace).code == 0
    assert events_of(world) == 1
    before = (world.results / "baseline" / "good-1.retrieval_events.json").stat().st_mtime_ns
    assert world.evaluate(groundtrace).code == 0
    after = (world.results / "baseline" / "good-1.retrieval_events.json").stat().st_mtime_ns
    assert before == after


def test_a_trace_that_grows_while_it_is_read_is_read_again(
    world: World, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = next(world.run.glob("*/trial-*")) / "agent/claude-code.txt"
    real = traces.read_trace

    def grows(folder: LocalFolder, **given: object) -> object:
        found = real(folder, **given)
        put(trace, stream("/workspace/src/a.py") + read_of("/workspace/src/b.py", 2))
        return found

    with monkeypatch.context() as patched:
        patched.setattr(traces, "read_trace", grows)
        assert world.evaluate(groundtrace).code == 0
    assert events_of(world) == 1
    assert world.evaluate(groundtrace).code == 0
    assert events_of(world) == 2


@pytest.mark.parametrize("change", ["emptied", "edited", "removed"])
def test_a_report_that_was_changed_is_made_again(
    change: str, world: World, groundtrace: Call
) -> None:
    assert world.evaluate(groundtrace).code == 0
    report = world.results / "retrieval_report.md"
    whole = report.read_text()
    if change == "removed":
        report.unlink()
    else:
        report.write_text("" if change == "emptied" else whole.replace("1", "9"))
    assert world.evaluate(groundtrace).code == 0
    assert report.read_text() == whole


def test_a_document_that_no_trial_owns_is_named_and_left_out(
    world: World, groundtrace: Call
) -> None:
    assert world.evaluate(groundtrace).code == 0
    own = world.results / "baseline" / "good-1.retrieval_events.json"
    put(world.results / "baseline" / "foreign.retrieval_events.json", own.read_text())
    ran = world.evaluate(groundtrace)
    assert ran.code == 0
    summary = world.summary()
    assert summary["problems"].get("left_behind") == 1, summary["problems"]
    assert summary["by_config"]["baseline"]["trials"] == 1


def test_settings_that_change_make_results_again(
    world: World, groundtrace: Call, tmp_path: Path
) -> None:
    trace = stream() + read_of("/workspace/src/a.py")
    put(next(world.run.glob("*/trial-*")) / "agent/claude-code.txt", trace)
    settings = put(tmp_path / "groundtrace.toml", "")
    assert world.evaluate(groundtrace, "--config", settings).code == 0
    report = (world.results / "retrieval_report.md").read_text()
    put(settings, "[privacy]\nmask = false\n")
    assert world.evaluate(groundtrace, "--config", settings).code == 0
    changed = (world.results / "retrieval_report.md").read_text()
    assert "not masked" in changed
    assert "not masked" not in report
