"""Modules that are imported once before workers are forked, so that no worker imports them."""

from __future__ import annotations

# Other modules import these only when needed; without this, each worker would import them.
import groundtrace.metrics
import groundtrace.pipeline
import groundtrace.redact.by_form
import groundtrace.redact.by_name
import groundtrace.redact.by_place
import groundtrace.rows.make
import groundtrace.rows.summarise
import groundtrace.runs.evaluated_trials
import groundtrace.runs.normalize
import groundtrace.shell
import groundtrace.tools.auggie
import groundtrace.tools.github
import groundtrace.tools.sourcegraph_evaluator  # noqa: F401
