"""What the fork server imports once, so that every worker has it from its start."""

from __future__ import annotations

import groundtrace.pipeline
import groundtrace.stages.document_work
import groundtrace.stages.normalize

# Imported when the first call of their kind is read: by each worker, if not here.
import groundtrace.tools.auggie
import groundtrace.tools.github
import groundtrace.tools.shell
import groundtrace.tools.sourcegraph_evaluator  # noqa: F401
