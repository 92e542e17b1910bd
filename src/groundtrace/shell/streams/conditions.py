"""Which parts ran only if others did: `a && b`, `a || b`, branches.

The command seldom says whether `b` ran, but the output often does: with `ls f && cat f` the
contents can only be there if the listing is. Such dependencies are noted on the parts (`guard`,
`unless`), and `align` rejects a division that contradicts them.
"""

from __future__ import annotations

from msgspec.structs import replace

from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Part, Parts, Write


def joined(
    parts: Parts, operator: str, following: Parts, errors_seen: bool, fine: bool = False
) -> Parts:
    """`a && b` or `a || b`: whether b ran depends on what a printed, if that says anything.

    If no error was seen, a program that reports its failures succeeded: with `ls a && ls b` both
    ran. `fine`: a succeeded if it ran at all.
    """
    if not parts:
        return following
    last = parts[-1]
    if operator == "||":
        printed = last.serial if len(parts) == 1 and last.tells_success else None
        # A write that happens only after a failure is not known to have happened.
        return parts + [fallen(part, printed) for part in following if not isinstance(part, Write)]
    certain = not errors_seen and _complaining(last)
    guard = last.serial if last.tells_failure and not _may_be_silent(last) else None
    if fine:
        certain = not last.maybe and not last.fallback and last.guard is None
        guard = last.guard
    return parts + [
        replace(
            part, maybe=part.maybe or not certain, guard=guard if part.guard is None else part.guard
        )
        for part in following
    ]


def fallen(part: Part, unless: int | None) -> Part:
    """A part that runs only after a failure, and not if the part `unless` printed something."""
    unless = unless if part.unless is None else part.unless
    return replace(part, fallback=True, unless=unless)


def _may_be_silent(part: Part) -> bool:
    """Whether a list of names may be empty although the program succeeded.

    `find` that finds nothing, `git status -s` without changes and a linter without remarks print
    nothing, and what follows `&&` runs. `grep -l` without a match and `ls` without a file fail.
    """
    return isinstance(part, Names) and (part.silent or part.rule in _SUCCEED_WITHOUT_NAMES)


_SUCCEED_WITHOUT_NAMES = frozenset(
    ["find", "fd", "fdfind", "git", "git status", "git ls-files", "git ls-tree"]
)


def _complaining(part: Part) -> bool:
    """Whether the part prints an error if it fails, and the error would be in the output."""
    if part.quiet or part.maybe or part.fallback:
        return False
    return part.complains and part.guard is None


def perhaps(parts: Parts) -> Parts:
    """Parts of a branch or of a loop that may not have run."""
    return [part if part.maybe else replace(part, maybe=True) for part in parts]
