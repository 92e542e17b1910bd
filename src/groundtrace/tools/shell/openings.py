"""First lines by which a file of some kind can be told from others.

Of `cat package.json 2>/dev/null; cat README.md` nothing says whether the first file was there,
except that JSON does not begin with `# Title`.
"""

from __future__ import annotations

import re
from functools import lru_cache

_MARKUP = re.compile(r"(<)|\s*(?:<|$)|\ufeff")
_OPENINGS: dict[str, re.Pattern[str]] = {
    ".json": re.compile(r"([\[{])|[\"\d\ufeff-]|//|/\*|\s*$"),
    ".go": re.compile(r"(package )|//|/\*|\s*$|\ufeff"),
    "go.mod": re.compile(r"(module )|//|/\*|\s*$|\ufeff"),
    ".xml": _MARKUP,
    ".html": _MARKUP,
    ".svg": _MARKUP,
}
"""What the first line of a file can be, by its name or ending; the group is what it is as a rule."""
UNUSUAL = -0.5
"""A first line that can be one, as a comment or a blank line can."""


@lru_cache(maxsize=1024)
def opening(path: str) -> re.Pattern[str] | None:
    """How the file must begin, None where anything will do."""
    base = path.rsplit("/", 1)[-1]
    return _OPENINGS.get(base) or _OPENINGS.get(base[base.rfind(".") :] if "." in base else "")
