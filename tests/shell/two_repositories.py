"""A scratch workspace of two repositories, for the list of commands that another person wrote.

Some lines are blank on purpose: harnesses remove blank lines at both ends of what they show.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from tests.shell.scores import Judged, judge_output
from tests.shell.scratch_repository import Case, commit_all, git, run, write_files


def _rows(
    word: str, count: int, marks: Mapping[int, str] | None = None, blank: tuple[int, ...] = ()
) -> str:
    """`count` lines, each with its number, but for marked and blank ones."""
    marks = marks or {}
    lines = [marks.get(n, "" if n in blank else f"{word} {n} row") for n in range(1, count + 1)]
    return "".join(f"{line}\n" for line in lines)


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


FILES: dict[str, str] = {
    "shop/src/app.py": _rows(
        "app",
        120,
        {
            1: "import os",
            2: "import sys",
            10: "def start(port):",
            15: "    # TODO: check port",
            30: "def stop():",
            47: "    # TODO: drain",
            60: "class App:",
            75: "    def run(self):",
            88: "    # TODO: log",
            120: "main()",
        },
        (3, 20, 50, 100),
    ),
    "shop/src/util.py": _rows(
        "util",
        45,
        {
            5: "# TODO: slugs",
            8: "def slug(text):",
            20: "# TODO: cache",
            25: "def chunk(items, n):",
            45: "END = True",
        },
        (9, 24),
    ),
    "shop/src/models/__init__.py": "from .user import User\nfrom .order import Order\n",
    "shop/src/models/user.py": _rows(
        "user", 60, {3: "class User:", 10: "    def name(self):", 33: "    # TODO: email"}, (2, 30)
    ),
    "shop/src/models/order.py": _rows(
        "order",
        80,
        {
            4: "class Order:",
            12: "    # TODO: tax",
            40: "    def total(self):",
            60: "    # TODO: refund",
        },
        (3, 70),
    ),
    "shop/src/server/main.go": _rows(
        "main",
        90,
        {1: "package main", 12: "func main() {", 40: "\t// TODO: tls", 55: "func serve() error {"},
        (2, 80),
    ),
    "shop/src/server/handler.go": _rows(
        "handler",
        70,
        {1: "package main", 8: "func handle(w Writer) {", 31: "func health() {"},
        (2,),
    ),
    "shop/tests/test_app.py": _rows(
        "test_app", 40, {6: "def test_start():", 18: "def test_stop():"}
    ),
    "shop/docs/guide.md": _rows(
        "guide", 50, {1: "# Guide", 20: "## Start", 40: "## Stop"}, (2, 19, 39)
    ),
    "shop/docs/api.md": _rows("api", 20, {1: "# API"}),
    "shop/config/settings.yaml": _rows("key:", 18, {4: "port: 8080", 9: "debug: true"}),
    "shop/config/dev.json": _json({"port": 8081, "hosts": ["a", "b"], "db": {"pool": 4}}),
    "shop/package.json": _json(
        {
            "name": "shop",
            "version": "1.2.3",
            "scripts": {"test": "jest", "build": "tsc"},
            "dependencies": {"lodash": "^4.17.21", "axios": "^0.26.1"},
            "devDependencies": {"jest": "^29.0.0"},
        }
    ),
    "shop/yarn.lock": _rows("pkg", 200),
    "shop/data/big.csv": _rows("7,", 300, {1: "id,name"}),
    "shop/notes with space.txt": _rows("notes", 8),
    "shop/Makefile": _rows("Makefile", 12, {1: "all: build", 5: "build:"}),
    "shop/Dockerfile": _rows("Dockerfile", 6, {1: "FROM python:3.12"}),
    "shop/LICENSE": _rows("LICENSE", 21),
    "shop/README.md": _rows("README", 30, {1: "# Shop"}),
    "shop/.gitignore": _rows("ignored", 3),
    "shop/.github/workflows/ci.yml": _rows("ci", 14, {1: "name: ci"}),
    "lib/index.js": _rows("index", 40, {7: "// TODO: exports"}),
    "lib/package.json": _json({"name": "lib", "dependencies": {"lodash": "^4.0.0"}}),
    "lib/src/core.js": _rows("core", 55, {9: "export function core() {", 30: "// TODO: speed"}),
    "lib/src/extra.ts": _rows("extra", 25),
}


def build_workspace(root: Path) -> Path:
    """Two repositories below `root`; in shop the last commit and the tree change a file each."""
    workspace = root / "ws"
    write_files(workspace, FILES)
    for repo in ("lib", "shop"):
        commit_all(workspace / repo, "start")
    _change(workspace / "shop/src/util.py", "cache", "cache later")
    git(workspace / "shop", "commit", "-q", "-a", "-m", "cache later")
    _change(workspace / "shop/README.md", "README 5 row", "README 5 changed")
    return workspace


def _change(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new))


def judge_workspace(case: Case, workspace: Path) -> Judged:
    """A case as Claude Code shows it: blank lines at both ends are cut off."""
    output = re.sub(r"\A(?:\s*\n)+", "", run(case, workspace)).rstrip()
    return judge_output(case, workspace, output or "(Bash completed with no output)")
