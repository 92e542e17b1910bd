"""Fuzzing: `python -m tests.fuzz --seconds N` tries random and damaged inputs on every reader.

`mutate`   damages bytes and JSON values
`seeds`    whole inputs to damage: fixtures, the demo's sample, real traces where they are
`memory`   a folder held in memory
`targets`  what is tried, and what must hold of each result
`typed`    the same for documents, made from their types by hypothesis
`runner`   one target at a time in a process of its own, with guards of time and memory
"""
