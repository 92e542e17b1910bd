"""`explain` as text: sections from identity to metrics, plain in a file, coloured on a terminal."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from groundtrace.base.visible import escape, in_columns
from groundtrace.metrics.catalogue import OUTCOMES
from groundtrace.report import formats
from groundtrace.report.safe_text import plain, shown_name
from groundtrace.report.wording import plural, reason

SHOWN_FILES = 12
"""Files of one call that are listed; the others are only counted."""

ARGUMENT_LIMIT = 160
"""Characters of an argument that are shown."""


def render(found: dict[str, Any], *, only_calls: bool = False, metrics: Sequence[str] = ()) -> str:
    """The whole explanation, only its calls, or only the sources of these metrics and outcomes."""
    sections = dict(_SECTIONS) if not only_calls else {"Calls": _calls}
    if metrics:
        sections = {"Trial": _trial, "Numbers": lambda found: _numbers(found, metrics)}
        if lists := _lists_of(found, metrics):
            sections["Ranking"] = lambda found: _ranking(found, lists)
        sections["Calls with relevant files"] = _relevant_calls
    elif not only_calls and not found["ground_truth"]["files"]:
        sections["Looked at"] = _looked_at
    parts = []
    for title, write in sections.items():
        body = "\n".join(_painted(escape(line)) for line in write(found))
        parts.append(f"{_styled(title, bold=True)}\n{body}")
    return "\n\n".join(parts)


def _styled(text: str, **style: Any) -> str:
    """The text in colour, but only on a terminal: files and pipes get plain text."""
    return click.style(text, **style) if sys.stdout.isatty() else text


def _painted(line: str) -> str:
    """A line in the colour of its meaning; the words say the same as the colour."""
    for mark, colour in _COLOURS.items():
        if mark in line:
            return _styled(line, fg=colour)
    return line


_COLOURS = {
    "  relevant": "green",
    "missed: ": "red",
    "problem: ": "yellow",
    "degraded: ": "yellow",
}
"""Text in a line to the colour of the line; the first that fits is used."""


def _identity(found: dict[str, Any]) -> Iterator[str]:
    rows = [
        [name, _name(field["value"]), plain(field["evidence"] or "")]
        for name, field in found["identity"].items()
    ]
    yield in_columns(["field", "value", "evidence"], rows)


def _name(value: Any) -> str:
    return formats.MISSING if value is None else shown_name(str(value))


def _text(value: Any) -> str:
    return formats.MISSING if value is None else plain(str(value))


def _trace(found: dict[str, Any]) -> Iterator[str]:
    trace = found["trace"]
    yield (
        f"source: {trace['source'] or 'none'}; {plural(trace['calls'], 'call')}, "
        f"{trace['subagent_calls']:,} of subagents, {trace['without_result']:,} without a result"
    )
    yield f"working directory: {plain(trace['cwd'] or 'unknown')}"
    for root in trace["repo_roots"]:
        votes = f" ({root['votes']} votes)" if "votes" in root else ""
        why = plain(", ".join(root["evidence"]))
        yield f"repository: {plain(root['path'])} is {plain(root['repo'] or 'unnamed')}: {why}{votes}"
    if trace["unmatched_suffixes"]:
        files = plural(trace["unmatched_suffixes"], "relevant file")
        yield f"lie elsewhere: paths end like {files} that nothing matched"
    if trace["mcp_servers"]:
        yield f"MCP servers: {plain(', '.join(trace['mcp_servers']))}"
    yield from (f"evidence: {plain(line)}" for line in trace["evidence"])
    if trace["degraded_reason"]:
        yield f"degraded: {plain(trace['degraded_reason'])}"
    yield from (f"problem: {plain(problem)}" for problem in found["problems"])
    if not found["problems"]:
        yield "no problems"


def _ground_truth(found: dict[str, Any]) -> Iterator[str]:
    truth = found["ground_truth"]
    yield (
        f"source: {plain(truth['source'] or 'none')} "
        f"({truth['confidence'] or 'no'} confidence), {plural(len(truth['files']), 'file')}"
    )
    yield from (f"  {shown_name(name)}" for name in truth["files"])
    edits = truth.get("expected_edit_files")
    if edits:
        yield (
            f"expected edit files: {len(edits)}, from "
            f"{plain(truth.get('expected_edit_files_source') or 'unknown')} "
            f"({truth.get('expected_edit_files_confidence') or 'no'} confidence)"
        )
        yield from (f"  {shown_name(name)}" for name in edits)
    for chunk in truth.get("chunks") or ():
        lines = f"{chunk['line_start']}-{chunk['line_end']}"
        yield f"chunk: {shown_name(chunk['file'])} lines {lines}  {plain(chunk['annotation'] or '')}".rstrip()
    for one in truth.get("functions") or ():
        yield f"function: {shown_name(one['function'])} lines {one['line_start']}-{one['line_end']}"
    symbols = truth.get("symbols") or ()
    yield from (f"symbol: {plain(s['symbol'])} in {shown_name(s['file'])}" for s in symbols)


def _outcome(found: dict[str, Any]) -> Iterator[str]:
    outcome = found["outcome"] or {}
    rows = [
        [
            name,
            formats.value(name, outcome.get(name)),
            record.better,
            _source(found, name),
        ]
        for name, record in OUTCOMES.items()
    ]
    yield in_columns(["outcome", "value", "better", "found in, or why there is none"], rows)
    if outcome.get("exception"):
        yield f"ended with: {plain(outcome['exception'])}"


def _source(found: dict[str, Any], outcome: str) -> str:
    """Where an outcome was found, or why there is none, in words."""
    said = found["outcome_sources"][outcome]
    if (found["outcome"] or {}).get(outcome) is None:
        return plain(reason(said)) if said else formats.MISSING
    return _text(said)


def _trial(found: dict[str, Any]) -> Iterator[str]:
    """Which trial it is, in one line."""
    names = ("task_name", "config_name", "run_id", "trial_name")
    yield ", ".join(
        f"{name.removesuffix('_name').removesuffix('_id')} {_text(found['identity'][name]['value'])}"
        for name in names
    )


def _numbers(found: dict[str, Any], names: Sequence[str]) -> Iterator[str]:
    """Each number that the user asked for: value, arithmetic, meaning, and its source."""
    by_name = {metric["metric"]: metric for metric in found["metrics"]}
    for name in names:
        if name in OUTCOMES:
            value = (found["outcome"] or {}).get(name)
            yield f"{name}: {formats.value(name, value)}"
            yield f"  measures: {OUTCOMES[name].measures}"
            yield f"  {'found in' if value is not None else 'undefined'}: {_source(found, name)}"
            continue
        metric = by_name[name]
        yield f"{name}: {formats.value(name, metric['value'])}"
        yield f"  measures: {metric['measures']}"
        yield f"  formula: {metric['formula']}"
        if metric["value"] is None:
            yield f"  undefined: {reason(metric['undefined'])}"
        elif metric["arithmetic"]:
            yield f"  here: {metric['arithmetic']}"
        yield f"  counted from: {_counted(metric)}"


def _relevant_calls(found: dict[str, Any]) -> Iterator[str]:
    """Calls that touched a file of the ground truth; the others are only counted."""
    calls = [
        call
        for call in found["calls"]
        if any(access.get("ground_truth_file") for access in call["accesses"])
    ]
    yield from _calls({"calls": calls}) if calls else ("none",)
    if others := len(found["calls"]) - len(calls):
        yield f"and {plural(others, 'other call')}"


def _hit(file: str, truth: str | None) -> str:
    """The words that mark a file of the ground truth, with its name there if that differs."""
    if not truth:
        return ""
    return "  relevant" if truth == file else f"  relevant: {shown_name(truth)}"


def _calls(found: dict[str, Any]) -> Iterator[str]:
    for call in found["calls"]:
        marks = [
            call["category"],
            *(["mcp"] if call["is_mcp"] else []),
            *(["subagent"] if call["is_subagent"] else []),
            *(["failed"] if call["failed"] else []),
            *(["no result"] if call["failed"] is None else []),
            *([] if call["known_as"] else ["unknown tool"]),
        ]
        ids = " ".join(plain(part) for part in (call["call_id"], call["step_id"]) if part)
        yield f"[{call['step']}] {plain(call['tool'])} ({', '.join(marks)}) {ids}".rstrip()
        for name, value in call["arguments"].items():
            yield f"      {plain(name)}: {plain(' '.join(str(value).split()), ARGUMENT_LIMIT)}"
        for access in call["accesses"][:SHOWN_FILES]:
            hit = _hit(access["file"], access.get("ground_truth_file"))
            line = f"    {access['kind']:<8} {shown_name(access['file'])} {_lines(access)}"
            yield f"{line.rstrip()}{hit}"
            yield from _functions(access.get("functions") or ())
        more = len(call["accesses"]) - SHOWN_FILES
        if more > 0:
            yield f"    and {more} more"
        if call["why"]:
            yield f"    why: {plain(', '.join(call['why']))}"
        yield from (f"    problem: {plain(problem)}" for problem in call["problems"])
    if not found["calls"]:
        yield "no call could be read"


def _functions(names: Sequence[str]) -> Iterator[str]:
    """The functions of which an access showed a line."""
    if names:
        listed = ", ".join(plain(name.rpartition("::")[2]) for name in names[:SHOWN_FILES])
        more = len(names) - SHOWN_FILES
        yield f"             functions: {listed}{f' and {more} more' if more > 0 else ''}"


def _lists_of(found: dict[str, Any], metrics: Sequence[str]) -> tuple[str, ...]:
    """The lists of files that these metrics are counted from."""
    counted = {one["counted_from"] for one in found["metrics"] if one["metric"] in metrics}
    return tuple(name for name in LISTS if f"ranking, {name}" in counted)


LISTS = {"retrieved": "met", "shown": "shown"}
"""The two lists of files in order, and what people call them."""


def _ranking(found: dict[str, Any], lists: Sequence[str] = tuple(LISTS)) -> Iterator[str]:
    """The lists in full, so that a reader can count every rank."""
    ranking = found["ranking"]
    for name in lists:
        rows = ranking[name]
        missed = [shown_name(entry) for entry in ranking[f"missed_{name}"]]
        yield f"{LISTS[name]}: {plural(len(rows), 'file')}"
        for row in rows:
            hit = _hit(row["file"], row["ground_truth_file"])
            yield f"  {row['rank']:>4}  {shown_name(row['file'])} (step {row['step']}, {row['kind']}){hit}"
        yield f"  missed: {', '.join(missed) or 'none'}"


def _metrics(found: dict[str, Any]) -> Iterator[str]:
    if all(metric["value"] is None for metric in found["metrics"]):
        yield from _no_metrics(found)
        return
    rows = []
    for metric in found["metrics"]:
        name, value = metric["metric"], metric["value"]
        how = metric["arithmetic"] or ""
        if value is None:
            how = f"undefined: {reason(metric['undefined'])}"
        rows.append([name, formats.value(name, value), how, _counted(metric), metric["better"]])
    yield in_columns(["metric", "value", "arithmetic", "counted from", "better"], rows)


def _counted(metric: dict[str, Any]) -> str:
    """What a metric is counted from, in the words of the sections above."""
    return str(metric["counted_from"]).replace("retrieved", LISTS["retrieved"])


def _no_metrics(found: dict[str, Any]) -> Iterator[str]:
    """Why no metric has a value: one line per reason instead of one per metric."""
    reasons = Counter(reason(metric["undefined"]) for metric in found["metrics"])
    for why, count in reasons.most_common():
        yield f"{plural(count, 'metric')} undefined: {why}"


def _looked_at(found: dict[str, Any]) -> Iterator[str]:
    """What is known without a ground truth."""
    seen = found["looked_at"]
    yield (
        f"{plural(seen['files_read'], 'file')} read, {seen['files_searched']} searched, "
        f"{seen['files_written']} written; {plural(seen['repeated_reads'], 'read')} repeated; "
        f"{plural(seen['failed'], 'call')} failed, {seen['unanswered']} without a result"
    )
    rows = [
        [shown_name(row["file"]), *(formats.count(row[key]) for key in _FILE_COLUMNS)]
        for row in seen["files"][:SHOWN_FILES]
    ]
    yield in_columns(["file", "reads", "searches", "writes", "repeated", "characters"], rows)
    if (more := len(seen["files"]) - SHOWN_FILES) > 0:
        yield f"and {more} more"
    rows = [
        [plain(row["tool"]), *(formats.count(row[key]) for key in _TOOL_COLUMNS)]
        for row in seen["tools"]
    ]
    yield in_columns(["tool", "calls", "failed", "characters"], rows)


_FILE_COLUMNS = ("reads", "searches", "writes", "repeated_reads", "shown_chars")
_TOOL_COLUMNS = ("calls", "failed", "result_chars")


def _lines(access: dict[str, Any]) -> str:
    """The lines of an access: `12-40`, `12`, or nothing."""
    start, end = access.get("line_start"), access.get("line_end")
    if start is None:
        return ""
    return f"{start}" if end in (None, start) else f"{start}-{end}"


_SECTIONS: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "Identity": _identity,
    "Trace": _trace,
    "Ground truth": _ground_truth,
    "Outcome": _outcome,
    "Calls": _calls,
    "Ranking": _ranking,
    "Metrics": _metrics,
}
"""Sections in order, each with the function that writes its lines."""
