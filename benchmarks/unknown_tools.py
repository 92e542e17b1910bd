"""What is read from calls of unknown tools: `python benchmarks/unknown_tools.py LIST`.

LIST is a file of hand-written cases (tests/fixtures/generic/generic.toml). Prints for each group
and in total: calls whose result is exactly right (files with kind and lines, category, failed,
repositories), and files found, missed and invented. Relative paths are joined to the working
directory on both sides. With `--table` the tool table is used first, as in a run; without it every
tool is unknown. `-v` prints every call with an unexpected result.
"""

from __future__ import annotations

import argparse
import posixpath
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundtrace.config import Settings
from groundtrace.model import CallView, FileRef, ToolCall, ToolResult, Trace
from groundtrace.tools import view_calls

Said = tuple[list[str], str, bool, list[str]]
"""References as the list writes them, category, failed, repositories."""


@dataclass
class Score:
    """Counts over some cases."""

    calls: int = 0
    exact: int = 0
    found: int = 0
    missed: int = 0
    invented: int = 0

    def __str__(self) -> str:
        return (
            f"{self.exact}/{self.calls} exact; files {self.found} found, "
            f"{self.missed} missed, {self.invented} invented"
        )


def cases_of(path: Path) -> list[dict[str, Any]]:
    """The cases of a list."""
    cases: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["case"]
    return cases


def cwd_of(case: Mapping[str, Any]) -> str | None:
    """Working directory of a case; the default is the same as in the other lists."""
    return str(case.get("cwd", "/workspace")) or None


def call_of(case: Mapping[str, Any]) -> ToolCall:
    """The call of a case as a trace reader returns it."""
    result = ToolResult(
        text=case.get("text", ""), data=case.get("data"), is_error=case.get("error", False)
    )
    return ToolCall(
        name=case["tool"],
        arguments=case["arguments"],
        server=case.get("server"),
        result=result if case.get("answered", True) else None,
    )


def joined(path: str, repo: str | None, cwd: str | None) -> str:
    """The path as it is compared; a relative path without repository is in the current folder."""
    if repo or path.startswith("/") or not (cwd or "").startswith("/"):
        return path
    return posixpath.normpath(f"{cwd}/{path}")


def as_written(ref: FileRef, cwd: str | None) -> str:
    """A reference as the list writes it."""
    repo = f"{ref.repo}::" if ref.repo else ""
    lines = f" {ref.line_start}-{ref.line_end}" if ref.line_start is not None else ""
    mark = " diff" if ref.from_diff else ""
    return f"{ref.kind} {repo}{joined(ref.path, ref.repo, cwd)}{lines}{mark}"


def parsed(text: str) -> FileRef:
    """A reference of the list: `kind [repository::]path [first-last] [diff]`."""
    kind, _, rest = text.partition(" ")
    from_diff = rest.endswith(" diff")
    rest = rest.removesuffix(" diff")
    head, _, last = rest.rpartition(" ")
    start, dash, end = last.partition("-")
    has_lines = bool(head and dash) and start.isdigit() and end.isdigit()
    place = head if has_lines else rest
    repo, colons, path = place.partition("::")
    return FileRef(
        path if colons else place,
        kind,  # type: ignore[arg-type]
        repo=repo if colons else None,
        line_start=int(start) if has_lines else None,
        line_end=int(end) if has_lines else None,
        from_diff=from_diff,
    )


def expected_of(case: Mapping[str, Any]) -> Said:
    """What the list says about a call."""
    refs = [as_written(parsed(text), cwd_of(case)) for text in case["refs"]]
    return refs, case["category"], case.get("failed", False), sorted(case["repos"])


def said_of(case: Mapping[str, Any], view: CallView) -> Said:
    """What the tools stage says about a call, in the same form."""
    refs = [as_written(ref, cwd_of(case)) for ref in view.refs]
    return refs, view.category, view.failed, sorted(view.repos)


def view_of(case: Mapping[str, Any], *, table: bool = True) -> CallView:
    """The view of a case's call, with the tool table or with every tool unknown."""
    call = call_of(case)
    if not table:
        from groundtrace.tools.generic import generic_view

        return generic_view(call, cwd_of(case))
    return view_calls(Trace(calls=(call,), cwd=cwd_of(case)), Settings())[0]


def files_of(said: Said) -> set[tuple[str, str]]:
    """Repository and path of the files."""
    return {(ref.repo or "", ref.path) for ref in map(parsed, said[0])}


def main() -> None:
    """Print the score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("list", type=Path)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    scores: dict[str, Score] = defaultdict(Score)
    for case in cases_of(options.list):
        want = expected_of(case)
        said = said_of(case, view_of(case, table=options.table))
        files, wanted = files_of(said), files_of(want)
        debatable = "debatable" if case.get("debatable") else "certain"
        for name in (case["group"], debatable, "all"):
            score = scores[name]
            score.calls += 1
            score.exact += said == want
            score.found += len(files & wanted)
            score.missed += len(wanted - files)
            score.invented += len(files - wanted)
        if options.verbose and said != want:
            mark = " (debatable)" if case.get("debatable") else ""
            print(f"[{case['group']}]{mark} {case['says']}\n  want {want}\n  said {said}")
    for name, score in scores.items():
        print(f"{name:12} {score}")


if __name__ == "__main__":
    main()
