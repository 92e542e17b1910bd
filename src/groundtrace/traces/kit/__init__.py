"""What the readers of all formats share, and what chooses readers and joins what they read.

For readers:
log.py             calls joined with answers, in order, and what was lost
fit.py             decoded values fitted into types, whatever the values are
lists.py           an object with one long list in it, and the elements of a list in a stream
rows.py            files whose rows are trials
salvage.py         intact objects in broken JSON
stored_output.py   outputs stored in files
frames.py          what harnesses say around an output, or instead of it
screens.py         the screen of a terminal, divided among the commands typed into it
moves.py           the directory of a lasting shell
ledger.py          tokens, each model call once
keep.py            what is kept of results, within a memory budget
known.py           what is known of a file, as long as it is as it was

Around readers:
claims.py          how a reader says that a file has its format
reading.py         how it reads with code that is imported with the first file
trial_files.py     which names in a folder show that a trace is there, for discovery
choose.py          which files of a trial are read, and by which reader
files.py           reads them, and says which package a reader that failed is from
loose.py           traces without a trial's folder
prompt.py          what a user asked first
repeated_calls.py  sessions that continue in a new file, which repeats the earlier one
merge.py           several sources of one trial as one trace

Words that all readers use alike: `Asked` is a call as the model asked for it, `Output` its output,
`Tokens` what a file states about one model call, `TokenCounts` what is counted of it; a row is one
trial in a file of many.
"""
