"""What the numbers do not say."""

from __future__ import annotations

from groundtrace.report.blocks import Paragraph, Section
from groundtrace.report.data import ReportData

_ALWAYS: tuple[Paragraph, ...] = (
    (
        "Ground truth lists files that somebody considers relevant; other files may be useful "
        "too. Its confidence differs by source (see Coverage). A useful file that is not "
        "listed counts as irrelevant.",
    ),
    (
        "What an agent knew without looking, and what it saw without leaving a trace, does not "
        "count as met.",
    ),
    (
        "Tasks that never met a relevant file have no time to the first one. So look at its "
        "means together with the share of tasks that met any.",
    ),
    ("Chunk recall matches files, not lines: a chunk counts when its file was met.",),
    (
        (
            "Utilization metrics look at which files were written, not at whether the text in them "
            "is right."
        ),
    ),
    (
        "Tasks without ground truth or without a usable trace have no such metrics. They are "
        "counted in Coverage and are not zeroes.",
    ),
)

_METHOD = (
    ("Correlation", "correlation"),
    ("Its p", "correlation_p"),
    ("p of a delta", "delta_p"),
    ("Intervals", "interval"),
    ("Cost, time and tokens", "totals"),
    ("Adjusted p", "adjusted"),
    ("Margin", "margin"),
    ("Lost attempts", "lost"),
    ("Groups that disagree", "groups"),
    ("Finding and solving", "association"),
    ("When to look", "stopping"),
    ("What is flipped", "flipped"),
    ("Other comparisons", "other"),
    ("Ranks", "ranks"),
    ("Holm", "holm"),
    ("Effect size", "effect_size"),
    ("Matching", "matching"),
    ("Minimum", "minimum"),
)


def caveats_section(data: ReportData) -> Section:
    """Caveats of every report, then how its statistics were made."""
    method: tuple[Paragraph, ...] = ()
    if data.impact is not None:
        found = data.impact.method
        method = tuple((f"{title}: {getattr(found, field)}",) for title, field in _METHOD)
    return Section("method", "Method and caveats", (), (), (*_ALWAYS, *method))
