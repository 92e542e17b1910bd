"""Rows of trials for tests of the answer, and what the analysis makes of them."""

from __future__ import annotations

from groundtrace.impact import ImpactOptions, analyse
from tests.impact.trial_rows import row

BASE, OTHER = "baseline-local", "mcp-remote"
RECALL, READ = "shown.file_recall", "util_read_overlap_with_relevant_files"


def document(rows, **options):
    chosen = ImpactOptions(**{"draws": 200, **options})
    return analyse(rows, chosen, generated_at="now", scope="*")


def answer(rows, **options):
    return document(rows, **options).answer


def by_metric(found):
    return {r.metric: r for r in found.rows}


def kinds(found):
    return {item.kind: item.text for item in found.look_at}


def pairs(rewards, base=None, other=None, **shared):
    """Tasks with a reward of 0.5 in the baseline and 0.5 + d in the other configuration."""
    return [
        made
        for i, d in enumerate(rewards)
        for made in (
            row(f"t{i:02}", BASE, **{"reward": 0.5, **shared, **(base or {})}),
            row(f"t{i:02}", OTHER, **{"reward": 0.5 + d, **shared, **(other or {})}),
        )
    ]


def costs(before, after, **shared):
    return [
        made
        for i, (b, c) in enumerate(zip(before, after, strict=True))
        for made in (
            row(f"t{i:02}", BASE, cost_usd=b, **shared),
            row(f"t{i:02}", OTHER, cost_usd=c, **shared),
        )
    ]
