"""OpenHands: its own logs, and what is special in the ATIF trajectories that it writes.

records.py  rows and events as types, with only the members that are needed
trace.py    a row or a log as a source, event by event; what it states and all attempts cost
actions.py  an action as a call (also a skill in an IPython cell), an observation as its outcome
dialect.py  ATIF: what OpenHands does to calls and results, and how that is undone
"""

from groundtrace.base.patterns import regex

ONE_EVENT = regex(
    rb'\s*\{\s*"id"\s*:\s*\d+\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*'
    rb'"source"\s*:\s*"(?:agent|user|environment)"'
)
"""The start of a file of V0 that holds one event: `sessions/<id>/events/12.json`."""
