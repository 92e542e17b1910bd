"""Headings that name a file, with its content below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from groundtrace.answers.sourcegraph_text import link_of, plain_repo
from groundtrace.base.patterns import regex
from groundtrace.tools.generic.arguments import range_of
from groundtrace.tools.generic.listings import word_path
from groundtrace.tools.generic.numbers import numbered_lines, shown_lines
from groundtrace.tools.generic.pieces import LONGEST_LINE, Lines, Piece, lines_of, split_anchor

_REPO_HEADING = regex(r"# (?P<repo>[^\s–—]{1,300}/[^\s–—]{1,300}) [–—] (?P<path>\S.*)")
_HEADING = regex(r"(?:#{1,6} +|\*\*)(?P<rest>\S.*)")
_LABEL = regex(
    r"(?<![ \t])[ \t]*+(?:[-*] ++)?(?:File|Path|Location|Filename|FILE): ++(?P<rest>\S.*)"
)
_URL = regex(r"URL: +(?P<url>\S+)")
_FENCE = regex(r"[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_CITED = regex(r"(?P<start>\d{1,9}):(?P<end>\d{1,9}):(?P<path>\S.*)")
_LINES = regex(r"\(?(?:lines?|L) ?(?P<range>[\dL]{1,10}(?: ?[-–] ?L?\d{1,9})?)[^()]{0,40}\)?")
_BAR = regex(r"={8,}|-{8,}")


@dataclass
class _Section:
    path: str
    repo: str | None
    lines: Lines | None = None
    kind: str = "heading"
    body: list[str] = field(default_factory=list)
    fenced: bool = False

    def piece(self) -> Piece | None:
        """The file with what the section shows; None if the heading is only words."""
        numbered = shown_lines(self.body) if numbered_lines(self.body) else None
        if numbered is not None or self.fenced:
            return Piece(self.path, self.repo, numbered or self.lines, shown=True)
        if self.kind == "bar" and any(line.strip() for line in self.body):
            return Piece(self.path, self.repo, self.lines, shown=True)
        return Piece(self.path, self.repo) if self.kind == "repo" else None


def sections(lines: Sequence[str], repo: str | None) -> Iterator[Piece]:
    """The files of all sections that show content, and of headings `# repository – path`."""
    section: _Section | None = None
    fence = ""
    before = ""
    for number, line in enumerate(lines):
        line = line[:LONGEST_LINE]
        mark = _FENCE.match(line)
        if fence:
            if mark is not None and mark["mark"].startswith(fence) and not mark["info"].strip():
                fence = ""
            elif section is not None and line.strip():
                section.fenced = True
                section.body.append(line)
            continue
        following = lines[number + 1 : number + 6]
        found = _heading(line, before, following, repo)
        before = line
        if found is not None:
            if section is not None and (piece := section.piece()) is not None:
                yield piece
            section = found
        elif section is not None:
            section.body.append(line)
        if mark is not None:
            fence = mark["mark"]
    if section is not None and (piece := section.piece()) is not None:
        yield piece


def _heading(line: str, before: str, after: Sequence[str], repo: str | None) -> _Section | None:
    """The section that a line opens."""
    fence = _FENCE.match(line)
    if fence is not None:
        cited = _CITED.fullmatch(fence["info"].strip())
        if cited is None or not word_path(cited["path"]):
            return None
        span = lines_of(int(cited["start"]), int(cited["end"]))
        return _Section(word_path(cited["path"]), repo, span, "fence")
    heading = _REPO_HEADING.fullmatch(line.rstrip())
    if heading is not None and word_path(heading["path"]):
        return _Section(heading["path"].strip(), plain_repo(heading["repo"]), kind="repo")
    url = _URL.fullmatch(line.rstrip())
    if url is not None:
        link = link_of(url["url"]) if "/-/blob/" in url["url"] else None
        if link is None or link.is_folder:
            return None
        return _Section(link.path, link.repo, lines_of(link.start, link.end), "url")
    for pattern in (_LABEL, _HEADING):
        match = pattern.fullmatch(line.rstrip())
        if match is not None:
            named = _named(match["rest"])
            if named is None:
                return None
            kind = "bar" if _BAR.fullmatch(before.strip()) else "heading"
            return _Section(named[0], repo, named[1], kind)
    return _bare(line, after, repo)


def _bare(line: str, after: Sequence[str], repo: str | None) -> _Section | None:
    """A line that is only a path, with numbered lines below."""
    path = "" if line[:1].isspace() else word_path(line)
    if not path or line.startswith(("- ", "* ")):
        return None
    return _Section(path, repo) if numbered_lines(after) else None


def _named(rest: str) -> tuple[str, Lines | None] | None:
    """Path and lines of a heading's words: `src/a.py (lines 3-9)`, `src/a.go#L5-L6`."""
    rest = rest.strip().rstrip("*:").strip()
    head, _, tail = rest.partition(" ")
    stated = _LINES.fullmatch(tail.strip()) if tail else None
    if tail and stated is None:
        return None
    path, lines = split_anchor(head.strip("`"))
    if stated is not None:
        lines = range_of(stated["range"].replace("–", "-").replace(" ", "")) or lines
    path = word_path(path)
    return (path, lines) if path else None
