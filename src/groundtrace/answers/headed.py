"""A name above the lines of its file: headings of searches, of contents, of sections in prose.

src/a.py            File: src/a.py        src/a.py:              ## src/a.py (lines 3-9)
12:text             L12: text               Line 12: text        ```
13-text             ---                                          text
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from groundtrace.answers.file_names import LONGEST_PATH, word_path
from groundtrace.answers.fold import Run
from groundtrace.answers.found import BREAK, MATCH, PathOf, binary_file, is_omitted
from groundtrace.answers.line import Shown, in_runs, size
from groundtrace.answers.numbered import contents, numbered_lines, runs_of
from groundtrace.answers.ranges import lines_of, range_of, split_anchor
from groundtrace.answers.sourcegraph_text import link_of, plain_repo
from groundtrace.base.patterns import regex

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

# --- searches: found lines below the name of their file ---------------------------------------

_FILE = regex(r"File: (?P<path>[^\n]+)")
_ABOVE_LINES = regex(r"(?P<path>\S[^\n]{0,4095}):")
_LINE = regex(r"(?:L|(?:  )?Line |[ \t]*)(?P<number>\d{1,9})[:│-]")
_TERM = regex(
    r'\[?Found \d{1,9} match(?:es)? for ".{0,1000}" in (?P<path>(?:/|[A-Za-z]:[\\/])[^\n]{1,4096}?)[\]:]?[ \t]{0,20}'
)


def found_below(
    lines: Sequence[str],
    place: PathOf,
    *,
    bare: bool = True,
    repo: str | None = None,
    tight: bool = False,
) -> Iterator[Shown]:
    """Found lines in groups, each below the name of its file.

    `bare`: a name without a mark is a heading too, at the start of a group and above a numbered
    line, as rg prints it. `tight`: groups may follow each other without an empty line.
    """
    path = ""
    headed = False
    fresh = True
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        if headed and "inary file" in line and (binary := binary_file(line)):
            yield Shown(place(binary) or "", "surfaced", repo=repo)
            continue
        named = _named_above(line, following, bare and (fresh or (tight and line != BREAK)))
        fresh = line == BREAK or line[:1] in ("", "<") or line[:1].isspace()
        shown = None if named else _LINE.match(line)
        if named:
            path = place(named.strip()) or ""
            if path:
                headed = True
                yield Shown(path, "surfaced", repo=repo)
        elif not line.strip():
            path = ""  # the next group has a heading of its own
        elif path and is_omitted(line):
            yield Shown(path, "surfaced", repo=repo)
        elif path and shown is not None:
            yield Shown(path, "matched", int(shown["number"]), None, len(line) + 1, repo)


def _named_above(line: str, following: str, bare: bool) -> str:
    """The name that a heading gives; empty for other lines. `bare`: it needs no mark."""
    file = _FILE.fullmatch(line) or (_TERM.fullmatch(line) if "Found " in line[:8] else None)
    if file is None and following.startswith("  Line "):
        file = _ABOVE_LINES.fullmatch(line)
    if file is not None:
        return file["path"]
    if not bare or line[:1].isspace() or _LINE.match(line) or MATCH.match(line):
        return ""
    return line if _LINE.match(following) else ""


def text_below(lines: Sequence[str], place: PathOf, repo: str | None = None) -> Iterator[Shown]:
    """Found lines without numbers: every group is a name, and text below it."""
    groups: list[list[str]] = [[]]
    for line in lines:
        if line:
            groups[-1].append(line)
        elif groups[-1]:
            groups.append([])
    groups = [group for group in groups if group]
    paths = [place(group[0]) for group in groups]
    if not all(paths) or any(len(group) < 2 or any(map(place, group[1:])) for group in groups):
        return  # a list of names, or names without text
    for path, group in zip(paths, groups, strict=True):
        for line in group[1:]:
            yield Shown(path or "", "matched", chars=len(line) + 1, repo=repo, text=line)


_WORKSPACE = regex(r'\s*<workspace_result workspace_path="(?P<root>[^"\n]{1,4096})">\n')
_BARE_LINE = regex(r"\s*(\d{1,9})[:-]")


def in_workspace(text: str) -> tuple[str, list[str]] | None:
    """Folder and lines of a search in a workspace, as Cursor prints it; None for other answers."""
    head = _WORKSPACE.match(text[:5000])
    if head is None:
        return None
    return head["root"], text[head.end() :].partition("</workspace_result>")[0].split("\n")


def below_in_tag(lines: Sequence[str], place: PathOf) -> Iterator[Shown]:
    """Found lines below names as Cursor prints them: only numbered lines and notes are indented or in
    brackets."""
    path = ""
    for line in lines:
        number = _BARE_LINE.match(line)
        if path and number is not None:
            yield Shown(path, "matched", int(number[1]), None, len(line) + 1)
        elif line and line[0] not in " \t([" and not line.endswith(":"):
            path = place(line.strip()) or ""
            yield Shown(path, "surfaced")


_HEADING_OVER_BARS = regex(r"(?:^|\n)# \S[^\n]{0,4096}\n *\d{1,9} \| ")
_BARRED_LINE = regex(r" *(\d{1,9}) \| ")


def is_barred(text: str) -> bool:
    """Whether an answer has found lines behind bars."""
    return "\n│" in text or _HEADING_OVER_BARS.search(text[:5000]) is not None


def below_barred(lines: Sequence[str], place: PathOf) -> Iterator[Shown]:
    """Lines below the names of their files: Roo Code writes `# path`, then `  12 | text`; Cline the
    path alone, then `│text` without a number."""
    path = ""
    for line in lines:
        number = _BARRED_LINE.match(line)
        if line.startswith("│"):
            if path and line != "│----":
                yield Shown(path, "matched", None, None, len(line) + 1, text=line[1:])
        elif number is not None:
            if path:
                yield Shown(path, "matched", int(number[1]), None, len(line) + 1)
        elif line.strip() and not line.startswith("----"):
            path = place(line.strip().removeprefix("# ")) or ""


# --- contents of several files, as head and tail print them --------------------------------------

ARROWS = regex(r"==> (.+) <==$")


def below_arrows(lines: Sequence[str]) -> Iterator[tuple[str, Sequence[str], bool]]:
    """Name and lines of each file below `==> name <==`, and whether it is the last one.

    Between two files there is an empty line.
    """
    heads = [(at, found[1]) for at, line in enumerate(lines) if (found := ARROWS.match(line))]
    ends = [at for at, _ in heads[1:]]
    for (at, name), end in zip(heads, [*ends, len(lines)], strict=False):
        is_last = end == len(lines)
        gap = not is_last and end - at > 1 and not lines[end - 1]
        yield name, lines[at + 1 : end - gap], is_last


_DASHES = regex(r"^--- (?P<path>[^\n]{1,4096}?) ---$", re.MULTILINE)
_END = "End of content"


def between_dashes(text: str) -> Iterator[tuple[str, str]]:
    """Name and text of each file below `--- path ---`, without files that have no text."""
    marks = list(_DASHES.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):  # `ends` has one item even without marks
        body = text[mark.end() : end].strip("\n")
        if body and mark["path"] != _END:
            yield mark["path"], body


# --- sections: content below a heading ---------------------------------------------------------


class _Section(msgspec.Struct):
    path: str
    repo: str | None
    lines: Run | None = None
    kind: str = "heading"
    body: list[str] = []
    fenced: list[str] = []
    """Lines of code, without the words beside it."""

    def shown(self) -> Iterator[Shown]:
        """What the section shows of the file; nothing if the heading is only words."""
        numbered = contents(self.body, grows=False)
        filled = [line for line in self.body if line.strip()]
        if numbered is not None:
            yield from in_runs(self.path, "matched", numbered.runs, numbered.chars, self.repo)
        elif self.fenced or (self.kind == "bar" and filled):
            first, last = self.lines or (None, None)
            yield Shown(self.path, "matched", first, last, size(self.fenced or filled), self.repo)
        elif self.kind == "repo":
            yield Shown(self.path, "surfaced", repo=self.repo)


def sections(lines: Sequence[str], repo: str | None) -> Iterator[Shown]:
    """The files of all sections that show content, and of headings `# repository – path`."""
    section: _Section | None = None
    fence = ""
    before = ""
    for number, line in enumerate(lines):
        line = line[:LONGEST_PATH]
        mark = _FENCE.match(line)
        if fence:
            if mark is not None and mark["mark"].startswith(fence) and not mark["info"].strip():
                fence = ""
            elif section is not None and line.strip():
                section.fenced.append(line)
                section.body.append(line)
            continue
        found = _heading(line, before, lines[number + 1 : number + 6], repo)
        before = line
        if found is not None:
            if section is not None:
                yield from section.shown()
            section = found
        elif section is not None:
            section.body.append(line)
        if mark is not None:
            fence = mark["mark"]
    if section is not None:
        yield from section.shown()


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


def _named(rest: str) -> tuple[str, Run | None] | None:
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


# --- sections of retrieval: `Path: name` above each, or the lines in the heading -------------------

_PATH_ABOVE = regex(r"\s*(?:#+ |[-*] )?(?:Path|File): `?(?P<path>[^\s`][^`]*)`?\s*")
_RESULT_TAG = regex(
    r'<search_result path="(?P<path>[^"\n]{1,4096})" startLine="(?P<start>\d{1,9})" endLine="(?P<end>\d{1,9})"'
)
_RANGE_FENCE = regex(r"```(?P<start>\d{1,9}):(?P<end>\d{1,9}):(?P<path>[^\n]{1,4096})$")
"""How Cursor names a section."""


def path_sections(lines: Sequence[str], place: PathOf, repo: str | None) -> Iterator[Shown]:
    """Sections below `Path: name`: numbered lines, text, or nothing but the name."""
    path = ""
    body: list[str] = []
    for line in [*lines, "Path: end"]:
        above = _PATH_ABOVE.fullmatch(line)
        if above is None:
            body.append(line)
            continue
        if path:
            yield from _path_section(path, body, repo)
        path, body = place(above["path"]) or "", []


def _path_section(path: str, lines: list[str], repo: str | None) -> Iterator[Shown]:
    found = numbered_lines(lines)
    filled = [line for line in lines if line.strip()]
    if found:
        chars = sum([line.size for line in found])
        yield from in_runs(path, "matched", runs_of(found), chars, repo)
    elif any(line.strip() != "..." for line in filled):
        yield Shown(path, "matched", chars=size(filled), repo=repo)
    else:
        yield Shown(path, "surfaced", repo=repo)


def ranged_headings(lines: Sequence[str], place: PathOf, repo: str | None) -> Iterator[Shown]:
    """Sections whose heading has the lines: `<search_result path=…>`, "```10:20:a.py"."""
    for line in lines:
        found = _RESULT_TAG.match(line.lstrip()) or _RANGE_FENCE.match(line)
        if found is not None:
            first, last = int(found["start"]), int(found["end"])
            yield Shown(place(found["path"]) or "", "matched", first, last, repo=repo)
