"""The four names of a trial are declared in one place."""

from __future__ import annotations

import importlib
import pkgutil

import msgspec
import msgspec.structs

import groundtrace.documents
from groundtrace.discover.select import Candidate, candidate
from groundtrace.documents.events import Provenance
from groundtrace.impact.observations import Observation
from groundtrace.model import Contender, Trial, TrialId
from groundtrace.rows.trial_row import TrialRow
from tests.fuzz.memory import MemoryFolder

NAMES = set(TrialId.__struct_fields__)


def records() -> set[type[msgspec.Struct]]:
    """Every record of the package's documents, and of the stages that are loaded with them."""
    for module in pkgutil.walk_packages(groundtrace.documents.__path__, "groundtrace.documents."):
        importlib.import_module(module.name)
    found: set[type[msgspec.Struct]] = set()
    waiting: list[type[msgspec.Struct]] = [msgspec.Struct]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            if kind.__module__.startswith("groundtrace."):
                found.add(kind)
            waiting.append(kind)
    return found


def test_every_record_with_the_names_of_a_trial_extends_the_one_that_declares_them() -> None:
    named = {kind for kind in records() if set(kind.__struct_fields__) >= NAMES}
    assert {Trial, Candidate, TrialRow, Observation, Provenance} <= named
    assert {kind for kind in named if not issubclass(kind, TrialId)} == {Provenance}


def test_a_candidate_says_of_its_trial_all_that_decides_which_one_counts() -> None:
    trial = Trial("r", "c", "t", "t__1", path="c/t__1", folder=MemoryFolder({}), trial_key="key")
    stands = candidate(3, trial)
    assert stands.number == 3
    assert stands.names == ("r", "c", "t", "t__1")
    for name in Contender.__struct_fields__:
        assert getattr(stands, name) == getattr(trial, name)
