"""Formats that a TOML file describes: where in a record calls, answers and the rest are (D92).

reader.py       a mapping as a reader, and the mappings that come with groundtrace
mapping.py      the keys of a mapping, read and checked, and whether a file matches them
expressions.py  JMESPath, with limits, as functions for one file
compiled.py     parsed expressions as functions
trace.py        one trace as a source, its answers and what it states; the trials of a file
bundled/        mappings for pi, trae-agent, Copilot CLI, Kimi, Qwen Code, opencode and chats of one message a line
"""
