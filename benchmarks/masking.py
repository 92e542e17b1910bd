"""How many credentials are masked, and how much harmless text: `python benchmarks/masking.py`.

The lists are in `tests/fixtures/secrets`: random credentials in the forms that services describe,
and harmless texts that look like them. `-v` prints every line with a wrong result. `--seconds` also
prints the time for a megabyte of ordinary text.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import NamedTuple

from groundtrace.redact import mask

LISTS = Path(__file__).parents[1] / "tests" / "fixtures" / "secrets"


class Credential(NamedTuple):
    """A text and the credential in it."""

    text: str
    secret: str


def credentials() -> list[Credential]:
    """The list of credentials."""
    found = []
    for line in _lines("secrets.txt"):
        before, _, rest = line.partition("«")
        secret, _, after = rest.partition("»")
        found.append(Credential(before + secret + after, secret))
    return found


def harmless() -> list[str]:
    """The list of texts without a credential."""
    return _lines("harmless.txt")


def _lines(name: str) -> list[str]:
    text = (LISTS / name).read_text(encoding="utf-8").replace("¦", "")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [line.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\") for line in lines]


def kept_credentials() -> list[Credential]:
    """Credentials that are not completely masked: four or more characters in a row are left."""
    return [case for case in credentials() if _is_left(case.secret, mask(case.text), case.text)]


def _is_left(secret: str, masked: str, text: str) -> bool:
    around = text.replace(secret, "")
    pieces = {secret[at : at + 4] for at in range(max(1, len(secret) - 3))}
    return any(piece in masked and piece not in around for piece in pieces)


def masked_harmless() -> list[str]:
    """Harmless texts that are changed."""
    return [text for text in harmless() if mask(text) != text]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--seconds", action="store_true")
    options = parser.parse_args()
    kept, changed = kept_credentials(), masked_harmless()
    print(f"credentials masked: {len(credentials()) - len(kept)} of {len(credentials())}")
    print(f"harmless texts masked: {len(changed)} of {len(harmless())}")
    if options.verbose:
        for case in kept:
            print(f"kept: {mask(case.text)!r}")
        for text in changed:
            print(f"changed: {text!r} -> {mask(text)!r}")
    if options.seconds:
        lines = "\n".join(harmless())
        text = lines * (1_000_000 // len(lines))
        start = time.perf_counter()
        mask(text)
        print(f"a megabyte of harmless lines: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
