"""Antigravity's transcripts.

records.py  a step as a type, its arguments, and its answer without the frame around it
trace.py    one transcript as a source
"""
