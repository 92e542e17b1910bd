"""The commands' work over whole runs: normalize, evaluate, impact, report.

`whole_run` shows the path of a run on one screen; `loop` makes what is stale. A stage takes a `Request`,
writes whole files, only inside a `session.RunSession`, and returns what it did. For a folder of
runs, every run-level file is also written over all of its runs.
"""
