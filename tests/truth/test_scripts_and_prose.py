"""Heredocs of solve.sh, and names in instructions and test scripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.truth.gold import gold_patches, heredocs
from groundtrace.truth.sources import instruction_paths, is_source_path, script_paths

PATCH = "diff --git a/x/y.py b/x/y.py\n--- a/x/y.py\n+++ b/x/y.py\n@@ -1 +1 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    "opener",
    [
        "cat << 'PATCH_EOF' | git apply -v -",
        'git apply <<"PATCH_EOF"',
        "patch -p1 <<PATCH_EOF",
        "cat > /tmp/fix.patch << \\PATCH_EOF",
        "cat <<- PATCH_EOF | patch -p1",
        "cd /app && cat <<'PATCH_EOF' > p.diff && git apply p.diff",
    ],
)
def test_a_patch_in_a_heredoc_is_found_however_it_is_opened(opener: str) -> None:
    script = f"#!/bin/bash\n{opener}\n{PATCH}PATCH_EOF\necho done\n"
    (document,) = heredocs(script)
    assert (document.line, document.body, document.is_closed) == (3, PATCH, True)
    assert [file.path for file in gold_patches(script).files] == ["x/y.py"]


def test_two_heredocs_on_one_line_follow_each_other() -> None:
    script = f"paste <(cat <<A) <(cat <<B)\nfirst\nA\n{PATCH}B\n"
    assert [document.body for document in heredocs(script)] == ["first\n", PATCH]


@pytest.mark.parametrize(
    "line",
    ["echo $((1<<SHIFT))", "# cat << EOF", "cat <<< WORD", "x <<", "a << 4", "std::cout << endl;"],
)
def test_what_opens_no_heredoc_swallows_no_patch(line: str) -> None:
    script = f"{line}\ncat <<'P'\n{PATCH}P\n"
    result = gold_patches(script)
    assert [file.path for file in result.files] == ["x/y.py"]
    assert result.faults == ()


def test_windows_line_ends_close_heredocs_too() -> None:
    script = f"git apply <<'P'\n{PATCH}P\n".replace("\n", "\r\n")
    assert [file.path for file in gold_patches(script).files] == ["x/y.py"]
    assert gold_patches(script).faults == ()


def test_a_file_that_an_earlier_patch_creates_stays_new() -> None:
    """D27: changed by the second patch, it still was not there before."""
    new = "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+a\n"
    script = f"git apply <<A\n{new}A\ngit apply <<B\n{PATCH.replace('x/y.py', 'n.py')}B\n"
    assert [(file.path, file.status) for file in gold_patches(script).files] == [("n.py", "added")]


@given(
    st.lists(
        st.sampled_from(
            ["cat <<A", "A", "\tA", "<<-A <<'B'", "B", "diff --git a/x b/x", "+++ b/x", "# <<C", ""]
        )
        | st.text(max_size=20)
    ).map("\n".join)
)
def test_no_script_or_prose_makes_the_readers_raise(text: str) -> None:
    assert all(file.path for file in gold_patches(text).files)
    for path in (*instruction_paths(text)[0], *script_paths(text)):
        assert path and path in text


@pytest.mark.parametrize(
    "path",
    [
        "src/a.py",
        "/workspace/src/a.py",
        ".github/workflows/ci.yml",
        "app/[id]/page.tsx",
        "a/b-c_d.e.go",
        "x/CMakeLists.txt",
    ],
)
def test_a_source_file_in_prose(path: str) -> None:
    assert is_source_path(path)
    assert instruction_paths(f"Look at `{path}` first.") == ([path], True)
    assert instruction_paths(f"Look at {path}, then go on.") == ([path], False)


@pytest.mark.parametrize(
    "path",
    [
        "main.go",  # could lie anywhere
        "src/",
        "src/*.py",
        "and/or",
        "v1.2/3.4",
        "https://example.org/a/b.py",
        "github.com/org/repo/a.go",
        "path/to/file.py",
        "/tmp/x/a.py",
        "/tests/check.py",
        "/logs/agent/notes.md",
        "/workspace/answer.json",
        "/workspace/analysis/impact.md",
        "analysis/IMPACT_REPORT.md",
        "<dir>/a.py",
        "{dir}/a.py",
        "$HOME/a/b.py",
        "../other/a.py",
    ],
)
def test_no_source_file_in_prose(path: str) -> None:
    assert instruction_paths(f"Look at `{path}` first.") == ([], False)
    assert instruction_paths(f"Look at {path} first.") == ([], False)


@pytest.mark.parametrize(
    "sentence",
    [
        "Write the result to `out/a.py`.",
        "Create `src/new.py` with the class.",
        "Do not touch `src/a.py`.",
        "Answer with paths such as `src/a.py`.",
    ],
)
def test_what_the_agent_shall_produce_or_leave_alone_is_no_evidence(sentence: str) -> None:
    assert instruction_paths(sentence) == ([], False)


def test_brackets_around_a_name_are_not_part_of_it() -> None:
    text = "It starts there (src/a.py) and [goes on](src/b.py)."
    assert instruction_paths(text) == (["src/a.py", "src/b.py"], False)


@pytest.mark.parametrize("piece", ["(", "a+", "a/", "`a/", "go ", "<<A\n", "\tA\n", "grep a/b.py "])
def test_repetition_is_read_in_reasonable_time(piece: str) -> None:
    """No regular expression here may take quadratic time; the suite's timeout is the judge."""
    text = piece * 200_000
    found = (*instruction_paths(text)[0], *script_paths(text))
    assert set(found) <= {"a/b.py"}
    assert gold_patches(text).files == ()


def test_only_the_sentence_with_the_warning_is_left_out() -> None:
    text = "Do not write to the disk. The fault is in `src/a.py`; create a test for it."
    assert instruction_paths(text) == (["src/a.py"], True)
