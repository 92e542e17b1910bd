"""The commands' work over whole runs: normalize, evaluate, impact, report.

Each stage takes a `Request`, works run by run, writes whole files, and returns what it did. A
folder of runs also gets every run-level file over all of its runs. Whatever a stage writes, it
writes inside a `session.RunSession`.
"""
