"""Cline's and Roo Code's conversations.

records.py  a message as a type, and the calls that are XML in its text
trace.py    one conversation as a source
"""
