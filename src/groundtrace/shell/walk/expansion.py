"""What the words of a command expand to, as far as the command itself shows.

Unknown text is a hole: one private character per unknown text. The hole of a loop variable belongs
only to that variable, so a printed separator such as `== $f ==` can later show its value. Words
with holes are never used as file names. Arithmetic such as `$((ln-15))` is done for known integers.
"""

from __future__ import annotations

import ast
import fnmatch
import operator
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from groundtrace.base.patterns import regex
from groundtrace.shell.programs.call import Shell
from groundtrace.shell.streams.part import Part
from groundtrace.shell.streams.word import MAX_WORDS, Word
from groundtrace.shell.syntax.holes import HOLE, has_hole

if TYPE_CHECKING:
    from tree_sitter import Node


_MARK = "\x01"
_SPLIT = "\x02"
_SPECIAL = regex(r"[*?\[\]{},~\s\x01\x02]")
MAX_MATCHED = 4096
"""Longer values are not paths; a pattern is tried at every position of a value."""
MAX_STARS = 4
"""A pattern with more stars is not followed: each star multiplies the ways to match."""
MAX_TEXT = 100_000
"""Longer values are data, not names."""


def expand_all(shell: Shell, nodes: Sequence[Node]) -> list[Word]:
    """The words that `nodes` expand to."""
    words: list[Word] = []
    at = 0
    while at < len(nodes) and len(words) <= MAX_WORDS:
        node = nodes[at]
        end = at + 1
        while end < len(nodes) and nodes[end].start_byte == nodes[end - 1].end_byte:
            end += 1
        if end == at + 1:
            words.extend(expand(shell, node))
        else:
            # The grammar takes `$d/$b.md` for two words that touch each other.
            piece = shell.env.tree.source[nodes[at].start_byte : nodes[end - 1].end_byte]
            words.extend(_finish(_rough(shell, piece.decode("utf-8", "replace"))))
        at = end
    return words


_TOKEN = regex(
    r"'(?P<raw>[^']*)'|\"(?P<text>(?:\\.|[^\"\\])*)\"|\$\{(?P<braced>\w+)\}|\$(?P<name>\w+)|\\(?P<char>.)",
    re.DOTALL,
)


def _rough(shell: Shell, source: str) -> str:
    """Marked text of a word, from its source alone: quotes, escapes and plain variables."""

    def token(match: re.Match[str]) -> str:
        if match["raw"] is not None:
            return _escape(match["raw"])
        if match["text"] is not None:
            return _escape(inline(shell, match["text"]))
        if match["char"] is not None:
            return _escape(match["char"])
        return _value(shell, match["braced"] or match["name"], quoted=False)

    return _TOKEN.sub(token, source)


def expand(shell: Shell, node: Node) -> list[Word]:
    """The words that one node expands to: several after braces, arrays and word splitting."""
    if node.type in _PLAIN_KINDS:
        word = _plain_word(shell.env.tree.text(node))
        if word is not None:
            return [word]
    stream = _only_stream(shell, node)
    if stream is not None:
        return [Word(HOLE, stream=stream)]
    return _finish(_marked(shell, node, quoted=False))


@lru_cache(maxsize=4096)
def _plain_word(text: str) -> Word | None:
    """The word if nothing in it needs expansion; kept, because agents repeat the same words."""
    if not _PLAIN.fullmatch(text):
        return None
    return Word(_QUOTED.sub(r"\1\2", text) if '"' in text or "'" in text else text)


_PLAIN_KINDS = frozenset(
    {"word", "number", "raw_string", "string", "concatenation", "command_name"}
)
_PLAIN = regex(r"""(?:[^\\*?\[\]{}~$`'"]+|'[^']*'|"[^"\\$`]*")*+""")
"""A word in which nothing needs expansion after its quotes are removed: nine of ten words."""
_QUOTED = regex(r"""'([^']*)'|"([^"]*)\"""")


def expand_text(shell: Shell, node: Node) -> Word:
    """The single word that a node expands to where the shell does not split (assignments)."""
    stream = _only_stream(shell, node)
    if stream is not None:
        return Word(HOLE, stream=stream)
    marked = _marked(shell, node, quoted=False).replace(_SPLIT, " ")
    # A value that doubles in a loop would fill the memory.
    return Word(_unmark(marked) if len(marked) < MAX_TEXT else HOLE)


def _only_stream(shell: Shell, node: Node) -> tuple[Part, ...] | None:
    """The parts that a lone `$(...)`, `"$(...)"`, `$x` or `"$x"` stands for."""
    if node.type == "string" or node.type == "command_name":
        inner = [child for child in node.children if child.type != '"']
        if len(inner) != 1:
            return None
        node = inner[0]
    if node.type == "command_substitution":
        value = shell.substitute(node)
        return value if isinstance(value, tuple) else None
    if node.type in {"simple_expansion", "expansion"}:
        name = shell.env.tree.text(node).strip("${}")
        bound = shell.env.variables.get(name)
        if bound is not None and len(bound) == 1:
            return bound[0].stream
    return None


def _marked(shell: Shell, node: Node, quoted: bool) -> str:
    """Expanded text in which quoted special characters are marked and splits are explicit."""
    kind = node.type
    text = shell.env.tree.text
    handler = _MARKED.get(kind)
    if handler is not None:
        return handler(shell, node, quoted)
    if kind in {"string", "concatenation", "command_name", "translated_string"}:
        return _sequence(
            shell, node, quoted or (kind != "concatenation" and kind != "command_name")
        )
    raw = text(node)
    return _escape(raw) if quoted else raw


def _sequence(shell: Shell, node: Node, quoted: bool) -> str:
    """Children in order; the text between them (blanks inside a string) is kept."""
    pieces: list[str] = []
    is_string = node.type in {"string", "translated_string"}
    position = node.start_byte
    for child in node.children:
        if is_string and child.start_byte > position:
            gap = shell.env.tree.source[position : child.start_byte].decode("utf-8", "replace")
            pieces.append(_escape(gap))
        position = child.end_byte
        if is_string and child.type in {'"', "$"}:
            continue
        if is_string and child.type in _EXPANSIONS:
            # The grammar puts the blank of `"$a $b"` into the second expansion.
            raw = shell.env.tree.text(child)
            pieces.append(_escape(raw[: len(raw) - len(raw.lstrip())]))
        pieces.append(_marked(shell, child, quoted))
    return "".join(pieces)


_EXPANSIONS = frozenset(
    ["simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"]
)


def _word(shell: Shell, node: Node, quoted: bool) -> str:
    raw = shell.env.tree.text(node)
    if quoted:
        return _escape(raw)
    if "\\" not in raw:
        return raw
    return _ESCAPED.sub(lambda m: "" if m[1] == "\n" else _escape(m[1]), raw)


_ESCAPED = regex(r"\\(\n|.)", re.DOTALL)
_ESCAPED_IN_STRING = regex(r"\\(\n|[$`\"\\])")


def _string_content(shell: Shell, node: Node, _quoted: bool) -> str:
    raw = shell.env.tree.text(node)
    if "\\" in raw:
        raw = _ESCAPED_IN_STRING.sub(lambda m: m[1].strip("\n"), raw)
    return _escape(raw)


def _raw_string(shell: Shell, node: Node, quoted: bool) -> str:
    raw = shell.env.tree.text(node)
    return _escape(raw if quoted else raw[1:-1])


_ANSI_C = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "0": "\0"}


def _ansi_c(shell: Shell, node: Node, _quoted: bool) -> str:
    raw = shell.env.tree.text(node)[2:-1]
    return _escape(re.sub(r"\\(.)", lambda m: _ANSI_C.get(m[1], m[0]), raw))


def _substitution(shell: Shell, node: Node, quoted: bool) -> str:
    value = shell.substitute(node)
    if isinstance(value, str):
        value = value.rstrip("\n")
        return _escape(value) if quoted else _split(value)
    return shell.hole_for(value)


def _process(shell: Shell, node: Node, _quoted: bool) -> str:
    return shell.hole_for(shell.inner_parts(node))


def _arithmetic(shell: Shell, node: Node, _quoted: bool) -> str:
    body = shell.env.tree.text(node).strip()
    body = body.removeprefix("$((").removesuffix("))").removeprefix("$[").removesuffix("]")
    value = arithmetic(body, shell.env.scalar)
    return HOLE if value is None else str(value)


def _simple(shell: Shell, node: Node, quoted: bool) -> str:
    name = shell.env.tree.text(node).lstrip()[1:]
    if name[:1].isdigit() and len(name) > 1:
        # `$3p` is the third argument and a letter; the grammar takes both as the name.
        rest = name[1:]
        return _value(shell, name[0], quoted) + (_escape(rest) if quoted else rest)
    return _value(shell, name, quoted)


def _value(shell: Shell, name: str, quoted: bool) -> str:
    words = shell.env.lookup(name)
    if words is None:
        return HOLE
    pieces = []
    for word in words:
        text = word.text if word.stream is None else shell.hole_for(word.stream)
        pieces.append(_escape(text) if quoted else _split(text))
    joiner = _SPLIT if name in {"@", "*"} or len(words) > 1 else ""
    return joiner.join(pieces)


_EXPANSION = regex(
    r"\$\{(?P<bang>[!#])?(?P<name>\w++|[@*#?])(?:\[(?P<index>[^\]]*)\])?(?P<rest>.*)\}$", re.DOTALL
)


def _expansion(shell: Shell, node: Node, quoted: bool) -> str:
    expansion = _EXPANSION.match(shell.env.tree.text(node).lstrip())
    if expansion is None or expansion["bang"] == "!":
        return HOLE
    name, index, rest = expansion["name"], expansion["index"], expansion["rest"]
    words = shell.env.lookup(name)
    if expansion["bang"] == "#":
        if words is None:
            return HOLE
        return str(len(words) if index in {"@", "*"} else len(words[0].text if words else ""))
    if words is not None and index is not None and index not in {"@", "*"}:
        number = arithmetic(index, shell.env.scalar)
        words = (
            (words[number],) if number is not None and -len(words) <= number < len(words) else None
        )
    if words is None:
        return _absent(shell, rest, quoted)
    if rest[:2] in {":-", ":="} and any(word.text for word in words):
        rest = ""
    elif rest[:2] in {":-", ":="}:
        return _absent(shell, rest, quoted)
    pieces = []
    for word in words:
        text = word.text if word.stream is None else shell.hole_for(word.stream)
        changed = _modified(text, rest, shell) if rest else text
        pieces.append(_escape(changed) if quoted else _split(changed))
    return _SPLIT.join(pieces)


def _absent(shell: Shell, rest: str, quoted: bool) -> str:
    default = re.match(r":?[-=](.*)$", rest, re.DOTALL)
    if default is None:
        return HOLE
    text = inline(shell, default[1].strip("\"'"))
    return _escape(text) if quoted else _split(text)


_VARIABLE = r"\$(?:\{(\w+)\}|(\w+))"
UNESCAPED = rf"(?<!\\){_VARIABLE}"
"""A variable in a here-document."""


def inline(shell: Shell, text: str, variable: str = _VARIABLE) -> str:
    """A text with values for its variables, such as the operand of `${x:-...}`."""

    def value(match: re.Match[str]) -> str:
        words = shell.env.lookup(match[1] or match[2])
        return HOLE if words is None else " ".join(word.text for word in words)

    return re.sub(variable, value, text)


def _modified(text: str, rest: str, shell: Shell) -> str:
    """`${x%...}`, `${x#...}`, `${x/a/b}`, `${x:1:2}`, `${x^^}`."""
    operand = inline(shell, rest.lstrip("%#/^,:@").strip("\"'"))
    if has_hole(text) or has_hole(operand):
        return HOLE
    if rest[0] in "%#/" and (len(text) > MAX_MATCHED or operand.count("*") > MAX_STARS):
        return HOLE
    if rest[0] in "%#":
        return stripped(text, operand, at_end=rest[0] == "%", longest=rest[:2] in {"%%", "##"})
    if rest[0] == "/":
        old, _, new = operand.partition("/")
        pattern = glob_regex(old)
        try:
            return re.sub(pattern, lambda _: new, text, count=0 if rest[:2] == "//" else 1)
        except re.error:
            return HOLE
    if rest[0] == "^":
        return text.upper() if rest[:2] == "^^" else text[:1].upper() + text[1:]
    if rest[0] == ",":
        return text.lower() if rest[:2] == ",," else text[:1].lower() + text[1:]
    slice_match = re.match(r":\s*(-?[0-9]{1,9})(?::(-?[0-9]{1,9}))?$", rest)
    if slice_match:
        start = int(slice_match[1])
        end = None if slice_match[2] is None else start + int(slice_match[2])
        return text[start:end]
    return HOLE


_MARKED: dict[str, Callable[[Any, Any, bool], str]] = {
    "word": _word,
    "string_content": _string_content,
    "raw_string": _raw_string,
    "ansi_c_string": _ansi_c,
    "command_substitution": _substitution,
    "process_substitution": _process,
    "arithmetic_expansion": _arithmetic,
    "simple_expansion": _simple,
    "expansion": _expansion,
}


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda m: _MARK + m[0], text)


def _split(text: str) -> str:
    """Text of an unquoted expansion: white space splits it, and patterns in it are active."""
    return _BLANKS.sub(_SPLIT, text.replace(_MARK, ""))


_BLANKS = regex(r"\s+")


def _unmark(text: str) -> str:
    return text.replace(_MARK, "") if _MARK in text else text


def _finish(marked: str) -> list[Word]:
    words = []
    for piece in _fields(marked):
        for text in braces(piece):
            words.append(_word_of(text))
            if len(words) >= MAX_WORDS:
                return words
    return words


def _word_of(text: str) -> Word:
    """The word of a marked text; quoted characters of a pattern are literal."""
    bare = _MARKED_CHARACTER.sub("", text) if _MARK in text else text
    if not _has_glob(bare) or ("[" in bare and not _has_glob(_ROUTE.sub("", bare))):
        return Word(_unmark(text))
    return Word(_unmark(_QUOTED_MARK.sub(r"[\1]", text)), glob=True)


_MARKED_CHARACTER = regex(r"\x01.", re.DOTALL)
_QUOTED_MARK = regex(r"\x01([*?\[])")
_ROUTE = regex(
    r"(?:^|(?<=/))\[{1,2}(?:\.\.\.)?[A-Za-z_]\w[\w-]*\]{1,2}(?=/|$|\.(?:[cm]?[jt]sx?|vue|svelte|astro|html)$)"
)
"""A name of a route, such as `app/[id]/page.tsx` (D117). The shell looks for a folder `i` or `d`,
finds none and passes the word on unchanged: agents read such files without quotes."""


def _has_glob(text: str) -> bool:
    """Whether a word holds `*`, `?` or a set such as `[ab]`."""
    if "*" in text or "?" in text:
        return True
    # Every set ends at the next bracket: a search from each `[` takes time that grows with the
    # square of the length.
    return any("[" in part[:-1] for part in text.split("]")[:-1])


def _fields(marked: str) -> list[str]:
    if _SPLIT not in marked:
        return [marked]
    return [piece for piece in marked.split(_SPLIT) if piece]


# --- braces ---------------------------------------------------------------------------------------

_BRACES = regex(r"(?<!\x01)\{((?:\x01.|[^{}\x01])*)(?<!\x01)\}", re.DOTALL)
_RANGE = regex(r"(-?[0-9]{1,9}|[a-zA-Z])\.\.(-?[0-9]{1,9}|[a-zA-Z])(?:\.\.(-?[0-9]{1,9}))?$")


def braces(text: str) -> list[str]:
    """Brace expansion of marked text: `{a,b}` and `{1..5}`."""
    if "{" not in text or text.count("{") > 12:
        return [text]
    for found in _BRACES.finditer(text):
        options = _options(found[1])
        if options is None:
            continue
        before, after = text[: found.start()], text[found.end() :]
        out: list[str] = []
        for option in options:
            out.extend(braces(f"{before}{option}{after}"))
            if len(out) > MAX_WORDS:
                break
        return out[:MAX_WORDS]
    return [text]


def _options(body: str) -> list[str] | None:
    number_range = _RANGE.match(body)
    if number_range:
        low, high, step = number_range.groups()
        if low.lstrip("-").isdigit() and high.lstrip("-").isdigit():
            a, b, width = int(low), int(high), abs(int(step or 1)) or 1
            if abs(b - a) // width > MAX_WORDS:
                return None
            return [str(n) for n in (range(a, b + 1, width) if a <= b else range(a, b - 1, -width))]
        if low.isalpha() and high.isalpha():
            a, b = ord(low), ord(high)
            return [chr(n) for n in (range(a, b + 1) if a <= b else range(a, b - 1, -1))]
        return None
    options = re.split(r"(?<!\x01),", body)
    return options if len(options) > 1 else None


def stripped(text: str, pattern: str, at_end: bool, longest: bool) -> str:
    """`${x%pattern}` and `${x#pattern}`: the text without the shortest or the longest match."""
    cuts = range(len(text) + 1)
    order = cuts if longest == at_end else reversed(cuts)
    for cut in order:
        piece = text[cut:] if at_end else text[:cut]
        if fnmatch.fnmatchcase(piece, pattern):
            return text[:cut] if at_end else text[cut:]
    return text


def glob_regex(pattern: str) -> str:
    """A pattern of the shell as a regular expression."""
    return fnmatch.translate(pattern).removeprefix("(?s:").removesuffix(r")\Z")


_OPERATORS: dict[type[ast.AST], Callable[..., int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def arithmetic(body: str, value: Callable[[str], str | None]) -> int | None:
    """The value of a shell arithmetic expression over known integers, else None."""
    if len(body) > 200:
        return None

    def name(match: re.Match[str]) -> str:
        found = value(match[1])
        return found if found is not None and re.fullmatch(r"-?\d+", found) else "?"

    text = re.sub(r"\$?\{?\b([A-Za-z_]\w*)\}?", name, body).replace("/", "//")
    text = re.sub(r"\b0+(?=\d)", "", text)
    try:
        return _evaluate(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None


def _evaluate(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluate(node.operand))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluate(node.left), _evaluate(node.right))
    raise ValueError("not arithmetic")
