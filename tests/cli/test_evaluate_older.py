"""`evaluate` says which documents another version of groundtrace made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundtrace import __version__
from groundtrace.cli.main import invoke
from tests.adversarial.worlds import World


def made_by(world: World, version: str) -> None:
    (state,) = world.out.rglob("retrieval_events/.state.json")
    told = json.loads(state.read_text())
    assert told["groundtrace"] == __version__
    # Another version may have other members.
    state.write_text(json.dumps({"groundtrace": version, "documents": [1]}))


def test_documents_of_another_version_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = World(tmp_path)
    world.good()
    where = [str(world.run), "--out", str(world.out), "--jobs", "1"]
    assert invoke(["normalize", *where, "--tasks", str(world.tasks)]) == 0
    assert invoke(["evaluate", *where]) == 0
    assert "older:" not in capsys.readouterr().err
    made_by(world, "0.2.0")
    for _ in range(2):  # also when nothing else is to be done
        assert invoke(["evaluate", *where]) == 0
        said = capsys.readouterr().err
        assert "of groundtrace 0.2.0 evaluated as they are; run 'groundtrace normalize'" in said
        assert said.count("older: ") == len(world.documents())
    assert invoke(["evaluate", *where, "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["older"]
    assert one["version"] == "0.2.0" and one["path"].endswith(".retrieval_events.json")
    assert invoke(["normalize", *where, "--tasks", str(world.tasks)]) == 0
    capsys.readouterr()
    assert invoke(["evaluate", *where]) == 0
    assert "older:" not in capsys.readouterr().err
