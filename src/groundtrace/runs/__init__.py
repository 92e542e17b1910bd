"""The commands' work over whole runs: normalize, evaluate, impact, report.

Each stage takes a `Request`, works run by run, writes whole files, and returns what it did. For a
folder of runs, every run-level file is also written over all of its runs. A stage writes only
inside a `session.RunSession`.
"""
