"""SWE-agent's trajectories.

reader.py   where the files are, and how they are recognised
records.py  from bytes to steps: whole, cut off, or too large to decode; what the file states
actions.py  command lines of SWE-agent's tools as calls, and what their output says
trace.py    one file as a source
"""

from __future__ import annotations

from groundtrace.traces.swe_agent.reader import SweAgentReader

__all__ = ["SweAgentReader"]
