"""The command line's contract: names, exit codes, one-line errors that say how to go on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from groundtrace.cli.group import COMMANDS
from tests.conftest import Ran
from tests.whole_runs import TRIALS, run, shrink

Call = Callable[..., Ran]


def one_line(ran: Ran) -> str:
    lines = ran.err.strip().splitlines()
    assert len(lines) == 1, ran.err
    assert "Traceback" not in ran.err
    return lines[0]


def test_import_is_light() -> None:
    """`import groundtrace` must not load what only some commands need."""
    heavy = "numpy rich jinja2 tree_sitter duckdb distributed obstore click"
    code = f"import sys, groundtrace; print([m for m in {heavy.split()!r} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command: str, groundtrace: Call) -> None:
    ran = groundtrace(command, "--help")
    assert ran.code == 0
    assert "Examples:" in ran.out
    assert f"groundtrace {command}" in ran.out


def test_help_lists_every_command(groundtrace: Call) -> None:
    out = groundtrace("--help").out
    assert all(f"  {command}" in out for command in COMMANDS)


def test_the_module_is_the_command() -> None:
    from groundtrace import __version__

    done = subprocess.run(
        [sys.executable, "-m", "groundtrace", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"groundtrace {__version__}\n"


def test_version(groundtrace: Call) -> None:
    from groundtrace import __version__

    assert groundtrace("--version").out == f"groundtrace {__version__}\n"


def test_unknown_command_names_the_nearest(groundtrace: Call) -> None:
    ran = groundtrace("normalise", "runs")
    assert ran.code == 2
    assert "Did you mean 'normalize'?" in one_line(ran)


def test_unknown_flag_is_wrong_usage(groundtrace: Call) -> None:
    ran = groundtrace("run", "runs", "--taks", "x")
    assert ran.code == 2
    assert "--taks" in one_line(ran)


@pytest.mark.parametrize("command", ["run", "normalize", "evaluate", "impact", "report"])
def test_missing_runs_folder(command: str, groundtrace: Call, tmp_path: Path) -> None:
    ran = groundtrace(command, tmp_path / "nowhere")
    assert ran.code == 2
    assert "nowhere: no such folder" in one_line(ran)


@pytest.mark.parametrize("command", ["run", "normalize", "evaluate", "impact", "report"])
def test_a_file_that_is_no_trace_is_nothing_to_evaluate(
    command: str, groundtrace: Call, tmp_path: Path
) -> None:
    path = tmp_path / "runs"
    path.write_text("")
    ran = groundtrace(command, path)
    assert ran.code == 3
    assert "no trials found" in one_line(ran) or "holds no retrieval_events" in one_line(ran)


@pytest.mark.parametrize("command", ["run", "normalize", "evaluate", "impact", "report"])
def test_an_empty_runs_folder_is_nothing_to_evaluate(
    command: str, groundtrace: Call, tmp_path: Path
) -> None:
    ran = groundtrace(command, tmp_path)
    assert ran.code == 3
    assert str(tmp_path) in one_line(ran)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_tasks_folder(groundtrace: Call, sample: Path) -> None:
    ran = groundtrace("normalize", sample / "runs/official", "--tasks", sample / "nowhere")
    assert ran.code == 2
    assert "nowhere: no such folder" in one_line(ran)


def test_a_wrong_format_is_refused_before_any_work(groundtrace: Call, sample: Path) -> None:
    ran = groundtrace("run", sample / "runs/official", "--format", "pdf")
    assert ran.code == 2
    assert "format must be one of md, html, not 'pdf'" in one_line(ran)
    assert not list(sample.rglob("retrieval_events"))


def test_prune_does_not_go_with_only(groundtrace: Call, sample: Path) -> None:
    ran = groundtrace("normalize", sample / "runs/official", "--only", "x", "--prune")
    assert ran.code == 2
    assert "--prune and --only" in one_line(ran)


def test_an_unknown_key_in_the_settings_names_the_nearest(groundtrace: Call, sample: Path) -> None:
    config = sample / "groundtrace.toml"
    config.write_text('[mcp]\nserver = ["sourcegraph"]\n')
    ran = groundtrace("normalize", sample / "runs/official", "--config", config)
    assert ran.code == 2
    assert "nearest is 'mcp.servers'" in one_line(ran)


@pytest.mark.parametrize(
    ("addition", "way_out"),
    [
        ('[tools.open_document]\nlike = "Raed"\n', "nearest is 'Read'"),
        ('[shell.commands.peek]\nlike = "fgrepp"\n', "nearest is 'fgrep'"),
    ],
)
def test_a_wrong_addition_stops_before_any_work(
    addition: str, way_out: str, groundtrace: Call, sample: Path
) -> None:
    """It would otherwise fail every trial, one by one, and leave an empty report."""
    config = sample / "groundtrace.toml"
    config.write_text(addition)
    ran = groundtrace("run", sample / "runs/official", "--config", config)
    assert ran.code == 2
    assert way_out in one_line(ran)
    assert not list(sample.rglob("retrieval_events"))


def test_settings_are_found_upwards_of_the_current_folder(
    groundtrace: Call, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sample / "groundtrace.toml").write_text('[mcp]\nservers = ["nobody"]\n')
    inner = sample / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert groundtrace("normalize", sample / "runs/official").code == 0
    documents = list(sample.rglob("*.retrieval_events.json"))
    counts = [json.loads(d.read_text())["summary"]["mcp_events"] for d in documents]
    assert len(counts) == 24
    assert sum(counts) == 0


def test_flags_win_over_settings(groundtrace: Call, sample: Path) -> None:
    config = sample / "groundtrace.toml"
    config.write_text('[mcp]\nservers = ["nobody"]\n')
    runs = sample / "runs/official"
    assert groundtrace("normalize", runs, "--config", config, "--mcp-server", "*").code == 0
    documents = list(sample.rglob("*.retrieval_events.json"))
    assert sum(json.loads(d.read_text())["summary"]["mcp_events"] for d in documents) > 0


def test_control_characters_from_input_are_shown_escaped(groundtrace: Call, tmp_path: Path) -> None:
    ran = groundtrace("normalize", tmp_path / "no\x1b[31m\u202esuch")
    assert "\x1b" not in ran.err
    assert "\u202e" not in ran.err
    assert "\\x1b" in ran.err


def test_verbose_shows_the_traceback(groundtrace: Call, tmp_path: Path) -> None:
    assert "Traceback" in groundtrace("normalize", tmp_path / "nowhere", "-v").err


def test_schema_prints_what_is_published(groundtrace: Call) -> None:
    published = Path(__file__).parents[2] / "schemas" / "retrieval_events_schema.json"
    assert groundtrace("schema", "retrieval_events").out == published.read_text()
    ran = groundtrace("schema", "retrieval_event")
    assert ran.code == 2
    assert "nearest is 'retrieval_events'" in one_line(ran)


def test_validate_accepts_every_document_and_refuses_broken_ones(
    groundtrace: Call, sample: Path
) -> None:
    run(groundtrace, shrink(sample))
    documents = [
        path
        for path in sample.rglob("*.json")
        if "retrieval_events" in str(path.parent) and not path.name.startswith(".")
    ]
    assert len(documents) == TRIALS * 2 + 3 * 2
    ran = groundtrace("validate", *documents)
    assert ran.code == 0, ran.err
    assert ran.out.count(": valid ") == len(documents)

    events = next(sample.rglob("*.retrieval_events.json"))
    good = json.loads(events.read_text())
    broken = {
        "$.events[0]": good | {"events": [{}]},
        "$.coverage.trace_source": good | {"coverage": good["coverage"] | {"trace_source": "x"}},
        "unknown field": good | {"extra": 1},
        "$.schema_version": {k: v for k, v in good.items() if k != "schema_version"},
    }
    for place, document in broken.items():
        events.write_text(json.dumps(document))
        ran = groundtrace("validate", events)
        assert ran.code == 1
        assert place in ran.err and str(events) in ran.err
    events.write_text(json.dumps(good | {"schema_version": "2.0"}))
    ran = groundtrace("validate", events)
    assert ran.code == 2
    assert "reads 1.x" in ran.err
    assert groundtrace("validate", sample / "nowhere.json").code == 2


def test_dry_run_lists_and_writes_nothing(groundtrace: Call, sample: Path) -> None:
    before = sorted(sample.rglob("*"))
    runs = sample / "runs/official"
    ran = groundtrace("normalize", runs, "--tasks", sample / "benchmarks", "--dry-run")
    assert ran.code == 0
    assert "superseded" in ran.out and "quay-timeout-fix-001" in ran.out
    rows = json.loads(groundtrace("normalize", runs, "--dry-run", "--json").out)
    assert len([row for row in rows if row["state"] == "selected"]) == 24
    assert sorted(sample.rglob("*")) == before
