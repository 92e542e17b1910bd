"""The document over real trials: no hit in another repository, always valid (D16, D37)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import jsonschema_rs
import msgspec
import pytest
from msgspec import UNSET

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.schema import schema
from groundtrace.events import build_document
from groundtrace.model import Trial
from groundtrace.paths import repo_names
from groundtrace.storage import open_folder
from groundtrace.tools import view_calls
from groundtrace.traces import read_trace
from groundtrace.truth import load_ground_truth
from groundtrace.truth.tasks import build_index

CORPUS = os.environ.get("GROUNDTRACE_CORPUS")

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS, reason="GROUNDTRACE_CORPUS is not set"),
]


def _documents(version: str = "1.1") -> Iterator[EventsDocument]:
    settings = Settings(schema_version=version)
    root = Path(CORPUS or "")
    tasks = build_index(open_folder(root / "benchmarks"))
    for found in discover(open_folder(root / "runs" / "official"), settings=settings, tasks=tasks):
        if not isinstance(found, Trial):
            continue
        trace, problems = read_trace(found.folder)
        truth, more = load_ground_truth(found.task)
        views = view_calls(trace, settings)
        yield build_document(found, trace, views, truth, [*problems, *more], settings)


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_documents_of_real_trials_are_valid_and_the_same_each_time(version: str) -> None:
    check = jsonschema_rs.validator_for(schema("retrieval_events"))
    first = [msgspec.json.encode(document) for document in _documents(version)]
    assert first
    for raw in first:
        check.validate(json.loads(raw))
    assert first == [msgspec.json.encode(document) for document in _documents(version)]


def test_every_hit_is_in_the_repository_of_its_entry() -> None:
    """Judged by names and paths alone, apart from the rules that found the hits."""
    hits = 0
    for document in _documents():
        for event in document.events:
            for access in event.accesses or ():
                if access.ground_truth_file is UNSET:
                    continue
                hits += 1
                repo, named, path = access.ground_truth_file.rpartition("::")
                file = access.file.rpartition("::")[2]
                assert f"/{path}".lower().endswith(f"/{file}".lower())
                if named and access.repo is not UNSET:
                    assert any(
                        a == b or a.endswith(f"-{b}") or b.endswith(f"-{a}")
                        for a in repo_names(repo)
                        for b in repo_names(access.repo)
                    )
    assert hits > 50
