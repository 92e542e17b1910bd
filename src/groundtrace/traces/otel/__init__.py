"""OpenTelemetry's GenAI spans and the events that command lines send as logs.

records.py  spans and events as one type
files.py    the spans of a file, trial by trial
trace.py    one trial as a source
"""
