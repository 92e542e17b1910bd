"""What a name says by itself, in a listing and in prose (D5)."""

from __future__ import annotations

import pytest

from groundtrace.answers.file_names import looks_like_folder, named_like_file


@pytest.mark.parametrize("name", ["Makefile", "BUILD", "src/OWNERS", "mvnw", "a.py", "x/b.tar.gz"])
def test_what_is_a_file_in_running_text_is_one_in_a_listing(name: str) -> None:
    assert named_like_file(name)
    assert not looks_like_folder(name)


@pytest.mark.parametrize("word", ["TODO", "VERSION", "NEWS", "HISTORY", "INSTALL"])
def test_a_word_in_capitals_is_a_file_in_a_listing_alone(word: str) -> None:
    """A search prints `TODO: mend this` of a file whose name it does not print."""
    assert not looks_like_folder(word)
    assert not named_like_file(word)
