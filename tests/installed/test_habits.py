"""Files for maintainers say the same as the code: workflow, templates, hooks, citation."""

from __future__ import annotations

import re
import tomllib

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
