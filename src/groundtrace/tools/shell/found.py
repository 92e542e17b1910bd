"""Parts that print names or found lines: searches, listings, diffs. Their output is the witness."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Sequence

from groundtrace.model import AccessKind, FileRef
from groundtrace.tools.shell.names import is_file_name, join, looks_like_folder
from groundtrace.tools.shell.parts import Content, Part
from groundtrace.tools.shell.patterns import Pattern
from groundtrace.tools.shell.roots import from_top
from groundtrace.tools.shell.words import HOLES, Word

_CONTEXT_BREAK = "--"
_NUMBER = re.compile(r"\d{1,9}")
NUMBERED = re.compile(r"(\d{1,9})[:-]")
_NUMBERED_LINE = re.compile(r"\d+[:-]")
_LOCATED = re.compile(r"([^:\0]+)[:\0](\d{1,9}):")
_BINARY = re.compile(r"Binary file (.+) matches$")
_PATH_LIKE = re.compile(r"[^\s:(){}<>=;,'\"`|&*][^:(){}<>=;'\"`|*]{0,300}$")


def under(name: str, roots: Sequence[Word]) -> bool:
    """Whether a printed name lies below one of the operands, as the program prints it."""
    if not roots:
        return _PATH_LIKE.match(name) is not None
    for root in roots:
        if not root.glob and name.startswith(f"{root.text}/"):
            return True  # as most names do; a printed name holds no holes
        text = root.text.rstrip("/") or "/"
        if HOLES.search(text):
            return _PATH_LIKE.match(name) is not None
        if root.glob:
            if fnmatch.fnmatchcase(name, text) or fnmatch.fnmatchcase(name, text + "/*"):
                return True
        elif text == ".":
            if name.startswith("./") or (not name.startswith("/") and _PATH_LIKE.match(name)):
                return True
        elif name == text or name.startswith(text if text == "/" else text + "/"):
            return True
    return False


class Search(Part, kw_only=True):
    """Lines found by a search; what is printed tells in which files."""

    cwd: str | None
    roots: tuple[Word, ...] = ()
    """What was searched, as given; nothing means the current directory."""
    sole: str | None = None
    """The one file searched, as a path, when the program need not print its name."""
    named: bool | None = None
    """File names are printed; None when that depends on how many files there were."""
    numbered: bool | None = False
    context: bool = False
    """Lines around the found ones are printed too."""
    base: Content | None = None
    """The stream searched, when it was standard input."""
    pattern: Pattern | None = None
    inverted: bool = False
    ordered: bool = True
    repo: str | None = None
    stripped: str = ""
    """What a filter took away in front of every name."""
    revision: str = ""
    """The revision that was searched: it stands before every name."""

    @property
    def strict(self) -> bool:
        if self.named or self.numbered:
            return True
        return self.pattern is not None and self.pattern.compiled is not None

    def behind(self) -> tuple[FileRef, ...]:
        """The file searched, when it is known without the output."""
        path = self.sole or (self.base.path if self.base else None)
        return () if path is None else (FileRef(path, "matched", self._repo(), rule=self.rule),)

    def _repo(self) -> str | None:
        return self.base.repo if self.base is not None else self.repo

    def score(self, line: str) -> float:
        if line == _CONTEXT_BREAK:
            return 0.6 if self.context else -2.0
        if self.named is not False and self._split(line) is not None:
            return 2.0
        if self.named:
            return 0.4 if self.context and re.match(r".+-\d+-", line) else -4.0
        if self.numbered:
            return 2.0 if _NUMBERED_LINE.match(line) else -4.0
        if self.base is not None and self.base.numbers and not self.base.score(line) > 0:
            return -4.0
        pattern = None if self.pattern is None else self.pattern.compiled
        if pattern is None or len(line) > 2000:
            return 0.8
        if (pattern.search(line) is not None) != self.inverted:
            return 1.6
        return 0.8 if self.context else -4.0

    def pair(self, before: str, line: str) -> float:
        if self.named is None and not self.context:
            # One search names all of its lines or none; two may stand side by side.
            return 0.0 if (self._split(before) is None) == (self._split(line) is None) else -3.0
        if not (self.numbered and self.named is False and self.ordered):
            return 0.0
        first, second = _NUMBER.match(before), _NUMBER.match(line)
        return -3.0 if first and second and int(second[0]) <= int(first[0]) else 0.0

    def _split(self, line: str) -> tuple[str, int | None] | None:
        """File name and line number of a found line (`name:12:text` or `name:text`)."""
        if self.revision:
            line = line.removeprefix(self.revision + ":")
        if self.numbered is not False:
            found = _LOCATED.match(line)
            if found and under(self.stripped + found[1], self.roots):
                return found[1], int(found[2])
            if self.numbered:
                return None
        name, colon, _ = line.partition(":")
        if not colon or not under(self.stripped + name, self.roots):
            return None
        return (name, None) if self.roots or "/" in name or "." in name else None

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        if self.named is not False:
            found = self._by_name(lines)
            if found or self.named:
                return found
        path = self.sole or (self.base.path if self.base else None)
        if path is None:
            return ()
        low, high = self._numbers(lines) if self.numbered is not False else (None, None)
        if low is None and self.base is not None and self.base.numbers:
            inner = list(self.base.refs(lines, True, False))
            if not inner:
                return ()
            starts = [ref.line_start for ref in inner if ref.line_start is not None]
            ends = [ref.line_end for ref in inner if ref.line_end is not None]
            low, high = (min(starts), max(ends)) if starts and ends else (None, None)
        return (FileRef(path, "matched", self._repo(), low, high, rule=self.rule),)

    def _numbers(self, lines: Sequence[str]) -> tuple[int | None, int | None]:
        """First and last line shown, by the numbers in front, in lines of the file."""
        base = self.base
        if base is not None and base.numbers:
            inner = [re.sub(r"^\d+[:-]", "", line) for line in lines]
            numbers = [
                int(m[1]) for m in (re.match(r"\s*(\d{1,9})\b", text) for text in inner) if m
            ]
            return (min(numbers), max(numbers)) if numbers else (None, None)
        found = [m for m in (NUMBERED.match(line) for line in lines) if m]
        if not found or (self.numbered is None and len(found) < len(lines) * 0.9):
            return None, None
        numbers = [int(m[1]) for m in found]
        low, high = min(numbers), max(numbers)
        if base is None:
            return low, high
        return base_line(base, low), base_line(base, high)

    def _by_name(self, lines: Sequence[str]) -> list[FileRef]:
        spans: dict[str, list[int]] = {}
        others: list[str] = []
        binary: list[str] = []
        for line in lines:
            found = self._split(line)
            if found is not None:
                numbers = spans.setdefault(found[0], [])
                if found[1] is not None:
                    numbers.append(found[1])
                continue
            other = _BINARY.match(line)
            if other:
                binary.append(other[1])
            elif self.context and line != _CONTEXT_BREAK:
                others.append(line)
        if others:
            self._context_lines(others, spans)
        out = []
        for name, numbers in spans.items():
            if not is_file_name(name):
                continue
            low, high = (min(numbers), max(numbers)) if numbers else (None, None)
            path = join(self.cwd, self.stripped + name)
            out.append(FileRef(path, "matched", self.repo, low, high, rule=self.rule))
        out.extend(
            FileRef(join(self.cwd, name), "surfaced", self.repo, rule=self.rule)
            for name in binary
            if name not in spans and is_file_name(name)
        )
        return out

    def _context_lines(self, lines: Sequence[str], spans: dict[str, list[int]]) -> None:
        """Context is `name-12-text`; names hold dashes and digits, so known names come first."""
        known = sorted(spans, key=len, reverse=True)
        for line in lines:
            name = next((n for n in known if line.startswith(n + "-")), None)
            if name is not None:
                found = re.match(r"-(\d{1,9})-", line[len(name) :])
                if found and self.numbered is not False:
                    spans[name].append(int(found[1]))
                continue
            found = re.match(r"(.+?\.\w+)-(\d{1,9})-", line) or re.match(r"(.+?)-(\d{1,9})-", line)
            if not found or self.numbered is False:
                continue
            if under(self.stripped + found[1], self.roots):
                spans.setdefault(found[1], []).append(int(found[2]))


def base_line(base: Content, number: int) -> int | None:
    """The line of the file that is line `number` of a stream."""
    if base.spans is None:
        return None
    left = number
    for low, high in base.spans:
        size = None if high is None else high - low + 1
        if size is None or left <= size:
            return low + left - 1
        left -= size
    return None


def _stat_name(line: str) -> str | None:
    found = re.match(r" (.+?) +\| +(?:\d+|Bin\b)", line)
    if found is None:
        return None
    name = found[1]
    if "=>" in name:
        name = re.sub(r"\{.*? => (.*?)\}", r"\1", name).split(" => ")[-1].replace("//", "/")
    return None if name.startswith("...") else name


def _status_name(line: str) -> str | None:
    found = re.match(
        r"(?:[ MADRCUT?!]{2} |\t(?:modified|new file|deleted|renamed|both modified): +|\t)(\S.*)",
        line,
    )
    return None if found is None else found[1].split(" -> ")[-1].strip('"')


def _matcher(pattern: str) -> Callable[[str], str | None]:
    compiled = re.compile(pattern)

    def take(line: str) -> str | None:
        found = compiled.match(line)
        return None if found is None else found[1]

    return take


FORMS: dict[str, Callable[[str], str | None]] = {
    "plain": lambda line: line,
    "wc": _matcher(r"\s*(?:\d+\s+){1,5}(?!total$)(\S.*)"),
    "count": _matcher(r"(.+):\d+$"),
    "describe": _matcher(r"([^:]+): +(?!directory\b|cannot open)\S"),
    "sum": _matcher(r"\\?[0-9a-f]{8,128} [ *](.+)"),
    "size": _matcher(r"[\d.,]+[KMGTPB]?\s+(\S.*)"),
    "stat": _matcher(r"\s+File: [‘'\"]?(.+?)[’'\"]?$"),
    "diffstat": _stat_name,
    "status": _status_name,
    "letters": _matcher(r"[ MADRCTUX]\d{0,3}\t(?:[^\t]+\t)?([^\t]+)$"),
    "numstat": _matcher(r"(?:\d+|-)\t(?:\d+|-)\t(.+)$"),
    "uniq": _matcher(r"\s*\d+\s+(\S.*)"),
    "findls": _matcher(r"\s*\d+\s+\d+\s+-\S+\s+.*\d\d:?\d\d ((?:\.|/).*)$"),
    "tree": _matcher(r"(?:[│├└─|`\s -]*)\s*(\S.*)$"),
    "treehash": _matcher(r"\d{6} blob [0-9a-f]+\s+(.+)$"),
    "logname": _matcher(
        r"(?!commit |Author: |Date: |Merge: |[0-9a-f]{7,40}\b)((?=\S*[./]|[A-Z]+$)[^\s:](?:[^\s:]*|[^:]*/[^:]*))$"
    ),
    "first": _matcher(r"(\S*[./]\S*)(?:\s+\S+)+$"),
    "last": _matcher(r"(?:\S+\s+)+(\S*[./]\S*)$"),
    "located": _matcher(r"([^:]+):\d+(?::|$)"),
}
"""How a name stands in a line, by the program that prints it."""


_COMMIT = r"commit [0-9a-f]{7,}|[0-9a-f]{7,40} |Author: |Date: |Merge: |    |$"
_BESIDE = {
    "wc": re.compile(r"\s*(?:\d+\s+){1,5}total$"),
    "diffstat": re.compile(rf"{_COMMIT}| \d+ files? changed"),
    "letters": re.compile(_COMMIT),
    "numstat": re.compile(_COMMIT),
    "logname": re.compile(_COMMIT),
}
"""Lines without a name that the same program prints beside those with one."""


class Names(Part, kw_only=True):
    """A list of file names, one per line."""

    cwd: str | None
    roots: tuple[Word, ...] = ()
    form: str = "plain"
    only_files: bool = False
    """No directories can be among them."""
    glob: str | None = None
    """Pattern that every base name has (`find -name`)."""
    repo: str | None = None
    folders: bool = False
    """Only directories are printed."""
    anchor: bool = True
    """Names must lie below the roots."""
    stripped: str = ""
    """What a filter took away in front of every name."""
    top: bool = False
    """Names count from the top of the repository, which may lie above the directory."""

    @property
    def strict(self) -> bool:
        return True

    def score(self, line: str) -> float:
        name = FORMS[self.form](line)
        if name is None:
            neutral = _BESIDE.get(self.form)
            return 0.95 if neutral is not None and neutral.match(line) else -4.0
        if not self._fits(name):
            return -4.0
        return 2.0 if self.roots or "/" in name or self.form != "plain" else 1.2

    def _fits(self, name: str) -> bool:
        name = self.stripped + name
        if self.anchor and not under(name, self.roots):
            return False
        if self.glob is None:
            return True
        return fnmatch.fnmatchcase(name.rstrip("/").rsplit("/", 1)[-1].lower(), self.glob.lower())

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        if self.folders:
            return
        form = FORMS[self.form]
        names = [self.stripped + name for name in map(form, lines) if name and self._fits(name)]
        parents: set[str] = set()
        if not self.only_files:
            for name in names:
                slash = name.rfind("/")
                while slash > 0:
                    parent = name[:slash]
                    if parent in parents:
                        break
                    parents.add(parent)
                    slash = parent.rfind("/")
        roots = {root.text.rstrip("/") for root in self.roots}
        cwd = from_top(self.cwd, names) if self.top else self.cwd
        for name in dict.fromkeys(names):
            bare = name.strip() if self.form != "plain" else name
            if not self._is_file(bare, parents, roots):
                continue
            path = join(None if self.repo else cwd, bare)
            yield FileRef(path, "surfaced", self.repo, rule=self.rule)

    def _is_file(self, name: str, parents: set[str], roots: set[str]) -> bool:
        if not is_file_name(name) or name in parents:
            return False
        if self.only_files:
            return True
        return not (
            looks_like_folder(name) or (name in roots and "." not in name.rsplit("/", 1)[-1])
        )


_DIFF_GIT = re.compile(r'diff --git "?[aciow]/(.+?)"? "?[bciow]/(?P<name>.+?)"?$')
_DIFF_BARE = re.compile(r'diff --git "?(?P<name>.{1,4096}?)"? "?(?P=name)"?$')
"""With `--no-prefix` both sides are the name alone."""
_DIFF_SIDE = re.compile(r'\+\+\+ "?b/(?P<name>[^\t]+?)"?$')
"""What is left of a heading when `grep '^[+-]'` follows."""
_DIFF_LINE = re.compile(
    r"(?:[-+ @\\]|diff --git|index |new file|deleted file|similarity|rename |$)"
)


class Diff(Part, kw_only=True):
    """A patch as git prints it: contents of the files it names."""

    cwd: str | None
    """Where git ran."""
    summary: bool = False
    """Names stand in a summary (`--stat`) before or instead of the patch."""
    top: bool = True
    """Names count from the top of the repository, which may lie above the directory."""

    @property
    def strict(self) -> bool:
        return True

    def score(self, line: str) -> float:
        return 1.5 if _DIFF_LINE.match(line) else 0.3

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        found: dict[tuple[str, AccessKind], None] = {}
        for line in lines:
            patched = _DIFF_BARE.match(line) or _DIFF_GIT.match(line) or _DIFF_SIDE.match(line)
            name = patched["name"] if patched else _stat_name(line) if self.summary else None
            if name is not None and is_file_name(name):
                found[name, "read" if patched else "surfaced"] = None
        cwd = from_top(self.cwd, (name for name, _ in found)) if self.top else self.cwd
        return [FileRef(join(cwd, name), kind, rule=self.rule) for name, kind in found]
