"""The functions of one file: name, first and last line (D216).

The text is parsed as it is: what the grammar cannot read is left out, and the rest is used. Nothing
here recurses, so a file that nests deeply is read like any other.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from groundtrace.base.bounded_parse import bounded_tree
from groundtrace.base.patterns import regex
from groundtrace.documents.line_map import joined
from groundtrace.functions.languages import Language, grammar_of

if TYPE_CHECKING:
    from tree_sitter import Node, QueryCursor

MAX_BYTES = 8 * 1024 * 1024
"""Largest file whose functions are looked for; larger ones are generated."""

MAX_SECONDS = 5.0
"""Processor time for one file; one that takes more has no known functions, and a problem names it. Code without
errors takes a second for 5 MB. The time of a text of many errors grows with the square of their
number, and the parser tells nothing else that could be counted."""
MAX_ERRORS = 2_500_000_000
"""Squares of the numbers of nodes in what could not be parsed. The search for functions takes that
much time there: 1.4 seconds for 40,000 signs."""
_LARGE = 2000
"""Bytes of a node that may hold so many."""
MAX_FOUND = 120_000
"""Definitions of one file: three seconds and 300 MB. A file with more has no known functions."""
_WINDOW = 1024 * 1024
"""Bytes in which functions are looked for at a time, as each match is kept until it was read."""
MAX_NESTED = 100
"""Functions and classes around one: what is deeper is left out."""
MAX_LEVELS = 20_000
"""Levels of the tree in which functions are looked for. Without a limit, 60,000 functions inside each
other took 13 seconds, and 30,000 a quarter of one."""


MAX_TOKENS = 1_000_000
"""Words and signs of one file; one with more has no known functions. The tree takes 230 bytes of
memory for each, and up to 380 where they nest: 5 MB of `[1,` took 1.5 GB. Three megabytes of dense
code have so many."""
_KINDS = bytes(
    ord("a") if chr(n).isalnum() or n == 95 or n > 127 else ord(" ") if n <= 32 else ord("!")
    for n in range(256)
)


class Span(NamedTuple):
    """A function or a class of a file."""

    name: str
    """With the names of the classes and functions around it: `Class.method`."""
    first: int
    """Its first line, from 1: that of its first decorator."""
    last: int
    """The last line of its code; comments behind that are outside."""
    is_class: bool = False


class FileSpans(NamedTuple):
    """What one file holds."""

    spans: tuple[Span, ...]
    """Functions and classes in the order of their first lines; outer ones before inner ones."""
    is_broken: bool
    """Some of it could not be parsed."""
    is_cut: bool = False
    """A limit ended the search, so functions may be missing."""

    @property
    def functions(self) -> list[Span]:
        """Without classes."""
        return [span for span in self.spans if not span.is_class]


class _Found(NamedTuple):
    """A definition as the query gives it."""

    node: Node
    name: str
    is_class: bool


class _Beside(NamedTuple):
    """What a file has around and before its definitions."""

    around: dict[int, Node]
    """What begins before a definition and holds it, by the definition's id."""
    before: dict[int, tuple[int, bool]]
    """By the end of a decorator or a comment: its beginning, and whether it belongs to what follows."""


def spans_of(data: bytes, language: Language) -> FileSpans | None:
    """The functions and classes of a file's text; None if the language's grammar is missing."""
    grammar = grammar_of(language)
    if grammar is None:
        return None
    from tree_sitter import QueryCursor

    parser, query = grammar
    text = _as_utf8(data)
    if _has_many_tokens(text):
        return FileSpans((), True, True)
    root, followed = bounded_tree(parser, text, seconds=MAX_SECONDS, counted=False)
    if len(followed) < len(text) or _has_many_errors(root):
        return FileSpans((), True, True)
    found: list[_Found] = []
    bound: set[int] = set()
    beside = _Beside({}, {})
    for captures in _matches(QueryCursor(query), root, len(text)):
        if "class" in captures or "function" in captures:
            values = [_without_brackets(node) for node in captures.get("value", ())]
            if None not in values:
                kind = "class" if "class" in captures else "function"
                found.append(_Found(captures[kind][0], _name(captures), kind == "class"))
                bound.update(node.id for node in values if node is not None)
                if len(found) > MAX_FOUND:
                    return FileSpans((), True, True)
        elif "inner" in captures:
            beside.around[captures["inner"][0].id] = captures["around"][0]
        else:
            for kind, (node, *_) in captures.items():
                end = node.start_byte + len(text[node.start_byte : node.end_byte].rstrip())
                beside.before[end] = (node.start_byte, kind == "before")
    # A named function that is bound to a name is one function: `exports.parse = function parse() {}`.
    # `class EXPORT Store { }` parses as a function too, because a macro stands before the name.
    found.sort(key=lambda one: one.is_class)
    kept = {one.node.id: one for one in found if one.node.id not in bound and one.name}
    some = sorted(kept.values(), key=lambda one: (one.node.start_byte, -one.node.end_byte))
    return FileSpans(tuple(_named(some, beside, text)), root.has_error)


def _matches(cursor: QueryCursor, root: Node, size: int) -> Iterator[dict[str, list[Node]]]:
    """What the query finds. A definition that begins in one window and ends in another comes twice."""
    cursor.set_max_start_depth(MAX_LEVELS)
    for first in range(0, size, _WINDOW):
        cursor.set_byte_range(first, first + _WINDOW)
        yield from (captures for _, captures in cursor.matches(root))


_BRACKETS = frozenset(
    {"parenthesized_expression", "as_expression", "satisfies_expression"}
    | {"type_assertion", "non_null_expression"}
)
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "lambda"})


def _without_brackets(node: Node) -> Node | None:
    """The function in brackets or in a cast; None if something else is in them."""
    while node.type in _BRACKETS:
        inside = [child for child in node.named_children if child.type in _BRACKETS | _FUNCTIONS]
        if not inside:
            return None
        node = inside[0]
    return node


def _has_many_tokens(text: bytes) -> bool:
    if len(text) <= MAX_TOKENS:
        return False
    kinds = text.translate(_KINDS)
    words = kinds.startswith(b"a") + kinds.count(b" a") + kinds.count(b"!a")
    return words + kinds.count(b"!") > MAX_TOKENS


def _has_many_errors(root: Node) -> bool:
    left = MAX_ERRORS
    nodes = [root] if root.has_error else []
    while nodes and left >= 0:
        node = nodes.pop()
        if node.is_error:
            left -= node.child_count**2
        nodes += [
            child
            for child in node.children
            if child.end_byte - child.start_byte > _LARGE and child.has_error
        ]
    return left < 0


def _as_utf8(data: bytes) -> bytes:
    """The text as the grammars read it: UTF-8 without a mark; the lines stay where they are."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1").encode("utf-8")
    return data


def _named(found: Iterable[_Found], beside: _Beside, text: bytes) -> list[Span]:
    """Each, in the order of their places, with the names around it.

    Lines come from the offsets of line breaks: tree-sitter 0.26 returns `start_point.row` without
    owning that number, and a file of more than 256 lines crashed the interpreter.
    """
    breaks = [match.start() for match in re.finditer(b"\n", text)]
    spans: list[Span] = []
    around: list[tuple[int, str]] = []
    """End and whole name of what is open."""
    for one in found:
        while around and around[-1][0] <= one.node.start_byte:
            around.pop()
        if len(around) >= MAX_NESTED:
            continue
        name = f"{around[-1][1]}.{one.name}" if around else one.name
        around.append((one.node.end_byte, name))
        first = bisect_left(breaks, _beginning(one.node, beside, text)) + 1
        last = bisect_left(breaks, max(_end(one.node) - 1, 0)) + 1
        spans.append(Span(name, first, max(first, last), one.is_class))
    return spans


_WIDEST = 200
"""Blanks between a decorator and what it belongs to."""


def _beginning(node: Node, beside: _Beside, text: bytes) -> int:
    """The offset at which a definition begins, with its decorators.

    Neighbours are found by their places: the parser looks for a parent or a neighbour from the top of
    the file on, which took minutes for 100,000 functions.
    """
    while (outer := beside.around.get(node.id)) is not None:
        node = outer
    first = at = node.start_byte
    while beside.before:
        blanks = text[max(0, at - _WIDEST) : at]
        found = beside.before.get(at - len(blanks) + len(blanks.rstrip()))
        if found is None:
            break
        at, belongs = found
        first = at if belongs else first
    return first


def _end(node: Node) -> int:
    """The offset behind the last piece of code: comments there do not count, as in Python's `ast`."""
    while node.child_count:
        at = node.child_count - 1
        child = node.child(at)
        while at > 0 and child is not None and child.is_extra:
            at -= 1
            child = node.child(at)
        if child is None or child.is_extra:
            break
        node = child
    return node.end_byte


# --- names ----------------------------------------------------------------------------------

_ARGUMENTS = regex(r"<[^<>]*>|\[[^\[\]]*\]")
_REFERENCE = regex(r"^&\s*(?:'\w+\s+)?(?:mut\s+)?")
"""What stands before a type in `impl Show for &'a mut Page`."""
_CAST = regex(r"(\boperator\s+[^(\s][^(]*)\(.*", re.DOTALL)
"""`operator bool() const`: the grammar's name has the parameters too."""
_NAMELESS = {
    "operator_declaration": "operator",
    "conversion_operator_declaration": "operator",
    "indexer_declaration": "this[]",
}
_DECLARED = frozenset(
    {"identifier", "field_identifier", "destructor_name", "operator_name", "operator_cast"}
    | {"qualified_identifier", "type_identifier", "template_function"}
)


def _behind_macro(text: str) -> str:
    """The class in what the grammar leaves between `class` and its body: `EXPORT Store final : Base`."""
    words = [word for word in text.partition(":")[0].split() if word != "final"]
    return words[-1] if words else ""


_PLAIN: Mapping[str, Callable[[str], str]] = {
    "string": lambda text: text[1:-1],
    "simple_symbol": lambda text: text[1:],
    "ERROR": _behind_macro,
}
"""A name without its signs, by the kind of its node."""
MAX_NAME = 200
"""Characters of one name; a longer one is cut."""


def _name(captures: dict[str, list[Node]]) -> str:
    """The name of a definition, with its owner if it stands outside of it; empty if it has none."""
    whole = captures["class" if "class" in captures else "function"][0]
    stated = captures.get("name")
    if not stated:
        return _NAMELESS.get(whole.type, "")
    name = stated[0]
    if whole.type == "function_definition":
        name = _declared(name)
    text = _PLAIN.get(name.type, str)(_text(name))
    if whole.type == "destructor_declaration":
        text = f"~{text}"
    text = _CAST.sub(r"\1", text)
    if "class" in captures:
        text = _without_arguments(text)
    parts = text.split("::")
    parts[:-1] = map(_without_arguments, parts[:-1])
    owner = captures.get("owner")
    if owner:
        parts.insert(0, _without_arguments(_text(owner[0])).strip("*&() "))
    return ".".join(" ".join(part.split()) for part in parts if part.strip())[:MAX_NAME]


def _declared(node: Node) -> Node:
    """The name in a declarator of C or C++: `*name(int x)`."""
    while node.type not in _DECLARED:
        inner = node.child_by_field_name("declarator") or next(
            (child for child in node.named_children if child.type.endswith("declarator")), None
        )
        if inner is None:
            inner = next((c for c in node.named_children if c.type in _DECLARED), None)
        if inner is None:
            break
        node = inner
    return node


def _without_arguments(text: str) -> str:
    """A type without its arguments: `Map<K, V>` is `Map`."""
    text = _REFERENCE.sub("", text)
    while (shorter := _ARGUMENTS.sub("", text)) != text:
        text = shorter
    return re.split(r"[<\[]", text)[0].strip()


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", errors="replace")


# --- lines ----------------------------------------------------------------------------------


class Nested:
    """The functions of a file, to be asked for the innermost one around lines."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = [span for span in spans if not span.is_class]
        self._firsts = [span.first for span in self._spans]
        self._outer: list[int] = []
        """Of each, the nearest one before it that does not end earlier; -1 if there is none."""
        for at, span in enumerate(self._spans):
            outer = at - 1
            while outer >= 0 and self._spans[outer].last < span.last:
                outer = self._outer[outer]
            self._outer.append(outer)

    def innermost(self, first: int, last: int) -> Span | None:
        """The innermost that holds all these lines; of two with the same lines the inner one."""
        at = bisect_right(self._firsts, first) - 1
        while at >= 0 and self._spans[at].last < last:
            at = self._outer[at]
        return self._spans[at] if at >= 0 else None


def met(spans: Sequence[Span], runs: Iterable[tuple[int, int]]) -> list[Span]:
    """The functions with at least one of these lines, in order."""
    known = joined(runs)
    ends = [last for _, last in known]
    found = []
    for span in spans:
        at = bisect_left(ends, span.first)
        if not span.is_class and at < len(known) and known[at][0] <= span.last:
            found.append(span)
    return found
