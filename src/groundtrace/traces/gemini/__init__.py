"""Gemini CLI's sessions and streams.

records.py  messages of a session as types
trace.py    one session, JSON or JSONL, as a source
outputs.py  the output of a call, without what Gemini CLI puts around it
stream.py   what `gemini --output-format stream-json` printed
"""
