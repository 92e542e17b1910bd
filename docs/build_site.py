"""Build the documentation as a static site.

    python docs/build_site.py OUT

A link that leads nowhere, an anchor that is not there, a page that the navigation lacks or that it
names in vain: each is an error, all are listed, and nothing is written. No network is used.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import sys
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = Path(__file__).with_name("site.html")

NAVIGATION: dict[str, tuple[str, ...]] = {
    "Start": ("docs/index.md", "docs/tutorial.md"),
    "Guides": (
        "docs/guides/swe-bench.md",
        "docs/guides/published-numbers.md",
        "docs/guides/evaluate-my-runs.md",
        "docs/guides/loose-traces.md",
        "docs/guides/formats.md",
        "docs/guides/map-a-format.md",
        "docs/guides/read-the-report.md",
        "docs/guides/view.md",
        "docs/guides/compare-configs.md",
        "docs/guides/explain-a-number.md",
        "docs/guides/ground-truth.md",
        "docs/guides/unknown-tools.md",
        "docs/guides/add-a-tool.md",
        "docs/guides/add-a-harness.md",
        "docs/guides/add-a-metric.md",
        "docs/guides/python.md",
        "docs/guides/sql-cookbook.md",
        "docs/guides/ci.md",
        "docs/guides/cluster.md",
    ),
    "Reference": (
        "docs/reference/metrics.md",
        "docs/reference/commands.md",
        "docs/reference/schemas.md",
        "docs/reference/tables.md",
        "docs/reference/tools.md",
        "docs/reference/ground-truth.md",
        "docs/reference/configuration.md",
        "docs/reference/errors.md",
    ),
    "Explanation": (
        "docs/design.md",
        "docs/decisions.md",
        "docs/validity.md",
        "docs/statistics.md",
        "docs/explanation/shell.md",
        "docs/explanation/privacy.md",
        "docs/explanation/fuzzing.md",
        "docs/explanation/lines-and-context.md",
        "docs/conformance.md",
    ),
    "Project": (
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "benchmarks/README.md",
        "benchmarks/README-shell.md",
    ),
}
"""Section to its pages, by their place in the repository."""

COPIED = ("docs/images/*.png", "schemas/*.json")
"""Other files that pages may link to."""

_ID = re.compile(r"""<a id="([^"]+)">""")
_MARKUP = re.compile(r"""<(?:img|a)\s[^>]*?(?:src|href)=""", re.IGNORECASE)


@dataclass(slots=True)
class Page:
    """One page: where it comes from, where it goes, what is in it."""

    source: str
    target: str
    tokens: list[Token]
    title: str = ""
    anchors: set[str] = field(default_factory=set)


def target_of(source: str) -> str:
    """Where a file of the repository goes: pages of docs to the top, others by their names."""
    path = source.removeprefix("docs/")
    if not path.endswith(".md"):
        return path
    return path.removesuffix("/README.md").removesuffix(".md").lower() + ".html"


def slug(text: str) -> str:
    """The anchor of a heading, as code hosts make it."""
    kept = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return kept.replace(" ", "-")


def read_page(parser: MarkdownIt, source: str) -> Page:
    """Parse a page and give its headings anchors."""
    tokens = parser.parse((ROOT / source).read_text(encoding="utf-8"))
    page = Page(source, target_of(source), tokens)
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        text = "".join(
            t.content for t in inline.children or () if t.type in ("text", "code_inline")
        )
        base = anchor = slug(text)
        number = 0
        while anchor in page.anchors:
            number += 1
            anchor = f"{base}-{number}"
        page.anchors.add(anchor)
        opening.attrSet("id", anchor)
        if opening.tag == "h1" and not page.title:
            page.title = text
    for token in _all_tokens(tokens):
        if token.type in ("html_inline", "html_block"):
            page.anchors.update(_ID.findall(token.content))
    return page


def _all_tokens(tokens: list[Token]) -> list[Token]:
    found = []
    for token in tokens:
        found.append(token)
        found += token.children or []
    return found


class Site:
    """All pages, and the faults found in them."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        parser = MarkdownIt("commonmark", {"html": True}).enable("table")
        self.parser = parser
        self.pages: dict[str, Page] = {}
        for source in (source for group in NAVIGATION.values() for source in group):
            if (ROOT / source).is_file():
                self.pages[source] = read_page(parser, source)
            else:
                self.faults.append(f"{source}: named in the navigation and not there")
        known = set(self.pages)
        for path in sorted((ROOT / "docs").rglob("*.md")):
            source = path.relative_to(ROOT).as_posix()
            if source not in known:
                self.faults.append(f"{source}: not in the navigation")
        self.copied = {
            path.relative_to(ROOT).as_posix() for pattern in COPIED for path in ROOT.glob(pattern)
        }

    def resolve(self) -> None:
        """Turn links between files of the repository into links of the site."""
        for page in self.pages.values():
            if not page.title:
                self.faults.append(f"{page.source}: no title")
            for token in _all_tokens(page.tokens):
                if token.type in ("html_inline", "html_block") and _MARKUP.search(token.content):
                    self.faults.append(f"{page.source}: a link or picture in HTML is not checked")
                for name in ("href", "src"):
                    link = token.attrGet(name)
                    if isinstance(link, str):
                        token.attrSet(name, self._target(page, link))

    def _target(self, page: Page, link: str) -> str:
        if re.match(r"[a-z]+:", link):
            return link
        path, _, anchor = link.partition("#")
        folder = posixpath.dirname(page.source)
        source = posixpath.normpath(posixpath.join(folder, path)) if path else page.source
        other = self.pages.get(source)
        if other is None and source not in self.copied:
            self.faults.append(f"{page.source}: link to {link}, which is no page of the site")
            return link
        if anchor and (other is None or anchor not in other.anchors):
            self.faults.append(f"{page.source}: link to {link}, which has no such anchor")
        start = posixpath.dirname(page.target) or "."
        there = posixpath.relpath(target_of(source), start)
        return there + (f"#{anchor}" if anchor else "")

    def write(self, out: Path) -> None:
        """Write every page and the files they link to."""
        environment = Environment(autoescape=True, undefined=StrictUndefined)
        template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
        if out.exists():
            shutil.rmtree(out)
        for page in self.pages.values():
            start = posixpath.dirname(page.target) or "."
            sections = {
                section: [
                    {
                        "title": self.pages[source].title,
                        "url": posixpath.relpath(self.pages[source].target, start),
                        "current": source == page.source,
                    }
                    for source in sources
                ]
                for section, sources in NAVIGATION.items()
            }
            body = self.parser.renderer.render(page.tokens, self.parser.options, {})
            text = template.render(title=page.title, sections=sections, body=body)
            target = out / page.target
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        for source in sorted(self.copied):
            target = out / target_of(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / source, target)


def build(out: Path) -> list[str]:
    """Build the site; the faults that kept it from being built."""
    site = Site()
    site.resolve()
    if not site.faults:
        site.write(out)
    return site.faults


def main(arguments: list[str]) -> int:
    """The exit code."""
    if len(arguments) != 1:
        print("usage: python docs/build_site.py OUT", file=sys.stderr)
        return 2
    out = Path(arguments[0]).absolute()
    if out == ROOT or out in ROOT.parents or (out.exists() and not _is_ours(out)):
        print(
            f"{os.fspath(out)}: not an empty folder and not a site; name another", file=sys.stderr
        )
        return 2
    faults = build(out)
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        print(f"built {out / 'index.html'}")
    return 1 if faults else 0


def _is_ours(out: Path) -> bool:
    return out.is_dir() and (not any(out.iterdir()) or (out / "reference/metrics.html").is_file())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
