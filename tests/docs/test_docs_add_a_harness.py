"""The guide's list of what a new format needs inside groundtrace is true for existing formats."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import examples
import pytest

from groundtrace import traces
from groundtrace.traces.mapped.reader import MappedReader

FORMATS = examples.ROOT / "src" / "groundtrace" / "traces"
GUIDE = (examples.ROOT / "docs/guides/add-a-harness.md").read_text(encoding="utf-8")
INSIDE = GUIDE.partition("## Inside groundtrace")[2]


def folder_of(reader: object) -> Path:
    return Path(inspect.getfile(type(reader))).parent


@pytest.mark.parametrize("reader", traces.READERS, ids=lambda reader: reader.name)
def test_a_format_is_its_folder_its_line_and_its_tests(reader: object) -> None:
    folder = folder_of(reader)
    assert folder.parent == FORMATS
    assert Path(inspect.getfile(type(reader))).name == "reader.py"
    assert (examples.ROOT / "tests/traces" / f"test_{folder.name}.py").exists()
    for module in FORMATS.glob("*.py"):
        if module.name != "__init__.py":
            text = module.read_text(encoding="utf-8")
            assert f"traces.{folder.name}" not in text, f"{module.name} knows {folder.name}"


THREE = {"reader.py", "records.py", "trace.py"}


def test_three_files_are_a_format() -> None:
    """The guide's example has nothing else."""
    files = {path.name for path in (FORMATS / "cline").glob("*.py")}
    assert files == {*THREE, "__init__.py"}


@pytest.mark.parametrize(
    "folder", sorted({folder_of(reader) for reader in traces.READERS}), ids=lambda path: path.name
)
def test_every_format_has_the_same_names(folder: Path) -> None:
    files = {path.name for path in folder.glob("*.py")} - {"__init__.py"}
    if folder.name == "mapped":  # its formats are TOML, not code
        assert {"reader.py", "trace.py"} <= files
    else:
        assert files >= THREE
    assert len(files) <= 6


CODED = [reader for reader in traces.READERS if not isinstance(reader, MappedReader)]
"""Readers that are code; a mapping says in its own file what was seen of its format."""


@pytest.mark.parametrize("reader", CODED, ids=lambda reader: reader.name)
def test_a_readers_docstring_says_where_files_lie_and_their_shape(reader: object) -> None:
    text = inspect.getdoc(inspect.getmodule(type(reader))) or ""
    assert "Where they lie:" in text and "Their shape:" in text


def test_every_file_that_the_guide_names_is_there() -> None:
    """`<format>` stands for a format that is there."""
    paths = re.findall(r"^\| `(src/[^`]+)` \|", INSIDE, re.MULTILINE)
    assert len(paths) == 4
    for path in paths:
        assert (examples.ROOT / path.replace("<format>", "cline")).exists(), path
    shared = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", INSIDE, re.MULTILINE)
    modules = [name for row in shared for name in re.findall(r"`(\w+)`", row)]
    assert len(modules) == 10
    for name in modules:
        assert (FORMATS / "kit" / f"{name}.py").exists(), name
    for name in re.findall(r"`(\w+\.py)`", INSIDE):
        assert any(FORMATS.glob(f"*/{name}")), name


def test_every_member_that_the_guide_names_is_there() -> None:
    besides = GUIDE.partition("## What else a reader can say")[2].partition("## Inside")[0]
    rows = re.findall(r"^\| (`[^|]+) \|", besides, re.MULTILINE)
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    tree = ast.parse((FORMATS / "source.py").read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    fields = {
        node.target.id
        for node in classes["Source"].body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    optional = set(re.findall(r"`(\w+)`  ", ast.get_docstring(classes["Reader"]) or ""))
    samples = {"samples", "read_sample", "companions", "is_part", "part_of"}
    sessions = {"sessions_continue"}
    names_of_files = {"spare_patterns", "sidecars", "own_names", "reads_text"}
    assert optional == {*names_of_files, "harness_words", *samples, *sessions}
    assert names == optional | (names & fields) and len(names) > 10
