"""Codex CLI: session logs ("rollouts") of every version, and the streams that it prints.

records.py  one line of a rollout, in the form of any version: calls, outputs, totals of tokens
trace.py    a rollout as a source; what `codex exec --json` prints, and the stream of mid-2025
code_mode.py  a script that calls tools (`exec`): its calls and what each of them printed
threads.py  files: which are subagents or forks of which; those that are compressed
"""
