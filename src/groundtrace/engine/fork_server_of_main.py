"""End this fork server when the process that started it ends. Importing it does that.

Its own rule is to end when nobody can ask it for workers any more, and each worker could: one that
was busy in a long match kept itself and the server alive. Only for a server that a main thread has
started, because Linux ends a child with the *thread* that started it.
"""

from __future__ import annotations

import os

from groundtrace.engine.parent_death import end_with_parent

end_with_parent(os.getppid())
