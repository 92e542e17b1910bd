"""Logs of home-made agents: what they sent to a model's server, and what it replied.

records.py  messages, items and replies of Anthropic's and OpenAI's servers as turns
trace.py    one log, or one row of a data set, as a source
"""
