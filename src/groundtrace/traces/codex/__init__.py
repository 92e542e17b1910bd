"""Codex CLI: session logs ("rollouts") of every version, and the streams that it prints.

reader.py     where the files are, and how they are recognised
lines.py      one line of a rollout, in the form of any version
outputs.py    the output of a call, without exit codes and other text that Codex adds
rollout.py    a rollout as a source
processes.py  commands that run on, and the calls that show their output
scripts.py    scripts of code mode, which make calls themselves
tokens.py     model calls from running totals
threads.py    which files are subagents or forks of which
stream.py     what `codex exec --json` prints, and the stream of mid-2025
packed.py     files that are compressed
"""

from __future__ import annotations

from groundtrace.traces.codex.reader import CodexReader

__all__ = ["CodexReader"]
