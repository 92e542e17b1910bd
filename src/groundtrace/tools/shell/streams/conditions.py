"""Which parts ran only if others did: `a && b`, `a || b`, branches.

Whether `b` ran is seldom known from the command, but often from the output: of `ls f && cat f` the
contents can only be there if the listing is. Such dependencies are noted on the parts (`guard`,
`unless`), and `align` takes a division back that contradicts them.
"""

from __future__ import annotations

from groundtrace.tools.shell.streams.content import Content
from groundtrace.tools.shell.streams.found_lines import Search
from groundtrace.tools.shell.streams.ls_output import Listing
from groundtrace.tools.shell.streams.name_lists import Names
from groundtrace.tools.shell.streams.part import Part, Parts, Write
from groundtrace.tools.shell.streams.text import Text


def joined(parts: Parts, operator: str, following: Parts, errors_seen: bool) -> Parts:
    """`a && b` or `a || b`: whether b ran depends on what a printed, where that tells.

    Where no error was seen, what complains of its failures went well: of `ls a && ls b` both ran.
    """
    if not parts:
        return following
    last = parts[-1]
    telling = last if isinstance(last, Search | Names | Listing | Content) else None
    certain = not errors_seen and _complaining(last)
    for part in following:
        if operator == "||":
            part.fallback = True
            part.unless = part.unless or (telling if len(parts) == 1 else None)
        else:
            part.maybe = part.maybe or not certain
            if telling is not None and not isinstance(last, Content):
                part.guard = part.guard or telling
    if operator == "||":
        # What is written only after a failure is not known to have been written.
        following = [part for part in following if not isinstance(part, Write)]
    return parts + following


def _complaining(part: Part) -> bool:
    """Whether the part prints an error when it fails, and would have been heard."""
    if part.quiet or part.maybe or part.fallback:
        return False
    return isinstance(part, Listing | Content | Text) and part.guard is None


def perhaps(parts: Parts) -> Parts:
    """Parts of a branch or of a loop that may not have run."""
    for part in parts:
        part.maybe = True
    return parts
