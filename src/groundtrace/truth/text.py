"""File names from prose and scripts: the last source of the chain, so it takes only clear cases.

A name is used if it has a folder and the extension of a source file, is at a place where people
name files, and is not something that the agent must produce. From `instruction.md`, names in
backticks are `medium`; bare names are used only if there are none in backticks, and are `low`.
From `tests/test.sh`, only files that a line inspects (`grep`, `[ -f … ]`, `cat`) are used, as
`low`: what a test runner is given is the verifier's own test, not evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from groundtrace.base.patterns import regex

_EXTENSIONS = (
    "adoc asm bazel bzl c cc cfg cjs clj cmake conf cpp cs css cu cxx dart def erl ex exs f90 "
    "fs go gradle graphql groovy h hbs hh hpp hrl hs html hxx ini ipp java jl js json jsx kt "
    "kts less lua m md mjs ml mm mod nix opt php pl pm properties proto ps1 py pyi pyx r rb "
    "rs rst s sass sbt scala scss sol sql sum svelte swift td tf toml ts tsx txt v vue xml "
    "yaml yml zig "
)
SOURCE_EXTENSIONS = frozenset(_EXTENSIONS.split())
"""Extensions that make a bare word count as a file; `example.com/v1.2` has none of them."""

_PART = r"(?:[\w.@+~-]|\[[\w.-]{1,40}\]|\([\w.-]{1,40}\))"  # app/(auth)/[id]/page.tsx is a path
_PATH = regex(
    rf"(?<![\w/.$@:<{{~-])/?(?=[\w.@])(?:{_PART}{{1,128}}/){{1,40}}{_PART}{{0,128}}\w(?![\w/*<>{{}}])"
)
_MAX_LINE = 4000
"""Longer lines are data or minified code; people do not name files there."""
_BACKTICKED = regex(r"`([^`\n]+)`")
_FENCE = regex(r"^ {0,3}(```|~~~)")
_OUTPUT = regex(
    r"\b(?:writ(?:e|es|ing|ten)|sav(?:e|es|ing)|creat(?:e|es|ing)|output|produc(?:e|es|ing)"
    r"|generat(?:e|es|ing)|stor(?:e|es|ing)|plac(?:e|es|ing)|put|emit|add a|new file"
    r"|do not|don't|never|instead of|example|e\.g\.|such as)\b",
    re.IGNORECASE,
)
"""Words after which a name is an output, a warning or an example."""
_HARNESS = regex(
    r"^/(?:tests?|logs?|tmp|solution|oracle|usr|etc|var|proc|dev|opt|home|root|bin)/"
    r"|(?:^|/)(?:answer|review|solution|reward|result|report|task_spec|ground_truth)\.\w+$"
    r"|(?:^|/)path/to/|^(?:foo|bar)/|(?:^|/)\.\.?(?:/|$)(?<!^\./)"
)
"""The verifier's own files, files that the agent hands in, and placeholders for any file."""
_HANDED_IN = regex(
    r"^/.*\.(?:md|txt|json|csv)$|(?:^|/)(?!README|CHANGELOG|CONTRIBUTING)[A-Z0-9_-]+\.md$"
)
"""Reports: the agent writes `/workspace/analysis/IMPACT_REPORT.md`, it does not find it."""
_HOST = regex(r"^[\w-]+(?:\.[\w-]+)+/")
_INSPECTS = regex(
    r"(?:^|[\s;&|(!`])(?:grep|egrep|fgrep|rg|cat|head|tail|sed|awk|diff|cmp|wc|test|stat|\[\[?)\s"
)
_RUNS_TESTS = regex(r"\b(?:pytest|unittest|jest|mocha|vitest|tox|nose|ctest|phpunit|rspec)\b")
_BUILDS = regex(r"\b(?:go|cargo|npm|yarn|pnpm|mvn|gradle|dotnet|make|bazel)\s")
_ASKS_TEST = regex(r"(?<=\s)(?:test|check)\b")
_VARIABLE = regex(r"\$(?:\{\w+\}|\w+)/")


def instruction_paths(text: str) -> tuple[list[str], bool]:
    """Files that an instruction names, and whether they are in backticks."""
    lines = list(_prose(text))
    quoted = _kept(
        match[1].strip()
        for line in lines
        for match in _BACKTICKED.finditer(line)
        if not _OUTPUT.search(_sentence(line, match.start()))
    )
    if quoted:
        return quoted, True
    bare = _kept(
        match[0]
        for line in lines
        for match in _PATH.finditer(line)
        if not _OUTPUT.search(_sentence(line, match.start()))
    )
    return bare, False


def script_paths(text: str) -> list[str]:
    """Files that a test script inspects."""
    found: list[str] = []
    for line in _short_lines(text):
        if line.lstrip().startswith("#") or _runs_tests(line) or not _INSPECTS.search(line):
            continue
        found += (match[0] for match in _PATH.finditer(_VARIABLE.sub("", line)))
    return _kept(found)


def _runs_tests(line: str) -> bool:
    if _RUNS_TESTS.search(line):
        return True
    builds = _BUILDS.search(line)
    return builds is not None and _ASKS_TEST.search(line, builds.end()) is not None


def _prose(text: str) -> Iterator[str]:
    """Lines outside of fenced blocks; these hold examples of output and commands."""
    fence: str | None = None
    for line in _short_lines(text):
        mark = _FENCE.match(line)
        if mark is None:
            if fence is None:
                yield line
        elif fence is None:
            fence = mark[1]
        elif fence == mark[1]:
            fence = None


def _short_lines(text: str) -> Iterator[str]:
    return (line for line in text.split("\n") if len(line) <= _MAX_LINE)


def _sentence(line: str, place: int) -> str:
    """The part of a sentence before a name."""
    before = line[max(0, place - 300) : place]
    return re.split(r"(?<=[.;!?])\s", before)[-1]


def _kept(candidates: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(path for path in candidates if is_source_path(path)))


def is_source_path(path: str) -> bool:
    """Whether a word is certainly the path of a source file."""
    if not _PATH.fullmatch(path):
        return False
    if any(rule.search(path) for rule in (_HARNESS, _HOST, _HANDED_IN)):
        return False
    name = path.rsplit("/", 1)[-1]
    stem, _, extension = name.rpartition(".")
    return bool(stem) and extension.lower() in SOURCE_EXTENSIONS
