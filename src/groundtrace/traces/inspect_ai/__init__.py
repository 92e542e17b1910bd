"""Inspect's logs: `.eval` archives and JSON.

archive.py  members of an archive: size limits, nothing is written to disk
logs.py     the samples of a log, in either form, and where each is
records.py  an event as types, the part of a sample that it belongs to, and what a sample states
trace.py    one sample as a source
"""
