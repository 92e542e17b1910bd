"""ATIF, the trajectory format that Harbor writes for many harnesses.

records.py  a trajectory and its steps as types: whole, damaged, or too large to decode
calls.py    the calls of a step, with their results and the sections that Harbor appends
trace.py    one trajectory, with those that it refers to; tokens, each model call once; dialects
dialect.py  what a harness may do differently
"""
