"""sed and awk: which lines of their input a script prints, and what it writes in place."""

from __future__ import annotations

import re

from groundtrace.base.patterns import regex
from groundtrace.shell.programs.call import Call, Handler
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.found_lines import Search
from groundtrace.shell.streams.name_lists import WHOLE_OR_LAST, Names
from groundtrace.shell.streams.part import Part, Parts
from groundtrace.shell.streams.spans import Spans
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.holes import has_hole

MAX_SCRIPT = 4000
"""Longer scripts of sed and awk are programs and are not analysed."""
_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\\])*/I?|\\[|#,@%].*?(?<!\\)[|#,@%])"
_SED_PART = regex(
    rf"\s*(?P<low>{_ADDRESS})?\s*(?:,\s*(?P<high>{_ADDRESS}|[+~]\d+))?\s*(?P<not>!?)\s*(?P<body>.*)$",
    re.DOTALL,
)


_IN_PLACE = regex(r"-(?:[nErsuz]*i|-in-place)")


def _sed(call: Call) -> Parts:
    in_place = False
    for word in call.args:
        if word.text[:1] == "-" and _IN_PLACE.match(word.text):
            in_place = True
    if in_place:
        # On macOS the suffix is a separate word: `sed -i '' 's/a/b/' file` names one file.
        call.args = [
            word
            for number, word in enumerate(call.args)
            if not word.text.startswith(("-i", "--in-place"))
            and not (number and not word.text and call.args[number - 1].text == "-i")
        ]
    options = call.options()
    scripts = [word.text for word in options.every("-e", "--expression")]
    operands = options.operands
    if not scripts and not options.has("-f", "--file"):
        if not operands:
            return []
        scripts, operands = [operands[0].text], operands[1:]
    if in_place:
        return call.writes(operands)
    script, silent = ";".join(scripts), options.has("-n", "--quiet", "--silent")
    parts = call.opened(operands)
    if options.has("-s", "--separate"):  # line numbers start at 1 in every file
        return [left for part in parts for left in sed_script(script, silent, [part])]
    return sed_script(script, silent, parts)


def sed_script(script: str, silent: bool, parts: Parts) -> Parts:
    """What a sed script leaves of a stream."""
    if has_hole(script) or len(script) > MAX_SCRIPT:
        return algebra.blurred(parts)
    pieces = _pieces(script)
    if silent:
        wanted = _printed(pieces)
        if wanted == "count":
            return algebra.count(parts, "sed")
        return (
            algebra.blurred(parts)
            if isinstance(wanted, str) or wanted is None
            else algebra.select(parts, wanted)
        )
    return _kept(pieces, parts)


def _pieces(script: str) -> list[str]:
    """The commands of a script; blocks of one command and `p;q` are split."""
    if "{" in script:
        script = re.sub(r"\{\s*+(p)\s*+;?+\s*+\}", r"\1", script)
        script = re.sub(r"\{\s*+p\s*+;\s*+q\s*+;?+\s*+\}", "p", script)
    pieces = script.replace("\n", ";").split(";")
    return [piece for piece in pieces if piece.strip()]


def _printed(pieces: list[str]) -> Spans | str | None:
    """Ranges that `sed -n` prints; "count" for `$=`; None if they depend on the text."""
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
    """A script without -n: the lines that it deletes, or the line at which it quits."""
    left = _left(pieces)
    if left is not None:
        return algebra.select(parts, left)
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
                parts = algebra.blurred(parts)
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
            parts = algebra.blurred(parts)
    return parts


def _left(pieces: list[str]) -> Spans | None:
    """The lines that several deletions and a quit leave, all by the numbers of the input.

    `1,18d;23q` leaves lines 19 to 23; None for other scripts, and for a single command.
    """
    dropped: list[tuple[int, int | None]] = []
    stop: int | None = None
    for piece in pieces:
        found = _SED_PART.match(piece)
        body = found["body"].strip() if found else ""
        span = _span(found["low"], found["high"]) if found and found["low"] else None
        if found is None or found["not"] or span is None or body not in ("d", "q"):
            return None
        if body == "d":
            dropped.append(span)
        elif stop is None or span[0] < stop:
            stop = span[0]
    if len(pieces) < 2:
        return None
    spans: list[tuple[int, int | None]] = []
    at = 1
    for low, high in sorted(dropped, key=lambda span: span[0]):
        if low > at:
            spans.append((at, low - 1))
        if high is None:
            break
        at = max(at, high + 1)
    else:
        spans.append((at, None))
    if stop is None:
        return tuple(spans)
    return tuple(
        (low, stop if high is None else min(high, stop)) for low, high in spans if low <= stop
    )


def _substituted(part: Part, body: str) -> Part:
    """A substitution changes names and texts, but not which file a line comes from."""
    cut, put = _cut_off(body), _PUT.match(body)
    changed = None
    if cut is not None:
        changed = part.without_prefix(cut)
    if changed is None and put is not None:
        changed = part.with_prefix(put[2].rstrip("/"))
    return part.substitute() if changed is None else changed


_CUT = regex(r"s(?P<mark>[^\w\s\\])\^?(?P<text>(?:\\.|(?!(?P=mark))[^\\])+)(?P=mark)(?P=mark)g?$")
_PUT = regex(r"s([^\w\s\\])\^\1((?:(?!\1)[^\\&])+)\1g?$")


def _cut_off(body: str) -> str | None:
    """The text that a substitution removes, if it is a fixed text and nothing replaces it."""
    found = _CUT.match(body)
    if found is None or re.search(r"(?<!\\)[*\[\]$+?(){}]|\\[^./\W]", found["text"]):
        return None
    return re.sub(r"\\(.)", r"\1", found["text"])


# --- awk ------------------------------------------------------------------------------------

_NR = r"F?NR"
_ONE = regex(rf"\(?\s*{_NR}\s*(==|>=|<=|>|<)\s*(\d{{1,9}})\s*\)?$")
_PRINT_ALL = regex(r"\{?\s*+(?:print(?:\s++\$0)?+)?+\s*+;?\s*+\}?$")
_PRINT_NUMBERED = regex(
    rf"\{{\s*(?:print\s*\(?\s*{_NR}\b|printf\s*\(?\s*\"\s*%\d*d[^\"]*\"\s*,\s*{_NR}\b).*\$0.*\}}$",
    re.DOTALL,
)
_BEGINS_NUMBERED = regex(rf"{_NR}\b|\"\s*%\d*d[^\"]*\"\s*,\s*{_NR}\b")
_BEGINS_NAMED = regex(
    rf"FILENAME\s*\"[:|]\"\s*{_NR}\s*\":|\"%s:%d:[^\"]*\"\s*,\s*FILENAME\s*,\s*{_NR}\b"
)


def _awk(call: Call) -> Parts:
    options = call.options()
    operands = options.operands
    script = ""
    if not options.has("-f", "--file"):
        if not operands:
            return []
        script, operands = operands[0].text, operands[1:]
    script = re.sub(r"[ \t]+", " ", script)
    for word in options.every("-v", "--assign"):
        name, _, value = word.text.partition("=")
        if re.fullmatch(r"\w+", name) and value.isdigit():
            script = re.sub(rf"\b{name}\b", value, script)
    files = [word for word in operands if not re.match(r"\w+=", word.text)]
    named = _named_by_awk(call, script, files)
    if named is not None:
        return [named]
    parts = call.opened(files)
    if len(script) > MAX_SCRIPT:
        return algebra.derive(parts, "awk")
    return awk_script(script.strip(), options.value("-F", "--field-separator"), parts)


_PRINTED = regex(r"\bprintf?\b\s*\(?\s*([^;}]*)")
_NAME_ONLY = regex(r"FILENAME\s*\)?\s*$")
_NAME_FIRST = regex(r"FILENAME\b|\"%s[^\"]*\"\s*,\s*FILENAME\b")


def _named_by_awk(call: Call, script: str, files: list[Word]) -> Part | None:
    """The names that the awk script itself prints, if the command does not spell them out."""
    printed = _PRINTED.findall(script)
    if not printed or not files:
        return None
    if all(map(_NAME_ONLY.match, printed)):
        return Names(cwd=call.cwd, roots=tuple(files), only_files=True, rule="awk")
    if all(map(_NAME_FIRST.match, printed)) and not all(word.known for word in files):
        return Search(cwd=call.cwd, roots=tuple(files), named=True, numbered=None, rule="awk")
    return None


def awk_script(script: str, separator: str | None, parts: Parts) -> Parts:
    """What an awk script leaves of a stream."""
    if separator == ":" and re.fullmatch(r"\{\s*print\s+\$1\s*;?\s*\}", script):
        return algebra.names_of(parts, "awk")
    if separator == ":" and re.fullmatch(r"\{\s*print\s+\$1\s*(?:\":\"|,)\s*\$2\s*;?\s*\}", script):
        return algebra.places_of(parts, "awk")
    if re.fullmatch(r"END\s*\{\s*print\s+NR\s*;?\s*\}", script):
        return algebra.count(parts, "awk")
    field = re.fullmatch(r"\{\s*print\s+\$(NF|\d)\s*;?\s*\}", script)
    if field and field[1] == "NF" and separator == "/":
        return algebra.derive(parts, "awk")  # names without their folders
    if field and (separator is None or field[1] in WHOLE_OR_LAST):
        return [part.columns((field[1],)) for part in parts]
    fields = re.fullmatch(r"\{\s*print\s+(\$\w+(?:\s*,\s*\$\w+)+)\s*;?\s*\}", script)
    if fields:
        return [part.columns(re.findall(r"\$(\w+)", fields[1])) for part in parts]
    limit: int | None = None
    quits = re.search(rf"{_NR}\s*(==|>=|>)\s*(\d{{1,9}})\s*\{{\s*exit\s*;?\s*\}}", script)
    if quits:
        # Rules run in order: what stands before the exit still sees the line that it ends at.
        ahead = bool(script[: quits.start()].strip("; "))
        limit = int(quits[2]) - (quits[1] != ">") + ahead
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
        return [part.found() for part in parts]
    if printed and all(map(_BEGINS_NUMBERED.match, printed)):
        return algebra.chosen(algebra.number(parts))
    if _PRINT_ALL.match(action) and wanted is not None:
        return _numbered_lines(condition, parts, wanted)
    if _PRINT_ALL.match(action):
        return algebra.blurred(parts)
    if condition and wanted is not None and len(printed) == 1 and "$0" in printed[0]:
        return _numbered_lines(condition, parts, wanted)  # whole lines after some other text
    return algebra.derive(parts, "awk")


def _numbered_lines(condition: str, parts: Parts, wanted: Spans) -> Parts:
    """Lines by their number in the stream (`NR`), or in each file (`FNR`)."""
    if re.search(r"\bNR", condition):
        return algebra.select(parts, wanted)
    return [chosen for part in parts for chosen in algebra.select([part], wanted)]


def _awk_spans(condition: str) -> Spans | None:
    """Ranges of a condition that uses only NR."""
    if condition in {"", "1"}:
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


HANDLERS: dict[str, Handler] = {"sed": _sed, "awk": _awk}
