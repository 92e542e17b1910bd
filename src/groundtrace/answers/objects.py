"""Files in an answer that is JSON: objects with a path, lists of names, tables from path to lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from groundtrace.answers import diffs, words
from groundtrace.answers.file_names import is_file, path_of
from groundtrace.answers.fold import Run
from groundtrace.answers.found import found, is_omitted
from groundtrace.answers.line import Shown, in_runs, text_size
from groundtrace.answers.numbered import contents
from groundtrace.answers.ranges import lines_in, lines_of, split_anchor
from groundtrace.answers.sourcegraph_text import link_of, plain_repo
from groundtrace.answers.texts import searched
from groundtrace.base.values import as_mapping, distinct, whole_name, whole_number

MAX_FILES = 10_000
"""How many files of one answer are read; no answer that a model reads has more."""
MAX_VALUES = 200_000
"""How many values of one JSON answer are read."""
MAX_DEPTH = 40
"""How many levels of a JSON answer are read."""

_FOLDERS = frozenset({"dir", "directory", "folder", "tree", "symlink", "submodule"})
_FILES = frozenset({"file", "blob"})


class Enclosing(msgspec.Struct, frozen=True):
    """What the objects around a value state."""

    path: str = ""
    """File of the nearest object that names one."""
    repo: str | None = None
    """Repository of the nearest object that names one."""
    base: str = ""
    """Folder of a tree."""
    key: str = ""
    """Plain name of the field that holds the value."""


class Objects:
    """One walk through a JSON answer."""

    def __init__(self, repo: str | None) -> None:
        """`repo` is the repository that the arguments name."""
        self.shown: list[Shown] = []
        self.repos: list[str] = []
        self.left_out = False
        """The answer holds more values than the limit allows."""
        self._repo = repo
        self._values = 0

    def walk(self, value: Any, around: Enclosing | None = None, depth: int = 0) -> None:
        """Collect the files of a value and of everything below it."""
        around = around or Enclosing(repo=self._repo)
        self._values += 1
        if depth > MAX_DEPTH or self._values > MAX_VALUES or len(self.shown) > 4 * MAX_FILES:
            self.left_out = True
        elif isinstance(value, Mapping):
            self._object(value, around, depth)
        elif isinstance(value, (list, tuple)):
            self._list(value, around, depth)

    def _list(self, items: Sequence[Any], around: Enclosing, depth: int) -> None:
        if around.path and _is_pair(items):
            first, last = lines_of(whole_number(items[0]), None) or (None, None)
            self.shown.append(
                Shown(around.path, "matched", first, last, text_size(items[1]), around.repo)
            )
            return
        texts = [item for item in items if isinstance(item, str)]
        if texts and not around.path and len(texts) == len(items):
            lines = list(found(texts, searched, repo=around.repo))
            if len(lines) == len(texts):
                self.shown += lines
                return
        is_names = not around.path and (not around.key or around.key in words.LIST_FIELDS)
        for item in items:
            if isinstance(item, str):
                if is_names:
                    self._name(item, around)
                elif around.path:
                    self._content(around, item)
            else:
                self.walk(item, around, depth + 1)
            if self.left_out:
                return

    def _name(self, item: str, around: Enclosing) -> None:
        path, lines = split_anchor(path_of(item))
        # Names of packages, branches and modules have slashes and dots too. So a name without
        # anything else must look like a file.
        if is_file(path):
            first, last = lines or (None, None)
            self.shown.append(
                Shown(_below(around.base, path), "surfaced", first, last, repo=around.repo)
            )

    def _object(self, value: Mapping[str, Any], around: Enclosing, depth: int) -> None:
        fields = {words.plain(str(key)): inner for key, inner in value.items()}
        table = [path_of(key) for key in value]
        if table and all(is_file(path) and "." in path for path in table):
            for key, inner in value.items():
                self._entry(path_of(key), inner, around, depth)
            return
        repo = self._repository(fields) or around.repo
        kind = fields.get("type")
        if (isinstance(kind, str) and kind in _FOLDERS) or fields.get("isdirectory") is True:
            base = _below(around.base, whole_name(fields.get("name")))
            self.walk(fields.get("children"), Enclosing(repo=repo, base=base), depth + 1)
            return
        if "hunks" in fields or isinstance(fields.get("patch"), str):
            self._changes(value, repo)
            return
        fields = _with_text(_lifted(fields))
        if around.path and around.key == "lines" and "number" in fields:
            fields["linenumber"] = fields.pop("number")
        is_named = isinstance(kind, str) and kind in _FILES
        path, lines = _path_in(fields, in_tree=is_named and "entitytype" not in fields)
        if path and around.base:
            path = _below(around.base, path)
        runs = _content_runs(fields)
        stated = lines_in(fields) or lines
        runs = runs or ([stated] if stated else [])
        chars = _content_chars(fields)
        own = path or around.path
        if own and runs and not (chars is None and _is_left_out(fields)):
            self.shown += in_runs(own, "matched", runs, chars, repo)
        elif own and chars is not None:
            self.shown.append(Shown(own, "matched", chars=chars, repo=repo))
        elif path:
            self.shown.append(Shown(path, "surfaced", repo=repo))
        inner_path = path or around.path
        for key, inner in fields.items():
            if key in words.SKIPPED_FIELDS or (path and key in words.FILE_FIELDS):
                continue
            if isinstance(inner, (Mapping, list, tuple)):
                self.walk(inner, Enclosing(inner_path, repo, around.base, key), depth + 1)

    def _entry(self, path: str, value: Any, around: Enclosing, depth: int) -> None:
        """One entry of a table from path to what was found in the file."""
        before = len(self.shown)
        inside = Enclosing(path, around.repo)
        if isinstance(value, str):
            self._content(inside, value)
        else:
            self.walk(value, inside, depth + 1)
        if len(self.shown) == before:
            self.shown.append(Shown(path, "surfaced", repo=around.repo))

    def _content(self, around: Enclosing, text: str) -> None:
        """Text of the file that the object around it names."""
        if is_omitted(text):
            self.shown.append(Shown(around.path, "surfaced", repo=around.repo))
        elif text.strip():
            numbered = contents(text.split("\n"))
            if numbered is not None:
                lines = in_runs(around.path, "matched", numbered.runs, numbered.chars, around.repo)
                self.shown += lines
            else:
                self.shown.append(Shown(around.path, chars=text_size(text), repo=around.repo))

    def _changes(self, value: Mapping[str, Any], repo: str | None) -> None:
        self.shown += diffs.in_objects(value, repo)

    def _repository(self, fields: Mapping[str, Any]) -> str | None:
        stated = fields.get("repository") or fields.get("repo")
        inside = as_mapping(stated)
        name = whole_name(inside.get("full_name") or inside.get("name") if inside else stated)
        name = plain_repo(name)
        for item in fields.get("repositories") or () if "repositories" in fields else ():
            listed = plain_repo(whole_name(as_mapping(item).get("name") or item))
            if "/" in listed:
                self.repos.append(listed)
        if "/" not in name:
            return None
        self.repos.append(name)
        return name


def objects_in(value: Any, repo: str | None) -> Objects:
    """The files of a JSON answer."""
    found = Objects(repo)
    found.walk(value)
    found.repos = list(distinct(found.repos))
    return found


def _below(base: str, name: str) -> str:
    return f"{base}/{name}" if base and name and not name.startswith("/") else name or base


def _is_pair(items: Sequence[Any]) -> bool:
    return len(items) == 2 and whole_number(items[0]) is not None and isinstance(items[1], str)


def _lifted(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields, plus the fields of nested objects that describe this object."""
    merged: dict[str, Any] = {}
    for key in words.LIFTED_FIELDS & fields.keys():
        inner = as_mapping(fields[key])
        merged |= {words.plain(str(name)): value for name, value in inner.items()}
    own = {k: v for k, v in fields.items() if not (k in words.LIFTED_FIELDS and as_mapping(v))}
    return merged | own


def _with_text(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields; `line` beside a number of its own and no other content is the line's text."""
    text = fields.get("line")
    if not isinstance(text, str) or fields.keys() & words.CONTENT_FIELDS:
        return fields
    rest = {key: value for key, value in fields.items() if key != "line"}
    return {**rest, "linetext": text} if lines_in(rest) else fields


def _path_in(fields: Mapping[str, Any], *, in_tree: bool) -> tuple[str, Run | None]:
    """The file that an object names; the most reliable field is tried first."""
    for name in words.FILE_FIELDS:
        if name not in fields or (name == "name" and not in_tree):
            continue
        value = fields[name]
        value = as_mapping(value).get("text") if isinstance(value, Mapping) else value
        path, lines = split_anchor(path_of(value))
        if is_file(path, sure=in_tree):
            return path, lines
    link = link_of(whole_name(fields.get("url"))) if "/-/blob/" in str(fields.get("url")) else None
    if link is not None and not link.is_folder:
        return link.path, lines_of(link.start, link.end)
    return "", None


def _content_runs(fields: Mapping[str, Any]) -> list[Run] | None:
    """Lines from numbers in the content: they are more reliable than fields."""
    for key in words.CONTENT_FIELDS & fields.keys():
        value = fields[key]
        if isinstance(value, str) and value:
            numbered = contents(value.split("\n"))
            if numbered is not None:
                return numbered.runs
    return None


def _is_left_out(fields: Mapping[str, Any]) -> bool:
    """Whether a search printed a note instead of the text that the object is about."""
    held = [fields[key] for key in words.CONTENT_FIELDS & fields.keys()]
    return any(isinstance(value, str) and is_omitted(value) for value in held)


def _content_chars(fields: Mapping[str, Any]) -> int | None:
    """Characters of the content that an object itself holds; None if there is none in it at all.

    Objects and lists inside it count their own.
    """
    held = [fields[key] for key in words.CONTENT_FIELDS & fields.keys()]
    if not any(True for value in held for _ in _texts(value, 3)):
        return None
    texts = [text for value in held if isinstance(value, str) for text in _texts(value, 0)]
    if len(held) == len(texts) and all(map(is_omitted, texts)):
        return None
    return sum(map(text_size, texts))


def _texts(value: Any, depth: int) -> Iterator[str]:
    """Texts in a content field, a few levels down."""
    if isinstance(value, str):
        if value.strip() or "\n" in value:  # an empty line of a file is a line
            yield value
    elif depth > 0:
        inner = value.values() if isinstance(value, Mapping) else value
        for item in inner if isinstance(value, (Mapping, list, tuple)) else ():
            yield from _texts(item, depth - 1)
