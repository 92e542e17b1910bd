"""The trials of a page, made by several processes: the same page as by one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.generate import generate
from groundtrace.base.kept_bytes import KeptByName
from groundtrace.config import Settings
from groundtrace.errors import OutputError
from groundtrace.redact import masking
from groundtrace.report.blocks_of_trials import MadeTrial, made_trial
from groundtrace.runs import engine as engine_module
from groundtrace.runs import report as report_module
from groundtrace.runs.engine import make_engine
from groundtrace.runs.evaluate import evaluate
from groundtrace.runs.evaluated_trials import evaluated_trials_in
from groundtrace.runs.normalize import normalize
from groundtrace.runs.output_folders import EVENTS_ENDING
from groundtrace.runs.read import document_paths
from groundtrace.runs.report import known_by, made_trials, report
from groundtrace.runs.request import Request
from groundtrace.runs.tally import Did

TOOL = "mcp__acme__find"


@pytest.fixture
def request_of(tmp_path: Path) -> Request:
    """Seven evaluated trials in two runs."""
    generate(tmp_path, 7, run_size=4)
    request = Request(
        runs=str(tmp_path / "runs"),
        tasks=(str(tmp_path / "benchmarks"),),
        out=str(tmp_path / "out"),
        engine=make_engine("local", jobs=1),
        force=True,
    )
    did = Did()
    normalize(request, with_metrics=True, did=did)
    evaluate(request, did)
    return request


def _pages(request: Request) -> dict[str, bytes]:
    done = report(request, ["html"])
    return {path: Path(path.removeprefix("file://")).read_bytes() for path in done.written}


def test_pages_are_the_same_with_any_number_of_processes(
    request_of: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = _pages(request_of)
    assert len(alone) == 3
    monkeypatch.setattr(engine_module, "SMALL_BYTES", 0)
    engine = make_engine("local", jobs=2)
    assert _pages(replace(request_of, engine=engine)) == alone
    engine.close()


def test_trials_come_in_the_order_of_their_rows_with_the_outcomes_of_their_documents(
    request_of: Request,
) -> None:
    outputs, _ = request_of.output_folders.existing()
    # Without this file no outcome names a document, and the parent makes the trials itself.
    for without in (False, True):
        if without:
            outputs[0].folder.remove("outcomes.json")
        known = known_by(request_of.settings)
        wanted = [made_trial(one, 1) for one in evaluated_trials_in(outputs, is_known=known)]
        assert len(wanted) == 7
        assert list(made_trials(outputs, request_of, lambda: 1, KeptByName())) == wanted


def test_a_trial_that_cannot_be_made_stops_the_page(
    request_of: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page without it would show a chart that leaves it out."""

    def fail(*_: object) -> MadeTrial:
        raise ZeroDivisionError("no")

    monkeypatch.setattr(report_module, "made_trial", fail)
    outputs, _ = request_of.output_folders.existing()
    with masking(True), pytest.raises(OutputError, match=r"not made for the page \(ZeroDiv"):
        list(made_trials(outputs, request_of, lambda: 0, KeptByName()))


def test_a_tool_that_is_not_in_the_table_is_named_so(request_of: Request) -> None:
    """The page has a colour for calls of unknown tools; it needs to know which these are."""
    outputs, _ = request_of.output_folders.existing()
    (path,) = list(document_paths(outputs[0].folder, EVENTS_ENDING))[:1]
    document = json.loads(outputs[0].folder.read(path))
    for event in document["events"]:
        event |= {"tool_name": TOOL, "tool_category": "other", "target_files": []}
        event |= {"failed": False, "arguments": {"query": "x"}, "accesses": []}
    outputs[0].folder.write(path, json.dumps(document).encode())
    known = known_by(request_of.settings)
    details = list(evaluated_trials_in(outputs[:1], is_known=known))
    assert [one.row.unknown_tools for one in details] == [
        {TOOL: len(document["events"])},
        {},
        {},
        {},
    ]
    assert list(made_trials(outputs[:1], request_of, lambda: 0, KeptByName())) == [
        made_trial(one, 0) for one in details
    ]


def test_a_tool_that_the_settings_add_is_known() -> None:
    added = Settings(tools={TOOL: {"category": "code_search"}})
    assert not known_by(Settings())(TOOL)
    assert known_by(added)(TOOL)
