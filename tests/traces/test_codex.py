"""Codex's rollouts and streams: every era, by hand."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.api import read_trace
from groundtrace.config import Settings
from groundtrace.model import Trace
from groundtrace.storage import LocalFolder
from groundtrace.tools import view_calls
from groundtrace.traces import read_trace as read_folder
from groundtrace.traces.codex.trace import event_in, is_stream
from tests.traces.rollouts import META, call, event, item, output, read, tokens, wrapped, write


def touched(trace: Trace) -> list[list[tuple[str, str]]]:
    return [[(ref.kind, ref.path) for ref in v.refs] for v in view_calls(trace, Settings())]


def test_flat_rollout_takes_its_directory_from_the_first_message(tmp_path: Path) -> None:
    context = "<environment_context>\n  <cwd>/w/app</cwd>\n</environment_context>"
    answer = json.dumps({"output": "x = 1\n", "metadata": {"exit_code": 0}})
    trace, problems = read(
        tmp_path,
        [
            {"id": "t", "timestamp": "2025-08-01T10:00:00.000Z", "instructions": None, "git": {}},
            {"record_type": "state"},
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": context}],
            },
            {
                "type": "function_call",
                "name": "shell",
                "arguments": json.dumps({"command": ["bash", "-lc", "cat a.py"]}),
                "call_id": "c1",
            },
            {"type": "function_call_output", "call_id": "c1", "output": answer},
        ],
    )
    assert not problems
    assert trace.harness == "codex" and trace.cwd == "/w/app"
    assert touched(trace) == [[("read", "/w/app/a.py")]]
    assert trace.usage.output_tokens is None


def test_every_era_of_the_shell_gives_the_text_that_was_printed(tmp_path: Path) -> None:
    chunk = "Chunk ID: ab12\nWall time: 0.05 seconds\nProcess exited with code {}\nOriginal token count: 3\nOutput:\n"
    trace, problems = read(
        tmp_path,
        [
            wrapped("session_meta", META),
            wrapped("turn_context", {"cwd": "/w", "model": "gpt-5"}),
            call("a", "shell", {"command": ["bash", "-lc", "cat a.py"], "workdir": "/w/in"}),
            output("a", json.dumps({"output": "1\n", "metadata": {"exit_code": 0}})),
            call("b", "shell_command", {"command": "cat b.py", "workdir": "/w"}),
            output(
                "b", "Exit code: 0\nWall time: 0.1 seconds\nTotal output lines: 1\nOutput:\n1\n"
            ),
            call("c", "exec_command", {"cmd": "cat c.py"}),
            output("c", chunk.format(0) + "1\n"),
            call("d", "exec_command", {"cmd": "cat d.py"}),
            output("d", chunk.format(1) + "cat: d.py: No such file or directory\n"),
            item(
                "local_shell_call",
                call_id="e",
                action={"type": "exec", "command": ["cat", "e.py"], "working_directory": "/x"},
            ),
            output("e", [{"type": "input_text", "text": "1\n"}]),
            call("f", "write_stdin", {"session_id": 3, "chars": ""}),
            output(
                "f",
                "Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID 3\nOutput:\n",
            ),
        ],
    )
    assert not problems
    assert [c.result.text for c in trace.calls if c.result] == [
        "1\n", "1\n", "1\n", "cat: d.py: No such file or directory\n", "1\n", "",
    ]  # fmt: skip
    assert [c.call_id for c in trace.calls if c.result and c.result.is_error] == ["d"]
    assert touched(trace) == [
        [("read", "/w/in/a.py")],
        [("read", "/w/b.py")],
        [("read", "/w/c.py")],
        [],
        [("read", "/x/e.py")],
        [],
    ]
    assert trace.model == "gpt-5" and trace.harness_version == "0.90.0"


def test_a_picture_that_was_opened_is_read(tmp_path: Path) -> None:
    image = [{"type": "input_image", "image_url": "data:image/png;base64,AA"}]
    lines = [wrapped("session_meta", META), call("a", "view_image", {"path": "/w/p.png"})]
    trace, problems = read(tmp_path, [*lines, output("a", image)])
    assert not problems and touched(trace) == [[("read", "/w/p.png")]]


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"


@pytest.mark.parametrize(
    "asked",
    [
        item("custom_tool_call", call_id="p", name="apply_patch", input=PATCH),
        call("p", "apply_patch", {"input": PATCH}),
        call("p", "shell", {"command": ["apply_patch", PATCH]}),
        call("p", "shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF\n"]}),
        call("p", "exec_command", {"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}),
    ],
)
@pytest.mark.parametrize(
    ("answer", "applied"),
    [
        ("Success. Updated the following files:\nM a.py\n", True),
        ("patch rejected by user", False),
        ("apply_patch verification failed: Failed to find expected lines in /w/a.py", False),
    ],
)
def test_patches_in_every_form(asked: Any, answer: str, applied: bool, tmp_path: Path) -> None:
    kind = asked["payload"]["type"] + "_output"
    lines = [wrapped("session_meta", META), asked, item(kind, call_id="p", output=answer)]
    trace, _ = read(tmp_path, lines)
    assert touched(trace) == [[("written", "/w/a.py")] if applied else []]
    assert trace.calls[0].result is not None and trace.calls[0].result.is_error is not applied


@pytest.mark.parametrize(
    "text",
    [
        "failed in sandbox MacosSeatbelt with execution error: exit code: 1, stdout: a.py:1:x",
        "execution error: No such file or directory (os error 2)",
        "exec_command failed: SandboxDenied",
        "aborted by user after 3.1s",
    ],
)
def test_what_was_refused_touched_nothing(text: str, tmp_path: Path) -> None:
    asked = call("a", "shell", {"command": ["bash", "-lc", "cat a.py"]})
    trace, _ = read(tmp_path, [wrapped("session_meta", META), asked, output("a", text)])
    assert touched(trace) == [[]]
    assert trace.calls[0].result is not None and trace.calls[0].result.is_error


def test_the_directory_of_a_turn_counts_for_its_calls(tmp_path: Path) -> None:
    lines = [wrapped("session_meta", META)]
    for number, folder in enumerate(("/w", "/elsewhere")):
        lines.append(wrapped("turn_context", {"cwd": folder, "model": "m"}))
        lines.append(call(f"c{number}", "shell_command", {"command": "cat a.py"}))
        lines.append(output(f"c{number}", "Exit code: 0\nWall time: 0 seconds\nOutput:\nx\n"))
    trace, _ = read(tmp_path, lines)
    assert touched(trace) == [[("read", "/w/a.py")], [("read", "/elsewhere/a.py")]]
    assert trace.cwd == "/w"


class TestTokens:
    """Totals are what one statement adds to the one before it (D86)."""

    def test_before_the_calls_and_repeated(self, tmp_path: Path) -> None:
        turn = wrapped("turn_context", {"cwd": "/w", "model": "m"})
        lines = [
            wrapped("session_meta", META),
            *(turn, event("token_count", info=None), tokens(100, 10)),
            *(call("a", "shell", {"command": ["ls"]}), output("a", "x")),
            *(turn, tokens(100, 10), tokens(300, 30)),
            *(call("b", "shell", {"command": ["ls"]}), call("c", "shell", {"command": ["ls"]})),
            *(output("b", "x"), output("c", "x"), turn, tokens(300, 30), tokens(600, 31)),
        ]
        trace, _ = read(tmp_path, lines)
        assert [c.cumulative_tokens for c in trace.calls] == [110, 330, 330]
        assert (trace.usage.input_tokens, trace.usage.output_tokens) == (600, 31)

    def test_after_the_calls(self, tmp_path: Path) -> None:
        lines = [
            wrapped("session_meta", META),
            *(call("a", "shell", {"command": ["ls"]}), tokens(100, 10), output("a", "x")),
            tokens(100, 10),
            *(call("b", "shell", {"command": ["ls"]}), output("b", "x"), tokens(300, 30)),
            *(call("c", "shell", {"command": ["ls"]}), tokens(700, 70), output("c", "x")),
        ]
        trace, _ = read(tmp_path, lines)
        assert [c.cumulative_tokens for c in trace.calls] == [110, 330, 770]

    def test_a_call_whose_total_never_came_has_none(self, tmp_path: Path) -> None:
        turn = wrapped("turn_context", {"cwd": "/w", "model": "m"})
        lines = [
            wrapped("session_meta", META),
            *(turn, call("a", "shell", {"command": ["ls"]}), output("a", "x")),
            *(turn, tokens(300, 30), call("b", "shell", {"command": ["ls"]}), output("b", "x")),
        ]
        trace, _ = read(tmp_path, lines)
        assert [c.cumulative_tokens for c in trace.calls] == [None, 330]


def test_mcp_tools_know_their_server(tmp_path: Path) -> None:
    spaced = {"type": "function_call", "call_id": "b", "name": "find", "arguments": "{}"}
    invocation = {"server": "docs", "tool": "get", "arguments": {}}
    lines = [
        wrapped("session_meta", META),
        *(call("a", "mcp__code__search", {"query": "x"}), output("a", "none")),
        wrapped("response_item", {**spaced, "namespace": "mcp__code"}),
        *(
            call("c", "docs__get", {}),
            event("mcp_tool_call_end", call_id="c", invocation=invocation),
        ),
    ]
    trace, _ = read(tmp_path, lines)
    assert [(c.name, c.server) for c in trace.calls] == [
        ("mcp__code__search", "code"),
        ("mcp__code__find", "code"),
        ("docs__get", "docs"),
    ]


def test_calls_of_a_script_are_those_that_events_tell(tmp_path: Path) -> None:
    """Code mode: one `exec` runs a script; a command outside of one is told by its item alone."""
    end = {"call_id": "n1", "command": ["bash", "-lc", "cat a.py"], "cwd": "/w", "exit_code": 0}
    lines = [
        wrapped("session_meta", META),
        item("custom_tool_call", call_id="e", name="exec", input="await tools.exec_command({})"),
        event("exec_command_end", **end, aggregated_output="x\n"),
        item(
            "custom_tool_call_output",
            call_id="e",
            output="Script completed\nWall time 0.1 seconds\nOutput:\nx",
        ),
        event("exec_command_end", **{**end, "call_id": "n2"}, aggregated_output="x\n"),
    ]
    trace, _ = read(tmp_path, lines)
    assert [c.name for c in trace.calls] == ["exec", "exec_command"]
    assert not any("no event tells" in said for said in trace.evidence)
    assert touched(trace)[1] == [("read", "/w/a.py")]


def test_a_script_whose_calls_no_event_tells_is_one_call_without_files(tmp_path: Path) -> None:
    """What it printed may be any part of what its calls gave: its files stay unknown."""
    script = 'const r = await tools.exec_command({cmd: "cat a.py"}); text(r.output.slice(9))'
    said = "Script completed\nWall time 0.1 seconds\nOutput:\nx = 1"
    lines = [
        wrapped("session_meta", META),
        item("custom_tool_call", call_id="e", name="exec", input=script),
        item("custom_tool_call_output", call_id="e", output=said),
    ]
    trace, problems = read(tmp_path, lines)
    assert not problems
    assert [(c.name, c.result and c.result.text) for c in trace.calls] == [("exec", "x = 1")]
    assert touched(trace) == [[]]
    assert trace.evidence[-1].endswith(
        "1 script made calls that neither an event nor the script itself tells; files are unknown"
    )


def test_compaction_and_rollback_say_which_calls_left_the_context(tmp_path: Path) -> None:
    lines = [wrapped("session_meta", META)]
    for name in "abc":
        lines.append(event("user_message", message=name))
        lines += [call(name, "shell", {"command": ["ls"]}), output(name, "x")]
        if name == "a":
            lines += [wrapped("compacted", {"message": "s"}), event("context_compacted")]
    lines.append(event("thread_rolled_back", num_turns=1))
    trace, _ = read(tmp_path, lines)
    assert [(p.kind, p.after, p.dropped) for p in trace.context_changes] == [
        ("compaction", 0, (0,)),
        ("rollback", 2, (2,)),
    ]
    kept = [item("function_call", call_id="a", name="shell", arguments="{}")["payload"]]
    trace, _ = read(tmp_path, [*lines[:4], wrapped("compacted", {"replacement_history": kept})])
    assert [p.dropped for p in trace.context_changes] == [None]


EXEC: list[dict[str, Any]] = [
    {"type": "thread.started", "thread_id": "t"},
    {"type": "turn.started"},
    {"type": "item.started", "item": {"id": "item_0", "type": "command_execution",
     "command": "/bin/bash -lc 'cat /w/a.py'", "aggregated_output": "", "exit_code": None,
     "status": "in_progress"}},
    {"type": "item.completed", "item": {"id": "item_0", "type": "command_execution",
     "command": "/bin/bash -lc 'cat /w/a.py'", "aggregated_output": "x\n", "exit_code": 0,
     "status": "completed"}},
    {"type": "item.completed", "item": {"id": "item_1", "type": "file_change",
     "changes": [{"path": "/w/b.py", "kind": "update"}], "status": "completed"}},
    {"type": "item.completed", "item": {"id": "item_2", "type": "mcp_tool_call", "server": "code",
     "tool": "search", "arguments": {"q": "x"}, "result": {"content": [{"type": "text", "text": "no"}]},
     "error": None, "status": "completed"}},
    {"type": "item.completed", "item": {"id": "item_3", "type": "command_execution",
     "command": "/bin/bash -lc 'cat /w/c.py'", "aggregated_output": "", "status": "declined"}},
    {"type": "item.completed", "item": {"id": "item_4", "type": "agent_message", "text": "done"}},
    {"type": "turn.completed", "usage": {"input_tokens": 50, "cached_input_tokens": 5, "output_tokens": 7}},
]  # fmt: skip


@pytest.mark.parametrize("wrap", [False, True])
def test_exec_stream_bare_and_wrapped(wrap: bool, tmp_path: Path) -> None:
    time = "2026-05-04T10:00:00Z"
    lines = [{"log_type": "e", "timestamp_iso": time, "data": e} for e in EXEC] if wrap else EXEC
    trace, problems = read(tmp_path, list(lines), "codex.log")
    assert not problems
    assert [(c.name, c.server) for c in trace.calls] == [
        ("command_execution", None),
        ("file_change", None),
        ("search", "code"),
        ("command_execution", None),
    ]
    assert touched(trace) == [[("read", "/w/a.py")], [("written", "/w/b.py")], [], []]
    assert [c.result.is_error for c in trace.calls if c.result] == [False, False, False, True]
    assert (trace.usage.input_tokens, trace.usage.output_tokens) == (50, 7)
    assert all((c.timestamp is not None) is wrap for c in trace.calls)


def test_two_turns_of_one_thread_have_no_sum(tmp_path: Path) -> None:
    trace, _ = read(tmp_path, [*EXEC, EXEC[-1]])
    assert trace.usage.output_tokens is None
    trace, _ = read(tmp_path, [*EXEC, {"type": "thread.started", "thread_id": "u"}, *EXEC[2:]])
    assert trace.usage.output_tokens == 14 and len(trace.calls) == 8


def test_stream_of_2025(tmp_path: Path) -> None:
    begin = {
        "type": "exec_command_begin",
        "call_id": "c",
        "command": ["bash", "-lc", "cat a.py"],
        "cwd": "/w",
    }
    end = {
        "type": "exec_command_end",
        "call_id": "c",
        "stdout": "x\n",
        "stderr": "",
        "exit_code": 0,
    }
    started = {"type": "session_configured", "model": "m"}
    lines = [{"id": "", "msg": m} for m in (started, begin, end)]
    trace, problems = read(tmp_path, lines)
    assert not problems and trace.model == "m"
    assert touched(trace) == [[("read", "/w/a.py")]]


def test_in_a_trial_the_rollout_is_read_and_its_copy_is_not(tmp_path: Path) -> None:
    place = tmp_path / "agent/sessions/2026/05/04"
    place.mkdir(parents=True)
    asked = [call("a", "shell", {"command": ["cat", "/w/a.py"]}), output("a", "x\n")]
    write(place / "rollout-2026-05-04T10-00-00-t.jsonl", [wrapped("session_meta", META), *asked])
    write(tmp_path / "agent/codex.txt", EXEC)
    trace, _ = read_folder(LocalFolder(tmp_path))
    assert [c.call_id for c in trace.calls] == ["a"]


def test_damage_costs_only_what_it_hit(tmp_path: Path) -> None:
    good = json.dumps(call("a", "shell", {"command": ["ls"]}))
    bad = json.dumps(call("b", "shell", {"command": ["ls"]}))[:-30]
    path = tmp_path / "x.jsonl"
    path.write_text(
        "\n".join([json.dumps(wrapped("session_meta", META)), good, bad, "noise", good])
    )
    trace, problems = read_trace(path)
    assert [c.call_id for c in trace.calls] == ["a"]
    assert sorted((p.kind, p.lost_calls) for p in problems) == [
        ("broken_line", 1),
        ("non_json_lines", 0),
    ]


@pytest.mark.parametrize("value", [None, 7, [], {}, True, "x", [[]], {"a": {"b": []}}])
def test_members_of_any_type(value: Any, tmp_path: Path) -> None:
    """A field of another type is never an exception, and no call is made up from it."""
    kinds = ("function_call", "custom_tool_call", "local_shell_call", "function_call_output")
    lines = [wrapped("session_meta", {**META, "cwd": value, "source": value, "git": value})]
    for kind in kinds:
        for key in ("name", "arguments", "input", "call_id", "output", "action", "namespace"):
            lines.append(item(kind, **{"name": "t", "arguments": "{}", "input": "x", key: value}))
    for kind in ("token_count", "mcp_tool_call_end", "exec_command_end", "thread_rolled_back"):
        for key in ("info", "call_id", "invocation", "num_turns", "command", "result"):
            lines.append(event(kind, **{key: value}))
    lines += [
        wrapped("turn_context", {"cwd": value}),
        wrapped("compacted", {"replacement_history": value}),
        item("function_call", name="t", arguments="{}"),  # two compactions in a row count as one
        wrapped("compacted", {"replacement_history": [{"type": value}]}),
    ]
    trace, _ = read(tmp_path, lines)
    assert [p.kind for p in trace.context_changes if p.kind == "compaction"] == ["compaction"] * 2
    assert all(c.name and isinstance(c.arguments, dict) for c in trace.calls)
    printed = [
        {"type": "item.completed", "item": value},
        {"type": "turn.completed", "usage": value},
    ]
    trace, _ = read(tmp_path, printed)
    assert trace.calls == ()


@pytest.mark.skipif(importlib.util.find_spec("zstandard") is not None, reason="it can be unpacked")
@pytest.mark.skipif(
    importlib.util.find_spec("compression") is not None, reason="it can be unpacked"
)
def test_a_packed_rollout_says_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "rollout-2026-05-04T10-00-00-t.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd\x00")
    trace, (problem,) = read_trace(path)
    assert not trace.calls
    assert problem.kind == "unreadable" and "groundtrace[zstd]" in problem.reason


@pytest.mark.skipif(importlib.util.find_spec("zstandard") is None, reason="needs zstandard")
def test_a_packed_rollout_is_read(tmp_path: Path) -> None:
    import zstandard  # type: ignore[import-not-found,unused-ignore]

    plain = write(tmp_path / "x", [wrapped("session_meta", META), call("a", "t", {})]).read_bytes()
    path = tmp_path / "rollout-2026-05-04T10-00-00-t.jsonl.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(plain))
    assert [c.call_id for c in read_trace(path).trace.calls] == ["a"]


_NAMES = ("type", "id", "timestamp", "data", "payload", "event", "msg", "message", "other")
_KINDS = (
    "thread.started",
    "item.x",
    "item.",
    "xitem.done",
    "turn",
    "turn.a b",
    "message",
    "",
    None,
)
_LINES = st.recursive(
    st.sampled_from([*_KINDS, 7, True]),
    lambda inner: (
        st.dictionaries(st.sampled_from(_NAMES), inner, max_size=4) | st.lists(inner, max_size=2)
    ),
    max_leaves=14,
)


@given(_LINES)
def test_a_line_is_of_a_stream_if_it_holds_an_event(value: Any) -> None:
    assert is_stream(value) == (event_in(value) is not None)
