"""Labelled shell calls of real trials, if there is a corpus."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.shell.scores import score_labels


@pytest.mark.corpus
@pytest.mark.skipif("GROUNDTRACE_CORPUS" not in os.environ, reason="no corpus")
def test_labelled_shell_calls_are_found() -> None:
    """D6, D7: files that the commands really touched."""
    precision, recall, count = score_labels(Path(os.environ["GROUNDTRACE_CORPUS"]))
    assert count > 0
    assert precision >= 0.95
    assert recall >= 0.93
