"""PowerShell and cmd: their commands give the same parts as those of bash (D200).

1. `told`: which shell a command is written for.
2. `parse`, `nodes`: the script. `cmd` splits lines of cmd, which need no grammar.
3. `follow`: what it prints and writes, with `cmdlets` for each cmdlet and `statics` for .NET.
   `values` are the objects that a pipeline carries; other programs are those of bash.
4. `parts`: what only these shells print. `messages`: their errors.

What is not followed is noted by name (`while statements`), so that it can be said.
"""
