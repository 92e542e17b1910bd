"""Files that this version wrote without credentials are not searched again; all others are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from groundtrace.documents import masked as gate
from groundtrace.documents.base import in_order
from groundtrace.documents.codec import decode
from groundtrace.documents.masked import masked, written
from groundtrace.metrics import evaluate
from groundtrace.rows.finders import FILES
from groundtrace.rows.summarise import summarise
from groundtrace.runs.session import RunSession
from tests.conftest import Ran
from tests.redact.test_every_output import KINDS, Fill, Poison, with_manifest, with_records
from tests.rows.builders import A, B, task
from tests.whole_runs import results

Call = Callable[..., Ran]
KEY = "ghp_" + "a1B2" * 9


def made(call: Call, runs: Path, tasks: Path, out: Path, *flags: str) -> None:
    """The events documents of a run."""
    ran = call("normalize", runs, "--tasks", tasks, "--out", out, "--jobs", 1, *flags)
    assert ran.code == 0, ran.err


def evaluated(call: Call, runs: Path, out: Path, *flags: str) -> dict[str, str]:
    """Digests of the results after `evaluate`."""
    ran = call("evaluate", runs, "--out", out, "--jobs", 1, *flags)
    assert ran.code == 0, ran.err
    return results(out)


class Searched:
    """How many texts were searched for credentials."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts = 0
        found = gate.masked_name

        def counted(text: str) -> str:
            self.texts += 1
            return found(text)

        monkeypatch.setattr(gate, "masked_name", counted)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fill", [with_records, with_manifest])
def test_results_are_those_of_a_search(
    fill: Fill, kind: str, tmp_path: Path, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every text of the traces, records and tasks holds a credential."""
    runs, tasks = fill(tmp_path, Poison(kind))
    searched = Searched(monkeypatch)
    made(groundtrace, runs, tasks, tmp_path / "out")
    assert searched.texts
    searched.texts = 0
    found = evaluated(groundtrace, runs, tmp_path / "out")
    assert searched.texts == 0
    monkeypatch.setattr(RunSession, "is_masked", lambda *_: False)
    made(groundtrace, runs, tasks, tmp_path / "again")
    searched.texts = 0
    assert evaluated(groundtrace, runs, tmp_path / "again") == found
    assert searched.texts > 20
    for path in (tmp_path / "out").rglob("*.retrieval_events.json"):
        document = decode("retrieval_events", path.read_bytes(), path.name)
        assert masked(document) == document


def documents_below(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.retrieval_events.json"))


def shows(folder: Path) -> bool:
    """Whether metrics or summaries hold the key."""
    names = ("*metrics.json", "*summary.json")
    return any(KEY in path.read_text() for name in names for path in folder.rglob(name))


def test_what_somebody_changed_is_searched(tmp_path: Path, groundtrace: Call) -> None:
    runs, tasks = with_records(tmp_path, Poison("form"))
    out = tmp_path / "out"
    made(groundtrace, runs, tasks, out)
    path = documents_below(out)[-1]
    document: dict[str, Any] = json.loads(path.read_text())
    document["provenance"]["model"] = f"by {KEY}"
    path.write_text(json.dumps(document))
    evaluated(groundtrace, runs, out)
    assert not shows(out)


@pytest.mark.parametrize("between", [(), ("--force",)])
def test_what_was_written_with_credentials_is_searched(
    between: tuple[str, ...], tmp_path: Path, groundtrace: Call
) -> None:
    """Also after some of it was written again without them; `--force` starts anew."""
    poison = Poison("form")
    runs, tasks = with_records(tmp_path, poison)
    out = tmp_path / "out"
    made(groundtrace, runs, tasks, out, "--no-mask")
    if between:
        made(groundtrace, runs, tasks, out, *between)
    evaluated(groundtrace, runs, out)
    texts = [path.read_text() for path in out.rglob("*metrics.json")]
    texts += [path.read_text() for path in out.rglob("*summary.json")]
    assert texts
    assert [field for text in texts for field in poison.kept_in(text)] == []


def test_a_state_that_does_not_say_how_files_were_written_proves_nothing(
    tmp_path: Path, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, tasks = with_records(tmp_path, Poison("form"))
    out = tmp_path / "out"
    made(groundtrace, runs, tasks, out)
    for path in out.rglob(".state.json"):
        state = json.loads(path.read_text())
        assert state.pop("all_masked") is True
        path.write_text(json.dumps(state))
    searched = Searched(monkeypatch)
    evaluated(groundtrace, runs, out)
    assert searched.texts > 20


@pytest.mark.parametrize("fill", [with_records, with_manifest])
def test_metrics_are_made_in_the_order_in_which_they_are_written(
    fill: Fill, tmp_path: Path, groundtrace: Call
) -> None:
    """Also of a document of another program, whose counts are in any order."""
    runs, tasks = fill(tmp_path, Poison("form"))
    made(groundtrace, runs, tasks, tmp_path / "out")
    for path in documents_below(tmp_path / "out"):
        raw: dict[str, Any] = json.loads(path.read_text())
        raw["coverage"]["problems"] = {"m@10": 1, "broken_line": 2, "m@3": 1}
        raw.get("summary", {}).get("events_by_category", {}).update(other=1, file_read=1)
        for number, event in enumerate(raw["events"]):
            event["tool_name"] = f"tool@{20 - number}"
            event["mcp_server"] = f"server@{20 - number}"
        document = decode("retrieval_events", json.dumps(raw).encode(), path.name)
        metrics = evaluate(document, generated_at="now")
        assert written(metrics, is_masked=True, by_cutoff=True) is metrics
        if len(raw["events"]) > 2:
            assert metrics.servers
            assert next(iter(metrics.servers)) == f"server@{21 - len(raw['events'])}"


def test_summaries_are_made_in_the_order_in_which_they_are_written() -> None:
    names = ("c@10", "c@3", "c", "b@1")
    rows = [
        replace(
            task(f"t{number}", A if number % 2 else B, config_name=name, benchmark=f"s {name}"),
            unknown_tools={"x@10": 1, "x@9": 1},
            unknown_calls={"x@10": {"z@10": 1, "z@9": 2}, "x@9": {}},
            uncounted_servers={"y@10": 1, "y@2": 1},
            finders={("by_tool", "f@10", "only"): 1, ("by_tool", "f@9", "only"): 1, FILES: 2},
            undefined={"bpref": f"why@{10 - number}"},
        )
        for number, name in enumerate(names)
    ]
    summary = summarise(rows, scope="run", generated_at="now")
    assert written(summary, is_masked=True, by_cutoff=True) is summary
    reasons = summary.overall.more_metrics["bpref"].left_out
    assert len(reasons) == 4
    assert list(reasons) == [f"why@{number}" for number in (7, 8, 9, 10)]
    assert list(summary.by_config) == ["b@1", "c", "c@3", "c@10"]
    assert list(summary.unknown_tools) == list(in_order(dict.fromkeys(("x@10", "x@9"))))
