"""Traces far larger than any real one, read by a process whose memory is measured."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import BinaryIO, NamedTuple

CHUNK = 1 << 20

_USE = '{"type":"tool_use","id":"%s","name":"Read","input":{"file_path":"/workspace/%s.py"}}'
_ASSISTANT = (
    '{"type":"assistant","message":{"id":"m%s","content":[%s],"usage":{"input_tokens":1}}}\n'
)
_STEP = (
    '{"step_id": %d, "source": "agent", "message": "", "tool_calls": [{"tool_call_id": "c%d", '
    '"function_name": "Read", "arguments": {"file_path": "/workspace/a.py"}}]%s}'
)
_HEAD = '{"schema_version": "ATIF-v1.2", "agent": {"name": "claude-code"}, "steps": ['

MEASURE = """
def peak():
    # Not ru_maxrss: a process that was started by a large one inherits the starter's peak.
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024
"""

_READ = (
    MEASURE
    + """
import json, sys
from pathlib import Path
from groundtrace.storage import LocalFolder
from groundtrace.traces import read_trace
trace, problems = read_trace(LocalFolder(Path(sys.argv[1])))
print(json.dumps([peak(), len(trace.calls), [p.kind for p in problems][:20]]))
"""
)


class Found(NamedTuple):
    """What reading a giant took and gave."""

    megabytes: int
    calls: int
    problems: list[str]


def measured(trial: Path) -> Found:
    """Read a trial in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", _READ, str(trial)],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    if ran.returncode:
        raise AssertionError(f"reading ended with {ran.returncode}: {ran.stderr[-2000:]}")
    return Found(*json.loads(ran.stdout))


def _fill(stream: BinaryIO, size: int, piece: bytes) -> None:
    """About `size` bytes of the same piece; a hole in the file where the piece is one NUL."""
    if piece == b"\0":
        stream.seek(size, 1)
        return
    block = piece * max(1, CHUNK // len(piece))
    for _ in range(max(1, size // len(block))):
        stream.write(block)


def _line(stream: BinaryIO, size: int, piece: bytes, *, inside: str) -> None:
    """A good call, a giant line, a good call."""
    stream.write((_ASSISTANT % (1, _USE % ("a", "a"))).encode())
    stream.write(inside.encode())
    _fill(stream, size, piece)
    stream.write(b'"}]}}\n')
    stream.write((_ASSISTANT % (2, _USE % ("b", "b"))).encode())


def _steps(stream: BinaryIO, size: int, piece: bytes, *, inside: str) -> None:
    """A trajectory with a good step, a giant one, a good one."""
    stream.write((_HEAD + _STEP % (1, 1, "") + ", ").encode())
    stream.write(inside.encode())
    _fill(stream, size, piece)
    stream.write(b'"x"]}, ' if inside.endswith("[") else b'"}, ')
    stream.write((_STEP % (3, 3, "") + "]}").encode())


_OPEN = '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"'

KINDS = {
    "a line of letters": ("claude-code.txt", _line, b"x", _OPEN),
    "a line of nothing": ("claude-code.txt", _line, b"\0", ""),
    "a line of quotes": ("claude-code.txt", _line, b'\\"', _OPEN),
    "a line of objects": ("claude-code.txt", _line, b'{"a":1},', '{"type":"assistant","message":['),
    "a step of one text": ("trajectory.json", _steps, b"x", '{"step_id": 2, "message": "'),
    "a step of a list": ("trajectory.json", _steps, b'"x",', '{"step_id": 2, "extra": ['),
}
"""What is giant, and how it is made: file, writer, the piece that is repeated, what comes before."""


def read(kind: str, size: int, folder: Path) -> Found:
    """Make a giant of about `size` bytes in a folder, read it, and remove it."""
    name, write, piece, inside = KINDS[kind]
    path = folder / "agent" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("wb") as stream:
            write(stream, size, piece, inside=inside)
        return measured(folder)
    finally:
        path.unlink(missing_ok=True)


GIGABYTE = 1024**3
LIMIT_MB = 300


def try_giants(seconds: float, folder: Path) -> tuple[int, list[str]]:
    """A gigabyte of each kind until the time is over, at least one; how many, and what broke."""
    until = time.monotonic() + seconds
    tried = 0
    failures = []
    for kind in KINDS:
        if tried and time.monotonic() > until:
            break
        tried += 1
        try:
            found = read(kind, GIGABYTE, folder)
        except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
            failures.append(f"{kind}: {error}")
            continue
        if found.megabytes >= LIMIT_MB or not found.problems:
            failures.append(f"{kind}: {found}")
    return tried, failures
