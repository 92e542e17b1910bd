"""mcpbr's logs: Claude Code's events, the side as configuration, verdicts from results.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.model import Trial
from groundtrace.storage import LocalFolder
from groundtrace.testing import Case, check_reader
from groundtrace.traces.mcpbr.reader import McpbrReader
from tests.traces.seen import seen
from tests.traces.trials import FIXTURES, read, read_bytes

NAME = "mcpbr_nest__nest-7_mcp_20260504_100000.json"
DATA = (FIXTURES / "mcpbr-logs/agent" / NAME).read_bytes()
LOG: dict[str, Any] = json.loads(DATA)


def test_every_call_once_in_order() -> None:
    trace, problems = read("mcpbr-logs")
    assert seen(trace) == [
        "mcp__mcpbr__read_file | file_read | read /workspace/src/egg.py",
        "Read | file_read | read /workspace/src/nest.py:1-3",
        "Grep | code_search | matched /workspace/src/egg.py:1-1",
        "Bash | other | read /workspace/README.md:1-1",
        "Glob | file_search | surfaced /workspace/src/egg.py | surfaced /workspace/src/nest.py",
        "Edit | file_write | written /workspace/src/egg.py",
        "Read! | file_read",
        "Bash | other | read /workspace/src/nest.py:2-3",
        "Write | file_write | written /workspace/tests/test_egg.py",
        "Bash? | other",
    ]
    assert trace.mcp_servers == ("mcpbr",) and trace.calls[0].server == "mcpbr"
    assert (trace.model, trace.harness, trace.cwd) == ("tern-2", "claude-code", "/workspace")
    assert trace.usage.cost_usd == 0.25 and not problems


def test_the_reader_passes_the_checks(tmp_path: Path) -> None:
    trace, _ = read("mcpbr-logs")
    calls = tuple((call.call_id, call.name, call.result is not None) for call in trace.calls)
    check_reader(McpbrReader(), Case(f"agent/{NAME}", DATA, calls), tmp_path)


def test_what_is_lost_is_counted(tmp_path: Path) -> None:
    whole = len(LOG["events"])
    broken = {**LOG, "events": [*LOG["events"][:3], 5, *LOG["events"][3:]]}
    result = read_bytes(tmp_path / "a", NAME, json.dumps(broken).encode())
    assert len(result.trace.calls) == 10
    assert [p.kind for p in result.problems] == ["non_json_lines"]
    cut = DATA[: DATA.index(b"toolu_9")]
    result = read_bytes(tmp_path / "b", NAME, cut)
    assert len(result.trace.calls) == 8 and whole > 16
    assert [(p.kind, p.lost_calls) for p in result.problems] == [
        ("broken_trajectory", 0),
        ("truncated_line", 1),
    ]


def runs(tmp_path: Path, results: Any, folder: str = "logs") -> dict[str, Trial]:
    logs = tmp_path / folder
    logs.mkdir(parents=True)
    for side in ("mcp", "baseline"):
        log = {**LOG, "run_type": side}
        (logs / f"nest__nest-7_{side}_20260504_100000.json").write_text(json.dumps(log))
    if results is not None:
        (tmp_path / "results.json").write_text(json.dumps(results))
    found = discover(LocalFolder(tmp_path), settings=Settings())
    return {trial.config_name: trial for trial in found if isinstance(trial, Trial)}


def side(resolved: Any, cost: float, tokens: int) -> dict[str, Any]:
    spent = {"input": 10, "output": tokens}
    return {"resolved": resolved, "tokens": spent, "cost": cost, "tool_usage": {"Read": 2}}


def test_the_side_is_the_configuration_and_results_have_its_verdict(tmp_path: Path) -> None:
    task = {
        "instance_id": "nest__nest-7",
        "mcp": side(True, 0.5, 90),
        "baseline": side(False, 0, 40),
    }
    results = {"metadata": {}, "summary": {"mcp": {"resolved": 1}}, "tasks": [task]}
    found = runs(tmp_path, results)
    assert set(found) == {"mcp", "baseline"}
    mcp, baseline = found["mcp"], found["baseline"]
    assert mcp.task_name == baseline.task_name == "nest__nest-7"
    assert mcp.evidence["config_name"] == "trace: run_type"
    assert (mcp.outcome.reward, baseline.outcome.reward) == (1.0, 0.0)
    assert mcp.outcome.reward_source == "results.json: mcp"
    assert (mcp.outcome.cost_usd, mcp.outcome.cost_source) == (0.5, "results.json: mcp")
    assert baseline.outcome.cost_usd is None  # 0 says that the price was not known
    assert baseline.outcome.output_tokens == 40


def test_results_of_other_tasks_or_forms_say_nothing(tmp_path: Path) -> None:
    for number, results in enumerate(
        (None, {"tasks": 5}, {"tasks": [{"instance_id": "x", "mcp": side(True, 1, 1)}, 7]},
         {"tasks": [{"instance_id": "nest__nest-7", "mcp": side("yes", 0, 1), "baseline": []}]})
    ):  # fmt: skip
        found = runs(tmp_path / str(number), results)
        assert [trial.outcome.reward for trial in found.values()] == [None, None]


def test_a_folder_above_the_sides_is_named_before_them(tmp_path: Path) -> None:
    for name in ("modelA", "modelB"):
        runs(tmp_path / name, None)
    found = discover(LocalFolder(tmp_path), settings=Settings())
    names = {trial.config_name for trial in found if isinstance(trial, Trial)}
    assert names == {"modelA-mcp", "modelA-baseline", "modelB-mcp", "modelB-baseline"}
