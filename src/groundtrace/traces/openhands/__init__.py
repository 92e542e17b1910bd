"""OpenHands: its own logs, and what is special in the ATIF trajectories that it writes.

reader.py   its evaluations and event logs, and how they are recognised
records.py  rows and events as types, with only the members that are needed
trace.py    events in order: calls, answers, tokens
rows.py     a row or a log as a source, what it states, and what all attempts cost
actions.py  an action as a call (also a skill in an IPython cell), an observation as its outcome
dialect.py  ATIF: what OpenHands does to calls and results, and how that is undone
"""
