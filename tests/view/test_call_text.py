"""What the trace says about a call: the right call, in traces of any size."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from groundtrace.documents.events import Event
from groundtrace.storage import LocalFolder
from groundtrace.view import call_text, raw_text
from groundtrace.view.call_text import CallText, CallTexts, text_of_value
from groundtrace.view.raw_text import IdSearch
from groundtrace.view.trace_files import TraceFile, TraceFiles, trace_files
from tests.metrics.builders import trial
from tests.view.worlds import SECRET, call, claude_lines, write_trace

CALLS: list[tuple[str, str, dict[str, Any], str]] = [
    (f"toolu_{n:03}", "Read", {"file_path": f"f{n}.py"}, f"answer {n}\nsecond line")
    for n in range(40)
]


def events_of(calls: list[tuple[str, str, dict[str, Any], str]]) -> list[Event]:
    made = [call(call_id, tool=tool, **arguments) for call_id, tool, arguments, _ in calls]
    return trial(*made).events


def files_at(run: Path, path: str = "trial") -> TraceFiles:
    return trace_files(LocalFolder(run), path)


def whole(texts: CallTexts, files: TraceFiles, event: Event, **given: Any) -> CallText:
    """The text once the search is over."""
    for _ in range(1_000):
        found = texts.text_of(files, event, **given)
        if found.looking is None:
            return found
    raise AssertionError("the search does not end")


@pytest.mark.parametrize("read_at_once", [0, 1 << 24])
def test_every_call_has_its_own_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_at_once: int
) -> None:
    """By its reader, and by its id as in a large trace."""
    monkeypatch.setattr(call_text, "READ_AT_ONCE", read_at_once)
    write_trace(tmp_path, "trial", claude_lines(CALLS))
    files, texts = files_at(tmp_path), CallTexts()
    order = [*range(39, -1, -3), *range(40)]
    for step in order:
        found = whole(texts, files, events_of(CALLS)[step])
        text = "\n".join(piece.text for piece in found.pieces)
        assert f"f{step}.py" in text
        assert f"answer {step}\n" in text
        assert len(found.pieces) == 2
        assert text.count("answer") == 1


def test_the_offset_leads_to_the_record(tmp_path: Path) -> None:
    file = write_trace(tmp_path, "trial", claude_lines(CALLS))
    found = whole(CallTexts(), files_at(tmp_path), events_of(CALLS)[7])
    offset = found.pieces[0].offset
    assert offset is not None
    assert (
        json.loads(file.read_bytes()[offset:].split(b"\n")[0])["message"]["content"][0]["id"]
        == "toolu_007"
    )


def test_a_subagents_lines_are_not_its_callers_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them names the call that started the subagent."""
    monkeypatch.setattr(call_text, "READ_AT_ONCE", 0)
    lines = claude_lines([("toolu_task", "Task", {"prompt": "go"}, "what it reports")])
    inside = json.dumps(
        {"type": "assistant", "parent_tool_use_id": "toolu_task", "message": {"content": []}}
    )
    write_trace(tmp_path, "trial", [*lines[:2], *[inside] * 30, lines[2]])
    found = whole(CallTexts(), files_at(tmp_path), events_of([("toolu_task", "Task", {}, "")])[0])
    assert len(found.pieces) == 2
    assert "what it reports" in found.pieces[1].text


def test_ids_that_repeat_are_told_apart_by_the_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chats number their calls anew in each turn: the id alone would give the first one's text."""
    monkeypatch.setattr(call_text, "READ_AT_ONCE", 0)
    write_trace(tmp_path, "trial", claude_lines(CALLS[:2]))
    files = files_at(tmp_path)
    event = events_of(CALLS)[1]
    found = whole(CallTexts(), files, event, is_unique=False)
    assert [piece.what for piece in found.pieces] == ["Call", "Answer"]
    assert found.pieces[1].text == "answer 1\nsecond line"


def test_a_trace_that_changed_is_said_to_have_changed(tmp_path: Path) -> None:
    """Another call's text beside a call would be a false proof."""
    write_trace(tmp_path, "trial", claude_lines(CALLS[5:8]))
    found = whole(CallTexts(), files_at(tmp_path), events_of(CALLS)[0])
    assert found.pieces == ()
    assert "was changed" in found.note
    found = whole(CallTexts(), files_at(tmp_path), events_of(CALLS)[9])
    assert found.pieces == ()
    assert "was changed" in found.note


def test_long_texts_are_cut_and_masked_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_text, "SHOWN", 100)
    answer = "x" * 80 + f" {SECRET} " + "y" * 500
    write_trace(tmp_path, "trial", claude_lines([("toolu_a", "Read", {}, answer)]))
    files, event = files_at(tmp_path), events_of([("toolu_a", "Read", {}, "")])[0]
    cut = whole(CallTexts(), files, event).pieces[1]
    assert cut.is_cut
    assert len(cut.text) == 100
    assert cut.length == len(answer)
    assert "ghp_" not in cut.text
    more = whole(CallTexts(), files, event, whole=True).pieces[1]
    assert not more.is_cut
    assert more.text.endswith("y" * 500)
    assert SECRET not in more.text


# ---- large traces


def sparse_trace(run: Path, size: int) -> Path:
    """A transcript of that size: calls, a hole that takes no disk, and calls."""
    lines = [f"{line}\n".encode() for line in claude_lines(CALLS)]
    file = write_trace(run, "trial", [])
    with file.open("wb") as stream:
        stream.writelines(lines[:21])
        stream.seek(size - sum(map(len, lines[21:])) - 1)
        stream.write(b"\n")
        stream.writelines(lines[21:])
    return file


def test_a_large_trace_is_searched_a_little_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """500 MB: calls at the beginning are there at once, those at the end after a few questions, and
    nobody holds more of it than a chunk."""
    import tracemalloc

    size = 500 * 1024 * 1024
    sparse_trace(tmp_path, size)
    files, texts, events = files_at(tmp_path), CallTexts(), events_of(CALLS)
    assert files.size == size
    tracemalloc.start()
    first = texts.text_of(files, events[2])
    assert "answer 2" in first.pieces[1].text
    assert first.looking is None
    last = whole(texts, files, events[38])
    assert "answer 38" in last.pieces[1].text
    near = texts.text_of(files, events[39])  # begins where the one before it was found
    assert "answer 39" in near.pieces[1].text
    assert near.looking is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 * 1024 * 1024


def test_a_search_says_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_text, "CHUNK", 64)
    monkeypatch.setattr(call_text, "PATIENCE", 0)
    monkeypatch.setattr(call_text, "READ_AT_ONCE", 0)
    write_trace(tmp_path, "trial", claude_lines(CALLS))
    files, texts = files_at(tmp_path), CallTexts()
    seen = []
    found = texts.text_of(files, events_of(CALLS)[39])
    while found.looking is not None:
        seen.append(found.looking[0])
        found = texts.text_of(files, events_of(CALLS)[39])
    assert seen == sorted(seen)
    assert len(seen) > 10
    assert "answer 39" in found.pieces[1].text


@pytest.mark.parametrize("chunk", [7, 16, 64, 1000])
@pytest.mark.parametrize("begin", [0, 1, 500, 4000])
def test_an_id_is_found_wherever_chunks_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, begin: int
) -> None:
    """The places are those of a plain search of the whole text, each once."""
    monkeypatch.setattr(raw_text, "CHUNK", chunk)
    monkeypatch.setattr(raw_text, "BEYOND", 1 << 30)
    path = tmp_path / "trace"
    text = "".join(f"{line}\n" for line in claude_lines(CALLS[:8]))
    path.write_text(text)
    file = TraceFile(LocalFolder(tmp_path), "trace", len(text.encode()), "mark")
    for call_id, *_ in CALLS[:8]:
        search = IdSearch.of(file, call_id, begin)
        search.go_on(time.monotonic() + 60)
        places = [at for at in range(len(text)) if text.startswith(f'"{call_id}"', at)]
        assert search.done
        assert sorted(search.places) == places


def test_a_very_long_line_is_shown_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_text, "READ_AT_ONCE", 0)
    monkeypatch.setattr(call_text, "MAX_LINE", 1_000)
    monkeypatch.setattr(call_text, "MAX_WHOLE", 1_000)
    answer = "z" * 200_000
    write_trace(tmp_path, "trial", claude_lines([("toolu_a", "Read", {}, answer)]))
    found = whole(CallTexts(), files_at(tmp_path), events_of([("toolu_a", "Read", {}, "")])[0])
    assert found.pieces
    assert all(len(piece.text) <= call_text.WINDOW for piece in found.pieces)
    assert any('"toolu_a"' in piece.text for piece in found.pieces)


def test_a_value_reads_as_text() -> None:
    value = {"a": 1, "text": "one\ntwo", "list": [{"b": None}, "c"], "packed": '{"cmd": "ls"}'}
    assert text_of_value(value).splitlines() == [
        "a: 1",
        "text:",
        "  one",
        "  two",
        "list:",
        "  [0]:",
        "    b: null",
        "  [1]: c",
        "packed:",
        "  cmd: ls",
    ]
    deep: Any = "end"
    for _ in range(500):
        deep = [deep]
    assert len(text_of_value(deep).splitlines()) < 100
