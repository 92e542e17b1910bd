"""Digests without OpenSSL are those of `hashlib`."""

from __future__ import annotations

import hashlib

import pytest

from groundtrace.base.digests import blake2b, sha256


@pytest.mark.parametrize("data", [b"", b"abc", bytes(range(256)) * 40])
def test_digests_are_those_of_hashlib(data: bytes) -> None:
    assert sha256(data).hexdigest() == hashlib.sha256(data).hexdigest()
    for size in (4, 8, 16):
        mine, theirs = blake2b(digest_size=size), hashlib.blake2b(digest_size=size)
        mine.update(data)
        theirs.update(data)
        assert mine.digest() == theirs.digest() == blake2b(data, digest_size=size).digest()
