"""What an agent looked at, counted by hand on a session without ground truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conftest import Ran
from tests.traces import test_codex as codex


def shell(call_id: str, command: str, text: str, code: int = 0) -> list[dict[str, Any]]:
    answer = json.dumps({"output": text, "metadata": {"exit_code": code}})
    asked = codex.call(call_id, "shell", {"command": ["bash", "-lc", command]})
    return [asked, codex.output(call_id, answer)]


def test_a_session_without_ground_truth(tmp_path: Path, groundtrace: Any) -> None:
    lines = [
        codex.wrapped("session_meta", codex.META),
        *shell("1", "cat a.py", "12345\n"),
        *shell("2", "cat a.py", "12345\n"),  # the same again
        codex.item("custom_tool_call", call_id="3", name="apply_patch", input=codex.PATCH),
        codex.item("custom_tool_call_output", call_id="3", output="Success. Updated"),
        *shell("4", "cat a.py", "54321\n"),  # changed since: no repeat
        *shell("5", "rg -n x", "b.py:1:x\nc.py:2:x\n"),
        *shell("6", "cat gone.py", "cat: gone.py: No such file or directory\n", 1),
    ]
    path = codex.write(tmp_path / "s.jsonl", lines)
    ran: Ran = groundtrace("explain", path, "--json")
    seen = json.loads(ran.out)["looked_at"]
    assert {key: seen[key] for key in list(seen)[:7]} == {
        "calls": 6,
        "failed": 1,
        "unanswered": 0,
        "repeated_reads": 1,
        "files_read": 1,
        "files_searched": 2,
        "files_written": 1,
    }
    first = seen["files"][0]
    assert first["file"].endswith("a.py")
    assert (first["reads"], first["writes"], first["shown_chars"]) == (3, 1, 18)
    # Two files share the answer of the search; its lines say how much each took.
    assert [row["shown_chars"] for row in seen["files"][1:]] == [9, 9]
    ran = groundtrace("explain", path)
    assert "1 file read, 2 searched, 1 written; 1 read repeated; 1 call failed" in ran.out


def test_a_repeated_read_shows_only_lines_that_were_read_before(
    tmp_path: Path, groundtrace: Any
) -> None:
    ten = "".join(f"line {n}\n" for n in range(1, 11))
    three, last = "line 2\nline 3\nline 4\n", "line 9\nline 10\nline 11\n"
    lines = [
        codex.wrapped("session_meta", codex.META),
        *shell("1", "head -n 10 a.py", ten),
        *shell("2", "sed -n 2,4p a.py", three),  # a part of what was read
        *shell("3", "sed -n 9,11p a.py", last),  # line 11 is new
        *shell("4", "sed -n 1p a.py; sed -n 3p a.py", "line 1\nline 3\n"),  # one call, one read
        *shell("5", "sort a.py | head -n 2", "line 1\nline 10\n"),  # lines are not known
        *shell("6", "sort a.py | head -n 2", "line 1\nline 10\n"),
    ]
    path = codex.write(tmp_path / "s.jsonl", lines)
    ran: Ran = groundtrace("explain", path, "--json")
    seen = json.loads(ran.out)["looked_at"]
    (file,) = seen["files"]
    assert (file["reads"], file["repeated_reads"], seen["repeated_reads"]) == (6, 2, 2)


def sessions(tmp_path: Path) -> Path:
    """Two sessions without ground truth, the second with a call that fails."""
    (tmp_path / "in").mkdir()
    read = [codex.wrapped("session_meta", codex.META), *shell("1", "cat a.py", "12345\n")]
    codex.write(tmp_path / "in/one.jsonl", read)
    failed = shell("2", "cat gone.py", "cat: gone.py: No such file or directory\n", 1)
    codex.write(tmp_path / "in/two.jsonl", [*read, *failed])
    return tmp_path / "in"


def test_a_folder_of_sessions_says_what_they_looked_at(tmp_path: Path, groundtrace: Any) -> None:
    """In the terminal, the summary, the report and the page, from the same numbers."""
    runs = sessions(tmp_path)
    ran: Ran = groundtrace("run", runs, "--out", tmp_path / "out", "--jobs", 1)
    assert ran.code == 0, ran.err
    said = ran.out + ran.err
    assert "2 files read, 0 searched, 0 written; 3 calls, 1 failed, 0 reads repeated" in said
    folder = next(tmp_path.glob("out/*/retrieval_events"))
    (seen,) = json.loads((folder / "run_retrieval_summary.json").read_text())["looked_at"]
    assert (seen["trials"], seen["calls"], seen["failed"], seen["files_read"]) == (2, 3, 1, 2)
    (file,) = seen["files"]
    assert (file["trials"], file["reads"], file["shown_chars"]) == (2, 2, 12)
    (tool,) = seen["tools"]
    assert (tool["tool"], tool["calls"], tool["failed"]) == ("shell", 3, 1)
    assert seen["cost_usd"] is None, "no session states a cost, and none is made up"
    for name in ("retrieval_report.md", "retrieval_report.html"):
        assert "What did they look at?" in (folder / name).read_text()


def test_a_report_without_ground_truth_has_no_section_without_words(
    tmp_path: Path, groundtrace: Any
) -> None:
    """“How soon” was a heading and nothing else, and “No matched task changed” was not true."""
    assert groundtrace("run", sessions(tmp_path), "--out", tmp_path / "out", "--jobs", 1).code == 0
    text = next(tmp_path.glob("out/*/retrieval_events/retrieval_report.md")).read_text()
    assert "No trial has metrics of relevant files; Coverage says why." in text
    for heading in ("How soon", "Using what was found", "What went wrong"):
        assert f"\n## {heading}\n" not in text, heading
    assert "No matched task changed" not in text


def test_tables_have_every_file_and_tool(tmp_path: Path, groundtrace: Any) -> None:
    runs = sessions(tmp_path)
    where = ("--out", tmp_path / "out")
    assert groundtrace("run", runs, *where, "--jobs", 1, "--format", "md").code == 0
    query = "select trial_name, file, reads, shown_chars from files order by 1"
    ran: Ran = groundtrace("sql", runs, query, *where, "--csv")
    assert [line.split(",")[2:] for line in ran.out.split()[1:]] == [["1", "6"], ["1", "6"]]
    query = "select sum(calls)::int, sum(failed)::int, min(tool) from tools"
    ran = groundtrace("sql", runs, query, *where, "--csv")
    assert ran.out.splitlines()[-1] == "3,1,shell"


def test_trials_with_ground_truth_are_not_listed(sample: Path, groundtrace: Any) -> None:
    ran: Ran = groundtrace("evaluate", sample / "runs/official", "--tasks", sample / "benchmarks")
    assert "looked at" not in ran.out + ran.err
