"""Does finding the right code go with solving the task? Two agents on SWE-bench Verified.

The path: DATA ─▶ `measure` (groundtrace: one row per trial) ─▶ `tables` (the questions) ─▶ `page`
and `figures`. Only the first step needs DATA; the others read `tables/trials.csv` and the rows of
groundtrace's answer, so a test without DATA can print everything again.
"""
