"""Lines that Python scripts inside commands take by number."""

from __future__ import annotations

import ast

import pytest

from groundtrace.shell.programs.python_slices import python_ranges

TAKEN = {
    "lines = open('a').readlines()\nprint(''.join(lines[9:20]))": ((10, 20),),
    "lines = open('a').read().split('\\n')\nprint(lines[4])": ((5, 5),),
    "print(open('a').read().splitlines()[:3])": ((1, 3),),
    "ls = open('a').readlines()\nfor i in range(9, min(14, len(ls))): print(i + 1, ls[i])": (
        (10, 14),
    ),
    "ls = open('a').readlines()\nfor n in range(10, 13): print(n, ls[n - 1])": ((10, 12),),
    "ls = open('a').readlines()\nprint(ls[0:2])\nprint(ls[50:52])": ((1, 2), (51, 52)),
}


@pytest.mark.parametrize("script", TAKEN, ids=range(len(TAKEN)))
def test_lines_taken_by_constant_numbers_are_known(script: str) -> None:
    """D7: lines where they are known."""
    assert python_ranges(ast.parse(script)) == TAKEN[script]


@pytest.mark.parametrize(
    "script",
    [
        "for l in open('a'): print(l)",
        "ls = open('a').readlines()\nprint(ls)",
        "ls = open('a').readlines()\nprint(ls[5:])",
        "ls = open('a').readlines()\nprint(ls[-3:])",
        "ls = open('a').readlines()\nprint(ls[3:9:2])",
        "ls = open('a').readlines()\nprint(ls[n:9])",
        "ls = open('a').readlines()\nfor i in range(3):\n    if 'x' in ls[i]: print(ls[i])",
        "ls = open('a').readlines()\nprint([l for l in ls[0:9] if 'x' in l])",
        "words = open('a').read().split()\nprint(words[0:4])",
        "print('x'[0])",
    ],
)
def test_lines_that_depend_on_the_text_or_its_length_are_not(script: str) -> None:
    assert python_ranges(ast.parse(script)) is None
