"""What Sourcegraph's answers look like, in both formats: blocks of files, opened files, links.

Until March 2026 the server answered in JSON (`blocks`, `fileBlocks`, `content` + `url`), since then
in text (`# repo – path` headers with an en dash, `URL:` lines). These are called the JSON era and
the text era. The command-line client prints the same text, so the shell's readers use these
functions too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import msgspec

from groundtrace.answers.fold import Run
from groundtrace.answers.line import Shown, in_runs, sections
from groundtrace.answers.numbered import (
    COLON,
    Line,
    Numbered,
    numbered,
    numbered_lines,
    runs_of,
    without_padding,
)
from groundtrace.answers.payload import Payload
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, as_mapping, text_or_empty, whole_name, whole_number
from groundtrace.model import AccessKind

HEADER = regex(r"# (?P<repo>[^\s–]+)(?: [–—-] (?P<path>\S.*))?\s*")
"""A header of the text era; the separator is an EN DASH. A header without a path names a
repository."""
_LINK_SIGN = regex(r"/-/(?P<type>blob|tree)/")
_LINK_PATH = regex(r"[^\s)\"'>\]]*")
_HOST = regex(r"https?://[^/\s]++")
_BREAKS = frozenset("()[]")
_LONGEST_URL = 4096
_RANGE = regex(r"(?:\?|%3F)L(\d+)(?:(?::\d+)?-L?(\d+))?", re.IGNORECASE)
_TREE_ENTRY = regex(r"\d+: ?(\d{6}) (\w+) [0-9a-f]{7,64}\s+(?:[\d-]+\s+)?(.+)")
_FRAGMENT = regex(
    r'"file"\s*:\s*"(?P<file>(?:[^"\\]|\\.)+)"\s*,\s*"repo"\s*:\s*"(?P<repo>(?:[^"\\]|\\.)+)"'
)
_FRAGMENT_LINE = regex(r'(?:"|\\n)(\d{1,9}): ')


class Block(msgspec.Struct, frozen=True):
    """A file in an answer, with the lines of it that were shown."""

    repo: str
    """Repository as the answer spells it; empty if the answer does not say."""
    path: str
    """Path in the repository; empty for a result that is a repository."""
    shown: bool = False
    """Content was shown, with or without numbers."""
    runs: tuple[Run, ...] = ()
    """The lines shown, run by run."""
    chars: int | None = None
    """Number of characters that show them, if known."""

    def lines(self, default: str | None) -> Iterator[Shown]:
        """What the block shows; `default` is the repository if the block names none."""
        path, repo = self.path.lstrip("/"), self.repo or default
        if self.runs:
            yield from in_runs(path, "matched", self.runs, self.chars, repo)
        else:
            kind: AccessKind = "matched" if self.shown else "surfaced"
            yield Shown(path, kind, chars=self.chars, repo=repo)


class Link(msgspec.Struct, frozen=True):
    """The parts of a Sourcegraph URL."""

    repo: str
    path: str
    is_folder: bool
    start: int | None = None
    end: int | None = None


def plain_repo(name: str) -> str:
    """A repository without its revision."""
    return name.partition("@")[0].strip().strip("/")


def link_of(text: str) -> Link | None:
    """The file that a URL points to, with its line range."""
    text = text[:_LONGEST_URL]
    for sign in _LINK_SIGN.finditer(text):
        repo = _repo_before(text, sign.start())
        if repo:
            break
    else:
        return None
    found = _LINK_PATH.match(text, sign.end())
    path = "" if found is None else found[0]
    lines = _RANGE.search(path)
    if lines is not None:
        path = path[: lines.start()]
    path = re.split(r"[?#]", path, maxsplit=1)[0]
    start = whole_number(lines[1]) if lines else None
    end = (whole_number(lines[2]) if lines[2] else start) if lines else None
    repo = plain_repo(unquote(repo))
    return Link(repo, unquote(path).strip("/"), sign["type"] == "tree", start, end)


def _repo_before(text: str, end: int) -> str:
    """The repository in `https://host/repo@revision` that ends at position `end` of the text.

    Read backwards by hand: a pattern tried at every character took time that grew with the square
    of the length.
    """
    start = end
    while start and not text[start - 1].isspace() and text[start - 1] not in _BREAKS:
        start -= 1
    name = text[start:end]
    folder, slash, last = name.rpartition("/")
    name = folder + slash + last.partition("@")[0]
    name = name.rpartition("@")[2]
    host = _HOST.match(name)
    name = name if host is None else name[host.end() :]
    return name.removeprefix("/")


# --- searches -----------------------------------------------------------------------------


def blocks_of(payload: Payload, *, padded: bool = True) -> list[Block]:
    """The files of a search's answer, one block per header or JSON block."""
    value = payload.value
    if value is None:
        return list(text_blocks(payload.text, padded=padded))
    found = [
        block
        for key in ("blocks", "fileBlocks", "results", "references", "definitions")
        for raw in as_items(payload.mapping.get(key))
        for block in _json_block(as_mapping(raw), padded)
    ]
    if not found and isinstance(value, list):
        found = [block for raw in value for block in _json_block(as_mapping(raw), padded)]
    return found


def text_blocks(text: str, *, padded: bool = True) -> Iterator[Block]:
    """Blocks of the text era. `padded`: each chunk ends with one extra empty line.

    keyword_search and nls_search pad their chunks, find_references does not.
    """
    repo = path = ""
    lines: list[str] = []
    for line in [*text.split("\n"), "# end"]:
        header = HEADER.fullmatch(line) if line[:2] == "# " else None
        if header is None:
            lines.append(line)
            continue
        if repo:
            yield _block(repo, path, lines, padded)
        repo, path, lines = plain_repo(header["repo"]), (header["path"] or "").strip(), []
        if "/" not in repo and not path:  # a Markdown heading such as `# Results`
            repo = ""


def _json_block(raw: Mapping[str, Any], padded: bool) -> Iterator[Block]:
    path = whole_name(raw.get("file")) or whole_name(raw.get("path"))
    repo = whole_name(raw.get("repo")) or whole_name(raw.get("repository"))
    link = link_of(text_or_empty(raw.get("url")))
    if link is not None:
        path, repo = path or link.path, repo or link.repo
    if not path and not repo:
        return
    chunks = as_items(raw.get("chunks")) or as_items(raw.get("chunkMatches"))
    lines: list[str] = []
    stated: list[int] = []
    for chunk in chunks:
        chunk = as_mapping(chunk)
        body = text_or_empty(chunk.get("content")).split("\n")
        lines += [*body, ""]
        if not any(COLON.match(line) for line in body):
            stated += [n for key in ("startLine", "endLine") if (n := whole_number(chunk.get(key)))]
    block = _block(plain_repo(repo), path, lines, padded)
    if not block.runs and stated:
        # Where numbered content allowed a check, `endLine` was always one too high.
        run = (min(stated), max(min(stated), max(stated) - 1))
        block = Block(block.repo, path, shown=True, runs=(run,))
    yield block


def _block(repo: str, path: str, lines: Sequence[str], padded: bool) -> Block:
    found = numbered_lines(lines, COLON)
    if padded:
        found = without_padding(found)
    if not found:
        return Block(repo, path)
    chars = sum([line.size for line in found])
    return Block(repo, path, shown=True, runs=tuple(runs_of(found)), chars=chars)


def fragments(text: str) -> Iterator[Block]:
    """Blocks in a fragment of JSON, as when a stored answer is read in parts.

    The fragment may begin and end anywhere. In the JSON era the chunks of a block come before its
    file and repository.
    """
    at = 0
    for match in _FRAGMENT.finditer(text):
        numbers = [int(n) for n in _FRAGMENT_LINE.findall(text[at : match.start()])]
        at = match.end()
        file = match["file"].replace('\\"', '"').replace("\\/", "/")
        runs = tuple((number, number) for number in numbers if number >= 1)
        yield Block(plain_repo(match["repo"]), file, shown=bool(numbers), runs=runs)


# --- opened files -------------------------------------------------------------------------


def folder_files(lines: Iterable[str]) -> tuple[str, ...] | None:
    """File names when the lines are a listing of a directory (`100644 blob <sha> name`), else None."""
    names = []
    entries = 0
    for line in lines:
        match = _TREE_ENTRY.fullmatch(line.rstrip())
        if match is not None:
            entries += 1
            if match[2] == "blob":
                names.append(match[3].strip())
        elif (content := COLON.match(line)) is not None and content[2].strip():
            return None
    return tuple(names) if entries else None


def is_past_the_end(text: str, asked_end: int | None) -> bool:
    """Whether all that was shown is one empty line beyond the file's last one (`1400: `)."""
    shown = numbered(text.split("\n"), COLON)
    if shown is None:
        return False
    return shown.first == shown.end and not shown.last.text.strip() and asked_end != shown.end


def opened_lines(text: str, asked_end: int | None) -> Numbered | None:
    """The lines shown of an opened file, without the extra empty line after the last."""
    shown = numbered(text.split("\n"), COLON)
    if shown is not None and shown.ends_empty() and asked_end != shown.last.number:
        return shown.without_last()
    return shown


# --- what a script returned -----------------------------------------------------------------

_NOTES = "Source file read notes:"
_NOTE = regex(r"- (?P<where>[^\s@]+)(?:@\S+?)?: ")
_ITEM = regex(r"(?:\A|[{\n]|, ) {0,20}(?P<line>(?P<number>\d{1,9}): )")
_LISTED = regex(
    r"(?P<path>[\w@.+-]+(?:/[\w@.+-]+)*\.\w+|[\w@.+-]+(?:/[\w@.+-]+)+)(?:(?: L|:)(?P<line>\d+))?"
)
_LONGEST_PATH = 4096


class Returned(msgspec.Struct, frozen=True):
    """What a script of the evaluator returned: text, or a list in braces, and notes below it."""

    body: str
    notes: str

    @property
    def lines(self) -> list[Line]:
        """Numbered lines, one below the other or as items of a list (`{12: text, 14: text}`)."""
        found = list(sections(_ITEM, self.body))
        out = []
        for item, text in found:
            text = text.partition("\n")[0]
            text = text.removesuffix("}") if item is found[-1][0] else text
            out.append(Line(int(item["number"]), text, len(item["line"]) + len(text) + 1))
        return out

    @property
    def shows_content(self) -> bool:
        """Whether it holds lines of a file, and not only a remark about the file."""
        body = self.body.strip()
        return bool(_ITEM.search(body)) or body.count("\n") >= 2 or len(body) > 200

    @property
    def paths(self) -> Iterator[str]:
        """Paths, if it is a list of them."""
        for item in re.split(r"[,\n]", self.body.strip().removeprefix("{").removesuffix("}")):
            match = _LISTED.fullmatch(item.strip()[:_LONGEST_PATH])
            if match is not None:
                yield match["path"]

    def noted(self, repos: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Repository and path of each note about a file that the script opened."""
        for match in filter(None, map(_NOTE.match, map(str.strip, self.notes.split("\n")))):
            where = match["where"]
            parts = where.split("/")
            repo = next((name for name in repos if where.startswith(f"{name}/")), "")
            if repo:
                yield repo, where[len(repo) + 1 :]
            elif len(parts) > 3:
                yield "/".join(parts[:3]), "/".join(parts[3:])


def returned(text: str) -> Returned:
    """What a script returned, and the notes of the server."""
    body, _, notes = text.partition(_NOTES)
    return Returned(body, notes)
