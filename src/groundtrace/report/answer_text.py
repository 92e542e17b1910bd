"""The answer as lines of text, for the terminal and for the report's first section."""

from __future__ import annotations

from collections.abc import Iterator

from groundtrace.documents.answer import Answer, AnswerEnough, AnswerRow
from groundtrace.impact.answer_words import short_name
from groundtrace.report import formats
from groundtrace.report.wording import plural, reason

WIDTH = 30
"""Width of the questions in characters."""
TASKS_SHOWN = 4


def answer_text(answer: Answer) -> str:
    """The answer, one line for each question."""
    return "\n".join(f"{label:<{WIDTH}}{text}" for label, text in answer_lines(answer))


def answer_lines(answer: Answer) -> Iterator[tuple[str, str]]:
    """(question, answer) in order."""
    if answer.comparison is None and answer.rows == []:
        yield "No comparison", answer.statement
    by_question: dict[str, list[AnswerRow]] = {}
    for row in answer.rows:
        by_question.setdefault(row.question, []).append(row)
    for question, rows in by_question.items():
        said = [row_text(row, answer) for row in rows if row.n or row is rows[0]]
        if answer.reward_per_dollar is not None and any(r.metric == "reward" for r in rows):
            said.append(
                f"{formats.MINUS if answer.reward_per_dollar < 0 else '+'}"
                f"{abs(answer.reward_per_dollar):.2g} reward for each extra dollar"
            )
        yield question, ";  ".join(said)
    if answer.comparison is not None:
        yield "Enough tasks?", enough_text(answer.enough, answer)
        yield "In words", answer.statement
    if answer.look_at:
        yield "Look at", "; ".join(answer.look_at)
    if answer.hint is not None:
        yield "Try", answer.hint


def row_text(row: AnswerRow, answer: Answer) -> str:
    """One number of the answer."""
    name = short_name(row.metric)
    if row.config is None:
        return f"{name}  {formats.MISSING} ({reason(row.reason)})"
    if row.baseline is None:
        return f"{name}  {formats.brief(row.metric, row.config)}  ({plural(row.n, 'task')})"
    change = f"{formats.brief(row.metric, row.baseline)} → {formats.brief(row.metric, row.config)}"
    kind = "matched tasks" if answer.comparison == "matched_comparisons" else "tasks both ran"
    counts = f"{row.better} better, {row.same} same, {row.worse} worse of {row.n} {kind}"
    return f"{name}  {change}  ({difference_text(row)}; {counts})"


def difference_text(row: AnswerRow) -> str:
    """The difference or ratio with its interval; the single tasks if there is no interval."""
    if row.ratio is not None:
        text = f"× {row.ratio:.2f}"
        ends = (row.ratio_low, row.ratio_high)
        shown = [f"{end:.2f}" for end in ends if end is not None]
    else:
        text = formats.brief_delta(row.metric, row.delta)
        shown = [
            formats.brief_delta(row.metric, e) for e in (row.ci_low, row.ci_high) if e is not None
        ]
    if len(shown) == 2:
        return f"{text}, 95 % {shown[0]} to {shown[1]}"
    return f"{text}, no interval: {reason(row.reason)}{single_tasks(row)}"


def has_interval(row: AnswerRow) -> bool:
    """Whether a row has an interval, of the difference or of the ratio."""
    return (row.ci_low if row.ratio is None else row.ratio_low) is not None


def single_tasks(row: AnswerRow) -> str:
    """The tasks behind a row without an interval."""
    if not row.tasks:
        return ""
    said = ", ".join(
        f"{t.task_name} {formats.brief(row.metric, t.baseline)} → {formats.brief(row.metric, t.config)}"
        for t in row.tasks[:TASKS_SHOWN]
    )
    return f": {said}{' …' if len(row.tasks) > TASKS_SHOWN else ''}"


def enough_text(enough: AnswerEnough, answer: Answer) -> str:
    """What this number of tasks can show."""
    text = (
        f"{enough.n} matched"
        if answer.comparison == "matched_comparisons"
        else f"{enough.n} run by both"
    )
    if enough.metric is None or enough.detectable is None:
        return f"{text}; too few to say what they can show ({reason(enough.reason)})"
    name = short_name(enough.metric)
    limit = formats.brief(enough.metric, enough.detectable)
    text = f"{text}; a {name} difference below {limit} would go unseen"
    if enough.effect is None or enough.needed is None:
        return text
    return f"{text}; about {enough.needed:,} tasks would show {enough.effect:g}"
