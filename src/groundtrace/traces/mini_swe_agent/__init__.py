"""mini-swe-agent's trajectories.

reader.py      where the files are, and how they are recognised
load.py        from bytes to messages: whole, cut off, or too large to decode
messages.py    a message as types
replies.py     what the model asked to run in one reply
answers.py     what came back: output, code, refusal, submission
stated_context.py  the context that an agent states at the end
trajectory.py  one file as a source
"""

from __future__ import annotations

from groundtrace.traces.mini_swe_agent.reader import MiniSweAgentReader

__all__ = ["MiniSweAgentReader"]
