"""numpy is imported when a number first needs it, and by the command line without threads."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def said(code: str, **environment: str) -> str:
    ours = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=ours | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()[-1]


def test_the_analysis_of_nothing_needs_no_numpy():
    code = (
        "import sys; from groundtrace.impact import ImpactOptions, analyse; "
        "analyse([], ImpactOptions(), generated_at='', scope='r'); "
        "print('numpy' in sys.modules)"
    )
    assert said(code) == "False"


@pytest.mark.parametrize(("given", "used"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2")])
def test_the_command_line_asks_for_no_threads_unless_the_user_did(given, used):
    code = (
        "import atexit, os; from groundtrace.cli.main import main; "
        "atexit.register(lambda: print(os.environ['OPENBLAS_NUM_THREADS'])); main(['--version'])"
    )
    assert said(code, **given) == used
