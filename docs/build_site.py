"""Build the documentation as a static site with Zensical; `mkdocs.yml` says what is in it.

    python docs/build_site.py OUT

A link that leads nowhere, an anchor that is not there, a page that the navigation lacks or that it
names but that does not exist: each is an error, all are listed, and nothing is written. No network is used.

The pages are copied to a scratch folder first, with links of the site in them (`site_links`), so
that another generator that reads `mkdocs.yml` would do as well.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml
from site_links import COPIED, for_site, has_markup, in_site, links, pages, site_link

ROOT = Path(__file__).resolve().parents[1]
CONFIG = "mkdocs.yml"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_WARNING = re.compile(r"^(?:Warning|Error): (?P<what>.*)\n.*?\[ (?P<where>\S+) \]", re.MULTILINE)


def build(out: Path, root: Path = ROOT) -> list[str]:
    """Build the site of a checkout; the faults that kept it from being built."""
    with tempfile.TemporaryDirectory() as scratch:
        staged = Path(scratch)
        faults = [*_stage(root, staged)]
        done = subprocess.run(
            [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", CONFIG],
            cwd=staged,
            capture_output=True,
            text=True,
            check=False,
        )
        said = _COLOUR.sub("", done.stdout + done.stderr)
        faults += [f"{m['where']}: {m['what']}" for m in _WARNING.finditer(said)]
        if done.returncode and not faults:
            faults.append(said.strip())
        if faults:
            return faults
        if out.exists():
            shutil.rmtree(out)
        shutil.move(staged / "site", out)
    return []


def _stage(root: Path, staged: Path) -> Iterator[str]:
    """Copy the pages and the files they link to; the faults that no generator looks for."""
    found = pages(root)
    for name, path in found.items():
        markdown = path.read_text(encoding="utf-8")
        target = staged / "docs" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(for_site(markdown, name), encoding="utf-8")
        if has_markup(markdown):
            yield f"{name}: a link or picture in HTML is not checked"
        yield from _dead_links(markdown, name, root)
    for pattern in COPIED:
        for path in root.glob(pattern):
            target = staged / "docs" / in_site(path.relative_to(root).as_posix())
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    config = (root / CONFIG).read_text(encoding="utf-8")
    (staged / CONFIG).write_text(config, encoding="utf-8")
    named = list(_named(yaml.safe_load(config)["nav"]))
    yield from (
        f"{name}: named in the navigation and not there" for name in named if name not in found
    )
    yield from (f"{name}: not in the navigation" for name in found if name not in named)


def _dead_links(markdown: str, page: str, root: Path) -> Iterator[str]:
    """Links to files that are not in the site; the generator checks pages and anchors."""
    copied = {p.relative_to(root).as_posix() for pattern in COPIED for p in root.glob(pattern)}
    known = {*pages(root), *(in_site(place) for place in copied)}
    for target in links(markdown):
        path = site_link(target, page).partition("#")[0]
        place = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if path and not re.match(r"[a-z]+:", target) and place not in known:
            yield f"{page}: link to {target}, which is not in the site"


def _named(nav: object) -> Iterator[str]:
    """Every page that the navigation names."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        for below in nav.values():
            yield from _named(below)
    elif isinstance(nav, list):
        for below in nav:
            yield from _named(below)


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
