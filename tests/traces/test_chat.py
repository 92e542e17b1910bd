"""Data sets of conversations: the dialect of a row does not change what is read from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.api import read_trace
from groundtrace.config import Settings
from groundtrace.discover import Skipped, discover
from groundtrace.model import Trace, Trial
from groundtrace.storage import place_at
from groundtrace.tools import view_calls

PROMPT = "<uploaded_files>\n/heron\n</uploaded_files>\nLay more eggs."
SHOWN = "Here's the result of running `cat -n` on /heron/nest.py:\n     1\timport os\n     2\tEGGS = 3\n"
EDITED = (
    "The file /heron/nest.py has been edited. Here's the result of running `cat -n` on a snippet"
)
STEPS: list[tuple[str, dict[str, Any], str]] = [
    ("bash", {"command": "grep -rn EGGS src"}, "src/wing.py:4:EGGS = 3"),
    (
        "str_replace_editor",
        {"command": "view", "path": "/heron/nest.py", "view_range": [1, 2]},
        SHOWN,
    ),
    (
        "str_replace_editor",
        {"command": "str_replace", "path": "/heron/nest.py", "old_str": "3\n", "new_str": "4"},
        EDITED,
    ),
    (
        "bash",
        {"command": "rm -f x.py"},
        "Your command ran successfully and did not produce any output.",
    ),
    ("submit", {}, "diff --git a/nest.py b/nest.py"),
]
"""One trajectory: tool, arguments, answer."""


def as_tools() -> list[Any]:
    messages: list[Any] = [{"role": "user", "content": PROMPT, "tool_calls": None}]
    for number, (name, arguments, answer) in enumerate(STEPS):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = [{"type": "text", "text": f"OBSERVATION:\n{answer}"}]
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    return messages


def as_xml() -> list[Any]:
    messages: list[Any] = [{"role": "user", "content": PROMPT}]
    for name, arguments, answer in STEPS:
        values = "".join(
            f"<parameter={key}>{value}</parameter>\n"
            if "\n" not in str(value)
            else f"<parameter={key}>\n{value}\n</parameter>\n"
            for key, value in arguments.items()
        )
        text = f"I look.\n\n<function={name}>\n{values}</function>"
        messages.append({"role": "assistant", "content": text})
        messages.append({"role": "user", "content": f"OBSERVATION:\n{answer}"})
    return messages


def as_ticks() -> list[Any]:
    state = "\n(Open file: n/a)\n(Current directory: /heron)\nbash-$"
    messages: list[Any] = [{"role": "user", "content": PROMPT + state}]
    lines = [
        "grep -rn EGGS src",
        "str_replace_editor view /heron/nest.py --view_range 1 2",
        "str_replace_editor str_replace /heron/nest.py --old_str '3\n' --new_str '4'",
        "rm -f x.py",
        "submit",
    ]
    for line, (_, _, answer) in zip(lines, STEPS, strict=True):
        text = f"Not this:\n```\ncat no.py\n```\nbut\n```\n{line}\n```"
        messages.append({"role": "assistant", "content": text})
        messages.append({"role": "user", "content": f"OBSERVATION:\n{answer}{state}"})
    return messages


def write(folder: Path, *rows: Any, name: str = "rows.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def events(trace: Trace) -> list[Any]:
    return [
        (call.name, call.arguments, call.result, call.cwd, view.category, view.failed, view.refs)
        for call, view in zip(trace.calls, view_calls(trace, Settings()), strict=True)
    ]


def test_one_trajectory_in_three_dialects_gives_the_same_events(tmp_path: Path) -> None:
    dialects = {"tools": as_tools(), "xml": as_xml(), "ticks": as_ticks()}
    file = write(
        tmp_path, *({"instance_id": name, "messages": rows} for name, rows in dialects.items())
    )
    read = {name: read_trace(f"{file}#{name}") for name in dialects}
    assert not any(result.problems for result in read.values())
    first = events(read["tools"].trace)
    assert [(name, arguments) for name, arguments, *_ in first] == [step[:2] for step in STEPS]
    assert [[(ref.kind, ref.path, ref.line_start) for ref in each[-1]] for each in first] == [
        [("matched", "/heron/src/wing.py", 4)],
        [("read", "/heron/nest.py", 1)],
        [("written", "/heron/nest.py", None)],
        first_refs(first[3]),
        [],
    ]
    assert events(read["xml"].trace) == first
    assert events(read["ticks"].trace) == first


def first_refs(event: Any) -> Any:
    """What `rm` touches belongs to the shell's own tests."""
    return [(ref.kind, ref.path, ref.line_start) for ref in event[-1]]


def tool_row(commands: list[tuple[str, str]], **more: Any) -> Any:
    """A row of tool calls of a shell, each with its answer."""
    messages: list[Any] = [{"role": "user", "content": PROMPT}]
    for number, (command, answer) in enumerate(commands):
        function = {"name": "execute_bash", "arguments": json.dumps({"command": command})}
        messages.append(
            {"role": "assistant", "tool_calls": [{"id": f"c{number}", "function": function}]}
        )
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": answer})
    return {"instance_id": "a", "messages": messages, **more}


def test_a_shell_that_lasts_keeps_its_directory(tmp_path: Path) -> None:
    row = tool_row(
        [
            ("cd src", ""),
            ("cat wing.py", "x = 1"),
            ("cd no", "bash: cd: no: No such file or directory"),
            ("cat wing.py", "x = 1"),
            ("make && cd ..", ""),
            ("cat wing.py", "x = 1"),  # nobody knows where
            ("cd /heron/lib && ls", "a.py\n[Current working directory: /heron/lib]"),
            ("cat a.py", "x = 1"),
        ]
    )
    trace, _ = read_trace(f"{write(tmp_path, row)}#a")
    assert [call.cwd for call in trace.calls] == [
        "/heron", "/heron/src", "/heron/src", "/heron/src", "/heron/src", None, None, "/heron/lib",
    ]  # fmt: skip
    refs = [view.refs[0].path for view in view_calls(trace, Settings()) if view.refs]
    assert refs[:2] == ["/heron/src/wing.py"] * 2
    assert refs[-1] == "/heron/lib/a.py"


def test_half_a_character_in_arguments_loses_no_call(tmp_path: Path) -> None:
    row = tool_row([("cat wing.py", "x = 1")])
    function = row["messages"][1]["tool_calls"][0]["function"]
    function["arguments"] = '{"command": "cat wing.py # \ud83d"}'
    trace, problems = read_trace(f"{write(tmp_path, row)}#a")
    assert not problems
    assert [call.arguments["command"][:13] for call in trace.calls] == ["cat wing.py #"]


def test_r2e_runs_every_command_in_a_new_shell(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": PROMPT}]
    for command in ("cd src", "cat nest.py"):
        call = f"<function=execute_bash>\n<parameter=command>{command}</parameter>\n</function>"
        messages.append({"role": "assistant", "content": call})
        answer = "Execution output of [execute_bash]:\nx = 1"
        messages.append({"role": "user", "content": answer})
    trace, _ = read_trace(f"{write(tmp_path, {'instance_id': 'a', 'messages': messages})}#a")
    assert [call.cwd for call in trace.calls] == ["/heron", "/heron"]


def test_sharegpt_rows_tell_the_same(tmp_path: Path) -> None:
    roles = {"user": "human", "assistant": "gpt"}
    xml = [{"from": roles[m["role"]], "value": m["content"]} for m in as_xml()]
    functions: list[Any] = [{"from": "human", "value": PROMPT}]
    for name, arguments, answer in STEPS:
        called = json.dumps({"name": name, "arguments": arguments})
        functions.append({"from": "function_call", "value": called})
        functions.append({"from": "observation", "value": f"OBSERVATION:\n{answer}"})
    file = write(
        tmp_path,
        {"instance_id": "tools", "messages": as_tools()},
        {"instance_id": "xml", "conversations": xml},
        {"instance_id": "functions", "conversations": functions},
    )
    first = events(read_trace(f"{file}#tools").trace)
    assert events(read_trace(f"{file}#xml").trace) == first
    assert events(read_trace(f"{file}#functions").trace) == first
    alone = write(tmp_path, {"id": "x", "conversations": xml}, name="share.jsonl")
    assert len(read_trace(f"{alone}#x").trace.calls) == len(STEPS)


def test_calls_as_one_object_and_as_the_older_function_call(tmp_path: Path) -> None:
    function = {"name": "bash", "arguments": {"command": "ls"}}
    rows = [
        {"role": "assistant", "tool_calls": {"id": "c1", "type": "function", "function": function}},
        {"role": "tool", "tool_call_id": "c1", "content": "nest.py"},
        {"role": "assistant", "content": None, "function_call": function},
        {"role": "function", "name": "bash", "content": "wing.py"},
    ]
    trace, problems = read_trace(f"{write(tmp_path, {'instance_id': 'a', 'messages': rows})}#a")
    assert not problems
    assert [(c.name, c.arguments, c.result and c.result.text) for c in trace.calls] == [
        ("bash", {"command": "ls"}, "nest.py"),
        ("bash", {"command": "ls"}, "wing.py"),
    ]


def test_of_all_logged_model_calls_the_last_is_the_trial(tmp_path: Path) -> None:
    place = tmp_path / "llm_completions/heron__heron-12"
    place.mkdir(parents=True)
    commands = [("ls", "nest.py"), ("cat nest.py", "x = 1"), ("make", "ok")]
    for number in (1, 2, 3):
        row = tool_row(commands[:number])
        log = {"messages": row["messages"], "response": {}, "timestamp": 1.0, "cost": 0.1}
        (place / f"heron-large-175000000{number}.{number}.json").write_text(json.dumps(log))
    found = list(discover(place_at(tmp_path), settings=Settings()))
    trials = [item for item in found if isinstance(item, Trial)]
    assert [trial.path.rpartition("/")[2] for trial in trials] == ["heron-large-1750000003.3.json"]
    parts = [item for item in found if isinstance(item, Skipped)]
    assert len(parts) == 2 and all("a part of" in part.reason for part in parts)


@pytest.mark.parametrize(
    "response",
    [None, {}, {"choices": []}, {"choices": None}, {"choices": [None]}, {"choices": [{}]}, "x"],
)
def test_a_completion_without_a_reply_is_its_conversation(response: Any, tmp_path: Path) -> None:
    row = tool_row([("ls", "nest.py")])
    log = {"messages": [], "fncall_messages": row["messages"], "response": response, "cost": 0.1}
    file = tmp_path / "log.json"
    file.write_text(json.dumps(log))
    trace, _ = read_trace(file)
    assert [call.arguments["command"] for call in trace.calls] == ["ls"]


def test_a_view_whose_middle_is_cut_out_showed_two_parts(tmp_path: Path) -> None:
    """OpenHands cuts long answers through their middle, often through a line's number."""
    lines = [f"{number:6}\tx = {number}\n" for number in range(1, 101)]
    head, tail = "".join(lines[:40]) + "    41\tx =", " 1\tx = 81\n" + "".join(lines[81:])
    shown = (
        "Here's the result of running `cat -n` on /heron/nest.py:\n"
        f"{head}\n[... Observation truncated due to length ...]\n{tail}   101\t\n"
    )
    function = {
        "name": "str_replace_editor",
        "arguments": '{"command": "view", "path": "/heron/nest.py"}',
    }
    messages = [
        {"role": "assistant", "tool_calls": [{"id": "c", "function": function}]},
        {"role": "tool", "tool_call_id": "c", "content": shown},
    ]
    trace, _ = read_trace(f"{write(tmp_path, {'instance_id': 'a', 'messages': messages})}#a")
    ((ref,),) = [view.refs for view in view_calls(trace, Settings())]
    assert (ref.line_start, ref.line_end) == (1, 100)
    assert ref.ranges == ((1, 41), (82, 100))


def test_the_patch_of_a_row_may_be_of_another_repository(tmp_path: Path) -> None:
    row = {"instance_id": "heron__heron-12_17", "messages": as_xml(), "patch": "diff --git a/x b/x"}
    write(tmp_path, {**row, "resolved": False, "model": "m"})
    trace, _ = read_trace(f"{tmp_path}/rows.jsonl#heron__heron-12_17")
    assert trace.stated.submission is None
    assert (trace.stated.reward, trace.stated.model) == (0.0, "m")


def test_messages_may_be_json_in_a_string(tmp_path: Path) -> None:
    file = write(tmp_path, {"instance_id": "a", "messages": json.dumps(as_tools())})
    trace, problems = read_trace(f"{file}#a")
    assert not problems
    assert [call.name for call in trace.calls] == [step[0] for step in STEPS]


def test_rows_are_trials_and_attempts_are_told_apart(tmp_path: Path) -> None:
    row = {"messages": as_xml(), "instance_id": "heron__heron-12_3"}
    write(tmp_path, {**row, "resolved": True}, {**row, "resolved": False}, {"messages": as_xml()})
    found = [f for f in discover(place_at(tmp_path), settings=Settings()) if isinstance(f, Trial)]
    assert len(found) == 3
    assert len({trial.path for trial in found}) == 3
    for sample, reward in (
        ("heron__heron-12_3", 1.0),
        ("heron__heron-12_3.2", 0.0),
        ("row-3", None),
    ):
        trace, _ = read_trace(f"{tmp_path}/rows.jsonl#{sample}")
        assert trace.stated.reward == reward


def test_nebius_rows_have_other_names_for_everything(tmp_path: Path) -> None:
    rows = [
        {
            "role": "ai" if m["role"] == "assistant" else m["role"],
            "text": m["content"],
            "mask": False,
        }
        for m in as_ticks()
    ]
    row = {"instance_id": "h", "model_name": "m", "target": False, "trajectory": rows}
    file = write(tmp_path, {**row, "exit_status": "submitted", "generated_patch": "diff"})
    trace, problems = read_trace(f"{file}#h")
    assert not problems
    assert [call.name for call in trace.calls] == [step[0] for step in STEPS]
    assert (trace.stated.reward, trace.stated.reward_source, trace.model) == (0.0, "target", "m")
    assert trace.stated.submission == "diff"


def test_r2e_steps_have_tokens_time_and_reward(tmp_path: Path) -> None:
    def step(action: str, observation: str, total: float) -> Any:
        numbers = {"token_usage_prompt": 100, "token_usage_completion": 5}
        return {"action": action, "observation": observation, "total_time_traj": total, **numbers}

    shown = "Here's the result of running `cat -n` on the file: /heron/a.py:\n     1 import os\n     2 x"
    listed = "Exit code: 0\nExecution output of [execute_bash]:\n[STDOUT]\n\n/heron/a.py \n\n[STDERR]\n\n\n\n"
    end = "\nThis is step 0 of a maximum of 9. Steps Remaining: 9."
    steps = [
        step(
            "<function=execute_bash>\n  <parameter=command>find /heron -name a.py</parameter>\n</function>",
            listed + end,
            2.0,
        ),
        step(
            "<function=str_replace_editor>\n  <parameter=command>view</parameter>\n"
            "  <parameter=path>/heron/a.py</parameter>\n</function>",
            f"Execution output of [str_replace_editor]:\n{shown}{end}",
            5.0,
        ),
    ]
    row = {
        "trajectory_steps": steps,
        "ds": {"instance_id": "h"},
        "reward": 1.0,
        "output_patch": "d",
    }
    trace, problems = read_trace(f"{write(tmp_path, row)}#h")
    assert not problems
    views = view_calls(trace, Settings())
    assert [[(r.kind, r.path, r.line_start, r.line_end) for r in v.refs] for v in views] == [
        [("surfaced", "/heron/a.py", None, None)],
        [("read", "/heron/a.py", 1, 2)],
    ]
    assert [call.cumulative_tokens for call in trace.calls] == [105, 210]
    assert (trace.stated.reward, trace.stated.agent_seconds, trace.usage.output_tokens) == (
        1.0,
        5.0,
        10,
    )


def test_mini_fences_in_a_row(tmp_path: Path) -> None:
    answer = "<returncode>0</returncode>\n<output>\nEGGS = 3\n</output>"
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "look\n\n```bash\ncat /heron/a.py\n```"},
        {"role": "user", "content": answer},
    ]
    file = write(tmp_path, {"messages": messages, "instance_id": "h"}, {"messages": messages})
    trace, _ = read_trace(f"{file}#h")
    assert [(c.name, c.arguments, c.result.text) for c in trace.calls if c.result] == [
        ("bash", {"command": "cat /heron/a.py"}, "EGGS = 3\n")
    ]


def test_the_reply_in_a_completion_log_is_a_call_without_an_answer(tmp_path: Path) -> None:
    messages = as_tools()
    reply = messages[-2]
    log = {
        "messages": [{"role": "user", "content": "text form <function="}],
        "fncall_messages": messages[:-2],
        "response": {"choices": [{"message": reply}]},
        "timestamp": 1.5,
        "cost": 0.1,
    }
    trace, problems = read_trace(write(tmp_path, log, name="model-1700000000.json"))
    assert not problems
    assert [call.name for call in trace.calls] == [step[0] for step in STEPS]
    assert [call.result is None for call in trace.calls] == [False] * 4 + [True]
    # The cost is that of the last model call alone.
    assert (trace.harness, trace.usage.cost_usd) == ("openhands", None)


@pytest.mark.parametrize("indent", [None, 1])
def test_a_log_of_one_object_is_one_trial_and_its_reply_may_be_text(
    indent: int | None, tmp_path: Path
) -> None:
    reply = as_xml()[-2]
    log = {"messages": as_tools()[:-2], "response": {"choices": [{"message": reply}]}}
    file = tmp_path / "model-1700000000.json"
    file.write_text(json.dumps(log, indent=indent))
    trace, problems = read_trace(file)
    assert not problems
    assert [call.name for call in trace.calls] == [step[0] for step in STEPS]
    (trial,) = [
        f for f in discover(place_at(tmp_path), settings=Settings()) if isinstance(f, Trial)
    ]
    assert "#" not in trial.path


def test_code_in_a_talk_is_no_command(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "How?"},
        {"role": "assistant", "content": "So:\n```\nrm -rf nest\n```"},
        {"role": "user", "content": "Thanks"},
    ]
    trace, problems = read_trace(f"{write(tmp_path, {'instance_id': 'h', 'messages': messages})}#h")
    assert not trace.calls
    assert [problem.kind for problem in problems] == ["not_a_transcript"]


@pytest.mark.parametrize(
    "footer",
    [
        "\n[The command completed with exit code 1.]\n[Current working directory: /heron/src]"
        "\n[Python interpreter: /usr/bin/python]\n[Command finished with exit code 1]",
        # 2024, with the shell's prompt.
        "\n[Python Interpreter: /usr/bin/python]\nroot@openhands-workspace:/heron/src # "
        "\n[Command -1 finished with exit code 1]",
    ],
)
def test_the_directory_and_code_in_openhands_answers(tmp_path: Path, footer: str) -> None:
    call = {
        "id": "t",
        "function": {"name": "execute_bash", "arguments": '{"command": "cd src && ls x"}'},
    }
    again = {
        "id": "u",
        "function": {"name": "execute_bash", "arguments": '{"command": "cat a.py"}'},
    }
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t", "content": f"no x{footer}"},
        {"role": "assistant", "content": "", "tool_calls": [again]},
    ]
    trace, _ = read_trace(f"{write(tmp_path, {'instance_id': 'h', 'messages': messages})}#h")
    result = trace.calls[0].result
    assert result is not None
    assert (result.text, result.is_error) == ("no x", True)
    assert trace.calls[1].cwd == "/heron/src"


@pytest.mark.parametrize(
    "wrong", [None, True, 3, "x", [], [1], {}, {"a": []}, [[{}]], [{"role": 3}]]
)
def test_no_type_of_any_member_raises(wrong: Any, tmp_path: Path) -> None:
    good = {"instance_id": "good", "messages": as_tools()}
    bad = [
        {**good, "instance_id": f"bad{index}", "messages": [{**message, name: wrong}, wrong]}
        for index, (name, message) in enumerate(
            (name, message) for message in as_tools()[1:3] for name in (*message, "tool_call_id")
        )
    ]
    more = [{"instance_id": wrong, "messages": wrong, "trajectory_steps": wrong, "ds": wrong}]
    file = write(tmp_path, good, *bad, *more, wrong)
    for row in (good, *bad):
        trace, _ = read_trace(f"{file}#{row['instance_id']}")
        view_calls(trace, Settings())
    assert len(read_trace(f"{file}#good").trace.calls) == len(STEPS)
    found = list(discover(place_at(tmp_path), settings=Settings()))
    assert sum(isinstance(item, Trial) for item in found) >= 1 + len(bad)


def test_a_broken_row_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    file = write(tmp_path, {"instance_id": "a", "messages": as_xml()})
    file.write_text(file.read_text() + '{"instance_id": "b", "messages": [{"ro')
    assert len(read_trace(f"{file}#a").trace.calls) == len(STEPS)
    found = list(discover(place_at(tmp_path), settings=Settings()))
    assert sum(isinstance(item, Trial) for item in found) == 1
    assert any(
        getattr(getattr(item, "problem", None), "kind", "") == "broken_line" for item in found
    )
