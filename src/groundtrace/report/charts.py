"""Charts as Vega-Lite specifications, each the answer to a question that stands above it.

Everything is counted here and not in the chart, so that the numbers behind a chart can stand in
a table beneath it. Colours are the page's own variables: theme and print need no redrawing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from groundtrace.artifacts.documents.impact import Delta, MatchedComparison
from groundtrace.artifacts.documents.summary import GroupSummary
from groundtrace.report import numbers
from groundtrace.report.blocks import Name, Paragraph, Table, table
from groundtrace.report.data import ReportData
from groundtrace.report.units import Unit, by_config, units
from groundtrace.report.words import LABELS, plural

MAX_CONFIGS = 8
"""Configurations in one chart: as many as there are colours that can be told apart."""
MAX_COMPARISONS = 3
"""Comparisons that are drawn; tables have all of them."""
MAX_LINES = 150
"""Tasks drawn as lines of their own."""
MAX_STEPS = 200
"""Points of a cumulative curve."""

KINDS = ("read", "matched", "surfaced", "written")
COLOURS = [f"var(--c{number})" for number in range(1, MAX_CONFIGS + 1)]
GREYS = {
    "read": "var(--c1)",
    "matched": "var(--c3)",
    "surfaced": "var(--c7)",
    "written": "var(--c2)",
}


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart."""

    id: str
    section: str
    """Section that it stands in."""
    question: Paragraph
    alt: str
    """What it shows, for who cannot see it."""
    spec: Mapping[str, Any]
    numbers: Table | None = None
    """The numbers behind it."""
    note: Paragraph = ()


def charts(data: ReportData) -> tuple[Chart, ...]:
    """Every chart that has something to show."""
    found = units(data.rows)
    every = by_config(found)
    kept = sorted(every, key=lambda name: (-len(every[name]), name))[:MAX_CONFIGS]
    configs = {name: every[name] for name in sorted(kept)}
    left = len(every) - len(configs)
    note: Paragraph = ()
    if left:
        note = (
            f"The {MAX_CONFIGS} configurations with most tasks; {left} more are in the tables.",
        )
    makers: Sequence[Callable[[], Iterator[Chart]]] = (
        lambda: _recall(configs, note),
        lambda: _first_hit(configs, note),
        lambda: _taxonomy({c: data.summary.by_config[c] for c in configs}, note),
        lambda: _accesses({c: data.summary.by_config[c] for c in configs}),
        lambda: _comparisons(data),
        lambda: _reward(configs, note),
    )
    return tuple(chart for maker in makers for chart in maker())


# ---- how much was found


_BINS: Sequence[tuple[str, Callable[[float], bool]]] = (
    ("none", lambda r: r == 0),
    ("to 0.25", lambda r: 0 < r <= 0.25),
    ("to 0.50", lambda r: 0.25 < r <= 0.5),
    ("to 0.75", lambda r: 0.5 < r <= 0.75),
    ("below 1", lambda r: 0.75 < r < 1),
    ("all", lambda r: r >= 1),
)


def _recall(configs: Mapping[str, list[Unit]], note: Paragraph) -> Iterator[Chart]:
    for metric, what, question in (
        ("file_recall", "retrieved", "How much of the relevant code did the agents come across?"),
        ("shown.file_recall", "shown", "Of how much of it did they see the content?"),
    ):
        values, rows = [], []
        for config, own in configs.items():
            recalls = [r for unit in own if (r := unit.mean(metric)) is not None]
            for title, fits in _BINS if recalls else ():
                number = sum(map(fits, recalls))
                text = f"{plural(number, 'task')} of {len(recalls)}"
                values.append(
                    {
                        "config": Name(config),
                        "bin": title,
                        "share": number / len(recalls),
                        "text": text,
                    }
                )
                rows.append([Name(config), title, text])
        if values:
            yield Chart(
                f"recall-{what}",
                "quality",
                (question,),
                f"Bars: share of tasks by {metric}, from none to all of the relevant files, for each configuration.",
                _spec(
                    values,
                    height=220,
                    mark={"type": "bar", "tooltip": True},
                    encoding={
                        "x": _ordinal("bin", f"{metric} ↑", [title for title, _ in _BINS]),
                        "xOffset": {"field": "config", "type": "nominal"},
                        "y": _share("share", "share of tasks"),
                        "color": _colour(configs),
                        "tooltip": _tooltip("config", "bin", "text"),
                    },
                ),
                table(f"Tasks by {metric}", ("config", metric, "tasks"), rows),
                note,
            )


# ---- how soon


def _first_hit(configs: Mapping[str, list[Unit]], note: Paragraph) -> Iterator[Chart]:
    for metric, unit_name, question in (
        (
            "ttfr_seconds",
            "seconds since the agent started",
            "How soon did they meet a relevant file?",
        ),
        ("ttfr_tokens", "tokens so far", "After how many tokens did they?"),
    ):
        values, rows = [], []
        for config, own in configs.items():
            curve = _curve(own, metric)
            if curve is None:
                continue
            values += [
                {
                    "config": Name(config),
                    "x": x,
                    "share": share,
                    "text": f"{numbers.share(share)} by {numbers.value(metric, x)}",
                }
                for x, share in _thinned(curve.points)
            ]
            rows.append(
                [
                    Name(config),
                    numbers.count(curve.tasks),
                    numbers.share(curve.points[-1][1]),
                    numbers.count(curve.never),
                    numbers.count(curve.unknown),
                ]
            )
        if values:
            yield Chart(
                metric,
                "quality",
                (question,),
                "Curves: share of tasks whose first relevant file had come by then. Tasks that were never hit stay in the denominator, so a curve ends at the hit rate.",
                _spec(
                    values,
                    height=240,
                    mark={
                        "type": "line",
                        "interpolate": "step-after",
                        "strokeWidth": 2,
                        "tooltip": True,
                    },
                    encoding={
                        "x": {
                            "field": "x",
                            "type": "quantitative",
                            "title": f"{unit_name} ↓",
                            "scale": {"type": "sqrt", "zero": True},
                            "axis": {"tickCount": 6, "format": "~s"},
                        },
                        "y": _share("share", "share of tasks ↑"),
                        "color": _colour(configs),
                        "strokeDash": _dash(configs),
                        "tooltip": _tooltip("config", "text"),
                    },
                ),
                table(
                    "Where the curves end",
                    ("config", ">tasks", ">hit by the end ↑", ">never hit", ">hit, time unknown"),
                    rows,
                    ("Tasks that were hit at an unknown time are left out of the curve.",),
                ),
                note,
            )


@dataclass(frozen=True, slots=True)
class _Curve:
    points: list[tuple[float, float]]
    tasks: int
    never: int
    unknown: int


def _curve(own: Sequence[Unit], metric: str) -> _Curve | None:
    """Cumulative share of tasks; a task tried several times weighs as much as one tried once."""
    times: list[tuple[float, float]] = []
    tasks = never = unknown = 0
    weight = 0.0
    for unit in own:
        seen = [row for row in unit.trials if row.hit is not None]
        known = [row for row in seen if not row.hit or metric in row.metrics]
        if not seen:
            continue
        if not known:
            unknown += 1
            continue
        tasks += 1
        weight += 1
        never += not any(row.hit for row in known)
        times += [(row.metrics[metric], 1 / len(known)) for row in known if row.hit]
    if not tasks:
        return None
    points = [(0.0, 0.0)]
    reached = 0.0
    for time, part in sorted(times):
        reached += part
        points.append((time, min(reached / weight, 1.0)))
    return _Curve(points, tasks, never, unknown)


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Fewer points of a curve, its ends kept."""
    last: dict[float, float] = dict(points)
    kept = sorted(last.items())
    step = -(-len(kept) // MAX_STEPS)
    return [*kept[:-1:step], kept[-1]] if step > 1 else kept


# ---- what went wrong, and by which tools


def _taxonomy(groups: Mapping[str, GroupSummary], note: Paragraph) -> Iterator[Chart]:
    values = [
        {
            "config": Name(config),
            "label": label,
            "share": found.n_with / found.n,
            "text": f"{found.n_with} of {plural(found.n, 'trial')}, {plural(found.files, 'file')}",
        }
        for config, group in groups.items()
        for label, found in group.taxonomy.items()
        if found.n
    ]
    if values:
        yield Chart(
            "taxonomy",
            "taxonomy",
            ("Which errors are frequent?",),
            "Bars: share of trials with at least one file under each label of the error taxonomy, by configuration. Lower is better.",
            _spec(
                values,
                height={"step": 12 if len(groups) > 3 else 18},
                mark={"type": "bar", "tooltip": True},
                encoding={
                    "y": _ordinal("label", None, list(LABELS)),
                    "yOffset": {"field": "config", "type": "nominal"},
                    "x": _share("share", "share of trials to which the label applies ↓"),
                    "color": _colour(groups),
                    "tooltip": _tooltip("config", "label", "text"),
                },
            ),
            None,
            note,
        )


def _accesses(groups: Mapping[str, GroupSummary]) -> Iterator[Chart]:
    totals = {
        config: Counter(dict(group.accesses)) for config, group in groups.items() if group.trials
    }
    categories = sorted(
        {key.partition("/")[0] for counts in totals.values() for key in counts},
        key=lambda c: (
            -sum(n for t in totals.values() for k, n in t.items() if k.startswith(f"{c}/")),
            c,
        ),
    )
    if not categories:
        return
    means = {
        config: {key: number / groups[config].trials for key, number in counts.items()}
        for config, counts in totals.items()
    }
    longest = max(
        sum(v for k, v in own.items() if k.startswith(f"{c}/"))
        for own in means.values()
        for c in categories
    )
    for number, (config, own) in enumerate(means.items()):
        values = [
            {
                "category": category,
                "kind": kind,
                "order": KINDS.index(kind),
                "mean": own[key],
                "text": f"{numbers.average(own[key])} files a trial ({totals[config][key]:,} in {plural(groups[config].trials, 'trial')})",
            }
            for category in categories
            for kind in KINDS
            if (key := f"{category}/{kind}") in own
        ]
        yield Chart(
            f"accesses-{number}",
            "taxonomy",
            ("Through which tools did ", Name(config), " touch files?"),
            "Bars: files touched a trial, by tool category, split into read, matched, surfaced and written.",
            _spec(
                values,
                height={"step": 24},
                mark={"type": "bar", "tooltip": True},
                encoding={
                    "y": _ordinal("category", None, categories),
                    "x": {
                        "field": "mean",
                        "type": "quantitative",
                        "title": "files touched a trial",
                        "scale": {"domain": [0, longest or 1]},
                        "axis": {"tickCount": 5},
                    },
                    "color": {
                        "field": "kind",
                        "type": "nominal",
                        "scale": {"domain": list(KINDS), "range": [GREYS[k] for k in KINDS]},
                        "legend": _LEGEND,
                    },
                    "order": {"field": "order", "type": "quantitative"},
                    "tooltip": _tooltip("category", "kind", "text"),
                },
            ),
        )


# ---- configurations against the baseline


_DRAWN = (
    "reward",
    "file_recall",
    "shown.file_recall",
    "recall@10",
    "ndcg@10",
    "mrr",
    "context_efficiency",
    "util_read_overlap_with_relevant_files",
)
"""Numbers of the plot of deltas: all have the same scale, and for all of them higher is better."""


def _comparisons(data: ReportData) -> Iterator[Chart]:
    found = [
        c
        for c in (data.impact.matched_comparisons if data.impact is not None else [])
        if c.suite is None and c.computable
    ]
    left = len(found) - MAX_COMPARISONS
    for number, comparison in enumerate(found[:MAX_COMPARISONS]):
        note: Paragraph = (f"{left} more comparisons are in the tables.",) if left > 0 else ()
        yield from _deltas(number, comparison, note)
        yield from _slopes(number, comparison)


def _deltas(number: int, comparison: MatchedComparison, note: Paragraph) -> Iterator[Chart]:
    by_name = {delta.metric: delta for delta in comparison.deltas}
    drawn = [by_name[n] for n in _DRAWN if n in by_name and by_name[n].mean_delta is not None]
    values = [_delta_point(delta) for delta in drawn]
    if not values:
        return
    names = [delta.metric for delta in drawn]
    y = _ordinal("metric", None, names)
    tooltip = _tooltip("metric", "text")
    yield Chart(
        f"deltas-{number}",
        "impact",
        (
            "By how much does ",
            Name(comparison.config),
            " differ from ",
            Name(comparison.baseline_config),
            " on the same tasks?",
        ),
        "Points: mean delta over matched tasks, with its 95 % interval as a line where there are at least 6 pairs. Right of zero is better.",
        {
            **_spec(values, height={"step": 28}),
            "encoding": {"y": y},
            "layer": [
                {
                    "mark": {"type": "rule", "color": "var(--rule)", "strokeDash": [3, 3]},
                    "encoding": {"x": {"datum": 0}, "y": {"value": {"expr": "height / 2"}}},
                    "data": {"values": [{}]},
                },
                {
                    "transform": [{"filter": "isValid(datum.low)"}],
                    "mark": {
                        "type": "rule",
                        "strokeWidth": 3,
                        "color": "var(--c1)",
                        "opacity": 0.55,
                    },
                    "encoding": {
                        "x": {
                            "field": "low",
                            "type": "quantitative",
                            "title": "mean delta, right is better ↑",
                        },
                        "x2": {"field": "high"},
                        "tooltip": tooltip,
                    },
                },
                {
                    "mark": {
                        "type": "point",
                        "filled": True,
                        "size": 90,
                        "color": "var(--c1)",
                        "opacity": 1,
                    },
                    "encoding": {
                        "x": {
                            "field": "delta",
                            "type": "quantitative",
                            "title": "mean delta, right is better ↑",
                        },
                        "tooltip": tooltip,
                    },
                },
            ],
        },
        None,
        note,
    )


def _delta_point(delta: Delta) -> dict[str, Any]:
    write = partial(numbers.delta, delta.metric)
    interval = numbers.interval(delta.ci_low, delta.ci_high, write)
    return {
        "metric": delta.metric,
        "delta": delta.mean_delta,
        "low": delta.ci_low,
        "high": delta.ci_high,
        "text": f"{write(delta.mean_delta)} ({interval}), n {delta.n}",
    }


def _slopes(number: int, comparison: MatchedComparison) -> Iterator[Chart]:
    metric = "file_recall"
    tasks = [t for t in comparison.tasks or () if metric in t.baseline and metric in t.config]
    sides = (("baseline", comparison.baseline_config), ("config", comparison.config))
    lines = Counter((t.baseline[metric], t.config[metric]) for t in tasks)
    if not tasks or len(lines) > MAX_LINES:
        return
    values = []
    for (before, after), many in sorted(lines.items()):
        names = [
            t.task_name for t in tasks if (t.baseline[metric], t.config[metric]) == (before, after)
        ]
        change = "gained" if after > before else "lost" if after < before else "unchanged"
        named = ", ".join(Name(name) for name in names[:3]) + (" …" if many > 3 else "")
        text = f"{plural(many, 'task')}: {numbers.share(before)} → {numbers.share(after)} ({named})"
        for (side, _), value in zip(sides, (before, after), strict=True):
            values.append(
                {
                    "line": f"{before}/{after}",
                    "side": side,
                    "recall": value,
                    "many": many,
                    "change": change,
                    "text": text,
                }
            )
    yield Chart(
        f"slopes-{number}",
        "impact",
        (
            "Which way did recall go, task by task, from ",
            Name(comparison.baseline_config),
            " to ",
            Name(comparison.config),
            "?",
        ),
        "Lines: file_recall of each matched task in the baseline and in the configuration; thicker lines stand for several tasks.",
        _spec(
            values,
            height=260,
            mark={
                "type": "line",
                "point": {"filled": True, "size": 45},
                "tooltip": True,
                "opacity": 0.85,
            },
            encoding={
                "x": {
                    **_ordinal("side", None, ["baseline", "config"]),
                    "scale": {"padding": 0.25},
                    "axis": {"labelAngle": 0, "grid": False, "domain": False, "ticks": False},
                },
                "y": {
                    "field": "recall",
                    "type": "quantitative",
                    "title": "file_recall ↑",
                    "scale": {"domain": [0, 1]},
                    "axis": {"tickCount": 5},
                },
                "detail": {"field": "line", "type": "nominal"},
                "strokeWidth": {
                    "field": "many",
                    "type": "quantitative",
                    "scale": {"domainMin": 1, "range": [1.5, 8]},
                    "legend": None,
                },
                "color": {
                    "field": "change",
                    "type": "nominal",
                    "title": None,
                    "scale": {
                        "domain": ["gained", "unchanged", "lost"],
                        "range": ["var(--c3)", "var(--c7)", "var(--c2)"],
                    },
                    "legend": _LEGEND,
                },
                "strokeDash": {
                    "field": "change",
                    "type": "nominal",
                    "scale": {
                        "domain": ["gained", "unchanged", "lost"],
                        "range": [[1, 0], [2, 3], [6, 3]],
                    },
                    "legend": None,
                },
                "tooltip": _tooltip("change", "text"),
            },
        ),
    )


# ---- recall against reward


def _reward(configs: Mapping[str, list[Unit]], note: Paragraph) -> Iterator[Chart]:
    cells: Counter[tuple[str, float, float]] = Counter()
    left = 0
    for config, own in configs.items():
        for unit in own:
            recall, reward = unit.mean("file_recall"), unit.mean("reward")
            if recall is None or reward is None:
                left += 1
            else:
                cells[config, round(recall, 2), round(reward, 2)] += 1
    if not cells:
        return
    values = [
        {
            "config": Name(config),
            "recall": recall,
            "reward": reward,
            "many": many,
            "text": f"{plural(many, 'task')}: recall {recall:.2f}, reward {reward:.2f}",
        }
        for (config, recall, reward), many in sorted(cells.items())
    ]
    yield Chart(
        "reward",
        "impact",
        ("Do tasks in which more was found end with more reward?",),
        "Circles: tasks by file_recall and reward, larger for several tasks at one place, by configuration. Association only.",
        _spec(
            values,
            height=300,
            mark={"type": "point", "filled": True, "opacity": 0.7, "tooltip": True},
            encoding={
                "x": {
                    "field": "recall",
                    "type": "quantitative",
                    "title": "file_recall ↑",
                    "scale": {"domain": [0, 1]},
                },
                "y": {"field": "reward", "type": "quantitative", "title": "reward ↑"},
                "size": {
                    "field": "many",
                    "type": "quantitative",
                    "scale": {"domainMin": 0, "range": [40, 700]},
                    "legend": None,
                },
                "color": _colour(configs),
                "shape": {
                    "field": "config",
                    "type": "nominal",
                    "scale": {"domain": [Name(c) for c in configs]},
                    "legend": _LEGEND,
                },
                "tooltip": _tooltip("config", "text"),
            },
        ),
        None,
        (f"{plural(left, 'task')} without recall or reward left out. ", *note),
    )


# ---- parts of specifications


_LEGEND = {
    "title": None,
    "orient": "top",
    "direction": "horizontal",
    "columns": 2,
    "labelLimit": 320,
}


def _spec(values: list[dict[str, Any]], **parts: Any) -> dict[str, Any]:
    return {
        "data": {"values": values},
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        **parts,
    }


def _ordinal(field: str, title: str | None, order: Sequence[str]) -> dict[str, Any]:
    return {
        "field": field,
        "type": "ordinal",
        "title": title,
        "sort": list(order),
        "axis": {"labelAngle": 0, "labelLimit": 150},
    }


def _share(field: str, title: str) -> dict[str, Any]:
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"domain": [0, 1]},
        "axis": {"format": ".0%", "tickCount": 5},
    }


def _colour(configs: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "field": "config",
        "type": "nominal",
        "scale": {"domain": [Name(c) for c in configs], "range": COLOURS[: len(configs)]},
        "legend": _LEGEND,
    }


def _dash(configs: Mapping[str, Any]) -> dict[str, Any]:
    """Lines that can be told apart without colour."""
    dashes = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [10, 4], [3, 5], [12, 3, 3, 3], [1, 4]]
    return {
        "field": "config",
        "type": "nominal",
        "scale": {"domain": [Name(c) for c in configs], "range": dashes[: len(configs)]},
        "legend": _LEGEND,
    }


def _tooltip(*fields: str) -> list[dict[str, str]]:
    return [{"field": field, "type": "nominal"} for field in fields]
