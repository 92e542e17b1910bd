"""SWE-agent: every executed step once, with the file and the directory that its state names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.api import read_trace
from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.discover.found import Skipped
from groundtrace.model import CallView, ReadResult, Trial
from groundtrace.storage import place_at
from groundtrace.tools import view_calls
from groundtrace.traces.swe_agent import records as load
from groundtrace.traces.swe_agent.actions import answer_of, read_action

NAME = "heron__heron-12.traj"
WINDOW = "[File: /heron/src/nest.py (3 lines total)]\n1:import os\n2:EGGS = 3\n3:"
STATS = {
    "instance_cost": 0.5,
    "total_cost": 99.0,
    "tokens_sent": 900,
    "tokens_received": 40,
    "api_calls": 3,
}


def old(action: str, observation: str | None, folder: str, open_file: str = "n/a") -> Any:
    """A step of 0.x: its state is the one before the action."""
    state = json.dumps({"open_file": open_file, "working_dir": folder}) + "\n"
    return {
        "action": action,
        "observation": observation,
        "response": "",
        "state": state,
        "thought": "",
    }


def new(action: str, observation: str, folder: str | None, **more: Any) -> Any:
    """A step of 1.x: its state is the one after the action."""
    state = {} if folder is None else {"working_dir": folder}
    return {
        "action": action,
        "observation": observation,
        "response": "",
        "execution_time": 0.1,
        "state": state,
        "messages": [{"role": "user", "content": '"action": "cat no.py"'}],
        **more,
    }


def write(folder: Path, steps: list[Any], **members: Any) -> Path:
    file = folder / NAME
    data = {"environment": "swe_main", "trajectory": steps, "history": [], "info": {}, **members}
    file.write_text(json.dumps(data))
    return file


def views(result: ReadResult) -> list[CallView]:
    return view_calls(result.trace, Settings())


def touched(result: ReadResult) -> list[list[tuple[str, str, int | None, int | None]]]:
    return [[(r.kind, r.path, r.line_start, r.line_end) for r in v.refs] for v in views(result)]


def test_0x_acts_on_the_file_and_directory_of_the_same_step(tmp_path: Path) -> None:
    nest, found = (
        "/heron/src/nest.py",
        "in /heron/src/nest.py:\nLine 2:EGGS = 3\nEnd of matches for",
    )
    steps = [
        old("cd src", "", "/heron"),
        old("open nest.py\n", WINDOW, "/heron/src"),
        old("goto 2", WINDOW, "/heron/src", nest),
        old("search_file EGGS", f'Found 1 matches for "EGGS" {found} "EGGS"', "/heron/src", nest),
        old("cat nest.py", "import os\nEGGS = 3\n", "/heron/src", nest),
        old("edit 2:2\nEGGS = 4\nend_of_edit\n", WINDOW + "\n(File updated.)", "/heron/src", nest),
        old(
            "edit 2:2\nEGGS = (\nend_of_edit",
            f"Your proposed edit has introduced new syntax error(s).\n{WINDOW}",
            "/heron/src",
            nest,
        ),
        old("create wing.py", "[File: /heron/src/wing.py (1 lines total)]\n1:", "/heron/src", nest),
        old("submit", "diff --git a/src/nest.py b/src/nest.py\n+EGGS = 4", "/heron/src", nest),
    ]
    result = read_trace(write(tmp_path, steps))
    assert not result.problems
    assert touched(result) == [
        [],
        [("read", nest, 1, 3)],
        [("read", nest, 1, 3)],
        [("matched", nest, 2, 2)],
        [("read", nest, 1, 2)],
        [("written", nest, None, None)],  # the window that an edit echoes is no read
        [],
        [("written", "/heron/src/wing.py", None, None)],
        [],
    ]
    assert [v.category for v in views(result)] == [
        "other", "file_read", "file_read", "code_search", "other", "file_write", "file_write",
        "file_write", "other",
    ]  # fmt: skip
    assert views(result)[6].failed
    assert result.trace.cwd == "/heron"


def test_searches_name_the_files_that_they_list(tmp_path: Path) -> None:
    listed = (
        'Found 3 matches for "EGGS" in /heron:\n/heron/a.py (2 matches)\n/heron/b.py (1 matches)\n'
    )
    steps = [
        old("search_dir EGGS", f'{listed}End of matches for "EGGS" in /heron', "/heron"),
        old("find_file b.py", 'Found 1 matches for "b.py" in /heron:\n/heron/b.py', "/heron"),
        old("search_dir NONE", 'No matches found for "NONE" in /heron', "/heron"),
    ]
    result = read_trace(write(tmp_path, steps))
    assert [[path for _, path, _, _ in refs] for refs in touched(result)] == [
        ["/heron/a.py", "/heron/b.py"],
        ["/heron/b.py"],
        [],
    ]
    assert [v.failed for v in views(result)] == [False, False, True]
    assert [v.category for v in views(result)] == ["code_search", "file_search", "code_search"]


def window(path: str, first: int, last: int, total: int) -> str:
    """What SWE-agent shows of an open file."""
    above = f"({first - 1} more lines above)\n" if first > 1 else ""
    below = f"\n({total - last} more lines below)" if last < total else ""
    lines = "\n".join(f"{number}:x = {number}" for number in range(first, last + 1))
    return f"[File: {path} ({total} lines total)]\n{above}{lines}{below}"


def test_the_window_moves_over_the_open_file(tmp_path: Path) -> None:
    nest = "/heron/nest.py"
    steps = [
        old("open nest.py 60", window(nest, 11, 110, 300), "/heron"),
        old("scroll_down", window(nest, 109, 208, 300), "/heron", nest),
        old("scroll_up\n", window(nest, 11, 110, 300), "/heron", nest),
        old("goto 250", window(nest, 200, 300, 300), "/heron", nest),
        old("goto 999", "Error: <line> must be less than or equal to 300", "/heron", nest),
        old("scroll_down", "No file open. Use the open command first.", "/heron"),
    ]
    result = read_trace(write(tmp_path, steps))
    assert touched(result) == [
        [("read", nest, 11, 110)],
        [("read", nest, 109, 208)],
        [("read", nest, 11, 110)],
        [("read", nest, 200, 300)],
        [],
        [],
    ]
    assert [call.arguments.get("path") for call in result.trace.calls] == [
        "nest.py", nest, nest, nest, nest, None,
    ]  # fmt: skip
    assert [view.failed for view in views(result)][-2:] == [True, True]


def test_commands_in_one_line(tmp_path: Path) -> None:
    """The tools are functions of the shell: they may follow others in a line."""
    nest = "/heron/src/nest.py"
    steps = [
        old("cd src && open nest.py", window(nest, 1, 3, 3), "/heron"),
        old("cd src && create wing.py", "[File: /heron/src/wing.py (1 lines total)]\n1:", "/heron"),
        old(
            "open src/nest.py && goto 150",
            window(nest, 1, 100, 300) + "\n" + window(nest, 100, 199, 300),
            "/heron",
        ),
        old("open src/nest.py; ls", window(nest, 1, 3, 3) + "\nsrc", "/heron"),
        old("cd src && cat nest.py", "x = 1", "/heron"),
        old("cd src\nopen nest.py", window(nest, 1, 3, 3), "/heron"),
    ]
    result = read_trace(write(tmp_path, steps))
    assert [call.name for call in result.trace.calls] == [
        "open", "create", "open", "open", "bash", "open",
    ]  # fmt: skip
    assert touched(result) == [
        [("read", nest, 1, 3)],
        [("written", "/heron/src/wing.py", None, None)],
        [("read", nest, 1, 100), ("read", nest, 100, 199)],
        [("read", nest, 1, 3)],
        [("read", nest, 1, 1)],
        [("read", nest, 1, 3)],
    ]
    assert result.trace.calls[2].arguments == {"path": "src/nest.py"}
    assert result.trace.calls[1].cwd == "/heron/src"


def test_a_large_file_is_viewed_without_its_bodies(tmp_path: Path) -> None:
    note = "<NOTE>This file is too large to display entirely. Showing abbreviated version. Please.</NOTE>"
    lines = [
        "     1 import os",
        "     2 def lay():",
        "     3 ... eliding lines 3-40 ...",
        "    41 ",
        "    42 def hatch():",
        "    4<response clipped><NOTE>To save on context</NOTE>",
    ]
    steps = [
        new("str_replace_editor view /heron/nest.py", "\r\n".join([note, *lines]), "/heron"),
        new(
            "str_replace_editor view /heron",
            "Here's the files and directories up to 2 levels deep in /heron, excluding hidden items:\r\n"
            "/heron\r\n/heron/nest.py\r\n/heron/src\r\n/heron/src/wing.py\r\n",
            "/heron",
        ),
    ]
    shown, listed = views(read_trace(write(tmp_path, steps)))
    (ref,) = shown.refs
    assert (ref.path, ref.line_start, ref.line_end) == ("/heron/nest.py", 1, 42)
    assert ref.ranges == ((1, 2), (41, 42))  # nobody saw line 20
    assert listed.category == "file_search"
    assert [(r.kind, r.path) for r in listed.refs] == [
        ("surfaced", "/heron/nest.py"),
        ("surfaced", "/heron/src/wing.py"),
    ]


def test_a_submission_that_asks_for_a_review_is_no_read(tmp_path: Path) -> None:
    review = "Thank you for your work on this issue. Please review:\n<diff>\ndiff --git a/nest.py b/nest.py\n+x = 1\n</diff>"
    steps = [new("submit", review, "/heron"), new("submit", "<<SWE_AGENT_SUBMISSION>>", "/heron")]
    result = read_trace(write(tmp_path, steps))
    assert touched(result) == [[], []]
    assert [call.name for call in result.trace.calls] == ["submit", "submit"]


# --- several attempts in one file ---


def attempt(name: str, cost: float | None) -> Any:
    stats = {"instance_cost": cost, "api_calls": 2, "tokens_sent": 10, "tokens_received": 5}
    info = {"exit_status": "submitted", "submission": name, "model_stats": stats}
    return {"trajectory": [new(f"cat {name}.py", "x", "/heron")], "history": [], "info": info}


@pytest.mark.parametrize("large", [48 * 1024 * 1024, 100])
def test_of_several_attempts_the_chosen_one_is_read(
    large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "LARGE", large)
    first, second = attempt("a", 0.5), attempt("b", 0.25)
    stats = {**second["info"]["model_stats"], "instance_cost": 0.75}
    chosen = {**second, "info": {**second["info"], "model_stats": stats}}
    file = tmp_path / NAME
    file.write_text(json.dumps({"attempts": [first, second], **chosen}))
    trace, problems = read_trace(file)
    assert not problems
    assert [call.arguments["command"] for call in trace.calls] == ["cat b.py"]
    assert (trace.usage.cost_usd, trace.stated.submission) == (0.75, "b")
    assert any("1 other attempts" in line for line in trace.evidence)


@pytest.mark.parametrize(("costs", "total"), [((0.5, 0.25), 0.75), ((None, 0.25), None)])
def test_of_attempts_without_a_choice_the_last_is_read_and_all_are_paid(
    costs: tuple[float | None, float], total: float | None, tmp_path: Path
) -> None:
    file = tmp_path / NAME
    file.write_text(json.dumps({"attempts": [attempt("a", costs[0]), attempt("b", costs[1])]}))
    trace, problems = read_trace(file)
    assert not problems
    assert [call.arguments["command"] for call in trace.calls] == ["cat b.py"]
    assert (trace.usage.cost_usd, trace.stated.submission) == (total, None)


def test_the_folder_of_a_0x_run_names_its_model(tmp_path: Path) -> None:
    run = tmp_path / "heron4__SWE-bench_Lite__default__t-0.00__p-0.95__c-3.00__install-1"
    run.mkdir()
    info = {"exit_status": "submitted", "model_stats": STATS}
    write(run, [old("ls", "a", "/heron")], info=info)
    ((trial,), _) = found_in(tmp_path)
    assert trial.model == "heron4"
    assert trial.task_name == "heron__heron-12"  # `swe_main` is no task
    assert trial.outcome.cost_usd == 0.5  # `total_cost` is the batch's


def test_1x_acts_in_the_directory_of_the_step_before(tmp_path: Path) -> None:
    steps = [
        new("ls", "src\r\n", "/heron"),
        new("cd src && cat nest.py", "EGGS = 3\r\n", "/heron/src"),
        new("cat nest.py", "EGGS = 3\r\n", None),
        new("cat nest.py", "EGGS = 3\r\n", "/heron/src"),
    ]
    result = read_trace(write(tmp_path, steps))
    assert [call.cwd for call in result.trace.calls] == [
        "/heron",
        "/heron",
        "/heron/src",
        "/heron/src",
    ]
    assert {ref[1] for refs in touched(result)[1:] for ref in refs} == {"/heron/src/nest.py"}


def test_the_editor_of_1x_is_read_from_its_command_line(tmp_path: Path) -> None:
    shown = (
        "Here's the result of running `cat -n` on /heron/nest.py:\r\n     1\timport os\r\n     2"
    )
    steps = [new("str_replace_editor view /heron/nest.py  --view_range 1 2", shown, "/heron")]
    (call,) = (result := read_trace(write(tmp_path, steps))).trace.calls
    assert call.arguments == {"command": "view", "path": "/heron/nest.py", "view_range": [1, 2]}
    assert touched(result) == [[("read", "/heron/nest.py", 1, 2)]]  # line 2 is empty and was shown


def test_ids_come_from_the_history_but_not_from_its_demonstration(tmp_path: Path) -> None:
    def said(number: str, **more: Any) -> Any:
        call = {"id": number, "function": {"name": "bash", "arguments": "{}"}}
        return {"role": "assistant", "action": "ls", "tool_calls": [call], **more}

    shown = said("t0", message_type="demonstration")
    history = [said("t0", is_demo=True), shown, said("t1"), {"role": "tool"}, said("t2")]
    steps = [new("ls", "a", "/heron"), new("ls", "a", "/heron"), new("ls", "a", "/heron")]
    trace, _ = read_trace(write(tmp_path, steps, history=history))
    assert [call.call_id for call in trace.calls] == ["t1", "t2", None]


def test_what_was_not_executed_is_no_call_and_garbage_is_one(tmp_path: Path) -> None:
    steps = [
        old("DISCUSSION\nI think", "bash: DISCUSSION: command not found", "/heron"),
        old("", "", "/heron"),
        old("ls", None, "/heron"),
        old("exit_cost", "Exited", "/heron"),
    ]
    trace, _ = read_trace(write(tmp_path, steps))
    assert [call.arguments["command"] for call in trace.calls] == ["DISCUSSION\nI think", "ls"]
    assert trace.calls[1].result is None


def test_degenerate_runs_are_read_as_they_are(tmp_path: Path) -> None:
    """Steps of the ContextBench runs that failed: no observation, no state, escaped line ends."""
    steps = [
        {"action": "open nest.py\\\\n", "response": "", "thought": ""},
        {"action": "1:1", "observation": "bash: 1:1: command not found", "state": {}},
        {"action": "edit 1:1\\nx = 2", "observation": "No file open.", "state": "{no json"},
        {"action": "exit_error", "observation": "", "state": None},
        {},
    ]
    info = {"exit_status": "exit_error", "model_stats": STATS}
    result = read_trace(write(tmp_path, steps, info=info))
    assert [call.name for call in result.trace.calls] == ["open", "bash", "edit"]
    assert result.trace.calls[0].result is None
    assert touched(result) == [[], [], []]
    ((trial,), _) = found_in(tmp_path)
    assert trial.outcome.exception == "exit_error"


def test_what_the_file_states(tmp_path: Path) -> None:
    config = json.dumps({"agent": {"model": {"name": "heron-large"}}})
    info = {
        "swe_agent_version": "1.0.1",
        "exit_status": "submitted",
        "submission": "diff",
        "model_stats": STATS,
    }
    file = write(
        tmp_path,
        [new("ls", "a", "/heron")],
        info=info,
        replay_config=config,
        environment="heron__heron-12",
    )
    trace, _ = read_trace(file)
    assert (trace.model, trace.harness_version) == ("heron-large", "1.0.1")
    assert (trace.usage.cost_usd, trace.usage.input_tokens, trace.usage.output_tokens) == (
        0.5,
        900,
        40,
    )
    assert trace.stated.task == "heron__heron-12"
    assert trace.stated.submission == "diff"


def found_in(folder: Path) -> tuple[list[Trial], list[Skipped]]:
    found = list(discover(place_at(str(folder)), settings=Settings()))
    return [f for f in found if isinstance(f, Trial)], [f for f in found if isinstance(f, Skipped)]


@pytest.mark.parametrize(
    ("steps", "info", "reason"),
    [
        ([], {}, "without steps"),
        (
            [old("ls", "a", "/heron")],
            {
                "exit_status": "submitted",
                "model_stats": {"api_calls": 0, "tokens_sent": 0, "instance_cost": 0},
            },
            "demonstration",
        ),
        ([old("ls", "a", "/heron")], {"exit_status": "submitted", "model_stats": STATS}, None),
        # A run that failed before its first model call is a trial.
        (
            [old("ls", "a", "/heron")],
            {"exit_status": "exit_error", "model_stats": {"api_calls": 0, "tokens_sent": 0}},
            None,
        ),
    ],
)
def test_files_that_are_no_run_of_a_model_are_skipped_with_a_reason(
    steps: list[Any], info: Any, reason: str | None, tmp_path: Path
) -> None:
    history = [{"role": "user", "content": "x", "agent": "primary"}]
    write(tmp_path, steps, info=info, history=history)
    trials, skipped = found_in(tmp_path)
    assert len(trials) == (reason is None)
    assert any(reason in s.reason for s in skipped) if reason else True
    assert [s for s in skipped if s.path == NAME] if reason else not skipped


def test_a_cut_file_gives_its_whole_steps_and_counts_the_rest(tmp_path: Path) -> None:
    steps = [new("ls", "a", "/heron"), new("cat a", "x", "/heron"), new("cat b", "y", "/heron")]
    file = write(tmp_path, steps)
    data = file.read_bytes()
    file.write_bytes(data[: data.rindex(b'"cat b"') + 9])
    trace, problems = read_trace(file)
    assert [call.arguments["command"] for call in trace.calls] == ["ls", "cat a"]
    assert sum(problem.lost_calls for problem in problems) == 1


def test_a_large_file_is_read_step_by_step_with_the_same_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = {"exit_status": "submitted", "model_stats": STATS}
    steps = [new(f"cat {n}.py", "x", "/heron") for n in range(30)]
    file = write(tmp_path, steps, info=info)
    whole = read_trace(file)
    monkeypatch.setattr(load, "LARGE", 100)
    parts = read_trace(file)
    assert parts.trace.calls == whole.trace.calls
    assert parts.trace.usage == whole.trace.usage
    assert not parts.problems


WRONG: tuple[Any, ...] = (None, True, 3, "x", [], [1], {}, {"a": []}, [[{}]])


@pytest.mark.parametrize("wrong", WRONG)
def test_no_type_of_any_member_raises(wrong: Any, tmp_path: Path) -> None:
    step = new("ls", "a", "/heron")
    steps = [step, wrong, *({**step, name: wrong} for name in ("action", "observation", "state"))]
    config = {"agent": {"model": wrong}, "env": wrong}
    for members in (
        {"info": wrong, "history": wrong, "environment": wrong, "replay_config": wrong},
        {"info": {"model_stats": wrong, "submission": wrong}, "history": [wrong]},
        {"replay_config": config, "history": [{"tool_calls": wrong, "action": wrong}]},
    ):
        file = write(tmp_path, steps, **members)
        trace, _ = read_trace(file)
        view_calls(trace, Settings())
        assert trace.calls[0].arguments == {"command": "ls"}
        assert found_in(tmp_path)[0]


@given(st.text(max_size=60))
def test_any_action_is_one_call(action: str) -> None:
    made = read_action(action)
    assert made.name
    assert isinstance(answer_of(made.name, action)[0], str)
