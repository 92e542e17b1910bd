"""OpenHands' own logs: every action of the agent once, with the observation that names it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.api import read_trace
from groundtrace.config import Settings
from groundtrace.discover import Skipped, discover
from groundtrace.model import ReadResult, Trial
from groundtrace.storage import place_at
from groundtrace.tools import view_calls
from groundtrace.traces.openhands.actions import skill_of

SHOWN = "Here's the result of running `cat -n` on /heron/nest.py:\n     1\timport os\n"


def meta(name: str, arguments: Any, call_id: str = "toolu_01") -> Any:
    call = {"id": call_id, "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {
        "function_name": name,
        "tool_call_id": call_id,
        "model_response": {"id": "r", "choices": [{"message": {"tool_calls": [call]}}]},
    }


def spent(prompt: int, completion: int) -> Any:
    usage = {"prompt_tokens": prompt, "completion_tokens": completion}
    return {"accumulated_cost": 0.0, "accumulated_token_usage": usage}


def at(number: int, **more: Any) -> Any:
    return {"id": number, "timestamp": f"2026-05-04T10:00:{number:02}", "source": "agent", **more}


def observed(number: int, cause: int, content: str, folder: str, code: int = 0) -> Any:
    metadata = {"exit_code": code, "working_dir": folder}
    return at(
        number, cause=cause, observation="run", content=content, extras={"metadata": metadata}
    )


def run(number: int, command: str, *tokens: int) -> Any:
    metadata = meta("execute_bash", {"command": command})
    return at(
        number,
        action="run",
        args={"command": command, "thought": "so"},
        tool_call_metadata=metadata,
        llm_metrics=spent(*tokens),
    )


HISTORY = [
    at(0, action="system", args={"content": "You are"}),
    {**at(1, action="message", args={"content": "go"}), "source": "user"},
    {**at(2, action="recall", args={"query": "go"}), "source": "user"},
    at(3, cause=2, observation="recall", content="context"),
    run(4, "ls", 100, 10),
    run(5, "cd src && cat nest.py", 100, 10),
    # The answers come in another order than the actions.
    observed(6, 5, "EGGS = 3", "/heron/src"),
    observed(7, 4, "src", "/heron"),
    observed(8, 5, "a second answer", "/heron/src"),
    at(9, observation="error", content="no such function", extras={}),
    run(10, "cat no.py", 250, 30),
    observed(11, 10, "cat: no.py: No such file or directory", "/heron/src", 1),
    at(
        12,
        action="read",
        args={"path": "/heron/nest.py", "view_range": None, "thought": "so"},
        tool_call_metadata=meta(
            "str_replace_editor", {"command": "view", "path": "/heron/nest.py"}
        ),
        llm_metrics=spent(400, 40),
    ),
    at(13, cause=12, observation="read", content=SHOWN, extras={"path": "/heron/nest.py"}),
    at(
        14,
        action="finish",
        args={"outputs": {}},
        tool_call_metadata=meta("finish", {"message": "done"}),
        llm_metrics=spent(500, 45),
    ),
]


def row(history: Any = None, **more: Any) -> Any:
    return {
        "instance_id": "heron__heron-12",
        "test_result": {"git_patch": "diff"},
        "instruction": "<uploaded_files>\n/heron\n</uploaded_files>",
        "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "heron/large"}},
        "history": HISTORY if history is None else history,
        "metrics": spent(500, 45),
        "error": None,
        **more,
    }


def write(folder: Path, *rows: Any, name: str = "output.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return file


def read(folder: Path, *rows: Any, sample: str = "heron__heron-12") -> ReadResult:
    return read_trace(f"{write(folder, *rows)}#{sample}")


def test_actions_of_the_agent_are_calls_and_answers_are_found_by_cause(tmp_path: Path) -> None:
    trace, problems = read(tmp_path, row())
    assert not problems
    assert [
        (call.name, call.arguments, call.result.text if call.result else None)
        for call in trace.calls
    ] == [
        ("execute_bash", {"command": "ls"}, "src"),
        ("execute_bash", {"command": "cd src && cat nest.py"}, "EGGS = 3"),
        ("execute_bash", {"command": "cat no.py"}, "cat: no.py: No such file or directory"),
        ("str_replace_editor", {"command": "view", "path": "/heron/nest.py"}, SHOWN),
        ("finish", {"message": "done"}, None),
    ]
    assert [bool(call.result and call.result.is_error) for call in trace.calls] == [
        False, False, True, False, False,
    ]  # fmt: skip
    assert [call.step_id for call in trace.calls] == ["4", "5", "10", "12", "14"]


def test_ids_that_repeat_do_not_join_calls(tmp_path: Path) -> None:
    trace, _ = read(tmp_path, row())
    assert [call.call_id for call in trace.calls] == ["toolu_01", None, None, None, None]


def test_tokens_are_differences_of_totals_and_a_zero_cost_is_unknown(tmp_path: Path) -> None:
    trace, _ = read(tmp_path, row())
    assert [call.cumulative_tokens for call in trace.calls] == [110, 110, 280, 440, 545]
    assert (trace.usage.input_tokens, trace.usage.output_tokens) == (500, 45)
    assert trace.usage.cost_usd is None
    zero = row(history=[run(4, "ls", 0, 0), observed(5, 4, "src", "/heron")], metrics=spent(0, 0))
    trace, _ = read(tmp_path, zero)
    assert [call.cumulative_tokens for call in trace.calls] == [None]
    assert (trace.usage.input_tokens, trace.usage.output_tokens) == (None, None)


def test_what_a_row_states(tmp_path: Path) -> None:
    trace, _ = read(tmp_path, row(report={"resolved": True}))
    stated = trace.stated
    assert (stated.task, stated.model, stated.submission) == (
        "heron__heron-12",
        "heron/large",
        "diff",
    )
    assert (stated.reward, stated.agent_seconds) == (1.0, 14.0)
    assert trace.cwd == "/heron"


def test_old_histories_hold_each_observation_after_its_action(tmp_path: Path) -> None:
    """The directory is in the shell's prompt, and skills in cells are the tools that they are."""
    window = "[File: /heron/a.py (2 lines total)]\n1|import os\n2|\n[Jupyter current working directory: /heron]"
    refused = "[Your proposed edit has introduced new syntax error(s).\n[File: /heron/a.py (2 lines total)]"
    flat = [
        {"action": "message", "content": "go", "source": "user"},
        {"action": "run", "command": "cat a.py", "thought": "so"},
        {"observation": "run", "content": "import os\r\nroot@1f:/heron # ", "exit_code": 0},
        {"action": "run_ipython", "code": "open_file('/heron/a.py')", "thought": ""},
        {"observation": "run_ipython", "content": window},
        {
            "action": "run_ipython",
            "code": "edit_file_by_replace('/heron/a.py', to_replace='a', new_content='b')",
        },
        {"observation": "run_ipython", "content": refused},
        {"action": "finish", "outputs": {}},
    ]
    pairs = [[flat[1], flat[2]], [flat[3], flat[4]], [flat[5], flat[6]], [flat[7]]]
    for history in (flat, pairs):
        result = read(tmp_path, row(history=history))
        views = view_calls(result.trace, Settings())
        assert [[(r.kind, r.path, r.line_start, r.line_end) for r in v.refs] for v in views] == [
            [("read", "/heron/a.py", 1, 1)],
            [("read", "/heron/a.py", 1, 2)],
            [],
            [],
        ]
        assert [v.failed for v in views] == [False, False, True, False]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("open_file('a.py', 3)", ("open_file", {"path": "a.py", "line_number": 3})),
        (
            "print(find_file('a.py', dir_path='/x'))",
            ("find_file", {"file_name": "a.py", "dir": "/x"}),
        ),
        ("search_file('x', file_path='a')", ("search_file", {"search_term": "x", "path": "a"})),
        ("open_file(name)", None),
        ("open_file('a.py'); open_file('b.py')", None),
        ("print('open_file')", None),
        ("def (", None),
        (3, None),
    ],
)
def test_a_cell_is_a_skill_only_if_it_is_nothing_else(code: Any, expected: Any) -> None:
    assert skill_of(code) == expected


# --- V1 -------------------------------------------------------------------------------------


def stats(total: int) -> Any:
    usage = {"prompt_tokens": total, "completion_tokens": 1}
    metrics = {"model_name": "m", "accumulated_cost": 0.0, "accumulated_token_usage": usage}
    return {
        "id": f"s{total}", "timestamp": "2026-06-16T05:39:40", "source": "environment",
        "key": "stats", "value": {"usage_to_metrics": {"default": metrics}},
        "kind": "ConversationStateUpdateEvent",
    }  # fmt: skip


def acted(name: str, tool: str, arguments: Any) -> Any:
    return {
        "id": name, "timestamp": "2026-06-16T05:39:41", "source": "agent", "tool_name": tool,
        "tool_call_id": f"call-{name}", "action": {"kind": "X"}, "kind": "ActionEvent",
        "tool_call": {"name": tool, "arguments": json.dumps(arguments)},
    }  # fmt: skip


def seen(name: str, text: str, **more: Any) -> Any:
    return {
        "id": f"o{name}", "timestamp": "2026-06-16T05:39:42", "source": "environment",
        "tool_call_id": f"call-{name}", "action_id": name, "kind": "ObservationEvent",
        "observation": {"content": [{"type": "text", "text": text}], **more},
    }  # fmt: skip


V1 = [
    stats(100),
    acted("a", "terminal", {"command": "cat nest.py"}),
    seen("a", "EGGS = 3", exit_code=0, metadata={"working_dir": "/heron"}),
    stats(300),
    acted("b", "file_editor", {"command": "view", "path": "/heron/nest.py"}),
    {**seen("b", ""), "kind": "AgentErrorEvent", "error": "bad arguments", "action_id": None},
    seen("lost", "x", exit_code=0),
]


def check_v1(result: ReadResult) -> None:
    calls = result.trace.calls
    assert [(c.name, c.call_id, c.result.text, c.result.is_error) for c in calls if c.result] == [
        ("terminal", "call-a", "EGGS = 3", False),
        ("file_editor", "call-b", "bad arguments", True),
    ]
    assert [call.cumulative_tokens for call in calls] == [101, 301]
    assert [(p.kind, p.lost_calls) for p in result.problems] == [("orphan_results", 1)]
    (ref,) = view_calls(result.trace, Settings())[0].refs
    assert ref.path == "/heron/nest.py"


def test_v1_events_in_one_file_in_rows_and_one_a_file(tmp_path: Path) -> None:
    check_v1(read_trace(write(tmp_path, *V1, name="events.jsonl")))
    check_v1(read(tmp_path, row(history=V1)))
    folder = tmp_path / "conversation" / "events"
    folder.mkdir(parents=True)
    for number, event in enumerate(V1):
        write(folder, event, name=f"event-{number:05}-ab12.json")
    check_v1(read_trace(folder / "event-00000-ab12.json"))
    found = discover(place_at(tmp_path / "conversation"), settings=Settings())
    assert sum(isinstance(item, Trial) for item in found) == 1


def test_v1_counts_all_models_and_a_rejected_call_failed(tmp_path: Path) -> None:
    def used(prompt: int, completion: int) -> Any:
        usage = {"prompt_tokens": prompt, "completion_tokens": completion}
        return {"accumulated_cost": 0.25, "accumulated_token_usage": usage}

    models = {"default": used(100, 10), "condenser": used(50, 5)}
    told = {**stats(0), "value": {"usage_to_metrics": models}}
    refused = {**seen("a", ""), "kind": "UserRejectObservation", "rejection_reason": "no"}
    trace, _ = read_trace(
        write(tmp_path, told, acted("a", "terminal", {"command": "ls"}), refused, name="e.jsonl")
    )
    (call,) = trace.calls
    assert call.cumulative_tokens == 165
    assert call.result is not None and call.result.is_error
    assert trace.usage.cost_usd == 0.5


def test_actions_without_a_function_call_are_the_editors(tmp_path: Path) -> None:
    history = [
        at(1, action="read", args={"path": "/heron/nest.py", "start": 0, "end": -1}),
        at(2, cause=1, observation="read", content=SHOWN, extras={"path": "/heron/nest.py"}),
        at(
            3,
            action="edit",
            args={"path": "/heron/nest.py", "impl_source": "oh_aci", "old_str": "3"},
        ),
        at(
            4,
            cause=3,
            observation="edit",
            content="The file /heron/nest.py has been edited.",
            extras={},
        ),
        at(5, action="edit", args={"path": "/heron/wing.py", "content": "x"}),
        at(6, cause=5, observation="error", content="ERROR:\nNo replacement was performed"),
    ]
    result = read(tmp_path, row(history=history))
    refs = [[(r.kind, r.path) for r in v.refs] for v in view_calls(result.trace, Settings())]
    assert refs == [[("read", "/heron/nest.py")], [("written", "/heron/nest.py")], []]


def test_attempts_of_one_instance_are_trials_of_their_own(tmp_path: Path) -> None:
    write(tmp_path, row(attempt=1), row(attempt=2, history=V1[:3]))
    trials = [f for f in discover(place_at(tmp_path), settings=Settings()) if isinstance(f, Trial)]
    assert len(trials) == 2
    assert len(read_trace(f"{tmp_path}/output.jsonl#heron__heron-12.2").trace.calls) == 1


def paid(cost: Any) -> Any:
    return {**spent(500, 45), "accumulated_cost": cost}


@pytest.mark.parametrize(
    ("costs", "total"), [((0.5, 0.25), 0.75), ((0.0, 0.25), None), ((None, 0.25), None)]
)
def test_the_chosen_attempt_is_the_trial_and_all_attempts_are_paid(
    costs: tuple[Any, Any], total: float | None, tmp_path: Path
) -> None:
    """`output.jsonl` repeats the attempt that was chosen: reading both would count it twice."""
    first, second = row(attempt=1, metrics=paid(costs[0])), row(attempt=2, metrics=paid(costs[1]))
    other = row(instance_id="heron__heron-13", metrics=paid(0.125))
    write(tmp_path, first, "no row", name="output.critic_attempt_1.jsonl")
    write(tmp_path, second, name="output.critic_attempt_2.jsonl")
    write(tmp_path, second, other)
    found = list(discover(place_at(tmp_path), settings=Settings()))
    trials = {item.task_name: item for item in found if isinstance(item, Trial)}
    assert set(trials) == {"heron__heron-12", "heron__heron-13"}
    assert trials["heron__heron-12"].outcome.cost_usd == total
    assert trials["heron__heron-13"].outcome.cost_usd == 0.125
    # The trace must not put the cost of one attempt where that of all is not known.
    trace, _ = read_trace(f"{tmp_path}/output.jsonl#heron__heron-12")
    assert trace.usage.cost_usd == total
    skipped = [item for item in found if isinstance(item, Skipped)]
    assert {item.reason for item in skipped} == {"no trace: a part of output.jsonl"}
    assert len(skipped) == 2


def test_an_attempt_that_is_cut_off_makes_the_cost_unknown(tmp_path: Path) -> None:
    text = json.dumps(row(attempt=1, metrics=paid(0.5)))
    (tmp_path / "output.critic_attempt_1.jsonl").write_text(text[: len(text) // 2])
    write(tmp_path, row(attempt=2, metrics=paid(0.25)), name="output.critic_attempt_2.jsonl")
    write(tmp_path, row(attempt=2, metrics=paid(0.25)))
    (trial,) = [
        f for f in discover(place_at(tmp_path), settings=Settings()) if isinstance(f, Trial)
    ]
    assert trial.outcome.cost_usd is None


def test_attempts_without_a_choice_are_trials(tmp_path: Path) -> None:
    write(tmp_path, row(attempt=1, metrics=paid(0.5)), name="output.critic_attempt_1.jsonl")
    (trial,) = [
        f for f in discover(place_at(tmp_path), settings=Settings()) if isinstance(f, Trial)
    ]
    assert trial.outcome.cost_usd == 0.5


def test_metrics_of_nothing_but_zeros_are_unknown(tmp_path: Path) -> None:
    zero = {
        "accumulated_cost": 0.0,
        "accumulated_token_usage": {"prompt_tokens": 0, "completion_tokens": 0},
        "costs": [],
        "token_usages": [],
    }
    write(tmp_path, row(history=[run(4, "ls", 0, 0)], metrics=zero))
    (trial,) = [
        f for f in discover(place_at(tmp_path), settings=Settings()) if isinstance(f, Trial)
    ]
    assert trial.outcome.cost_usd is None
    trace, _ = read_trace(f"{tmp_path}/output.jsonl#heron__heron-12")
    usage = trace.usage
    assert (usage.cost_usd, usage.input_tokens, usage.output_tokens) == (None, None, None)
    assert usage.cached_tokens is None


@pytest.mark.parametrize("wrong", [None, True, 3, "x", [], [1], {}, {"a": []}, [[{}]]])
def test_no_type_of_any_member_raises(wrong: Any, tmp_path: Path) -> None:
    broken = [
        {**event, name: wrong} for event in (HISTORY[4], HISTORY[6], *V1[:3]) for name in event
    ]
    inner = [
        {
            **HISTORY[4],
            "tool_call_metadata": {"function_name": "x", "model_response": {"choices": wrong}},
        },
        {**V1[0], "value": {"usage_to_metrics": {"default": wrong}}},
        {**V1[2], "observation": {"content": wrong, "exit_code": wrong, "metadata": wrong}},
    ]
    last = run(90, "ls", 100, 10)
    history = [*broken, *inner, wrong, last]
    trace, _ = read(
        tmp_path, row(history=history, metrics=wrong, metadata=wrong, test_result=wrong)
    )
    view_calls(trace, Settings())
    assert trace.calls[-1].arguments == {"command": "ls"}
    read(tmp_path, row(history=wrong))


DIFF = "--- /workspace/heron/a.py\n+++ /workspace/heron/a.py\n@@ -1 +1 @@\n-x\n+y\n"
NOTE = "[File /workspace/heron/a.py edited with 1 changes.]\n[begin of edit 1 / 1]\n 1|y\n"


@pytest.mark.parametrize("answer", [DIFF, NOTE])
@pytest.mark.parametrize("command", [None, ""])
@pytest.mark.parametrize("name", ["edit_file", None])
def test_an_edit_answers_with_what_it_changed(
    tmp_path: Path, answer: str, command: str | None, name: str | None
) -> None:
    """A diff, or a note about the file: both are a success."""
    given = {"path": "/workspace/heron/a.py", "content": "y\n", "start": 1, "end": -1}
    own = {} if command is None else {"command": command}
    asked = at(1, source="agent", action="edit", args={**given, **own, "impl_source": "llm"})
    if name is not None:
        asked["tool_call_metadata"] = meta(name, given)
    extras = {"path": given["path"]}
    seen = at(2, source="agent", observation="edit", content=answer, cause=1, extras=extras)
    trace, _ = read(tmp_path, row([asked, seen]))
    (view,) = view_calls(trace, Settings())
    assert [(ref.kind, ref.path) for ref in view.refs] == [("written", "/workspace/heron/a.py")]
    assert not view.failed


def test_a_conversation_with_a_file_for_each_event_is_one_trial(tmp_path: Path) -> None:
    """V0 keeps `sessions/<id>/events/12.json`, and pages of them in `event_cache`."""
    session = tmp_path / "heron__heron-12/sessions/a1"
    for event in HISTORY:
        write_one(session / f"events/{event['id']}.json", event)
    write_one(session / "event_cache/0-25.json", HISTORY)
    write_one(tmp_path / "heron__heron-13/1.json", {"id": 1, "timestamp": "x", "note": "no event"})
    found = list(discover(place_at(tmp_path), settings=Settings()))
    (trial,) = [item for item in found if isinstance(item, Trial)]
    assert trial.path.endswith("events/0.json")
    reading = read_trace(session / "events/0.json")
    (tmp_path / "rows").mkdir()
    as_row = read(tmp_path / "rows", row(HISTORY)).trace.calls
    assert [(c.name, c.result) for c in reading.trace.calls] == [(c.name, c.result) for c in as_row]


def write_one(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
