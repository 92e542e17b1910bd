"""Where the chain breaks: relevant files met, shown, read, edited; functions shown and edited, if
they are known; tasks solved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from groundtrace.base.frozen import Frozen
from groundtrace.documents.comparison import MatchedComparison
from groundtrace.impact.answer_names import AS_POINTS
from groundtrace.report import formats
from groundtrace.report.blocks import Name, make_table
from groundtrace.report.charts.bars import Bar, BarRow, grouped_bars
from groundtrace.report.charts.chart import Chart, Colours, drawn, key_of
from groundtrace.report.task_units import SOLVED, TaskUnit
from groundtrace.report.wording import plural

STEPS: Mapping[str, tuple[str, str]] = {
    AS_POINTS[0]: ("met", "relevant files that a call named or showed"),
    AS_POINTS[1]: ("shown", "relevant files whose content came back"),
    AS_POINTS[2]: ("read", "relevant files that the agent opened"),
    AS_POINTS[3]: ("functions shown", "needed functions of which a line was shown"),
    AS_POINTS[4]: ("edited", "files to edit that the agent edited"),
    AS_POINTS[5]: ("functions edited", "needed functions that the submitted patch changes"),
    SOLVED: ("solved", "tasks with a reward of 1"),
}
"""Each step: its name and what is counted, in per cent."""
_ENDS = {SOLVED: "solving tasks", AS_POINTS[4]: "editing them", AS_POINTS[5]: "editing them"}
"""Where the chain of a chart ends; without one of these steps it ends at reading."""


class StepMean(Frozen, frozen=True):
    """The mean of one step of one configuration."""

    share: float | None
    n: int


def chain_chart(
    units: Mapping[str, Sequence[TaskUnit]],
    configs: Sequence[str],
    colours: Colours,
    comparison: MatchedComparison | None = None,
    decimals: int = 0,
) -> Iterator[Chart]:
    """The chain of each configuration; with a comparison, over the tasks that both ran, and with
    the decimals of the answer above it: 61.5 % there and 62 % here look like two numbers."""
    means = (
        {config: {step: _mean(units.get(config, ()), step) for step in STEPS} for config in configs}
        if comparison is None
        else _paired(units, comparison)
    )
    steps = [step for step in STEPS if any(means[config][step].n for config in configs)]
    if len(steps) < 2:
        return
    end = _ENDS.get(steps[-1], "reading them")
    rows = [
        BarRow(
            STEPS[step][0],
            tuple(_bar(config, step, means[config][step], colours, decimals) for config in configs),
        )
        for step in steps
    ]
    wide, narrow = drawn(
        partial(grouped_bars, rows, f"From meeting relevant files to {end}", top=1.0), "whole"
    )
    said = "; ".join(f"{STEPS[step][0]}: {STEPS[step][1]}" for step in steps)
    met, edited = (
        [means[config][step].n for config in configs] for step in (AS_POINTS[0], AS_POINTS[4])
    )
    fewer = any(edited) and edited != met
    some = " Only some tasks say which files to edit." if fewer else ""
    yield Chart(
        "chain",
        "chain",
        (f"How far did it get, from meeting relevant files to {end}?",),
        f"Means over {'tasks' if comparison is None else 'the tasks that both ran'}, in brackets "
        f"their number. {said[:1].upper()}{said[1:]}.{some}",
        wide,
        narrow,
        key_of(configs, colours),
        make_table(
            f"From {STEPS[steps[0]][0]} to {STEPS[steps[-1]][0]}",
            ("config", "step", ">mean", ">n"),
            [
                [
                    Name(c),
                    STEPS[s][0],
                    _percent(means[c][s], decimals),
                    formats.count(means[c][s].n),
                ]
                for c in configs
                for s in steps
            ],
        ),
        (),
        "whole",
    )


def _mean(own: Sequence[TaskUnit], step: str) -> StepMean:
    return _of([value for unit in own if (value := unit.mean(step)) is not None])


def _of(values: Sequence[float]) -> StepMean:
    return StepMean(sum(values) / len(values) if values else None, len(values))


def _paired(
    units: Mapping[str, Sequence[TaskUnit]], comparison: MatchedComparison
) -> dict[str, dict[str, StepMean]]:
    """Means over the tasks with a value on both sides, as in the rows of the answer."""
    names = (comparison.baseline_config, comparison.config)
    tasks = comparison.tasks or []
    found: dict[str, dict[str, StepMean]] = {name: {} for name in names}
    for step in AS_POINTS:
        both = [t for t in tasks if step in t.baseline and step in t.config]
        found[names[0]][step] = _of([t.baseline[step] for t in both])
        found[names[1]][step] = _of([t.config[step] for t in both])
    solved = [{unit.task: unit.mean(SOLVED) for unit in units.get(name, ())} for name in names]
    pairs = [tuple(side.get(t.task_name) for side in solved) for t in tasks]
    known = [pair for pair in pairs if None not in pair]
    for at, name in enumerate(names):
        found[name][SOLVED] = _of([pair[at] or 0.0 for pair in known])
    return found


def _percent(mean: StepMean, decimals: int) -> str:
    return formats.MISSING if mean.share is None else f"{100 * mean.share:.{decimals}f} %"


def _bar(config: str, step: str, mean: StepMean, colours: Colours, decimals: int) -> Bar:
    if mean.share is None:
        return Bar(colours[config], None, "not known", f"{Name(config)}: not known")
    said = _percent(mean, decimals)
    text = f"{said} ({mean.n:,})"
    name, what = STEPS[step]
    title = f"{Name(config)}, {name}: {said} of {what} ({plural(mean.n, 'task')})"
    return Bar(colours[config], mean.share, text, title)
