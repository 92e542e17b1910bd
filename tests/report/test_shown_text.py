"""Text of a trace cannot hide characters, fill the page, or leak a credential (D39)."""

from __future__ import annotations

import pytest

from groundtrace.report.safe_text import plain, shorten
from tests.report.pages import HOSTILE, SECRET


@pytest.mark.parametrize("text", HOSTILE)
def test_shown_text_is_one_printable_line_of_sane_length(text: str) -> None:
    shown = plain(text)
    assert len(shown) <= 400
    assert shown.isprintable()
    assert "\u202e" not in shown
    assert "\u200b" not in shown


def test_what_was_hidden_can_be_read() -> None:
    assert plain("rtl\u202egnp.exe") == r"rtl\u202egnp.exe"
    assert plain("a\nb\x00") == r"a\nb\x00"
    assert plain("blank\u3164") == r"blank\u3164"


def test_letters_of_any_script_stay() -> None:
    assert plain("документ/文件/αρχείο.py") == "документ/文件/αρχείο.py"


def test_a_cut_says_how_long_the_text_was() -> None:
    shown = plain("a" * 500_000 + "b" * 500_000)
    assert "1,000,000 characters" in shown
    assert shorten("a" * 100, 100) == "a" * 100


def test_credentials_are_masked_before_the_cut() -> None:
    """D39: half a credential at the edge of a cut would no longer look like one."""
    for place in range(200, 260):
        assert "abcd1234" not in plain("x" * place + " " + SECRET)
    for place in range(240 * 64 - 60, 240 * 64 + 4, 3):
        shown = plain("x" * place + " ghp_" + "Ab1" * 12 + " " + "y" * 90_000)
        assert "ghp_" not in shown
    assert plain(SECRET) == "SRC_ACCESS_TOKEN=[masked]"
