"""Commands that are no shell at all end in bounded work, and say that something is missing."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from groundtrace.base.bounded_parse import bounded_tree
from groundtrace.base.limit import TimeLimitReached, time_limit
from groundtrace.functions.languages import grammar_of, language_of
from groundtrace.functions.spans import MAX_NESTED, spans_of
from groundtrace.shell.syntax.parse import _parser, parse_by_grammar

HOSTILE = {
    "NUL and dashes": "\0" + "-" * 300,
    "an operator and dashes": "&" + "-" * 300,
    "an operator and tildes": "&" + "~" * 300,
    "closing brackets": "|" + ")" * 300,
    "a test and quotes": "((" + '"' * 300,
    "lists": "a=(" + "]" * 30,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_text_that_is_not_valid_takes_bounded_time(kind: str) -> None:
    """Each took minutes: the parser read the rest of the text again for each character."""
    piece = HOSTILE[kind]
    started = time.process_time()
    tree = parse_by_grammar(piece * (200_000 // len(piece)))
    assert time.process_time() - started < 5
    assert tree.broken


def test_what_comes_before_hostile_text_is_followed() -> None:
    lines = "cat src/a.py | head -5\n" * 900
    tree = parse_by_grammar(lines + HOSTILE["NUL and dashes"] * 500)
    assert tree.broken
    assert tree.source.count(b"cat src/a.py") > 800


def test_valid_text_is_the_same_tree_whole_or_in_pieces() -> None:
    text = "for f in é*.py; do grep -n 'x y' \"$f\" | head; done\n" * 100
    assert len(text) > 4096
    source = text.encode()
    root, followed = bounded_tree(_parser(), source)
    assert followed == source
    assert str(root) == str(_parser().parse(source).root_node)
    assert not root.has_error


def test_a_time_limit_ends_a_parse() -> None:
    """Errors cost time without reading, and an exception in the reader was lost in the library."""
    language = language_of("a.py")
    assert language is not None
    grammar = grammar_of(language)
    assert grammar is not None
    started = time.process_time()
    with pytest.raises(TimeLimitReached), time_limit(0.3):
        bounded_tree(grammar[0], b"a::" * 100_000)
    assert time.process_time() - started < 3
    assert spans_of(b"def f():\n    pass\n" * 400, language) is not None


def test_a_tree_knows_its_text_when_the_time_is_over() -> None:
    """A node asks for its text piece by piece, and asked for ever."""
    language = language_of("a.py")
    grammar = grammar_of(language) if language is not None else None
    assert grammar is not None
    source = b"def f(): pass\n" * 400
    root, _ = bounded_tree(grammar[0], source, seconds=0.2, counted=False)
    started = time.thread_time()
    while time.thread_time() - started < 0.25:
        pass
    assert {node.text for node in root.children} == {b"def f(): pass"}


def test_a_long_file_is_read_to_its_end() -> None:
    """Its grammar goes back at each line, which is no sign of a hostile text."""
    language = language_of("a.py")
    assert language is not None
    found = spans_of(b"def f(): pass\n" * 12_000, language)
    assert found is not None
    assert len(found.functions) == 12_000
    assert not found.is_broken


@pytest.mark.parametrize("piece", [b"-", b"(", b"*"])
def test_a_file_of_errors_has_no_functions(piece: bytes) -> None:
    language = language_of("a.py")
    assert language is not None
    started = time.process_time()
    found = spans_of(piece * 200_000, language)
    assert time.process_time() - started < 5
    assert found is not None and found.is_broken


def test_functions_nested_too_deeply_are_left_out() -> None:
    """A name holds those around it: the memory would grow with the square of the depth."""
    language = language_of("a.js")
    assert language is not None
    found = spans_of(b"function f(){" * 2000 + b"}" * 2000, language)
    if found is None:
        pytest.skip("no grammar of JavaScript")
    assert len(found.functions) == MAX_NESTED


def test_a_hostile_command_keeps_little_memory() -> None:
    """tree-sitter frees nothing that it was given in pieces: each reading of this lost 32 MB."""
    text = b"<<E\n" * 7_500
    tracemalloc.start()
    try:
        bounded_tree(_parser(), text)
        before = tracemalloc.get_traced_memory()[0]
        bounded_tree(_parser(), text)
        lost = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert lost < 4_000_000
