"""Quick ways of reading a document give what the complete ways give.

A document of the usual form is decoded into types that have only the needed members. Any other form
is decoded completely. Both must give the same calls, problems and totals, whatever is in a file.
"""

from __future__ import annotations

import io
import json
import re
import shlex
import zipfile
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundtrace.storage import LocalFolder
from groundtrace.traces.chat.answers import read_answer, state_of
from groundtrace.traces.chat.reader import ChatReader
from groundtrace.traces.chat.records import xml_calls
from groundtrace.traces.inspect_ai import archive
from groundtrace.traces.inspect_ai import logs as inspect_logs
from groundtrace.traces.inspect_ai.reader import InspectReader
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.mini_swe_agent import load as mini_load
from groundtrace.traces.mini_swe_agent.reader import MiniSweAgentReader
from groundtrace.traces.source import Reader
from groundtrace.traces.swe_agent import records as swe_load
from groundtrace.traces.swe_agent.actions import split_words
from groundtrace.traces.swe_agent.reader import SweAgentReader


class OneFile(LocalFolder):
    """A folder that gives the same bytes for every name."""

    def __init__(self, data: bytes) -> None:
        super().__init__(Path("/nowhere"))
        self.data = data

    def open(self, relative: str) -> io.BytesIO:  # type: ignore[override]
        return io.BytesIO(self.data)

    def read(self, relative: str, limit: int = 0) -> bytes:
        return self.data


def said(reader: Reader, data: bytes) -> bytes:
    """All that a reader gives for a file."""
    source = reader.read(OneFile(data), "x.json", Keep())
    return msgspec.json.encode(msgspec.structs.asdict(source), enc_hook=repr)


def both(reader: Reader, value: Any, *quick: tuple[Any, str]) -> None:
    """Compare the quick way with the complete one."""
    data = json.dumps(value).encode()
    usual = said(reader, data)
    with mock.patch.multiple(quick[0][0], **{name: lambda *_: None for _, name in quick}):
        assert said(reader, data) == usual


ODD: st.SearchStrategy[Any] = st.sampled_from(
    (None, True, 7, -1, 2.5, "", "x", [], ["x"], [None], {}, {"a": 1}, 1778000000.5)
)
"""Values of a type that a member should not have."""


def members(**usual: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with these members; in some, one member is missing or has a wrong type."""
    whole = st.fixed_dictionaries(usual)
    names = st.sampled_from(sorted(usual))
    return (
        whole
        | st.builds(lambda made, name, odd: {**made, name: odd}, whole, names, ODD)
        | st.builds(lambda made, name: {k: v for k, v in made.items() if k != name}, whole, names)
    )


def listed(item: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Lists of objects, half of them with something else among the objects."""
    return st.lists(item, max_size=6) | st.lists(item | ODD, max_size=6)


FENCED = "go\n```bash\ncat heron/nest.py\n```"
LISTS = '{"command": "ls"}'
FRAMED = "<returncode>0</returncode>\n<output>\nEGGS = 3\n</output>"
NEW: dict[str, st.SearchStrategy[Any]] = {
    "role": st.sampled_from(("assistant", "user", "tool")),
    "content": st.sampled_from((FENCED, FRAMED, [{"type": "text", "text": FRAMED}])),
    "tool_call_id": st.sampled_from(("c1", "c2")),
    "tool_calls": st.just([{"id": key, "function": {"arguments": LISTS}} for key in ("c1", "c2")]),
    "extra": members(
        actions=st.sampled_from(([{"command": "ls", "tool_call_id": "c1"}], None)),
        timestamp=st.just(1778000000.0),
        raw_output=st.just("a.py\n"),
        returncode=st.just(0),
        response=members(
            model=st.just("wader-1"),
            usage=members(
                prompt_tokens=st.just(9),
                completion_tokens=st.just(4),
                prompt_tokens_details=st.just({"cached_tokens": 2}),
            ),
        ),
    ),
}
MINI = members(**NEW) | members(**NEW, timestamp=st.just("2026-05-04T10:00:00Z"))


@given(listed(MINI), st.booleans(), ODD)
def test_messages_of_mini_swe_agent_are_the_same_as_types(
    messages: list[Any], is_bare: bool, info: Any
) -> None:
    value: Any = messages if is_bare else {"info": info, "messages": messages}
    both(MiniSweAgentReader(), value, (mini_load, "_typed"))


STEP = members(
    action=st.sampled_from(("ls", "open a.py 3", "cd src && cat 'b c.py'", "exit_cost")),
    observation=st.sampled_from(("a.py\r\n", "[File: /heron/a.py (3 lines total)]")),
    state=st.sampled_from(({"working_dir": "/heron"}, '{"open_file": "/a", "working_dir": "/b"}')),
)
SAID = members(role=st.just("assistant"), action=st.just("ls"), tool_calls=st.just([{"id": "c1"}]))


@given(listed(STEP), st.just([]) | listed(SAID) | ODD, st.none() | ODD)
def test_steps_of_swe_agent_are_the_same_decoded_at_once(
    steps: list[Any], history: Any, attempts: Any
) -> None:
    value = {"trajectory": steps, "history": history, "attempts": attempts, "info": {}}
    both(SweAgentReader(), value, (swe_load, "_whole"))


CALLED = [{"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}}]
TOOL = {"event": "tool", "id": "c1", "function": "bash", "arguments": {"cmd": "ls"}}
EVENT = members(
    event=st.sampled_from(("tool", "model", "span_begin", "sandbox", "step")),
    timestamp=st.just("2026-05-04T10:00:00+00:00"),
    id=st.just("c1"),
    span_id=st.just("s1"),
    function=st.just("bash"),
    arguments=st.just({"cmd": "attachment://t"}),
    result=st.just("a.py"),
    error=st.just({"message": "no"}),
    events=st.just([TOOL, None, {**TOOL, "id": "c2", "result": "b.py"}]),
    input=st.just([{"role": "tool", "tool_call_id": "c1", "content": "a.py"}]),
    output=members(
        usage=st.just({"output_tokens": 3, "total_tokens": 9}),
        choices=st.lists(members(message=members(tool_calls=st.just(CALLED))), max_size=2),
    ),
)
SAMPLE = members(
    id=st.just("a__b-1"),
    events=listed(EVENT),
    messages=st.just([{"role": "assistant", "tool_calls": CALLED}]),
    attachments=st.just({"t": "cat heron/nest.py"}),
    scores=st.just({"match": {"value": "C"}}),
)


@given(st.lists(SAMPLE, max_size=1) | listed(SAMPLE))
def test_a_json_log_of_inspect_is_the_same_as_types(samples: list[Any]) -> None:
    value = {"version": 2, "eval": {"task": "nest", "model": "wader-1"}, "samples": samples}
    both(InspectReader(), value, (inspect_logs, "packed_samples"), (inspect_logs, "typed_sample"))


@given(SAMPLE | ODD)
def test_an_archived_sample_of_inspect_is_the_same_as_types(sample: Any) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("samples/a_epoch_1.json", json.dumps(sample))
    usual = said(InspectReader(), packed.getvalue())
    with mock.patch.object(inspect_logs, "typed_sample", lambda _: None):
        assert said(InspectReader(), packed.getvalue()) == usual


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("sizes", [(-1,), (5, 0, 7, -1), (1 << 20, 1 << 20, 1 << 22)])
def test_a_member_is_the_same_in_pieces_of_any_size(
    tmp_path: Path, method: int, sizes: tuple[int, ...]
) -> None:
    whole = bytes(range(256)) * 9000
    with zipfile.ZipFile(tmp_path / "log.eval", "w", method) as written:
        written.writestr("member", whole)
    with (
        archive.open_archive(LocalFolder(tmp_path), "log.eval") as opened,
        opened.open("member") as stream,
    ):
        parts = [stream.read(size) for size in sizes]
        assert b"".join(parts) == whole and stream.read(1) == b""
    for size, part in zip(sizes[:-1], parts, strict=False):
        assert len(part) == size


@given(st.text(alphabet="ab \"'\\\n\t\r\x0b\xa0é#;$", max_size=20))
@example("str_replace_editor create /a.py --file_text 'it'\\''s' \"a\\\"b\\c\"")
def test_words_of_a_line_are_those_of_the_standard_library(text: str) -> None:
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    assert split_words(text) == words


# --- chats ----------------------------------------------------------------------------------

PIECES = (
    "<function=bash>", "<function=bash >", "<function=>", " ", ">", "</function>", "<function=", "<parameter=command>",
    "<parameter=path>", "</parameter>", "<parameter=", "<parameter=<parameter=k>", "ls", "\n",
)  # fmt: skip
FUNCTION = re.compile(r"<function=([^>\s]+)\s*>(.*?)(?:</function>|\Z)", re.DOTALL)
PARAMETER = re.compile(
    r"<parameter=([^>\s]{1,100})\s{0,9}>((?:(?!</parameter>|<parameter=).)*)</parameter>", re.DOTALL
)


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_xml_calls_are_those_that_a_pattern_finds(text: str) -> None:
    expected = [
        (name, {k: v.removeprefix("\n").removesuffix("\n") for k, v in PARAMETER.findall(body)})
        for name, body in FUNCTION.findall(text)
    ]
    assert [(asked.name, asked.arguments) for asked in xml_calls(text)] == expected


STEP_LINE = "This is step 3 of a maximum of 9. Steps Remaining: 6."


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (f"a\n\n\n{STEP_LINE}\n", "a"),
        (f"{STEP_LINE}\na", f"{STEP_LINE}\na"),  # the agent's own output
        (f"{STEP_LINE}\n\n{STEP_LINE}", STEP_LINE),
        ("[STDOUT]\n\na \n\n[STDERR]\n\nb\n", "a\nb"),
        ("[STDOUT]\n\na\n\n[STDERR]\nb \n\n[STDERR]\n\nc", "a\n\n[STDERR]\nb\nc"),
        ("[STDOUT]\n\n[STDERR]\n\nb", "[STDOUT]\n\n[STDERR]\n\nb"),
        ("Error executing command: [STDOUT]\n\n \n\n[STDERR]\n\nb", "b"),
    ],
)
def test_what_is_around_an_answer_is_found_at_its_ends(shown: str, text: str) -> None:
    assert read_answer("bash", shown).text == text


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("a\n(Open file: /a.py)\n(Current directory: /heron)\nbash-$ \n", ("/heron", "/a.py")),
        ("(Open file: n/a)\n(Current directory: /heron)\nbash-$", ("/heron", "")),
        ("(Open file: /a)\n(Current directory: /b)\nbash-$\nmore", None),
        ("(Open file: /a)\n\n(Current directory: /b)\nbash-$", None),
    ],
)
def test_a_prompt_is_the_last_three_lines(text: str, state: tuple[str, str] | None) -> None:
    assert state_of(text) == state


def test_a_conversation_without_a_reply_is_no_transcript() -> None:
    row = {"instance_id": "a__b-1", "messages": [{"role": "user", "content": "hello"}]}
    source = ChatReader().read(OneFile(json.dumps(row).encode()), "x.json", Keep())
    assert [problem.kind for problem in source.problems] == ["not_a_transcript"]
    empty = ChatReader().read(OneFile(b'{"messages": []}'), "x.json", Keep())
    assert [problem.kind for problem in empty.problems] == ["empty_file"]
