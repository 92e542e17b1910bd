"""What a command printed after its call had returned belongs to that command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from groundtrace.model import Trace
from tests.traces.test_codex import META, call, output, read, touched, wrapped

RUNNING = "Chunk ID: a\nWall time: 0.1 seconds\nProcess running with session ID {}\nOutput:\n{}"
ENDED = "Chunk ID: b\nWall time: 0.1 seconds\nProcess exited with code {}\nOutput:\n{}"


def session(folder: Path, *steps: tuple[str, dict[str, Any], str]) -> Trace:
    lines = [wrapped("session_meta", META)]
    for number, (name, given, said) in enumerate(steps):
        lines += [call(f"c{number}", name, given), output(f"c{number}", said)]
    trace, problems = read(folder, lines)
    assert not problems
    return trace


def run(command: str) -> dict[str, Any]:
    return {"cmd": command, "workdir": "/w/sub"}


def poll(number: int = 3, typed: str = "") -> dict[str, Any]:
    return {"session_id": number, "chars": typed}


def test_output_that_came_later_is_the_commands(tmp_path: Path) -> None:
    trace = session(
        tmp_path,
        ("exec_command", run("grep -rn foo src"), RUNNING.format(3, "")),
        ("exec_command", {"cmd": "cat a.py"}, RUNNING.format(4, "")),
        ("write_stdin", poll(), RUNNING.format(3, "")),
        ("write_stdin", poll(4), ENDED.format(0, "x\n")),
        ("write_stdin", poll(), ENDED.format(0, "src/two.py:2:foo\n")),
    )
    assert touched(trace) == [
        *([], [], []),
        [("read", "/w/a.py")],
        [("matched", "/w/sub/src/two.py")],
    ]
    # Names, arguments and answers are those of the trace.
    assert trace.calls[4].name == "write_stdin" and trace.calls[4].arguments == poll()
    assert trace.calls[4].result is not None
    assert trace.calls[4].result.text == "src/two.py:2:foo\n"


def test_what_is_not_certain_stays_unknown_and_is_said(tmp_path: Path) -> None:
    """The rest of a file has other lines than its head; what was typed may change the directory."""
    trace = session(
        tmp_path,
        ("exec_command", run("cat a.py"), RUNNING.format(3, "one\n")),
        ("write_stdin", poll(), ENDED.format(0, "two\n")),
        ("exec_command", run("bash"), RUNNING.format(5, "")),
        ("write_stdin", poll(5, "cd x; cat b.py\n"), RUNNING.format(5, "one\n")),
        ("write_stdin", poll(5), RUNNING.format(5, "two\n")),
    )
    assert touched(trace) == [[("read", "/w/sub/a.py")], [], [], [], []]
    assert trace.evidence[-1].endswith(
        "3 calls show more output of a running command; its files are unknown"
    )


def test_a_file_that_was_written_is_written_once(tmp_path: Path) -> None:
    trace = session(
        tmp_path,
        ("exec_command", run("echo x > a.py; cat a.py"), RUNNING.format(3, "")),
        ("write_stdin", poll(), ENDED.format(0, "x\n")),
    )
    kinds = [[kind for kind, _ in call] for call in touched(trace)]
    assert "written" in kinds[0] and "written" not in kinds[1]


def test_a_number_that_is_used_again_is_the_new_command(tmp_path: Path) -> None:
    trace = session(
        tmp_path,
        ("exec_command", run("cat a.py"), RUNNING.format(3, "")),
        ("write_stdin", poll(), ENDED.format(1, "cat: a.py: No such file or directory\n")),
        ("exec_command", run("cat b.py"), RUNNING.format(3, "")),
        ("write_stdin", poll(), ENDED.format(0, "x\n")),
        ("write_stdin", poll(), "write_stdin failed: Unknown session id 3"),
        ("write_stdin", {"session_id": [3]}, ENDED.format(0, "x\n")),
    )
    assert touched(trace) == [[], [], [], [("read", "/w/sub/b.py")], [], []]
