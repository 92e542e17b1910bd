"""Finding trials, and finding out what each one is (D31, D32).

layout_of(RUNS)   one run, a folder of runs, or traces without records
discover(RUNS)    a stream of trials, skipped folders and problems
discover_run      the same for one run, so that runs can be handled one at a time
select            which of several trials of one task and configuration counts
with_trace        a trial completed with what its trace states
survey            the rows of `normalize --dry-run`

The modules in the order of the data: `records` are read, `names` of folders and tasks interpreted,
`identity` and `outcome` make a `trial`. Traces without records: `manifest`, `verdicts` and
`sessions` say what `loose_items` are, `loose` makes trials of them. `walk` finds both kinds and
yields what is in `found`; `select` chooses.
"""

from __future__ import annotations

from groundtrace.discover.found import Found, FoundProblem, Skipped
from groundtrace.discover.select import Selection, Superseded, SurveyRow, select, survey
from groundtrace.discover.trial import trial_at, with_trace
from groundtrace.discover.walk import (
    Run,
    RunsLayout,
    discover,
    discover_run,
    layout_of,
)

__all__ = [
    "Found",
    "FoundProblem",
    "Run",
    "RunsLayout",
    "Selection",
    "Skipped",
    "Superseded",
    "SurveyRow",
    "discover",
    "discover_run",
    "layout_of",
    "select",
    "survey",
    "trial_at",
    "with_trace",
]
