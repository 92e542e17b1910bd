"""The task index: every task under each of its names, with the repositories it names."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from groundtrace.storage import LocalFolder
from groundtrace.truth.tasks import build_index, suite_key
from tests.discover.run_trees import index, put, task


def test_a_task_is_found_by_every_name(tmp_path: Path) -> None:
    """Folder, task.toml name and id, suite and name; without case (D31)."""
    task(tmp_path, "csb_org_x", "ccx-218", '[metadata]\nname = "CCX Two"\n[task]\nid = "inc-7"\n')
    tasks = build_index(LocalFolder(tmp_path))
    for name in (
        "ccx-218",
        "CCX-218",
        "ccx two",
        "INC-7",
        "csb_org_x/ccx-218",
        "ccb_mcp_x/ccx-218",
    ):
        found = tasks.find(name)
        assert found is not None, name
        assert (found.name, found.benchmark) == ("inc-7", "csb_org_x")
    assert tasks.find("ccx-2") is None
    assert tasks.find("csb_sdlc_x/ccx-218") is None
    assert tasks.find("") is None


def test_a_task_is_called_what_its_definition_calls_it(tmp_path: Path) -> None:
    """D60: one spelling, whatever the folder's name is; the folder's name finds it too."""
    task(tmp_path, "s", "ccx-trace-001", '[metadata]\nname = "CCX-trace-001"\n')
    task(
        tmp_path, "s", "folder-2", '[metadata]\nname = "A title of some words"\n[task]\nid = "t-2"'
    )
    task(tmp_path, "s", "folder-3", '[task]\nname = "named-3"\nid = "id-3"')
    task(tmp_path, "s", "folder-4", "[verification]\nx = 1\n")
    tasks = build_index(LocalFolder(tmp_path))
    assert [t.name for t in tasks.tasks] == ["CCX-trace-001", "t-2", "named-3", "folder-4"]
    for name in ("CCX-TRACE-001", "ccx-trace-001"):
        assert (found := tasks.find(name)) is not None
        assert found.name == "CCX-trace-001"
    assert tasks.find("folder-3") == tasks.find("id-3") == tasks.find("named-3")
    assert tasks.tasks[2].aliases == ("folder-3", "id-3")


def test_a_stated_name_that_does_not_tell_tasks_apart_is_none(tmp_path: Path) -> None:
    """D60: a copied definition would make one task of two; their folders tell them apart."""
    task(tmp_path, "s", "a-1", '[task]\nid = "a-1"')
    task(tmp_path, "s", "a-2", '[task]\nid = "a-1"')
    task(tmp_path, "s", "b-1", '[task]\nid = "same"')
    task(tmp_path, "s", "b-2", '[task]\nid = "SAME"')
    task(tmp_path, "other", "b-3", '[task]\nid = "same"')
    names = [t.name for t in build_index(LocalFolder(tmp_path)).tasks]
    assert sorted(names) == ["a-1", "a-2", "b-1", "b-2", "same"]


def test_old_and_new_suite_names_are_one() -> None:
    """`ccb_fix` became `csb_sdlc_fix`, `ccb_mcp_crossorg` became `csb_org_crossorg`."""
    assert suite_key("ccb_fix") == suite_key("csb_sdlc_fix")
    assert suite_key("ccb_mcp_crossorg") == suite_key("CSB_org_crossorg")
    assert suite_key("csb_sdlc_security") != suite_key("csb_org_security")
    assert suite_key("eb_ops") != suite_key("eb_dev")


def test_two_tasks_of_one_name(tmp_path: Path) -> None:
    """A problem, resolved by the suite where it can be and never guessed."""
    tasks = index(tmp_path, "csb_sdlc_fix/a", "csb_org_fix/a", "ccb_fix/a", "csb_x/b", "csb_y/b")
    assert {p.kind for p in tasks.problems} == {"duplicate_task"}
    assert len(tasks.problems) == 2
    assert tasks.find("a") is None
    for suite in ("csb_sdlc_fix", "csb_org_fix", "ccb_fix"):
        found = tasks.find("a", suite)
        assert found is not None
        assert found.benchmark == suite
    found = tasks.find("a", "ccb_mcp_fix")
    assert found is not None
    assert found.benchmark == "csb_org_fix"
    assert tasks.find("b", "csb_z") is None
    assert index(tmp_path / "x", "ccb_fix/a", "csb_sdlc_fix/a").find("a") is not None


def test_repositories_of_a_task(tmp_path: Path) -> None:
    """`[task] repo`, `[[repos]]` with their places, mirrors in the instructions (D16)."""
    folder = task(
        tmp_path,
        "eb_x",
        "t1",
        """
        [task]
        repo = "sg-evals/kubernetes--v1.32.0"
        [[repos]]
        url = "https://github.com/hyperium/hyper.git"
        path = "hyper"
        [[repos]]
        url = "git@github.com:tokio-rs/tokio.git"
        path = "src/tokio"
        """,
    )
    put(
        folder / "instruction.md",
        "See https://github.com/other/project/issues/1 and github.com/o/r.x/y.",
    )
    put(
        folder / "instruction_mcp.md",
        "Search `github.com/sg-evals/druid--druid-26.0.0`, sg-evals/etcd-io-etcd.\n"
        "`repo:^github.com/grafana/grafana$` and github.com/sg-evals/kubernetes--v1.32.0 again.",
    )
    (found,) = build_index(LocalFolder(tmp_path)).tasks
    assert found.repos == (
        "sg-evals/kubernetes--v1.32.0",
        "github.com/hyperium/hyper",
        "github.com/tokio-rs/tokio",
        "github.com/sg-evals/druid--druid-26.0.0",
        "sg-evals/etcd-io-etcd",
        "github.com/grafana/grafana",
    )
    assert found.repo_paths == {
        "hyper": "github.com/hyperium/hyper",
        "src/tokio": "github.com/tokio-rs/tokio",
    }


@pytest.mark.parametrize("value", ['"org/repo"', '""', '"unknown"', '"repo-name"', "5", "[]"])
def test_a_placeholder_is_no_repository(tmp_path: Path, value: str) -> None:
    """As a repository it would make every access a miss."""
    task(tmp_path, "csb_x", "t1", f"[task]\nrepo = {value}\n")
    assert build_index(LocalFolder(tmp_path)).tasks[0].repos == ()


def test_an_instruction_that_cannot_be_read_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D38: repositories that only it names are then unknown, and matching changes with them."""
    task(tmp_path, "csb_x", "t1", "[task]\n")
    put(tmp_path / "csb_x/t1/instruction.md", "Look at github.com/sg-evals/ferry--0a1b2c3d.\n")
    assert build_index(LocalFolder(tmp_path)).tasks[0].repos == (
        "github.com/sg-evals/ferry--0a1b2c3d",
    )
    monkeypatch.setattr("groundtrace.truth.tasks.MAX_TEXT", 10)
    tasks = build_index(LocalFolder(tmp_path))
    assert tasks.tasks[0].repos == ()
    assert [(p.file, p.kind) for p in tasks.problems] == [("csb_x/t1/instruction.md", "unreadable")]


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"[task", "broken_toml"), (b'x = "\xff"', "not_utf8"), (b"[a]\nb = 1\nb = 2", "broken_toml")],
)
def test_a_broken_definition_leaves_the_folder_name(
    tmp_path: Path, content: bytes, kind: str
) -> None:
    """Named with its place; the task is still found."""
    put(tmp_path / "csb_x/t1/task.toml", content)
    put(tmp_path / "csb_x/t2/task.toml", 'task = 3\nrepos = "x"\nmetadata = []\n')
    tasks = build_index(LocalFolder(tmp_path))
    assert [p.kind for p in tasks.problems] == [kind]
    assert tasks.problems[0].file == "csb_x/t1/task.toml"
    assert tasks.find("t1") is not None
    assert tasks.find("t2") is not None


def test_what_is_a_task(tmp_path: Path) -> None:
    """Without task.toml, an instruction or tests make one; tests inside tests do not."""
    put(tmp_path / "csb_x/only-tests/tests/ground_truth.json", {"files": []})
    put(tmp_path / "csb_x/only-tests/tests/tests/ground_truth.json", {"files": []})
    put(tmp_path / "csb_x/told/instruction.md", "Do it.")
    put(tmp_path / "csb_x/README.md", "x")
    put(tmp_path / "tests/test_all.py", "x")
    put(tmp_path / "deep/er/suite/t9/task.toml", "")
    tasks = build_index(LocalFolder(tmp_path))
    assert sorted((t.benchmark, t.name) for t in tasks.tasks) == [
        ("csb_x", "only-tests"),
        ("csb_x", "told"),
        ("suite", "t9"),
    ]


def test_one_suite_or_one_task_given_alone(tmp_path: Path) -> None:
    """TASKS may be any of the three levels."""
    task(tmp_path, "csb_x", "t1")
    (found,) = build_index(LocalFolder(tmp_path / "csb_x")).tasks
    assert (found.benchmark, found.name) == ("csb_x", "t1")
    (found,) = build_index(LocalFolder(tmp_path / "csb_x/t1")).tasks
    assert found.name == "t1"


def test_the_index_travels(tmp_path: Path) -> None:
    """Worker processes get it pickled."""
    tasks = index(tmp_path, "csb_x/t1")
    again = pickle.loads(pickle.dumps(tasks))
    assert len(again) == 1
    assert again.find("T1").folder.has_file("task.toml")


def test_links_out_of_the_tasks_are_not_followed(tmp_path: Path) -> None:
    """Reported, not read."""
    task(tmp_path / "out", "csb_x", "t1")
    task(tmp_path / "in", "csb_y", "t2")
    (tmp_path / "in/csb_x").symlink_to(tmp_path / "out/csb_x")
    tasks = build_index(LocalFolder(tmp_path / "in"))
    assert [t.name for t in tasks.tasks] == ["t2"]
    assert [p.kind for p in tasks.problems] == ["link_not_followed"]


@pytest.mark.parametrize(
    "name",
    [
        "django_django-11099",
        "django-django-11099",
        "Django__Django-11099",
        "django_1776_django-11099",
    ],
)
def test_a_name_whose_signs_differ_is_found_if_one_task_has_its_words(
    tmp_path: Path, name: str
) -> None:
    task(tmp_path, "suite", "django__django-11099")
    task(tmp_path, "suite", "django__django-1")
    tasks = build_index(LocalFolder(tmp_path))
    found = tasks.find(name)
    assert found is not None and found.name == "django__django-11099"
    assert tasks.find("django-django-1109") is None and tasks.find("django11099") is None
    task(tmp_path, "suite", "django-django_11099")  # now two tasks have these words
    tasks = build_index(LocalFolder(tmp_path))
    assert tasks.find("django_django_11099") is None
