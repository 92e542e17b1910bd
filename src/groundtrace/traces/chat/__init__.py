"""Data sets of conversations: every row is a trial.

records.py  what a row states about its trial; how a reply calls tools: objects, XML, back-ticks
trace.py    one row as a source
answers.py  the answer to a call, without the frame around it
"""
