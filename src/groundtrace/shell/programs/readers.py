"""Programs that open files and show their content, or something made from it."""

from __future__ import annotations

import re

from msgspec.structs import replace

from groundtrace.answers.file_names import looks_like_folder
from groundtrace.base.patterns import regex
from groundtrace.shell.programs.call import Call, Handler, text_part, words_as_text
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.content import Headed
from groundtrace.shell.streams.diffs import Compared, Differences
from groundtrace.shell.streams.line_algebra import shown_files
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Opaque, Parts, Write
from groundtrace.shell.streams.spans import WHOLE, Spans
from groundtrace.shell.streams.text import Text, text_of
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.holes import has_hole

_FRAME = ":" * 14


def _more(call: Call) -> Parts:
    """In a pipe, more prints the name of a file in a frame above its contents.

    On macOS it does not, and for its input it does not either.
    """
    words = call.options().operands
    if not words:
        return _cat(call)
    parts: Parts = []
    for word in words:
        opened = _cat(replace(call, args=[word]))
        named = opened and word.known
        parts += [Text(lines=(_FRAME, word.text, _FRAME), maybe=True)] if named else []
        parts += opened
    return parts


def _cat(call: Call) -> Parts:
    options = call.options()
    # The `+20` of `less +20 file` is a start line, used only on a terminal.
    parts = call.opened(
        [
            word
            for word in options.operands
            if word.text[:1] != "+" or not re.match(r"\+\d", word.text)
        ]
    )
    return algebra.number(parts) if options.has("-n", "--number") else parts


def _bat(call: Call) -> Parts:
    options = call.options()
    parts = call.opened(options.operands)
    wanted: list[tuple[int, int | None]] = []
    for word in options.every("-r", "--line-range"):
        found = re.fullmatch(r"(\d{0,9}):?(\+?)(\d{0,9})", word.text)
        if found:
            low = int(found[1] or 1)
            high = int(found[3]) if found[3] else None if ":" in word.text else low
            high = low + high if found[2] and high else high
            wanted.append((low, high))
    return algebra.select(parts, tuple(wanted)) if wanted else parts


def _nl(call: Call) -> Parts:
    options = call.options()
    parts = call.opened(options.operands)
    style = options.value("-b", "--body-numbering")
    own = style == "a" and not options.has("-v", "-i")
    return algebra.number(parts) if own else algebra.number_text(parts)


_DIGITS = regex(r"\d{1,9}")
_NUMBER = regex(r"[+-]?\d{1,9}")
_COUNT = regex(r"(?:-n|--lines=|-(?=\d)|-[qv]*n)([+-]?\d+)|(\+\d+)")


def _count_argument(call: Call, letter: str) -> tuple[str | None, list[Word]]:
    """The number of `-n 5`, `-5`, `-n5`, `+5`, `--lines=5` and the arguments without it."""
    value: str | None = None
    rest: list[Word] = []
    skip = False
    for index, word in enumerate(call.args):
        if skip:
            skip = False
            continue
        text = word.text
        found = _COUNT.fullmatch(text) if text.startswith(("-", "+")) else None
        if found and not (found[2] and letter == "head"):
            value = found[1] or found[2]
        elif text in {"-n", "--lines"} and index + 1 < len(call.args):
            value = call.args[index + 1].text
            skip = True
        else:
            rest.append(word)
    return value, rest


def _head(call: Call) -> Parts:
    value, call.args = _count_argument(call, "head")
    if not call.args and call.stdin is not None and (value is None or _DIGITS.fullmatch(value)):
        return algebra.head(call.stdin, 10 if value is None else int(value))  # the usual case
    options = call.options()
    count = int(value) if value is not None and _NUMBER.fullmatch(value) else None
    by_bytes = options.has("-c", "--bytes")
    cut = not by_bytes and (value is None or (count is not None and count >= 0))
    size = 10 if value is None else abs(count or 0)
    several = _several(call, options.operands, options.has("-q"))
    if several is not None:
        spans, most = (((1, size),), size) if cut else (WHOLE, None)
        return [replace(several, spans=spans, size=most)]
    parts = call.opened(options.operands)
    if cut and (value is None or count is not None):
        return algebra.head(parts, size)
    return parts


def _several(call: Call, operands: list[Word], bare: bool) -> Headed | None:
    """head and tail print names above the contents if there is more than one file."""
    many = len(operands) > 1 or (bool(operands) and not operands[0].known)
    if bare or not many or any(word.text in call.shell.streams for word in operands):
        return None
    return Headed(cwd=call.cwd, rule=call.name)


def _tail(call: Call) -> Parts:
    value, call.args = _count_argument(call, "tail")
    options = call.options()
    several = _several(call, options.operands, options.has("-q"))
    by_bytes = options.has("-c", "--bytes")
    if several is not None:
        start = value[1:] if value is not None and value.startswith("+") else ""
        known = start.isdecimal() and len(start) < 10
        if known:
            return [replace(several, spans=((int(start), None),))]
        asked = "10" if value is None else value
        counted = not by_bytes and _NUMBER.fullmatch(asked) is not None
        return [replace(several, spans=None, size=abs(int(asked)) if counted else None)]
    parts = call.opened(options.operands)
    if by_bytes or (value is not None and not _NUMBER.fullmatch(value)):
        return algebra.without_lines(parts)
    if value is not None and value.startswith("+"):
        return algebra.select(parts, ((max(1, int(value)), None),))
    return algebra.tail(parts, 10 if value is None else abs(int(value)))


def _fold(call: Call) -> Parts:
    options = call.options()
    width = options.number("-w", "--width") or 80
    return [part.folded(width) for part in call.opened(options.operands)]


_PLACE = {"1,2", "1-2", "-2"}


def _cut(call: Call) -> Parts:
    options = call.options()
    parts = call.opened(options.operands)
    if options.value("-d", "--delimiter") == ":" and options.value("-f", "--fields") == "1":
        return algebra.names_of(parts, call.name)
    if options.value("-d", "--delimiter") == ":" and options.value("-f", "--fields") in _PLACE:
        return algebra.places_of(parts, call.name)
    if options.value("-d", "--delimiter") != ":" and options.value("-f", "--fields") in ("2", "2-"):
        # Names after something else, such as a time; what cut leaves of other lines is not known.
        return [p.columns(("2",)) if isinstance(p, Names) else p.derive(call.name) for p in parts]
    fields = options.value("-c", "--characters")
    if fields is not None and fields.startswith(("1-", "-")):
        return parts
    return algebra.derive(parts, call.name)


def _jq(call: Call) -> Parts:
    operands: list[Word] = []
    args = iter(call.args)
    has_filter = False
    takes = {"--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--indent": 1, "-L": 1}
    for word in args:
        if word.text in takes:
            for _ in range(takes[word.text]):
                next(args, None)
        elif word.text in {"-f", "--from-file"}:
            next(args, None)
            has_filter = True
        elif not word.text.startswith("-") or word.text == "-":
            operands.append(word)
    files = operands if has_filter else operands[1:]
    if call.name == "yq" and [word.text for word in operands[:1]] == ["eval"]:
        files = operands[2:]
    return algebra.derive(
        call.opened(files) if files or call.stdin is not None else [Opaque(rule=call.name)],
        call.name,
    )


_BRIEF = ("-r", "--recursive", "-q", "--brief", "-s", "--report-identical-files")


def _diff(call: Call) -> Parts:
    """Two files are shown by their differences.

    For folders, and with -q, the lines only name files.
    """
    options = call.options()
    operands = options.operands
    if len(operands) != 2:
        return [Opaque(rule=call.name)]
    streamed = any(word.text in call.shell.streams or word.text == "-" for word in operands)
    folders = all(looks_like_folder(word.text) or word.text.endswith("/") for word in operands)
    if not streamed and (options.has(*_BRIEF) or folders or call.name == "cmp"):
        return [
            Compared(
                cwd=call.cwd,
                sides=(operands[0], operands[1]),
                files=() if options.has("-r", "--recursive") else call.named(operands, "read"),
                rule=call.name,
            )
        ]
    left, right = (shown_files(call.opened([word])) for word in _compared_files(operands))
    if options.has("-y", "--side-by-side"):
        return [Opaque(shows=left + right, rule=call.name)]
    return [Differences(left=left, right=right, rule=call.name)]


def _compared_files(operands: list[Word]) -> list[Word]:
    """For a file and a folder, diff compares the file with the file of that name in the folder."""
    if any(word.text == "-" for word in operands):
        return operands
    plain = [not looks_like_folder(word.text) and not word.text.endswith("/") for word in operands]
    if plain.count(True) != 1 or not all(word.known for word in operands):
        return operands
    name = operands[plain.index(True)].text.rsplit("/", 1)[-1]
    if "." not in name[1:]:
        return operands
    return [
        word if whole else replace(word, text=f"{word.text.rstrip('/')}/{name}")
        for word, whole in zip(operands, plain, strict=True)
    ]


_ECHO_FLAGS = regex(r"-[neE]+")


def _echo(call: Call) -> Parts:
    args = list(call.args)
    ended, escapes = True, False
    while args and _ECHO_FLAGS.fullmatch(args[0].text):
        ended = ended and "n" not in args[0].text
        escapes = escapes or "e" in args[0].text
        args.pop(0)
    parts = words_as_text(call.shell, args)
    if escapes and len(parts) == 1:
        text = " ".join(word.text for word in args)
        return [text_part(call.shell, _escapes(text), ended)]
    if not ended and args and args[0].stream is None:
        return [text_part(call.shell, " ".join(word.text for word in args), ended=False)]
    return parts


def _escapes(text: str) -> str:
    known = {"n": "\n", "t": "\t", "\\": "\\", "a": "", "r": "", "e": "", "0": ""}
    return re.sub(
        r"\\([ntare\\0])", lambda m: known[m[1]], re.sub(r"\\(?:033|e)\[[\d;]*m", "", text)
    )


_HOLDER = regex(r"%[-+ 0#]*+\d*+(?:\.\d++)?+[sdiqbxfu]")
MAX_PRINTED = 100_000
"""A longer text is data that printf repeats."""


def _filled(template: str, values: list[str]) -> str:
    """One round of a printf format."""
    left = iter(values)
    return _HOLDER.sub(lambda _: next(left, ""), template)


def _printf(call: Call) -> Parts:
    args = [word for word in call.args if word.text != "--"]
    if not args or args[0].text == "-v":
        return []
    template = _escapes(args[0].text).replace("%%", "%")
    if len(args) == 2 and args[1].stream is not None and template.strip() == "%s":
        return words_as_text(call.shell, args[1:])
    holders = _HOLDER.findall(template)
    values = [call.shell.hole_for(w.stream) if w.stream is not None else w.text for w in args[1:]]
    text = ""
    rounds = max(1, -(-len(values) // len(holders))) if holders else 1
    for index in range(min(rounds, 200)):
        chunk = values[index * len(holders) : (index + 1) * len(holders)]
        text += _filled(template, chunk)
        if len(text) > MAX_PRINTED:
            break
    return [text_part(call.shell, text, ended=False, rule="printf")]


def _pwd(call: Call) -> Parts:
    return [text_part(call.shell, call.cwd or "\ue000")]


def _seq(call: Call) -> Parts:
    numbers = [word.text for word in call.args if re.fullmatch(r"-?\d{1,6}", word.text)]
    if not numbers or len(numbers) != len(call.args):
        return [Opaque(rule="seq", expected=False)]
    low = int(numbers[0]) if len(numbers) > 1 else 1
    step = int(numbers[1]) if len(numbers) == 3 else 1
    values = range(low, int(numbers[-1]) + (1 if step > 0 else -1), step or 1)[:400]
    return [text_part(call.shell, "\n".join(map(str, values)), rule="seq")]


def _pathname(call: Call) -> Parts:
    """basename and dirname of known words."""
    words = [word for word in call.args if not word.text.startswith("-")]
    if not words or has_hole(words[0].text):
        return [Opaque(rule=call.name, limit=1)]
    path = words[0].text.rstrip("/")
    folder, _, base = path.rpartition("/")
    if call.name == "dirname":
        return [text_part(call.shell, folder or ("/" if path.startswith("/") else "."))]
    if len(words) > 1:
        base = base.removesuffix(words[1].text)
    return [text_part(call.shell, base)]


def _tee(call: Call) -> Parts:
    options = call.options()
    written = call.writes(options.operands)
    fed = call.stdin or []
    if fed and all(isinstance(part, Text) for part in fed):
        for part in written:
            if isinstance(part, Write):
                call.shell.write(part.path, text_of(fed), options.has("-a", "--append"))
    return [*fed, *written]


def blame_spans(text: str) -> Spans | None:
    found = re.fullmatch(r"(\d{1,9}),(?:(\+?)(\d{1,9}))?", text)
    if not found:
        return None
    low = int(found[1])
    if found[3] is None:
        return ((low, None),)
    return ((low, low + int(found[3]) - 1 if found[2] else int(found[3])),)


HANDLERS: dict[str, Handler] = {
    "cat": _cat, "more": _more, "bat": _bat, "nl": _nl, "head": _head, "tail": _tail, "fold": _fold, "cut": _cut, "jq": _jq,
    "diff": _diff, "echo": _echo, "printf": _printf, "pwd": _pwd, "seq": _seq, "pathname": _pathname, "tee": _tee,
}  # fmt: skip
