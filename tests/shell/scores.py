"""Scores of the shell evidence: on the lists of commands, and on labelled real calls."""

from __future__ import annotations

import json
import posixpath
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from groundtrace.config import Settings
from groundtrace.model import FileRef, ToolCall, ToolResult
from groundtrace.shell import ShellView
from groundtrace.storage import LocalFolder
from groundtrace.traces import read_trace
from tests.shell.scratch_repository import Case, build, read_cases, run
from tests.shell.views import shell_refs


@dataclass
class Judged:
    """One case and what became of it."""

    case: Case
    files_right: bool
    lines_right: bool
    failed_right: bool
    view: ShellView
    output: str
    found_files: set[tuple[str, str]] = field(default_factory=set)
    found_spans: set[tuple[str, tuple[int | None, int | None]]] = field(default_factory=set)


def relative(refs: Iterable[FileRef], root: str) -> list[FileRef]:
    out = []
    for ref in refs:
        path = ref.path
        if ref.repo is None and posixpath.isabs(path):
            path = posixpath.relpath(path, root) if path.startswith(root) else path
        out.append(FileRef(path, ref.kind, ref.repo, ref.line_start, ref.line_end))
    return out


def judge(case: Case, repo: Path) -> Judged:
    return judge_output(case, repo, run(case, repo))


def judge_output(case: Case, repo: Path, output: str) -> Judged:
    """What is found in `output`, beside what the case says."""
    command = case.command.replace("{root}", str(repo))
    view = shell_refs(command, ToolResult(text=output), str(repo), Settings())
    refs = relative(view.refs, str(repo))
    files = {(str(ref.kind), ref.path) for ref in refs}
    spans = {
        (ref.path, (ref.line_start, ref.line_end))
        for ref in refs
        if ref.kind in {"read", "matched"}
    }
    return Judged(
        case,
        files == case.files,
        spans == case.spans,
        view.failed == case.failed,
        view,
        output,
        files,
        spans,
    )


def judge_list(name: str) -> list[Judged]:
    out = []
    for case in read_cases(name):
        if not case.runnable():
            continue
        with tempfile.TemporaryDirectory() as folder:
            out.append(judge(case, build(Path(folder))))
    return out


def real_calls(corpus: Path) -> Iterable[tuple[str, ToolCall]]:
    """Shell calls of all trials of a corpus, with their commands."""
    for trial in sorted(path for path in corpus.glob("runs/official/*/*/*/*") if path.is_dir()):
        for call in read_trace(LocalFolder(trial)).trace.calls:
            command = call.arguments.get("command")
            if call.name in {"Bash", "execute_bash"} and isinstance(command, str):
                yield command, call


def score_labels(corpus: Path) -> tuple[float, float, int]:
    """Precision and recall on (call, file) pairs of the labelled shell calls, and their number."""
    right = wrong = missed = count = 0
    for raw in (corpus / "labels.jsonl").read_text().splitlines():
        label = json.loads(raw)
        if label["tool"] not in {"Bash", "execute_bash"} or label.get("ambiguous"):
            continue
        trace = read_trace(LocalFolder(corpus / label["trial"])).trace
        step = label.get("step_id")
        call = next(
            call
            for call in trace.calls
            if call.call_id == label["call_id"] and (step is None or str(call.step_id) == str(step))
        )
        count += 1
        view = shell_refs(
            call.arguments["command"],
            call.result,
            call.cwd or trace.cwd or "/workspace",
            Settings(),
        )
        wanted = [(e["repo"], e["path"]) for k in ("read", "surfaced", "written") for e in label[k]]
        left = set(wanted)
        for path, repo in {(ref.path, ref.repo) for ref in view.refs}:
            hits = [
                (name, end)
                for name, end in left
                if (path == end or path.endswith("/" + end))
                and (name is None or name in (repo or "") or f"/{name}/" in path)
            ]
            if hits:
                right += 1
                left.discard(max(hits, key=lambda hit: len(hit[1])))
            else:
                wrong += 1
        missed += len(left)
    return right / (right + wrong), right / (right + missed), count
