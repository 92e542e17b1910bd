"""Conversations of Cline and Roo Code: blocks of tools, and XML in the text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.model import ReadResult, Trial
from groundtrace.storage import LocalFolder
from groundtrace.testing import Case, check_reader
from groundtrace.traces.cline.reader import ClineReader
from groundtrace.traces.cline.records import TOOLS, answer_in, asked_in
from tests.traces.seen import seen
from tests.traces.trials import FIXTURES, read, read_bytes

NAME = "api_conversation_history.json"
TOOL_CALLS = (
    ("toolu_1", "read_file", True),
    ("toolu_2", "execute_command", True),
    ("toolu_3", "mcp__docs__search", False),
)


def test_blocks_of_tools_are_joined_by_id() -> None:
    trace, problems = read("cline-tools")
    assert [(c.call_id, c.name, c.result is not None) for c in trace.calls] == list(TOOL_CALLS)
    first, denied, last = trace.calls
    assert first.result is not None and first.result.text == "def nest():\n    return 1\n"
    assert denied.result is not None and denied.result.is_error
    assert last.server == "docs" and trace.mcp_servers == ("docs",)
    assert (trace.cwd, trace.harness, trace.model) == ("/home/u/heron", "cline", "finch-2")
    assert first.timestamp == 1777888805.0 and not problems


def test_every_tool_that_is_called_by_xml() -> None:
    """Thirteen calls, read by hand: answers in one text or two, several files in one call."""
    trace, problems = read("cline-xml-tools")
    root = "/home/u/heron"
    assert seen(trace) == [
        f"list_files | file_search | surfaced {root}/README.md | surfaced {root}/src/egg.py"
        f" | surfaced {root}/src/nest.py",
        f"search_files | code_search | matched {root}/src/egg.py | matched {root}/src/nest.py",
        f"search_files | code_search | matched {root}/src/egg.py:1-1",
        f"read_file | file_read | read {root}/src/egg.py",
        f"read_file | file_read | read {root}/src/egg.py:1-2 | read {root}/src/nest.py:1-3",
        f"execute_command | other | read {root}/src/wing.py:1-1",
        f"replace_in_file | file_write | written {root}/src/egg.py",
        f"apply_diff | file_write | written {root}/src/nest.py",
        f"write_to_file | file_write | written {root}/src/new.py",
        "keyword_search | code_search",
        "read_file! | file_read",
        "list_code_definition_names | symbol_navigation",
        "attempt_completion | other",
    ]
    assert trace.calls[9].server == "sourcegraph" and not problems


def test_one_call_may_patch_several_files() -> None:
    """Roo Code, with the experiment "multi-file apply diff"."""
    files = "".join(
        f"<file>\n<path>{name}</path>\n<diff>\n<content>x</content>\n</diff>\n</file>\n"
        for name in ("src/a.py", "src/b.py")
    )
    asked = asked_in(f"I patch both.\n<apply_diff>\n<args>\n{files}</args>\n</apply_diff>")
    assert asked is not None
    assert asked.arguments["files"] == [{"path": "src/a.py"}, {"path": "src/b.py"}]


def test_calls_in_the_text_of_a_reply_are_answered_by_the_next_message() -> None:
    trace, problems = read("cline-xml")
    assert [(c.name, c.arguments) for c in trace.calls] == [
        ("read_file", {"path": "src/egg.py"}),
        ("search_files", {"path": ".", "regex": "egg"}),
        (
            "write_to_file",
            {
                "path": "src/egg.py",
                "content": "<path>not a parameter</path>\ndef egg():\n    return 1",
            },
        ),
    ]
    shown = [None if call.result is None else call.result.text for call in trace.calls]
    assert shown == [
        "def egg():\n    pass\n",
        "Found 1 result.\n\n# src/egg.py\n  1 | def egg():",
        None,  # the user said something else
    ]
    assert (trace.cwd, trace.harness) == ("/home/u/heron", "roo-code") and not problems


@pytest.mark.parametrize(
    ("fixture", "calls"),
    [
        ("cline-tools", TOOL_CALLS),
        (
            "cline-xml",
            (
                (None, "read_file", True),
                (None, "search_files", True),
                (None, "write_to_file", False),
            ),
        ),
    ],
)
def test_the_reader_passes_the_checks(fixture: str, calls: Any, tmp_path: Path) -> None:
    data = (FIXTURES / fixture / "agent" / NAME).read_bytes()
    check_reader(ClineReader(), Case(f"agent/{NAME}", data, calls=calls), tmp_path)


def lost(result: ReadResult) -> list[tuple[str, int]]:
    return [(problem.kind, problem.lost_calls) for problem in result.problems]


def test_what_is_lost_is_counted(tmp_path: Path) -> None:
    messages = json.loads((FIXTURES / "cline-tools" / "agent" / NAME).read_bytes())
    messages[3]["content"][0]["name"] = 7
    messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x"}]})
    messages.append(5)
    messages.append([1])
    result = read_bytes(tmp_path / "a", NAME, json.dumps(messages).encode())
    assert len(result.trace.calls) == 2
    assert lost(result) == [("wrong_type", 1), ("wrong_type", 0), ("orphan_results", 0)]
    whole = json.dumps(messages[:4]).encode()
    result = read_bytes(tmp_path / "b", NAME, whole[:-30])
    assert lost(result) == [("truncated_line", 1)]


def test_a_task_of_the_editor_is_a_trial(tmp_path: Path) -> None:
    task = tmp_path / "1777888800000"
    task.mkdir()
    (task / NAME).write_bytes((FIXTURES / "cline-xml" / "agent" / NAME).read_bytes())
    (task / "ui_messages.json").write_text('[{"ts": 1, "type": "say", "say": "text"}]')
    found = [
        t for t in discover(LocalFolder(tmp_path), settings=Settings()) if isinstance(t, Trial)
    ]
    assert [trial.path.rpartition("/")[2] for trial in found] == [NAME]


def shown_request(at: int, sent: Any, received: Any, cost: Any = 0.5) -> dict[str, Any]:
    facts = {"tokensIn": sent, "tokensOut": received, "cacheReads": 100, "cost": cost}
    return {"ts": at, "type": "say", "say": "api_req_started", "text": json.dumps(facts)}


def with_screen(folder: Path, fixture: str, shown: Any) -> ReadResult:
    (folder / "agent").mkdir(parents=True)
    (folder / "agent/ui_messages.json").write_text(json.dumps(shown))
    return read_bytes(folder, NAME, (FIXTURES / fixture / "agent" / NAME).read_bytes())


def test_tokens_costs_and_times_are_those_that_the_editor_showed(tmp_path: Path) -> None:
    replies = json.loads((FIXTURES / "cline-xml/agent" / NAME).read_bytes())
    count = sum(message["role"] == "assistant" for message in replies)
    other = {"ts": 1, "type": "say", "say": "text", "text": "hello"}
    cancelled = {**shown_request(1, 1, 1), "text": json.dumps({"cancelReason": "user_cancelled"})}
    requests = [shown_request(1777888800000 + 1000 * n, 10, 5) for n in range(count)]
    trace, _ = with_screen(tmp_path / "a", "cline-xml", [other, cancelled, *requests])
    assert trace.usage.output_tokens == 5 * count and trace.usage.input_tokens == 110 * count
    assert trace.usage.cost_usd == 0.5 * count
    assert trace.calls[0].timestamp == 1777888800.0 and trace.calls[0].cumulative_tokens == 115
    trace, _ = with_screen(tmp_path / "b", "cline-xml", requests[1:])
    assert trace.usage.output_tokens == 5 * (count - 1) and trace.calls[0].timestamp is None
    trace, _ = with_screen(tmp_path / "c", "cline-xml", [shown_request(1, "x", 2, 0), 5])
    assert trace.usage.output_tokens is None and trace.usage.cost_usd is None


def message(role: str, text: str) -> dict[str, str]:
    return {"role": role, "content": text}


PLACE = "<environment_details>\n# Current Working Directory (/w) Files\n</environment_details>"


@pytest.mark.parametrize(
    ("call", "answer", "expected"),
    [
        (
            "<use_mcp_tool><server_name>docs</server_name><tool_name>find</tool_name>"
            '<arguments>{"q": "egg"}</arguments></use_mcp_tool>',
            "[use_mcp_tool for 'docs'] Result:\nfound",
            "find | other",
        ),
        (
            "<execute_command><command>cat a.py</command></execute_command>",
            "[execute_command for 'cat a.py'] Result:\nCommand executed.\nOutput:\nx = 1\n",
            "execute_command | other | read /w/a.py:1-1",
        ),
        (
            "<execute_command><command>cat a.py</command></execute_command>",
            "[execute_command for 'cat a.py'] Result:\nCommand executed in terminal  within working "
            "directory '/w'. Exit code: 1\nOutput:\n",
            "execute_command! | other",
        ),
        (
            "<execute_command><command>grep x a.py</command></execute_command>",
            "[execute_command for 'grep x a.py'] Result:\nThe user denied this operation.",
            "execute_command! | other",
        ),
        (
            "<search_files><path>.</path><regex>x</regex></search_files>",
            "[search_files for 'x' in '*.py'] Result:\nFound 1 result.\n\na.py\n│----\n│x = 1\n│----",
            "search_files | code_search | matched /w/a.py",
        ),
        (
            "<read_file><args><file><path>a.py</path></file></args></read_file>",
            "[read_file for 'a.py'] Result:\n<files>\n<file><path>a.py</path>\n"
            '<content lines="3-4">\n 3 | x\n 4 | y\n</content>\n</file>\n</files>',
            "read_file | file_read | read /w/a.py:3-4",
        ),
        (
            "<list_files><path>.</path><recursive>true</recursive></list_files>",
            "[list_files for '.'] Result:\nsrc/\nsrc/a.py\nb.md",
            "list_files | file_search | surfaced /w/src/a.py | surfaced /w/b.md",
        ),
    ],
)
def test_what_the_editor_writes_around_answers(
    call: str, answer: str, expected: str, tmp_path: Path
) -> None:
    messages = [message("user", PLACE), message("assistant", call), message("user", answer)]
    trace, _ = read_bytes(tmp_path, NAME, json.dumps(messages).encode())
    assert seen(trace) == [expected]


WORDS = st.text(alphabet="ab<>/ \n", max_size=12)


@given(st.sampled_from(TOOLS), WORDS, WORDS, WORDS)
def test_a_call_is_found_with_any_text_around_it(
    tool: str, before: str, value: str, after: str
) -> None:
    text = f"{before}<{tool}>\n<path>{value}</path>\n</{tool}>{after}"
    asked = asked_in(text)
    assert asked is not None and asked.name == tool
    assert asked.arguments["path"] == value.strip()
    assert asked_in(text.replace(f"</{tool}>", "")) is None


def test_an_answer_to_another_tool_is_no_answer() -> None:
    assert answer_in("[read_file for 'a.py'] Result:\nx = 1", "read_file") == "x = 1"
    assert answer_in("[attempt_completion] Result:\ndone", "attempt_completion") == "done"
    assert answer_in("[read_file for 'a.py'] Result:\nx = 1", "list_files") is None
    assert answer_in("no", "read_file") is None
