"""Fuzzing: `python -m tests.fuzz --seconds N` tries random and damaged inputs on every reader.

`mutate`   damages bytes and JSON values
`seeds`    whole inputs to damage: fixtures, the demo's sample, real traces where they are
`memory`   a folder held in memory
`targets`  the table of what is tried; `on_…` how it is made and what must hold
`typed`    the same for documents, made from their types by hypothesis
`giants`   traces of a gigabyte, with the memory that reading takes
`runner`   one target at a time in a process of its own, with guards of time and memory
"""
