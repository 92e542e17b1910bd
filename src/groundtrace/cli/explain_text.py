"""`explain` as text: sections from identity to metrics, plain in a file, coloured on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from groundtrace.cli.terminal import escape, table
from groundtrace.explain import lines_of, misses

SHOWN_FILES = 12
"""Files of one call that are listed; the rest is counted."""


def render(found: dict[str, Any], *, only_calls: bool = False) -> str:
    """The whole explanation, or only its calls."""
    sections = _SECTIONS[2:3] if only_calls else _SECTIONS
    parts = []
    for title, write in sections:
        body = "\n".join(escape(line) for line in write(found))
        parts.append(f"{_bold(title)}\n{body}")
    return "\n\n".join(parts)


def _bold(text: str) -> str:
    return click.style(text, bold=True) if sys.stdout.isatty() else text


def _identity(found: dict[str, Any]) -> Iterator[str]:
    rows = [
        [name, str(field["value"]) if field["value"] is not None else "-", field["evidence"] or ""]
        for name, field in found["identity"].items()
    ]
    yield table(["field", "value", "evidence"], rows)


def _sources(found: dict[str, Any]) -> Iterator[str]:
    trace, truth = found["trace"], found["ground_truth"]
    yield f"trace: {trace['source'] or 'none'}; {trace['calls']} calls, {trace['subagent_calls']} of subagents, {trace['without_result']} without a result; cwd {trace['cwd'] or 'unknown'}"
    yield from (f"  {line}" for line in trace["evidence"])
    if trace["degraded_reason"]:
        yield f"  degraded: {trace['degraded_reason']}"
    yield from (f"  problem: {problem}" for problem in found["problems"])
    source = truth["source"] or "none"
    yield f"ground truth: {source} ({truth['confidence'] or 'no'} confidence), {len(truth['files'])} files"
    yield from (f"  {name}" for name in truth["files"])


def _calls(found: dict[str, Any]) -> Iterator[str]:
    for call in found["calls"]:
        marks = [
            call["category"],
            *(["mcp"] if call["is_mcp"] else []),
            *(["subagent"] if call["is_subagent"] else []),
            *(["failed"] if call["failed"] else []),
            *([] if call["known_as"] else ["unknown tool"]),
        ]
        yield f"[{call['step']}] {call['tool']} ({', '.join(marks)}) {call['call_id'] or ''}"
        for name, value in call["arguments"].items():
            yield f"      {name}: {_short(value)}"
        for access in call["accesses"][:SHOWN_FILES]:
            truth = access.get("ground_truth_file")
            hit = f"  = {truth}" if truth else ""
            yield f"    {access['kind']:<8} {access['file']} {lines_of(access)}{hit}".rstrip()
        more = len(call["accesses"]) - SHOWN_FILES
        if more > 0:
            yield f"    and {more} more"
        if call["why"]:
            yield f"    why: {', '.join(call['why'])}"
        yield from (f"    problem: {problem}" for problem in call["problems"])


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 160 else f"{text[:157]}..."


def _ranking(found: dict[str, Any]) -> Iterator[str]:
    ranking = found["ranking"]
    for name in ("retrieved", "shown"):
        rows = ranking[name]
        yield f"{name}: {len(rows)} files; missed: {misses(ranking[f'missed_{name}'])}"
        for row in rows:
            if row["ground_truth_file"] is not None:
                yield f"  rank {row['rank']}: {row['file']} (step {row['step']}, {row['kind']}) = {row['ground_truth_file']}"


def _metrics(found: dict[str, Any]) -> Iterator[str]:
    rows = []
    for metric in found["metrics"]:
        value = metric["value"]
        shown = f"undefined: {metric['undefined']}" if value is None else f"{value:g}"
        rows.append(
            [metric["metric"], shown, metric["arithmetic"] or "", f"{metric['better']} is better"]
        )
    yield table(["metric", "value", "arithmetic", "direction"], rows)


_SECTIONS = (
    ("Identity", _identity),
    ("Sources", _sources),
    ("Calls", _calls),
    ("Ranking", _ranking),
    ("Metrics", _metrics),
)
"""Sections in order, each with the function that writes its lines."""
