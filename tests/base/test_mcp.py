"""What the Model Context Protocol puts around names and answers."""

from __future__ import annotations

from typing import Any

import pytest

from groundtrace.base.mcp import Envelope, blocks_text, content_text, envelope_of, server_in_name


@pytest.mark.parametrize(
    ("name", "server"),
    [
        ("mcp__sourcegraph__sg_read_file", "sourcegraph"),
        ("mcp__a__b__c", "a"),
        ("mcp__a", None),
        ("mcp____b", None),
        ("Read", None),
    ],
)
def test_server_in_a_name(name: str, server: str | None) -> None:
    assert server_in_name(name) == server


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, "b", {"type": "image", "data": "…"}], "a\nb"),
        ([{"text": {"text": "nested"}}], "nested"),
        ({"text": "one", "score": 1}, "one"),
        (None, ""),
        (7, ""),
    ],
)
def test_text_of_a_result(content: Any, text: str) -> None:
    assert content_text(content) == text


@pytest.mark.parametrize(
    ("blocks", "text"),
    [
        ([{"type": "text", "text": "a"}, {"text": {"text": "b"}}], "a\nb"),
        ([{"type": "resource", "resource": {"text": "r"}}], "r"),
        ([{"text": "a match", "path": "src/a.py"}], None),
        (["a"], None),
        ({}, None),
    ],
)
def test_only_content_blocks_are_unwrapped(blocks: Any, text: str | None) -> None:
    """A server's own list of results, whose objects have a text too, is an answer."""
    assert blocks_text(blocks) == text


def test_an_envelope_states_more_than_content() -> None:
    blocks = [{"type": "text", "text": "a"}]
    assert envelope_of({"content": blocks, "isError": True}) == Envelope(blocks, True)
    assert envelope_of({"content": blocks, "meta": None}) == Envelope(blocks, False)
    assert envelope_of({"content": blocks}) is None
    assert envelope_of({"content": "a", "isError": False}) is None
