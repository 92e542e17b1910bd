"""What `pip install groundtrace` installs without extras: it works and says what needs an extra."""

from __future__ import annotations

import json
import re
import subprocess
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import groundtrace
from tests.installed.conftest import (
    ROOT,
    Built,
    Clean,
    environment,
    install,
    interpreter,
    quietly,
)

Done = subprocess.CompletedProcess[str]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def source_files() -> set[str]:
    """Every file of the package in the checkout."""
    folder = ROOT / "src"
    return {
        path.relative_to(folder).as_posix()
        for path in (folder / "groundtrace").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.endswith(".tmp")
    }


def metadata(built: Built) -> dict[str, list[str]]:
    with zipfile.ZipFile(built.wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        message = Parser().parsestr(archive.read(name).decode())
    return {key: message.get_all(key) or [] for key in message}


def test_the_wheel_holds_the_package_and_nothing_else(built: Built) -> None:
    """Templates, tables, the demo's sample and `py.typed` too; no tests, no docs."""
    with zipfile.ZipFile(built.wheel) as archive:
        names = set(archive.namelist())
    ours = {name for name in names if ".dist-info/" not in name}
    assert ours == source_files()
    extra = {"py.typed", "tools/table.json", "demo/story.toml", "demo/world.txt"}
    assert {f"groundtrace/{name}" for name in extra} <= ours
    rest = {name.partition(".dist-info/")[2] for name in names - ours}
    assert rest == {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}


def test_the_source_archive_can_be_tested_and_built_again(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers()}
    wanted = {f"src/{name}" for name in source_files()}
    wanted |= {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Makefile"}
    wanted |= {"constraints.txt", "PKG-INFO", "tests/conftest.py", "docs/index.md"}
    assert wanted <= names
    unwanted = re.compile(r"(^|/)(\.venv|__pycache__|site|groundtrace-demo|dist|\.git)(/|$)")
    assert [name for name in names if unwanted.search(name)] == []


def test_the_version_is_in_one_place(built: Built) -> None:
    assert metadata(built)["Version"] == [groundtrace.__version__]
    assert groundtrace.__version__ in built.wheel.name
    assert "version" in PROJECT["dynamic"] and "version" not in PROJECT


def test_the_metadata_says_where_the_project_lives_and_what_it_runs_on(built: Built) -> None:
    found = metadata(built)
    urls = dict(line.split(", ", 1) for line in found["Project-URL"])
    assert set(urls) == {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
    assert all(url.startswith(urls["Source"]) for url in urls.values())
    for version in ("3.11", "3.12", "3.13"):
        assert f"Programming Language :: Python :: {version}" in found["Classifier"]
    assert found["License-Expression"] == ["Apache-2.0"]
    assert found["Requires-Python"] == [">=3.11"]
    extras = set(PROJECT["optional-dependencies"])
    assert {"view", "s3", "cluster", "zstd", "all"} <= extras
    assert {name.replace("_", "-") for name in found["Provides-Extra"]} == extras


def test_the_source_archive_gives_the_same_wheel(built: Built, tmp_path: Path) -> None:
    """Somebody who builds from the archive must not get another package."""
    with tarfile.open(built.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = next(tmp_path.iterdir())
    with zipfile.ZipFile(built.wheel) as archive:
        for name in archive.namelist():
            if ".dist-info/" not in name:
                assert archive.read(name) == (folder / "src" / name).read_bytes(), name


def run(clean: Clean, *arguments: object) -> Done:
    return quietly(clean.bin / "groundtrace", *arguments, NO_COLOR="1")


def test_everything_but_the_extras_works_after_a_plain_install(
    clean: Clean, tmp_path: Path
) -> None:
    """demo, run, evaluate, impact, report with HTML, explain, export, SQL."""
    sample, out = tmp_path / "demo", tmp_path / "out"
    done = run(clean, "demo", "--out", sample)
    assert done.returncode == 0, done.stderr
    assert "Found    relevant files shown" in done.stdout
    runs, tasks = sample / "runs/official", sample / "benchmarks"
    page = runs / "retrieval_events_aggregate/retrieval_report.html"
    assert 'id="answer"' in page.read_text(encoding="utf-8")
    work = (
        ("explain", "lock-order-007", runs, "--config-name", "base*", "--tasks", tasks),
        ("run", runs, "--tasks", tasks, "--out", out, "--jobs", "1", "--draws", "100"),
        ("evaluate", runs, "--out", out, "--force", "--jobs", "1"),
        ("impact", runs, "--out", out, "--draws", "100"),
        ("report", runs, "--out", out, "--format", "html"),
        ("export", runs, "--out", out, "--to", "csv", tmp_path / "csv"),
        ("export", runs, "--out", out, "--to", "trec", tmp_path / "trec"),
        ("export", runs, "--out", out, "--to", "parquet", tmp_path / "parquet"),
        ("sql", runs, "SELECT count(*) FROM trials", "--out", out),
    )
    for command in work if clean.is_ours else work[:1]:
        done = run(clean, *command)
        assert done.returncode == 0, (command, done.stderr)
    if clean.is_ours:
        page = out / "retrieval_events_aggregate/retrieval_report.html"
        assert 'id="answer"' in page.read_text(encoding="utf-8")
        assert (tmp_path / "csv/trials.csv").is_file()
        assert list((tmp_path / "trec").glob("*.qrels"))
    _needing_an_extra(clean, runs, tmp_path)


def _needing_an_extra(clean: Clean, runs: Path, scratch: Path) -> None:
    """Each names its extra and stops with the code of wrong usage, without a traceback."""
    elsewhere = ("--out", scratch / "elsewhere")
    address = ("--scheduler", "tcp://127.0.0.1:1")
    needing = (
        ("cluster", ("run", runs, *elsewhere, "--engine", "dask", *address)),
        ("s3", ("run", "s3://bucket/runs")),
        ("view", ("view", runs, "--no-open", "--port", "0")),
    )
    for extra, command in needing if clean.is_ours else needing[:1]:
        done = run(clean, *command)
        assert done.returncode == 2, (command, done.stderr)
        assert f"pip install 'groundtrace[{extra}]'" in done.stderr
        assert "Traceback" not in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


def test_installing_the_source_archive_works(built: Built, tmp_path: Path) -> None:
    """With its build backend from an index, as pip does it."""
    base = interpreter("3.11") or interpreter("3.12") or interpreter("3.13")
    assert base is not None
    python = environment(tmp_path / "env", base)
    done = install(python, "--no-deps", built.sdist)
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip("no package index for the build backend")
    assert done.returncode == 0, done.stderr
    code = "import importlib.metadata as m, json; print(json.dumps(m.version('groundtrace')))"
    assert json.loads(quietly(python, "-c", code).stdout) == groundtrace.__version__
