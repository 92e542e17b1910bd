"""Metrics over judged files only, computed by hand (D120)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec import UNSET, structs

from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import JudgedMetrics
from groundtrace.documents.versions import metrics_as
from groundtrace.metrics.catalogue import METRICS
from tests.metrics.builders import Seen, metrics_of, step, trial

A, B, TEST, EDIT, OTHER = "src/a.py", "src/b.py", "tests/test_a.py", "src/edit.py", "docs/x.md"
TRUTH = (A, B)


def made(
    *files: str,
    tests: Sequence[str] = (),
    edits: Sequence[str] | None = None,
    version: str = "1.2",
) -> EventsDocument:
    """A trial that read these files in this order."""
    calls = [step(Seen("read", file, file if file in TRUTH else None)) for file in files]
    document = trial(*calls, truth=TRUTH, edits=edits, version=version)
    truth = structs.replace(document.ground_truth, test_files=list(tests) or UNSET)
    return structs.replace(document, ground_truth=truth)


def judged(document: EventsDocument) -> JudgedMetrics:
    found = metrics_of(document).judged_metrics
    assert found is not UNSET
    return found


def test_bpref_and_judged_worked_by_hand() -> None:
    """R = 2, N = 2 (a test file, and an edit file that is not relevant). a.py has none above it:
    1; b.py has one of them above it: 1 - 1/2. Four of the five files are judged."""
    found = judged(made(OTHER, A, TEST, B, EDIT, tests=[TEST], edits=[EDIT, A]))
    assert (found.reason, found.n_irrelevant) == (None, 2)
    assert (found.bpref, found.judged_at_10) == ((1 + 0.5) / 2, 4 / 5)


def test_unjudged_files_do_not_move_bpref() -> None:
    crowd = [f"lib/{i}.py" for i in range(8)]
    alone, among = made(TEST, A, tests=[TEST]), made(*crowd, TEST, A, tests=[TEST])
    assert judged(alone).bpref == judged(among).bpref == 0.0
    assert judged(alone).judged_at_10 == 1.0
    assert judged(among).judged_at_10 == 2 / 10, "the first ten: eight unjudged, one of each"


def test_a_relevant_file_is_never_judged_irrelevant() -> None:
    """Test files and edit files that the ground truth names are relevant, in any case."""
    found = judged(made(A, tests=[A.upper()], edits=[B]))
    assert (found.n_irrelevant, found.bpref) == (0, None)


def test_an_irrelevant_file_in_two_spellings_is_one() -> None:
    """With N = 1 a second one above b.py would be more than there are."""
    found = judged(made(TEST, f"repo::{TEST}", A, tests=[TEST]))
    assert found.n_irrelevant == 1
    assert found.bpref == 0.0
    assert found.judged_at_10 == pytest.approx(2 / 3)


def test_what_is_missing_has_its_reason() -> None:
    why = {name: METRICS[name].why_undefined for name in ("bpref", "judged@10")}
    nothing = metrics_of(made(A))
    assert why["bpref"](nothing) == "nothing_judged_irrelevant"
    assert METRICS["judged@10"].getter(nothing) == 1.0
    wrote = metrics_of(trial(step(Seen("written", A, A)), truth=TRUTH, version="1.2"))
    assert why["judged@10"](wrote) == "nothing_retrieved"
    older = metrics_of(made(A, edits=[EDIT], version="1.1"))
    assert why["bpref"](older) == why["judged@10"](older) == "older_document"
    assert why["bpref"](metrics_of(trial(step(Seen("read", A)), version="1.2"))) == (
        "no_ground_truth"
    )


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_earlier_versions_do_not_have_the_section(version: str) -> None:
    document = metrics_of(made(A, TEST, tests=[TEST]))
    reduced = metrics_as(document, version)
    assert reduced.judged_metrics is UNSET
    assert METRICS["bpref"].why_undefined(reduced) == "not_in_document"
