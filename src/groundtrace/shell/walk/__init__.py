"""Follow a command as a shell does, without running anything.

`walker` holds what the walk knows, `flow` follows statements and `loops` loops, `expansion` gives
the words of a command, `redirects` says where input comes from and where output goes.
"""
