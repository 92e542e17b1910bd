"""End this fork server when the process that started it ends. Importing it does that.

By itself a fork server ends when no process can ask it for workers any more. But each worker could
ask: a worker in a long match kept itself and the server alive. Use this only for a server that was
started by a main thread, because Linux ends a child with the *thread* that started it.
"""

from __future__ import annotations

import os

from groundtrace.runs.engine.parent_death import end_with_parent

end_with_parent(os.getppid())
