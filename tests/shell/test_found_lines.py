"""Lines that searches print: whose they are, whichever search stands beside them (D4, D6)."""

from __future__ import annotations

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from tests.shell.views import seen, seen_in_repo, shell_refs


def test_each_file_has_its_own_characters_and_runs() -> None:
    result = ToolResult(text="a.py:1:x\na.py:2:x\nb/c.py:7:xyz\na.py:9:x\n")
    view = shell_refs("grep -rn x a.py b", result, "/w", Settings())
    assert [(ref.path, ref.shown_chars, ref.ranges) for ref in view.refs] == [
        ("/w/a.py", 27, ((1, 2), (9, 9))),
        ("/w/b/c.py", 13, None),
    ]


def test_lines_that_awk_chose_by_their_text_are_the_lines_that_it_numbers() -> None:
    """Of lines 3 and 900 it printed two, not all 898 between."""
    command = """awk '/lock/ { print NR": "$0 }' a.py"""
    (ref,) = shell_refs(
        command, ToolResult("3: lock\n900: lock\n901: unlock\n"), "/w", Settings()
    ).refs
    assert (ref.kind, ref.line_start, ref.line_end) == ("read", 3, 901)
    assert ref.ranges == ((3, 3), (900, 901))
    (run,) = shell_refs(command, ToolResult("3: lock\n4: unlock\n"), "/w", Settings()).refs
    assert (run.line_start, run.line_end, run.ranges) == (3, 4, None)


@pytest.mark.parametrize("program", ["grep", "rg"])
@pytest.mark.parametrize("joint", ["; ", " && ", "\n"])
def test_a_numbered_line_belongs_to_the_search_whose_pattern_it_holds(
    program: str, joint: str
) -> None:
    command = joint.join(f"{program} -n {word} {word}.py" for word in ("heron", "nest", "egg"))
    assert seen_in_repo(command, "3:heron = 1\n7:nest = 2\n9:egg = 3\n") == [
        ("matched", "repo/heron.py", 3, 3),
        ("matched", "repo/nest.py", 7, 7),
        ("matched", "repo/egg.py", 9, 9),
    ]


def test_a_search_that_found_nothing_gets_no_lines_of_the_next() -> None:
    assert seen_in_repo("grep -n heron a.py; grep -n nest b.py", "7:nest = 2\n") == [
        ("matched", "repo/b.py", 7, 7)
    ]
    assert seen_in_repo("grep -n -C1 heron a.py; grep -n nest b.py", "7:nest = 2\n") == [
        ("matched", "repo/b.py", 7, 7)
    ]


def test_lines_that_are_left_over_by_an_inverted_search_lack_its_pattern() -> None:
    assert seen_in_repo("grep -vn heron a.py; grep -n heron b.py", "1:nest\n2:heron\n") == [
        ("matched", "repo/a.py", 1, 1),
        ("matched", "repo/b.py", 2, 2),
    ]


@pytest.mark.parametrize("program", ["rg -n heron", "rg heron -n", "ag heron", "grep -rn heron"])
@pytest.mark.parametrize(
    ("folder", "printed"), [(".", "./"), ("./", "./"), ("..", "../repo/"), ("../", "../repo/")]
)
def test_a_search_of_a_folder_that_is_named_by_dots_names_its_files(
    program: str, folder: str, printed: str
) -> None:
    output = f"{printed}src/nest.tsx:20:  <heron\n{printed}src/(in)/egg.tsx:14:  <heron\n"
    assert seen_in_repo(f"{program} {folder}", output) == [
        ("matched", "repo/src/nest.tsx", 20, 20),
        ("matched", "repo/src/(in)/egg.tsx", 14, 14),
    ]


@pytest.mark.parametrize("folder", ["CMS", "my.pkg", "k8s.io"])
def test_rg_in_a_folder_whose_name_looks_like_a_files_names_its_files(folder: str) -> None:
    assert seen_in_repo(
        f"rg -n heron {folder}", f"{folder}/a.py:3:heron\n{folder}/b.py:4:heron\n"
    ) == [
        ("matched", f"repo/{folder}/a.py", 3, 3),
        ("matched", f"repo/{folder}/b.py", 4, 4),
    ]


def test_small_letters_find_capitals_with_ag() -> None:
    assert seen_in_repo("ag heron a.py; ag nest b.py", "3:Heron\n5:Nest\n") == [
        ("matched", "repo/a.py", 3, 3),
        ("matched", "repo/b.py", 5, 5),
    ]


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("app/(shop)/page.tsx:12:  total\n", ["/w/app/(shop)/page.tsx"]),
        ("(shop)/page.tsx:12:  total\n", ["/w/(shop)/page.tsx"]),
        ("total(a, b/c.x):12: no name\n", []),
    ],
)
def test_a_whole_folder_in_brackets_is_part_of_a_name(line: str, paths: list[str]) -> None:
    view = shell_refs("rg -n total", ToolResult(line), "/w", Settings())
    assert [ref.path for ref in view.refs] == paths


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        (
            "rg --heading -n alpha",
            "README.md\n3:alpha\n\nMakefile\n99:alpha\n",
            [("README.md", 3, 3), ("Makefile", 99, 99)],
        ),
        (
            "ag alpha",
            "README.md\n3:alpha\n\nwith space/a b.txt\n99:alpha\n",
            [("README.md", 3, 3), ("with space/a b.txt", 99, 99)],
        ),
        (
            "rg --heading -n alpha",
            "README.md\n3:alpha\n\n(what is this?)\n99:alpha\n",
            [("README.md", 3, 3)],
        ),
        (
            "rg --heading alpha",
            "README.md\nalpha beta\n\nsrc/a.py\ndef alpha():\n",
            [("README.md", None, None), ("src/a.py", None, None)],
        ),
    ],
)
def test_lines_belong_to_the_heading_above_them_or_to_none(
    command: str, output: str, expected: list[tuple[str, int | None, int | None]]
) -> None:
    assert [(path, low, high) for _, path, low, high in seen(command, output)] == expected


MANY = 200_000


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("diff -r old new", "diff -r " + "old/a " * MANY),
        ("diff -r old new", "diff " + "a " * MANY + '"'),
        ("diff -rq old new", "Files " + "old/a and " * MANY + "differ"),
        ("cmp old new", "old/a " * MANY + "differ: byte 3"),
        ("git diff --no-prefix", "diff --git " + "a " * MANY),
        ("git diff", "diff --git a/" + "x b/" * MANY),
        ("rg --heading -n x", "a.go\n3:x\n\n" * MANY),
    ],
)
def test_lines_of_any_length_are_looked_at_once(command: str, output: str) -> None:
    """Where every place was tried with every other these took hours: the suite would not end."""
    found = seen(command, output)
    assert len(found) <= 1


def test_numbers_of_a_searched_stream_are_taken_back_to_lines_of_the_file() -> None:
    """Lines 5 and 7 of the stream are lines 104 and 106 of the file."""
    command = "sed -n 100,200p a.py | grep -n x"
    (ref,) = shell_refs(command, ToolResult("5:x\n7:xy\n"), "/w", Settings()).refs
    assert (ref.line_start, ref.line_end) == (104, 106)
    assert (ref.ranges, ref.shown_chars) == (((104, 104), (106, 106)), 9)


def test_lines_that_show_nothing_are_characters_of_no_file() -> None:
    """A note on a binary file and a break between groups stand beside lines of the only file."""
    output = "grep: ./b.pyc: binary file matches\n./a.py:x\n--\n./a.py:xy\n"
    found = shell_refs("grep -r -C0 x .", ToolResult(output), "/w", Settings()).refs
    assert [(ref.kind, ref.path, ref.shown_chars) for ref in found] == [
        ("surfaced", "/w/b.pyc", None),
        ("matched", "/w/a.py", len("./a.py:x\n./a.py:xy\n")),
    ]
