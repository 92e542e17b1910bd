"""mini-swe-agent's trajectories.

load.py     from bytes to messages: whole, cut off, or too large to decode
records.py  a message as types, what the model asked to run in one reply, and what came back
trace.py    one file as a source
"""
