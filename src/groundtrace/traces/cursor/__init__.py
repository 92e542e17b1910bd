"""Cursor's command line: the lines that it prints.

records.py  a line as a type, and what it says about one call
trace.py    one file, of lines or of collected lines
"""
