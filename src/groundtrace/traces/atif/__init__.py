"""ATIF, the trajectory format that Harbor writes for many harnesses.

reader.py        where the files are, and how they are recognised
trajectory.py    one trajectory, with those that it refers to
load.py          from bytes to steps
steps.py         the types of a trajectory and its steps
large.py         a trajectory too large to decode as a whole
salvage.py       the intact parts of a damaged trajectory
calls.py         the calls of a step, with their results
harbor_text.py   the sections that Harbor appends to a result
tokens.py        usage of steps, each model call once
dialect.py       what a harness may do differently
harness.py       which harness wrote a trajectory
"""

from __future__ import annotations

from groundtrace.traces.atif.reader import AtifReader

__all__ = ["AtifReader"]
