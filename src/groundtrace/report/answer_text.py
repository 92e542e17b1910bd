"""The answer as text: the one renderer for terminal, Markdown, viewer and notebook."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from msgspec import UNSET

from groundtrace.documents.answer import Answer, AnswerRow
from groundtrace.documents.impact import ConfigAggregate, ImpactDocument
from groundtrace.impact.answer_words import short_name
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.report import formats
from groundtrace.report.wording import plural, reason

WIDTH = 100
"""Most characters in a line."""
LABEL = 10
"""Characters of the first column."""
NAME = 14
"""Most characters of a configuration's name above its numbers."""
NARROW = 28
"""If fewer characters are left beside the numbers, the verdict stands below them."""
NO_COMPARISON = "No comparison"
MAX_CONFIGS = 4
"""Most configurations whose means are shown side by side if nothing is compared."""

QUESTIONS = {"found": "Found", "used": "Used", "result": "Result", "price": "Price"}
"""What the answer calls its questions."""
_AS_POINTS = ("shown.file_recall", "util_read_overlap_with_relevant_files")
"""Shares that are shown in per cent."""

Line = tuple[str, str]


def analysis_text(document: ImpactDocument, width: int = WIDTH) -> str:
    """The answer of a document: a table, sentences, and what limits them."""
    others = [one for one in document.answers if one != document.answer]
    parts = [answer_text(document.answer, width)]
    if document.answer.rows == []:
        shown = _side_by_side(document.config_aggregates, document.primaries)
        parts += [line for label, text in shown for line in _wrapped(label, text, width)]
    for other in others:
        parts += _wrapped("Also", also_text(other), width)
    return "\n".join(parts)


def answer_text(answer: Answer, width: int = WIDTH) -> str:
    """One answer alone."""
    lines = textwrap.wrap(title(answer), width, break_on_hyphens=False) if answer.rows else []
    if answer.rows:
        lines += ["", *_table(answer, width), ""]
    lines += textwrap.wrap(answer.headline, width, break_on_hyphens=False)
    for number, item in enumerate(answer.look_at):
        lines += _wrapped("Look at" if number == 0 else "", item.text, width)
    return "\n".join(lines)


def _wrapped(label: str, text: str, width: int) -> list[str]:
    wide = max(20, width - LABEL)
    parts = textwrap.wrap(text, wide, break_on_hyphens=False, break_long_words=True) or [""]
    return [f"{label if i == 0 else '':<{LABEL}}{part}" for i, part in enumerate(parts)]


def analysis_lines(document: ImpactDocument) -> Iterator[Line]:
    """The same as (label, text), for pages and notebooks that wrap by themselves."""
    answer = document.answer
    yield from answer_lines(answer)
    if answer.rows == []:
        yield from _side_by_side(document.config_aggregates, document.primaries)
    for other in document.answers:
        if other != answer:
            yield "Also", also_text(other)


def answer_lines(answer: Answer) -> Iterator[Line]:
    """One answer alone as (label, text)."""
    if answer.rows:
        yield "Compared" if answer.baseline else "Alone", title(answer)
    for row in answer.rows:
        yield QUESTIONS[row.question], f"{short_name(row.metric)}  {row_text(row)}"
    yield ("In words" if answer.rows else NO_COMPARISON), answer.headline
    for item in answer.look_at:
        yield "Look at", item.text


def title(answer: Answer) -> str:
    """Who is compared with whom, on how many tasks and trials."""
    trials = sum(one.trials for one in answer.trials.values())
    counted = plural(trials, "trial")
    lost = [f"{one.lost:,} lost in {name}" for name, one in answer.trials.items() if one.lost]
    if lost and any(one.lost < one.trials for one in answer.trials.values()):
        counted += f", {', '.join(lost)}"
    if answer.baseline is None:
        return f"{answer.config}, {plural(answer.n, 'task')} ({counted})"
    tasks = plural(answer.n, "task")
    return f"{answer.config} against {answer.baseline}, {tasks} that both ran ({counted})"


def also_text(answer: Answer) -> str:
    """Another pair in one line."""
    if not answer.rows:
        return answer.headline
    said = [f"{short_name(row.metric)} {verdict_text(row)}" for row in answer.rows if row.n]
    return f"{title(answer)}: {'; '.join(said)}"


# --- rows ---------------------------------------------------------------------------------


def _table(answer: Answer, width: int) -> list[str]:
    rows = [row for row in answer.rows if row.n] or answer.rows
    label = max(len(short_name(row.metric)) for row in rows)
    values = [[written(row.metric, v) for v in (row.baseline, row.config)] for row in rows]
    most = NAME if width >= 80 else 8
    alone = answer.baseline is None
    names = ["", ""] if alone else columns(answer.baseline or "", answer.config or "", most)
    wide = [max(len(name), *(len(v[k]) for v in values)) for k, name in enumerate(names)]
    lines = []
    if not alone:
        lines.append(f"{'':<{LABEL + label}}  {names[0]:>{wide[0]}}    {names[1]:>{wide[1]}}")
    for row, (before, after) in zip(rows, values, strict=True):
        start = f"{QUESTIONS[row.question]:<{LABEL}}{short_name(row.metric):<{label}}"
        if alone:
            lines.append(f"{start}  {after:>{wide[1]}}  ({plural(row.n, 'task')})")
            continue
        start = f"{start}  {before:>{wide[0]}} → {after:>{wide[1]}}   "
        if width - len(start) < NARROW:
            lines += [start.rstrip(), *_wrapped("", verdict_text(row), width)]
            continue
        said = textwrap.wrap(verdict_text(row), width - len(start)) or [""]
        lines.append(f"{start}{said[0]}".rstrip())
        lines += [f"{'':<{len(start)}}{part}" for part in said[1:]]
    return lines


_ENDS = re.compile(r"[-_./]")


def columns(baseline: str, config: str, most: int = NAME) -> list[str]:
    """Two names above their numbers, without the end that they share, and not too long."""
    shared = 0
    for place, (one, other) in enumerate(zip(baseline[::-1], config[::-1], strict=False), start=1):
        if one != other:
            break
        if _ENDS.match(one) and place < min(len(baseline), len(config)):
            shared = place
    names = [name[: len(name) - shared] for name in (baseline, config)]
    return [name if len(name) <= most else f"{name[: most - 1]}…" for name in names]


def row_text(row: AnswerRow) -> str:
    """The numbers of a row and its verdict."""
    if row.config is None:
        return f"{formats.MISSING} ({reason(row.reason)})"
    if row.baseline is None:
        return f"{written(row.metric, row.config)}  ({plural(row.n, 'task')})"
    change = f"{written(row.metric, row.baseline)} → {written(row.metric, row.config)}"
    counts = f"{row.better} better, {row.same} same, {row.worse} worse of {plural(row.n, 'task')}"
    return f"{change}  {verdict_text(row)}; {counts}"


def verdict_text(row: AnswerRow) -> str:
    """The word with the difference and its interval."""
    if row.delta is None:
        return f"untestable: {reason(row.reason)}"
    word = (row.verdict or "").replace("_", " ")
    text = f"{word}: {difference_text(row)}"
    if row.typical_ratio is not UNSET and _disagree(row):
        text += f"; typical task {formats.ratio(row.typical_ratio)}"
    if row.within_margin is True and row.verdict != "equivalent":
        text += "; within the margin"
    return text


def _disagree(row: AnswerRow) -> bool:
    ratio = row.typical_ratio
    return ratio is not UNSET and (ratio > 1) != ((row.delta or 0.0) > 0) and ratio != 1


def difference_text(row: AnswerRow) -> str:
    """The difference with its interval, or why there is none."""
    text = change(row.metric, row.delta)
    if row.ci_low is None or row.ci_high is None:
        return f"{text} ({reason(row.reason)})"
    low, high = change(row.metric, row.ci_low, ""), change(row.metric, row.ci_high, "")
    return f"{text} ({low} to {high})"


def written(name: str, value: float | None) -> str:
    """A value of a row."""
    if name in _AS_POINTS and value is not None:
        return f"{100 * value:.0f} %"
    return formats.brief(name, value)


def change(name: str, value: float | None, unit: str = " points") -> str:
    """A difference of a row, with its sign."""
    if name not in _AS_POINTS or value is None:
        return formats.brief_delta(name, value)
    points = round(100 * value)
    sign = "+" if points > 0 else formats.MINUS if points < 0 else ""
    return f"{sign}{abs(points)}{unit}"


def tone(row: AnswerRow) -> str:
    """`good`, `bad` or `open`: whether a clear difference is better."""
    if row.verdict not in ("higher", "lower"):
        return "open"
    return "good" if row.verdict == QUANTITIES[row.metric].better else "bad"


# --- nothing compared ---------------------------------------------------------------------


def _side_by_side(configs: Sequence[ConfigAggregate], primaries: Sequence[str]) -> Iterator[Line]:
    """Means of the configurations with most tasks, over all tasks of each."""
    # Imported here: it loads numpy, which a run without changes does not need.
    from groundtrace.impact.family import question_of

    most = sorted(configs, key=lambda one: (-one.n_tasks, one.config_name))[:MAX_CONFIGS]
    shown = sorted(most, key=lambda one: one.config_name)
    means = {(own.config_name, m.metric): m for own in shown for m in own.metrics}
    any_shown = False
    for name in primaries:
        found = [(own.config_name, means.get((own.config_name, name))) for own in shown]
        said = [
            f"{config} {written(name, one.mean)} ({plural(one.n, 'task')})"
            for config, one in found
            if one is not None and one.n
        ]
        if said:
            any_shown = True
            yield QUESTIONS[question_of(name)], f"{short_name(name)}  {', '.join(said)}"
    if any_shown and len(configs) > len(shown):
        more = plural(len(configs) - len(shown), "more configuration")
        yield "", f"{more} in the report"
