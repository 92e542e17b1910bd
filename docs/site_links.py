"""Links that are right in the repository and in the site.

Pages lie where they lie in the repository, and link to each other as files there. In the site,
`docs/guides/x.md` is the page `guides/x.md`, `CHANGELOG.md` is `project/CHANGELOG.md`, and
`schemas/x.json` is a file of the same name.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

OUTSIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "benchmarks/*.md", "studies/*/*.md")
"""Pages outside of `docs/`, by their place in the repository."""
COPIED = (
    *("docs/images/*", "schemas/*.json", "LICENSE", "CITATION.cff"),
    *("studies/*/tables/*", "studies/*/figures/*", "studies/*/*.toml"),
)
"""Other files that pages may link to."""

_LINK = re.compile(r"(?P<before>!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()(?P<target>[^)\s]+)(?P<after>\))")
_FENCE = re.compile(r"^ *(`{3,}).*?^ *\1 *$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"^( *`{3,}[\w-]+) title=([^\s\"]+)$", re.MULTILINE)
_MARKUP = re.compile(r"<(?:img|a)\b[^>]*\b(?:href|src)=", re.IGNORECASE)


def pages(root: Path) -> dict[str, Path]:
    """Every page of the site, by its name there."""
    found = [*(root / "docs").rglob("*.md"), *(p for glob in OUTSIDE for p in root.glob(glob))]
    return {in_site(path.relative_to(root).as_posix()): path for path in sorted(found)}


def in_site(place: str) -> str:
    """Where a file of the repository is in the site."""
    if place.startswith("docs/"):
        return place.removeprefix("docs/")
    return f"project/{place}" if place.endswith(".md") else place


def in_repository(page: str) -> str:
    """Where a page of the site is in the repository."""
    return page.removeprefix("project/") if page.startswith("project/") else f"docs/{page}"


def for_site(markdown: str, page: str) -> str:
    """A page with links of the site; code is left alone, but for the names of files."""
    parts = []
    at = 0
    for fence in _FENCE.finditer(markdown):
        parts.append(_linked(markdown[at : fence.start()], page))
        parts.append(_TITLE.sub(r'\1 title="\2"', fence[0]))
        at = fence.end()
    parts.append(_linked(markdown[at:], page))
    return "".join(parts)


def _linked(text: str, page: str) -> str:
    return _LINK.sub(lambda m: m["before"] + site_link(m["target"], page) + m["after"], text)


def site_link(target: str, page: str) -> str:
    """A link of the repository as a link of the site."""
    path, mark, anchor = target.partition("#")
    if not path or re.match(r"[a-z]+:", target):
        return target
    place = posixpath.normpath(posixpath.join(posixpath.dirname(in_repository(page)), path))
    there = posixpath.relpath(in_site(place), posixpath.dirname(page) or ".")
    return f"{there}{mark}{anchor}"


def links(markdown: str) -> list[str]:
    """Targets of all links and pictures of a page, outside of code."""
    return [match["target"] for match in _LINK.finditer(_FENCE.sub("", markdown))]


def has_markup(markdown: str) -> bool:
    """Whether a page has a link or picture in HTML, which nothing checks."""
    return _MARKUP.search(_FENCE.sub("", markdown)) is not None
