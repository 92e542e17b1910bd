"""Claude Code: the stream that it prints, and its session logs.

records.py  a line as types: context, results, tokens, and the intact parts of a damaged line
trace.py    one file, line by line
kin.py      which files are logs of a session's subagents
"""
