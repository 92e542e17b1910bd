"""Formats that a TOML file describes: where in a record calls, answers and the rest are (D92).

reader.py       a mapping as a reader, and the mappings that come with groundtrace
mapping.py      the keys of a mapping, read and checked
expressions.py  JMESPath, with limits
compiled.py     expressions as functions
scope.py        what an expression looks at, and whether it can fail
kinds.py        which expressions a kind of record is for
named.py        which members of a record expressions can look at
decode.py       decoders that make only these members
evaluators.py   the functions of a mapping's keys, for one file
load.py         files: recognised, listed as trials and read
trace.py        one trace as a source
answers.py      results in the forms that mappings give them
stated.py       what a file states about its trial
bundled/        mappings for pi, trae-agent, Copilot CLI, Kimi, Qwen Code and opencode
"""

from __future__ import annotations

from groundtrace.traces.mapped.reader import BUNDLED, MappedReader

__all__ = ["BUNDLED", "MappedReader"]
