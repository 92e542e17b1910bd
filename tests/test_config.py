"""Settings: defaults, the file, the flags, and errors that name the nearest key."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from groundtrace.config import PLACES, Settings, find_file, load_settings, settings_from
from groundtrace.errors import InputError, UsageError


def test_every_key_of_the_file_reaches_its_setting() -> None:
    settings = settings_from(
        {
            "paths": {"container_prefixes": ["/code/"]},
            "mcp": {"servers": ["github", "*"]},
            "compare": {"baseline": "control*"},
            "discover": {"skip": ["old_*"], "trials": "all"},
            "shell": {"evidence": "ignore", "commands": {"peek": {"like": "cat"}}},
            "tools": {"my_search": {"like": "keyword_search"}},
        }
    )
    assert settings == Settings(
        container_prefixes=("/code/",),
        mcp_servers=("github", "*"),
        baseline="control*",
        skip=("old_*",),
        trials="all",
        shell="ignore",
        shell_commands={"peek": {"like": "cat"}},
        tools={"my_search": {"like": "keyword_search"}},
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"path": {}}, "unknown table 'path'; nearest is 'paths'"),
        ({"mcp": {"server": []}}, "unknown key 'mcp.server'; nearest is 'mcp.servers'"),
        ({"mcp": {"servers": "x"}}, "mcp.servers must be a list of strings"),
        ({"mcp": []}, r"\[mcp\] must be a table"),
        ({"discover": {"trials": "some"}}, "discover.trials must be one of attempts, all, latest"),
        ({"compare": {"baseline": 3}}, "compare.baseline must be a string"),
        ({"tools": {"x": 1}}, r"\[tools\] must hold tables"),
        ({"shell": {"commands": {"x": 1}}}, "shell.commands must hold tables"),
    ],
)
def test_what_is_wrong_is_said_with_the_way_out(data: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        settings_from(data)


def test_the_nearest_file_upwards_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert find_file(inner) is None or not str(find_file(inner)).startswith(str(tmp_path))
    (tmp_path / "groundtrace.toml").write_text('[compare]\nbaseline = "far"\n')
    assert load_settings().baseline == "far"
    (tmp_path / "a" / "groundtrace.toml").write_text('[compare]\nbaseline = "near"\n')
    assert load_settings().baseline == "near"
    other = tmp_path / "other.toml"
    other.write_text('[compare]\nbaseline = "named"\n')
    assert load_settings(other).baseline == "named"


@pytest.mark.parametrize("content", [b"[mcp", b"\xff\xfe", b"a = " + b"[" * 5000])
def test_a_file_that_is_not_toml_is_an_input_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "groundtrace.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not valid TOML"):
        load_settings(path)


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_settings(tmp_path / "none.toml")


def test_every_setting_has_a_place_of_its_own_or_none() -> None:
    names = {one.name for one in fields(Settings)}
    assert names - set(PLACES.values()) == {"config_name", "prices", "schema_version"}
    assert len(set(PLACES.values())) == len(PLACES)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("skip", "one", "must be a list of strings"),
        ("shell", "no", "must be one of use, ignore, not 'no'"),
        ("schema_version", "1.9", "must be one of 1.0, 1.1, 1.2"),
        ("mask", 1, "must be true or false"),
        ("trial_seconds", True, "must be a whole number from 0 to 86400"),
        ("trial_seconds", 86_401, "must be a whole number from 0 to 86400"),
        ("config_name", 3, "must be a string"),
        ("readers", [("a", 1)], "must be a list of strings"),
        ("tools", {"x": 1}, "must hold tables"),
    ],
)
def test_settings_in_python_are_checked_as_in_the_file(name: str, value: Any, said: str) -> None:
    with pytest.raises(UsageError, match=f"Settings: {name} {said}"):
        Settings(**{name: value})
