"""Parts of a trace by offset: nothing lost, nothing unmasked, whatever the size."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtrace.redact import mask, masking
from groundtrace.storage import LocalFolder
from groundtrace.view.raw_text import masked_inside, part_at, readable
from groundtrace.view.trace_files import TraceFile
from tests.view.worlds import SECRET


def trace_file(path: Path) -> TraceFile:
    return TraceFile(LocalFolder(path.parent), path.name, path.stat().st_size, "mark")


@given(
    data=st.lists(st.text(alphabet="ab é\u202e", max_size=30), max_size=20).map("\n".join),
    length=st.integers(1, 40),
)
@settings(max_examples=150, deadline=None)
def test_parts_one_after_the_other_are_the_whole_file(
    tmp_path_factory: pytest.TempPathFactory, data: str, length: int
) -> None:
    path = tmp_path_factory.mktemp("parts") / "trace"
    path.write_bytes(data.encode())
    file = trace_file(path)
    at, covered = 0, b""
    raw = data.encode()
    while at < file.size:
        part = part_at(file, at, length)
        assert part.start <= at < part.end
        covered += raw[at : part.end]
        at = part.end
    assert covered == raw


def test_a_part_begins_with_a_line(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_text("first\nsecond line\nthird\n")
    part = part_at(trace_file(path), 9, 12)
    assert (part.start, part.text) == (6, "second line\n")
    assert part_at(trace_file(path), 10**15).end == path.stat().st_size


@pytest.mark.parametrize("cut", range(0, len(SECRET) + 40, 3))
def test_a_credential_is_masked_wherever_a_part_begins_or_ends(cut: int) -> None:
    """Half of a token is a token's half, and its other half is in the next part."""
    text = f"before it, {SECRET} after it\n"
    shown = masked_inside("", text[:cut], text[cut:]) + masked_inside(text[:cut], text[cut:], "")
    for start in range(len(SECRET) - 7):
        assert SECRET[start : start + 8] not in shown
    assert "before it" in shown or cut < 10


@pytest.mark.parametrize("at", [16_384, 20_000, 40_000, 65_536, 70_000])
def test_a_key_is_masked_in_a_part_of_a_very_long_line(tmp_path: Path, at: int) -> None:
    """A private key has no mark in its middle; what lies before the part tells."""
    body = "".join(f"MIIEpAIBAAKCAQEA{n:04}abcdefgh" for n in range(60))
    key = f"-----BEGIN RSA PRIVATE KEY-----\\n{body}\\n-----END RSA PRIVATE KEY-----"
    text = "x" * 39_000 + key + "y" * 60_000
    assert "abcdefgh" not in mask(text)
    path = tmp_path / "trace"
    path.write_text(text)
    for length in (500, 2_000, 64_000):
        assert "abcdefgh" not in part_at(trace_file(path), at, length).text


@given(
    before=st.text("ab =;\n", max_size=40),
    inside=st.text("ab =;\n", max_size=40),
    after=st.text("ab =;\n", max_size=40),
)
@settings(max_examples=300, deadline=None)
def test_text_without_credentials_is_shown_as_it_is(before: str, inside: str, after: str) -> None:
    assert masked_inside(before, inside, after) == readable(inside)
    with masking(False):
        assert masked_inside(before, inside, after) == readable(inside)


def test_characters_that_print_nothing_are_shown() -> None:
    assert readable("a\tb\r\nc\u202ed\x1b[31m\0") == "a\tb\nc\\u202ed\\x1b[31m\\x00"
