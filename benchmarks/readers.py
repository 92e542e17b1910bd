"""How fast the trace readers are, compared with decoding.

    python benchmarks/readers.py [TRIAL_FOLDER …] [--size MB] [--memory GB]

Without folders a made-up transcript is used. For each file it prints megabytes per second of the
reader, of msgspec decoding the same bytes into plain values, and of the standard library's json.
`--memory` writes a transcript of that many gigabytes, reads it in a separate process and prints the
peak memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from groundtrace.storage import LocalFolder
from groundtrace.traces import read_trace

NAMES = ("claude-code.txt", "session.jsonl", "trajectory.json", "cursor-agent.jsonl")


def transcript_lines(number: int, size: int) -> bytes:
    """One call and its result, of about `size` bytes."""
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 10,
        "cache_read_input_tokens": number,
        "output_tokens": 1,
    }
    path = f"/workspace/src/module_{number}.py"
    use = {
        "type": "tool_use",
        "id": f"toolu_{number}",
        "name": "Read",
        "input": {"file_path": path},
    }
    call = {
        "type": "assistant",
        "message": {"id": f"msg_{number}", "model": "m", "content": [use], "usage": usage},
        "parent_tool_use_id": None,
        "session_id": "s",
    }
    text = "\n".join(f"{line}\tvalue = compute({line})" for line in range(size // 60))
    answer = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": text}
    file = {"filePath": path, "content": text, "startLine": 1, "numLines": size // 60}
    result = {
        "type": "user",
        "message": {"role": "user", "content": [answer]},
        "parent_tool_use_id": None,
        "session_id": "s",
        "tool_use_result": {"type": "text", "file": file},
    }
    return b"".join(json.dumps(line).encode() + b"\n" for line in (call, result))


def write_transcript(path: Path, size: int) -> None:
    """A transcript of at least `size` bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number = 0
    with path.open("wb") as stream:
        while stream.tell() < size:
            stream.write(transcript_lines(number, 500 + (number % 40) * 400))
            number += 1


def speed(action: Callable[[], object], size: int) -> float:
    """Megabytes per second, the best of repeated runs."""
    best = float("inf")
    spent = 0.0
    while spent < 1.0:
        start = time.perf_counter()
        action()
        taken = time.perf_counter() - start
        best = min(best, taken)
        spent += taken
    return size / best / 1e6


def decode_all(data: bytes, decode: Callable[[bytes], object], whole: bool) -> None:
    if whole:
        decode(data)
        return
    for line in data.split(b"\n"):
        if line:
            decode(line)


def measure(trial: Path) -> None:
    """Print the speeds for each trace file of a trial."""
    for path in sorted(trial.glob("agent/**/*")):
        if path.name not in NAMES:
            continue
        data = path.read_bytes()
        whole = path.name.endswith(".json")
        with tempfile.TemporaryDirectory() as folder:
            alone = Path(folder) / "agent" / path.name
            alone.parent.mkdir()
            alone.write_bytes(data)
            reader = speed(partial(read_trace, LocalFolder(Path(folder))), len(data))
        fast = speed(partial(decode_all, data, msgspec.json.Decoder().decode, whole), len(data))
        slow = speed(partial(decode_all, data, json.loads, whole), len(data))
        print(
            f"{trial.name[-24:]:24} {path.name:18} {len(data) / 1e6:8.2f} MB  "
            f"reader {reader:7.0f}  msgspec {fast:7.0f}  json {slow:7.0f} MB/s"
        )


def measure_memory(gigabytes: float) -> None:
    """Print the peak memory of reading one large transcript."""
    with tempfile.TemporaryDirectory() as folder:
        write_transcript(Path(folder) / "agent" / "claude-code.txt", int(gigabytes * 1e9))
        subprocess.run([sys.executable, __file__, "--peak", folder], check=True, env=os.environ)


def print_peak(folder: str) -> None:
    start = time.perf_counter()
    trace, problems = read_trace(LocalFolder(Path(folder)))
    taken = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(trace.calls):,} calls, {len(problems):,} problems, {taken:.1f} s, peak {peak:.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("trials", nargs="*", type=Path)
    parser.add_argument("--size", type=float, default=20, help="MB of the made-up transcript")
    parser.add_argument("--memory", type=float, default=0, help="GB to read for the peak memory")
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak:
        print_peak(options.peak)
        return
    if options.memory:
        measure_memory(options.memory)
        return
    for trial in options.trials:
        measure(trial)
    if not options.trials:
        with tempfile.TemporaryDirectory() as folder:
            write_transcript(Path(folder) / "agent" / "claude-code.txt", int(options.size * 1e6))
            measure(Path(folder))


if __name__ == "__main__":
    main()
