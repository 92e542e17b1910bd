"""What a new user meets in the first ten minutes: mistakes are named, nothing fails silently."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

import groundtrace as package
from groundtrace.base.visible import WIDEST, in_columns
from groundtrace.errors import PluginError, UsageError
from groundtrace.model import READER_ENTRY_POINTS
from groundtrace.traces.kit.files import PluginReader
from tests.conftest import Ran
from tests.whole_runs import DRAWS, RUN, shrink

Call = Callable[..., Ran]
QUICK = (*DRAWS, "--format", "md", "--jobs", "1")


# the bare command


def test_the_bare_command_shows_the_help_line_by_line(groundtrace: Call) -> None:
    """It was one paragraph of 1,500 characters."""
    bare, asked = groundtrace(), groundtrace("--help")
    assert bare.code == 2 and asked.code == 0
    assert bare.err.strip() == asked.out.strip()
    assert "\n  demo " in bare.err and "\nCommands:\n" in bare.err


# words on the command line that do not fit


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run",), "Missing argument 'RUNS'; see 'groundtrace run --help'"),
        (("run", "runs", "tasks"), "tasks are named with --tasks; see 'groundtrace run --help'"),
        (("report", "runs", "x"), "extra argument (x); see 'groundtrace report --help'"),
        (("run", "runs", "--jobs", "0"), "x>=1; see 'groundtrace run --help'"),
    ],
)
def test_wrong_usage_says_where_the_right_usage_is(
    words: tuple[str, ...], said: str, groundtrace: Call
) -> None:
    ran = groundtrace(*words)
    assert (ran.code, said in ran.err, ran.err.count("\n")) == (2, True, 1), ran.err


def test_an_archive_is_to_be_unpacked(groundtrace: Call, tmp_path: Path) -> None:
    """“no trials found … nearest: runs.zip (binary)” did not say what to do."""
    (tmp_path / "runs.zip").write_bytes(b"PK\x03\x04")
    for command in ("run", "report"):
        ran = groundtrace(command, tmp_path / "runs.zip")
        assert (ran.code, "is an archive; unpack it" in ran.err) == (2, True)
    (tmp_path / "folder.zip").mkdir()
    assert groundtrace("run", tmp_path / "folder.zip").code == 3, "a folder may have any name"


def test_explain_says_that_the_task_comes_first(groundtrace: Call, sample: Path) -> None:
    """Other commands take RUNS first."""
    runs = sample / "runs/official"
    ran = groundtrace("explain", runs, "lock-order-007")
    assert ran.code == 2
    assert f"groundtrace explain lock-order-007 {runs}" in ran.err


def test_a_folder_that_cannot_be_written_names_the_flag(
    groundtrace: Call, sample: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    ran = groundtrace("run", sample / "runs/official", "--out", tmp_path / "file", *QUICK)
    assert (ran.code, "; --out DIR writes elsewhere" in ran.err) == (2, True)


# --only


@pytest.mark.parametrize("command", ["run", "normalize", "evaluate", "impact", "report"])
def test_only_that_fits_nothing_names_itself_and_what_there_is(
    command: str, groundtrace: Call, sample: Path
) -> None:
    runs = sample / "runs/official"
    if command not in ("run", "normalize"):
        assert groundtrace("normalize", runs, "--jobs", "1").code == 0
    before = sorted(sample.rglob("*"))
    ran = groundtrace(command, runs, "--only", "rate-limit-trace-044")
    assert ran.code == 3
    assert "no task fits --only 'rate-limit-trace-044'" in ran.err
    assert "there are 12 tasks, such as 'rate-limit-trace-004'" in ran.err
    assert sorted(sample.rglob("*")) == before, "nothing is written for a slip"


@pytest.mark.parametrize("command", [("export", "--to", "csv"), ("sql",)])
def test_tables_name_only_too(
    command: tuple[str, ...], groundtrace: Call, sample: Path, tmp_path: Path
) -> None:
    runs = sample / "runs/official"
    assert groundtrace("normalize", runs, "--jobs", "1").code == 0
    rest = (runs, tmp_path / "t") if command[0] == "export" else ("SELECT 1", runs)
    ran = groundtrace(*command, *rest, "--only", "nothing*")
    assert (ran.code, "no task fits --only 'nothing*'" in ran.err) == (3, True)


def test_a_dry_run_names_only_and_an_empty_folder_does_not(
    groundtrace: Call, sample: Path, tmp_path: Path
) -> None:
    ran = groundtrace("run", sample / "runs/official", "--dry-run", "--only", "nothing")
    assert (ran.code, "no task fits --only 'nothing'" in ran.err) == (3, True)
    (tmp_path / "empty").mkdir()
    ran = groundtrace("run", tmp_path / "empty", "--only", "nothing")
    assert (ran.code, "--only" in ran.err, "no trials found" in ran.err) == (3, False, True)


def test_only_takes_another_name_of_a_task(groundtrace: Call, sample: Path, tmp_path: Path) -> None:
    """A data set names a task by `instance_id` too; documents know it by one name."""
    runs, dataset = sample / "runs/official", tmp_path / "tasks.jsonl"
    row = {"instance_id": "owner__quay-17", "original_inst_id": "quay-timeout-fix-001"}
    dataset.write_text(json.dumps(row | {"files": ["internal/dispatch/timeout.go"]}) + "\n")
    ran = groundtrace("run", runs, "--tasks", dataset, "--only", "OWNER__*", *QUICK)
    assert ran.code == 0, ran.err
    documents = {path.name for path in sample.rglob("*.retrieval_metrics.json")}
    assert documents == {"quay-timeout-fix-001.retrieval_metrics.json"}
    summary = sample / "runs/official/retrieval_events_aggregate/run_retrieval_summary.json"
    assert json.loads(summary.read_text())["overall"]["trials"] == 2


# ground truth


def test_a_run_without_ground_truth_says_how_to_give_some(groundtrace: Call, sample: Path) -> None:
    ran = groundtrace("run", shrink(sample) / "runs/official", *QUICK)
    assert ran.code == 0
    assert "no ground truth was given" in ran.err
    assert "--tasks" in ran.err and "--ground-truth" in ran.err


def test_a_registry_alone_is_ground_truth(groundtrace: Call, sample: Path, tmp_path: Path) -> None:
    """It said "no ground truth there" of trials whose metrics it had just computed."""
    runs = shrink(sample) / "runs/official"
    names = {trial.task_name for trial in trials_of(groundtrace, runs)}
    registry = tmp_path / "registry.json"
    registry.write_text(json.dumps({name: ["internal/config/config.go"] for name in names}))
    flags = ("--ground-truth", registry)
    ran = groundtrace("run", runs, *flags, *QUICK)
    assert ran.code == 0
    assert "no task definition" not in ran.err and "no ground truth" not in ran.err
    dry = groundtrace("run", runs, *flags, "--dry-run").out.splitlines()[1:]
    assert dry and all("  yes  " in line for line in dry)
    registry.write_text(json.dumps({sorted(names)[0]: ["internal/config/config.go"]}))
    assert "trials have no task definition" in groundtrace("run", runs, *flags, *QUICK).err


def trials_of(call: Call, runs: Path) -> list[Any]:
    class Row:
        def __init__(self, data: dict[str, Any]) -> None:
            self.task_name = data["task_name"]

    return [Row(row) for row in json.loads(call("normalize", runs, "--dry-run", "--json").out)]


@pytest.mark.parametrize("flag", ["--baseline", "--against"])
def test_a_slip_in_the_name_of_a_configuration_is_wrong_usage(
    flag: str, groundtrace: Call, sample: Path
) -> None:
    ran = groundtrace("run", shrink(sample) / "runs/official", flag, "mcp-remote-driect", *QUICK)
    assert ran.code == 2
    assert f"{flag}: unknown configuration 'mcp-remote-driect'" in ran.err
    assert "nearest is 'mcp-remote-direct'" in ran.err


# readers of other packages


class BrokenReader:
    """Claims every trajectory, and fails to read it."""

    name = "broken"
    patterns = ("agent/trajectory.json", "agent/claude-code.txt")

    def recognise(self, probe: object) -> Any:
        from groundtrace.traces.kit.claims import Recognised

        return Recognised("marker", "everything")

    def read(self, folder: object, path: str, keep: object) -> Any:
        raise ValueError("no such dialect")

    def samples(self, folder: object, path: str) -> Iterator[object]:
        yield 1
        raise KeyError("later")


@pytest.fixture
def broken_reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    from groundtrace import traces

    points = EntryPoints([EntryPoint("broken", f"{__name__}:BrokenReader", READER_ENTRY_POINTS)])
    monkeypatch.setattr(traces, "entry_points", lambda group: points.select(group=group))
    # The own readers claim by marker as well, and would come first.
    monkeypatch.setattr(traces, "READERS", ())
    traces.all_readers.cache_clear()
    traces.trial_files.cache_clear()
    yield
    traces.all_readers.cache_clear()
    traces.trial_files.cache_clear()


def test_when_every_trial_fails_run_says_why(
    broken_reader: None, groundtrace: Call, sample: Path
) -> None:
    """It said "no events documents; run 'groundtrace normalize'" and nothing of the errors."""
    runs = sample / "runs/official"
    keep = "rate-limit-trace-004"
    for record in list(runs.rglob("result.json")):
        if keep not in record.parent.name:
            import shutil

            shutil.rmtree(record.parent)
    ran = groundtrace("run", runs, "--tasks", sample / "benchmarks", *QUICK)
    assert ran.code == 1, ran.err
    failed = [line for line in ran.err.splitlines() if line.startswith("failed: ")]
    assert len(failed) == 2
    assert all("the reader 'broken'" in line and "no such dialect" in line for line in failed)
    data = json.loads(groundtrace("run", runs, *QUICK, "--json").out)
    assert len(data["failed"]) == 2 and data["reports"] == []


def test_explain_names_the_reader_that_failed(
    broken_reader: None, groundtrace: Call, sample: Path
) -> None:
    trial = next((sample / "runs").rglob("*rate*/agent")).parent
    ran = groundtrace("explain", trial)
    assert ran.code == 1
    assert ran.err == "groundtrace: the reader 'broken' failed: ValueError: no such dialect\n"
    assert "Traceback" in groundtrace("explain", trial, "-v").err


def test_a_plugin_reader_keeps_its_members_and_names_itself_in_every_error() -> None:
    reader: Any = PluginReader(BrokenReader(), "the reader 'x' of some-package")
    assert reader.patterns == BrokenReader.patterns
    assert getattr(reader, "sidecars", None) is None
    items = reader.samples(None, "")
    assert next(items) == 1
    with pytest.raises(PluginError, match="'x' of some-package failed: KeyError: 'later'"):
        next(items)


def test_a_file_that_cannot_be_opened_is_no_fault_of_the_reader() -> None:
    class Unlucky:
        def read(self) -> None:
            raise PermissionError("no")

    reader: Any = PluginReader(Unlucky(), "it")
    with pytest.raises(PermissionError):
        reader.read()


# -v


def test_verbose_says_settings_times_and_what_is_left_out(groundtrace: Call, sample: Path) -> None:
    runs = shrink(sample) / "runs/official"
    (sample / "groundtrace.toml").write_text('[discover]\nskip = ["left-out*"]\n')
    (runs / RUN / "left-out-for-now").mkdir()
    flags = ("--config", sample / "groundtrace.toml", *QUICK)
    plain = groundtrace("run", runs, *flags).err
    ran = groundtrace("run", runs, *flags, "--force", "-v").err
    assert f"settings: {sample / 'groundtrace.toml'}" in ran
    assert "superseded: " in ran and "a rerun counts" in ran
    assert f"results: {runs / RUN / 'retrieval_events'}" in ran
    assert "skipped: left-out-for-now: " in ran
    assert " trials in " in ran and " trials in " not in plain
    assert "a rerun counts" not in plain


def test_verbose_names_every_failure(groundtrace: Call, capfd: pytest.CaptureFixture[str]) -> None:
    from groundtrace.cli.terminal import SHOWN_FAILURES, say_failures

    failed = [f"trial {n}" for n in range(SHOWN_FAILURES + 2)]
    assert say_failures(failed, quiet=False) == 1
    assert "failed: and 2 more; -v lists all" in capfd.readouterr().err
    say_failures(failed, quiet=False, everything=True)
    assert capfd.readouterr().err.count("failed: trial") == len(failed)


# settings from Python


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"shell": "ignoer"}, "shell must be one of use, ignore, not 'ignoer'"),
        (
            {"trials": "last"},
            "trials must be one of attempts, all, latest, not 'last'; nearest is 'latest'",
        ),
        ({"schema_version": "2.0"}, "schema_version must be one of 1.0, 1.1"),
        ({"mcp_servers": "sourcegraph"}, "mcp_servers must be a list of strings"),
        ({"mask": "no"}, "mask must be true or false"),
        ({"trial_seconds": -1}, "trial_seconds must be a whole number"),
        ({"tools": {"mine": "Read"}}, "tools must hold tables"),
    ],
)
def test_settings_from_python_are_checked_as_those_of_a_file(
    given: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError) as error:
        package.Settings(**given)
    assert str(error.value).startswith(f"Settings: {said}")


def test_settings_take_lists_and_stay_what_they_were() -> None:
    listed: Any = ["a", "b"]
    assert package.Settings(mcp_servers=listed) == package.Settings(mcp_servers=("a", "b"))
    assert hash(package.Settings(mcp_servers=listed).mcp_servers)


def test_a_wrong_addition_from_python_stops_before_the_trial_is_read(sample: Path) -> None:
    settings = package.Settings(tools={"mine": {"like": "Raed"}})
    trial = next((sample / "runs").rglob("*rate*/agent")).parent
    with pytest.raises(UsageError, match="nearest is 'Read'"):
        package.evaluate_trial(trial, settings=settings)


# columns, SQL, numbers and nouns


def test_one_long_name_does_not_push_the_other_rows() -> None:
    text = in_columns(["task", "state"], [["a", "yes"], ["x" * 300, "no"]])
    head, short, long = text.splitlines()
    assert len(short) <= WIDEST + 2 + len("yes") and short.endswith("yes")
    assert head.index("state") == short.index("yes")
    assert long == "x" * 300 + "  no", "shown whole"


def test_a_dry_run_is_not_as_wide_as_its_longest_name(groundtrace: Call, sample: Path) -> None:
    runs = shrink(sample) / "runs/official"
    record = next(runs.rglob("result.json"))
    data = json.loads(record.read_text()) | {"trial_name": "long-" * 40 + "name"}
    record.write_text(json.dumps(data))
    lines = groundtrace("run", runs, "--dry-run").out.splitlines()
    assert sum("long-long-" in line for line in lines) == 1
    assert max(len(line) for line in lines if "long-long-" not in line) < 260


def test_a_wrong_query_is_shown_with_the_caret_below_the_place(
    groundtrace: Call, sample: Path
) -> None:
    runs = sample / "runs/official"
    assert groundtrace("run", runs, *QUICK, "--only", "rate*").code == 0
    ran = groundtrace("sql", runs, "SELECT task_name,\n  rewrad FROM trials")
    assert ran.code == 2
    said, query, caret = ran.err.splitlines()
    assert said.startswith("groundtrace: Binder Error") and "tables: trials" in said
    assert query.startswith("LINE 2:") and query.index("rewrad") == caret.index("^")


def test_nouns_fit_their_numbers(groundtrace: Call, sample: Path) -> None:
    runs = sample / "runs/official"
    for record in list(runs.rglob("result.json"))[1:]:
        import shutil

        shutil.rmtree(record.parent)
    ran = groundtrace("run", runs, "--tasks", sample / "benchmarks", *QUICK)
    assert ran.code == 0, ran.err
    assert "1 document written" in ran.err and "reading: 1 trial\n" in ran.err
    for wrong in ("1 documents", "1 trials", "1 tasks", "1 files", "1 runs", "1 analyses"):
        assert f" {wrong} " not in f" {ran.out} {ran.err} ".replace("\n", " ").replace(",", " ")
