"""Packages depend on each other in one direction only, and no two modules import each other.

Every import counts: at the top of a module, inside functions (there for a fast start), and only for
type checkers. With a cycle of any kind, neither side can be read, tested or moved without the
other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import groundtrace

ROOT = Path(groundtrace.__file__).parent

ORDER = (
    *(
        "errors",
        "base",
        "redact",
        "config",
        "options",
        "storage",
        "problems",
        "model",
        "documents",
        "paths",
    ),
    # one trial, from its files to its metrics
    *("traces", "testing", "answers", "shell", "tools", "truth", "functions", "discover"),
    *("events", "metrics"),
    # many trials
    *("rows", "impact", "report", "tables"),
    # whole runs
    *("runs", "view", "demo", "results", "api", "cli", "__main__"),
)
"""A package may import those before it."""


def imports(file: Path, module: str) -> Iterator[str]:
    """Modules of groundtrace that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("groundtrace"))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            if node.module is not None and node.module.partition(".")[0] == "groundtrace":
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    yield whole if whole in MODULES else node.module


def name_of(file: Path) -> str:
    parts = file.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(file): file for file in ROOT.rglob("*.py")}
GRAPH = {module: set(imports(file, module)) - {module} for module, file in MODULES.items()}


def package_of(module: str) -> str:
    package = module.split(".")[1] if "." in module else ""
    return "runs" if package == "pipeline" else package  # the path of one trial of a run


def test_packages_import_only_those_before_them() -> None:
    assert {package_of(module) for module in MODULES} - {""} == set(ORDER)
    against = [
        f"{module} imports {target}"
        for module, targets in GRAPH.items()
        for target in targets
        if package_of(module) and package_of(target)
        if ORDER.index(package_of(module)) < ORDER.index(package_of(target))
    ]
    assert against == []


def test_no_modules_import_each_other() -> None:
    """The package's own `__init__` is left out: it names the API for users, and no module of the
    package takes anything but the version from it."""
    done: set[str] = set()
    cycles: list[str] = []

    def visit(module: str, path: tuple[str, ...]) -> None:
        if module in path:
            cycles.append(" -> ".join((*path[path.index(module) :], module)))
        elif module not in done:
            for target in sorted(GRAPH[module] - {"groundtrace"}):
                visit(target, (*path, module))
            done.add(module)

    for module in sorted(set(GRAPH) - {"groundtrace"}):
        visit(module, ())
    assert cycles == []
