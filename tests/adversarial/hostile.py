"""A folder with one input of each hostile kind, at its real size, beside ten good trials.

`python -m tests.adversarial.hostile FOLDER` makes it, runs groundtrace over it and prints the
processor time, the most memory of all processes together, and what was said of each input.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import socket
import subprocess
import sys
import tarfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha1
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from tests.adversarial.worlds import line, put, result_of, stream

GOOD = 10
MB = 1 << 20

META = line(timestamp="2026-01-01T00:00:00Z", type="session_meta", payload={"id": "x", "cwd": "/w"})


def rollout_call(name: str, arguments: dict[str, Any], output: str) -> str:
    """A call of a rollout, and its answer."""
    call = {
        "type": "function_call",
        "name": name,
        "call_id": "c",
        "arguments": json.dumps(arguments),
    }
    answer = {"type": "function_call_output", "call_id": "c", "output": output}
    return "".join(
        line(timestamp="2026-01-01T00:00:01Z", type="response_item", payload=payload)
        for payload in (call, answer)
    )


# --- traces that lie about ---


def packed(size: int, piece: bytes) -> bytes:
    """A rollout that unpacks to this many bytes of a piece."""
    import zstandard

    packer = zstandard.ZstdCompressor().compressobj()
    parts = [packer.compress(META.encode())]
    block = piece * (MB // len(piece))
    parts += [packer.compress(block) for _ in range(size // MB)]
    return b"".join((*parts, packer.flush()))


def archive(members: int, size: int) -> bytes:
    """A log of Inspect with members that unpack to blanks."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {}}))
        for number in range(members):
            with log.open(f"samples/{number}_epoch_1.json", "w") as member:
                for _ in range(max(1, size // MB)):
                    member.write(b"[" * min(size, MB))
    return made.getvalue()


def overlapping() -> bytes:
    """An archive whose 3,000 members all are the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {}}))
        log.writestr("samples/a_epoch_1.json", b"[" + b"1," * MB + b"1]")
        info = log.infolist()[1]
        for number in range(3000):
            copy = zipfile.ZipInfo(f"samples/{number}_epoch_1.json")
            for name in ("header_offset", "compress_size", "file_size", "CRC", "compress_type"):
                setattr(copy, name, getattr(info, name))
            log.filelist.append(copy)
            log.NameToInfo[copy.filename] = copy
    return made.getvalue()


def packed_tar() -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        info = tarfile.TarInfo("../../outside.jsonl")
        info.size = 64 * MB
        tar.addfile(info, io.BytesIO(bytes(info.size)))
    return made.getvalue()


def parquet(path: Path, query: str, **options: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    given = "".join(f", {name} {value}" for name, value in options.items())
    with duckdb.connect() as own:
        own.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet{given})")


def with_lies(path: Path) -> None:
    """Statistics in a Parquet file that are not those of its rows."""
    data = path.read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    lies = data[footer:].replace(b"task-", b"zzzz-")
    assert lies != data[footer:]
    path.write_bytes(data[:footer] + lies)


def with_damage(path: Path) -> None:
    """Every seventh byte of the description of a Parquet file is another."""
    data = bytearray(path.read_bytes())
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for at in range(footer + 8, len(data) - 8, 7):
        data[at] ^= 0xFF
    path.write_bytes(bytes(data))


def loose(bad: Path, scale: int) -> None:
    """Traces without a trial's folder: each kind once. What takes time to make is smaller by `scale`."""
    put(bad / "zst/rollout-2026-01-01T00-00-00-aa.jsonl.zst", packed(2048 * MB // scale, b" "))
    put(bad / "zst/rollout-2026-01-01T00-00-00-ab.jsonl.zst", packed(60 * MB, b"{}\n"))
    put(bad / "eval/overlap.eval", overlapping())
    put(bad / "eval/half.eval", b"PK\x03\x04" + bytes(3000))
    put(bad / "eval/one.eval", archive(1, 1024 * MB // scale))
    put(bad / "eval/many.eval", archive(30_000 // scale, 10))
    put(bad / "tar/a.tar.gz", packed_tar())
    put(bad / "tar/trace.jsonl.gz", gzip.compress(b" " * (256 * MB // scale), 1))
    put(bad / "json/deep.json", b'{"messages":' + b"[" * (20 * MB))
    put(bad / "json/deep.jsonl", META.encode() + b'{"type":"response_item","payload":' + b"[" * MB)
    put(bad / "json/objects.json", b'{"messages":[' + b"{}," * (5 * MB // scale) + b"{}]}")
    put(bad / "json/lists.json", b'{"messages":[' + b"[]," * (20 * MB // scale) + b"[]]}")
    put(bad / "json/keys.json", '{"messages":[{' + '"role":"user",' * MB + '"content":"x"}]}')
    digits = b'{"messages":[{"role":"user","content":"x"}],"n":' + b"9" * (8 * MB) + b"}"
    put(bad / "json/digits.json", digits)
    put(bad / "json/power.json", b'{"messages":[],"n":1e' + b"9" * 5000 + b"}")
    put(bad / "lines/empty.jsonl", META.encode() + b"\n" * (50 * MB // scale))
    put(bad / "lines/letters.jsonl", META.encode() + b"x" * (100 * MB))
    put(bad / "lines/nan.jsonl", stream("/workspace/a.py").replace(": 10,", ": NaN,"))
    with (bad / "lines/sparse.jsonl").open("wb") as sparse:
        sparse.write(META.encode())
        sparse.truncate(1 << 36)
    half = json.dumps({"instance_id": "a__b-1", "messages": [{"role": "user", "content": "x"}]})
    put(bad / "lines/rows.jsonl", f"{half}\n{half}\n{half[:-10]}")
    parquet(
        bad / "parquet/cell.parquet",
        f"SELECT repeat('x', {700_000_000 // scale}) AS trajectory, 'a' AS instance_id",
    )
    parquet(
        bad / "parquet/rows.parquet",
        f"SELECT range AS instance_id, '[]' AS messages FROM range({20_000_000 // scale})",
    )
    parquet(
        bad / "parquet/lies.parquet",
        "SELECT 'task-' || range AS instance_id, '[]' AS messages FROM range(1000)",
    )
    with_lies(bad / "parquet/lies.parquet")
    put(bad / "parquet/cut.parquet", b"PAR1" + bytes(100))
    powershell = {
        "nested.jsonl": "$(" * 50_000,
        "here.jsonl": "@'\n" * 50_000,
        "pipes.jsonl": "Get-Content a.py | " * 20_000 + "Select-Object -First 1",
        "blocks.jsonl": "foreach ($f in Get-ChildItem) { " * 5_000
        + "Get-Content $f "
        + "}" * 5_000,
        "quotes.jsonl": 'powershell -Command "' + '`"' * 100_000,
    }
    for name, command in powershell.items():
        call = rollout_call("shell", {"command": ["powershell", "-Command", command]}, "x\n" * 1000)
        put(bad / "powershell" / name, META + call)
    shell = {
        "deep.jsonl": "(" * 100_000,
        "heredocs.jsonl": "<<E\n" * 50_000,
        "chain.jsonl": "cat a.py;" * 50_000,
        "equals.jsonl": "a == b == " * 20_000,
        "patch.jsonl": "apply_patch <<'EOF'\n*** Begin Patch\n"
        + "*** Update File: a.py\n@@\n" * 50_000,
    }
    for name, command in shell.items():
        call = rollout_call(
            "shell", {"command": ["bash", "-lc", command]}, "diff --git a/x b/x\n" * 20_000
        )
        put(bad / "shell" / name, META + call)


def on_disk(runs: Path) -> None:
    """What only a disk has: links, pipes, devices, names that are no text."""
    bad = runs / "bad/disk"
    bad.mkdir(parents=True)
    os.mkfifo(bad / "pipe.jsonl")
    with suppress(PermissionError):
        os.mknod(bad / "zero.jsonl", 0o20666, os.makedev(1, 5))
    server = socket.socket(socket.AF_UNIX)
    with suppress(OSError):
        server.bind(os.path.relpath(bad / "socket.jsonl"))
    server.close()
    (bad / "loop").symlink_to(runs)
    (bad / "self").symlink_to("self")
    (bad / "again").symlink_to(runs / "good")
    (bad / "out").symlink_to("/etc")
    (bad / "device.jsonl").symlink_to("/dev/zero")
    (runs / "links").mkdir()
    (runs / "links/hard.jsonl").hardlink_to(runs / "good/task-0.jsonl")
    for number in range(6):
        (bad / f"mesh{number}").mkdir()
        for other in range(6):
            (bad / f"mesh{number}/l{other}").symlink_to(bad / f"mesh{other}")
    for name in (
        b"caf\xe9.jsonl",
        b"\x1b[31m.jsonl",
        b"a\nb.jsonl",
        b"-rf.jsonl",
        b"\xe2\x80\xaex.jsonl",
    ):
        put(Path(os.fsdecode(os.fsencode(bad) + b"/" + name)), stream("/workspace/src/a.py"))
    deep = bad
    for _ in range(100):
        deep = deep / "d"
    put(deep / "x.jsonl", stream("/workspace/src/a.py"))
    for number in range(3000):
        put(bad / f"many/{number}.jsonl", b"")


def recorded(runs: Path) -> None:
    """Trials with records: ten good ones, and some whose files are hostile."""
    for number in range(GOOD):
        folder = runs / f"baseline/task-{number}__1"
        put(folder / "result.json", result_of(f"task-{number}", folder.name))
        put(folder / "agent/claude-code.txt", stream("/workspace/src/a.py"))
    deep = '{"a":' * 100_000
    trials: dict[str, dict[str, bytes | str | Any]] = {
        "result": {"result.json": deep, "agent/claude-code.txt": stream("/workspace/src/a.py")},
        "config": {
            "config.json": b'{"a":' + b"9" * MB,
            "agent/claude-code.txt": stream("/workspace/src/a.py"),
        },
        "line": {"agent/claude-code.txt": stream("/workspace/src/a.py") + "[" * (80 * MB)},
        "steps": {
            "agent/trajectory.json": b'{"schema_version":"ATIF-v1.2","steps":[' + b"{}," * (8 * MB)
        },
        "calls": {"agent/claude-code.txt": stream(*["/workspace/src/a.py"] * 20_000)},
        "packed": {"agent/a.jsonl.gz": gzip.compress(bytes(64 * MB), 1)},
    }
    for name, files in trials.items():
        folder = runs / f"baseline/{name}__1"
        put(folder / "result.json", result_of(f"hostile-{name}", folder.name))
        for path, data in files.items():
            put(folder / path, data)
    pipe = runs / "baseline/pipe__1"
    put(pipe / "result.json", result_of("hostile-pipe", pipe.name))
    (pipe / "agent").mkdir()
    os.mkfifo(pipe / "agent/claude-code.txt")
    os.mkfifo(pipe / "config.json")


# --- tasks and repositories ---


def tasks(top: Path) -> None:
    for number in range(GOOD):
        folder = top / f"suite/task-{number}"
        put(folder / "task.toml", f'[task]\nid = "task-{number}"\nrepo = "owner/bad"\n')
        put(folder / "tests/ground_truth.json", {"files": ["src/a.py"]})
    bad: dict[str, tuple[str, bytes | str]] = {
        "keys": ("task.toml", "a = {" + "b." * 250_000 + "c = 1}"),
        "table": ("task.toml", "[" + "b." * 250_000 + "c]"),
        "lists": ("task.toml", "a = " + "[" * 300_000),
        "digits": ("task.toml", "a = " + "9" * 3_000_000),
        "yaml": ("task.yaml", "a: &a [x,x]\nb: &b [*a,*a]\n" * 5_000),
        "deep": ("tests/ground_truth.json", b'{"files":' + b"[" * (10 * MB)),
        "many": ("tests/ground_truth.json", b'{"files":[' + b'"a.py",' * (4 * MB) + b'"a.py"]}'),
        "large": ("tests/ground_truth.json", b'{"files":["' + b"x" * (100 * MB)),
        "patch": (
            "gold.patch",
            "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n" * 50_000,
        ),
        "hunks": (
            "solution/solve.sh",
            "git apply <<'E'\n" + "@@ -1,99999999 +1,99999999 @@\n" * 50_000,
        ),
        "text": ("instruction.md", "`src/" * 500_000),
    }
    for name, (file, data) in bad.items():
        put(top / f"suite/hostile-{name}" / file, data)
    (top / "suite/hostile-pipe/tests").mkdir(parents=True)
    os.mkfifo(top / "suite/hostile-pipe/task.toml")
    os.mkfifo(top / "suite/hostile-pipe/tests/ground_truth.json")
    (top / "suite/hostile-link").mkdir()
    (top / "suite/hostile-link/tests").symlink_to("/etc")
    (top / "suite/loop").symlink_to(top)


def task_files(top: Path, scale: int) -> dict[str, Path]:
    """Files of tasks that are hostile, each for a run of its own: a user names one."""
    row = {
        "instance_id": "task-0",
        "repo": "a/b",
        "patch": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n",
    }
    top.mkdir(parents=True, exist_ok=True)
    parquet(
        top / "cell.parquet",
        f"SELECT 'task-0' AS instance_id, repeat('x', {700_000_000 // scale}) AS patch",
    )
    parquet(
        top / "rows.parquet",
        f"SELECT range AS instance_id, '' AS patch FROM range({20_000_000 // scale})",
    )
    many = f"SELECT 'task-' || range AS instance_id, '{row['patch']}' AS patch FROM range(1000)"
    for name, spoil in (("lies.parquet", with_lies), ("damaged.parquet", with_damage)):
        parquet(top / name, many)
        spoil(top / name)
    levels = "[" * 60 + "'x'" + "]" * 60
    parquet(top / "levels.parquet", f"SELECT 'task-0' AS instance_id, {levels} AS files")
    parquet(
        top / "texts.parquet",
        "SELECT 'task-' || range AS instance_id, repeat('x', 1000000) AS patch FROM range(2000)",
    )
    put(top / "deep.json", b"[" * (20 * MB))
    put(top / "deep.jsonl", json.dumps(row) + '\n{"instance_id":' + "[" * (5 * MB))
    put(top / "patches.jsonl", json.dumps(row | {"patch": row["patch"] * 200_000}) + "\n")
    put(top / "many.jsonl", b'{"instance_id":"x"}\n' * MB)
    put(top / "empty.json", b"")
    os.mkfifo(top / "pipe.jsonl")
    return {path.name: path for path in sorted(top.iterdir())}


def git(folder: Path, *words: str) -> str:
    own = os.environ | {"HOME": str(folder), "GIT_CONFIG_GLOBAL": "/dev/null"}
    for who in ("AUTHOR", "COMMITTER"):
        own |= {
            f"GIT_{who}_NAME": "a",
            f"GIT_{who}_EMAIL": "a@b",
            f"GIT_{who}_DATE": "1700000000 +0000",
        }
    ran = subprocess.run(
        ["git", "-C", str(folder), *words], env=own, check=True, capture_output=True, text=True
    )
    return ran.stdout.strip()


def _number(value: int, kind: int) -> bytes:
    """The head of an object in a pack."""
    first, value = kind << 4 | value & 15, value >> 4
    made = bytearray()
    while value:
        made.append(first | 128)
        first, value = value & 127, value >> 7
    made.append(first)
    return bytes(made)


def _size(value: int) -> bytes:
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    made.append(value)
    return bytes(made)


def _blanks(size: int) -> bytes:
    packer = zlib.compressobj(9)
    return b"".join([*(packer.compress(bytes(MB)) for _ in range(size // MB)), packer.flush()])


def pack(folder: Path, giant: int, chain: int) -> tuple[str, str]:
    """A pack with a blob of this size, and one that copies another in `chain` steps of delta.

    Returns the names of both. Each step doubles, so that a few hundred bytes make gigabytes.
    """
    objects: list[bytes] = [_number(giant, 3) + _blanks(giant)]
    name = sha1(b"blob %d\0" % giant)
    for _ in range(giant // MB):
        name.update(bytes(MB))
    base = b"def f():\n    pass\n" * 3000
    size, offsets = len(base), [0]
    data = b"PACK" + (2).to_bytes(4, "big") + (2 + chain).to_bytes(4, "big") + objects[0]
    offsets = [len(data)]
    data += _number(size, 3) + zlib.compress(base)
    for _ in range(chain):
        delta = _size(size) + _size(2 * size) + _copies(size) * 2
        back = len(data) - offsets[-1]
        offset = bytearray([back & 127])
        while back := back >> 7:
            back -= 1
            offset.insert(0, back & 127 | 128)
        offsets.append(len(data))
        data += _number(len(delta), 6) + bytes(offset) + zlib.compress(delta)
        size *= 2
    data += sha1(data).digest()
    path = folder / ".git/objects/pack/in.pack"
    put(path, data)
    last = sha1(b"blob %d\0" % size)
    for _ in range(size // len(base)):
        last.update(base)
    # git indexes the pack itself, with the memory that it needs; later it has a gigabyte.
    git(folder, "index-pack", str(path))
    return name.hexdigest(), last.hexdigest()


def _copies(size: int) -> bytes:
    made = bytearray()
    for at in range(0, size, 0xFFFF):
        part = min(0xFFFF, size - at)
        made += b"\xbf" + at.to_bytes(4, "little") + part.to_bytes(2, "little")
    return bytes(made)


def repository(folder: Path, giant: int = 900 * MB, chain: int = 14) -> str:
    """A repository whose commit has a giant blob and one made of deltas; the commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    large, last = pack(folder, giant, chain)
    put(folder / "src/a.py", "def f():\n    pass\n")
    git(folder, "add", "src/a.py")
    for blob, path in ((large, "src/large.py"), (last, "src/delta.py")):
        git(folder, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    git(folder, "commit", "-q", "-m", "x")
    return git(folder, "rev-parse", "HEAD")


# --- everything, and what it took ---


class World(NamedTuple):
    runs: Path
    tasks: Path
    files: dict[str, Path]
    repository: Path
    commit: str


def make(top: Path, scale: int = 1) -> World:
    """Every kind, at its real size or smaller where that takes long to make."""
    runs = top / "runs"
    for number in range(GOOD):
        put(
            runs / "good" / f"task-{number}.jsonl",
            stream("/workspace/src/a.py", "/workspace/src/large.py", "/workspace/src/delta.py"),
        )
    loose(runs / "bad", scale)
    on_disk(runs)
    recorded(top / "recorded")
    tasks(top / "tasks")
    commit = repository(top / "repos/owner__bad", giant=900 // scale * MB)
    rows = [
        {
            "instance_id": f"task-{n}",
            "repo": "owner/bad",
            "base_commit": commit,
            "patch": "".join(
                f"--- a/{f}\n+++ b/{f}\n@@ -1,2 +1,2 @@\n def f():\n-    pass\n+    return\n"
                for f in ("src/a.py", "src/large.py", "src/delta.py")
            ),
        }
        for n in range(GOOD)
    ]
    put(top / "rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return World(
        runs, top / "tasks", task_files(top / "files", scale), top / "repos/owner__bad", commit
    )


class Took(NamedTuple):
    """What a command took and said."""

    code: int
    seconds: float
    """By the clock."""
    processor: float
    megabytes: int
    """The most that all its processes held at one moment; shared pages count once."""
    largest: int
    """The most that one of them held."""
    said: str


def measured(
    *words: object, timeout: float = 900, environment: dict[str, str] | None = None
) -> Took:
    """Run groundtrace and watch the memory of it and its children."""
    before = time.monotonic()
    own = os.environ | (environment or {})
    with subprocess.Popen(
        [sys.executable, "-m", "groundtrace", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=own,
        start_new_session=True,
    ) as process:
        most = largest = 0
        said: list[bytes] = []
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        while process.poll() is None:
            said.append(process.stdout.read() or b"")
            held = [_held(pid) for pid in _family(process.pid)]
            most, largest = max(most, sum(held)), max(largest, *held)
            if time.monotonic() - before > timeout:
                process.kill()
            time.sleep(0.05)
        said.append(process.stdout.read() or b"")
    used = os.times()
    text = b"".join(said).decode("utf-8", "backslashreplace")
    return Took(
        process.returncode,
        time.monotonic() - before,
        used.children_user + used.children_system,
        most >> 10,
        largest >> 10,
        text,
    )


def _family(pid: int) -> Iterator[int]:
    yield pid
    with suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield from _family(int(child))


def _held(pid: int) -> int:
    """Kilobytes of a process; a page that others have too counts in part."""
    with suppress(OSError, IndexError, ValueError):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        return int(rollup.partition("\nPss:")[2].split()[0])
    return 0


def _commands(top: Path, world: World) -> dict[str, tuple[str | Path, ...]]:
    """The commands that are measured, by their names."""
    out = top / "out"
    common = ("--out", out, "--format", "md", "--no-progress")
    return {
        "run": ("run", world.runs, "--tasks", world.tasks, "-v", *common),
        "again": ("run", world.runs, "--tasks", world.tasks, *common),
        "recorded": (
            "run",
            top / "recorded",
            "--tasks",
            world.tasks,
            "-v",
            "--out",
            top / "out-recorded",
            *common[2:],
        ),
        "repos": (
            "run",
            world.runs / "good",
            "--tasks",
            top / "rows.jsonl",
            "--repos",
            world.repository.parent,
            "--out",
            top / "out-repos",
            *common[2:],
        ),
        "git:": (
            "run",
            world.runs / "good",
            "--tasks",
            f"git:{world.repository}",
            *common[:1],
            top / "out-git",
            *common[2:],
        ),
        "git:HEAD": (
            "run",
            world.runs / "good",
            "--tasks",
            f"git:{world.repository}@HEAD",
            *common[:1],
            top / "out-git",
            *common[2:],
        ),
        **{
            file: (
                "run",
                world.runs / "good",
                "--tasks",
                path,
                "--out",
                top / "out-files",
                *common[2:],
            )
            for file, path in world.files.items()
        },
    }


def main() -> None:
    top = Path(sys.argv[1])
    flags = sys.argv[2:]
    world = (
        make(top)
        if not top.exists()
        else World(
            top / "runs",
            top / "tasks",
            {p.name: p for p in sorted((top / "files").iterdir())},
            top / "repos/owner__bad",
            "",
        )
    )
    print("made", flush=True)
    for name, words in _commands(top, world).items():
        before = os.times()
        took = measured(*words, *flags)
        processor = took.processor - before.children_user - before.children_system
        print(
            f"{name}: exit {took.code}, {took.seconds:.1f} s, {processor:.1f} s of processor time, {took.megabytes} MB, one process {took.largest} MB",
            flush=True,
        )
        put(top / f"said-{name.replace(':', '')}.txt", took.said)
        if name != "run":
            print("   ", took.said.strip()[-400:].replace("\n", "\n    "))


if __name__ == "__main__":
    main()
