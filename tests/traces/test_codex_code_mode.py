"""Code mode of Codex: twenty scripts, and the calls of a rollout that holds some of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.api import read_trace
from groundtrace.config import Settings
from groundtrace.tools import view_calls
from groundtrace.traces.codex.code_mode import NotStaticError, divided, made_calls, read_script

X, Y = 'tools.exec_command({"cmd": "cat x"})', 'tools.exec_command({"cmd": "cat y"})'
HEADER = "Script completed\nWall time 0.2 seconds\nOutput:\n"

STATIC = [
    # script, commands, items below the header, outputs
    (f"const r = await {X};\ntext(r.output);", ["cat x"], ["X\n"], ["X\n"]),
    (f"const a = await {X}; const b = await {Y}; text(a.output); text(b.output);",
     ["cat x", "cat y"], ["X", "Y"], ["X", "Y"]),
    (f"const a = await {X}; const b = await {Y}; text(b.output); text(a.output);",
     ["cat x", "cat y"], ["Y", "X"], ["X", "Y"]),
    (f"const [a, b] = await Promise.all([{X}, {Y}]);\ntext(a.output)\ntext(b.output)",
     ["cat x", "cat y"], ["X", "Y"], ["X", "Y"]),
    (f"const rs = await Promise.all([\n  {X},\n  {Y},\n]);\nfor (const r of rs) {{ text(r.output); }}",
     ["cat x", "cat y"], ["X", "Y"], ["X", "Y"]),
    (f"const rs = await Promise.all([{X}, {Y}]); rs.forEach(r => text(r.output));",
     ["cat x", "cat y"], ["X", "Y"], ["X", "Y"]),
    (f"const rs = await Promise.all([{X}, {Y}]); rs.forEach((r) => {{ text(r.output); }});",
     ["cat x", "cat y"], ["X", "Y"], ["X", "Y"]),
    (f'const rs = await Promise.all([{X}, {Y}]); text(rs.map(r => r.output).join("\\n---\\n"));',
     ["cat x", "cat y"], ["X\n---\nY"], ["X", "Y"]),
    (f"text((await {X}).output)", ["cat x"], ["X"], ["X"]),
    (f'const a = await {X};\ntext("== x\\n" + a.output);', ["cat x"], ["== x\nX"], ["X"]),
    ("const p = 'x'; const r = await tools.exec_command({cmd: `cat ${p}`}); text(`== ${p}\n${r.output}`);",
     ["cat x"], ["== x\nX"], ["X"]),
    ("const cmd = \"cat x\"; const r = await tools.exec_command({cmd, workdir: '/w'}); text(r.output)",
     ["cat x"], ["X"], ["X"]),
    (f"// look\nconst {{output}} = await {X}; /* all */ text(output);", ["cat x"], ["X"], ["X"]),
    (f'const r = await {X}; text(r.output ?? "");', ["cat x"], ["X"], ["X"]),
    (f"await {X};", ["cat x"], [], [None]),
    (f'const r = await {X}; text("done");', ["cat x"], ["done"], [None]),
]  # fmt: skip


@pytest.mark.parametrize(("script", "commands", "items", "outputs"), STATIC)
def test_a_script_that_spells_out_its_calls(
    script: str, commands: list[str], items: list[str], outputs: list[str | None]
) -> None:
    found = read_script(script)
    assert [call.arguments["cmd"] for call in found.calls] == commands
    assert divided(found, items) == outputs


@pytest.mark.parametrize(
    "script",
    [
        f"for (const f of files) {{ const r = await {X}; text(r.output); }}",
        'for (const f of ["a", "b"]) { text((await tools.exec_command({cmd: "cat " + f})).output); }',
        f"const r = await {X}; if (r.exit_code) text('no'); else text(r.output);",
        "const r = await tools.exec_command({cmd: build()}); text(r.output);",
        f"const r = await {X}; text(r.output.split('\\n').slice(0, 5).join('\\n'));",
    ],
)
def test_a_script_that_is_not_static(script: str) -> None:
    with pytest.raises(NotStaticError):
        read_script(script)


def test_an_output_that_holds_the_separator_is_not_divided() -> None:
    script = read_script(
        f'const a = await {X}; const b = await {Y}; text(a.output + "-" + b.output);'
    )
    assert divided(script, ["one-two-three"]) == [None, None]
    assert divided(script, ["one-two"]) == ["one", "two"]


def test_a_result_that_is_printed_whole_is_json() -> None:
    ((name, _, output),) = made_calls(
        f"text(JSON.stringify(await {X}));",
        [{"text": HEADER}, {"text": '{"output": "X\\n", "exit_code": 1}'}],
    )
    assert (name, output.text if output else "", output and output.failed) == (
        "exec_command", "X\n", True,
    )  # fmt: skip


def test_a_warning_before_a_cut_output_is_not_part_of_it() -> None:
    warning = "Warning: truncated output (original token count: 9000)\nTotal output lines: 70\n\n"
    ((_, _, output),) = made_calls(
        f"const r = await {X}; text(r.output);", [{"text": HEADER}, {"text": f"{warning}X\n"}]
    )
    assert output is not None
    assert output.text == "X\n"


@given(st.text(alphabet="const r=await tools.x({\"'`:});,[]>+$ \n", max_size=80))
def test_any_text_is_a_script_or_none(text: str) -> None:
    made_calls(text, [{"text": HEADER}, {"text": "x"}])


# --- a whole rollout ------------------------------------------------------------------------------


def rollout(folder: Path, *scripts: tuple[str, list[str]], events: bool = False) -> Any:
    """The trace of a session that ran these scripts."""
    lines: list[dict[str, Any]] = [
        {
            "type": "session_meta",
            "payload": {
                "id": "s",
                "timestamp": "2026-07-01T00:00:00Z",
                "cwd": "/w",
                "cli_version": "0.144.5",
            },
        }
    ]
    for at, (script, items) in enumerate(scripts):
        call = {"type": "custom_tool_call", "name": "exec", "call_id": f"c{at}", "input": script}
        lines.append({"type": "response_item", "payload": call})
        if events:
            end = {"type": "exec_command_end", "call_id": f"e{at}", "command": ["cat", "x"],
                   "cwd": "/w", "aggregated_output": "X\n", "exit_code": 0}  # fmt: skip
            lines.append({"type": "event_msg", "payload": end})
        output = [{"type": "input_text", "text": text} for text in (HEADER, *items)]
        answer = {"type": "custom_tool_call_output", "call_id": f"c{at}", "output": output}
        lines.append({"type": "response_item", "payload": answer})
    stamped = [{"timestamp": "2026-07-01T00:00:00Z", **line} for line in lines]
    path = folder / "rollout-2026-07-01T00-00-00-s.jsonl"
    path.write_text("\n".join(map(json.dumps, stamped)))
    return read_trace(path).trace


def shown(trace: Any) -> list[tuple[str, list[tuple[str, str]]]]:
    views = view_calls(trace, Settings())
    return [
        (call.name, [(ref.kind, ref.path) for ref in view.refs])
        for call, view in zip(trace.calls, views, strict=True)
    ]


def test_the_calls_of_a_script_follow_it(tmp_path: Path) -> None:
    """The output counts once: with the command that printed it."""
    trace = rollout(
        tmp_path,
        (f"const [a, b] = await Promise.all([{X}, tools.exec_command({{cmd: 'rg -n foo src'}})]);"
         "text(a.output); text(b.output);", ["X\n", "src/c.py:3:foo\n"]),
        ('await tools.apply_patch("*** Begin Patch\\n*** Update File: a.py\\n@@\\n-x\\n+y\\n*** End Patch");', []),
    )  # fmt: skip
    assert shown(trace) == [
        ("exec", []),
        ("exec_command", [("read", "/w/x")]),
        ("exec_command", [("matched", "/w/src/c.py")]),
        ("exec", []),
        ("apply_patch", [("written", "/w/a.py")]),
    ]


def test_what_events_tell_is_not_read_again(tmp_path: Path) -> None:
    trace = rollout(tmp_path, (f"const r = await {X}; text(r.output);", ["X\n"]), events=True)
    assert [call.name for call in trace.calls] == ["exec", "exec_command"]


def test_a_script_that_is_not_static_is_counted(tmp_path: Path) -> None:
    trace = rollout(
        tmp_path, ("for (const f of fs) { await tools.exec_command({cmd: f}); }", ["X\n"])
    )
    assert [call.name for call in trace.calls] == ["exec"]
    said = "1 script made calls that neither an event nor the script itself tells"
    assert any(said in note for note in trace.evidence)
