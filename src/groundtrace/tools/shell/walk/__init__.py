"""Following a command as a shell does, without running anything.

`walker` goes over statements, `expansion` gives the words of a command, `redirects` says where input
comes from and output goes.
"""
