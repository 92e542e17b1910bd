"""The generated session that benchmarks write in every format."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import mean, median

import pytest

from benchmarks import metrics
from benchmarks.sessions import WRITERS, Session, made, measure
from benchmarks.sessions.session import LONGEST
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.traces import all_readers

CALLS = 60
NOT_COMPUTED = {"schema_version", "generated_at", "provenance", "coverage", "basis", "servers"}
"""Members of a metrics document that are taken from elsewhere."""


def test_every_reader_has_a_writer() -> None:
    assert WRITERS.keys() == {reader.name for reader in all_readers()[0]}


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_a_written_session_is_read_back(name: str, tmp_path: Path) -> None:
    """Same calls of the same tools in the same order, and the same answers where they are kept."""
    session, writer = made(CALLS), WRITERS[name]
    trace = measure.write(tmp_path, name, CALLS)
    source = trace.read()
    assert trace.reader.name == name and not source.problems
    asked = [writer.tools[call.kind][0] for call in session.calls]
    assert Counter(call.name for call in source.calls) == Counter(asked)
    assert [call.name for call in source.calls] == asked
    texts = [None if call.result is None else call.result.text for call in source.calls]
    kept = [call.number for call in session.calls if writer.keeps(call)]
    assert len(kept) > CALLS / 2 or name == "aider"  # it has no tools that answer
    written = [session.calls[number].output for number in kept]
    assert sum(len(texts[number] or "") for number in kept) == sum(map(len, written))
    assert [texts[number] for number in kept] == written
    assert not any(call.result is not None and call.result.is_error for call in source.calls)


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_arguments_are_read_as_written(name: str, tmp_path: Path) -> None:
    """A call names its file, pattern or command; otherwise its arguments were lost."""
    source = measure.write(tmp_path, name, CALLS).read()
    for call, read in zip(made(CALLS).calls, source.calls, strict=True):
        told = repr(read.arguments)
        assert any(word in told for word in (call.path, call.pattern, call.folder))


def test_answers_are_as_long_as_in_real_trials() -> None:
    for calls in (measure.SHORT, measure.LONG):
        lengths = [len(call.output) for call in made(calls).calls]
        assert 400 < median(lengths) < 550 and 1350 < mean(lengths) < 1750
        assert max(lengths) < LONGEST + 500
    session = made(measure.LONG)
    lines = [line for call in session.calls for line in call.output.split("\n")]
    assert len(set(lines)) > 0.999 * len(lines)
    assert any('"' in line for line in lines)
    foreign = sum(len(call.output) for call in session.calls if not call.output.isascii())
    assert 0.1 < foreign / sum(len(call.output) for call in session.calls) < 0.3
    kinds = Counter(call.kind for call in session.calls)
    assert kinds.keys() == {"shell", "read", "search", "edit"}
    assert 0.4 < kinds["shell"] / len(session.calls) < 0.6


def test_a_short_session_is_the_start_of_a_long_one() -> None:
    assert made(9).calls == made(30).calls[:9]


def test_a_reader_that_loses_a_call_stops_the_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = WRITERS["pi"]
    cut = whole._replace(write=lambda session: whole.write(Session(session.calls[:-1])))
    monkeypatch.setitem(WRITERS, "pi", cut)
    with pytest.raises(SystemExit, match="pi: 8 calls with 8 answers were read of 9"):
        measure.write(tmp_path, "pi", 9)


def test_a_session_of_another_format_stops_the_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(WRITERS, "pi", WRITERS["codex"])
    with pytest.raises(SystemExit, match="recognised by codex"):
        measure.write(tmp_path, "pi", 3)


def test_every_computed_section_of_metrics_is_measured() -> None:
    fields = set(MetricsDocument.__struct_fields__)
    assert metrics.sections().keys() == fields - NOT_COMPUTED


def test_generated_trials_have_documents_to_measure(tmp_path: Path) -> None:
    found, size = metrics.documents(tmp_path, 4)
    assert len(found) == 4 and size > 100_000
    taken = metrics.costs(found, 1)
    parts = {"touches", *metrics.SHARED, *metrics.sections(), "freeing the views"}
    assert taken.keys() == {*parts, metrics.ALL}
    assert metrics.values(found)["file_level_metrics"] > 0
