"""One entry of a ground truth: its path, its repository, its spelling (D17)."""

from __future__ import annotations

from typing import Any

import pytest

from groundtrace.model import TruthChunk, TruthFile
from groundtrace.truth.entries import RefusedEntry, truth_chunk, truth_file


@pytest.mark.parametrize(
    ("entry", "spelling", "path", "repo"),
    [
        ("src/a.py", "src/a.py", "src/a.py", None),
        ("  src/a.py ", "src/a.py", "src/a.py", None),
        ("Makefile", "Makefile", "Makefile", None),
        ("kafka::src/A.java", "kafka::src/A.java", "src/A.java", "kafka"),
        ("hyper::hyper/Cargo.toml", "hyper::hyper/Cargo.toml", "hyper/Cargo.toml", "hyper"),
        ("sg-evals/kafka--07::A.java", "sg-evals/kafka--07::A.java", "A.java", "sg-evals/kafka--07"),
        ("kafka/src/A.java", "kafka/src/A.java", "kafka/src/A.java", None),
        ("/workspace/src/a.py", "src/a.py", "src/a.py", None),
        ("/testbed/a.py", "a.py", "a.py", None),
        ("/srv/src/a.py", "/srv/src/a.py", "/srv/src/a.py", None),
        ("src/a.cc::run", "src/a.cc", "src/a.cc", None),
        ("src/a.cc::Pump::run", "src/a.cc", "src/a.cc", None),
        ("vercel/next.js::package.json", "vercel/next.js::package.json", "package.json", "vercel/next.js"),
        ("src/a.go:12", "src/a.go", "src/a.go", None),
        ("src/a.go:12-40", "src/a.go", "src/a.go", None),
        ("src/a.go#L12-L40", "src/a.go", "src/a.go", None),
        ("src/a.go (entry point)", "src/a.go", "src/a.go", None),
        ("app/(auth)/[id]/page.tsx", "app/(auth)/[id]/page.tsx", "app/(auth)/[id]/page.tsx", None),
        ("docs/Read me.md", "docs/Read me.md", "docs/Read me.md", None),
        ({"path": "a.go"}, "a.go", "a.go", None),
        ({"repo": None, "file": "a.go"}, "a.go", "a.go", None),
        ({"repo": "unknown", "file": "a.go"}, "a.go", "a.go", None),
        ({"repo": "etcd-io/etcd", "path": "a.go"}, "etcd::a.go", "a.go", "etcd-io/etcd"),
        (
            {"repository": "github.com/sg-evals/kafka--0753c489", "file_path": "A.java"},
            "kafka::A.java",
            "A.java",
            "github.com/sg-evals/kafka--0753c489",
        ),
        ({"repo": "other", "path": "kafka::A.java"}, "kafka::A.java", "A.java", "kafka"),
    ],
)  # fmt: skip
def test_an_entry_is_read(entry: Any, spelling: str, path: str, repo: str | None) -> None:
    assert truth_file(entry) == TruthFile(spelling, path, repo)


@pytest.mark.parametrize(
    "entry",
    [
        *("", "  ", "src/", "..", "src/..", "src/*.py", "a\0b.py", "a\nb.py", "x" * 5000),
        *("https://x.org/a.py", "the door stays open", "a/b.go -> c/d.go", "a.go → b.go"),
        *("['a.py', 'b.py']", "a.py, b.py", "kafka::", None, 3, True, [], {}, {"path": 3}),
        {"repo": 3, "path": "a.go"},
    ],
)
def test_what_is_no_file_is_refused_with_a_reason(entry: Any) -> None:
    refused = truth_file(entry)
    assert isinstance(refused, RefusedEntry)
    assert refused.reason.isascii() or "…" in refused.reason


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ({"line_start": 3, "line_end": 9}, (3, 9)),
        ({"start_line": 3, "end_line": 9}, (3, 9)),
        ({"line": 7}, (7, 7)),
        ({"lines": [3, 9]}, (3, 9)),
        ({}, None),
        ({"line_start": 3}, None),
        ({"line_start": 0, "line_end": 9}, None),
        ({"line_start": 9, "line_end": 3}, None),
        ({"line_start": True, "line_end": 3}, None),
        ({"line_start": 3.0, "line_end": 9.0}, None),
        ({"line_start": 3, "line_end": 10**30}, None),
        ({"lines": "3-9"}, None),
    ],
)
def test_lines_are_never_made_up(lines: dict[str, Any], expected: tuple[int, int] | None) -> None:
    """D28."""
    chunk = truth_chunk({"file": "a.go", **lines})
    found = (chunk.line_start, chunk.line_end) if isinstance(chunk, TruthChunk) else None
    assert found == expected
