"""Outputs that a harness cut: where lines are missing, and which lines were cut through.

Harnesses shorten long outputs at the end or in the middle, by lines, characters or tokens, and each
says so in its own words. Here all of these become a `Cut` between the lines that were shown, with
the number of lines left out if the harness gives it. A cut by characters goes through lines; the
rest of such a line is a `Half`. Both are strings, so code that looks at single lines needs no
special case for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import countOf

from groundtrace.base.patterns import regex


class Cut(str):
    """The place of a cut; its text is what the harness printed there."""

    __slots__ = ("omitted",)
    omitted: int | None
    """Lines left out; None if that is not known."""


class Half(str):
    """The rest of a line that a cut went through."""

    __slots__ = ("ends",)
    ends: bool
    """True: the beginning of the line was shown. False: the end was shown."""


def cut(text: str, omitted: int | None = None) -> Cut:
    """A cut with the number of lines left out."""
    made = Cut(text)
    made.omitted = omitted
    return made


AGAIN = cut("")
"""Between what two commands of one call printed of a file."""


def half(text: str, ends: bool) -> Half:
    """The rest of a line before a cut (`ends`) or after it."""
    made = Half(text)
    made.ends = ends
    return made


def is_cut(lines: Sequence[str]) -> bool:
    """Whether something is missing between the lines."""
    return countOf(map(type, lines), str) != len(lines)


def whole(lines: Sequence[str]) -> Sequence[str]:
    """The lines that were shown completely."""
    if not is_cut(lines):
        return lines
    return [line for line in lines if type(line) is str]


def pieces(lines: Sequence[str]) -> list[list[str]]:
    """The lines between the cuts; half lines are among them."""
    out: list[list[str]] = [[]]
    for line in lines:
        if isinstance(line, Cut):
            out.append([])
        else:
            out[-1].append(line)
    return out


def from_headings(
    lines: Sequence[str], is_heading: Callable[[str], bool], *, halves: bool = False
) -> list[str]:
    """The lines without those between a cut and the next heading: they belong to a file or a folder
    that is not named. `halves`: lines that a cut went through stay."""
    kept: list[str] = []
    for index, piece in enumerate(pieces(lines)):
        shown = piece if halves else whole(piece)
        first = next((at for at, line in enumerate(shown) if is_heading(line)), len(shown))
        kept += shown[first:] if index else shown
    return kept


_NUMBER = r"\d[\d,]{0,12}"
_BY_LINES = regex(
    rf"\s*(?:\.\.\. \[(?P<a>{_NUMBER}) lines (?:omitted|truncated)\](?: \.\.\.)?"
    rf"|\[\.\.\. omitted (?P<b>{_NUMBER}) of (?P<total>{_NUMBER}) lines \.\.\.\]"
    rf"|\[\.\.\. (?P<c>{_NUMBER}) lines (?:omitted|truncated)(?: \.\.\.)?\]"
    rf"|\.\.\. \((?P<d>{_NUMBER}) lines omitted\)(?: \.\.\.)?"
    r"|\.\.\. \[CONTENT TRUNCATED\] \.\.\.|\[chunk truncated\]"
    r"|\[Previous command outputs are truncated\..*)$"
)
"""Cuts between lines."""
_BY_CHARACTERS = regex(
    r"\s*(?:<Observation truncated in middle for saving context>|\[\.\.\. (?:Observation )?truncated[^\]]*\]"
    rf"|\[\.\.\. output limited to {_NUMBER} bytes; .*"
    rf"|\[?\s?\.\.\. ?\[?{_NUMBER} (?:characters|chars|bytes|tokens) (?:truncated|omitted)\]?.*"
    r"|\[\.\.\.[^\]]*truncated[^\]]*\])$"
)
"""Cuts that go through lines, with a line of their own."""
_SAID = r"(?:more|truncated|omitted|elided|hidden|skipped|clipped|snipped|not shown|left out)"
_OTHER = regex(
    rf"\s*(?:\[|\(|<|…|\.\.\.|--|\*\*)[\[(<….*\s-]{{0,80}}(?:(?:[Oo]utput )?{_SAID}\W{{1,3}}|\+|(?=.{{1,60}}{_SAID}))"
    rf"(?P<n>{_NUMBER}) (?:more |remaining )?(?:(?P<lines>lines?)|characters?|chars?|bytes|tokens)"
    rf"(?: (?:were|are|{_SAID})){{0,3}}[\])>….*\s-]{{0,80}}(?:\(ctrl[^)\n]{{1,40}}\))?$"
)
"""Notices of harnesses that are not known: a number between marks, alone in its line, and a word for
what is missing (`… +664 lines …`, `(... 664 more lines ...)`)."""
_BEGINS = ("...", "[", "<", "…", "(", "*", "-")
"""How all of them begin, after blanks."""
_INSIDE = regex(
    rf"…{_NUMBER} (?:tokens|characters|chars|bytes|lines) truncated…"
    r"|<response clipped>(?:<NOTE>[^<]*</NOTE>)?"
)
"""Cuts inside a line: the text before and after them is half a line."""
MAX_NOTICE = 1000
"""No notice of a cut is longer than this, in characters."""
_BAR = regex(r"-{20,200}")
"""A bar of dashes that some harnesses draw around a cut."""
_LAST = regex(r"Output too large\. Showing the last [\d,]+ characters of the output\.")


def may_be_cut(text: str) -> bool:
    """Whether a harness can have cut anything out; most outputs are complete."""
    return _hints(text) or text.startswith("Output too large")


def _hints(text: str) -> bool:
    """Whether a word of a notice is in a text. Not a loop: this looks at every line of cut outputs."""
    return (
        "truncated" in text
        or "omitted" in text
        or "TRUNCATED" in text
        or "<response clipped>" in text
        or "more lines" in text
        or "lines hidden" in text
        or "elided" in text
        or "…" in text
    )


def find_cuts(lines: list[str]) -> list[str]:
    """The lines, with each notice of a cut replaced by a `Cut`."""
    if lines and _LAST.match(lines[0]):
        lines = _tail_alone(lines)
    out: list[str] = []
    after: str | None = None
    for line in lines:
        if after is not None:
            kind, after = after, None
            if kind == "half" and _BAR.fullmatch(line):
                after = kind
                continue
            if kind == "own blank" and not line.strip():
                continue
            if kind == "between blanks" and not line:
                # `\n[... 664 lines omitted ...]\n\n`: whose blank lines these are is not known.
                out[-2:] = [cut(out[-1])]
                continue
            if kind == "half" and type(line) is str:
                line = half(line, False)
        after = _add(line, out, len(lines))
    return out


def begun_lines(text: str) -> list[str]:
    """The lines of a text whose start was shown, so that a number at their start is whole."""
    lines = text.split("\n")
    if not may_be_cut(text):
        return lines
    return [line for line in find_cuts(lines) if type(line) is str or getattr(line, "ends", False)]


def _add(line: str, out: list[str], count: int) -> str | None:
    """Add a line; if it is a cut, return what to do with the next line."""
    if type(line) is not str or not _hints(line):
        out.append(line)
        return None
    short = len(line) <= MAX_NOTICE and line.lstrip().startswith(_BEGINS)
    found = _BY_LINES.match(line) if short else None
    if found is not None:
        number = found["a"] or found["b"] or found["c"] or found["d"]
        omitted = None if number is None else int(number.replace(",", ""))
        if found["total"] is None:
            return _cut_between(line, omitted, out)
        return _counted_cut(line, omitted or 0, int(found["total"].replace(",", "")), out, count)
    if short and _BY_CHARACTERS.match(line):
        if out and _BAR.fullmatch(out[-1]):
            out.pop()
        _halve_last(out)
        out.append(cut(line))
        return "half"
    inside = _INSIDE.search(line)
    if inside is None:
        other = _OTHER.match(line) if short else None
        if other is None:
            out.append(line)
            return None
        if other["lines"]:
            return _cut_between(line, int(other["n"].replace(",", "")), out)
        _halve_last(out)
        out.append(cut(line))
        return "half"
    before, behind = line[: inside.start()], line[inside.end() :]
    if before:
        out.append(half(before, True))
    out.append(cut(inside[0]))
    if behind:
        out.append(half(behind, False))
    return None


def _cut_between(line: str, omitted: int | None, out: list[str]) -> str | None:
    """A cut between lines, with the number of those left out."""
    out.append(cut(line, omitted))
    return "between blanks" if len(out) > 1 and not out[-2] else None


def _counted_cut(line: str, omitted: int, total: int, out: list[str], count: int) -> str:
    """`[... omitted 113 of 120 lines ...]` has a blank line before and after it."""
    if not omitted:
        _halve_last(out)
        out.append(cut(line))
        return "own blank"
    own = 1
    if out and not out[-1]:
        out.pop()
        own += 1
    shown = count - own
    # A blank line after the notice belongs to it too. If the numbers do not add up, nothing is
    # claimed.
    out.append(cut(line, omitted if total - omitted in {shown, shown - 1} else None))
    return "own blank"


def _halve_last(out: list[str]) -> None:
    if out and type(out[-1]) is str:
        out[-1] = half(out[-1], True)


def _tail_alone(lines: list[str]) -> list[str]:
    """Lines of an output that shows only its end, after `...`."""
    rest = lines[1:]
    out: list[str] = [cut(lines[0])]
    if rest and rest[0].startswith("..."):
        first = rest.pop(0)[3:]
        if first:
            out.append(half(first, False))
    return out + rest


_HEAD_END = "\n</output_head>\n<elided_chars>\n"
_TAIL_BEGIN = "\n</elided_chars>\n<output_tail>\n"


def head_and_tail(text: str) -> list[str] | None:
    """Lines of an output that shows only its first and last characters; None for others."""
    if "<output_head>\n" not in text or not text.lstrip().startswith("<output_head>\n"):
        return None
    head, _, rest = text.partition("<output_head>\n")[2].partition(_HEAD_END)
    note, found, rest = rest.partition(_TAIL_BEGIN)
    tail, end, _ = rest.rpartition("</output_tail>")
    if not found or not end:
        return None
    shown = head.split("\n")
    behind = tail.removesuffix("\n").removesuffix("\n").split("\n")
    last = [] if behind == [""] else [half(behind[0], False), *behind[1:]]
    return [*shown[:-1], half(shown[-1], True), cut(note), *last]
