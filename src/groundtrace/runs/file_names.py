"""Names of the files in a `retrieval_events` folder, shared by the code that writes and reads."""

from __future__ import annotations

from groundtrace.documents import KINDS

EVENTS_ENDING = KINDS["retrieval_events"].file_name
"""End of the name of a trial's events document."""
METRICS_ENDING = KINDS["retrieval_metrics"].file_name
"""End of the name of a trial's metrics document."""
OUTCOMES_FILE = KINDS["outcomes"].file_name
"""The outcomes of all trials of a run."""
SUMMARY = KINDS["run_retrieval_summary"].file_name
"""The summary of a run."""
IMPACT = KINDS["impact_analysis"].file_name
"""The impact analysis of a run."""


REPORTS = {"md": "retrieval_report.md", "html": "retrieval_report.html"}
"""File name of a report, by format."""
RUN_FILES = (OUTCOMES_FILE, SUMMARY, IMPACT, *REPORTS.values())
"""Files of the whole run, next to the folders of the configurations."""


def events_path(metrics_path: str) -> str:
    """The events document that a metrics document was made from."""
    return metrics_path.removesuffix(METRICS_ENDING) + EVENTS_ENDING


def metrics_path(events_path: str) -> str:
    """The metrics document beside an events document."""
    return events_path.removesuffix(EVENTS_ENDING) + METRICS_ENDING
