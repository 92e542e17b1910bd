"""Formats that a TOML file describes: where in a record calls, answers and the rest are (D92).

reader.py       a mapping as a reader, and those that groundtrace brings
mapping.py      the keys of a mapping, read and checked
expressions.py  JMESPath, bounded
trace.py        one file as a source
bundled/        mappings of pi, trae-agent, Copilot CLI, Kimi, Qwen Code and opencode
"""

from __future__ import annotations

from groundtrace.traces.mapped.reader import BUNDLED, MappedReader

__all__ = ["BUNDLED", "MappedReader"]
