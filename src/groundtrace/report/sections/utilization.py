"""Utilization: did the agent use what it found?"""

from __future__ import annotations

from groundtrace.metrics.catalogue import METRICS
from groundtrace.report.blocks import Section
from groundtrace.report.data import ReportData
from groundtrace.report.sections.shared import (
    all_and_configs,
    long_table,
    no_metrics_note,
    own_tasks_note,
)


def utilization_section(data: ReportData) -> Section:
    """The four probes, over all trials and by configuration."""
    groups = all_and_configs(data.summary)
    return Section(
        "use",
        "Using what was found",
        no_metrics_note(data)
        or (
            (
                "Numbers about reading relevant files make sense for every task. Numbers about "
                "writing make sense only if the task wants an edit, and only some tasks say "
                "which files to edit. Whether the edit was right, the reward says.",
            ),
            *own_tasks_note(data),
        ),
        (long_table("Use of relevant files", "config", groups, METRICS.names_in("utilization")),),
    )
