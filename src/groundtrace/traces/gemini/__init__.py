"""Gemini CLI's sessions and streams.

records.py  messages of a session as types; an output without what Gemini CLI puts around it
trace.py    one session, JSON or JSONL, as a source
stream.py   what `gemini --output-format stream-json` printed
"""
