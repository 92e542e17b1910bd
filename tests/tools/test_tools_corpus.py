"""Labelled calls of real trials, if there are any (GROUNDTRACE_CORPUS)."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

import pytest

CORPUS = os.environ.get("GROUNDTRACE_CORPUS")
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS, reason="GROUNDTRACE_CORPUS is not set"),
]


@pytest.fixture(scope="module")
def extraction() -> Any:
    """The benchmark that measures extraction."""
    path = Path(__file__).parents[2] / "benchmarks" / "extraction.py"
    spec = importlib.util.spec_from_file_location("extraction_benchmark", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_files_and_categories_of_labelled_calls(extraction: Any) -> None:
    """D2, D4-D7: recall and precision on (call, file) pairs, shell calls aside."""
    scores = extraction.measure(Path(CORPUS or "") / "labels.jsonl")
    total = extraction.total([s for tool, s in scores.items() if not extraction.is_shell(tool)])
    assert total.calls > 0
    assert total.recall >= 0.97
    assert total.precision >= 0.97
    assert total.categories_wrong == 0
    assert total.kinds_wrong == 0
