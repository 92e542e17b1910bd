"""mini-swe-agent's trajectories.

load.py     from bytes to messages: whole, cut off, or too large to decode
records.py  a message as types, and what the model asked to run in one reply
answers.py  what came back: output, code, refusal, submission, stated context
trace.py    one file as a source
"""
