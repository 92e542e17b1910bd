"""Loops whose rounds only the output shows."""

from __future__ import annotations

import pytest

from tests.shell.views import Found, seen, view

ROUNDS = "== old/f.txt ==\na\nb\nc\n== old/only.txt ==\nonly\n"
MORE = "== new/Makefile ==\nall:\n== new/f.txt ==\na\nB\nc\n"
ALL: Found = [
    ("read", "old/f.txt", 1, 3),
    ("read", "old/only.txt", 1, 1),
    ("read", "new/Makefile", 1, 1),
    ("read", "new/f.txt", 1, 3),
]


@pytest.mark.parametrize(
    "command",
    [
        'for d in old new; do for f in $d/*; do echo "== $f =="; cat $f; done; done',
        'for f in old/*; do echo "== $f =="; cat $f; done; for f in new/*; do echo "== $f =="; cat $f; done',
    ],
)
def test_headings_of_two_loops_over_patterns_are_each_their_own_loops(command: str) -> None:
    assert seen(command, ROUNDS + MORE) == ALL


def test_each_round_has_the_characters_of_its_own_lines() -> None:
    command = 'for f in old/*; do echo "== $f =="; cat $f; done'
    found = view(command, ROUNDS).refs
    assert [(ref.path, ref.shown_chars, ref.printed) for ref in found] == [
        ("/w/old/f.txt", 6, ["a", "b", "c"]),
        ("/w/old/only.txt", 5, ["only"]),
    ]
