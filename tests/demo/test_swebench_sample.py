"""The second sample: the same every time, and true: bash and git give the same outputs."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from groundtrace.demo.swebench import REPOS, code_base, write_swebench
from tests.conftest import Ran

Call = Callable[..., Ran]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("swebench")
    write_swebench(folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def trajectories(sample: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(sample.rglob("*.traj.json")):
        yield str(path.relative_to(sample)), json.loads(path.read_text())


def test_the_sample_is_the_same_bytes_every_time_and_small(sample: Path, tmp_path: Path) -> None:
    write_swebench(tmp_path)
    assert contents(sample) == contents(tmp_path)
    assert sum(map(len, contents(tmp_path).values())) < 500_000
    assert len(list(trajectories(sample))) == 20


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_bash_prints_what_the_trajectories_say_and_git_makes_their_patches(
    sample: Path, tmp_path: Path
) -> None:
    """The generator answers commands itself; here they are run."""
    for number, (name, made) in enumerate(trajectories(sample)):
        repo = tmp_path / str(number)
        for file, text in code_base().items():
            (repo / file).parent.mkdir(parents=True, exist_ok=True)
            (repo / file).write_text(text)
        _run("git init --quiet && git add --all", repo)
        messages = made["messages"][2:]
        for asked, answer in zip(messages[::2], messages[1::2], strict=True):
            command = asked["content"].partition("```bash\n")[2].removesuffix("\n```")
            printed = answer["content"]
            if "COMPLETE_TASK" in command:
                assert printed == made["info"]["submission"]
                continue
            output = printed.partition("<output>\n")[2].removesuffix("\n</output>")
            said = _run(command, repo)
            if command.startswith("grep"):
                assert sorted(said.splitlines()) == sorted(output.splitlines()), name
            else:
                assert said.rstrip("\n") == output, (name, command)
        if made["info"]["exit_status"] == "Submitted":
            patch = made["info"]["submission"]
            _run("git add --all --intent-to-add", repo)
            changed = _run("git diff --name-only", repo).splitlines()
            assert changed == [
                line.rpartition(" b/")[2] for line in patch.splitlines() if line[:6] == "diff -"
            ]
            (repo / "of-the-trace.patch").write_text(patch)
            _run("git apply --reverse --check of-the-trace.patch", repo)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_takes_the_repository_for_its_own(sample: Path) -> None:
    repo = sample / REPOS / "lantern__lantern.git"
    assert _run("git fsck --strict --no-dangling", repo) == ""
    files = code_base()
    assert sorted(_run("git ls-tree -r --name-only HEAD", repo).splitlines()) == sorted(files)
    assert all(_run(f"git show HEAD:{name}", repo) == text for name, text in files.items())
    rows = [json.loads(line) for line in (sample / "tasks.jsonl").read_text().splitlines()]
    assert {row["base_commit"] for row in rows} == {_run("git rev-parse HEAD", repo).strip()}


def _run(command: str, repo: Path) -> str:
    done = subprocess.run(
        ["bash", "-c", command], cwd=repo, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_gold_and_test_patches_apply(sample: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (sample / "tasks.jsonl").read_text().splitlines()]
    assert len(rows) == 10
    for file, text in code_base().items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    _run("git init --quiet", tmp_path)
    for row in rows:
        for key in ("patch", "test_patch"):
            (tmp_path / "one.patch").write_text(row[key])
            _run("git apply --check one.patch", tmp_path)


def test_the_demo_tells_its_story(groundtrace: Call, tmp_path: Path) -> None:
    """Worked by hand from the story: what the models saw, edited and resolved."""
    ran = groundtrace("demo", "--swebench", "--out", tmp_path)
    assert ran.code == 0, ran.err
    assert "0.40 → 0.80" in " ".join(ran.out.split()), "4 and 8 of 10 tasks are resolved"
    results = tmp_path / "trajs/retrieval_events"
    summary = json.loads((results / "run_retrieval_summary.json").read_text())
    assert set(summary["by_config"]) == {"tern-small-1", "tern-large-1"}
    small = summary["by_config"]["tern-small-1"]["more_metrics"]
    # 4 whole patches, halves of 131 and 140, a third of 152, nothing of 112, 118 and 160.
    assert small["patch_recall"]["mean"] == pytest.approx((4 + 1 / 2 + 1 / 2 + 1 / 3) / 10)
    assert small["correct_location"]["mean"] == pytest.approx(0.4)
    assert small["patch_precision"]["n"] == 9, "an empty patch has no precision"
    assert small["polybench_file_precision"]["n"] == 10, "there it counts as 0"
    verdicts = summary["by_config_and_verdict"]["tern-small-1"]
    assert {name: group["trials"] for name, group in verdicts.items()} == {
        "resolved": 4,
        "not_resolved": 6,
    }
    assert verdicts["resolved"]["metrics"]["funnel_edited"]["mean"] == 1.0
    assert verdicts["not_resolved"]["metrics"]["funnel_never_met"]["mean"] == pytest.approx(
        (1 + 1 / 2) / 6
    )
    large = json.loads(
        (results / "tern-large-1/lantern__lantern-171.retrieval_metrics.json").read_text()
    )
    assert large["patch_metrics"]["edited_unseen_files"] == ["lantern/fog.py"]
    small = json.loads(
        (results / "tern-small-1/lantern__lantern-160.retrieval_metrics.json").read_text()
    )
    assert small["patch_metrics"]["source"] == "predictions"


def test_page_and_short_report_show_the_funnel(groundtrace: Call, tmp_path: Path) -> None:
    assert groundtrace("demo", "--swebench", "--out", tmp_path).code == 0
    results = tmp_path / "trajs/retrieval_events"
    short = (results / "retrieval_report.md").read_text()
    row = next(line for line in short.splitlines() if line.startswith("| `tern-small-1` | not"))
    assert [cell.strip() for cell in row.split("|")[3:8]] == [
        *("6", "0.250", "0.361", "0.167", "0.222")
    ]
    assert "### Differences on tasks that both ran: `tern-large-1` minus `tern-small-1`" in short
    # The larger model edits more in 112, 118, 131, 140, 152 and 160, and less in 171.
    edited = next(line for line in short.splitlines() if line.startswith("| edited "))
    assert [cell.strip() for cell in edited.split("|")[2:4]] == ["0.5333", "0.8667"]
    assert edited.split("|")[7].strip() == "6/3/1"
    never = next(line for line in short.splitlines() if line.startswith("| never met "))
    assert never.split("|")[7].strip() == "0/8/2", "never met: of two tasks less"
    page = (results / "retrieval_report.html").read_text()
    assert 'id="chart-funnel"' in page
    assert "tern-small-1, not solved, never met: 25 % (6 tasks)" in page
    assert "contextbench_file_coverage" in page, "published numbers are on the page"


def test_the_table_of_the_funnel(groundtrace: Call, tmp_path: Path) -> None:
    assert groundtrace("demo", "--swebench", "--out", tmp_path).code == 0
    query = "SELECT verdict, stage, count(*) AS files FROM funnel GROUP BY ALL ORDER BY ALL"
    ran = groundtrace("sql", tmp_path / "trajs", query, "--json")
    assert ran.code == 0, ran.err
    rows = json.loads(ran.out)
    counted = {(row["verdict"], row["stage"]): row["files"] for row in rows}
    assert sum(counted.values()) == 2 * 14, "14 gold files, two models"
    assert counted["resolved", "edited"] == 4 + 10
