"""What commands print, as parts, and what filters leave of them.

A part knows three things: how well a line fits it (for `align`), how many lines it can have
printed, and which files are shown by the lines that it got. The kinds of parts, by what is printed:

- `part`: the base; writes, which print nothing; output that is not followed; counts
- `text`: what the command itself spells out
- `content`: lines of a file
- `found_lines`: lines that a search found
- `numbered_lines`: lines of another part with a number in front
- `name_lists`, `listings`: names
- `diffs`, `patched`: patches, comparisons, and what programs say about files that they changed

A part itself says what a filter leaves of it. `line_algebra` takes a stream of parts through head,
tail, sed, grep and sort. `conditions` notes which parts ran only if others did. Parts are built
from `word`, `file_names`, `filters` and `spans`. The printed shapes themselves (`name:12:text`,
hunks, headings, numbers before lines) are read by `answers`.
"""
