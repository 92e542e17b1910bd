"""The demo's results in the form of the golden files."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from unittest import mock

from groundtrace.base.jsonio import loads
from groundtrace.cli.main import invoke
from groundtrace.report.blocks_of_trials import unpack

FOLDER = Path(__file__).parent / "demo"
RUN = "demo_harbour_20260504"
EPOCH = "1767225600"

_DATA = re.compile(r'(<script type="application/json"[^>]*>)(.*?)(</script>)', re.DOTALL)
_BLOCK = re.compile(r'(class="block-data">)([^<]*)(</script>)')
_DIGEST = re.compile(r"sha256-[A-Za-z0-9+/=]+")
_SIZE = re.compile(r"\([\d,.]+ [kM]?B, unpacked")


def results(folder: Path) -> dict[str, bytes]:
    """Every document and report of the demo's run, written below `folder`, by relative name."""
    with mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": EPOCH}):
        code = invoke(["demo", "--out", str(folder), "--json", "--quiet"])
    if code:
        raise RuntimeError(f"the demo ended with {code}")
    output = folder / "runs" / "official" / RUN / "retrieval_events"
    return {
        str(path.relative_to(output)): _normal(path)
        for path in sorted(output.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def _normal(path: Path) -> bytes:
    data = path.read_bytes()
    return normal_page(data.decode()).encode() if path.suffix == ".html" else data


def normal_page(text: str) -> str:
    """A page with its data written out, so that a difference can be read.

    Compressed bytes depend on the library that made them, and digests follow every change.
    """
    text = _DATA.sub(lambda found: found[1] + _lines(loads(found[2].encode())) + found[3], text)
    text = _BLOCK.sub(lambda found: found[1] + _lines(unpack(found[2])) + found[3], text)
    return _SIZE.sub("(… B, unpacked", _DIGEST.sub("sha256-…", text))


def _lines(value: object) -> str:
    """One line for each entry at the top."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)  # type: ignore[call-overload]
    return "\n".join(f"{key}: {json.dumps(entry, ensure_ascii=False)}" for key, entry in entries)
