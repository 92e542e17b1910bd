"""Python scripts inside commands: lines taken by number, and words of their own (D142)."""

from __future__ import annotations

import ast

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell.programs.python_flow import python_ranges
from tests.shell.views import shell_refs

CHECKS = """\
lines = open('a.py').readlines()
if 'def f' not in lines[4]:
    print(f"Error: line 5 is {lines[4]}")
    raise SystemExit(1)
n = len(lines)
lines[4] = 'def g():\\n'
open('a.py', 'w').writelines(lines)
print(f"changed {n} lines of a.py")
print("Done.", "Run the tests")
"""


LOOKS = """\
text = open('a.py').read()
at = text.find('needle')
if at < 0:
    print('not found')
else:
    print(text[at:at + 40])
"""


def refs_of_script(script: str, output: str) -> list[str]:
    command = f"python3 - <<'EOF'\n{script}EOF"
    view = shell_refs(command, ToolResult(output), "/w", Settings())
    return [f"{ref.kind} {ref.path}" for ref in view.refs]


@pytest.mark.parametrize(
    ("script", "output", "expected"),
    [
        # Its own words: the file was changed, and nothing of it was shown.
        (CHECKS, "changed 40 lines of a.py\nDone. Run the tests\n", ["written /w/a.py"]),
        # The branch that shows a line of the file, after which the script ends itself: what it
        # would have written after that was not written (D146).
        (CHECKS, "Error: line 5 is     return 1\n\n", ["read /w/a.py"]),
        # One line of its own words and one line that is not.
        (CHECKS, "Done. Run the tests\n    return 1\n", ["read /w/a.py", "written /w/a.py"]),
        (LOOKS, "not found\n", []),
        (LOOKS, "needle = 1\n", ["read /w/a.py"]),
        # A text of the file that happens to hold the same words as a part of a line.
        (LOOKS, "needle not found\n", ["read /w/a.py"]),
        # Lines of a range that is known.
        ("ls = open('a.py').readlines()\nprint('first:')\nprint(''.join(ls[0:2]))\n",
         "first:\nimport os\n\n\n", ["read /w/a.py"]),
        # A word that the script only begins with is no proof if the rest is open and short.
        ("t = open('a.py').read()\nprint(f'{len(t)}')\nprint(t[:10])\n", "12\n", ["read /w/a.py"]),
    ],
)  # fmt: skip
def test_own_words(script: str, output: str, expected: list[str]) -> None:
    assert refs_of_script(script, output) == expected


def test_a_traceback_shows_no_file() -> None:
    script = "t = open('a.py').read()\nimport json\nprint(json.loads(t)['x'])\n"
    output = (
        "Traceback (most recent call last):\n"
        '  File "/w/show.py", line 3, in <module>\n'
        "    print(json.loads(t)['x'])\n"
        "KeyError: 'x'\n"
    )
    command = f"cat > show.py <<'EOF'\n{script}EOF\npython3 show.py"
    view = shell_refs(command, ToolResult(output, None, True), "/w", Settings())
    assert [f"{ref.kind} {ref.path}" for ref in view.refs] == ["written /w/show.py"]


TAKEN = {
    "lines = open('a').readlines()\nprint(''.join(lines[9:20]))": ((10, 20),),
    "lines = open('a').read().split('\\n')\nprint(lines[4])": ((5, 5),),
    "print(open('a').read().splitlines()[:3])": ((1, 3),),
    "ls = open('a').readlines()\nfor i in range(9, min(14, len(ls))): print(i + 1, ls[i])": (
        (10, 14),
    ),
    "ls = open('a').readlines()\nfor n in range(10, 13): print(n, ls[n - 1])": ((10, 12),),
    "ls = open('a').readlines()\nprint(ls[0:2])\nprint(ls[50:52])": ((1, 2), (51, 52)),
}


@pytest.mark.parametrize("script", TAKEN, ids=range(len(TAKEN)))
def test_lines_taken_by_constant_numbers_are_known(script: str) -> None:
    """D7: lines where they are known."""
    assert python_ranges(ast.parse(script)) == TAKEN[script]


@pytest.mark.parametrize(
    "script",
    [
        "for l in open('a'): print(l)",
        "ls = open('a').readlines()\nprint(ls)",
        "ls = open('a').readlines()\nprint(ls[5:])",
        "ls = open('a').readlines()\nprint(ls[-3:])",
        "ls = open('a').readlines()\nprint(ls[3:9:2])",
        "ls = open('a').readlines()\nprint(ls[n:9])",
        "ls = open('a').readlines()\nfor i in range(3):\n    if 'x' in ls[i]: print(ls[i])",
        "ls = open('a').readlines()\nprint([l for l in ls[0:9] if 'x' in l])",
        "words = open('a').read().split()\nprint(words[0:4])",
        "print('x'[0])",
    ],
)
def test_lines_that_depend_on_the_text_or_its_length_are_not(script: str) -> None:
    assert python_ranges(ast.parse(script)) is None


def script(source: str, output: str) -> list[tuple[str, str, int | None, int | None]]:
    found = shell_refs(
        f"python3 - <<'EOF'\n{source}\nEOF", ToolResult(text=output), "/w", Settings()
    )
    return [(ref.kind, ref.path, ref.line_start, ref.line_end) for ref in found.refs]


@pytest.mark.parametrize(
    ("call", "output", "lines"),
    [
        (
            "print(run(['sed', '-n', '3,4p', 'a.py'], capture_output=True).stdout)",
            "a\nb\n\n",
            (3, 4),
        ),
        ("run('cd src && sed -n 3,4p ../a.py', shell=True)", "a\nb\n", (3, 4)),
        ("r = run(['cat', 'a.py'], stdout=-1)\nprint(r.stdout[-20:])", "a\nb\n", (None, None)),
        ("print(check_output('cat a.py', shell=True))", "b'a\\nb'\n", (None, None)),
        ("r = run(['cat', 'a.py'], capture_output=True)\nprint(r.returncode)", "0\n", None),
        ("print(run(['cat', 'a.py'], cwd=d, stdout=-1).stdout)", "a\n", None),
        ("for f in x:\n    print(check_output('cat a.py', shell=True))", "a\nb\n", (None, None)),
    ],
)
def test_commands_that_a_script_runs(
    call: str, output: str, lines: tuple[int | None, int | None] | None
) -> None:
    """They were lost. Lines are known only where the script prints all of one command's output."""
    for name in ("run", "check_output"):
        call = call.replace(f"{name}(", f"subprocess.{name}(")
    expected = [] if lines is None else [("read", "/w/a.py", *lines)]
    assert script(f"import subprocess\n{call}", output) == expected


def test_files_that_a_script_lists_and_prints() -> None:
    """They were lost: the script does not name them, its output does."""
    shows = "import glob\nfor f in glob.glob('src/*.py'):\n    print('==', f)\n    print(open(f).read())"
    output = "== src/a.py\nx = 1\n== src/b.py\n== src/c.py\ny = 2\n"
    assert script(shows, output) == [
        ("read", "/w/src/a.py", None, None),
        ("read", "/w/src/c.py", None, None),
    ]
    finds = (
        "from pathlib import Path\nfor p in Path('src').rglob('*.py'):\n"
        "    for i, line in enumerate(open(p), 1):\n        print(f'{p}:{i}: {line}')"
    )
    assert script(finds, "src/a.py:7: x = 1\n") == [("matched", "/w/src/a.py", 7, 7)]
