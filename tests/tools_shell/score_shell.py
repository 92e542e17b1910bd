"""Scores of the shell evidence: on the lists of commands, and on labelled real calls."""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from shell_scratch import Case, build, read_cases, run

from groundtrace.config import Settings
from groundtrace.model import FileRef, ToolResult
from groundtrace.tools.shell import ShellView, shell_refs


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
    output = run(case, repo)
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
