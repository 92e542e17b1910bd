"""aider's chat histories.

records.py  the sessions of a history, and what its lines say
trace.py    one session as a source
"""
