"""Line algebra: what is left of a stream after head, tail, sed, grep and the like.

A stream is a list of parts, and a filter maps it to another list. Lines stay lines of the file they
came from: `tail -n +100 a.py | head -20` is "from line 100", then "the first 20 of that": lines
100–119 of a.py. Where a filter makes something else of a stream, its files are still shown and their
lines no longer known (`derive`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec
from msgspec.structs import replace

from groundtrace.model import AccessKind, FileRef
from groundtrace.tools.shell.streams.content import Content, Headed
from groundtrace.tools.shell.streams.found_lines import Search
from groundtrace.tools.shell.streams.git_diffs import Diff
from groundtrace.tools.shell.streams.grouped_lines import Grouped, filtered
from groundtrace.tools.shell.streams.ls_output import Listing
from groundtrace.tools.shell.streams.name_lists import Names
from groundtrace.tools.shell.streams.part import Count, Opaque, Part, Parts
from groundtrace.tools.shell.streams.search_patterns import Pattern
from groundtrace.tools.shell.streams.spans import WHOLE, Spans, first, last, pick
from groundtrace.tools.shell.streams.text import Prefixed, Text
from groundtrace.tools.shell.syntax.holes import HOLES


def shown_files(parts: Iterable[Part], kind: AccessKind) -> tuple[FileRef, ...]:
    """The files behind a stream, when something else is made of their contents."""
    out: dict[str, FileRef] = {}
    for part in parts:
        if isinstance(part, Content) and part.path is not None:
            out[part.path] = FileRef(part.path, kind, part.repo, rule=part.rule)
        elif isinstance(part, Opaque):
            for ref in part.shows:
                out[ref.path] = FileRef(ref.path, kind, ref.repo, rule=ref.rule)
        elif isinstance(part, Prefixed):
            for ref in shown_files([part.inner], kind):
                out[ref.path] = ref
        else:
            for ref in getattr(part, "behind", tuple)():
                out[ref.path] = FileRef(ref.path, kind, ref.repo, rule=ref.rule)
    return tuple(out.values())


def _limited(part: Part, count: int) -> Part:
    limit = count if part.limit is None else min(part.limit, count)
    return replace(part, limit=limit)


def _each(
    parts: Sequence[Part], one: Callable[[Part], Part], other: Callable[[Part], Part]
) -> Parts:
    """`one` for the first part that prints, `other` for those after it."""
    out: Parts = []
    started = False
    for part in parts:
        if not part.prints:
            out.append(part)
        elif started:
            out.append(other(part))
        else:
            started = True
            out.append(one(part))
    return out


def head(parts: Sequence[Part], count: int) -> Parts:
    """`head -n count`."""

    shared = sum(part.prints for part in parts) > 1

    def one(part: Part) -> Part:
        if isinstance(part, Content) and part.spans is not None:
            spans = None if part.shuffled else first(part.spans, count)
            part = replace(part, spans=spans, shared=shared)
        if isinstance(part, Text):
            return replace(part, lines=part.lines[:count])
        return _limited(part, count)

    def other(part: Part) -> Part:
        if isinstance(part, Content) and part.spans is not None:
            part = replace(part, spans=first(part.spans, count), shared=shared)
        return replace(_limited(part, count), maybe=True, quiet=True)

    return _each(parts, one, other)


def tail(parts: Sequence[Part], count: int) -> Parts:
    """`tail -n count`."""

    def one(part: Part) -> Part:
        if isinstance(part, Content):
            spans = None if part.spans is None or part.shuffled else last(part.spans, count)
            return _limited(replace(part, spans=spans), count)
        if isinstance(part, Text):
            return replace(part, lines=part.lines[-count:] if count else ())
        return _limited(part, count)

    def other(part: Part) -> Part:
        if isinstance(part, Content):
            part = replace(part, spans=None)
        return replace(_limited(part, count), maybe=True, quiet=True)

    return list(reversed(_each(list(reversed(parts)), one, other)))


def select(parts: Sequence[Part], wanted: Spans) -> Parts:
    """`sed -n 'a,bp'`, `tail -n +a`, `awk 'NR>=a'`: ranges of lines by their number."""
    size: int | None = 0
    for low, high in wanted:
        size = None if size is None or high is None else size + max(0, high - low + 1)

    def one(part: Part) -> Part:
        if isinstance(part, Content):
            spans = None if part.spans is None or part.shuffled else pick(part.spans, wanted)
            part = replace(part, spans=spans)
        elif isinstance(part, Text):
            lines: list[str] = []
            for low, high in wanted:
                lines.extend(part.lines[low - 1 : high])
            return replace(part, lines=tuple(lines))
        return part if size is None else _limited(part, size)

    def other(part: Part) -> Part:
        if isinstance(part, Content):
            part = replace(part, spans=None, maybe=True, quiet=True)
        return part if size is None else _limited(part, size)

    return _each(parts, one, other)


def number(parts: Sequence[Part]) -> Parts:
    """`cat -n`: lines carry their number, which is the file's only where all of it is there."""
    alone = sum(part.prints for part in parts) == 1
    out: Parts = []
    for part in parts:
        if isinstance(part, Content):
            own = alone and part.spans == WHOLE and not part.numbers
            out.append(replace(part, numbers="lead" if own else "", spans=part.spans))
        elif isinstance(part, Text | Search):
            out.append(Opaque(shows=shown_files([part], "matched"), rule=part.rule))
        else:
            out.append(part)
    return out


def chosen(parts: Sequence[Part]) -> Parts:
    """Numbered lines chosen by their text are found lines: one span from first to last."""
    return [replace(p, chosen=True) if isinstance(p, Content) else p for p in parts]


class Filter(msgspec.Struct, frozen=True):
    """How grep filters a stream."""

    pattern: Pattern | None = None
    inverted: bool = False
    numbered: bool = False
    context: bool = False
    partial: bool = False
    """Only the matching text is printed (-o)."""
    limit: int | None = None
    rule: str = "grep"


def search(parts: Sequence[Part], how: Filter) -> Parts:
    """`... | grep`: lines of a content become found lines; names stay names.

    With -n the numbers are those of the stream, which are a file's own only where it is alone.
    """
    if how.numbered and sum(part.prints for part in parts) > 1:
        parts = [replace(p, spans=None) if isinstance(p, Content) else p for p in parts]
    return [_searched(part, how) for part in parts]


def _searched(part: Part, how: Filter) -> Part:
    if isinstance(part, Content):
        return Search(
            cwd=None,
            sole=part.path,
            named=False,
            numbered=how.numbered,
            context=how.context,
            base=part,
            pattern=None if how.context or part.numbers else how.pattern,
            inverted=how.inverted,
            limit=_least(part.limit, how.limit),
            quiet=True,
            maybe=part.maybe,
            fallback=part.fallback,
            rule=how.rule,
        )
    if isinstance(part, Text):
        return _searched_text(part, how)
    if isinstance(part, Grouped):
        part = filtered(part)
    if isinstance(part, Search | Names | Listing) and (how.numbered or how.partial):
        return Opaque(shows=shown_files([part], "matched"), rule=how.rule, maybe=True)
    if isinstance(part, Headed):
        return Opaque(rule=how.rule)
    if isinstance(part, Names | Listing | Search | Diff):
        return replace(part, limit=_least(part.limit, how.limit))
    return part


def _searched_text(part: Text, how: Filter) -> Part:
    pattern = None if how.pattern is None else how.pattern.compiled
    if pattern is None or any(HOLES.search(line) for line in part.lines):
        return replace(part, maybe=True)
    kept = tuple(line for line in part.lines if (pattern.search(line) is not None) != how.inverted)
    return replace(part, lines=kept, maybe=True, unended=False)


def _least(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else min(a, b)


def reorder(parts: Sequence[Part], dropping: bool = False) -> Parts:
    """`sort`, `tac`, `uniq`: the same lines in another order, or fewer."""
    out: Parts = []
    for part in parts:
        if isinstance(part, Grouped):
            part = filtered(part)
        if isinstance(part, Content):
            part = replace(part, spans=None if dropping else part.spans, shuffled=True)
        elif isinstance(part, Search):
            part = replace(part, ordered=False)
        elif isinstance(part, Listing):
            part = replace(part, sorted=False)
        elif isinstance(part, Text) and len(part.lines) > 1:
            part = Opaque(rule=part.rule, expected=False)
        out.append(part)
    return out


def derive(parts: Iterable[Part], rule: str = "") -> Parts:
    """Something is made of the stream: its files are still shown, their lines no longer known."""
    out: Parts = []
    for part in parts:
        if not part.prints:
            out.append(part)
        elif isinstance(part, Content):
            out.append(replace(part, spans=None, numbers="", limit=None, quiet=True))
        elif isinstance(part, Text):
            out.append(Opaque(rule=rule or part.rule, expected=False, maybe=True))
        else:
            kept = shown_files([part], "matched" if isinstance(part, Search) else "read")
            out.append(Opaque(shows=kept, rule=rule or part.rule, maybe=part.maybe))
    return out


def count(parts: Iterable[Part], rule: str = "wc") -> Parts:
    """Only numbers are printed."""
    return [*(part for part in parts if not part.prints), Count(rule=rule)]


def names_of(parts: Iterable[Part], rule: str = "") -> Parts:
    """The first field of `name:line:text`: names alone are left of a search."""
    out: Parts = []
    for part in parts:
        if isinstance(part, Search) and part.named is not False:
            out.append(
                Names(
                    cwd=part.cwd,
                    roots=part.roots,
                    only_files=True,
                    rule=rule or part.rule,
                    repo=part.repo,
                    stripped=part.stripped,
                )
            )
        elif isinstance(part, Names):
            out.append(part)
        else:
            out.extend(derive([part], rule))
    return out


def places_of(parts: Iterable[Part], rule: str = "") -> Parts:
    """The first two fields of `name:line:text`: names and numbers, nothing of the contents."""
    return [
        replace(part, form="located") if isinstance(part, Names) and part.form == "plain" else part
        for part in names_of(parts, rule)
    ]


def quiet(parts: Iterable[Part]) -> Parts:
    """Errors of these parts are not seen."""
    out: Parts = []
    for part in parts:
        part.quiet = True
        out.append(part)
    return out
