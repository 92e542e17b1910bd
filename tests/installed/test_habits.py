"""Files for maintainers say the same as the code: workflow, templates, hooks, citation."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.installed.conftest import ROOT, VERSIONS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_workflow_runs_the_same_script_on_every_python() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    job = workflow["jobs"]["test"]
    assert {"run": ".ci/run"} in job["steps"]
    assert tuple(job["strategy"]["matrix"]["python"]) == VERSIONS
    for version in VERSIONS:
        assert f"Programming Language :: Python :: {version}" in PROJECT["classifiers"]
    assert (ROOT / ".ci/run").stat().st_mode & 0o111, "can be run"


def test_hooks_call_programs_that_the_makefile_calls() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = [hook for repo in config["repos"] for hook in repo["hooks"]]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("$(BIN)", ".venv/bin")
    for hook in hooks:
        assert " ".join(hook["entry"].split()[:2]) in makefile, hook["id"]
    assert {hook["id"] for hook in hooks} == {"ruff-format", "ruff-check", "mypy", "reference"}


def test_templates_are_forms_that_ask_for_the_version() -> None:
    forms = [p for p in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if p.name != "config.yml"]
    assert len(forms) == 2
    for path in forms:
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert {"name", "description", "body"} <= form.keys()
        assert "version" in {field.get("id") for field in form["body"]}
    text = (ROOT / ".github/PULL_REQUEST_TEMPLATE.md").read_text(encoding="utf-8")
    assert "- [ ] A test says the rule" in text


def test_the_citation_names_the_project_as_it_is() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0" and citation["title"] == PROJECT["name"]
    assert citation["repository-code"] == PROJECT["urls"]["Source"]
    assert citation["license"] == PROJECT["license"]
    assert "version" not in citation, "the version is in one place"


def test_the_checklist_for_a_release_names_targets_that_there_are() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Release")[2]
    assert text
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make (\w+)`", text):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_demo_installs_what_running_needs_and_nothing_else() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    rules = dict(re.findall(r"^([^\s:#]+): (.*(?:\n\t.*)*)", makefile, re.MULTILINE))
    assert rules["demo"].startswith("$(RUNTIME)\n")
    assert "-e .\n" in rules["$(RUNTIME)"] and "[" not in rules["$(RUNTIME)"]
    assert "-e '.[dev]'" in rules["$(READY)"]
    assert rules["check"].startswith("$(READY)\n")


def test_pins_are_what_the_site_says_and_a_moved_tag_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The site is a folder here: git is told to read its address as one."""

    def git(*words: str) -> str:
        command = [
            "git",
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-C",
            str(tmp_path / "o/n"),
            *words,
        ]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    (tmp_path / "o/n").mkdir(parents=True)
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "1")
    git("tag", "-a", "v1", "-m", "an annotated one")
    first = git("rev-parse", "HEAD")
    for number, (key, value) in enumerate([(f"url.{tmp_path}/.insteadOf", "https://github.com/")]):
        monkeypatch.setenv("GIT_CONFIG_COUNT", str(number + 1))
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    workflow = tmp_path / "ci.yml"
    workflow.write_text("    - uses: o/n@v1\n    - uses: o/n/below@v1\n    - run: x@y\n")
    pin = [sys.executable, str(ROOT / "docs/pin_actions.py"), str(workflow)]
    for _ in range(2):
        subprocess.run(pin, check=True)
        pinned = (
            f"    - uses: o/n@{first} # v1\n    - uses: o/n/below@{first} # v1\n    - run: x@y\n"
        )
        assert workflow.read_text() == pinned
    git("commit", "-q", "--allow-empty", "-m", "2")
    git("tag", "-f", "v1")
    ran = subprocess.run(pin, capture_output=True, text=True, check=False)
    assert ran.returncode and "MovedError: o/n: v1 is" in ran.stderr
    assert workflow.read_text() == pinned
