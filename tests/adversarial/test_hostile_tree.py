"""One input of each hostile kind beside ten good trials: the ten are evaluated, the others named."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundtrace import __version__
from groundtrace.base import limit
from groundtrace.base.given_files import parse_given
from groundtrace.base.limit import OverLimitError, allowed_seconds, guarded
from groundtrace.base.tomlio import loads
from groundtrace.discover import manifest
from groundtrace.discover.layout import Layout
from groundtrace.discover.manifest import ManifestRow
from groundtrace.errors import InputError, UsageError
from groundtrace.functions.objects import OutsideError, objects_folder
from groundtrace.model import Problem
from groundtrace.runs.state import FILE_NAME, State, load_state
from groundtrace.shell.powershell.language import by_words
from groundtrace.storage import LocalFolder
from groundtrace.traces.codex import threads
from tests.adversarial.worlds import Call, put, stream

GOOD = 10
META = (
    '{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x","cwd":"/w"}}\n'
)


def good_trials(runs: Path) -> None:
    for number in range(GOOD):
        put(runs / "good" / f"task-{number}.jsonl", stream("/workspace/src/a.py"))


def packed(text: bytes) -> bytes:
    zstandard = pytest.importorskip("zstandard")
    data: bytes = zstandard.ZstdCompressor().compress(text)
    return data


def overlapping() -> bytes:
    """An archive whose members all are the same bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {}}))
        archive.writestr("samples/a_epoch_1.json", b"[" + b"1," * 100_000 + b"1]")
        info = archive.infolist()[1]
        for number in range(50):
            copy = zipfile.ZipInfo(f"samples/{number}_epoch_1.json")
            for name in ("header_offset", "compress_size", "file_size", "CRC", "compress_type"):
                setattr(copy, name, getattr(info, name))
            archive.filelist.append(copy)
            archive.NameToInfo[copy.filename] = copy
    return stream.getvalue()


def hostile(runs: Path) -> None:
    """One of each kind."""
    bad = runs / "bad"
    put(bad / "rollout-2026-01-01T00-00-00-abc.jsonl.zst", packed(META.encode() + b" " * 5_000_000))
    put(bad / "overlap.eval", overlapping())
    put(bad / "half.eval", b"PK\x03\x04" + b"\0" * 3000)
    put(bad / "deep.json", '{"messages":' + "[" * 50_000)
    put(bad / "messages.json", '{"messages":[' + "{}," * 100_000 + "{}]}")
    function = {"name": "bash", "arguments": '{"command": "cat src/a.py"}'}
    calls = [{"id": "1", "type": "function", "function": function}]
    messages = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "1", "content": "x"},
    ]
    row = json.dumps({"instance_id": "a__b-1", "messages": messages})
    put(bad / "rows.jsonl", f"{row}\n{row}\n{row[:-40]}")
    put(bad / "old.csv", "trace,task\rx.jsonl,t\r")
    put(
        bad / "digits.json",
        '{"messages":[{"role":"user","content":"x"}],"n":' + "9" * 100_000 + "}",
    )
    put(bad / "line.jsonl", META + '{"type":"response_item","payload":' + "[" * 200_000 + "\n")
    put(bad / "keys.json", '{"messages":[{' + '"role":"user",' * 50_000 + '"content":"x"}]}')
    put(bad / "numbers.jsonl", stream("/workspace/a.py").replace(": 10,", ": NaN,"))
    with (bad / "sparse.jsonl").open("wb") as sparse:
        sparse.truncate(1 << 34)
    (runs / "links").mkdir()
    (runs / "links/hard.jsonl").hardlink_to(runs / "good/task-0.jsonl")
    os.mkfifo(bad / "pipe.jsonl")
    (bad / "loop").symlink_to(runs)
    (bad / "again").symlink_to(runs / "good")
    (bad / "out").symlink_to("/etc")
    for name in (b"caf\xe9.jsonl", b"caf\xe8.jsonl"):
        path = os.fsencode(bad) + b"/" + name
        Path(os.fsdecode(path)).write_text(stream("/workspace/src/a.py"))


def test_ten_good_trials_beside_one_of_each_kind(
    tmp_path: Path, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "MOST_UNPACKED", 1_000_000)
    runs, out = tmp_path / "runs", tmp_path / "out"
    good_trials(runs)
    hostile(runs)
    flags = ("--out", out, "--jobs", 1, "--format", "md", "--trial-seconds", 20)
    ran = groundtrace("run", runs, *flags)
    assert "internal error" not in ran.err and "Traceback" not in ran.err, ran.err
    outcomes = json.loads(next(out.rglob("outcomes.json")).read_text())
    names = [trial["trial_name"] for trial in outcomes["trials"]]
    assert [f"task-{n}" for n in range(GOOD)] == [n for n in sorted(names) if "task-" in n]
    assert {"caf\\xe9", "caf\\xe8"} <= set(names)
    assert "hard" not in names
    said = ran.err + json.dumps(outcomes)
    for bad in (
        "rollout-2026",
        "half.eval",
        "overlap.eval",
        "rows.jsonl:3",
        "bad/loop",
        "bad/again",
        "bad/out",
        "bad/pipe.jsonl",
        "bad/line.jsonl",
    ):
        assert bad in said, bad


def test_discovery_ends_a_file_that_takes_too_long(
    tmp_path: Path, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--trial-seconds` had no effect on discovery: one file held up all others."""
    from groundtrace.traces.kit import loose

    recognise = loose.recognise

    def hangs(folder: object, file: str, *rest: object, **more: object) -> object:
        while file == "slow.jsonl":
            pass
        return recognise(folder, file, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(loose, "recognise", hangs)
    put(tmp_path / "runs/slow.jsonl", stream("/workspace/src/a.py"))
    put(tmp_path / "runs/good.jsonl", stream("/workspace/src/a.py"))
    out = tmp_path / "out"
    flags = ("--out", out, "--jobs", 1, "--format", "md", "--trial-seconds", 1)
    ran = groundtrace("run", tmp_path / "runs", *flags)
    assert ran.code == 0
    assert "slow.jsonl" in ran.err and "more than 1 seconds of processor time" in ran.err
    assert len(list(out.rglob("good.retrieval_metrics.json"))) == 1


def test_work_that_needs_too_much_memory_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    if limit._bytes_in_use() is None:
        pytest.skip("this system does not say how much memory is used")
    monkeypatch.setattr(limit, "MEMORY", 32 * 1024 * 1024)
    with pytest.raises(OverLimitError, match="32 MB of memory"), guarded():
        bytearray(512 * 1024 * 1024)
    assert len(bytearray(64 * 1024 * 1024)) == 64 * 1024 * 1024


def test_an_inner_limit_does_not_end_the_outer_one() -> None:
    with (
        allowed_seconds(0.3),
        pytest.raises(OverLimitError, match=r"0\.3 seconds"),
        guarded(),
    ):
        with guarded():
            pass
        while True:
            pass


@pytest.mark.parametrize(
    "text",
    [
        "a = {" + "b." * 5_000 + "c = 1}",
        "a = [{" + "b." * 5_000 + "c = 1}]",
        "x = 1\n" + "'b'. " * 5_000 + "c = 1",
        "[" + "b." * 5_000 + "c]",
    ],
)
def test_a_long_key_anywhere_is_refused(text: str) -> None:
    """Only what came before the first `=` was looked at: 500 kB stopped a run."""
    with pytest.raises(ValueError, match="a key of more than"):
        loads(text)


def test_text_with_many_dots_is_no_key() -> None:
    assert loads('a = "' + "word. " * 100 + '..."\n')["a"].endswith("...")


def test_a_deep_state_of_one_run_stops_nothing(tmp_path: Path, groundtrace: Call) -> None:
    put(tmp_path / "runs/good.jsonl", stream("/workspace/src/a.py"))
    out = tmp_path / "out"
    flags = ("--out", out, "--jobs", 1, "--format", "md")
    assert groundtrace("run", tmp_path / "runs", *flags).code == 0
    for state in out.rglob(FILE_NAME):
        state.write_text('{"groundtrace": "1", "x": ' + "[" * 100_000)
    for command in (
        ("run", tmp_path / "runs", *flags),
        ("report", tmp_path / "runs", "--out", out),
    ):
        ran = groundtrace(*command)
        assert ran.code == 0, ran.err
    for state in out.rglob(FILE_NAME):
        state.write_text("[" * 100_000)
    assert groundtrace("evaluate", tmp_path / "runs", "--out", out).code == 0


def test_prices_at_the_end_of_numbers_are_no_cost(tmp_path: Path, groundtrace: Call) -> None:
    put(tmp_path / "runs/good.jsonl", stream("/workspace/src/a.py"))
    prices = put(tmp_path / "p.toml", "[models.m]\ninput = 1e308\noutput = 1e308\n")
    flags = ("--out", tmp_path / "out", "--jobs", 1, "--format", "md", "--prices", prices)
    ran = groundtrace("run", tmp_path / "runs", *flags)
    assert ran.code == 0, ran.err


def test_a_reader_that_is_a_pipe_is_not_waited_for(tmp_path: Path, groundtrace: Call) -> None:
    put(tmp_path / "runs/good.jsonl", stream("/workspace/src/a.py"))
    os.mkfifo(tmp_path / "pipe.toml")
    ran = groundtrace("run", tmp_path / "runs", "--reader", tmp_path / "pipe.toml")
    assert ran.code == 2 and "internal error" not in ran.err


def test_a_manifest_with_old_line_ends_is_read(tmp_path: Path, groundtrace: Call) -> None:
    put(tmp_path / "good.jsonl", stream("/workspace/src/a.py"))
    manifest = put(tmp_path / "m.csv", "trace,task\rgood.jsonl,t1\r")
    ran = groundtrace("run", manifest, "--out", tmp_path / "out", "--jobs", 1, "--format", "md")
    assert ran.code == 0, ran.err
    assert list((tmp_path / "out").rglob("t1.retrieval_events.json"))


def test_a_row_with_a_nul_and_rows_beyond_the_limit_are_named(
    tmp_path: Path, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A NUL in a path ended the run, and three million rows cost it all others."""
    monkeypatch.setattr(manifest, "MAX_ROWS", 3)
    put(tmp_path / "good.jsonl", stream("/workspace/src/a.py"))
    rows = "a\0b.jsonl,t0\ngood.jsonl,t1\n" + "x.jsonl,t2\n" * 4
    file = put(tmp_path / "m.csv", f"trace,task\n{rows}")
    ran = groundtrace("normalize", file, "--out", tmp_path / "out", "--jobs", 1)
    assert ran.code == 0, ran.err
    assert "m.csv:2: no file has a NUL in its name" in ran.out
    assert "m.csv:5: more than 3 rows; the others are not read" in ran.out
    assert len(list((tmp_path / "out").rglob("*.retrieval_events.json"))) == 1


def test_given_files_are_read_within_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only their size was limited: settings, prices, registries and manifests could take for ever."""

    def hangs(*_: object) -> Iterator[ManifestRow]:
        while True:
            pass

    path = put(tmp_path / "m.csv", "trace,task\nx.jsonl,t\n")
    problems: list[Problem] = []
    monkeypatch.setattr(manifest, "_rows", hangs)
    with allowed_seconds(0.2):
        with pytest.raises(InputError, match=r"m\.csv: not read: .* 0\.2 seconds"):
            parse_given(path, hangs)
        assert manifest.read_manifest(LocalFolder(tmp_path), "m.csv", problems) == []
    assert [problem.kind for problem in problems] == ["too_large"]


def test_a_large_state_is_read_within_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(size: int) -> None:
        raise OverLimitError(f"{size} bytes")

    data = {"groundtrace": __version__, "documents": {"a": "b"}}
    put(tmp_path / FILE_NAME, data)
    monkeypatch.setattr(limit, "guarded", refuses)
    assert load_state(LocalFolder(tmp_path)).documents == {"a": "b"}
    put(tmp_path / FILE_NAME, data | {"documents": {"a": "b" * limit.LARGE}})
    assert load_state(LocalFolder(tmp_path)) == State()


def test_files_of_a_repository_that_are_no_files(tmp_path: Path) -> None:
    """A pipe was waited for, and a NUL in a name of a folder stopped the run."""
    git = tmp_path / "r/.git"
    put(git / "HEAD", "ref: refs/heads/main\n")
    put(git / "objects/info/alternates", b"a\0b\n")
    with pytest.raises(OutsideError, match="cannot be"):
        objects_folder(tmp_path / "r", [tmp_path])
    os.remove(git / "objects/info/alternates")
    os.mkfifo(git / "commondir")
    assert objects_folder(tmp_path / "r", [tmp_path]) == git / "objects"


@pytest.mark.parametrize("pattern", ["{task}{config}", "*_*_*_*_{task}", "**{task}{config}{run}a"])
def test_a_layout_that_would_take_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError):
        Layout(pattern)


def test_two_hard_links_to_one_file_are_one_trial_and_the_second_is_named(
    tmp_path: Path, groundtrace: Call
) -> None:
    """A snapshot made with `cp -al` doubled every trial."""
    first = put(tmp_path / "runs/a.jsonl", stream("/workspace/src/a.py"))
    (tmp_path / "runs/b.jsonl").hardlink_to(first)
    ran = groundtrace("normalize", tmp_path / "runs", "--out", tmp_path / "out", "--dry-run")
    assert "b.jsonl" in ran.out and "a hard link" in ran.out
    ran = groundtrace("normalize", tmp_path / "runs", "--out", tmp_path / "out", "--jobs", 1)
    assert ran.code == 0, ran.err
    assert len(list((tmp_path / "out").rglob("*.retrieval_events.json"))) == 1


def test_a_broken_archive_is_named_with_its_folder(tmp_path: Path, groundtrace: Call) -> None:
    """Both were `m.eval`."""
    put(tmp_path / "runs/good.jsonl", stream("/workspace/src/a.py"))
    for folder in "ab":
        put(tmp_path / f"runs/{folder}/m.eval", b"PK\x03\x04" + b"\0" * 3000)
    ran = groundtrace("normalize", tmp_path / "runs", "--out", tmp_path / "out", "--jobs", 1)
    for folder in "ab":
        assert f"no trial: {folder}/m.eval: " in ran.out


def test_a_given_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a.json").open("wb") as sparse:
        sparse.truncate(1 << 34)
    with pytest.raises(InputError, match=r"over .* bytes"):
        parse_given(tmp_path / "a.json", len)


def test_many_heredocs_without_an_end_take_time_in_proportion() -> None:
    with allowed_seconds(3), guarded():
        assert by_words("<<E\n" * 50_000) is None
    assert by_words("cat <<E\nGet-Content x\nE\nls") == "bash"
    assert by_words("cat <<E\nGet-Content x\n") == "powershell"
