"""No content of a record makes discovery raise."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from groundtrace.discover.outcome import outcome_entry
from tests.discover.run_trees import found, index, put

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
KEYS = (
    "task_name", "trial_name", "task_id", "config", "agent_info", "agent_result", "verifier_result",
    "started_at", "finished_at", "agent_execution", "exception_info", "id", "trial_uri",
    "environment", "agent", "trials_dir", "task", "benchmark", "config_name", "cost_usd",
)  # fmt: skip
RECORDS = st.dictionaries(st.sampled_from(KEYS), VALUES)


@settings(max_examples=60, deadline=None)
@given(result=RECORDS | VALUES, config=RECORDS | VALUES, metrics=RECORDS)
def test_any_json_in_the_records(result: Any, config: Any, metrics: Any) -> None:
    """The folder has a trace, so it stays a trial whatever its records say."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "runs/r1/mcp/a-1__AbCdEfG"
        for file, value in (
            ("result.json", result),
            ("config.json", config),
            ("task_metrics.json", metrics),
        ):
            put(folder / file, json.dumps(value))
        put(folder / "agent/claude-code.txt", "")
        tasks = index(Path(name) / "tasks", "csb_x/a-1")
        trials, _, _ = found(Path(name) / "runs", tasks)
        assert len(trials) == 1
        record = outcome_entry(trials[0], "selected")
        assert record.cost_usd is None or record.cost_usd >= 0
        assert record.config_name
        assert record.task_name


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=60))
def test_any_bytes_in_the_result(data: bytes) -> None:
    """Bytes that are no JSON are a problem, not an end."""
    with tempfile.TemporaryDirectory() as name:
        put(Path(name) / "r1/mcp/a-1__AbCdEfG/result.json", data)
        put(Path(name) / "r1/mcp/a-1__AbCdEfG/agent/trajectory.json", b"")
        trials, _, problems = found(Path(name))
        assert [t.task_name for t in trials] == ["a-1"]
        assert problems
