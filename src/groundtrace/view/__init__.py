"""The viewer: parts of the report's page, served on this machine, with the raw trace of each call.

index            the trials of the results in DuckDB, and the questions a reader can ask
library          the current index: filled in the background, made again when results change
trace_files      which files hold the trace of a trial
raw_text         a part of such a file by its offset, masked; and where it names a call
call_text        what the trace says about one call
gate, routes     who may send requests; addresses and who answers them (`responses`)
server           the address, the browser and the end
"""
