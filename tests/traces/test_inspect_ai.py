"""Inspect's logs: archives and JSON, by hand; hostile archives."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from groundtrace.api import discover, read_trace
from groundtrace.config import Settings
from groundtrace.model import Problem, Trace, Trial
from groundtrace.storage import LocalFolder
from groundtrace.tools import view_calls
from groundtrace.traces.inspect_ai import archive, logs
from groundtrace.traces.inspect_ai.reader import InspectReader
from groundtrace.traces.inspect_ai.records import counts_of, score_value
from groundtrace.traces.kit.keep import Keep

HEADER = {
    "version": 2,
    "status": "success",
    "eval": {
        "task": "suite/fix_bugs",
        "task_id": "t",
        "model": "openai/gpt-x",
        "packages": {"inspect_ai": "0.3.140"},
    },
}


def usage(given: int, made: int, cached: int = 0) -> dict[str, int]:
    return {"input_tokens": given, "output_tokens": made, "total_tokens": given + made + cached,
            "input_tokens_cache_read": cached}  # fmt: skip


def model(*calls: Any, second: int = 0, **rest: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "", "tool_calls": list(calls)}
    return {
        "event": "model",
        "timestamp": f"2026-05-04T10:00:{second:02d}+00:00",
        "output": {"choices": [{"message": message}], "usage": usage(100, 10, 50)},
        **rest,
    }


def tool(call_id: str, function: str, arguments: Any, result: Any = "ok", **rest: Any) -> Any:
    return {
        "event": "tool",
        "id": call_id,
        "function": function,
        "arguments": arguments,
        "result": result,
        "timestamp": "2026-05-04T12:00:05+02:00",
        "completed": "2026-05-04T12:00:06+02:00",
        **rest,
    }


def span(key: str, kind: str, name: str, parent: str | None = None) -> dict[str, Any]:
    return {"event": "span_begin", "id": key, "type": kind, "name": name, "parent_id": parent}


def sample(*events: Any, key: Any = "a__b-1", epoch: int = 1, **rest: Any) -> dict[str, Any]:
    return {
        "id": key,
        "epoch": epoch,
        "input": "go",
        "target": "x",
        "messages": [],
        "scores": {"check": {"value": "C"}},
        "events": list(events),
        "total_time": 12.5,
        "attachments": {},
        **rest,
    }


def eval_bytes(*samples: dict[str, Any], header: Any = HEADER, method: int = 8) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as made:
        made.writestr("_journal/start.json", json.dumps({"version": 2}))
        for item in samples:
            made.writestr(f"samples/{item['id']}_epoch_{item['epoch']}.json", json.dumps(item))
        made.writestr("header.json", json.dumps(header))
    return target.getvalue()


def written(folder: Path, *samples: dict[str, Any]) -> Path:
    path = folder / "log.eval"
    path.write_bytes(eval_bytes(*samples))
    return path


def touched(trace: Trace) -> list[list[tuple[str, str]]]:
    return [[(ref.kind, ref.path) for ref in v.refs] for v in view_calls(trace, Settings())]


EVENTS = (
    span("s", "solvers", "solvers"),
    span("main", "agent", "react", "s"),
    model(second=1, span_id="main"),
    tool("c1", "bash", {"cmd": "cat /w/a.py"}, "x = 1\n", span_id="main"),
    model(second=7, span_id="main"),
    tool("c2", "text_editor", {"command": "view", "path": "/w/b.py"}, None, span_id="main",
         error={"type": "file_not_found", "message": "no such file: /w/b.py"}),
    model(second=9, span_id="main"),
    tool("c3", "submit", {"answer": "42"}, 42, span_id="main"),
)  # fmt: skip


def test_a_sample_gives_calls_answers_tokens_times_and_what_became_of_it(tmp_path: Path) -> None:
    trace, problems = read_trace(written(tmp_path, sample(*EVENTS)))
    assert not problems
    assert (trace.harness, trace.harness_version, trace.model) == (
        "inspect", "0.3.140", "openai/gpt-x",
    )  # fmt: skip
    assert [c.call_id for c in trace.calls] == ["c1", "c2", "c3"]
    assert [c.result and (c.result.text, c.result.is_error) for c in trace.calls] == [
        ("x = 1\n", False), ("no such file: /w/b.py", True), ("42", False),
    ]  # fmt: skip
    assert [c.cumulative_tokens for c in trace.calls] == [160, 320, 480]
    assert trace.usage.input_tokens == 450 and trace.usage.cached_tokens == 150
    assert trace.calls[0].timestamp == 1777888805.0, "an offset is taken into account"
    assert touched(trace) == [[("read", "/w/a.py")], [], []]
    stated = trace.stated
    assert (stated.task, stated.reward, stated.reward_source) == ("a__b-1", 1.0, "scores.check")
    assert stated.agent_seconds == 12.5 and stated.exit_status is None


def test_every_sample_and_epoch_is_a_trial(tmp_path: Path) -> None:
    written(
        tmp_path,
        sample(*EVENTS, key=7, epoch=1),
        sample(*EVENTS, key=7, epoch=2, scores={"check": {"value": 0.25}}),
        sample(*EVENTS, key=10, scores={}, limit={"type": "token", "limit": 9}),
        sample(*EVENTS, key="x__y-2", error={"message": "out of memory\ntrace"}, scores=None),
    )
    trials = [
        t for t in discover(LocalFolder(tmp_path), settings=Settings()) if isinstance(t, Trial)
    ]
    found = {t.trial_name: (t.task_name, t.outcome.reward, t.outcome.exception) for t in trials}
    assert found == {
        "log#7_epoch_1": ("fix_bugs-7", 1.0, None),
        "log#7_epoch_2": ("fix_bugs-7", 0.25, None),
        "log#10": ("fix_bugs-10", None, "limit: token"),
        "log#x__y-2": ("x__y-2", None, "error: out of memory"),
    }
    trace, problems = read_trace(tmp_path / "log.eval#7_epoch_2")
    assert len(trace.calls) == 3 and not problems and trace.stated.reward == 0.25


def test_a_json_log_reads_like_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    samples = [sample(*EVENTS, key=1), sample(*EVENTS[:4], key=2)]
    path.write_text(json.dumps({**HEADER, "samples": samples}, indent=2))
    listed = list(InspectReader().samples(LocalFolder(tmp_path), "log.json"))
    assert [not isinstance(s, Problem) and s.sample_id for s in listed] == ["1", "2"]
    assert len(read_trace(f"{path}#1").trace.calls) == 3
    assert len(read_trace(f"{path}#2").trace.calls) == 1
    trace, problems = read_trace(path)
    assert not trace.calls and "2 samples" in problems[0].reason


def test_long_texts_come_from_the_attachments(tmp_path: Path) -> None:
    events = [
        model(),
        tool(
            "c1", "bash", {"cmd": "attachment://k1"}, [{"type": "text", "text": "attachment://k2"}]
        ),
        tool("c2", "bash", {"cmd": "attachment://gone"}, "x"),
    ]
    texts = {"k1": "cat /w/long.py", "k2": "y = 1\n"}
    trace, _ = read_trace(written(tmp_path, sample(*events, attachments=texts)))
    assert trace.calls[0].arguments == {"cmd": "cat /w/long.py"}
    assert trace.calls[0].result is not None and trace.calls[0].result.text == "y = 1\n"
    assert trace.calls[1].arguments == {"cmd": "attachment://gone"}


def test_what_scorers_do_is_not_the_agents_work(tmp_path: Path) -> None:
    newer = [*EVENTS[:4], span("score", "scorers", "scorers"),
             span("one", "scorer", "check", "score"), model(span_id="one"),
             tool("x", "bash", {"cmd": "cat /w/truth"}, span_id="one")]  # fmt: skip
    older = [
        {"event": "step", "action": "begin", "type": "solver", "name": "loop"},
        model(),
        tool("c1", "bash", {"cmd": "ls"}),
        {"event": "step", "action": "end", "type": "solver", "name": "loop"},
        {"event": "step", "action": "begin", "type": "scorer", "name": "check"},
        model(),
        tool("x", "bash", {"cmd": "ls"}),
        {"event": "step", "action": "end", "type": "scorer", "name": "check"},
    ]
    for events in (newer, older):
        trace, _ = read_trace(written(tmp_path, sample(*events)))
        assert [c.call_id for c in trace.calls] == ["c1"]
        assert trace.usage.output_tokens == 10


def test_an_agent_inside_a_tool_is_a_subagent(tmp_path: Path) -> None:
    newer = [
        span("main", "agent", "react"),
        model(span_id="main"),
        tool("c1", "transfer_to_finder", {}, span_id="main"),
        span("t", "tool", "transfer_to_finder", "main"),
        span("sub", "agent", "finder", "t"),
        model(span_id="sub"),
        tool("c2", "bash", {"cmd": "ls"}, span_id="sub"),
        model(span_id="main"),
        tool("c3", "bash", {"cmd": "ls"}, span_id="main"),
    ]
    inner = [model(), tool("c2", "bash", {"cmd": "ls"})]
    older = [model(), tool("c1", "finder", {}, events=inner), model(), tool("c3", "bash", {})]
    for events, name in ((newer, "finder"), (older, "finder")):
        trace, problems = read_trace(written(tmp_path, sample(*events)))
        assert not problems
        assert [(c.call_id, c.is_subagent) for c in trace.calls] == [
            ("c1", False), ("c2", True), ("c3", False),
        ]  # fmt: skip
        assert trace.calls[1].agent in (name, "c1")
        assert trace.usage.output_tokens == 20, "the main thread's alone"


def test_without_events_of_tools_calls_come_from_messages(tmp_path: Path) -> None:
    first = {"id": "c1", "function": "bash", "arguments": {"cmd": "cat /w/a"}}
    second = {"id": "c2", "function": "bash", "arguments": {"cmd": "ls"}}
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [first]},
        {"role": "tool", "tool_call_id": "c1", "content": "x\n"},
        {"role": "assistant", "content": "", "tool_calls": [second]},
    ]
    trace, _ = read_trace(written(tmp_path, sample(messages=messages)))
    assert [(c.call_id, c.result is not None) for c in trace.calls] == [("c1", True), ("c2", False)]
    given = [{"role": "tool", "tool_call_id": "c1", "content": "x\n"}]
    events = [model(first, second=1), model(second, second=3, input=given)]
    trace, _ = read_trace(written(tmp_path, sample(*events)))
    assert [(c.call_id, c.result is not None) for c in trace.calls] == [("c1", True), ("c2", False)]
    assert [c.cumulative_tokens for c in trace.calls] == [160, 320]


def test_a_call_that_never_ended_has_no_answer(tmp_path: Path) -> None:
    events = [model(), tool("c1", "bash", {"cmd": "sleep 9"}, "", pending=True)]
    trace, _ = read_trace(written(tmp_path, sample(*events)))
    assert trace.calls[0].result is None


@pytest.mark.parametrize(
    ("value", "number"),
    [("C", 1.0), ("I", 0.0), ("P", 0.5), ("N", 0.0), (True, 1.0), (0.3, 0.3), ("yes", 1.0),
     ("a text", None), ({"x": 1}, None), (None, None), (float("nan"), None)],
)  # fmt: skip
def test_scores_are_numbers_or_words_for_them(value: Any, number: float | None) -> None:
    assert score_value(value) == number


def test_input_tokens_are_right_whether_they_hold_the_cache_or_not() -> None:
    without = {"input_tokens": 8, "output_tokens": 185, "total_tokens": 1297,
               "input_tokens_cache_write": 1104, "input_tokens_cache_read": 0}  # fmt: skip
    inside = {"input_tokens": 1568, "output_tokens": 17, "total_tokens": 1585,
              "input_tokens_cache_read": 1024}  # fmt: skip
    for given, expected in ((without, (1112, 185)), (inside, (1568, 17))):
        counts = counts_of(given)
        assert counts is not None and (counts.input, counts.output) == expected


# --- archives -------------------------------------------------------------------------------


def raw_zip(members: list[tuple[str, int, bytes, int]], flags: int = 0) -> bytes:
    """An archive with members (name, method, packed bytes, stated size), written by hand."""
    body, listed = b"", b""
    for name, method, data, size in members:
        raw = name.encode()
        common = struct.pack(
            "<HHHHHLLLHH", 20, flags, method, 0, 0, 0, len(data), size, len(raw), 0
        )
        listed += b"PK\x01\x02" + struct.pack("<H", 20) + common
        listed += struct.pack("<HHHLL", 0, 0, 0, 0, len(body)) + raw
        body += b"PK\x03\x04" + common + raw + data
    end = struct.pack("<HHHHLLH", 0, 0, len(members), len(members), len(listed), len(body), 0)
    return body + listed + b"PK\x05\x06" + end


def said(folder: Path, data: bytes, name: str = "log.eval") -> list[str]:
    (folder / name).write_bytes(data)
    trace, problems = read_trace(folder / name)
    assert not trace.calls
    listed = InspectReader().samples(LocalFolder(folder), name)
    assert all(isinstance(item, Problem) or item.sample_id for item in listed)
    return [problem.reason for problem in problems]


def test_a_member_packed_with_zstd_is_read(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    text = json.dumps(sample(*EVENTS)).encode()
    packed = zstandard.ZstdCompressor().compress(text)
    header = json.dumps(HEADER).encode()
    (tmp_path / "log.eval").write_bytes(
        raw_zip([("header.json", 0, header, len(header)), ("samples/a__b-1_epoch_1.json", 93, packed, len(text))])
    )  # fmt: skip
    trace, problems = read_trace(tmp_path / "log.eval")
    # A crc of zero in a stored header is wrong, which costs the header alone.
    assert [c.call_id for c in trace.calls] == ["c1", "c2", "c3"]
    assert {p.kind for p in problems} <= {"broken_json"}


def test_zstd_without_the_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(archive.importlib, "import_module", missing)
    monkeypatch.setattr(archive, "_knows_zstd", lambda: False)
    reasons = said(tmp_path, raw_zip([("samples/a_epoch_1.json", 93, b"x", 10)]))
    assert any("groundtrace[zstd]" in reason for reason in reasons)


def test_a_bomb_is_refused_by_its_ratio(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(b" " * (1 << 25)) + packer.flush()
    stated = raw_zip([("samples/a_epoch_1.json", 8, packed, (1 << 32) - 2)])
    assert any("unpacked; not read" in reason for reason in said(tmp_path, stated))
    lied = raw_zip([("samples/a_epoch_1.json", 8, packed[: len(packed) // 4], 100 << 20)])
    assert any("times its size" in reason for reason in said(tmp_path, lied))


def test_a_member_that_gives_more_than_it_said_ends_at_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zstandard = pytest.importorskip("zstandard")
    monkeypatch.setattr(archive, "SMALL", 1000)
    monkeypatch.setattr(archive, "MAX_RATIO", 2)
    packed = zstandard.ZstdCompressor().compress(b" " * 5_000_000)
    reasons = said(tmp_path, raw_zip([("samples/a_epoch_1.json", 93, packed, 10)]))
    assert any("unpacks to more than the limit" in reason for reason in reasons)


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    reasons = said(tmp_path, raw_zip([("samples/a_epoch_1.json", 0, b"{}", 2)], flags=1))
    assert any("encrypted" in reason for reason in reasons)


def test_an_archive_of_many_members_is_refused_before_they_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBERS", 3)
    many = raw_zip([(f"samples/{n}_epoch_1.json", 0, b"{}", 2) for n in range(4)])
    assert said(tmp_path, many) == ["4 members; a log has no more than 3"]
    # The same stated only in the larger record of an archive of more than 65,535 members.
    record = b"PK\x06\x06" + struct.pack(
        "<QHHLLQQQQ", 44, 45, 45, 0, 0, 1 << 40, 1 << 40, 1 << 40, 0
    )
    locator = b"PK\x06\x07" + struct.pack("<LQL", 0, len(many) - 22, 1)
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    reasons = said(tmp_path, many[:-22] + record + locator + end)
    assert reasons == [f"{1 << 40:,} members; a log has no more than 3"]


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../../x", "samples/../../x_epoch_1.json", "C:\\x"]
)
def test_names_are_never_followed_to_disk(tmp_path: Path, name: str) -> None:
    text = json.dumps(sample(*EVENTS)).encode()
    home = tmp_path / "in" / "side"
    home.mkdir(parents=True)
    data = raw_zip([("header.json", 0, b"{}", 2), (name, 0, text, len(text))])
    (home / "log.eval").write_bytes(data)
    list(InspectReader().samples(LocalFolder(home), "log.eval"))
    read_trace(home / "log.eval")
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["log.eval"]


@pytest.mark.parametrize("end", [60, 200, -200, -30, -1])
def test_a_truncated_archive_says_so(tmp_path: Path, end: int) -> None:
    (reason,) = said(tmp_path, eval_bytes(sample(*EVENTS))[:end])
    assert "zip archive" in reason


def test_a_damaged_member_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    data = bytearray(eval_bytes(sample(*EVENTS, key="one-1"), sample(*EVENTS, key="two-2")))
    at = data.index(b"samples/two-2") + 60
    data[at : at + 40] = bytes(40)
    (tmp_path / "log.eval").write_bytes(bytes(data))
    good, bad = (read_trace(f"{tmp_path}/log.eval#{name}") for name in ("one-1", "two-2"))
    assert len(good.trace.calls) == 3 and not good.problems
    assert not bad.trace.calls and "damaged" in bad.problems[0].reason


def test_a_large_sample_is_read_event_by_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from groundtrace.traces.kit import lists as listed

    whole, _ = read_trace(written(tmp_path, sample(*EVENTS, attachments={"a": "b"})))
    monkeypatch.setattr(listed, "LARGE", 100)
    parts, problems = read_trace(written(tmp_path, sample(*EVENTS, attachments={"a": "b"})))
    assert not problems and parts == whole


def test_members_that_overlap_are_refused(tmp_path: Path) -> None:
    """Many members on the same bytes would unpack to many times the archive."""
    whole = raw_zip([(f"samples/a{n}_epoch_1.json", 0, b"{}" * 9, 18) for n in range(2)])
    second = whole.index(b"PK\x03\x04", 4)
    place = whole.rindex(struct.pack("<L", second))
    shared = whole[:place] + struct.pack("<L", 6) + whole[place + 4 :]
    (tmp_path / "log.eval").write_bytes(shared)
    source = InspectReader().read_sample(LocalFolder(tmp_path), "log.eval", "a0", Keep())
    assert [problem.reason for problem in source.problems if problem.kind == "unreadable"] == [
        "samples/a0_epoch_1.json: overlaps another member; not read"
    ]


@pytest.mark.parametrize("form", ["log.eval", "log.json"])
def test_a_log_is_listed_once_for_all_its_samples(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the time for all samples grows with the square of their number."""
    samples = [{**sample(*EVENTS), "id": f"a__b-{number}"} for number in range(20)]
    if form == "log.json":
        data = json.dumps({**HEADER, "samples": samples}).encode()
    else:
        data = eval_bytes(*samples)
    (tmp_path / form).write_bytes(data)
    folder, reader = LocalFolder(tmp_path), InspectReader()
    listed = [item for item in reader.samples(folder, form) if not isinstance(item, Problem)]
    assert len(listed) == 20

    def again(*_: object) -> None:
        raise AssertionError("the log is listed again")

    monkeypatch.setattr(archive, "read_members", again)
    monkeypatch.setattr(logs, "packed_samples", again)
    for item in listed:
        source = reader.read_sample(folder, form, item.sample_id or "", Keep())
        assert [call.call_id for call in source.calls] == ["c1", "c2", "c3"]


def test_a_member_before_the_start_of_the_file_is_refused(tmp_path: Path) -> None:
    """An archive that lost its first bytes, with a list that counts them."""
    whole = raw_zip([("header.json", 0, b"{}", 2), ("samples/a_epoch_1.json", 0, b"{}", 2)])
    (tmp_path / "log.eval").write_bytes(whole[9:])
    with (
        archive.open_archive(LocalFolder(tmp_path), "log.eval") as opened,
        pytest.raises(archive.ArchiveError, match="its header is damaged"),
    ):
        opened.open("header.json")


def test_what_inspect_says_of_an_error_is_no_output(tmp_path: Path) -> None:
    """A timeout of `cat a.py` shows nothing of it, and what was printed before has its own lines."""
    late = {"type": "timeout", "message": "Command timed out before completing."}
    calls = [
        {"id": f"c{number}", "function": "bash", "arguments": {"cmd": f"cat /w/{name}"}}
        for number, name in enumerate(["a.py", "b.py"])
    ]
    messages = [
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c0", "content": "", "error": late},
        {"role": "tool", "tool_call_id": "c1", "content": "x\ny\n", "error": late},
    ]
    trace, _ = read_trace(written(tmp_path, sample(messages=messages)))
    first, second = view_calls(trace, Settings())
    assert first.failed and not first.refs
    assert [(ref.path, ref.line_start, ref.line_end) for ref in second.refs] == [("/w/b.py", 1, 2)]
