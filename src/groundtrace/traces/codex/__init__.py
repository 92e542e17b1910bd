"""Codex CLI: session logs ("rollouts") of every version, and the streams that it prints.

reader.py     where the files lie, and how they are recognised
lines.py      one line of a rollout, whatever the version wrapped it in
outputs.py    what a call gave: exit codes and what Codex puts around an output
rollout.py    a rollout as a source
tokens.py     model calls out of running totals
threads.py    which files are subagents' or forks of which
stream.py     what `codex exec --json` prints, and the stream of mid-2025
packed.py     files that are compressed
"""

from __future__ import annotations

from groundtrace.traces.codex.reader import CodexReader

__all__ = ["CodexReader"]
