"""`groundtrace view` as a process: it prints its address, answers, and ends when it is told to."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("waitress")
pytest.importorskip("werkzeug")

from tests.conftest import Ran
from tests.view.worlds import story


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_the_viewer_prints_its_address_answers_and_ends(tmp_path: Path, ending: int) -> None:
    story(tmp_path / "runs" / "run")
    before = sorted(tmp_path.rglob("*"))
    command = [sys.executable, "-m", "groundtrace", "view", "runs", "--no-open", "--port", "0"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        jar = urllib.request.HTTPCookieProcessor(CookieJar())
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), jar)
        assert opener.open(address).status == 200
        found = json.loads(opener.open(address.partition("?")[0] + "api/trials").read())
        assert found["total"] == 6
        alone = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with pytest.raises(urllib.error.HTTPError, match="403"):
            alone.open(address.partition("?")[0])
    finally:
        process.send_signal(ending)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out == ""
    assert err == "press Ctrl-C to stop the viewer\n"
    assert sorted(tmp_path.rglob("*")) == before


def test_a_taken_port_is_said(tmp_path: Path, groundtrace: Callable[..., Ran]) -> None:
    import socket

    story(tmp_path / "runs" / "run")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = groundtrace("view", tmp_path / "runs", "--no-open", "--port", port)
    assert ran.code == 2
    assert f"port {port} is already in use" in ran.err


def test_runs_that_are_not_evaluated_are_said(
    tmp_path: Path, groundtrace: Callable[..., Ran]
) -> None:
    ran = groundtrace("view", tmp_path, "--no-open")
    assert ran.code == 3
    assert "retrieval_events" in ran.err
