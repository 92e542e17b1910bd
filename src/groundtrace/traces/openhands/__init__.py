"""OpenHands: its own logs, and what is special in the ATIF trajectories that it writes.

reader.py      its evaluations and event logs, and how they are recognised
attempts.py    what all attempts at an instance cost
rows.py        a row or a log as a source, and what it states
records.py     rows and events as types, with only the members that are needed
events.py      events in order: calls, answers, tokens
actions.py     an action as a call, an observation as its outcome
skills.py      skills that are called in IPython cells
dialect.py     ATIF: what OpenHands does to calls and results, and how that is undone
arguments.py   ATIF: the true arguments of parallel calls
"""
