"""Charts of how much of the relevant code was found, and by what kind of call first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from groundtrace.metrics.catalogue import METRICS
from groundtrace.report import formats
from groundtrace.report.blocks import Name, make_table
from groundtrace.report.calls import FirstFound
from groundtrace.report.charts.bars import (
    Bar,
    BarPart,
    BarRow,
    StackedRow,
    grouped_bars,
    stacked_bars,
)
from groundtrace.report.charts.chart import Chart, Colours, drawn, key_of
from groundtrace.report.task_units import TaskUnit
from groundtrace.report.wording import plural

_PARTS: Sequence[tuple[str, str, Callable[[float], bool]]] = (
    ("all", "f-all", lambda recall: recall >= 1),
    ("some", "f-some", lambda recall: 0 < recall < 1),
    ("none", "f-none", lambda recall: recall == 0),
)
"""The possible results of a task by its mean recall, each with the class of its colour."""


def found_charts(configs: Mapping[str, list[TaskUnit]], colours: Colours) -> Iterator[Chart]:
    """Tasks in which all, some or none of the relevant files were met, then shown."""
    for record in METRICS.shown_in("recall_charts"):
        metric = record.name
        spreads = {config: spread(own, metric) for config, own in configs.items()}
        spreads = {config: found for config, found in spreads.items() if sum(found)}
        if not spreads:
            continue
        table = make_table(
            f"Tasks by {metric}",
            ("config", "relevant files", ">tasks", ">of"),
            [
                [Name(config), title, formats.count(n), formats.count(sum(found))]
                for config, found in spreads.items()
                for (title, _, _), n in zip(_PARTS, found, strict=True)
            ],
        )
        question = (record.heading("recall_charts"),)
        for place, (title, _, _) in enumerate(_PARTS):
            if all(found[place] == sum(found) for found in spreads.values()):
                # If all bars are full, one sentence says more than a chart.
                tasks = ", ".join(
                    f"{Name(c)}: {plural(sum(f), 'task')}" for c, f in spreads.items()
                )
                note = (f"In every task of every configuration: {title} of them ({tasks}).",)
                yield Chart(f"found-{record.over}", "found", question, "", None, None, note=note)
                break
        else:
            wide, narrow = drawn(
                partial(
                    stacked_bars,
                    _rows(spreads, colours),
                    [(class_, title) for title, class_, _ in _PARTS],
                    f"Tasks by {metric}",
                )
            )
            yield Chart(
                f"found-{record.over}",
                "found",
                question,
                f"Tasks by {metric}; several trials of a task are averaged.",
                wide,
                narrow,
                (),
                table,
            )


def spread(own: Sequence[TaskUnit], metric: str) -> list[int]:
    """Tasks in which all, some and none of the relevant files were found."""
    # Rounded, because a mean that differs from 1 only by noise means all of them.
    recalls = [round(value, 9) for unit in own if (value := unit.mean(metric)) is not None]
    return [sum(map(fits, recalls)) for _, _, fits in _PARTS]


def _rows(spreads: Mapping[str, list[int]], colours: Colours) -> list[StackedRow]:
    return [
        StackedRow(
            Name(config),
            colours[config],
            tuple(
                BarPart(
                    class_, n, f"{Name(config)}, {title}: {n:,} of {plural(sum(found), 'task')}"
                )
                for (title, class_, _), n in zip(_PARTS, found, strict=True)
            ),
        )
        for config, found in spreads.items()
    ]


def first_found_chart(
    found: FirstFound, shown: Collection[str], colours: Colours
) -> Iterator[Chart]:
    """Relevant files by the kind of call that met them first."""
    configs = [config for config in sorted(found.files) if config in shown]
    if not configs:
        return
    ways = found.ways(configs)
    rows = [
        BarRow(
            way,
            tuple(
                Bar(
                    colours[config],
                    found.share(config, way),
                    _share(found.number(config, way), found.files[config]),
                    f"{Name(config)}, {way}: {found.number(config, way):,} of "
                    f"{plural(found.files[config], 'relevant file')}",
                )
                for config in configs
            ),
        )
        for way in ways
    ]
    counted = "; ".join(
        f"{Name(config)}: {plural(found.files[config], 'file')} of "
        f"{plural(found.trials[config], 'trial')}"
        for config in configs
    )
    wide, narrow = drawn(
        partial(grouped_bars, rows, "Relevant files by the call that met them first"),
        "whole",
    )
    yield Chart(
        "first-found",
        "found",
        ("What kind of call met a relevant file first?",),
        f"Share of relevant files. {counted}. All trials of a task count.",
        wide,
        narrow,
        key_of(configs, colours),
        make_table(
            "Relevant files by the kind of call that met them first",
            ("config", "kind of call", ">files", ">of"),
            [
                [
                    Name(config),
                    way,
                    formats.count(found.number(config, way)),
                    formats.count(found.files[config]),
                ]
                for config in configs
                for way in ways
            ],
        ),
        (),
        "whole",
    )


def _share(number: int, of: int) -> str:
    return f"{formats.percent(number, of)} ({number:,})" if number else "0"
