"""groundtrace: did the agent find the right code, did it use it, and did that matter?"""

from __future__ import annotations

__version__ = "0.1.0"

__all__ = ["__version__"]
