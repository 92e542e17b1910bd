"""mini-swe-agent: a call is what was executed, refused or handed in, in order and once."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.config import Settings
from groundtrace.model import ReadResult, Stated
from groundtrace.storage import LocalFolder
from groundtrace.tools import view_calls
from groundtrace.traces import READERS
from groundtrace.traces.kit.loose import read_loose, recognise, samples_of
from groundtrace.traces.mini_swe_agent import load
from groundtrace.traces.mini_swe_agent.records import _FENCES, _fenced
from tests.traces.trials import FIXTURES

NAME = "heron__heron-12.traj.json"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached"


def read(name: str, file: str = NAME) -> ReadResult:
    return read_loose(LocalFolder(FIXTURES / name / "agent"), file, None)


def stated(name: str) -> Stated:
    folder = LocalFolder(FIXTURES / name / "agent")
    found, _, _ = recognise(folder, NAME, READERS)
    assert found is not None
    (sample,) = samples_of(found, folder)
    assert not hasattr(sample, "kind")
    return sample.stated  # type: ignore[union-attr]


def test_replies_with_none_or_several_fences_are_no_calls() -> None:
    trace, problems = read("mini-1")
    assert not problems
    assert [call.arguments["command"] for call in trace.calls] == [
        "cd heron && cat nest.py",
        "grep -rn EGGS .",
        "grep -n FEATHERS nest.py",
        "sleep 100; cat heron/nest.py",
        "sed -i 's/3/4/' heron/nest.py",
        SUBMIT,
    ]
    assert {call.name for call in trace.calls} == {"bash"}
    assert [call.step_id for call in trace.calls] == ["2", "8", "10", "12", "14", "16"]


def test_output_comes_without_its_frame_and_failure_with_the_code() -> None:
    trace, _ = read("mini-1")
    results = [call.result for call in trace.calls]
    assert [(r.text, r.is_error) for r in results if r is not None] == [
        ("import os\nEGGS = 3\n", False),
        ("heron/nest.py:2:EGGS = 3\n", False),
        ("", True),
        ("", True),
        ("", False),
        ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n", False),
    ]


def test_every_command_is_a_fresh_shell_where_the_environment_says() -> None:
    """`cd heron` of the first command does not hold for the others."""
    trace, _ = read("mini-1")
    assert {call.cwd for call in trace.calls} == {"/testbed"}
    views = view_calls(trace, Settings())
    files = [sorted({ref.path for ref in view.refs}) for view in views]
    assert files == [
        ["/testbed/heron/nest.py"],
        ["/testbed/heron/nest.py"],
        [],
        [],
        ["/testbed/heron/nest.py"],
        [],
    ]
    # What a submission prints is handed in: it was not read, and nothing went wrong.
    assert [view.failed for view in views] == [False, False, True, True, False, False]


def test_tokens_are_those_of_every_model_call_up_to_the_call() -> None:
    """Replies that were rejected cost tokens too."""
    trace, _ = read("mini-1")
    replies = [110, 132, 135, 148, 158, 168, 178, 200]
    sums = [sum(replies[: n + 1]) for n in range(len(replies))]
    assert [call.cumulative_tokens for call in trace.calls] == [sums[n] for n in (0, 3, 4, 5, 6, 7)]
    assert trace.usage.output_tokens == 10 + 12 + 5 + 8 + 8 + 8 + 8 + 20
    assert trace.usage.input_tokens == 100 + 120 + 130 + 140 + 150 + 160 + 170 + 180
    assert trace.usage.cached_tokens == 40
    assert trace.usage.cost_usd == 0.25


def test_what_a_trajectory_states_of_itself() -> None:
    trace, _ = read("mini-1")
    assert trace.harness == "mini-swe-agent" and trace.harness_version == "1.15.0"
    assert trace.model == "lab/wader-1" and trace.cwd == "/testbed"
    assert trace.stated.exit_status == "Submitted"
    assert (trace.stated.submission or "").startswith("diff --git a/heron/nest.py")
    assert trace.stated.task == "heron__heron-12"
    assert trace.first_timestamp is None  # 1.15 records no times
    cheap = stated("mini-1")
    assert (cheap.task, cheap.model, cheap.cost_usd) == ("heron__heron-12", "lab/wader-1", 0.25)
    assert cheap.submission == trace.stated.submission


def test_the_middle_of_a_long_output_is_missing_and_half_lines_are_left_out() -> None:
    trace, _ = read("mini-elided")
    first, last = trace.calls
    assert first.result is not None
    lines = first.result.text.splitlines()
    assert lines[:8] == [f"line {n}" for n in range(1, 9)]
    assert lines[8] == "... [812 characters truncated] ..."
    assert lines[9:] == ["line 91", "line 92"]
    assert last.result is None  # the run was stopped
    assert trace.stated.submission is None
    assert trace.stated.exit_status == "LimitsExceeded"


def test_refused_reads_and_asked_for_context() -> None:
    trace, problems = read("mini-context")
    assert not problems
    assert [call.arguments["command"] for call in trace.calls] == [
        "nl -ba heron/heron/nest.py",
        "sed -n '1,2p' heron/heron/nest.py",
        SUBMIT,
        "cd heron && git status",
        "cat heron/heron/nest.py",
    ]
    views = view_calls(trace, Settings())
    assert [view.failed for view in views] == [True, False, False, False, True]
    assert [len(view.refs) for view in views] == [0, 1, 0, 0, 0]
    read_ref = views[1].refs[0]
    assert (read_ref.path, read_ref.kind) == ("/home/heron/heron/nest.py", "read")
    assert (read_ref.line_start, read_ref.line_end) == (1, 2)
    answered = trace.calls[3].result
    assert answered is not None and answered.text == "On branch main\n"


def test_times_where_messages_have_them_and_no_cost_where_no_price_was_known() -> None:
    """D54: 0.0 with `cost_tracking: ignore_errors` is the price of a model without one."""
    trace, _ = read("mini-context")
    assert trace.first_timestamp == 1750000000.0
    assert trace.calls[0].timestamp == 1750000010.5
    assert trace.stated.agent_seconds == 51.0
    assert trace.usage.cost_usd is None
    assert trace.stated.submission is None  # the text there is a reason, not a patch


def test_a_bare_list_of_messages() -> None:
    trace, problems = read("mini-bare-list", "bare.traj.json")
    assert not problems
    assert [call.arguments["command"] for call in trace.calls] == ["cat heron/nest.py", "ls"]
    assert trace.calls[0].cumulative_tokens is None and trace.usage.output_tokens is None
    assert trace.cwd is None and trace.source == "transcript"


def test_actions_that_the_harness_wrote_down() -> None:
    trace, problems = read("mini-1.1-actions")
    assert not problems
    assert [call.arguments["command"] for call in trace.calls] == [
        "cat heron/nest.py",
        "ls heron",
        SUBMIT,
    ]
    assert [call.timestamp for call in trace.calls] == [1750000010.0, 1750000013.0, 1750000015.0]
    assert [call.cumulative_tokens for call in trace.calls] == [11, 66, 110]
    assert view_calls(trace, Settings())[2].failed is False


def test_tool_calls_are_answered_by_their_ids() -> None:
    trace, problems = read("mini-1.1-tool-calls")
    told = [
        (c.call_id, c.arguments["command"], c.result.text if c.result else None)
        for c in trace.calls
    ]
    assert told == [
        ("c1", "cat heron/nest.py", "import os\n"),
        ("c2", "ls heron", "nest.py\n"),
        ("c3", "false", ""),
    ]
    assert [(p.kind, p.lost_calls, p.place) for p in problems] == [
        ("wrong_type", 1, "$.messages[5]")
    ]


def test_members_of_other_types_lose_nothing_else() -> None:
    trace, problems = read("mini-wrong-types")
    assert [call.arguments["command"] for call in trace.calls] == ["ls"]
    assert trace.calls[0].result is not None and trace.calls[0].result.text == "heron\n"
    assert [(p.kind, p.place) for p in problems] == [("wrong_type", "$.messages[0]")]
    assert stated("mini-wrong-types") == Stated(
        task_place="instance_id", harness="mini-swe-agent", submission_source="info.submission"
    )


def test_a_cut_file_gives_what_is_whole_in_it(tmp_path: Path) -> None:
    """Every length of a file: no call is invented, and a loss is told."""
    data = (FIXTURES / "mini-1/agent" / NAME).read_bytes()
    whole = [call.arguments["command"] for call in read("mini-1").trace.calls]
    folder = LocalFolder(tmp_path)
    most = 0
    for end in range(600, len(data) - 2, 97):
        (tmp_path / "cut.json").write_bytes(data[:end])
        trace, problems = read_loose(folder, "cut.json", None)
        commands = [call.arguments["command"] for call in trace.calls]
        assert commands == whole[: len(commands)]
        assert problems, end
        most = max(most, len(commands))
    assert most == len(whole)


def test_a_name_that_is_cut_off_is_not_known(tmp_path: Path) -> None:
    """Half of a model's name is another model, and half of a patch another patch."""
    head = '{"messages": [], "trajectory_format": "mini-swe-agent-1", "info": {"config": {"model": '
    (tmp_path / "a.json").write_text(head + '{"model_name": "lab/wader-1')
    result = read_loose(LocalFolder(tmp_path), "a.json", None)
    assert result.trace.stated.model is None
    assert load.read_info(LocalFolder(tmp_path), "a.json").model is None
    assert [problem.kind for problem in result.problems] == ["broken_trajectory"]


def test_an_empty_trajectory_is_told(tmp_path: Path) -> None:
    text = '{"trajectory_format": "mini-swe-agent-1", "info": {}, "messages": []}'
    (tmp_path / "a.json").write_text(text)
    trace, problems = read_loose(LocalFolder(tmp_path), "a.json", None)
    assert not trace.calls and not trace.readable
    assert [problem.kind for problem in problems] == ["empty_file"]


@pytest.mark.parametrize("name", ["mini-1", "mini-context", "mini-1.1-tool-calls"])
def test_a_large_file_is_read_message_by_message_with_the_same_result(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read(name)
    monkeypatch.setattr(load, "LARGE", 100)
    parts = read(name)
    assert parts.trace.calls == whole.trace.calls
    assert parts.trace.usage == whole.trace.usage
    assert parts.trace.stated == whole.trace.stated
    assert stated(name).task == "heron__heron-12"


@pytest.mark.parametrize(
    ("head", "strength"),
    [
        ('{"trajectory_format": "mini-swe-agent-1.1", "messages": []}', "marker"),
        ('{"info": {"exit_status": "x", "mini_version": "1"}, "messages": []}', "marker"),
        ('{"messages": [{"role": "assistant", "content": "```bash\\nls\\n```"}]}', "shape"),
        ('[{"role": "user", "content": "hello"}]', None),
        ('{"messages": [{"role": "user", "content": "hello"}]}', None),
    ],
)
def test_recognised_by_content_whatever_the_name(
    head: str, strength: str | None, tmp_path: Path
) -> None:
    (tmp_path / "notes.log").write_text(head)
    found, why, problem = recognise(LocalFolder(tmp_path), "notes.log", READERS)
    assert problem is None
    if strength is None:
        assert found is None and why.startswith("JSON that no reader knows")
    else:
        assert found is not None
        assert (found.reader.name, found.recognised.strength) == ("mini-swe-agent", strength)


MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["assistant", "user", "tool", "exit"])},
    optional={
        "content": st.one_of(
            st.none(), st.text(), st.just("```bash\nls\n```"), st.lists(st.none())
        ),
        "extra": st.recursive(
            st.none() | st.integers() | st.text(),
            lambda inner: st.dictionaries(
                st.sampled_from(["actions", "response", "usage", "timestamp", "command"]),
                inner | st.lists(inner),
            ),
        ),
        "tool_calls": st.lists(st.dictionaries(st.sampled_from(["id", "function"]), st.text())),
    },
)


@given(messages=st.lists(MESSAGE | st.none() | st.integers(), max_size=8))
def test_nothing_in_a_file_makes_the_reader_raise(messages: list[object]) -> None:
    text = json.dumps({"trajectory_format": "mini-swe-agent-1", "messages": messages})

    class OneFile(LocalFolder):
        def open(self, relative: str) -> io.BytesIO:  # type: ignore[override]
            return io.BytesIO(text.encode())

        def read(self, relative: str, limit: int = 0) -> bytes:
            return text.encode()

    trace, _ = read_loose(OneFile(Path("/nowhere")), "x.json", None)
    replies = sum(isinstance(m, dict) and m.get("role") == "assistant" for m in messages)
    assert replies == 0 or len(trace.calls) <= 64


@given(st.lists(st.sampled_from(["```bash", "```", "\n", " ", "ls", "`"]), max_size=12))
def test_fences_are_found_as_their_pattern_finds_them(parts: list[str]) -> None:
    text = "".join(parts)
    for opens, pattern in _FENCES.items():
        assert list(_fenced(text, opens, pattern)) == pattern.findall(text)


def test_replies_of_the_responses_api_have_no_role(tmp_path: Path) -> None:
    """2.1 with `model_class: litellm_response`: items instead of messages."""

    def asked(call_id: str, command: str) -> dict[str, str]:
        arguments = json.dumps({"command": command})
        return {"type": "function_call", "call_id": call_id, "name": "bash", "arguments": arguments}

    def said(call_id: str, text: str) -> dict[str, str]:
        output = f"<returncode>0</returncode>\n<output>\n{text}\n</output>"
        return {"type": "function_call_output", "call_id": call_id, "output": output}

    commands = {"c1": "cat a.py", "c2": "grep -n x b.py"}
    actions = [{"command": text, "tool_call_id": one} for one, text in commands.items()]
    output = [{"type": "reasoning"}, *(asked(one, text) for one, text in commands.items())]
    messages = [
        {"role": "user", "content": "fix it"},
        {"object": "response", "output": output, "extra": {"actions": actions}},
        said("c2", "3:x"),
        said("c1", "import os"),
    ]
    document = {"trajectory_format": "mini-swe-agent-1.1", "info": {}, "messages": messages}
    (tmp_path / NAME).write_text(json.dumps(document))
    trace, problems = read_loose(LocalFolder(tmp_path), NAME, None)
    assert not problems
    seen = [
        [(ref.path, ref.line_start) for ref in view.refs] for view in view_calls(trace, Settings())
    ]
    assert seen == [[("a.py", 1)], [("b.py", 3)]]
