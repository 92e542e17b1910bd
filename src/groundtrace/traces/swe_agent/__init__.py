"""SWE-agent's trajectories.

records.py  from bytes to steps: whole, cut off, or too large to decode; what the file states
actions.py  command lines of SWE-agent's tools as calls, and what their output says
trace.py    one file as a source
"""
