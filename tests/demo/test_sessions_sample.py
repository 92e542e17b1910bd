"""The sample of own sessions: every commit is found, and the answer says what it does not show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import groundtrace


def test_the_sample_answers_the_question(groundtrace: Callable[..., Any], tmp_path: Path) -> None:
    ran = groundtrace("demo", "--sessions", "--out", tmp_path)
    assert ran.code == 0, ran.err
    assert "with-mcp against without-mcp" in ran.out
    assert "no experiment" in ran.out
    assert '[models."tern-small-1"]' in ran.out
    assert "2 of the 12 relevant files were met by sourcegraph and by nothing else" in " ".join(
        ran.out.split()
    )


def test_sessions_have_titles_days_and_one_without_a_commit(tmp_path: Path) -> None:
    from groundtrace.demo.sessions import write_sessions

    write_sessions(tmp_path)
    done = groundtrace.run(
        tmp_path / "sessions",
        tasks=f"git:{tmp_path / 'heron'}",
        config_by="mcp",
        out=tmp_path / "out",
        draws=100,
    )
    rows = done.rows()
    assert len(rows) == 16
    without = [row for row in rows if not row["computable"]]
    assert [row["trial_name"] for row in without] == ["1038"]
    assert done.impact is not None
    (found,) = done.impact.document.unpaired_comparisons
    assert (found.n_baseline, found.n_config) == (8, 8)
    (server,) = found.servers
    assert (server.server, server.calls, server.seconds) == ("sourcegraph", 8, 96.0)
    assert (server.found_alone, server.relevant_files) == (2, 12)
    documents = {
        d.row.trial_name: d
        for d in groundtrace.iterate_documents(tmp_path / "sessions", out=tmp_path / "out")
    }
    about = documents["1000"].events.provenance
    assert about.title == "Count the eggs of the reed nest before it floods"
    assert (about.branch, about.started_at) == ("main", "2026-05-04T09:00:00.000Z")
