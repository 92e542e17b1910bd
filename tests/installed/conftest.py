"""A wheel and a source archive, built once for all tests, and clean environments to install them."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
VERSIONS = ("3.11", "3.12", "3.13")


class Built(NamedTuple):
    """What a release uploads."""

    wheel: Path
    sdist: Path


def quietly(
    *command: object, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """A command without the variables that would let this checkout in."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "GROUNDTRACE"))}
    return subprocess.run(
        [str(part) for part in command],
        env=kept | environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def install(python: Path, *what: object) -> subprocess.CompletedProcess[str]:
    """`pip install` into an environment that need not have pip itself."""
    flags = ("--quiet", "--disable-pip-version-check", "--no-compile")
    pip = (sys.executable, "-m", "pip", "--python", python)
    return quietly(*pip, "install", *flags, "-c", ROOT / "constraints.txt", *what)


def environment(folder: Path, base: str) -> Path:
    """An empty environment; its Python."""
    made = quietly(base, "-m", "venv", "--without-pip", folder)
    assert made.returncode == 0, made.stderr
    return folder / "bin" / "python"


def interpreter(version: str) -> str | None:
    """A Python of this version that runs, wherever it is."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [f"python{version}", *map(str, pyenv.glob(f"{version}.*/bin/python{version}"))]
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        places.insert(0, sys.executable)
    for place in places:
        try:
            if quietly(place, "-c", "import venv").returncode == 0:
                return place
        except OSError:
            continue
    return None


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Built:
    """Built by the first worker that asks; the others wait for it."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent
    out = shared / "dist"
    with (shared / "dist.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not out.exists():
            _build(shared / "build-environment", out)
    return Built(next(out.glob("*.whl")), next(out.glob("*.tar.gz")))


def _build(scratch: Path, out: Path) -> None:
    python = Path(sys.executable)
    if importlib.util.find_spec("hatchling") is None:
        python = environment(scratch, sys.executable)
        if (done := install(python, "hatchling")).returncode:
            pytest.skip(f"no package index for the build backend: {done.stderr[-300:]}")
    done = quietly(python, "-m", "hatchling", "build", "-d", out, cwd=ROOT)
    assert done.returncode == 0, done.stderr


class Clean(NamedTuple):
    """An environment with the wheel and what it needs to run, nothing else."""

    bin: Path
    is_ours: bool
    """Its Python has the version that runs the tests: there everything is tried."""


@pytest.fixture(scope="session", params=VERSIONS)
def clean(
    request: pytest.FixtureRequest, built: Built, tmp_path_factory: pytest.TempPathFactory
) -> Clean:
    """One for each version of Python that is here."""
    base = interpreter(request.param)
    if base is None:
        pytest.skip(f"no Python {request.param} here")
    python = environment(tmp_path_factory.mktemp("clean") / "env", base)
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    done = install(python, *data["project"]["dependencies"])
    if done.returncode:
        pytest.skip(f"no package index for Python {request.param}: {done.stderr[-300:]}")
    done = install(python, "--no-deps", "--no-index", built.wheel)
    assert done.returncode == 0, done.stderr
    ours = ".".join(str(number) for number in sys.version_info[:2])
    return Clean(python.parent, request.param == ours)
