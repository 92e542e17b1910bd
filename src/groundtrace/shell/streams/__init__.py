"""What commands print, as parts, and what filters leave of them.

A part knows three things: how well a line fits it (for `align`), how many lines it can have
printed, and which files are shown by the lines that it got. The kinds of parts, by what is printed:

- `part`: the base; writes, which print nothing; output that is not followed; counts
- `text`: what the command itself spells out
- `content`: lines of a file
- `found_lines`, `grouped_lines`, `remote_results`: lines that a search found
- `name_lists`, `listings`: names
- `git_diffs`, `compared`, `patched`: patches and comparisons

A part itself says what a filter leaves of it. `line_algebra` takes a stream of parts through head,
tail, sed, grep and sort. `conditions` notes which parts ran only if others did. Parts are built
from `word`, `operands`, `file_names`, `name_forms`, `search_patterns` and `repository_top`.
"""
