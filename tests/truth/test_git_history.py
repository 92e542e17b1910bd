"""Tasks from a repository's history, with real git, also in hostile repositories (D97)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from groundtrace.base.safe_names import TASK_SCHEMES
from groundtrace.cli.main import invoke
from groundtrace.errors import InputError, UsageError
from groundtrace.model import GroundTruth, Task
from groundtrace.truth import git_history
from groundtrace.truth.definitions import SCHEMES, load_tasks
from groundtrace.truth.git_history import GitError, parse_location
from groundtrace.truth.gold import truth_of_row

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

Git = Callable[..., str]


def _git(repo: Path) -> Git:
    """git in a repository, with no setting of the machine's."""

    def run(*arguments: str) -> str:
        env = {
            **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@example.org",
        }
        done = subprocess.run(
            ["git", "-C", str(repo), *arguments], env=env, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    return run


def _write(repo: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Three commits: files; a change, a new file, a rename; another change."""
    repo = tmp_path / "shop"
    repo.mkdir()
    git = _git(repo)
    git("init", "--quiet", "--initial-branch=main")
    body = "".join(f"line {n}\n" for n in range(1, 21))
    _write(repo, {"src/cart.py": body, "src/old.py": body.upper(), "README.md": "shop\n"})
    git("add", "--all")
    git("commit", "--quiet", "--message=one")
    _write(repo, {"src/cart.py": body.replace("line 5\n", "line five\n"), "src/tax.py": "x = 1\n"})
    git("mv", "src/old.py", "src/name.py")
    git("add", "--all")
    git("commit", "--quiet", "--message=two")
    _write(repo, {"README.md": "a shop\n"})
    git("commit", "--quiet", "--all", "--message=three")
    return repo


def task_of(location: str) -> Task:
    index = load_tasks([location])
    assert index is not None
    (task,) = index.tasks
    return task


def truth_of(location: str) -> GroundTruth:
    row = task_of(location).row
    assert row is not None
    truth, _ = truth_of_row(row)
    return truth


def test_a_commit_against_its_first_parent(repo: Path) -> None:
    """New files are edit targets only; a rename's source is evidence and target, its new name a
    target only."""
    truth = truth_of(f"git:{repo}@HEAD~1")
    assert [file.path for file in truth.files] == ["src/cart.py", "src/old.py"]
    assert {file.path for file in truth.expected_edit_files} == {
        "src/cart.py",
        "src/old.py",
        "src/name.py",
        "src/tax.py",
    }
    assert [(c.file, c.line_start, c.line_end) for c in truth.edit_chunks] == [
        ("src/cart.py", 5, 5)
    ]
    assert truth.confidence == "high"


def test_a_range_is_one_change(repo: Path) -> None:
    """What one commit does and the next undoes is in no patch of both."""
    git = _git(repo)
    _write(repo, {"README.md": "shop\n"})
    git("commit", "--quiet", "--all", "--message=four")
    both = {file.path for file in truth_of(f"git:{repo}@HEAD~3..HEAD").files}
    assert both == {"src/cart.py", "src/old.py"}
    assert {file.path for file in truth_of(f"git:{repo}@HEAD~1..HEAD").files} == {"README.md"}


def test_the_first_commit_of_all_only_adds_files(repo: Path) -> None:
    truth = truth_of(f"git:{repo}@HEAD~2")
    assert not truth.files
    assert {f.path for f in truth.expected_edit_files} == {"src/cart.py", "src/old.py", "README.md"}


def test_a_merge_is_taken_against_its_first_parent(repo: Path) -> None:
    git = _git(repo)
    git("checkout", "--quiet", "-b", "side", "HEAD~1")
    _write(repo, {"src/tax.py": "x = 2\n"})
    git("commit", "--quiet", "--all", "--message=side")
    git("checkout", "--quiet", "main")
    git("merge", "--quiet", "--no-ff", "--message=merged", "side")
    assert [file.path for file in truth_of(f"git:{repo}@HEAD").files] == ["src/tax.py"]


def test_the_name_is_repository_and_commit(repo: Path) -> None:
    sha = _git(repo)("rev-parse", "HEAD~1")
    task = task_of(f"git:{repo}@HEAD~1")
    assert task.name == f"shop@{sha}"
    assert task.repos == ("shop",)
    assert task.row is not None
    assert task.row.base_commit == _git(repo)("rev-parse", "HEAD~2")
    index = load_tasks([f"git:{repo}@HEAD~1"])
    assert index is not None
    assert index.find(f"shop@{sha[:7]}") is not None
    assert str(repo) not in (task.row.file, task.row.patch)


def test_a_folder_inside_and_a_bare_clone_name_the_same_repository(
    repo: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "away" / "shop.git"
    _git(repo)("clone", "--quiet", "--bare", str(repo), str(bare))
    inside = truth_of(f"git:{repo / 'src'}@HEAD~1")
    assert inside == truth_of(f"git:{repo}@HEAD~1") == truth_of(f"git:{bare}@HEAD~1")
    assert task_of(f"git:{bare}@HEAD").name == task_of(f"git:{repo}@HEAD").name


@pytest.mark.parametrize(
    ("location", "repo", "old", "new"),
    [
        ("shop@HEAD", "shop", None, "HEAD"),
        ("/a@b/shop@v1.0..main", "/a@b/shop", "v1.0", "main"),
        ("shop@HEAD@{1}", "shop", None, "HEAD@{1}"),
        ("shop@main~2^2", "shop", None, "main~2^2"),
    ],
)
def test_where_a_location_is_divided(location: str, repo: str, old: str | None, new: str) -> None:
    assert parse_location(location) == (repo, old, new)


@pytest.mark.parametrize(
    "location",
    ["shop", "shop@", "@HEAD", "shop@--output=x", "shop@-p", "shop@main..--all", "shop@a...b",
     "shop@..b", "shop@a..", "shop@ HEAD"],
)  # fmt: skip
def test_what_is_no_revision_is_refused(location: str) -> None:
    with pytest.raises(UsageError, match="git:REPO@REVISION"):
        parse_location(location)


def test_errors_name_what_is_missing(repo: Path, tmp_path: Path) -> None:
    with pytest.raises(GitError, match="'nowhere' is not a commit there"):
        load_tasks([f"git:{repo}@nowhere"])
    with pytest.raises(GitError, match="is not a commit there"):
        load_tasks([f"git:{repo}@HEAD:README.md"])
    with pytest.raises(InputError, match="not a git repository"):
        load_tasks([f"git:{tmp_path}@HEAD"])
    with pytest.raises(InputError, match="No such file"):
        load_tasks([f"git:{tmp_path / 'none'}@HEAD"])


def test_the_schemes_that_are_promised_are_read() -> None:
    assert set(TASK_SCHEMES) == set(SCHEMES)


# --- nothing of the repository's runs --------------------------------------------------------


@pytest.fixture
def trap(tmp_path: Path) -> tuple[Path, Path]:
    """A program that leaves a mark when it runs, and the mark."""
    mark = tmp_path / "it-ran"
    program = tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\necho ran >> '{mark}'\n")
    program.chmod(0o755)
    return program, mark


def test_no_program_of_the_repository_runs(repo: Path, trap: tuple[Path, Path]) -> None:
    program, mark = trap
    git = _git(repo)
    _write(repo, {".gitattributes": "*.py diff=evil filter=evil\n*.md diff=evil\n"})
    git("add", "--all")
    git("commit", "--quiet", "--message=attributes")
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "core.askPass",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "gpg.program",
        "pager.diff-tree",
        "pager.rev-parse",
    ):
        git("config", key, str(program))
    git("config", "alias.diff-tree", f"!{program}")
    git("config", "alias.rev-parse", f"!{program}")
    git("config", "log.showSignature", "true")
    git("config", "core.hooksPath", str(repo / "hooks"))
    for hook in (
        "post-index-change",
        "reference-transaction",
        "post-checkout",
        "fsmonitor-watchman",
    ):
        shutil.copy(program, repo / ".git" / "hooks" / hook)
        (repo / "hooks").mkdir(exist_ok=True)
        shutil.copy(program, repo / "hooks" / hook)
    truth = truth_of(f"git:{repo}@HEAD~2")
    assert {file.path for file in truth.files} == {"src/cart.py", "src/old.py"}
    assert [(c.line_start, c.line_end) for c in truth.edit_chunks] == [(5, 5)]
    assert not mark.exists()


def _lack_an_object(repo: Path, program: Path, remote: str) -> None:
    git = _git(repo)
    blob = git("rev-parse", "HEAD~1:README.md")
    git("config", "core.repositoryFormatVersion", "1")
    git("config", "extensions.partialClone", "origin")
    git("config", "remote.origin.promisor", "true")
    git("config", "remote.origin.url", remote.format(trap=program))
    git("config", "remote.origin.uploadpack", str(program))
    git("config", "core.sshCommand", str(program))
    git("config", "protocol.allow", "always")
    git("config", "protocol.ext.allow", "always")
    (repo / ".git" / "objects" / blob[:2] / blob[2:]).unlink()


@pytest.mark.parametrize("remote", ["ext::{trap} %S", "{trap}", "ssh://host/x", "evil::x"])
def test_a_missing_object_is_not_fetched(repo: Path, trap: tuple[Path, Path], remote: str) -> None:
    """A partial clone fetches what it lacks, by programs that its configuration names."""
    program, mark = trap
    _lack_an_object(repo, program, remote)
    with pytest.raises(GitError):
        load_tasks([f"git:{repo}@HEAD"])
    assert not mark.exists()


def test_the_trap_of_these_tests_works(repo: Path, trap: tuple[Path, Path]) -> None:
    """Without the precautions the same repositories run their programs."""
    program, mark = trap
    git = _git(repo)
    git("config", "diff.external", str(program))
    git("diff", "HEAD~1", "HEAD")
    assert mark.exists()
    mark.unlink()
    _lack_an_object(repo, program, "{trap}")
    with pytest.raises(subprocess.CalledProcessError):
        git("diff", "--no-ext-diff", "HEAD~1", "HEAD")
    assert mark.exists()


def test_variables_of_the_caller_name_no_other_repository(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: tuple[Path, Path]
) -> None:
    """Inside a hook GIT_DIR is set, and with it every git command speaks of that repository."""
    program, mark = trap
    other = tmp_path / "other"
    other.mkdir()
    _git(other)("init", "--quiet")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    monkeypatch.setenv("GIT_PAGER", str(program))
    assert truth_of(f"git:{repo}@HEAD~1").files
    assert not mark.exists()


def test_git_that_does_not_end_is_ended(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    slow = folder / "git"
    slow.write_text("#!/bin/sh\nexec sleep 30\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    with pytest.raises(GitError, match=r"took more than 0\.2 seconds"):
        git_history.run_git(str(repo), ["rev-parse", "HEAD"], time_limit=0.2)


def test_a_change_of_any_size_is_not_read_whole(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_history, "MAX_OUTPUT", 100)
    with pytest.raises(GitError, match="more than 100 bytes"):
        load_tasks([f"git:{repo}@HEAD~1"])


def test_without_git_the_error_says_so(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repo))
    with pytest.raises(GitError, match="git is not installed"):
        load_tasks([f"git:{repo}@HEAD"])


# --- a session against the commit that came out of it ------------------------------------------


def _session(repo: Path, *commands: str) -> str:
    """A trajectory of mini-swe-agent that names no task."""
    messages = [{"role": "system", "content": "You are an agent."}]
    for command in commands:
        messages.append({"role": "assistant", "content": f"THOUGHT: go\n\n```bash\n{command}\n```"})
        messages.append(
            {"role": "user", "content": "<returncode>0</returncode>\n<output>\nx\n</output>"}
        )
    info = {"config": {"environment": {"cwd": str(repo)}}, "mini_version": "1.15.0"}
    return json.dumps({"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1"})


def test_a_session_is_evaluated_against_the_commit_that_came_out_of_it(
    repo: Path, tmp_path: Path
) -> None:
    """The only task from a history takes trials that name none."""
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    (sessions / "tuesday.traj.json").write_text(
        _session(repo, "cat src/cart.py", "sed -i 's/line 5/line five/' src/cart.py")
    )
    sha = _git(repo)("rev-parse", "HEAD~1")
    arguments = ["run", str(sessions), "--tasks", f"git:{repo}@HEAD~1", "--quiet", "--no-progress"]
    assert invoke(arguments) == 0
    (path,) = (sessions / "retrieval_events").rglob("*.retrieval_metrics.json")
    made = json.loads(path.read_text())
    assert made["provenance"]["task_name"] == f"shop@{sha}"
    assert made["provenance"]["benchmark"] == "loose"
    assert made["funnel"]["files"] == {"src/cart.py": "edited", "src/old.py": "never_met"}
    assert made["patch_metrics"]["source"] == "writes"
    assert made["patch_metrics"]["recall"] == 0.25


def test_two_commits_claim_no_nameless_trial(repo: Path) -> None:
    """Which of them a session belongs to is not known, so it is not guessed."""
    index = load_tasks([f"git:{repo}@HEAD", f"git:{repo}@HEAD~1"])
    assert index is not None
    assert len(index) == 2
    assert index.for_nameless is None
    one = load_tasks([f"git:{repo}@HEAD"])
    assert one is not None
    assert one.for_nameless == one.tasks[0]
