"""Charts of error labels, and of the tools through which files were touched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from groundtrace.documents.summary import GroupSummary
from groundtrace.report import formats
from groundtrace.report.blocks import Name, Paragraph, make_table
from groundtrace.report.charts.vega_parts import (
    LEGEND_STYLE,
    Chart,
    colour,
    ordinal,
    share_axis,
    spec,
    tooltip,
)
from groundtrace.report.packed_trials import ACCESS_KINDS
from groundtrace.report.wording import LABEL_WORDS, plural

KIND_COLOURS = ["var(--c1)", "var(--c3)", "var(--c7)", "var(--c2)"]


def label_chart(groups: Mapping[str, GroupSummary], note: Paragraph) -> Iterator[Chart]:
    """Share of trials with each label."""
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
    if not values:
        return
    y = ordinal("label", None, list(LABEL_WORDS))
    rows = [
        [Name(config), Name(label), f"{found.n_with} of {found.n}", formats.count(found.files)]
        for config, group in groups.items()
        for label, found in group.taxonomy.items()
    ]
    yield Chart(
        "taxonomy",
        "taxonomy",
        ("Which errors are frequent?",),
        "Bars: share of trials with at least one file under each label of the error taxonomy, by configuration. Lower is better.",
        spec(
            values,
            height=len(LABEL_WORDS) * (14 + 14 * len(groups)),
            mark={"type": "bar", "tooltip": True},
            encoding={
                "y": y | {"scale": {"domain": list(LABEL_WORDS), "paddingInner": 0.3}},
                "yOffset": {"field": "config", "type": "nominal"},
                "x": share_axis("share", "share of trials it applies to ↓"),
                "color": colour(groups),
                "tooltip": tooltip("config", "label", "text"),
            },
        ),
        make_table("Labels", ("config", "label", ">trials with it ↓", ">files ↓"), rows),
        note,
    )


def access_charts(groups: Mapping[str, GroupSummary]) -> Iterator[Chart]:
    """Files touched by tool category and kind, one chart a configuration on one scale."""
    # What a trial without a trace touched is unknown: it is left out, not counted as nothing.
    seen = {config: group.trials - group.slices.none for config, group in groups.items()}
    groups = {config: group for config, group in groups.items() if seen[config]}
    totals: Counter[str] = Counter()
    for group in groups.values():
        for key, number in group.accesses.items():
            totals[key.partition("/")[0]] += number
    categories = sorted(totals, key=lambda category: (-totals[category], category))
    longest = max(
        (
            sum(group.accesses.get(f"{category}/{kind}", 0) for kind in ACCESS_KINDS) / seen[config]
            for config, group in groups.items()
            for category in categories
        ),
        default=0.0,
    )
    for number, (config, group) in enumerate(groups.items()):
        if group.accesses:
            yield _touched(number, config, group, seen[config], categories, longest)


def _touched(
    number: int,
    config: str,
    group: GroupSummary,
    seen: int,
    categories: list[str],
    longest: float,
) -> Chart:
    values = [
        {
            "category": category,
            "kind": kind,
            "order": ACCESS_KINDS.index(kind),
            "mean": count / seen,
            "text": f"{formats.average(count / seen)} files a trial ({count:,} in {plural(seen, 'trial')})",
        }
        for category in categories
        for kind in ACCESS_KINDS
        if (count := group.accesses.get(f"{category}/{kind}", 0))
    ]
    y = ordinal("category", None, categories)
    return Chart(
        f"accesses-{number}",
        "taxonomy",
        ("Through which tools did ", Name(config), " touch files?"),
        f"Bars: files touched a trial, by tool category, split into read, matched, surfaced and written, over {plural(seen, 'trial')} with a trace.",
        spec(
            values,
            height=26 * len(categories),
            mark={"type": "bar", "tooltip": True},
            encoding={
                "y": y | {"scale": {"domain": categories}},
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
                    "scale": {"domain": list(ACCESS_KINDS), "range": KIND_COLOURS},
                    "legend": LEGEND_STYLE,
                },
                "order": {"field": "order", "type": "quantitative"},
                "tooltip": tooltip("category", "kind", "text"),
            },
        ),
    )
