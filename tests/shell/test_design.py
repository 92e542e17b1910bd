"""The rules of the shell's design: phases in one direction, parts and environments that never
change, one table of programs, and weights with names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundtrace import shell
from groundtrace.shell.align import loop as loops
from groundtrace.shell.output import ShellOutput
from groundtrace.shell.programs.effects import EFFECTS
from groundtrace.shell.programs.environment import Environment
from groundtrace.shell.programs.table import HANDLERS, PROGRAMS, TABLE
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.part import Part
from groundtrace.shell.syntax.parse import parse
from groundtrace.shell.walk.walker import Walker

ROOT = Path(shell.__file__).parent
ORDER = ("weights", "output", "syntax", "streams", "align", "programs", "walk", "powershell")


def kinds(base: type[Part] = Part) -> Iterator[type[Part]]:
    """All kinds of parts."""
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)


def imported(file: Path) -> Iterator[str]:
    """Packages of the shell that a file imports."""
    before = "groundtrace.shell."
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(before):
            yield (node.module or "").removeprefix(before).split(".")[0]


@pytest.mark.parametrize("package", ORDER)
def test_packages_import_in_one_direction(package: str) -> None:
    """Alignment knows nothing of the walk, so it cannot enter it again."""
    allowed = set(ORDER[: ORDER.index(package) + 1])
    files = ROOT.glob(f"{package}/*.py") if package != "weights" else [ROOT / "weights.py"]
    found = {
        f"{file.name}: {name}" for file in files for name in imported(file) if name not in allowed
    }
    assert not found


def functions_in(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list):
        for inner in value:
            yield from functions_in(inner)
    elif isinstance(value, dict):
        yield from functions_in(list(value.values()))
    elif isinstance(value, Part):
        for field in value.__struct_fields__:
            yield from functions_in(getattr(value, field))
    elif callable(value):
        yield value


def test_parts_of_a_loop_hold_its_rounds_and_no_function_that_would_walk_again() -> None:
    lines = ["== src/a.py", "x", "== src/b.py", "y"]
    tree = parse('for f in src/*.py; do echo "== $f"; head -1 "$f"; done')
    (part,) = Walker(tree, "/w", ShellOutput(lines=lines), TABLE).run_tree(tree)
    assert isinstance(part, loops.Loop)
    assert sorted(part.rounds) == ["src/a.py", "src/b.py"]
    assert not list(functions_in(part))


def test_a_part_is_never_changed() -> None:
    assert len(list(kinds())) > 15
    assert all(kind.__struct_config__.frozen for kind in kinds())
    with pytest.raises(AttributeError):
        Content(path="a").quiet = True  # type: ignore[misc]


def test_an_environment_is_never_changed() -> None:
    """A subshell forgets what it changed, since nothing was changed."""
    env = Environment(parse("true"), "/w")
    inner = env.entered("src").pushed().holding({"x": ()})
    assert (env.cwd, env.folders, dict(env.variables)) == ("/w", (), {})
    assert (inner.cwd, inner.folders, dict(inner.variables)) == ("/w/src", ("/w/src",), {"x": ()})
    with pytest.raises(AttributeError):
        env.cwd = "/"  # type: ignore[misc]


def test_every_row_has_an_effect_and_every_handler_a_row() -> None:
    used = {program.effect for program in PROGRAMS.values()}
    assert used <= set(EFFECTS) | set(HANDLERS)
    assert set(HANDLERS) <= used
    assert not set(EFFECTS) & set(HANDLERS)
    assert set(PROGRAMS) == set(TABLE)


def test_options_are_data_and_no_handler_has_its_own() -> None:
    """`call.options()` takes nothing: the row says which options have a value."""
    for file in (ROOT / "programs").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert node.func.attr != "options" or not node.args, f"{file.name}:{node.lineno}"


def test_every_weight_has_a_name() -> None:
    """Numbers that decide a division stand in `weights`, each with its reason."""
    for file in [*ROOT.glob("streams/*.py"), *ROOT.glob("align/*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, float):
                assert node.value == 0.0, f"{file.name}:{node.lineno}: {node.value}"


def test_every_weight_has_a_reason() -> None:
    body = ast.parse((ROOT / "weights.py").read_text(encoding="utf-8")).body[2:]
    for weight, reason in zip(body[::2], body[1::2], strict=True):
        assert isinstance(weight, ast.Assign)
        assert isinstance(reason, ast.Expr) and isinstance(reason.value, ast.Constant)
        assert len(str(reason.value.value)) > 20


def test_the_line_algebra_asks_no_part_for_its_kind() -> None:
    source = (ROOT / "streams" / "line_algebra.py").read_text(encoding="utf-8")
    assert "isinstance" not in source and "hasattr" not in source
    assert msgspec.structs.fields(Part)
