"""Names from a trace or a folder that would lead elsewhere, clash, or break a page.

Each time: the trial is evaluated under its own name, its files lie inside the output folder, and
nothing else on the disk changes (D37).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundtrace.base.safe_names import run_id_of, safe_name
from groundtrace.runs import inputs
from groundtrace.storage import LocalFolder
from tests.adversarial.worlds import (
    Call,
    World,
    assert_good_trial_was_evaluated,
    assert_said,
    put,
    stream,
)

NAMES = {
    "climbs out": "../../etc/x",
    "climbs out and back": "../out/run_one/../../../x",
    "absolute": "/etc/cron.d/x",
    "of windows": "C:\\Windows\\x",
    "dots only": "..",
    "dot": ".",
    "300 characters": "n" * 300,
    "4000 characters": "n/" * 2000,
    "NUL": "a\0b",
    "newline": "a\nb",
    "control characters": "a\x1b[2Jb\x07\r",
    "markup": "<script>alert(1)</script>",
    "table": "a|b`c`[d](e)",
    "line separator": "a\u2028b",
    "right to left": "a\u202eb",
    "leading dash": "-rf",
    "hidden": ".state.json",
    "like the lock": ".lock",
    "reserved": "CON",
    "like a document": "x.retrieval_events.json",
    "glob": "*",
    "blank at the end": "a. ",
    "home": "~root",
    "variable": "$HOME",
}


def assert_evaluated_inside(world: World, groundtrace: Call) -> None:
    """The command does its work and touches nothing but its output."""
    before = world.outside()
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert_said(ran)
    assert world.outside() == before
    assert_good_trial_was_evaluated(world)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_task_name_stays_inside_the_output_folder(
    name: str, world: World, groundtrace: Call
) -> None:
    """A task name is a label of the records: a file name is made of it, never a path."""
    world.trial(name)
    assert_evaluated_inside(world, groundtrace)
    documents = world.documents()
    assert f"baseline {name.strip()}" in documents
    assert len(documents) == 2
    for path in world.results.rglob("*"):
        assert len(path.name.encode()) <= 255
        assert not any(ord(char) < 32 for char in path.name)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_configuration_name_stays_inside_the_output_folder(
    name: str, world: World, groundtrace: Call
) -> None:
    """A configuration's name becomes a folder; `..` would be the run's own."""
    world.trial("good-1", config=name)
    assert_evaluated_inside(world, groundtrace)
    assert f"{name.strip()} good-1" in world.documents()


def test_a_lone_surrogate_in_a_name_is_replaced(world: World, groundtrace: Call) -> None:
    """JSON can spell half a character; UTF-8 cannot, so it is shown as the replacement mark."""
    world.trial("half-\ud800-name")
    assert world.evaluate(groundtrace).code == 0
    assert "baseline half-\ufffd\ufffd\ufffd-name" in world.documents()


def test_task_names_that_differ_in_case_are_one_task_and_neither_trial_is_lost(
    world: World, groundtrace: Call
) -> None:
    """Real records spell one task `CCX-domain-137` and `ccx-domain-137`, so case never counts
    (D31): two attempts at one task, and both count."""
    world.trial("unheard-of")
    world.trial("Unheard-OF")
    assert world.evaluate(groundtrace).code == 0
    assert world.summary()["trials_by_config"]["baseline"]["repeated"] == 1
    assert world.summary()["superseded"] == []
    assert {"baseline unheard-of", "baseline Unheard-OF"} <= world.documents().keys()
    names = [path.name.casefold() for path in world.results.glob("*/*.retrieval_events.json")]
    assert len(names) == len(set(names)) == 3


def test_configurations_that_differ_in_case_are_one_and_neither_trial_is_lost(
    world: World, groundtrace: Call
) -> None:
    """Folders are renamed by hand, so `Baseline` is `baseline`; both trials are accounted for."""
    world.trial("good-1", config="Baseline")
    assert world.evaluate(groundtrace).code == 0
    assert world.summary()["superseded"] == []
    assert {"baseline good-1", "Baseline good-1"} <= world.documents().keys()
    folders = [path.name.casefold() for path in world.results.iterdir() if path.is_dir()]
    assert len(folders) == len(set(folders)) == 2


def test_a_name_made_to_equal_the_safe_spelling_of_another_does_not_take_its_file(
    world: World, groundtrace: Call
) -> None:
    """`safe_name` is public: an attacker can compute what `../x` becomes and use it as a name."""
    world.trial("../x")
    world.trial(safe_name("../x"))
    assert world.evaluate(groundtrace).code == 0
    assert {"baseline ../x", f"baseline {safe_name('../x')}"} <= world.documents().keys()


def test_a_run_folder_with_a_newline_in_its_name(world: World, groundtrace: Call) -> None:
    odd = world.run.rename(world.runs / "run\none<b>")
    ran = groundtrace("run", odd, "--tasks", world.tasks, "--out", world.out, "--format", "md")
    assert ran.code == 0, ran.err
    assert "\none" not in ran.err
    (folder,) = (path for path in world.out.iterdir() if path.is_dir())
    assert "\n" not in folder.name
    assert len(list(folder.glob("retrieval_events/*/*.retrieval_metrics.json"))) == 1


def test_a_run_folder_whose_name_is_not_utf8(world: World, groundtrace: Call) -> None:
    """Names on a disk are bytes; those that are no text are shown with a replacement mark."""
    odd = world.runs / b"run\xff".decode("utf-8", "surrogateescape")
    world.run.rename(odd)
    (world.runs / "other/baseline").mkdir(parents=True)
    ran = groundtrace(
        "run", world.runs, "--tasks", world.tasks, "--out", world.out, "--format", "md"
    )
    assert ran.code == 0, ran.err
    assert len(list(world.out.glob("*/retrieval_events/*/*.retrieval_metrics.json"))) == 1


def test_what_a_run_was_given_need_not_be_utf8(
    tmp_path: Path, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results were there, and then the tasks could not be remembered: an internal error."""
    put(tmp_path / "runs/fix-1.jsonl", stream("/workspace/src/a.py"))
    truth = '{"instance_id": "fix-1", "patch": "--- a/src/a.py\\n+++ b/src/a.py\\n@@ -1 +1 @@\\n-x\\n+y\\n"}'
    tasks = put(tmp_path / os.fsdecode(b"caf\xe9.jsonl"), truth)
    flags = ("--tasks", tasks, "--config-name", os.fsdecode(b"\xff"), "--jobs", 1, "--format", "md")
    ran = groundtrace("run", tmp_path / "runs", *flags, "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    explained = groundtrace("explain", tmp_path / "runs/fix-1.jsonl", "--tasks", tasks)
    assert "src/a.py" in explained.out
    kept = next((tmp_path / "out").rglob(".inputs.json")).parent
    again = inputs._stored(LocalFolder(kept))
    assert again["tasks"] == (str(tasks),)
    query = f"SELECT '{os.fsdecode(bytes([255]))}'"
    ran = groundtrace("sql", tmp_path / "runs", query, "--out", tmp_path / "out")
    assert ran.code == 2 and "not UTF-8" in ran.err


def test_what_a_terminal_would_obey_is_shown_escaped(world: World, groundtrace: Call) -> None:
    """`--dry-run` prints names as they stand in the records: none may move the cursor."""
    world.trial("a\x1b[2J\x1b]0;x\x07b\u202e", config="c\rd")
    ran = world.evaluate(groundtrace, "--dry-run")
    assert ran.code == 0
    for text in (ran.out, ran.err):
        assert not any(ord(char) < 32 and char not in "\n\t" for char in text)
        assert "\u202e" not in text


MARKUP = "`a`|b\n\n<script>alert(1)</script><img src=x onerror=alert(2)>[c](javascript:d)"


def test_markup_in_names_is_text_in_the_reports(world: World, groundtrace: Call) -> None:
    """A page that people open from a shared folder must not run what a trace says; nor may the
    page that a forge makes of the Markdown."""
    from markdown_it import MarkdownIt

    world.trial(MARKUP, config=f"mcp{MARKUP}")
    ran = world.evaluate(groundtrace, "--format", "md,html")
    if "needs an extra" in ran.err:
        pytest.skip("the extra 'report' is not installed")
    assert ran.code == 0, ran.err
    page = (world.results / "retrieval_report.html").read_text(encoding="utf-8")
    text = (world.results / "retrieval_report.md").read_text(encoding="utf-8")
    for html in (page, MarkdownIt("commonmark").enable("table").render(text)):
        assert "<script>alert(1)" not in html
        assert "<img src=x" not in html
        assert 'href="javascript:' not in html


def test_runs_never_share_an_id() -> None:
    """`y/r` beside `x/r` and a run named `y__r` had one id and locked each other out."""
    taken: set[str] = set()
    ids = [run_id_of(path, taken) for path in ("x/r", "y__r", "y/r", "y/R")]
    assert len({run_id.casefold() for run_id in ids}) == 4
    assert ids[:2] == ["r", "y__r"]
