"""Sourcegraph's evaluator: Lua scripts that read and search files on the server.

Of Lua, only the small part is known that such scripts use to read files in a loop: lists of constants
and sums. Its category stays `other` (D2). What its output shows of a file still counts, as with a shell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice

from groundtrace.answers.file_names import usable
from groundtrace.answers.fold import fold
from groundtrace.answers.line import Shown
from groundtrace.answers.numbered import Line
from groundtrace.answers.payload import payload_of
from groundtrace.answers.sourcegraph_text import returned
from groundtrace.base.patterns import regex
from groundtrace.base.values import distinct, first_text
from groundtrace.model import FileRef, ToolCall
from groundtrace.tools.findings import Findings
from groundtrace.tools.sourcegraph import repos_in
from groundtrace.tools.table import ToolEntry

_READ = regex(r"read_file\s{0,9}\(?\s{0,9}\{(?P<arguments>[^{}]*)\}")
_TEXT = regex(
    r"""\b(?P<key>repo|path)\s*=\s*(?:"(?P<double>[^"\n]*)"|'(?P<single>[^'\n]*)'|(?P<name>[A-Za-z_]\w*))"""
)
_NUMBER = regex(
    r"\b(?P<key>startLine|endLine)\s*=\s*(?P<value>math\.\w{1,9}\([^()]{0,200}\)|[^,{}\n]{1,200})"
)
_LOCAL = regex(
    r"""\b(?P<name>[A-Za-z_]\w*)\s*=\s*(?:"(?P<double>[^"\n]*)"|'(?P<single>[^'\n]*)')"""
)
_LONGEST_SCRIPT = 100_000
_MOST_READS = 200
_CHOOSES = regex(r"\b(?:gmatch|find|match)\s*\(")
_RULE = "evaluator: content that the script returned"
_EMPTY = regex(r"\s*+(?:\{\s*+\}|nil|null|true|false|)\s*+")


def evaluator(call: ToolCall, _entry: ToolEntry, _cwd: str | None) -> Findings:
    """Files that a script opened and whose content or name the answer shows."""
    script = first_text(call.arguments, ("script", "code"))
    payload = payload_of(call.result)
    opened = _opened(script)
    repos = distinct((*(repo for repo, *_ in opened), *repos_in(script)))
    text = payload.text
    answer = returned(text)
    if payload.is_error or _EMPTY.fullmatch(text):
        return Findings(failed=True, repos=repos)
    shown: list[Shown] = []
    ranges: list[FileRef] = []
    if opened and answer.shows_content:
        lines = answer.lines if len(opened) == 1 else []
        for repo, path, start, end in opened:
            several = sum(other[:2] == (repo, path) for other in opened) > 1
            ranged = start is not None and end is not None and 0 < start <= end
            if several and ranged and usable(path) and not _CHOOSES.search(script):
                ranges.append(FileRef(path, "read", repo, start, end, rule=_RULE))
            else:
                shown += _content(path, start, end, lines, repo)
    elif not opened:
        searched = repos_in(script)
        if len(searched) == 1 and "search" in script:
            shown += [Shown(path, "surfaced", repo=searched[0]) for path in answer.paths]
    shown += [Shown(path, "surfaced", repo=repo) for repo, path in answer.noted(repos)]
    parted = {(ref.repo, ref.path) for ref in ranges}
    whole = tuple(ref for ref in fold(shown, _RULE) if (ref.repo, ref.path) not in parted)
    return Findings((*ranges, *whole), repos=repos)


def _opened(script: str) -> list[tuple[str, str, int | None, int | None]]:
    """Repository, path and lines of each `read_file` in the script, for each round of a loop."""
    script = script[:_LONGEST_SCRIPT]
    texts = {m["name"]: m["double"] or m["single"] or "" for m in _LOCAL.finditer(script)}
    found = []
    for call in islice(_READ.finditer(script), _MOST_READS):
        for values in rounds(script, call["arguments"]):
            names = {**texts, **{k: v for k, v in values.items() if isinstance(v, str)}}
            given = {}
            for match in _TEXT.finditer(call["arguments"]):
                literal = match["double"] if match["double"] is not None else match["single"]
                given[match["key"]] = (
                    literal if literal is not None else names.get(match["name"], "")
                )
            lines = {
                m["key"]: number(m["value"], values) for m in _NUMBER.finditer(call["arguments"])
            }
            if given.get("repo") and given.get("path"):
                start, end = lines.get("startLine"), lines.get("endLine")
                found.append((given["repo"], given["path"], start, end if start else None))
    return list(dict.fromkeys(found))


def _content(
    path: str, start: int | None, end: int | None, lines: list[Line], repo: str
) -> Iterator[Shown]:
    """The lines of a file by their numbers, else those that the script asked for."""
    if not lines:
        yield Shown(path, "read", start, end, repo=repo)
    for line in lines:
        yield Shown(path, "read", line.number, None, line.size, repo)


Values = Mapping[str, str | int]
"""What names hold in one round of a loop."""

_LIST = regex(r"\b(?P<name>[A-Za-z_]\w*)\s*=\s*\{(?P<items>[^{}]*)\}")
_LOOP = regex(
    r"\bfor\s+\w+\s*,\s*(?P<name>\w+)\s+in\s+ipairs\s*\(\s*(?:(?P<list>\w+)|\{(?P<items>[^{}]*)\})\s*\)"
)
_ITEM = regex(r"""\"(?P<double>[^\"\n]*)\"|'(?P<single>[^'\n]*)'|(?P<number>\d{1,9})""")
_LUA_LOCAL = regex(r"\blocal\s+(?P<name>\w+)\s*=\s*(?P<value>[^\n;]{1,200})")
_LIMIT = regex(r"math\.(?P<which>max|min)\((?P<one>[^(),]+),(?P<other>[^(),]+)\)")
_SUM = regex(r"(?P<left>[^()+-]+)(?P<sign>[+-])(?P<right>[^()+-]+)")
_MOST_ROUNDS = 400
_MOST_NAMES = 100
_DEPTH = 6


def rounds(script: str, arguments: str) -> list[dict[str, str | int]]:
    """The values of names in each round of the loop that a call's arguments depend on.

    Names are the loop variable and the script's locals. Without such a loop there is one round.
    """
    locals_, loops = _names(script)
    used = set(re.findall(r"\b[A-Za-z_]\w*\b", arguments))
    for name in list(used):
        used.update(re.findall(r"\b[A-Za-z_]\w*\b", locals_.get(name, "")))
    for name, items in loops:
        if name in used and items:
            return [_with_locals({name: item}, locals_) for item in items]
    return [_with_locals({}, locals_)]


@lru_cache(maxsize=1)
def _names(script: str) -> tuple[dict[str, str], list[tuple[str, list[str | int]]]]:
    """Names that get exactly one value, and the variables of loops with their values.

    A name that is assigned again, such as in a loop by steps, has more than one value and is left
    out.
    """
    times = Counter(re.findall(r"\b(\w+)\s*=(?!=)", script))
    found = islice(_LUA_LOCAL.finditer(script), _MOST_NAMES)
    locals_ = {m["name"]: m["value"].strip() for m in found if times[m["name"]] == 1}
    lists = {match["name"]: match["items"] for match in _LIST.finditer(script)}
    loops = []
    for loop in islice(_LOOP.finditer(script), _MOST_NAMES):
        text = loop["items"] if loop["items"] is not None else lists.get(loop["list"], "")
        loops.append((loop["name"], [_item(m) for m in islice(_ITEM.finditer(text), _MOST_ROUNDS)]))
    return locals_, loops


def _item(match: re.Match[str]) -> str | int:
    if match["number"] is not None:
        return int(match["number"])
    return match["double"] if match["double"] is not None else match["single"]


def _with_locals(values: dict[str, str | int], locals_: Mapping[str, str]) -> dict[str, str | int]:
    for name, value in locals_.items():
        known = number(value, values)
        if known is not None:
            values.setdefault(name, known)
    return values


def number(text: str, values: Values, depth: int = 0) -> int | None:
    """A whole number: a constant, a name, a sum of two, the larger or smaller of two."""
    text = text.strip()
    if depth > _DEPTH or not text:
        return None
    if re.fullmatch(r"\d{1,9}", text):
        return int(text)
    held = values.get(text)
    if isinstance(held, int):
        return held
    limit = _LIMIT.fullmatch(text)
    if limit is not None:
        pair = [number(limit[key], values, depth + 1) for key in ("one", "other")]
        known = [value for value in pair if value is not None]
        if len(known) < 2:
            return None
        return max(known) if limit["which"] == "max" else min(known)
    total = _SUM.fullmatch(text)
    if total is None:
        return None
    left, right = (number(total[key], values, depth + 1) for key in ("left", "right"))
    if left is None or right is None:
        return None
    return left + right if total["sign"] == "+" else left - right
