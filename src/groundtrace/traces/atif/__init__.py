"""ATIF, the trajectory format that Harbor writes for many harnesses.

reader.py   where the files are, and how they are recognised
records.py  a trajectory and its steps as types: whole, damaged, or too large to decode
calls.py    the calls of a step, with their results and the sections that Harbor appends
trace.py    one trajectory, with those that it refers to; tokens, each model call once; dialects
dialect.py  what a harness may do differently
"""

from __future__ import annotations

from groundtrace.traces.atif.reader import AtifReader

__all__ = ["AtifReader"]
