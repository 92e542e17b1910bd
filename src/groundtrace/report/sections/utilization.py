"""Utilization: did the agent use what it found?"""

from __future__ import annotations

from groundtrace.metrics.catalogue import METRICS
from groundtrace.report.blocks import Section
from groundtrace.report.data import ReportData
from groundtrace.report.sections.shared import all_and_configs, long_table, own_tasks_note


def utilization_section(data: ReportData) -> Section:
    """The four probes, over all trials and by configuration."""
    groups = all_and_configs(data.summary)
    return Section(
        "utilization",
        "Utilization",
        (
            (
                "Did the agent use what it found? Reading relevant files is the probe that holds "
                "across tasks; writing to relevant files means something only where an edit was "
                "wanted, and expected edit files are known for some tasks only. Whether what was "
                "written is right is the verifier's business.",
            ),
            *own_tasks_note(data),
        ),
        (long_table("Utilization probes", "config", groups, METRICS.names_in("utilization")),),
    )
