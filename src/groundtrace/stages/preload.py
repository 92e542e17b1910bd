"""What is imported once before workers are forked, so that each has it from its start."""

from __future__ import annotations

import groundtrace.pipeline

# Imported when they are first needed: by each worker, if not here.
import groundtrace.redact.forms
import groundtrace.redact.named
import groundtrace.redact.places
import groundtrace.stages.document_work
import groundtrace.stages.normalize
import groundtrace.summary.summarise
import groundtrace.tools.auggie
import groundtrace.tools.github
import groundtrace.tools.shell
import groundtrace.tools.sourcegraph_evaluator  # noqa: F401
