"""Files in forms that are not file lists: regex rubrics and Python literals.

**Rubrics** (D26). A checklist gives regular expressions by which it recognises an answer. Such a
pattern is used as a path only when

1. every special character in it is escaped, so that it matches exactly one text
   (`controller/state\\.go`; not `cmd/argocd.server/main\\.go`, whose dots match anything);
2. that text has a folder and a file name with an extension (`state\\.go` alone could be anywhere,
   `pkg/apis/application` is a directory);
3. the rubric does not show that it is the end of a longer path: of another literal in the rubric
   (`v1alpha1/types.go` beside `pkg/apis/application/v1alpha1/types.go`) or of a folder that the
   same check names (`repository/repository.go` beside `reposerver/repository`).

A pattern may match anywhere in an answer, so it is never certain that a text is a whole path; the
third rule removes the ends that the rubric itself shows. Files at the root of a repository, and
files whose pattern is not exact, are lost. So a rubric often gives fewer files than it checks for,
and the problem `regex_pattern` says how many patterns were skipped.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any

from groundtrace.base.patterns import regex
from groundtrace.truth.entries import Notes, has_extension

PATTERN_KEYS = ("file_references", "required_findings")
"""Checks that ask for findings; `negative_checks` ask for absence, `causal_chain` for words."""

MAX_LITERAL = 8 * 1024 * 1024
MAX_DEPTH = 4

_SPECIAL = frozenset(".^$*+?{}[]|()")
_TOKEN = regex(r"""\s*(?:([\[(])|([\])])|,|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")\s*""")


def literal(pattern: str) -> str | None:
    """The one text that a pattern matches, or None when it matches several."""
    out: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            if not escaped or escaped.isalnum():
                return None  # \d, \b and the like are classes and anchors, not characters
            out.append(escaped)
        elif character in _SPECIAL:
            return None
        else:
            out.append(character)
    return "".join(out)


def rubric_paths(data: Mapping[Any, Any], notes: Notes) -> list[str]:
    """Paths that the patterns of a rubric give."""
    checks = [[literal(pattern) for pattern in patterns] for patterns in _checks(data)]
    backwards = sorted({text[::-1] for check in checks for text in check if text})
    found: dict[str, None] = {}
    passed = tails = 0
    for check in checks:
        folders = {text.rstrip("/").rpartition("/")[2] for text in check if text and "/" in text}
        for text in check:
            if text is None or not _is_path(text):
                passed += 1
            elif _is_tail(text, backwards) or text.partition("/")[0] in folders:
                tails += 1
            else:
                found.setdefault(text)
    if passed or tails:
        reason = f"of its checks' patterns {passed:,} are not literal paths and {tails:,} are tails"
        notes.add("regex_pattern", reason)
    return list(found)


def _is_tail(text: str, backwards: list[str]) -> bool:
    """Whether another literal ends in `/text`: `backwards` is sorted, so it would come next."""
    start = f"{text[::-1]}/"
    place = bisect_left(backwards, start)
    return place < len(backwards) and backwards[place].startswith(start)


def _checks(data: Mapping[Any, Any]) -> Iterator[list[str]]:
    """The patterns of each check; a check is an object with patterns, or one pattern."""
    for key in PATTERN_KEYS:
        items = data.get(key)
        for item in items if isinstance(items, list) else ():
            patterns = item.get("patterns", item.get("pattern")) if isinstance(item, dict) else item
            patterns = patterns if isinstance(patterns, list) else [patterns]
            yield [pattern for pattern in patterns if isinstance(pattern, str)]


def _is_path(text: str) -> bool:
    return "/" in text.strip("/") and has_extension(text) and not re.search(r"\s", text)


def python_paths(text: str, notes: Notes) -> list[Any]:
    """Entries of a Python literal: lists of texts and lists of such lists; nothing else is read."""
    if len(text) > MAX_LITERAL or not _is_plain(text):
        notes.add("no_file_list", "text that is no literal list of paths")
        return []
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError) as error:
        notes.add("no_file_list", f"text that is no literal list of paths: {type(error).__name__}")
        return []
    return list(_flat(value))


def _is_plain(text: str) -> bool:
    """Whether a text has only brackets, commas and quoted texts and is not nested deeply: such a
    text is safe to evaluate."""
    depth = place = 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            return False
        depth += (token[1] is not None) - (token[2] is not None)
        if not 0 <= depth <= MAX_DEPTH or (depth == 0 and token[2] is None):
            return False
        place = token.end()
    return depth == 0 and place > 0


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _flat(item)
    else:
        yield value
