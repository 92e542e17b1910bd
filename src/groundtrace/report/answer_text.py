"""The answer as lines of text, for the terminal and for the report's first section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groundtrace.documents.impact import (
    Answer,
    AnswerEnough,
    AnswerRow,
    ConfigAggregate,
    ImpactDocument,
)
from groundtrace.impact.answer_words import SIGNIFICANT, short_name
from groundtrace.report import formats
from groundtrace.report.wording import plural, reason

WIDTH = 30
"""Width of the questions in characters."""
NO_COMPARISON = "No comparison"
TASKS_SHOWN = 4
MAX_CONFIGS = 4
"""Most configurations whose means are shown side by side if nothing is compared."""


def analysis_text(document: ImpactDocument) -> str:
    """The answer of a document, one line for each question."""
    return "\n".join(f"{label:<{WIDTH}}{text}" for label, text in analysis_lines(document))


def analysis_lines(document: ImpactDocument) -> Iterator[tuple[str, str]]:
    """(question, answer) in order; if nothing is compared, with the means of each configuration.

    The page has shown these means from the start. The terminal said only that nothing is compared,
    so 24 trials with ground truth looked as if they had no result.
    """
    answer = document.answer
    for line in answer_lines(answer):
        yield line
        if line[0] == NO_COMPARISON:
            yield from _side_by_side(document.config_aggregates, document.primaries)


def _side_by_side(
    configs: Sequence[ConfigAggregate], primaries: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Means of the configurations with most tasks, over all tasks of each."""
    # Imported here: it loads numpy, which a run without changes does not need.
    from groundtrace.impact.answer import questions

    most = sorted(configs, key=lambda one: (-one.n_tasks, one.config_name))[:MAX_CONFIGS]
    shown = sorted(most, key=lambda one: one.config_name)
    means = {(own.config_name, m.metric): m for own in shown for m in own.metrics}
    by_question: dict[str, list[str]] = {}
    for question, name in questions(primaries):
        found = [(own.config_name, means.get((own.config_name, name))) for own in shown]
        said = [
            f"{config} {formats.brief(name, one.mean, one.n)} ({plural(one.n, 'task')})"
            for config, one in found
            if one is not None and one.n
        ]
        if said:
            by_question.setdefault(question, []).append(f"{short_name(name)}  {', '.join(said)}")
    for question, texts in by_question.items():
        yield question, ";  ".join(texts)
    if by_question and len(configs) > len(shown):
        more = plural(len(configs) - len(shown), "more configuration")
        yield "", f"{more} in the report"


def answer_lines(answer: Answer) -> Iterator[tuple[str, str]]:
    """(question, answer) in order."""
    if answer.comparison is None and answer.rows == []:
        yield NO_COMPARISON, answer.statement
    by_question: dict[str, list[AnswerRow]] = {}
    for row in answer.rows:
        by_question.setdefault(row.question, []).append(row)
    for question, rows in by_question.items():
        said = [row_text(row, answer) for row in rows if row.n or row is rows[0]]
        if answer.reward_per_dollar is not None and any(r.metric == "reward" for r in rows):
            said.append(
                f"{formats.MINUS if answer.reward_per_dollar < 0 else '+'}"
                f"{abs(answer.reward_per_dollar):.2g} reward for each extra dollar{reward_doubt(answer)}"
            )
        yield question, ";  ".join(said)
    if answer.comparison is not None:
        yield "Enough tasks?", enough_text(answer.enough, answer)
        yield "In words", _with_names(answer)
    if answer.look_at:
        yield "Look at", "; ".join(answer.look_at)
    if (hint := new_hint(answer)) is not None:
        yield "Try", hint


def _with_names(answer: Answer) -> str:
    """The statement; after the two configurations if it does not name them.

    It names them only if a difference is beyond chance, and the lines above have only arrows.
    """
    if answer.baseline is None or answer.config is None or answer.baseline in answer.statement:
        return answer.statement
    return f"{answer.config} compared with {answer.baseline}. {answer.statement}"


def new_hint(answer: Answer) -> str | None:
    """The hint, unless the statement already names its flag."""
    if answer.hint is None or answer.hint.partition(" ")[0] in answer.statement:
        return None
    return answer.hint


def reward_doubt(answer: Answer) -> str:
    """What to say after the reward for each extra dollar: it is no more certain than the reward.

    “+4.9 reward for each extra dollar” read like a price, next to a difference that could be chance.
    """
    row = next((one for one in answer.rows if one.metric == "reward"), None)
    if row is None or row.p_adjusted is None:
        return " (not tested)"
    return " (could be chance)" if row.p_adjusted >= SIGNIFICANT else ""


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
