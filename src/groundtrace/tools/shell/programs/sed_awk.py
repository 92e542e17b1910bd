"""sed and awk: which lines of their input a script prints, and what it writes in place."""

from __future__ import annotations

import re
from typing import TypeGuard

from msgspec.structs import replace

from groundtrace.tools.shell.programs.call import Call, Handler
from groundtrace.tools.shell.streams import line_algebra as algebra
from groundtrace.tools.shell.streams.compared import Compared
from groundtrace.tools.shell.streams.content import Content
from groundtrace.tools.shell.streams.found_lines import Search
from groundtrace.tools.shell.streams.ls_output import Listing
from groundtrace.tools.shell.streams.name_lists import Names
from groundtrace.tools.shell.streams.part import Part, Parts
from groundtrace.tools.shell.streams.spans import Spans
from groundtrace.tools.shell.streams.text import Text
from groundtrace.tools.shell.streams.word import Word
from groundtrace.tools.shell.syntax.holes import HOLES

MAX_SCRIPT = 4000
"""Longer scripts of sed and awk are programs, and not looked into."""
_SED_TAKES = "efl"
_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\\])*/I?|\\[|#,@%].*?(?<!\\)[|#,@%])"
_SED_PART = re.compile(
    rf"\s*(?P<low>{_ADDRESS})?\s*(?:,\s*(?P<high>{_ADDRESS}|[+~]\d+))?\s*(?P<not>!?)\s*(?P<body>.*)$",
    re.DOTALL,
)


def _sed(call: Call) -> Parts:
    in_place = any(re.match(r"-(?:[nErsuz]*i|-in-place)", word.text) for word in call.args)
    # On macOS the suffix is a word of its own: `sed -i '' 's/a/b/' file` names one file.
    args = [
        word
        for number, word in enumerate(call.args)
        if not re.match(r"-i|--in-place", word.text)
        and not (number and not word.text and call.args[number - 1].text == "-i")
    ]
    options = replace(call, args=args).options(_SED_TAKES, frozenset({"--expression", "--file"}))
    scripts = [
        word.text
        for word in [*options.values.get("-e", []), *options.values.get("--expression", [])]
    ]
    operands = options.operands
    if not scripts and not options.has("-f", "--file"):
        if not operands:
            return []
        scripts, operands = [operands[0].text], operands[1:]
    if in_place:
        return call.writes(operands)
    parts = call.opened(operands)
    return sed_script(";".join(scripts), options.has("-n", "--quiet", "--silent"), parts)


def sed_script(script: str, silent: bool, parts: Parts) -> Parts:
    """What is left of a stream after a sed script."""
    if HOLES.search(script) or len(script) > MAX_SCRIPT:
        return _blurred(parts)
    pieces = _pieces(script)
    if silent:
        wanted = _printed(pieces)
        if wanted == "count":
            return algebra.count(parts, "sed")
        return (
            _blurred(parts)
            if isinstance(wanted, str) or wanted is None
            else algebra.select(parts, wanted)
        )
    return _kept(pieces, parts)


def _pieces(script: str) -> list[str]:
    """The commands of a script; blocks of one command and p;q are taken apart."""
    script = re.sub(r"\{\s*+(p)\s*+;?+\s*+\}", r"\1", script)
    script = re.sub(r"\{\s*+p\s*+;\s*+q\s*+;?+\s*+\}", "p", script)
    return [piece for piece in re.split(r"[;\n]", script) if piece.strip()]


def _printed(pieces: list[str]) -> Spans | str | None:
    """Ranges that `sed -n` prints; "count" for `$=`, None when they depend on the text."""
    spans: list[tuple[int, int | None]] = []
    stop: int | None = None
    for piece in pieces:
        found = _SED_PART.match(piece)
        if found is None or found["not"]:
            return None
        low, high, body = found["low"], found["high"], found["body"].strip()
        if body == "=" and len(pieces) == 1:
            return "count"
        if body == "q" and low and low.isdigit():
            stop = int(low[:9])
            continue
        if body != "p":
            return None
        span = _span(low, high)
        if span is None:
            return None
        spans.append(span)
    if stop is not None:
        spans = [
            (low, stop if high is None else min(high, stop)) for low, high in spans if low <= stop
        ]
    return tuple(spans)


def _span(low: str | None, high: str | None) -> tuple[int, int | None] | None:
    if low is None:
        return 1, None
    if not low.isdigit():
        return None
    start = max(1, int(low[:9]))
    if high is None:
        return start, start
    if high == "$":
        return start, None
    if high.startswith("+"):
        return start, start + int(high[1:10])
    if high.isdigit():
        return start, max(start, int(high[:9]))
    return None


def _kept(pieces: list[str], parts: Parts) -> Parts:
    """A script without -n: lines it deletes, or the line at which it quits."""
    for piece in pieces:
        found = _SED_PART.match(piece)
        body = found["body"].strip() if found else ""
        if found is None or not body:
            continue
        span = _span(found["low"], found["high"]) if found["low"] else None
        if body == "q" and span is not None:
            parts = algebra.head(parts, span[0])
        elif body == "d":
            if span is None:
                parts = _blurred(parts)
            elif found["not"]:
                parts = algebra.select(parts, (span,))
            else:
                before = ((1, span[0] - 1),) if span[0] > 1 else ()
                after = ((span[1] + 1, None),) if span[1] is not None else ()
                parts = algebra.select(parts, (*before, *after))
        elif re.match(r"s(.):\.\*\1\1", body) or re.match(r"s(.)[:]\.\*\$?\1", body):
            parts = algebra.names_of(parts, "sed")
        elif body[0] == "s":
            parts = [_substituted(part, body) for part in parts]
        elif body[0] in "aiciGDNPH=":
            parts = _blurred(parts)
    return parts


def _substituted(part: Part, body: str) -> Part:
    """A substitution changes names and texts; which file a line is of stays as it is."""
    cut = _cut_off(body)
    if cut is not None and (isinstance(part, Names) or _names_files(part)):
        if cut == "./":
            return replace(part, anchor=False) if isinstance(part, Names) else part
        if any(_begins(root.text, cut) for root in part.roots):
            return replace(part, stripped=part.stripped + cut)
    put = _PUT.match(body)
    if put is not None and isinstance(part, Names | Listing):
        return Names(cwd=part.cwd, roots=(Word(put[2].rstrip("/")),), limit=part.limit, rule="sed")
    return _opaque(part) if isinstance(part, Names | Listing | Text) else part


_CUT = re.compile(
    r"s(?P<mark>[^\w\s\\])\^?(?P<text>(?:\\.|(?!(?P=mark))[^\\])+)(?P=mark)(?P=mark)g?$"
)
_PUT = re.compile(r"s([^\w\s\\])\^\1((?:(?!\1)[^\\&])+)\1g?$")


def _names_files(part: Part) -> TypeGuard[Search]:
    return isinstance(part, Search) and part.named is not False


def _cut_off(body: str) -> str | None:
    """The text that a substitution takes away, when it is one text and nothing is put there."""
    found = _CUT.match(body)
    if found is None or re.search(r"(?<!\\)[*\[\]$+?(){}]|\\[^./\W]", found["text"]):
        return None
    return re.sub(r"\\(.)", r"\1", found["text"])


def _begins(root: str, cut: str) -> bool:
    """Whether names below `root` begin with `cut`."""
    return f"{root.rstrip('/')}/".startswith(cut)


def _opaque(part: Part) -> Part:
    return algebra.derive([part], "sed")[0]


def _blurred(parts: Parts) -> Parts:
    """Lines chosen by their text: the files are known, the lines are not."""
    return [
        replace(part, spans=None, quiet=True)
        if isinstance(part, Content) and not part.numbers
        else part
        for part in parts
    ]


# --- awk ------------------------------------------------------------------------------------

_NR = r"F?NR"
_ONE = re.compile(rf"\(?\s*{_NR}\s*(==|>=|<=|>|<)\s*(\d{{1,9}})\s*\)?$")
_PRINT_ALL = re.compile(r"\{?\s*(?:print(?:\s+\$0)?)?\s*;?\s*\}?$")
_PRINT_NUMBERED = re.compile(
    rf"\{{\s*(?:print\s*\(?\s*{_NR}\b|printf\s*\(?\s*\"\s*%\d*d[^\"]*\"\s*,\s*{_NR}\b).*\$0.*\}}$",
    re.DOTALL,
)
_BEGINS_NUMBERED = re.compile(rf"{_NR}\b|\"\s*%\d*d[^\"]*\"\s*,\s*{_NR}\b")
_BEGINS_NAMED = re.compile(
    rf"FILENAME\s*\"[:|]\"\s*{_NR}\s*\":|\"%s:%d:[^\"]*\"\s*,\s*FILENAME\s*,\s*{_NR}\b"
)


def _awk(call: Call) -> Parts:
    options = call.options("Fvf", frozenset({"--field-separator", "--assign", "--file"}))
    operands = options.operands
    script = ""
    if not options.has("-f", "--file"):
        if not operands:
            return []
        script, operands = operands[0].text, operands[1:]
    script = re.sub(r"[ \t]+", " ", script)
    for word in [*options.values.get("-v", []), *options.values.get("--assign", [])]:
        name, _, value = word.text.partition("=")
        if re.fullmatch(r"\w+", name) and value.isdigit():
            script = re.sub(rf"\b{name}\b", value, script)
    files = [word for word in operands if not re.match(r"\w+=", word.text)]
    told = _named_by_awk(call, script, files)
    if told is not None:
        return [told]
    parts = call.opened(files)
    if len(script) > MAX_SCRIPT:
        return algebra.derive(parts, "awk")
    return awk_script(script.strip(), options.value("-F", "--field-separator"), parts)


_PRINTED = re.compile(r"\bprintf?\b\s*\(?\s*([^;}]*)")
_NAME_ONLY = re.compile(r"FILENAME\s*\)?\s*$")
_NAME_FIRST = re.compile(r"FILENAME\b|\"%s[^\"]*\"\s*,\s*FILENAME\b")


def _named_by_awk(call: Call, script: str, files: list[Word]) -> Part | None:
    """The names that a program prints itself, where the command does not spell them out."""
    printed = _PRINTED.findall(script)
    if not printed or not files:
        return None
    if all(map(_NAME_ONLY.match, printed)):
        return Names(cwd=call.cwd, roots=tuple(files), only_files=True, rule="awk")
    if all(map(_NAME_FIRST.match, printed)) and not all(word.known for word in files):
        return Search(cwd=call.cwd, roots=tuple(files), named=True, numbered=None, rule="awk")
    return None


def awk_script(script: str, separator: str | None, parts: Parts) -> Parts:
    """What is left of a stream after an awk program."""
    if separator == ":" and re.fullmatch(r"\{\s*print\s+\$1\s*;?\s*\}", script):
        return algebra.names_of(parts, "awk")
    if separator == ":" and re.fullmatch(r"\{\s*print\s+\$1\s*(?:\":\"|,)\s*\$2\s*;?\s*\}", script):
        return algebra.places_of(parts, "awk")
    if re.fullmatch(r"END\s*\{\s*print\s+NR\s*;?\s*\}", script):
        return algebra.count(parts, "awk")
    if re.fullmatch(r"\{\s*print\s+\$(?:NF|9|0)\s*;?\s*\}", script):
        return [_last_field(part) for part in parts]
    field = re.fullmatch(r"\{\s*print\s+\$(\d)\s*;?\s*\}", script)
    if field and separator is None:
        return [_one_field(part, int(field[1])) for part in parts]
    fields = re.fullmatch(r"\{\s*print\s+(\$\w+(?:\s*,\s*\$\w+)+)\s*;?\s*\}", script)
    if fields:
        return [_fields(part, re.findall(r"\$(\w+)", fields[1])) for part in parts]
    limit: int | None = None
    quits = re.search(rf"{_NR}\s*(==|>=|>)\s*(\d{{1,9}})\s*\{{\s*exit\s*;?\s*\}}", script)
    if quits:
        limit = int(quits[2]) - (quits[1] != ">")
        script = (script[: quits.start()] + script[quits.end() :]).strip().strip(";").strip()
    brace = script.find("{")
    condition = (script if brace < 0 else script[:brace]).strip()
    action = "" if brace < 0 else script[brace:].strip()
    wanted = _awk_spans(condition)
    if limit is not None and wanted is not None:
        wanted = tuple((a, limit if b is None else min(b, limit)) for a, b in wanted if a <= limit)
    if _PRINT_NUMBERED.match(action) and wanted is not None:
        return algebra.select(algebra.number(parts), wanted)
    printed = _PRINTED.findall(script)
    if printed and all(map(_BEGINS_NAMED.match, printed)):
        return [_as_found(part) for part in parts]
    if printed and all(map(_BEGINS_NUMBERED.match, printed)):
        return algebra.chosen(algebra.number(parts))
    if _PRINT_ALL.match(action) and wanted is not None:
        if re.search(r"\bNR", condition):
            return algebra.select(parts, wanted)
        return [chosen for part in parts for chosen in algebra.select([part], wanted)]
    if _PRINT_ALL.match(action):
        return _blurred(parts)
    if condition and wanted is not None and len(printed) == 1 and "$0" in printed[0]:
        return algebra.select(parts, wanted)  # whole lines behind something else
    return algebra.derive(parts, "awk")


def _as_found(part: Part) -> Part:
    """Lines of a file printed behind its name and their number, as grep does."""
    if not isinstance(part, Content) or part.path is None:
        return algebra.derive([part], "awk")[0]
    return Search(cwd=None, sole=part.path, named=None, numbered=True, rule="awk")


def _last_field(part: Part) -> Part:
    if isinstance(part, Listing):
        return replace(part, loose=True)
    if isinstance(part, Names):
        return replace(part, form="plain")
    return algebra.derive([part], "awk")[0]


def _one_field(part: Part, field: int) -> Part:
    """Of `Files a and b differ` the second or the fourth word."""
    if not isinstance(part, Compared) or field not in {2, 4}:
        return algebra.derive([part], "awk")[0]
    side = part.sides[field // 2 - 1]
    return Names(cwd=part.cwd, roots=(side,), only_files=True, limit=part.limit, rule=part.rule)


def _fields(part: Part, fields: list[str]) -> Part:
    """Of `ls -l` some columns: the name is first or last among them."""
    named = [index for index, field in enumerate(fields) if field in {"9", "NF"}]
    if not isinstance(part, Listing) or not part.long or len(named) != 1:
        return algebra.derive([part], "awk")[0]
    form = {0: "first", len(fields) - 1: "last"}.get(named[0])
    if form is None:
        return algebra.derive([part], "awk")[0]
    folder = part.place("")
    anchored = folder is not None and not any(word.glob for word in part.operands)
    cwd = folder if anchored else part.cwd
    return Names(cwd=cwd, form=form, limit=part.limit, quiet=part.quiet, rule=part.rule)


def _awk_spans(condition: str) -> Spans | None:
    """Ranges of a condition on NR alone."""
    if not condition:
        return ((1, None),)
    both = re.fullmatch(rf"{_NR}\s*==\s*(\d{{1,9}})\s*,\s*{_NR}\s*==\s*(\d{{1,9}})", condition)
    if both:
        return ((int(both[1]), int(both[2])),)
    spans: list[tuple[int, int | None]] = []
    for alternative in condition.split("||"):
        low, high = 1, None
        for term in alternative.strip().strip("()").split("&&"):
            found = _ONE.match(term.strip())
            if found is None:
                return None
            sign, number = found[1], int(found[2])
            if sign in {"==", ">=", ">"}:
                low = max(low, number + (sign == ">"))
            if sign in {"==", "<=", "<"}:
                bound = number - (sign == "<")
                high = bound if high is None else min(high, bound)
        spans.append((low, high))
    return tuple(spans)


HANDLERS: dict[str, Handler] = {
    "sed": _sed, "gsed": _sed, "awk": _awk, "gawk": _awk, "mawk": _awk, "nawk": _awk,
}  # fmt: skip
