"""Fuzzing: `python -m tests.fuzz --seconds N` tries random and damaged inputs on every reader.

`mutate`   damages bytes and JSON values
`seeds`    whole inputs to damage: fixtures, the demo's sample, real traces if there are any
`memory`   a folder in memory
`targets`  the table of what is tried; `on_…` how inputs are made and what must be true
`typed`    the same for documents, made from their types by hypothesis
`giants`   traces of a gigabyte, with the memory that reading takes
`runner`   one target at a time in its own process, with limits of time and memory
"""
