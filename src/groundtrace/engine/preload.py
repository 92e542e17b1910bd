"""What the fork server imports once, so that every worker has it from its start."""

from __future__ import annotations

import groundtrace.pipeline
import groundtrace.stages.evaluate
import groundtrace.stages.normalize
import groundtrace.tools.shell.parse  # noqa: F401 - imported when the first command is read
