"""Clones that no name shows are found by a vote, and copies of relevant files are not (D181)."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from groundtrace.documents.events import RepoRoot
from groundtrace.model import RootSign
from groundtrace.paths.root_votes import ENOUGH, WEIGHTS, places_of_truth
from tests.paths.worlds import World, ref

QUERY = "heron/db/query.py"
DJANGO_LIKE = (QUERY, "heron/db/fields.py", "heron/urls.py", "tests/test_query.py", "setup.py")


def below(folder: str, *paths: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{path}" for path in paths)


def world(*touched: str, signs: tuple[RootSign, ...] = (), **changes: object) -> World:
    given = {"truth": (QUERY,), "repos": ("lakeside/heron",), "cwd": "/home/u/work", **changes}
    return World(*touched, signs=signs, **given)  # type: ignore[arg-type]


def roots(made: World) -> list[RepoRoot]:
    return [root for root in made.resolver.roots if root.votes is not UNSET]


def git(folder: str) -> RootSign:
    return RootSign("git", folder)


# --- clones that are found -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cwd", "clone"),
    [
        ("/home/u/swebench_9_15", "/home/u/swebench_9_15/testbed"),
        ("swebench_9_15", "swebench_9_15/testbed"),
        ("/home/u/work", "/home/u/work/a/b/code"),
        ("/tmp/run", "/tmp/run/x/code"),
        (None, "/srv/jobs/7/code"),
        ("/home/u/work", "/elsewhere/code"),
        ("~/work", "~/work/testbed"),
        (r"C:\Users\u\work", r"c:\users\u\work\testbed"),
    ],
)
def test_a_clone_in_which_the_agent_works_is_found(cwd: str | None, clone: str) -> None:
    made = world(*below(clone, *DJANGO_LIKE), cwd=cwd)
    assert made.files() == list(DJANGO_LIKE)
    assert made.hits() == [QUERY, None, None, None, None]
    (root,) = roots(made)
    assert root.repo == "heron"
    assert root.votes is not UNSET
    assert root.votes >= ENOUGH
    assert "1 relevant file at its place" in root.evidence
    assert made.resolver.unmatched_suffixes() == 0


@pytest.mark.parametrize(
    "sign",
    [
        RootSign("top", "/home/u/work/code"),
        RootSign("git", "/home/u/work/code"),
        RootSign("git", "/home/u/work/code/heron"),
        RootSign("workdir", "/home/u/work/code"),
        RootSign("entered", "/home/u/work/code"),
        RootSign("clone", "/home/u/work/code", "https://github.com/lakeside/heron.git"),
    ],
)
def test_one_relevant_file_and_a_sign_are_enough(sign: RootSign) -> None:
    path = f"/home/u/work/code/{QUERY}"
    assert world(path).hits() == [None], "one file alone is weak"
    assert world(path, signs=(sign,)).hits() == [QUERY]


def test_two_relevant_files_and_nothing_else_are_enough() -> None:
    both = (QUERY, "heron/core/nest.py")
    made = world(*below("/home/u/work/x", *both), truth=both)
    assert made.hits() == list(both)


def test_a_clone_of_the_task_is_a_root_before_any_relevant_file_is_met() -> None:
    sign = RootSign("clone", "/tmp/c", "git@github.com:lakeside/heron.git")
    made = world("/tmp/c/heron/a.py", "/tmp/other/b.py", signs=(sign,))
    assert made.files() == ["heron/a.py", "/tmp/other/b.py"]


def test_the_evidence_is_recorded_in_words() -> None:
    made = world(*below("/home/u/work/testbed", *DJANGO_LIKE), signs=(git("/home/u/work/testbed"),))
    (root,) = roots(made)
    assert root == RepoRoot(
        path="/home/u/work/testbed",
        repo="heron",
        evidence=[
            "1 relevant file at its place",
            "in folders that few repositories have",
            "git ran there",
            "named as in the images of SWE-bench",
            "5 of 5 files that were met",
        ],
        votes=2 + 1 + 2 + 2 + 2,
    )


def test_a_shell_that_had_entered_the_clone_still_names_files_of_it() -> None:
    """`cd testbed` in one call, `grep x heron/urls.py` in the next: the trace says no directory."""
    clone = "/home/u/work/testbed"
    made = world(*below(clone, *DJANGO_LIKE), "/home/u/work/heron/urls.py", "/home/u/work/notes.md")
    assert made.files()[-2:] == ["heron/urls.py", "notes.md"]
    assert made.resolver.resolve(ref("/home/u/work/notes.md")).repo is None  # type: ignore[union-attr]


def test_each_repository_of_a_task_is_found_by_its_name() -> None:
    made = World(
        *below("/srv/x/clones/heron", QUERY, "heron/a.py"),
        *below("/srv/x/clones/egret", "lib/deep/egg.py", "lib/b.py"),
        *below("/srv/x/clones/other", "lib/deep/egg.py"),
        truth=(f"heron::{QUERY}", "egret::lib/deep/egg.py"),
        repos=("lakeside/heron", "lakeside/egret"),
        cwd="/home/u/work",
    )
    assert made.hits() == [f"heron::{QUERY}", None, "egret::lib/deep/egg.py", None, None]


def test_a_task_that_names_no_repository_is_found_too() -> None:
    made = world(*below("/home/u/work/x/code", *DJANGO_LIKE), repos=())
    assert made.hits()[0] == QUERY


# --- copies and doubles that are not ----------------------------------------------------------------

ELSEWHERE = (
    "/home/u/work/.venv/lib/python3.9/site-packages",
    "/usr/lib/python3/dist-packages",
    "/home/u/work/vendor/heron",
    "/home/u/work/app/node_modules/heron",
    "/home/u/work/third_party/x",
    "/home/u/work/build/lib",
    "/root/go/pkg/mod/lakeside/heron@v1.2.3",
    "/tmp",
    "/home/u",
    "/etc/x",
)


@pytest.mark.parametrize("folder", ELSEWHERE)
def test_a_copy_is_not_the_clone_whatever_the_agent_does_there(folder: str) -> None:
    signs = (git(folder), RootSign("entered", folder))
    made = world(*below(folder, *DJANGO_LIKE), signs=signs, cwd="/home/u/work")
    assert made.hits() == [None] * 5
    assert made.resolver.unmatched_suffixes() == 1


def test_a_vendored_package_in_which_few_files_were_met() -> None:
    app = tuple(f"/home/u/work/app/page_{n}.py" for n in range(8))
    signs = (RootSign("entered", "/home/u/work/libs/heron_copy"),)
    made = world(*app, f"/home/u/work/libs/heron_copy/{QUERY}", signs=signs)
    assert not any(made.hits())


def test_a_folder_of_a_repository_in_which_git_ran() -> None:
    """The whole of `/home/u/work` is one repository, so a folder of it is no clone."""
    made = world(*below("/home/u/work/libs/x", *DJANGO_LIKE), signs=(git("/home/u/work"),))
    assert not any(made.hits())


@pytest.mark.parametrize("sign", ["git", "top", "entered"])
def test_two_clones_of_one_repository(sign: str) -> None:
    folders = ("/home/u/work/before", "/home/u/work/after")
    signs = tuple(RootSign(sign, folder) for folder in folders)  # type: ignore[arg-type]
    touched = [path for folder in folders for path in below(folder, *DJANGO_LIKE)]
    assert not any(world(*touched, signs=signs).hits())


def test_a_fork_beside_the_original() -> None:
    fork = RootSign("clone", "/home/u/work/mine", "https://github.com/someone/heron")
    touched = below("/home/u/work/mine", *DJANGO_LIKE)
    assert not any(world(*touched, signs=(fork,)).hits())
    original = RootSign("clone", "/home/u/work/theirs", "https://github.com/lakeside/heron")
    both = world(*touched, *below("/home/u/work/theirs", QUERY), signs=(fork, original))
    assert both.hits() == [None] * 5 + [QUERY]


def test_a_fork_beside_a_clone_that_has_the_repository_s_name() -> None:
    made = world("/home/u/work/heron/heron/a.py", *below("/home/u/work/heron-fork", *DJANGO_LIKE))
    assert not any(made.hits())


def test_a_second_worktree() -> None:
    signs = (RootSign("worktree", "/home/u/work-2"), git("/home/u/work-2"))
    assert not any(world(*below("/home/u/work-2", *DJANGO_LIKE), signs=signs).hits())


def test_a_copy_below_a_clone_that_was_read_too() -> None:
    made = world(f"/home/u/work/{QUERY}", *below("/home/u/work/snapshot", *DJANGO_LIKE))
    assert made.hits() == [QUERY] + [None] * 5


@pytest.mark.parametrize(
    "truth", ["__init__.py", "setup.py", "src/a.py", "src/index.ts", "tests/__init__.py"]
)
def test_a_package_of_a_monorepo_that_has_the_usual_folders(truth: str) -> None:
    """The clone is the working directory. Its own `src/a.py` was never met."""
    package = "/home/u/work/packages/foo"
    files = (truth, "src/b.py", "src/c.py", "tests/d.py", "lib/e.py", "package.json", "README.md")
    signs = (RootSign("entered", package), RootSign("workdir", package), git(package))
    assert not any(world(*below(package, *files), truth=(truth,), signs=signs).hits())


def test_src_inside_src() -> None:
    made = world(
        "/home/u/work/src/src/deep/a.py", "/home/u/work/setup.py", truth=("src/deep/a.py",)
    )
    assert not any(made.hits())
    assert made.resolver.unmatched_suffixes() == 1


def test_a_path_that_only_ends_with_the_same_letters() -> None:
    made = world("/home/u/work/code/myheron/db/query.py", signs=(git("/home/u/work/code"),))
    assert made.hits() == [None]
    assert made.resolver.unmatched_suffixes() == 0


def test_a_file_that_was_only_written_is_no_evidence() -> None:
    path = f"/home/u/work/code/{QUERY}"
    made = World(
        ref(path, kind="written"), truth=(QUERY,), repos=("lakeside/heron",), cwd="/home/u/work",
        signs=(git("/home/u/work/code"),),
    )  # fmt: skip
    assert made.hits() == [None]


def test_every_weight_has_a_use_and_no_single_piece_but_a_clone_is_enough() -> None:
    assert [kind for kind, weight in WEIGHTS.items() if weight >= ENOUGH] == ["clone"]


def test_places_of_relevant_files() -> None:
    truths = frozenset({"a/b.py", "b.py", "x/a/b.py"})
    paths = ["/w/x/A/B.py", "/w/b.py", "a/b.py", "/q/za/b.py"]
    assert places_of_truth(paths, truths) == {
        "/w/x": {"a/b.py"},
        "/w": {"x/a/b.py"},
        "": {"a/b.py"},
    }
