"""PowerShell and cmd: their commands give the same parts as those of bash (D200).

1. `language`: which shell a command is written for.
2. `parse`, `parse_values`, `nodes`: the script. `cmd` splits lines of cmd, which need no grammar.
3. `follow`: what it prints and writes, with `loops`, `evaluate` and `state` below it. `cmdlets` is the
   table of cmdlets, `files` and `streams` say what they do, `call` binds their parameters. `values`
   are the objects that a pipeline carries; other programs are those of bash.
4. `parts`: what only these shells print. `run`: one command of either, without its error messages.

What is not followed is noted by name (`while statements`), so that it can be said.
"""
