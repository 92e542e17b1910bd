"""The viewer: the page's own parts, served from this machine, with the raw trace beside each call.

index, search    the trials of the results in DuckDB, and what a reader can ask of them
library          the index that is current: filled while it is read, made again when results change
trace_files      which files hold the trace of a trial
raw_text         a part of such a file by its offset, masked
call_text        what the trace says of one call
gate, app        who may ask, and what is answered
server           the address, the browser and the end
"""
