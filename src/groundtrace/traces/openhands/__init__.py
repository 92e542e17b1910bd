"""OpenHands, whose traces are ATIF trajectories with ways of their own.

dialect.py     what it does to calls and results, and how that is undone
arguments.py   the true arguments of parallel calls
"""
