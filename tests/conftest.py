"""What many tests share: the demo's sample, real trials if any exist, a command line to call."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

from groundtrace.cli.main import invoke
from groundtrace.demo import write_sample
from groundtrace.runs import engine as engine_module

# A deadline is a timing, and a busy machine missed one (251 ms of 200).
settings.register_profile("groundtrace", settings.default, deadline=None)
settings.load_profile("groundtrace")

FIXED_TIME = "1767225600"
"""SOURCE_DATE_EPOCH of every test, so that documents are the same bytes."""


class Ran(NamedTuple):
    """What a command line gave."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def fixed_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", FIXED_TIME)


@pytest.fixture
def workers_for_small_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worker processes for work that is small enough to be done in the main process."""
    monkeypatch.setattr(engine_module, "SMALL_BYTES", 0)


@contextmanager
def fixed() -> Iterator[Callable[..., Ran]]:
    """Calls the command line in this process, for fixtures that several tests share."""

    def call(*arguments: object) -> Ran:
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = invoke([str(argument) for argument in arguments])
        return Ran(code, out.getvalue(), err.getvalue())

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", FIXED_TIME)
        yield call


@pytest.fixture
def groundtrace(capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Calls the command line in this process."""

    def call(*arguments: object) -> Ran:
        capfd.readouterr()
        code = invoke([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return call


@pytest.fixture(scope="session")
def sample_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder)
    return folder


@pytest.fixture
def sample(sample_source: Path, tmp_path: Path) -> Path:
    """The demo's inputs, to be changed at will."""
    folder = tmp_path / "sample"
    shutil.copytree(sample_source, folder)
    return folder


@pytest.fixture(scope="session")
def corpus_next() -> Path:
    """Real traces of more harnesses; tests that need them skip where there are none."""
    path = os.environ.get("GROUNDTRACE_CORPUS_NEXT", "")
    if not path or not Path(path).is_dir():
        pytest.skip("GROUNDTRACE_CORPUS_NEXT names no folder of real traces")
    return Path(path)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Real trials; tests that need them skip where there are none."""
    path = os.environ.get("GROUNDTRACE_CORPUS", "")
    if not path or not Path(path).is_dir():
        pytest.skip("GROUNDTRACE_CORPUS names no folder of real trials")
    return Path(path)
